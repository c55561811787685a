/* SPDX-License-Identifier: MIT */
/*
 * record_host.c - the connection of `assay record --host`
 *
 * The script on the other machine prints through ssh: first messages of the login shell, then the
 * output of the command, then the recording. Between these parts are lines for this process, which
 * begin with a random word (the mark).
 *
 * ^C must not end ssh, because ssh must still transfer the recording. The first ^C ends the
 * recording on the other machine, the second one the connection.
 */
#include "cmds/record/record_host.h"

#include "base/limits.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "record/perf/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* length in bytes of the mark, the random word before lines for this process */
#define HOST_MARK     32u
#define HOST_LINE_MAX 1024u /* maximum length of a line for this process */
#define HOST_BUFFER   65536u
/*
 * time for which ssh may run after the script's last line. A process that the recorded command
 * started may keep the output open, so that ssh does not end
 */
#define HOST_LAST_MS 1000
/* size of the header of perf.data, and the offset of perf_file_header.data in it */
#define HOST_HEADER 104u
#define HOST_DATA   40u

enum host_state {
	HOST_STARTS, /* the script has started; nothing is recorded yet */
	HOST_RUNS,   /* the command runs, and its output arrives */
	HOST_SENDS,  /* the recording arrives */
	HOST_ENDS,   /* the result is known, and the other machine is removing its folder */
	HOST_OVER,   /* the other machine has removed its folder */
};

struct host {
	const struct record_host *o;
	char mark[HOST_MARK + 1];
	pid_t pid;
	/*
	 * pipes to standard input, from standard output and from standard error of ssh; -1: closed
	 */
	int in, out, err;
	int signals;
	enum host_state state;
	/*
	 * last part of the received output, not printed yet: it may be the start of a line for this
	 * process, which the user must not see
	 */
	struct out held;
	/*
	 * messages of ssh before the recording starts. They are printed when it starts; if it does
	 * not start, only the last line is printed, as the reason
	 */
	struct out early;
	struct out todo; /* data to send: the script, then the program */
	size_t sent;
	bool has_sent_program;
	unsigned int n_interrupts;
	struct newfile file;
	uint64_t bytes;
	uint8_t head[HOST_HEADER]; /* first bytes of the received recording */
	bool is_whole;
	struct error why;
	bool has_failed; /* the recording failed; `why` has the reason */
	int status;
};

static void PRINTF(2, 3) host_fail(struct host *h, const char *fmt, ...)
{
	va_list args;

	if (h->has_failed)
		return;
	h->has_failed = true;
	va_start(args, fmt);
	(void)vsnprintf(h->why.msg, sizeof(h->why.msg), fmt, args);
	va_end(args);
}

static void host_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/*
 * End the connection. The script on the other machine notices that, stops and removes its folder.
 */
static void host_give_up(struct host *h)
{
	host_close(&h->in);
	if (h->pid > 0)
		(void)kill(h->pid, SIGTERM);
}

static bool host_make_mark(struct host *h)
{
	uint8_t random[HOST_MARK / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return false;
	for (size_t i = 0; i < sizeof(random); i++)
		(void)snprintf(h->mark + 2 * i, 3, "%02x", random[i]);
	return true;
}

/* Run ssh in the child process. @fds: its standard input, output and error. */
static _Noreturn void host_exec(const struct host *h, const int fds[3], const sigset_t *mask,
				int failed)
{
	const char *custom = h->o->ssh ? h->o->ssh : getenv("ASSAY_SSH");
	char command[96];
	struct out line;
	int error;

	(void)snprintf(command, sizeof(command),
		       "exec /bin/sh -c 'eval \"$(dd bs=1 count=%zu 2>/dev/null)\"'", h->todo.len);
	for (int i = 0; i < 3; i++)
		(void)dup2(fds[i], i);
	(void)signal(SIGINT, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
	if (!custom || !custom[0]) {
		(void)execlp("ssh", "ssh", "-a", "-x", "-T", "-o", "ClearAllForwardings=yes", "--",
			     h->o->host, command, (char *)NULL);
	} else {
		out_init(&line);
		out_printf(&line, "%s \"$@\"%c", custom, 0);
		(void)execl("/bin/sh", "sh", "-c", line.data, "sh", "-a", "-x", "-T", "--",
			    h->o->host, command, (char *)NULL);
	}
	error = errno;
	(void)!write(failed, &error, sizeof(error));
	_exit(127);
}

static bool host_start(struct host *h, const sigset_t *mask)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 }, failed[2] = { -1, -1 };
	int error = 0;

	if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 &&
	    pipe2(failed, O_CLOEXEC) == 0) {
		(void)fflush(NULL);
		h->pid = fork();
		if (h->pid == 0)
			host_exec(h, (int[]){ in[0], out[1], err[1] }, mask, failed[1]);
	}
	error = h->pid > 0 ? 0 : errno;
	host_close(&in[0]);
	host_close(&out[1]);
	host_close(&err[1]);
	host_close(&failed[1]);
	h->in = in[1];
	h->out = out[0];
	h->err = err[0];
	if (h->pid > 0 && read(failed[0], &error, sizeof(error)) == sizeof(error))
		host_fail(h, "ssh: %s%s", strerror(error),
			  error == ENOENT ? "; install it, or name another one with --ssh" : "");
	else if (h->pid <= 0)
		host_fail(h, "ssh cannot be started: %s", strerror(error));
	host_close(&failed[0]);
	if (h->in >= 0)
		(void)fcntl(h->in, F_SETFL, O_NONBLOCK);
	return !h->has_failed;
}

