/* SPDX-License-Identifier: MIT */
/*
 * Generate records about the kernel, its modules, and processes that already run. These records
 * have the time 0, so that they precede all records of the kernel.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "record/perf/record.h"
#include "symbols/elf_symbols.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#define SYNTH_MAX_NAME 4096u

struct synth_map {
	uint32_t pid, tid;
	uint64_t start, len, offset;
	uint32_t major, minor;
	uint64_t inode;
	struct build_id id;
	uint32_t protection, flags;
	struct str name;
	uint16_t mode;
};

/* Append an empty record header. Returns its offset; synth_end() fills in the header later. */
static size_t synth_begin(struct out *o)
{
	struct perf_event_header h = { 0 };
	size_t at = o->len;

	out_bytes(o, &h, sizeof(h));
	return at;
}

static void synth_u32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof(v));
}

static void synth_u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof(v));
}

/* Append @s with a NUL, and pad it with NUL to a multiple of 8 bytes. */
static void synth_text(struct out *o, struct str s)
{
	out_str(o, s);
	out_repeat(o, '\0', 8 - s.len % 8);
}

static void synth_end(struct rec *r, size_t at, uint32_t type, uint16_t misc)
{
	struct out *o = &r->synth;
	struct perf_event_header h = { .type = type, .misc = misc };

	out_repeat(o, '\0', r->layout.id_bytes);
	h.size = (uint16_t)(o->len - at);
	memcpy(o->data + at, &h, sizeof(h));
}

static void synth_map(struct rec *r, const struct synth_map *m)
{
	struct out *o = &r->synth;
	size_t at = synth_begin(o);
	bool has_id = m->id.len != 0 && r->has_map_ids;

	synth_u32(o, m->pid);
	synth_u32(o, m->tid);
	synth_u64(o, m->start);
	synth_u64(o, m->len);
	synth_u64(o, m->offset);
	if (has_id) {
		/* fields of the build id: u8 size; u8 reserved; u16 reserved; u8 id[20] */
		out_char(o, (char)m->id.len);
		out_repeat(o, '\0', 3);
		out_bytes(o, m->id.bytes, m->id.len);
		out_repeat(o, '\0', 20u - m->id.len);
	} else {
		synth_u32(o, m->major);
		synth_u32(o, m->minor);
		synth_u64(o, m->inode);
		synth_u64(o, 0); /* generation number of the inode: unknown */
	}
	synth_u32(o, m->protection);
	synth_u32(o, m->flags);
	synth_text(o, str_sub(m->name, 0, SYNTH_MAX_NAME));
	synth_end(r, at, PERF_RECORD_MMAP2,
		  m->mode | (has_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
}

/* Read the build id from @path, a file of ELF notes in /sys. */
static void synth_notes(const char *path, struct build_id *ret)
{
	size_t len = 0;
	CLEANUP(freep) char *notes = rec_slurp(path, &len);

	build_id_of_notes(notes, len, ret);
}

/*
 * Find the start and end of the kernel's text segment. Returns false if the kernel hides its
 * addresses from this user.
 */
static bool synth_kernel_text(uint64_t *start, uint64_t *end)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[256];
	uint64_t last = 0;

	*start = *end = 0;
	while (f && fgets(line, sizeof(line), f)) {
		struct str s = str_of(line);
		uint64_t at;
		struct str type;
		struct str name;

		if (!str_hex64(&s, &at) || !str_word(&s, &type) || !str_word(&s, &name))
			continue;
		if (at == 0 && *start == 0 && last++ > 1000)
			/* all addresses so far are 0: the kernel hides them from this user */
			break;
		if (str_eq(name, STR("_text")) || (str_eq(name, STR("_stext")) && !*start))
			*start = at;
		if (str_eq(name, STR("_etext")))
			*end = at;
		if (*start && *end)
			break;
	}
	if (f)
		(void)fclose(f);
	return *start && *end > *start;
}

/* Find the path of @module in @dep, the text of modules.dep. Empty: not found. */
static struct str synth_module_path(struct str dep, struct str module)
{
	struct str line;

	while (str_line(&dep, &line)) {
		struct str path = str_sub(line, 0, str_find_char(line, ':'));
		struct str base = str_skip(path, str_rfind_char(path, '/') < path.len
							 ? str_rfind_char(path, '/') + 1
							 : 0);

		base = str_sub(base, 0, str_find(base, STR(".ko")));
		if (base.len != module.len)
			continue;
		for (size_t i = 0; i <= base.len; i++) {
			if (i == base.len)
				return path;
			if ((base.p[i] == '-' ? '_' : base.p[i]) != module.p[i])
				break;
		}
	}
	return STR_NONE;
}

/*
 * Append a map record for a kernel module. @line: the module's line in /proc/modules, "name size
 * uses by state address".
 */
static void synth_module(struct rec *r, struct str line, struct str dep, const char *release)
{
	struct synth_map m = { .pid = UINT32_MAX,
			       .mode = PERF_RECORD_MISC_KERNEL,
			       .protection = PROT_EXEC };
	struct str name;
	struct str word;
	struct str file;
	char path[SYNTH_MAX_NAME];

	if (!str_word(&line, &name) || !str_word(&line, &word) || !str_u64(&word, &m.len))
		return;
	for (int i = 0; i < 4; i++) {
		if (!str_word(&line, &word))
			return;
	}
	if (!str_hex64(&word, &m.start) || m.start == 0)
		return;
	(void)snprintf(path, sizeof(path), "/sys/module/" STR_FMT "/notes/.note.gnu.build-id",
		       STR_ARG(name));
	synth_notes(path, &m.id);
	file = synth_module_path(dep, name);
	if (file.len)
		(void)snprintf(path, sizeof(path), "/lib/modules/%s/" STR_FMT, release,
			       STR_ARG(file));
	else
		(void)snprintf(path, sizeof(path), "[" STR_FMT "]", STR_ARG(name));
	m.name = str_of(path);
	rec_build_ids_known(r, m.name, &m.id);
	synth_map(r, &m);
}

void rec_synth_kernel(struct rec *r)
{
	struct synth_map m = { .pid = UINT32_MAX,
			       .mode = PERF_RECORD_MISC_KERNEL,
			       .protection = PROT_EXEC };
	CLEANUP(freep) char *modules = NULL;
	CLEANUP(freep) char *dep = NULL;
	struct utsname u;
	char path[SYNTH_MAX_NAME];
	struct str rest;
	struct str line;
	uint64_t end;

	if (!synth_kernel_text(&m.start, &end)) {
		if (r->has_kernel)
			rec_note(r, "addresses of the kernel are hidden from this user "
				    "(kernel.kptr_restrict): its functions will have no names");
		return;
	}
	m.len = end - m.start;
	m.offset = m.start;
	m.name = STR("[kernel.kallsyms]_text");
	synth_notes("/sys/kernel/notes", &m.id);
	rec_build_ids_known(r, STR("[kernel.kallsyms]"), &m.id);
	synth_map(r, &m);
	modules = rec_slurp("/proc/modules", NULL);
	if (!modules || uname(&u) < 0)
		return;
	(void)snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u.release);
	dep = rec_slurp(path, NULL);
	rest = str_of(modules);
	while (str_line(&rest, &line))
		synth_module(r, line, str_of(dep), u.release);
}

