/* SPDX-License-Identifier: MIT */
#include "symbols/origin.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/str.h"
#include "symbols/module_files.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define ORIGIN_S UINT64_C(1000000000)
/*
 * tolerance for comparisons of times. Two clocks cannot be read at the same instant, and a user or
 * NTP may have set the time of day since
 */
#define ORIGIN_SLACK_NS (10 * ORIGIN_S)
/* assumed maximum drift of the scheduler's clock: 1/1000 */
#define ORIGIN_DRIFT 1000u
/*
 * maximum size in bytes of a kernel image. Old versions of perf record store a map of the kernel
 * that ends after the kernel modules, and is longer than this: the end of such a map is ignored
 */
#define ORIGIN_IMAGE_MAX  (UINT64_C(1) << 28)
#define ORIGIN_READ_BYTES 65536u

/* The host name of @f; empty if many machines have this name, such as "localhost". */
static struct str origin_host(const struct origin_facts *f)
{
	return str_glob(STR("localhost|localhost.localdomain|(none)"), f->host) ? STR_NONE
										: f->host;
}

/*
 * Whether KASLR has moved the kernel to the address @text, so that this address identifies the
 * boot. Without KASLR, the kernel is at its link address. The table below has the link addresses of
 * x86-64, and of arm64 since Linux 4.6.
 */
static bool origin_is_placed(uint64_t text)
{
	static const uint64_t fixed[] = {
		0xffffffff81000000, 0xffff000008080000, 0xffff000008000000, 0xffff000010080000,
		0xffff800010080000, 0xffff800010000000, 0xffff800008000000, 0xffff800080000000,
	};

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		if (text == fixed[i])
			return false;
	}
	return text >> 48 == 0xffff;
}

static bool origin_has_end(const struct origin_facts *recorded, const struct origin_facts *here)
{
	for (size_t i = 0; i < ORIGIN_ENDS; i++) {
		if (recorded->text_ends[0] && recorded->text_ends[0] == here->text_ends[i])
			return true;
	}
	return false;
}

/* Whether the host name, the kernel release or the architecture differ. */
static bool origin_differs_by_name(const struct origin_facts *recorded,
				   const struct origin_facts *here, struct error *err)
{
	const struct {
		const char *what;
		struct str there, here;
	} names[] = {
		{ "kernel", recorded->release, here->release },
		{ "host", recorded->host, here->host },
		{ "architecture", recorded->arch, here->arch },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!names[i].there.len || str_eq(names[i].there, names[i].here))
			continue;
		(void)fail(err, ERR_NOTFOUND,
			   "the recorded %s is " STR_FMT ", this machine's is " STR_FMT,
			   names[i].what, STR_ARG(str_sub(names[i].there, 0, 64)),
			   STR_ARG(str_sub(names[i].here, 0, 64)));
		return true;
	}
	return false;
}

/* Whether the clocks show that the recording is from an earlier boot or from another machine. */
static bool origin_differs_by_time(const struct origin_facts *recorded,
				   const struct origin_facts *here)
{
	uint64_t slack = ORIGIN_SLACK_NS + here->uptime_ns / ORIGIN_DRIFT;
	uint64_t start = here->wall_ns - here->uptime_ns;
	/* maximum time since boot that the recording's end can have, if it is from this boot */
	uint64_t upto = here->uptime_ns;

	if (!here->uptime_ns)
		return false;
	if (recorded->wall_ns && recorded->wall_ns < here->wall_ns) {
		if (recorded->wall_ns + slack < start)
			return true;
		upto = recorded->wall_ns > start ? recorded->wall_ns - start : 0;
	}
	return recorded->uptime_ns > upto + slack;
}

/*
 * Whether a fact shows that the recording is not from this boot of this machine. Build ids are
 * compared elsewhere.
 */
static bool origin_differs(const struct origin_facts *recorded, const struct origin_facts *here,
			   struct error *err)
{
	uint64_t end = recorded->text_ends[0];

	if (origin_differs_by_name(recorded, here, err))
		return true;
	if (recorded->text && here->text && recorded->text != here->text) {
		(void)fail(err, ERR_NOTFOUND,
			   "the recorded kernel was loaded at another address than this one");
		return true;
	}
	if (end > recorded->text && end - recorded->text < ORIGIN_IMAGE_MAX && here->text_ends[0] &&
	    !origin_has_end(recorded, here)) {
		(void)fail(err, ERR_NOTFOUND,
			   "the recorded kernel is of another size than this one");
		return true;
	}
	if (origin_differs_by_time(recorded, here)) {
		(void)fail(err, ERR_NOTFOUND,
			   "this machine was started after the recording, or was not recorded");
		return true;
	}
	return false;
}

/*
 * Whether the recording has a host name and a release. origin_differs() must have found that they
 * equal those of this machine.
 */
static bool origin_is_named(const struct origin_facts *recorded)
{
	return recorded->release.len && origin_host(recorded).len;
}

