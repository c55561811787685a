/* SPDX-License-Identifier: MIT */
/*
 * dhat.c - heap profiles of valgrind's DHAT
 *
 * A file is one JSON document with a list "pps" of program points (places that allocate memory).
 * Each point has a stack "fs", innermost frame first, and several totals. Elements of "fs" are
 * indexes in the frame table "ftbl". Each of three totals becomes a profile with these stacks: all
 * allocated bytes, all allocated blocks, and the bytes in use when the heap was largest. DHAT's
 * modes ad-hoc and copy lack the third total. Frames of valgrind's own malloc() are left out.
 * Definition: dhat/dh_main.c of valgrind, "File format". Valgrind 3.17 and later writes version 2.
 */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/exchange/json_doc.h"
#include "formats/format.h"

DECLARE_FORMAT(dhat);

static const struct diag_kind dhat_frames = { "dhat-frames", DIAG_DATALOSS,
					      "frames that the table of frames lacks" };
static const struct diag_kind dhat_nameless = { "dhat-nameless", DIAG_INFO,
						"frames without a function name" };
static const struct diag_kind dhat_past = { "dhat-past-limit", DIAG_DATALOSS,
					    "program points past the limit" };
static const struct diag_kind dhat_cut = { "json-cut", DIAG_DATALOSS,
					   "documents that end too early" };

/*
 * A key of program points whose value is a total, such as "tb" (bytes). The totals of all points
 * become a profile with the event `event`.
 */
struct dhat_total {
	const char *key;
	const char *event;
	enum weight_unit unit;
};

static const struct dhat_total dhat_heap[] = {
	{ "tb", "alloc_space", WEIGHT_BYTES },
	{ "tbk", "alloc_objects", WEIGHT_EVENTS },
	{ "gb", "inuse_space", WEIGHT_BYTES },
};
static const struct dhat_total dhat_copy[] = { { "tb", "copied_bytes", WEIGHT_BYTES },
					       { "tbk", "copies", WEIGHT_EVENTS } };
static const struct dhat_total dhat_ad_hoc[] = { { "tb", "units", WEIGHT_EVENTS },
						 { "tbk", "events", WEIGHT_EVENTS } };

struct dhat_reader {
	struct dossier *d;
	VEC(sym_id) frames; /* symbols of the frame table "ftbl"; id 0: the frame is omitted */
	uint64_t n_nameless;
};

/*
 * The symbol of a frame such as "0x109170: grow (h.c:4)". Id 0: the frame is omitted, because it is
 * "[root]" or valgrind's own malloc().
 */
static sym_id dhat_frame(struct dhat_reader *r, struct str text)
{
	size_t colon = str_find(text, STR(": "));
	struct str name = str_skip(text, colon + 2);
	size_t open = str_find(name, STR(" (in "));
	struct str module = str_skip(name, open + 5);
	size_t slash;

	if (colon == text.len)
		return (sym_id){ 0 };
	if (str_ends(module, STR(")")))
		module.len--;
	slash = str_rfind_char(module, '/');
	if (str_starts(slash < module.len ? str_skip(module, slash + 1) : module,
		       STR("vgpreload_")))
		return (sym_id){ 0 };
	/*
	 * if " (in OBJECT)" is missing, the text may end with a place in the source: "grow (h.c:4)"
	 */
	if (open == name.len)
		open = str_ends(name, STR(")")) ? str_rfind_char(name, '(') : name.len;
	name = str_rtrim(str_sub(name, 0, open));
	if (name.len == 0 || str_eq(name, STR("???"))) {
		r->n_nameless++;
		name = str_sub(text, 0, colon);
	}
	return symbols_add_text(&r->d->symbols, name, module, SPACE_USER, 0);
}

