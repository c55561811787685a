/* SPDX-License-Identifier: MIT */
/*
 * folded.c - folded stacks: lines of `outermost;...;innermost count`
 *
 * Definition: FlameGraph's stackcollapse-*.pl and flamegraph.pl; async-profiler, py-spy and austin
 * write it too. Frames may contain blanks; the count follows the last blank. See
 * docs/formats/folded.md.
 *
 * Lines are usually sorted, so each line starts like the previous one. The reader keeps the stack
 * nodes of the previous line. It parses only the frames after the common start.
 */
#include "formats/exchange/folded.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/exchange/export.h"

DECLARE_FORMAT(folded);

#define FOLDED_RELEASE_BYTES (UINT32_C(4) << 20)
#define FOLDED_NOTES         256u
#define FOLDED_SLOTS         (UINT32_C(1) << 15)
#define FOLDED_COMM_BYTES    15u /* maximum length of a Linux command name */

static const struct diag_kind folded_no_count = { "folded-no-count", DIAG_DATALOSS,
						  "lines without a count after the stack" };
static const struct diag_kind folded_deep = { "folded-deep-frames", DIAG_DATALOSS,
					      "inner frames of stacks deeper than 4096" };
static const struct diag_kind folded_huge = { "folded-huge-counts", DIAG_DATALOSS,
					      "lines with a count too large to keep" };
static const struct diag_kind folded_long = { "folded-long-lines", DIAG_DATALOSS,
					      "lines longer than 1 MiB" };
static const struct diag_kind folded_cut = { "folded-cut-counts", DIAG_INFO,
					     "counts with more than 9 decimals, cut there" };
static const struct diag_kind folded_empty_frame = { "folded-empty-frames", DIAG_INFO,
						     "frames without a name, left out" };

/*
 * Entry of the cache that maps the text of a frame to its symbol. A suffix such as "_[k]" is an
 * annotation.
 */
struct folded_slot {
	/* name without the annotation; points into the string table; NULL: the slot is empty */
	const char *name;
	sym_id sym;
	uint16_t name_len;
	uint16_t len;    /* length of the frame with its annotation */
	char annotation; /* letter of the annotation, 'k' in "_[k]"; 0: none */
	/*
	 * place of the frame in its stack, because the same text can mean different symbols. 1: the
	 * outermost frame, which may be a command; 2: a callee of a kernel function; 0: any other
	 * place
	 */
	uint8_t where;
};

/* what the outermost frames of the stacks are */
enum folded_root {
	ROOT_FRAME,
	ROOT_COMM,     /* a command, as stackcollapse-perf.pl writes it */
	ROOT_COMM_PID, /* a command and its pid: "comm-pid" */
	ROOT_PROCESS,  /* a process; its callee is a thread. austin writes "P12;T34" */
};

/* A frame of the previous line: offset of its end in the line, and its stack node. */
struct folded_mark {
	uint32_t end;
	stack_id node;
};

struct folded_reader {
	const struct region *in;
	struct dossier *dossier;
	struct capture *capture;
	struct profile *profile;
	unsigned int n_counts;
	unsigned int which; /* index of the count to read from each line: 0 or 1 */
	enum folded_root root;
	uint32_t line; /* current line in the text `in`, from 0 */
	/*
	 * a frame had an annotation "_[k]", so frames without an annotation are not in the kernel
	 */
	bool has_annotations;
	bool has_entries; /* a kernel entry function occurred, and its frame had no annotation */

	struct folded_slot *slots;
	size_t slots_mask;

	struct str before; /* text of the frames of the previous line */
	/* the frames of the previous line, with space for LIMIT_STACK_DEPTH frames */
	struct folded_mark *marks;
	size_t n_marks;
};

static void folded_diag(struct folded_reader *r, const struct diag_kind *kind)
{
	diag_count(&r->capture->diag, kind, region_line(r->in, r->line));
}

static bool folded_all_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!char_is_digit(s.p[i]))
			return false;
	}
	return s.len > 0;
}