/* Append bytes to the file of the recording. */
static void host_store(struct host *h, struct str s)
{
	if (h->bytes < sizeof(h->head)) {
		size_t rest = sizeof(h->head) - (size_t)h->bytes;

		memcpy(h->head + h->bytes, s.p, s.len < rest ? s.len : rest);
	}
	if (h->has_failed)
		return;
	if (s.len > LIMIT_HOST_BYTES - h->bytes) {
		host_fail(h, "the recording is larger than %u GiB, which is refused",
			  (unsigned int)(LIMIT_HOST_BYTES >> 30));
		host_give_up(h);
	} else if (!newfile_write(h->file.fd, s.p, s.len)) {
		host_fail(h, "%s: cannot write it: %s", h->o->output, strerror(errno));
		host_give_up(h);
	} else {
		h->bytes += s.len;
	}
}

/*
 * Handle output of the other machine that is not a line for this process: print the output of the
 * command, and store the recording.
 */
static void host_pass(struct host *h, struct str s)
{
	if (!s.len)
		return;
	if (h->state == HOST_RUNS)
		(void)newfile_write(STDOUT_FILENO, s.p, s.len);
	else if (h->state == HOST_SENDS)
		host_store(h, s);
}

static void host_send_program(struct host *h, struct str machine)
{
	struct out program;
	struct error err;
	char name[64];

	(void)snprintf(name, sizeof(name), STR_FMT, STR_ARG(machine));
	out_init(&program);
	if (h->has_sent_program || record_host_program(h->o, name, &program, &err) < 0) {
		host_fail(h, "%s", h->has_sent_program ? "it asks for the program twice" : err.msg);
		host_give_up(h);
	} else {
		h->has_sent_program = true;
		out_printf(&h->todo, "%zu\n", program.len);
		out_str(&h->todo, out_view(&program));
	}
	out_fini(&program);
}

static void host_take_file(struct host *h, struct str status)
{
	struct error err = { "" };
	uint64_t number = EXIT_FAILED;

	(void)str_u64(&status, &number);
	h->status = (int)(number & 0xff);
	h->state = HOST_SENDS;
	if (newfile_make(&h->file, &err) < 0) {
		host_fail(h, "%s: %s", h->o->output, err.msg);
		host_give_up(h);
	}
}

static void host_take_none(struct host *h, struct str status)
{
	uint64_t number = EXIT_FAILED;

	(void)str_u64(&status, &number);
	h->state = HOST_ENDS;
	h->status = (int)(number & 0xff);
	/* if the status is not 0, the assay on the other machine has printed the reason */
	if (!h->status)
		host_fail(h, "nothing was recorded there");
}

static void host_take_end(struct host *h, struct str why)
{
	h->state = HOST_ENDS;
	h->is_whole = true;
	if (why.len && !h->o->is_quiet)
		complain(h->o->host, "the recording comes without names: " STR_FMT, STR_ARG(why));
}

/*
 * Handle a line of the script for this process; @line is without the mark. False: the script must
 * not send this line in the current state.
 */
