/* SPDX-License-Identifier: MIT */
/* browse.c - `assay browse`: explore recordings, traces and logs in the terminal */
#include "cmds/browse.h"

#include "base/command/args.h"
#include "base/files.h"
#include "base/newfile.h"
#include "base/rights/sandbox.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "cmds/screen/screen_host.h"
#include "cmds/screen/screen_terminal.h"
#include "transform/select.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

DECLARE_CMD(browse);

#define BROWSE_COPY (16u << 10) /* number of bytes of standard input that are copied at a time */

struct browse {
	struct browse_options o;
	struct session *session;
	struct screen_host host;
};

/*
 * Handle a message from the second process. SCREEN_READY means that it has read the inputs: switch
 * the terminal to its alternate screen.
 */
static void browse_message(void *arg, const struct screen_message *m)
{
	struct browse *b = arg;

	if (m->word == SCREEN_READY)
		screen_host_enter(&b->host);
}

static int browse_draw(void *arg, int talk)
{
	struct browse *b = arg;

	return browse_view(&b->o, talk);
}

static bool browse_reads_stdin(const struct session *s)
{
	VEC_FOREACH (path, &s->in.paths.items) {
		if (strcmp(*path, "-") == 0)
			return true;
	}
	return false;
}

/*
 * Copy standard input to a file in memory, and make this file the standard input. A view may read
 * the input again, which a pipe does not allow.
 */
static int browse_keep_stdin(struct error *err)
{
	char buffer[BROWSE_COPY];
	int fd = memfd_create("input", MFD_CLOEXEC);
	ssize_t n = 0;

	if (fd < 0)
		return fail(err, ERR_IO, "no memory for standard input: %s", strerror(errno));
	while ((n = files_read(STDIN_FILENO, buffer, sizeof(buffer))) > 0) {
		if (!newfile_write(fd, buffer, (size_t)n))
			break;
	}
	if (n != 0 || dup2(fd, STDIN_FILENO) < 0) {
		(void)close(fd);
		return fail(err, ERR_IO, "cannot keep standard input: %s", strerror(errno));
	}
	(void)close(fd);
	return OK;
}

static int browse_end(struct browse *b)
{
	const struct screen_host *h = &b->host;

	screen_host_stop(&b->host);
	if (h->is_failed)
		return EXIT_FAILED;
	if (!h->is_lost)
		return EXIT_DONE;
	if (h->end.signal || h->end.status == SANDBOX_NO_MEMORY ||
	    h->end.status == SANDBOX_MEMORY_CRASH) {
		complain(h->end.reading[0] ? h->end.reading : NULL,
			 h->end.is_killed
				 ? "reading was stopped: its process violated the sandbox; please "
				   "report it"
			 : h->end.signal ? "reading crashed, which must not happen with any input: "
					   "please report it"
					 : "reading needs more memory than there is");
		return EXIT_FAILED;
	}
	return h->end.status;
}

/* End this process by the signal @number. The caller has blocked the signal. */
static void browse_raise(int number)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, number);
	(void)signal(number, SIG_DFL);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static int browse_start(struct browse *b)
{
	struct screen_host *h = &b->host;
	struct error err = { "" };
	int status;

	*h = (struct screen_host){
		.session = b->session,
		.has_screen = true,
		.takes_end = true,
		.arg = b,
		.on_message = browse_message,
	};
	if (browse_reads_stdin(b->session) && browse_keep_stdin(&err) < 0) {
		complain(NULL, "%s", err.msg);
		return EXIT_FAILED;
	}
	b->o = (struct browse_options){
		.session = b->session,
		.messages = memfd_create("messages", MFD_CLOEXEC | MFD_ALLOW_SEALING),
	};
	h->kept = b->o.messages;
	screen_host_init(h);
	if (!b->session->in.has_sandbox)
		complain(NULL, "--no-sandbox: the input is read without confinement");
	if (screen_host_start(h, browse_draw, &err) < 0) {
		complain(NULL, "%s", err.msg);
		screen_host_fini(h);
		return EXIT_FAILED;
	}
	while (!h->is_over && !h->is_lost)
		(void)screen_host_wait(h, NULL, -1);
	status = browse_end(b);
	screen_host_fini(h);
	if (b->o.messages >= 0)
		(void)close(b->o.messages);
	if (h->signal)
		browse_raise(h->signal);
	return status;
}

static int browse_run(int argc, char **argv)
{
	struct session s;
	struct browse b = { .session = &s };
	struct args_option options[] = {
		ARGS_HEADING("input and output"),
		OPT(LIST, "input", 'i', "FILE", &s.in.paths,
		    "input file, the same as FILE without -i; - is standard input"),
		OPT(TEXT, "as", 0, "FORMAT", &s.in.as,
		    "read inputs as this format, without detection"),
		OPT_FLAG("raw", 0, &s.in.is_raw,
			 "do not remove quote marks, markup and line wraps of mails"),
		OPT_DEFAULT(CHOICE, "color", 0, "auto|always|never", "auto", &s.to.colour,
			    "when to use colours"),
		OPT_FLAG("sandbox", 0, &s.in.has_sandbox,
			 "read inputs in a process without rights (--no-sandbox: with the user's "
			 "rights)"),
		ARGS_HEADING("samples"),
		SESSION_CHOICE(&s),
		SESSION_LEAVES(&s),
		SESSION_SYMBOLS(&s),
		OPT(TEXT, "source", 0, "DIR", &s.in.wanted.sources,
		    "look for the source files below DIR first"),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay browse",
		.operands = "FILE...",
		.summary = "Look around in recordings, traces and logs, in the terminal. Key ? "
			   "lists the keys.",
		.options = options,
		.tail = "Each view shows in its last line the command that prints the same.",
	};
	int status;

	session_init(&s);
	if (session_parse(&s, &spec, argc, argv, &status)) {
		status = EXIT_USAGE;
		if (!screen_terminal_is_here())
			complain(NULL,
				 "browse needs a terminal; without one, 'assay FILE' prints the "
				 "main parts, and 'assay report FILE' tables");
		else if (session_check(&s, &spec))
			status = browse_start(&b);
	}
	return session_finish(&s, status);
}

const struct cmd cmd_browse = {
	.name = "browse",
	.summary = "look around in recordings, traces and logs, in the terminal",
	.run = browse_run,
};
