/* SPDX-License-Identifier: MIT */
/*
 * screen_host.h - for programs with pages, the process that owns the terminal
 *
 * There are two processes. The first one, the host, owns the terminal, reads the keys, and opens
 * files for the second one. The second process is confined like every process that reads inputs
 * (docs/trust.md): it reads and draws (screen_pager.h). They exchange messages of fixed size over a
 * socket. The second process can only request actions that the user can also request by a key.
 */
#ifndef CMDS_SCREEN_HOST_H
#define CMDS_SCREEN_HOST_H

#include "base/rights/sandbox.h"
#include "base/status.h"
#include "cmds/screen/screen_terminal.h"

#include <stddef.h>
#include <stdint.h>

struct pollfd;
struct session;

enum screen_word {
	/* messages from the host to the drawing process */
	SCREEN_KEYS,    /* the text has the keys that the user typed */
	SCREEN_SIZE,    /* new width and height of the terminal: draw again */
	SCREEN_MESSAGE, /* the text reports the result of a request of the drawing process */
	/* messages from the drawing process to the host */
	SCREEN_READY, /* the page is drawn; all messages that arrived before are handled */
	SCREEN_QUIT,
	SCREEN_WORDS, /* the first number that a program may use for messages of its own */
};

struct screen_message {
	uint32_t word; /* kind of message: enum screen_word, or a number of the program's own */
	uint32_t width, height;
	uint32_t len; /* length of `text` in bytes */
	char text[512];
};

struct screen_host {
	/* the program sets the following members */
	struct session *session;
	bool has_screen; /* false: the program only prints, without page mode */
	/*
	 * the host also handles the signals that end a program; false: the program handles them
	 * itself
	 */
	bool takes_end;
	int kept; /* descriptor that stays open in the drawing process; -1: none */
	void *arg;
	void (*on_message)(void *arg, const struct screen_message *m);
	/*
	 * called when the program stops with its terminal (@is_stopped), and when it continues;
	 * NULL: do nothing
	 */
	void (*on_suspend)(void *arg, bool is_stopped);

	/*
	 * the host sets the following members, which the program reads; the program may also set
	 * is_over
	 */
	bool is_over;
	bool is_lost;   /* the drawing process has ended */
	bool is_failed; /* this process failed, and printed a message */
	int signal;     /* signal that ended the program; 0: none */
	struct sandbox_end end;

	/* the following members are private */
	struct screen_terminal terminal;
	struct sandbox box;
	int talk;
	int signal_fd;
};

/*
 * Block the signals of the terminal, so that they can be read from a descriptor. Call this first.
 */
void screen_host_init(struct screen_host *h);
/*
 * Start the drawing process. It calls draw(@h->arg, socket) and exits with the result. Errors:
 * ERR_IO.
 */
MUST_CHECK int screen_host_start(struct screen_host *h, int (*draw)(void *arg, int talk),
				 struct error *err);
/* Enter page mode, and send the size of the terminal. */
void screen_host_enter(struct screen_host *h);
/*
 * Wait for keys, signals, requests, or events of @more, a descriptor of the program. @timeout_ms:
 * maximum time (-1: no limit). Keys, signals and requests are handled here. True: @more has an
 * event, which the caller must handle.
 */
bool screen_host_wait(struct screen_host *h, struct pollfd *more, int timeout_ms);
/* Send a message, with the descriptor @fd; -1: none. */
void screen_host_send(struct screen_host *h, const struct screen_message *m, int fd);
/* Send a sentence that the page shows. */
void screen_host_say(struct screen_host *h, const char *fmt, ...) PRINTF(2, 3);
/* Leave page mode and report a failure with errno. */
void screen_host_fail(struct screen_host *h, const char *what);
/*
 * End the drawing process and leave page mode. When the program has ended, call screen_host_fini(),
 * too.
 */
void screen_host_stop(struct screen_host *h);
void screen_host_fini(struct screen_host *h);

#endif