/* The letter of a frame's annotation ("_[k]", "_[j]", "_[i]" or "_[g]"), such as 'k'; 0: none. */
static char folded_annotation(struct str frame)
{
	const char *p = frame.p + frame.len;
	char c;

	if (frame.len < 5 || p[-1] != ']' || p[-3] != '[' || p[-4] != '_')
		return 0;
	c = p[-2];
	return c == 'k' || c == 'j' || c == 'i' || c == 'g' ? c : 0;
}

/*
 * Whether the frame names a thread or process. py-spy and async-profiler print such a frame as the
 * outermost frame.
 */
static bool folded_is_thread(struct str frame)
{
	if (str_starts(frame, STR("process ")) || str_starts(frame, STR("thread (")))
		return true;
	return frame.len > 6 && frame.p[0] == '[' && frame.p[frame.len - 1] == ']' &&
	       str_contains(frame, STR(" tid="));
}

static bool folded_is_comm(const struct folded_reader *r, struct str frame, uint32_t parent)
{
	if (r->root == ROOT_PROCESS && frame.len > 1) {
		char c = parent == 0 ? 'P' : 'T';

		return frame.p[0] == c && char_is_digit(frame.p[1]) &&
		       (parent == 0 ||
			stacks_parent(&r->profile->stacks, (stack_id){ parent }).v == 0);
	}
	if (folded_is_thread(frame))
		return parent == 0 ||
		       symbols_get(&r->dossier->symbols,
				   stacks_sym(&r->profile->stacks, (stack_id){ parent }))
				       ->space == SPACE_COMM;
	return parent == 0 && r->root != ROOT_FRAME;
}

static bool folded_is_kernel(const struct folded_reader *r, stack_id node)
{
	return node.v &&
	       symbols_get(&r->dossier->symbols, stacks_sym(&r->profile->stacks, node))->space ==
		       SPACE_KERNEL;
}

static sym_id folded_symbol(struct folded_reader *r, struct str frame, bool is_below)
{
	enum symbol_space space = is_below ? SPACE_KERNEL : SPACE_UNKNOWN;
	unsigned int flags = 0;

	switch (folded_annotation(frame)) {
	case 'k':
		space = SPACE_KERNEL;
		r->has_annotations = true;
		break;
	case 'j':
		space = SPACE_JIT;
		break;
	case 'g':
		space = SPACE_GUEST_KERNEL;
		break;
	case 'i':
		flags = SYMBOL_INLINED;
		break;
	default:
		if (!r->has_annotations && !is_below && start_names_enter_kernel(frame)) {
			r->has_entries = true;
			space = SPACE_KERNEL;
		}
		return symbols_add_text(&r->dossier->symbols, frame, STR_NONE, space, 0);
	}
	frame.len -= 4;
	return symbols_add_text(&r->dossier->symbols, frame, STR_NONE, space, flags);
}

/*
 * Whether the frame may name a thread although it is not outermost. The answer depends on the
 * parent, so the symbol of such a frame must not be cached.
 */
static bool folded_is_special(const struct folded_reader *r, stack_id parent, struct str frame)
{
	if (parent.v == 0)
		return false;
	if (UNLIKELY(r->root == ROOT_PROCESS && frame.p[0] == 'T'))
		return true;
	return UNLIKELY((frame.p[0] == '[' || frame.p[0] == 't' || frame.p[0] == 'p') &&
			folded_is_thread(frame));
}

static bool folded_is(const struct folded_slot *slot, struct str frame, uint8_t where)
{
	return slot->name && slot->len == frame.len && slot->where == where &&
	       memcmp(slot->name, frame.p, slot->name_len) == 0 &&
	       (slot->len == slot->name_len || folded_annotation(frame) == slot->annotation);
}