static void synth_comm(struct rec *r, uint32_t pid, uint32_t tid, struct str comm)
{
	size_t at = synth_begin(&r->synth);

	synth_u32(&r->synth, pid);
	synth_u32(&r->synth, tid);
	synth_text(&r->synth, str_sub(comm, 0, 15));
	synth_end(r, at, PERF_RECORD_COMM, 0);
}

/*
 * Append a FORK record. It shows readers that the thread @tid shares the maps of the process @pid.
 */
static void synth_fork(struct rec *r, uint32_t pid, uint32_t tid)
{
	size_t at = synth_begin(&r->synth);

	synth_u32(&r->synth, pid);
	synth_u32(&r->synth, pid);
	synth_u32(&r->synth, tid);
	synth_u32(&r->synth, pid);
	synth_u64(&r->synth, 0);
	synth_end(r, at, PERF_RECORD_FORK, 0);
}

/* Encode a device number like the kernel in its records: new_encode_dev() of linux/kdev_t.h. */
static uint64_t synth_device(dev_t device)
{
	uint64_t minor = minor(device);

	return (minor & 0xff) | (uint64_t)major(device) << 8 | (minor & ~UINT64_C(0xff)) << 12;
}

/*
 * Append a NAMESPACES record: u32 pid, tid; u64 nr; { u64 device, inode }[nr]. linux/perf_event.h
 * defines the order of the namespaces.
 */