/* Add the stack @fs of a program point. Its last element is the outermost frame. */
static stack_id dhat_stack(struct dhat_reader *r, struct capture *c, struct json_object *fs)
{
	struct stacks *s = &c->profile->stacks;
	size_t n = json_doc_len(fs);
	stack_id at = STACK_ROOT;

	n = n < LIMIT_STACK_DEPTH ? n : LIMIT_STACK_DEPTH;
	for (size_t i = n; i-- > 0;) {
		uint32_t frame = json_doc_index(json_doc_at(fs, i), r->frames.len);

		if (frame == UINT32_MAX)
			diag_count(&c->diag, &dhat_frames, 0);
		else if (r->frames.data[frame].v)
			at = stacks_push(s, at, r->frames.data[frame]);
	}
	return at;
}

static bool dhat_profile(struct dhat_reader *r, const struct region *in, struct json_object *root,
			 const struct dhat_total *total)
{
	struct json_object *points = json_doc_get(root, "pps");
	struct str command = json_doc_text(json_doc_get(root, "cmd"));
	struct capture *c = format_add_capture(&format_dhat, in, r->d);
	struct profile *p = capture_profile(c);

	p->unit = total->unit;
	p->event = strings_add(&r->d->strings, str_of(total->event));
	if (command.len)
		c->command = strings_add(&r->d->strings, command);
	if (r->n_nameless)
		diag_add(&c->diag, &dhat_nameless, r->n_nameless, 0);
	for (size_t i = 0; i < json_doc_len(points); i++) {
		struct json_object *point = json_doc_at(points, i);
		int64_t weight = json_doc_integer(json_doc_get(point, total->key));

		if (weight > 0 && profile_add_sample(p, dhat_stack(r, c, json_doc_get(point, "fs")),
						     (uint64_t)weight) < 0) {
			diag_count(&c->diag, &dhat_past, 0);
			break;
		}
	}
	return p->samples.n > 0;
}

static int dhat_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(json_doc_freep) struct json_object *root = NULL;
	struct dhat_reader r = { .d = d };
	const struct dhat_total *totals = dhat_heap;
	size_t n = ARRAY_LEN(dhat_heap);
	struct json_object *names;
	struct str mode;
	bool is_cut = false;
	bool any = false;
	int status = json_doc_open(in->text, &root, &is_cut, err);

	if (status < 0)
		return status;
	mode = json_doc_text(json_doc_get(root, "mode"));
	if (str_eq(mode, STR("copy"))) {
		totals = dhat_copy;
		n = ARRAY_LEN(dhat_copy);
	} else if (str_eq(mode, STR("ad-hoc"))) {
		totals = dhat_ad_hoc;
		n = ARRAY_LEN(dhat_ad_hoc);
	}
	names = json_doc_get(root, "ftbl");
	for (size_t i = 0; i < json_doc_len(names); i++)
		*VEC_PUSH(&r.frames) = dhat_frame(&r, json_doc_text(json_doc_at(names, i)));
	for (size_t i = 0; i < n; i++)
		any |= dhat_profile(&r, in, root, &totals[i]);
	if (is_cut)
		diag_count(&d->captures.data[d->captures.len - 1]->diag, &dhat_cut, 0);
	VEC_FREE(&r.frames);
	return any ? OK : fail(err, ERR_FORMAT, "a profile of DHAT without an allocation");
}

static bool dhat_is(struct str text)
{
	return json_doc_has(text, STR("\"dhatFileVersion\""));
}

static bool dhat_find(struct str text, size_t from, struct extent *ret)
{
	return json_doc_find(text, from, from == 0 && dhat_is(text), ret);
}

static unsigned int dhat_probe(struct str head)
{
	return dhat_is(head) ? 98 : 0;
}

const struct format format_dhat = {
	.name = "dhat",
	.title = "DHAT",
	.summary = "heap profiles of valgrind --tool=dhat",
	.kinds = KIND_PROFILE,
	.probe = dhat_probe,
	.find = dhat_find,
	.read = dhat_read,
};