/* The node for @frame with the parent node @parent. The node is made on first use. */
static stack_id folded_push(struct folded_reader *r, stack_id parent, struct str frame)
{
	bool is_first = parent.v == 0;
	bool is_below = UNLIKELY(r->has_entries) && !r->has_annotations &&
			!str_eq(frame, STR("--")) && !str_eq(frame, STR("-")) &&
			folded_is_kernel(r, parent);
	uint8_t where = is_first ? 1 : is_below ? 2 : 0;
	size_t at = (hash_str(frame) + where) & r->slots_mask;
	struct folded_slot *slot = &r->slots[at];
	struct folded_slot *other = &r->slots[at ^ 1];
	bool is_special = folded_is_special(r, parent, frame);
	struct str name;
	sym_id sym;

	if (LIKELY(!is_special && folded_is(slot, frame, where)))
		return stacks_push(&r->profile->stacks, parent, slot->sym);
	if (!is_special && folded_is(other, frame, where))
		return stacks_push(&r->profile->stacks, parent, other->sym);
	if ((is_special || is_first) && folded_is_comm(r, frame, parent.v))
		sym = symbols_add_text(&r->dossier->symbols, frame, STR_NONE, SPACE_COMM, 0);
	else
		sym = folded_symbol(r, frame, is_below);
	name = symbols_name(&r->dossier->symbols, sym);
	if (!is_special && frame.len <= UINT16_MAX && name.len <= frame.len) {
		if (slot->name)
			*other = *slot;
		*slot = (struct folded_slot){
			.name = name.p,
			.sym = sym,
			.name_len = (uint16_t)name.len,
			.len = (uint16_t)frame.len,
			.annotation = name.len < frame.len ? folded_annotation(frame) : (char)0,
			.where = where,
		};
	}
	return stacks_push(&r->profile->stacks, parent, sym);
}

/* Number of bytes at the start that are equal in @a and @b. */
static size_t folded_shared(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		uint64_t x;
		uint64_t y;

		memcpy(&x, a.p + i, 8);
		memcpy(&y, b.p + i, 8);
		if (x != y)
			break;
	}
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

/* End offset of the frame that starts at offset @at. Fast path of folded_frame_end(). */
static inline size_t folded_end(struct str frames, size_t at)
{
	const char *start = frames.p + at;
	const char *semi = memchr(start, ';', frames.len - at);
	size_t end;

	if (!semi)
		return frames.len;
	end = (size_t)(semi - frames.p);
	if (UNLIKELY(
		    (*start == 'L' && end + 1 < frames.len && (semi[1] == ':' || semi[1] == '.')) ||
		    memchr(start, '(', (size_t)(semi - start))))
		return folded_frame_end(frames, at);
	return end;
}

static stack_id folded_stack(struct folded_reader *r, struct str frames)
{
	size_t shared = folded_shared(r->before, frames);
	size_t n = r->n_marks;
	size_t at = 0;
	stack_id node = STACK_ROOT;

	/*
	 * reuse a frame of the previous line only if the ';' and the next character are equal, too:
	 * the next character decides if ';' ends a frame. Java has names such as "LFoo;::bar"
	 */
	while (n && r->marks[n - 1].end + 2 > shared)
		n--;
	if (n) {
		node = r->marks[n - 1].node;
		at = r->marks[n - 1].end + 1;
	}
	while (at < frames.len) {
		size_t end = folded_end(frames, at);

		if (UNLIKELY(end == at)) {
			folded_diag(r, &folded_empty_frame);
		} else if (UNLIKELY(n >= LIMIT_STACK_DEPTH)) {
			folded_diag(r, &folded_deep);
		} else {
			node = folded_push(r, node, str_sub(frames, at, end));
			r->marks[n++] = (struct folded_mark){ (uint32_t)end, node };
		}
		at = end + 1;
	}
	r->n_marks = n;
	r->before = frames;
	return node;
}

/*
 * Convert a count to units of 10^-decimals of the profile. If the count has more decimals than the
 * profile, the profile gets them, too. False: the count is too large.
 */
static bool folded_weight(struct folded_reader *r, const struct folded_count *c, uint64_t *ret)
{
	struct profile *p = r->profile;
	uint64_t w = c->value;

	if (LIKELY(c->decimals == p->decimals)) {
		*ret = w;
		return true;
	}
	if (c->decimals > p->decimals && profile_set_decimals(p, c->decimals) < 0)
		return false;
	for (unsigned int i = c->decimals; i < p->decimals; i++) {
		if (__builtin_mul_overflow(w, 10, &w))
			return false;
	}
	*ret = w;
	return true;
}