static void synth_namespaces(struct rec *r, uint32_t pid, uint32_t tid)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct stat st[ARRAY_LEN(names)];
	size_t at;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char path[96];

		(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/ns/%s", pid,
			       tid, names[i]);
		if (stat(path, &st[i]) < 0)
			return; /* the thread has ended, or belongs to another user */
	}
	at = synth_begin(&r->synth);
	synth_u32(&r->synth, pid);
	synth_u32(&r->synth, tid);
	synth_u64(&r->synth, ARRAY_LEN(names));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		synth_u64(&r->synth, synth_device(st[i].st_dev));
		synth_u64(&r->synth, st[i].st_ino);
	}
	synth_end(r, at, PERF_RECORD_NAMESPACES, 0);
}

/* fields of a CGROUP record: u64 id; char path[] */
void rec_synth_group(void *arg, const char *path, struct str name)
{
	struct rec *r = arg;
	struct {
		struct file_handle head;
		uint64_t id;
	} handle = { .head.handle_bytes = sizeof(handle.id) };
	int mount;
	size_t at;

	if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) < 0)
		return;
	at = synth_begin(&r->synth);
	synth_u64(&r->synth, handle.id);
	synth_text(&r->synth, str_sub(name, 0, SYNTH_MAX_NAME));
	synth_end(r, at, PERF_RECORD_CGROUP, 0);
}

void rec_synth_child(struct rec *r)
{
	if (r->child && r->spec->has_namespaces)
		synth_namespaces(r, (uint32_t)r->child, (uint32_t)r->child);
}

/* Parse a line of /proc/PID/maps: "start-end rwxp offset major:minor inode   path". */
static bool synth_parse_map(struct str line, struct synth_map *m)
{
	uint64_t end;
	uint64_t major;
	uint64_t minor;

	if (!str_hex64(&line, &m->start) || !str_take(&line, STR("-")) || !str_hex64(&line, &end) ||
	    !str_take(&line, STR(" ")) || line.len < 5 || line.p[2] != 'x' || end <= m->start)
		return false;
	m->len = end - m->start;
	m->protection = PROT_EXEC | (line.p[0] == 'r' ? PROT_READ : 0u) |
			(line.p[1] == 'w' ? PROT_WRITE : 0u);
	m->flags = line.p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	line = str_skip(line, 5);
	if (!str_hex64(&line, &m->offset) || !str_take(&line, STR(" ")) ||
	    !str_hex64(&line, &major) || !str_take(&line, STR(":")) || !str_hex64(&line, &minor) ||
	    !str_take(&line, STR(" ")) || !str_u64(&line, &m->inode))
		return false;
	m->major = (uint32_t)major;
	m->minor = (uint32_t)minor;
	m->name = str_trim(line);
	return true;
}

/*
 * Append a map record for each executable map of the process. Names are the same as in the kernel's
 * PERF_RECORD_MMAP2.
 */
static void synth_maps(struct rec *r, uint32_t pid)
{
	char path[64];
	CLEANUP(freep) char *text = NULL;
	struct str rest;
	struct str line;

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	text = rec_slurp(path, NULL);
	rest = str_of(text);
	while (str_line(&rest, &line)) {
		struct rec_binary like;
		struct synth_map m = { .pid = pid, .tid = pid, .mode = PERF_RECORD_MISC_USER };

		if (!synth_parse_map(line, &m) || str_eq(m.name, STR("[vsyscall]")))
			continue;
		if (m.name.len == 0)
			m.name = STR("//anon");
		like = (struct rec_binary){ .major = m.major, .minor = m.minor, .inode = m.inode };
		rec_build_ids_mapped(r, pid, &like, m.name, &m.id);
		synth_map(r, &m);
	}
}

struct synth_process {
	struct rec *r;
	uint32_t pid;
};

static void synth_thread(void *arg, uint32_t tid)
{
	const struct synth_process *p = arg;
	CLEANUP(freep) char *comm = NULL;
	char path[96];

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", p->pid, tid);
	comm = rec_slurp(path, NULL);
	if (!comm)
		return; /* the thread has ended */
	if (tid != p->pid)
		synth_fork(p->r, p->pid, tid);
	synth_comm(p->r, p->pid, tid, str_trim(str_of(comm)));
	if (p->r->spec->has_namespaces)
		synth_namespaces(p->r, p->pid, tid);
}

void rec_synth_process(struct rec *r, uint32_t pid)
{
	struct synth_process p = { r, pid };

	if (rec_threads("/proc", pid, synth_thread, &p))
		synth_maps(r, pid);
}

void rec_synth_all(struct rec *r)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct str digits = str_of(entry->d_name);
		uint64_t pid;

		if (str_u64(&digits, &pid) && digits.len == 0)
			rec_synth_process(r, (uint32_t)pid);
	}
	if (dir)
		(void)closedir(dir);
}