static bool host_take_word(struct host *h, struct str line)
{
	enum host_state state = h->state;

	(void)str_take(&line, STR(" "));
	if (state != HOST_OVER && str_eq(line, STR("bye"))) {
		h->state = HOST_OVER;
	} else if (state == HOST_STARTS && str_take(&line, STR("need "))) {
		host_send_program(h, line);
	} else if (state == HOST_STARTS && str_take(&line, STR("failed "))) {
		host_fail(h, STR_FMT, STR_ARG(line));
	} else if (state == HOST_STARTS && str_eq(line, STR("ready"))) {
		h->state = HOST_RUNS;
		(void)newfile_write(STDERR_FILENO, h->early.data, h->early.len);
	} else if (state == HOST_RUNS && str_take(&line, STR("file "))) {
		host_take_file(h, line);
	} else if (state == HOST_RUNS && str_take(&line, STR("none "))) {
		host_take_none(h, line);
	} else if (state == HOST_SENDS && str_take(&line, STR("end"))) {
		(void)str_take(&line, STR(" "));
		host_take_end(h, line);
	} else {
		return false;
	}
	return true;
}

/*
 * Handle the output received so far. If it ends in the middle of a mark, or of a line after a mark,
 * the end stays in h->held.
 */
static void host_take_output(struct host *h)
{
	struct str all = out_view(&h->held);
	const struct str mark = { h->mark, HOST_MARK };
	size_t at;

	while ((at = str_find(all, mark)) < all.len) {
		struct str line = str_skip(all, at + HOST_MARK);
		size_t end = str_find_char(line, '\n');

		host_pass(h, str_sub(all, 0, at));
		all = str_skip(all, at);
		if (end == line.len && line.len < HOST_LINE_MAX)
			break;
		if (end == line.len || !host_take_word(h, str_sub(line, 0, end))) {
			host_fail(h, "unexpected words of the script there");
			host_give_up(h);
		}
		all = str_skip(line, end + 1);
	}
	if (at == all.len && all.len >= HOST_MARK) {
		host_pass(h, str_sub(all, 0, all.len - HOST_MARK + 1));
		all = str_skip(all, all.len - HOST_MARK + 1);
	}
	memmove(h->held.data, all.p, all.len);
	h->held.len = all.len;
}

static void host_read_output(struct host *h)
{
	char buf[HOST_BUFFER];
	ssize_t n = read(h->out, buf, sizeof(buf));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		host_close(&h->out);
		return;
	}
	out_bytes(&h->held, buf, (size_t)n);
	host_take_output(h);
}

static void host_read_messages(struct host *h)
{
	char buf[HOST_BUFFER];
	ssize_t n = read(h->err, buf, sizeof(buf));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		host_close(&h->err);
	else if (h->state != HOST_STARTS)
		(void)newfile_write(STDERR_FILENO, buf, (size_t)n);
	else if (h->early.len < HOST_BUFFER)
		out_bytes(&h->early, buf, (size_t)n);
}

static void host_send(struct host *h)
{
	ssize_t n = write(h->in, h->todo.data + h->sent, h->todo.len - h->sent);

	if (n > 0)
		h->sent += (size_t)n;
	else if (n < 0 && errno != EINTR && errno != EAGAIN)
		host_close(&h->in);
}