static void folded_comment(struct folded_reader *r, struct str line)
{
	size_t colon;

	line = str_trim(line);
	if (line.len == 0 || line.p[0] != '#' || r->capture->notes.len >= FOLDED_NOTES)
		return;
	line = str_trim(str_skip(line, 1));
	colon = str_find_char(line, ':');
	if (colon > 0 && colon < line.len)
		capture_note(r->capture, str_trim(str_sub(line, 0, colon)),
			     str_trim(str_skip(line, colon + 1)), region_line(r->in, r->line));
}

/* Split `frames 12` if the count has only digits. False: folded_split() must split the line. */
static bool folded_split_fast(struct str line, struct folded_line *ret)
{
	const char *p = line.p + line.len;
	uint64_t value = 0;
	uint64_t unit = 1;
	size_t n = 0;

	while (n < line.len && n < 18 && char_is_digit(p[-1 - (ptrdiff_t)n])) {
		value += unit * (uint64_t)(p[-1 - (ptrdiff_t)n] - '0');
		unit *= 10;
		n++;
	}
	if (n == 0 || n + 2 > line.len || p[-1 - (ptrdiff_t)n] != ' ' ||
	    char_is_blank(p[-2 - (ptrdiff_t)n]))
		return false;
	ret->frames = (struct str){ line.p, line.len - n - 1 };
	ret->counts[0] = (struct folded_count){ .value = value };
	return true;
}

static int folded_read_line(struct folded_reader *r, struct str line)
{
	struct folded_line l = { .frames = STR_NONE };
	uint64_t weight;
	stack_id stack;

	if (UNLIKELY(line.len == 0 || line.p[0] == '#' || line.p[0] == '/' || line.p[0] == ' ') &&
	    folded_is_comment(line)) {
		folded_comment(r, line);
		return OK;
	}
	if (UNLIKELY(line.len > LIMIT_LINE_BYTES)) {
		folded_diag(r, &folded_long);
		return OK;
	}
	if (UNLIKELY(r->n_counts == 2 || !folded_split_fast(line, &l)) &&
	    !folded_split(line, r->n_counts, &l)) {
		folded_diag(r, &folded_no_count);
		return OK;
	}
	if (!folded_weight(r, &l.counts[r->which], &weight)) {
		folded_diag(r, &folded_huge);
		return OK;
	}
	if (l.counts[r->which].is_cut)
		folded_diag(r, &folded_cut);
	stack = folded_stack(r, l.frames);
	return profile_add_sample(r->profile, stack, weight);
}

static int folded_read_lines(struct folded_reader *r)
{
	struct str text = r->in->text;
	const char *released = text.p;
	struct str line;

	(void)str_take(&text, STR("\xef\xbb\xbf"));
	for (; str_line(&text, &line); r->line++) {
		int ret = folded_read_line(r, line);

		if (ret < 0)
			return ret;
		if (text.p - released >= (ptrdiff_t)FOLDED_RELEASE_BYTES) {
			/* keep the text of the last line, because r->before points to it */
			document_release(r->in->doc, r->before.p ? r->before.p : line.p);
			released = text.p;
		}
	}
	return OK;
}

bool folded_is_entry(struct str s)
{
	return start_names_have(s, START_BEFORE_MAIN | START_BIT(START_ROLE_LOADER) |
					   START_BIT(START_ROLE_MAIN) |
					   START_BIT(START_ROLE_KTHREAD)) ||
	       start_names_enter_kernel(s) || str_glob(STR("asm_*|all|[unknown]|[lib*|[ld-*"), s);
}

/*
 * Guess from the first lines which kind the outermost frames are: commands, commands with a pid,
 * processes, or functions.
 */
