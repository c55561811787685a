/* SPDX-License-Identifier: MIT */
#include "cmds/mcp/mcp_server.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/mcp/mcp_message.h"
#include "cmds/mcp/mcp_paths.h"
#include "cmds/mcp/mcp_reply.h"
#include "cmds/mcp/mcp_run.h"
#include "cmds/mcp/mcp_tools.h"
#include "cmds/mcp/mcp_wish.h"
#include "formats/exchange/json_doc.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SERVER_PART_BYTES 65536u
#define SERVER_TICK_MS    1000

/* A call that runs or waits for its turn. */
struct server_call {
	struct mcp_message message; /* owned */
	struct mcp_wish wish;       /* owned */
	struct mcp_reply reply;
};

struct server {
	const struct mcp_server_options *options;
	struct out out;
	/* received part of a line that the client has not completed yet */
	struct out line;
	VEC(struct server_call) calls; /* the first call runs, the others wait */
	struct mcp_run run;
	int signals;
	/* runtime of the running call, in seconds, that the last progress message reported */
	uint64_t n_ticks;
	bool is_initialized; /* the client sent "initialize", so it uses an older revision */
	bool is_over;        /* the client closed its end of the connection */
	bool is_stopped;     /* a signal arrived that ends the server */
};

static struct json_object *server_meta(const struct mcp_message *m, const char *key)
{
	return json_doc_get(json_doc_get(m->params, "_meta"), key);
}

static void server_drop(struct server *s, size_t i)
{
	struct server_call *c = &s->calls.data[i];

	mcp_message_fini(&c->message);
	mcp_wish_fini(&c->wish);
	memmove(c, c + 1, (s->calls.len - i - 1) * sizeof(*c));
	s->calls.len--;
}

/*
 * If no call runs, start the first waiting call. A call that cannot be started gets an error reply.
 */
static void server_start(struct server *s)
{
	struct error err = { "" };

	while (s->calls.len && !s->run.pid) {
		struct server_call *c = &s->calls.data[0];

		s->n_ticks = 0;
		if (mcp_run_start(&c->wish, s->options->paths->roots.data[c->wish.root],
				  s->options->seconds, &s->run, &err) == OK)
			return;
		mcp_reply_tool_error(&c->reply, str_of(err.msg));
		mcp_run_fini(&s->run);
		server_drop(s, 0);
	}
}

/* Handle the request tools/call. True: the message @m now belongs to the queue of calls. */
static bool server_call(struct server *s, struct mcp_message *m, const struct mcp_reply *reply)
{
	struct json_object *arguments = json_doc_get(m->params, "arguments");
	const struct mcp_tool *tool =
		mcp_tools_find(json_doc_text(json_doc_get(m->params, "name")));
	struct server_call call = { .message = *m, .reply = *reply };
	struct error err = { "" };

	if (!tool)
		mcp_reply_error(reply, MCP_INVALID_PARAMS,
				"unknown tool; tools/list names the tools");
	else if (arguments && !json_doc_is_object(arguments))
		mcp_reply_error(reply, MCP_INVALID_PARAMS, "\"arguments\" must be an object");
	else if (s->calls.len > MCP_QUEUE)
		mcp_reply_error(reply, MCP_BUSY, "too many calls wait; send fewer at once");
	else if (mcp_wish_read(tool, arguments, s->options->paths, &call.wish, &err) < 0)
		mcp_reply_tool_error(reply, str_of(err.msg));
	else {
		*VEC_PUSH(&s->calls) = call;
		server_start(s);
		return true;
	}
	mcp_wish_fini(&call.wish);
	return false;
}

static void server_cancel(struct server *s, struct json_object *id)
{
	for (size_t i = 0; i < s->calls.len; i++) {
		if (!mcp_message_is_same(s->calls.data[i].message.id, id))
			continue;
		if (i == 0)
			mcp_run_fini(&s->run);
		server_drop(s, i);
		server_start(s);
		return;
	}
}

/*
 * Whether the request may be answered. False: an error was sent. A request that names a revision of
 * the protocol must name MCP_MODERN, and have valid metadata. A request that names no revision must
 * be "initialize" or "ping", or must follow "initialize", as in older revisions.
 */
static bool server_admits(struct server *s, const struct mcp_message *m, struct mcp_reply *reply)
{
	struct json_object *version = server_meta(m, "io.modelcontextprotocol/protocolVersion");

	reply->is_modern = json_doc_is_text(version);
	if (!reply->is_modern) {
		if (s->is_initialized || str_eq(m->method, STR("initialize")) ||
		    str_eq(m->method, STR("ping")))
			return true;
		mcp_reply_error(reply, MCP_INVALID_PARAMS,
				"call initialize first, or name the revision in "
				"_meta[\"io.modelcontextprotocol/protocolVersion\"]");
		return false;
	}
	if (!str_eq(json_doc_text(version), STR(MCP_MODERN))) {
		mcp_reply_version(reply, json_doc_text(version));
		return false;
	}
	if (json_doc_is_object(server_meta(m, "io.modelcontextprotocol/clientCapabilities")))
		return true;
	mcp_reply_error(reply, MCP_INVALID_PARAMS,
			"_meta[\"io.modelcontextprotocol/clientCapabilities\"] must be an object");
	return false;
}