static void host_interrupt(struct host *h)
{
	struct signalfd_siginfo info;

	if (read(h->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (h->n_interrupts++ == 0 && h->state == HOST_RUNS)
		out_z(&h->todo, "stop\n");
	else if (h->n_interrupts > 1 || h->state == HOST_STARTS) {
		host_fail(h, "interrupted");
		host_give_up(h);
	}
}

static void host_talk(struct host *h)
{
	while (h->out >= 0 && h->state != HOST_OVER) {
		struct pollfd p[] = {
			{ h->out, POLLIN, 0 },
			{ h->err, POLLIN, 0 },
			{ h->signals, POLLIN, 0 },
			{ h->sent < h->todo.len ? h->in : -1, POLLOUT, 0 },
		};

		if (poll(p, ARRAY_LEN(p), -1) < 0)
			continue;
		if (p[2].revents)
			host_interrupt(h);
		if (p[1].revents)
			host_read_messages(h);
		if (p[0].revents)
			host_read_output(h);
		if (p[3].revents)
			host_send(h);
	}
	if (h->state == HOST_SENDS) /* the connection is lost: keep the rest of the recording */
		host_pass(h, out_view(&h->held));
}

/* Wait for the end of ssh, and print its last messages. Returns its wait status. */
static int host_wait(struct host *h)
{
	int status = 0;
	int left_ms = HOST_LAST_MS;

	host_close(&h->in);
	host_close(&h->out);
	while (waitpid(h->pid, &status, WNOHANG) == 0) {
		struct pollfd p = { h->err, POLLIN, 0 };

		if (poll(&p, 1, 20) > 0)
			host_read_messages(h);
		left_ms -= 20;
		if (left_ms <= 0) {
			(void)kill(h->pid, SIGTERM);
			left_ms = HOST_LAST_MS;
		}
	}
	if (h->err >= 0)
		(void)fcntl(h->err, F_SETFL, O_NONBLOCK);
	while (h->err >= 0)
		host_read_messages(h);
	return status;
}

/* The last line that ssh printed, without "ssh: ". */
static struct str host_last_message(const struct host *h)
{
	struct str text = out_view(&h->early);
	struct str last = STR_NONE;
	struct str line;

	while (str_line(&text, &line)) {
		line = str_trim(line);
		if (line.len)
			last = line;
	}
	(void)str_take(&last, STR("ssh: "));
	return str_sub(last, 0, 200);
}

/* If the connection ended too early, report the reason. */
static void host_explain(struct host *h, int wait_status)
{
	struct str last = host_last_message(h);

	if (h->state == HOST_ENDS || h->state == HOST_OVER)
		return;
	if (h->state == HOST_STARTS && last.len)
		host_fail(h, "ssh: " STR_FMT, STR_ARG(last));
	else if (h->state == HOST_STARTS)
		host_fail(h, "ssh ended with status %d; try 'ssh %s true'",
			  WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 255, h->o->host);
	else if (h->state == HOST_RUNS)
		host_fail(h, "the connection was lost while recording; nothing arrived");
	else
		host_fail(h, "the connection was lost; %" PRIu64 " bytes of the recording arrived",
			  h->bytes);
}

/* Whether the received part of the recording contains records, so that it can be read. */
static bool host_is_readable(const struct host *h)
{
	uint64_t data_at;

	memcpy(&data_at, h->head + HOST_DATA, sizeof(data_at));
	return h->bytes > sizeof(h->head) &&
	       record_kind.is((struct str){ (const char *)h->head, sizeof(h->head) }) &&
	       data_at < h->bytes;
}

static void host_place(struct host *h, struct record_host_result *ret)
{
	struct error err = { "" };

	ret->is_straight = newfile_is_straight(&h->file);
	if (h->state != HOST_STARTS && h->bytes && host_is_readable(h)) {
		if (!ret->is_straight && newfile_put(&h->file, /* keeps_old= */ true, &err) < 0)
			complain(h->o->output, "%s", err.msg);
		else
			ret->has_file = true;
	} else if (h->is_whole) {
		host_fail(h, "the file that it sent is no recording");
	}
}

static void host_run(struct host *h, struct record_host_result *ret)
{
	sigset_t mask;
	sigset_t old;
	struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction before;
	int wait_status = 0;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGINT);
	(void)sigaddset(&mask, SIGTERM);
	(void)sigaddset(&mask, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &mask, &old);
	(void)sigaction(SIGPIPE, &ignored, &before);
	h->signals = signalfd(-1, &mask, SFD_CLOEXEC);
	record_host_script(h->o, h->mark, &h->todo);
	if (host_start(h, &old))
		host_talk(h);
	if (h->pid > 0)
		wait_status = host_wait(h);
	host_explain(h, wait_status);
	host_place(h, ret);
	host_close(&h->in);
	host_close(&h->out);
	host_close(&h->err);
	host_close(&h->signals);
	(void)sigaction(SIGPIPE, &before, NULL);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	ret->status = h->has_failed && !h->status ? EXIT_FAILED : h->status;
	if (h->has_failed)
		complain(h->o->host, "%s", h->why.msg);
}

void record_host(const struct record_host *o, struct record_host_result *ret)
{
	struct host h = { .o = o, .in = -1, .out = -1, .err = -1, .signals = -1 };
	struct newfile_spec spec = { .path = o->output,
				     .kind = &record_kind,
				     .is_forced = o->is_forced,
				     .is_private = true,
				     .keeps_old = true };
	struct error err = { "" };

	*ret = (struct record_host_result){ .status = EXIT_FAILED };
	h.file = (struct newfile)NEWFILE_NONE;
	out_init(&h.held);
	out_init(&h.early);
	out_init(&h.todo);
	if (!o->host[0] || o->host[0] == '-') {
		complain(NULL, "--host takes USER@HOST, not '%s'", o->host);
		ret->status = EXIT_USAGE;
	} else if (newfile_find(&spec, &h.file, &err) < 0) {
		complain(o->output, "%s", err.msg);
		ret->status = EXIT_USAGE;
	} else if (!host_make_mark(&h)) {
		complain(NULL, "no random numbers: %s", strerror(errno));
	} else {
		host_run(&h, ret);
	}
	newfile_fini(&h.file);
	out_fini(&h.held);
	out_fini(&h.early);
	out_fini(&h.todo);
}
