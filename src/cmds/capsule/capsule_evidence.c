/* SPDX-License-Identifier: MIT */
#include "cmds/capsule/capsule_evidence.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/capsule/capsule_box.h"
#include "cmds/capsule/capsule_cut.h"
#include "cmds/run/session.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "document/capsule.h"
#include "document/document.h"
#include "explain/redact/redact_text.h"
#include "formats/format.h"
#include "formats/load.h"
#include "formats/registry.h"

/*
 * Open the document of the input @in. The box owns the document. NULL: the input cannot be opened;
 * a message was printed.
 */
static struct document *evidence_open(const struct session *s, const struct dossier_input *in,
				      bool is_raw, struct capsule_box *box)
{
	const struct document_options options = { .is_raw = is_raw };
	struct str path = strings_get(&s->dossier->strings, in->path);
	struct document *doc = NULL;
	struct error err = { "" };

	if (document_open(path.p, &options, &doc, &err) < 0) {
		complain(path.p, "%s", err.msg);
		return NULL;
	}
	*VEC_PUSH(&box->documents) = doc;
	return doc;
}

static const struct capture *evidence_first(const struct session *s, const struct dossier_input *in)
{
	VEC_FOREACH (r, &in->regions) {
		if (r->capture != INDEX_NONE)
			return s->dossier->captures.data[r->capture];
	}
	return NULL;
}

static bool evidence_is_recording(const struct session *s, const struct dossier_input *in)
{
	const struct capture *c = evidence_first(s, in);

	return c && strcmp(c->format, "perf-data") == 0;
}

/* Read the recording @doc again. Append a copy of the recording, with its symbol names, to @ret. */
static int evidence_name(const struct session *s, const struct document *doc, struct out *ret,
			 struct error *err)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();

	d->wanted = s->in.wanted;
	d->wanted.named = ret;
	return load_document(d, doc, "-", NULL, err);
}

/*
 * The text of @doc, the document of the input @in. The captures that the plan @cut leaves out are
 * missing in this text. @cut is NULL: return the whole text.
 */
static struct str evidence_lines(const struct capsule_plan *cut, const struct dossier_input *in,
				 const struct document *doc, struct capsule_box *box)
{
	struct str lines =
		cut && !doc->is_binary ? capsule_cut(cut, in, doc, &box->arena) : STR_NONE;

	return lines.len ? lines : doc->text;
}

bool capsule_evidence_take(const struct session *s, const struct capsule_plan *cut,
			   struct capsule_box *box)
{
	VEC_FOREACH (in, &s->dossier->inputs) {
		struct str path = strings_get(&s->dossier->strings, in->path);
		/*
		 * With @cut, use the decoded text of the document: single lines cannot be cut out
		 * of an encoded text, such as a mail in base64. Without @cut, use the bytes of the
		 * document as they are, only decompressed.
		 */
		struct document *doc;
		struct str bytes;
		struct error err = { "" };
		struct out copy;

		if (cut && capsule_plan_drops(cut, in))
			continue;
		doc = evidence_open(s, in, !cut || s->in.is_raw, box);
		if (!doc)
			return false;
		bytes = evidence_lines(cut, in, doc, box);
		out_init(&copy);
		if (evidence_is_recording(s, in) && evidence_name(s, doc, &copy, &err) == OK &&
		    copy.len)
			bytes = arena_str(&box->arena, out_view(&copy));
		(void)capsule_box_file(box, STR(CAPSULE_EVIDENCE), path, bytes);
		out_fini(&copy);
	}
	return true;
}

/*
 * Read the binary input @doc again, and append its captures to @ret as text, in the format of perf
 * script. This time, read inlined functions and all data of the samples. The first reading has
 * omitted some data of the samples (capsule_reading_options()).
 */
static int evidence_script(const struct session *s, const struct document *doc, struct out *ret,
			   struct error *err)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct format *format = format_find(STR("perf-script"));
	VEC(const struct capture *) good = VEC_INIT;
	int r;

	d->wanted = s->in.wanted;
	r = load_document(d, doc, "-", NULL, err);
	VEC_FOREACH (c, &d->captures) {
		if (r == OK && format->check(*c, err) == OK)
			*VEC_PUSH(&good) = *c;
	}
	if (good.len)
		r = format->write_all(good.data, good.len, ret, err);
	VEC_FREE(&good);
	return r;
}

/*
 * The text of an input with its symbol names, for redaction. A binary input is converted to text.
 * Empty: the input cannot be converted.
 */
static struct str evidence_text(const struct session *s, const struct capsule_plan *cut,
				const struct dossier_input *in, struct capsule_box *box,
				struct error *err)
{
	struct document *doc = evidence_open(s, in, s->in.is_raw, box);
	struct str text = STR_NONE;
	struct out script;
	int r;

	if (!doc || !doc->is_binary)
		return doc ? evidence_lines(cut, in, doc, box) : STR_NONE;
	out_init(&script);
	r = evidence_script(s, doc, &script, err);
	if (r == OK)
		text = arena_str(&box->arena, out_view(&script));
	out_fini(&script);
	return text;
}

static void evidence_write(struct redact_text *r, struct str path, struct str text,
			   struct capsule_box *box)
{
	size_t slash = str_rfind_char(path, '/');
	struct out name;
	struct out out;

	out_init(&name);
	out_init(&out);
	redact_text_write(r, slash < path.len ? str_skip(path, slash + 1) : path, &name);
	redact_text_write(r, text, &out);
	(void)capsule_box_file(box, STR(CAPSULE_EVIDENCE), out_view(&name),
			       arena_str(&box->arena, out_view(&out)));
	out_fini(&name);
	out_fini(&out);
}

bool capsule_evidence_redact(const struct session *s, const struct capsule_plan *cut,
			     const struct redact_key *key, struct capsule_box *box,
			     unsigned int *ret_left_out)
{
	VEC(struct str) texts = VEC_INIT;
	struct redact_text r;
	size_t i = 0;

	redact_text_init(&r, key);
	VEC_FOREACH (in, &s->dossier->inputs) {
		struct str path = strings_get(&s->dossier->strings, in->path);
		struct error err = { "it has no text" };
		struct str text = STR_NONE;

		if (cut && capsule_plan_drops(cut, in)) {
			*VEC_PUSH(&texts) = text;
			continue;
		}
		text = evidence_text(s, cut, in, box, &err);
		*VEC_PUSH(&texts) = text;
		redact_text_learn(&r, path);
		redact_text_learn(&r, text);
		*ret_left_out += text.len == 0;
		if (!text.len)
			complain(path.p, "left out, as it cannot be redacted: %s", err.msg);
	}
	VEC_FOREACH (in, &s->dossier->inputs) {
		struct str text = texts.data[i++];

		if (text.len)
			evidence_write(&r, strings_get(&s->dossier->strings, in->path), text, box);
	}
	VEC_FREE(&texts);
	redact_text_fini(&r);
	return box->members.len > 0;
}