static enum folded_root folded_guess_root(struct str text)
{
	size_t n = 0;
	size_t n_comm = 0;
	size_t n_pid = 0;
	size_t n_entry = 0;
	size_t n_process = 0;
	struct str line;

	text = str_sub(text, 0, 65536);
	while (n < 512 && str_line(&text, &line)) {
		struct folded_line l;
		struct str root;
		struct str second;
		size_t dash;
		size_t end;

		if (folded_is_comment(line) || !folded_split(line, 1, &l))
			continue;
		end = folded_frame_end(l.frames, 0);
		root = str_sub(l.frames, 0, end);
		second = str_skip(l.frames, end + 1);
		second = str_sub(second, 0, second.len ? folded_frame_end(second, 0) : 0);
		dash = str_rfind_char(root, '-');
		n++;
		n_pid += dash > 0 && dash + 1 < root.len &&
			 (folded_all_digits(str_skip(root, dash + 1)) ||
			  str_glob(STR("?/[0-9]"), str_skip(root, dash + 1)) ||
			  str_find_char(str_skip(root, dash + 1), '/') < root.len - dash - 1);
		n_process += root.len > 1 && root.p[0] == 'P' &&
			     folded_all_digits(str_skip(root, 1)) && second.len > 1 &&
			     second.p[0] == 'T';
		if (folded_is_entry(root) || root.len > FOLDED_COMM_BYTES + 16 ||
		    str_contains(root, STR("::")) || str_find_char(root, '(') < root.len) {
			n_comm = 0;
			n_entry = 0;
			n = SIZE_MAX;
			break;
		}
		n_comm += root.len <= FOLDED_COMM_BYTES;
		n_entry += folded_is_entry(second);
	}
	if (n == 0 || n == SIZE_MAX)
		return ROOT_FRAME;
	if (n_process == n)
		return ROOT_PROCESS;
	if (n_pid == n)
		return ROOT_COMM_PID;
	return n_comm == n && n_entry * 10 >= n ? ROOT_COMM : ROOT_FRAME;
}

/*
 * @name is a frame that names a thread, process or command. @t has the pid, tid and command from
 * the frame's callers. Returns @t with the values from @name added.
 */
static struct profile_thread folded_thread(struct folded_reader *r, struct profile_thread t,
					   struct str name)
{
	struct strings *strings = &r->dossier->strings;
	struct str rest = name;
	uint64_t v;
	size_t dash = str_rfind_char(name, '-');
	size_t tid = str_find(name, STR(" tid="));

	if (r->root == ROOT_PROCESS) {
		size_t colon = str_rfind_char(name, ':');

		rest = str_skip(name, colon < name.len ? colon + 1 : 1);
		if (str_u64(&rest, &v) && v <= UINT32_MAX) {
			*(name.p[0] == 'P' ? &t.pid : &t.tid) = (uint32_t)v;
			*(name.p[0] == 'P' ? &t.has_pid : &t.has_tid) = true;
		}
		return t;
	}
	if (name.len && name.p[0] == '[' && tid < name.len) {
		t.comm = strings_add(strings, str_sub(name, 1, tid));
		rest = str_skip(name, tid + STR(" tid=").len);
		t.has_tid = str_u64(&rest, &v) && v <= UINT32_MAX;
		t.tid = t.has_tid ? (uint32_t)v : 0;
		return t;
	}
	if (str_take(&rest, STR("process ")) && str_u64(&rest, &v) && v <= UINT32_MAX) {
		t.pid = (uint32_t)v;
		t.has_pid = true;
		return t;
	}
	if (r->root != ROOT_COMM_PID || dash >= name.len) {
		if (r->root == ROOT_COMM || r->root == ROOT_COMM_PID)
			t.comm = strings_add(strings, name);
		return t;
	}
	t.comm = strings_add(strings, str_sub(name, 0, dash));
	rest = str_skip(name, dash + 1);
	(void)str_take(&rest, STR("?"));
	if (str_u64(&rest, &v) && v <= UINT32_MAX) {
		t.pid = (uint32_t)v;
		t.has_pid = true;
	}
	if (str_take(&rest, STR("/")) && str_u64(&rest, &v) && v <= UINT32_MAX) {
		t.tid = (uint32_t)v;
		t.has_tid = true;
	}
	return t;
}