/* Answer a request. True: the message @m now belongs to the queue of calls. */
static bool server_answer(struct server *s, struct mcp_message *m, const struct mcp_reply *reply)
{
	bool is_modern = reply->is_modern;

	if (str_eq(m->method, STR("tools/call")))
		return server_call(s, m, reply);
	if (str_eq(m->method, STR("tools/list"))) {
		mcp_reply_tools(reply);
	} else if (str_eq(m->method, STR("server/discover")) && is_modern) {
		mcp_reply_discover(reply);
	} else if (str_eq(m->method, STR("initialize")) && !is_modern) {
		s->is_initialized = true;
		mcp_reply_initialize(reply,
				     json_doc_text(json_doc_get(m->params, "protocolVersion")));
	} else if (str_eq(m->method, STR("ping")) && !is_modern) {
		mcp_reply_empty(reply);
	} else {
		mcp_reply_error(reply, MCP_NO_METHOD, "no such method");
	}
	return false;
}

static void server_line(struct server *s, struct str line)
{
	struct mcp_message m;
	struct mcp_reply reply = { .out = &s->out };
	bool is_taken = false;

	if (str_trim(line).len == 0)
		return;
	mcp_message_read(line, &m);
	reply.id = m.id;
	if (m.code)
		mcp_reply_error(&reply, m.code, m.why.msg);
	else if (m.id && m.method.len && server_admits(s, &m, &reply))
		is_taken = server_answer(s, &m, &reply);
	else if (!m.id && str_eq(m.method, STR("notifications/cancelled")))
		server_cancel(s, json_doc_get(m.params, "requestId"));
	if (!is_taken)
		mcp_message_fini(&m);
}

/* Read the bytes that the client has sent. If a line is too long, only its start is stored. */
static void server_read(struct server *s)
{
	CLEANUP(freep) char *part = xmalloc(SERVER_PART_BYTES);
	ssize_t n = read(s->options->from, part, SERVER_PART_BYTES);
	struct str bytes = { part, n > 0 ? (size_t)n : 0 };

	s->is_over = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
	while (bytes.len) {
		size_t end = str_find_char(bytes, '\n');
		size_t room = MCP_LINE_BYTES + 1 - s->line.len;

		out_str(&s->line, str_sub(bytes, 0, end < room ? end : room));
		if (end == bytes.len)
			return;
		server_line(s, out_view(&s->line));
		s->line.len = 0;
		bytes = str_skip(bytes, end + 1);
	}
	if (s->is_over && s->line.len) {
		server_line(s, out_view(&s->line));
		s->line.len = 0;
	}
}

/* Handle the output, time limit and progress of the running call. */
static void server_watch(struct server *s, const struct pollfd fds[2])
{
	struct server_call *c = s->calls.data;
	struct json_object *token;
	uint64_t seconds;

	for (size_t i = 0; i < 2; i++) {
		if (!s->run.pid || !(fds[i].revents & (POLLIN | POLLHUP | POLLERR)) ||
		    mcp_run_read(&s->run, fds[i].fd))
			continue;
		mcp_reply_answer(&c->reply, c->wish.tool, &s->run);
		mcp_run_fini(&s->run);
		server_drop(s, 0);
		server_start(s);
		return;
	}
	if (!s->run.pid)
		return;
	mcp_run_watch(&s->run);
	token = server_meta(&c->message, "progressToken");
	seconds = (uint64_t)(mcp_run_now() - s->run.began_ms) / 1000;
	if (token && seconds > s->n_ticks) {
		s->n_ticks = seconds;
		mcp_reply_progress(&c->reply, token, seconds);
	}
}

static int server_loop(struct server *s, struct error *err)
{
	while (!s->is_stopped && !(s->is_over && s->calls.len == 0)) {
		struct pollfd fds[] = {
			{ .fd = s->run.pid ? s->run.out : -1, .events = POLLIN },
			{ .fd = s->run.pid ? s->run.err : -1, .events = POLLIN },
			{ .fd = s->is_over ? -1 : s->options->from, .events = POLLIN },
			{ .fd = s->signals, .events = POLLIN },
		};

		if (poll(fds, ARRAY_LEN(fds), s->run.pid ? SERVER_TICK_MS : -1) < 0 &&
		    errno != EINTR)
			return fail(err, ERR_IO, "cannot wait for messages: %s", strerror(errno));
		s->is_stopped = fds[3].revents != 0;
		server_watch(s, fds);
		if (fds[2].revents)
			server_read(s);
		if (out_finish(&s->out, err) < 0)
			return ERR_IO;
	}
	return OK;
}

int mcp_server_run(const struct mcp_server_options *options, struct error *err)
{
	struct server s = { .options = options, .run = { .out = -1, .err = -1 } };
	sigset_t ends;
	int e;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigaddset(&ends, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &ends, NULL);
	s.signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	out_init_fd(&s.out, options->to);
	out_init(&s.line);
	e = server_loop(&s, err);
	mcp_run_fini(&s.run);
	while (s.calls.len)
		server_drop(&s, 0);
	VEC_FREE(&s.calls);
	out_fini(&s.out);
	out_fini(&s.line);
	if (s.signals >= 0)
		(void)close(s.signals);
	return e;
}