static bool origin_is_at_random_place(const struct origin_facts *recorded,
				      const struct origin_facts *here)
{
	return recorded->text && recorded->text == here->text && origin_is_placed(recorded->text);
}

static enum origin origin_open(struct error *err)
{
	(void)fail(err, ERR_NOTFOUND, "nothing in the recording proves that it is of this machine");
	return ORIGIN_OPEN;
}

enum origin origin_kernel(const struct origin_facts *recorded, const struct origin_facts *here,
			  struct error *err)
{
	if (recorded->kernel.len && here->kernel.len) {
		if (build_id_eq(&recorded->kernel, &here->kernel))
			return ORIGIN_SAME;
		if (!origin_differs_by_name(recorded, here, err))
			(void)fail(err, ERR_NOTFOUND,
				   "the recording is of another kernel than the running one");
		return ORIGIN_OTHER;
	}
	if (origin_differs(recorded, here, err))
		return ORIGIN_OTHER;
	if (recorded->kernel.len) {
		(void)fail(err, ERR_NOTFOUND, "the running kernel does not say its build id");
		return ORIGIN_OPEN;
	}
	if (origin_is_named(recorded) || origin_is_at_random_place(recorded, here) ||
	    (recorded->text && recorded->text == here->text && origin_has_end(recorded, here)))
		return ORIGIN_SAME;
	return origin_open(err);
}

enum origin origin_machine(const struct origin_facts *recorded, const struct origin_facts *here,
			   struct error *err)
{
	if (build_id_differ(&recorded->kernel, &here->kernel)) {
		if (!origin_differs_by_name(recorded, here, err))
			(void)fail(err, ERR_NOTFOUND,
				   "the recording is of another kernel than the running one");
		return ORIGIN_OTHER;
	}
	if (origin_differs(recorded, here, err))
		return ORIGIN_OTHER;
	if (origin_is_named(recorded) || origin_is_at_random_place(recorded, here))
		return ORIGIN_SAME;
	return origin_open(err);
}

static uint64_t origin_clock(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) == 0 ? (uint64_t)t.tv_sec * ORIGIN_S + (uint64_t)t.tv_nsec
					     : 0;
}

void origin_read_here(struct origin_texts *texts, struct origin_facts *ret)
{
	CLEANUP(freep) char *notes = NULL;
	struct utsname u;
	size_t len = 0;

	memset(ret, 0, sizeof(*ret));
	memset(texts, 0, sizeof(*texts));
	if (uname(&u) == 0) {
		(void)snprintf(texts->release, sizeof(texts->release), "%s", u.release);
		(void)snprintf(texts->host, sizeof(texts->host), "%s", u.nodename);
		(void)snprintf(texts->arch, sizeof(texts->arch), "%s", u.machine);
	}
	ret->release = str_of(texts->release);
	ret->host = str_of(texts->host);
	ret->arch = str_of(texts->arch);
	if (module_files_slurp("/sys/kernel/notes", FILES_KERNEL_NOTES, &notes, &len, NULL) == OK)
		build_id_of_notes(notes, len, &ret->kernel);
	ret->wall_ns = origin_clock(CLOCK_REALTIME);
	ret->uptime_ns = origin_clock(CLOCK_BOOTTIME);
}

/*
 * If @line of kallsyms, such as "ffffffff81000000 T _text", has the symbol _text or one of the
 * ORIGIN_ENDS symbols, store its address.
 */
static void origin_take_line(struct origin_facts *here, struct str line)
{
	static const struct str ends[ORIGIN_ENDS] = { STR("_etext"), STR("_edata"), STR("_end") };
	uint64_t address;

	if (!str_hex64(&line, &address) || line.len < 4)
		return;
	line = str_skip(line, 3);
	if (str_eq(line, STR("_text")))
		here->text = address;
	for (size_t i = 0; i < ORIGIN_ENDS; i++) {
		if (str_eq(line, ends[i]))
			here->text_ends[i] = address;
	}
}

void origin_read_place(struct origin_facts *here, bool has_ends)
{
	int fd = module_files_are_read() ? files_open("/proc/kallsyms", FILES_KALLSYMS) : -1;
	CLEANUP(freep) char *text = fd < 0 ? NULL : xmalloc(ORIGIN_READ_BYTES);
	size_t left = 0;
	ssize_t n;

	if (fd < 0)
		return;
	while ((n = files_read(fd, text + left, ORIGIN_READ_BYTES - left)) > 0) {
		struct str rest = { text, left + (size_t)n };
		struct str line;

		left = rest.len;
		while (str_find_char(rest, '\n') < rest.len && str_line(&rest, &line))
			origin_take_line(here, line);
		left = rest.len < ORIGIN_READ_BYTES ? rest.len : 0;
		memmove(text, rest.p, left);
		if (here->text && (!has_ends || here->text_ends[ORIGIN_ENDS - 1]))
			break;
	}
	(void)close(fd);
}