/* If frames name threads, set the thread of each sample from the frames of its stack. */
static void folded_fill_threads(struct folded_reader *r)
{
	struct profile *p = r->profile;
	uint32_t n = stacks_count(&p->stacks);
	uint32_t *of;
	bool is_any = false;

	for (uint32_t i = 1; i < n && !is_any; i++)
		is_any = symbols_get(&r->dossier->symbols, stacks_sym(&p->stacks, (stack_id){ i }))
				 ->space == SPACE_COMM;
	if (!is_any)
		return;
	of = xmalloc(n * sizeof(*of));
	of[0] = profile_thread(p, (struct profile_thread){ .pid = 0 });
	for (uint32_t i = 1; i < n; i++) {
		const struct symbol *s =
			symbols_get(&r->dossier->symbols, stacks_sym(&p->stacks, (stack_id){ i }));
		uint32_t parent = of[stacks_parent(&p->stacks, (stack_id){ i }).v];

		of[i] = parent;
		if (s->space == SPACE_COMM)
			of[i] = profile_thread(
				p, folded_thread(r, p->threads.data[parent],
						 strings_get(&r->dossier->strings, s->name)));
	}
	for (size_t i = 0; i < p->samples.n; i++)
		*VEC_PUSH(&p->samples.thread) = of[p->samples.stack.data[i].v];
	free(of);
}

/*
 * Make a capture from one of the @n_counts counts of each line. @which: index of the count, 0 or 1.
 */
static int folded_read_counts(const struct region *in, struct dossier *d, unsigned int n_counts,
			      unsigned int which, struct error *err)
{
	struct folded_reader r = { .in = in,
				   .dossier = d,
				   .n_counts = n_counts,
				   .which = which,
				   .root = folded_guess_root(in->text) };
	size_t slots = 64;
	int ret;

	r.capture = dossier_add(d, "folded");
	r.capture->path = in->path;
	r.profile = capture_profile(r.capture);
	r.profile->unit = WEIGHT_UNKNOWN;
	if (n_counts == 2)
		capture_note(r.capture, STR("column"),
			     which ? STR("second of two") : STR("first of two"),
			     region_line(in, 0));
	while (slots < FOLDED_SLOTS && slots < in->text.len / 32)
		slots *= 2;
	r.slots_mask = slots - 1;
	r.slots = xcalloc(slots, sizeof(*r.slots));
	r.marks = xmalloc(LIMIT_STACK_DEPTH * sizeof(*r.marks));
	ret = folded_read_lines(&r);
	r.capture->first_line = region_line(in, 0);
	r.capture->last_line = region_line(in, r.line ? r.line - 1 : 0);
	folded_fill_threads(&r);
	if (r.has_entries && !r.has_annotations)
		capture_note(r.capture, STR("kernel frames"),
			     STR("those below an entry to the kernel; none is marked _[k]"), 0);
	free(r.slots);
	free(r.marks);
	if (ret < 0)
		return fail(err, ret, "line %u: too many stacks", region_line(in, r.line));
	return r.profile->samples.n ? OK : fail(err, ERR_FORMAT, "no folded stacks found");
}

static int folded_read(const struct region *in, struct dossier *d, struct error *err)
{
	unsigned int n_counts = folded_n_counts(in->text);
	int ret = folded_read_counts(in, d, n_counts, 0, err);

	if (ret == OK && n_counts == 2)
		ret = folded_read_counts(in, d, n_counts, 1, err);
	return ret;
}

static const char *const folded_extensions[] = { ".folded", ".collapsed", NULL };

const struct format format_folded = {
	.name = "folded",
	.summary = "folded stacks (a;b;c 12)",
	.kinds = KIND_PROFILE,
	.extensions = folded_extensions,
	.probe = folded_probe,
	.find = folded_find,
	.read = folded_read,
	.check = export_check_stacks,
	.write = folded_write,
};
