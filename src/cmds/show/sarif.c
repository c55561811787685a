/* SPDX-License-Identifier: MIT */
#include "cmds/show/sarif.h"

#include "base/out.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "config.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/findings.h"
#include "explain/rule.h"

static void sarif_text(struct json *j, const char *key, struct str text)
{
	json_key(j, key);
	json_object(j);
	json_key(j, "text");
	json_str(j, text);
	json_object_end(j);
}

static bool sarif_has_finding(const struct findings *f, const struct rule *rule)
{
	VEC_FOREACH (row, &f->rows) {
		if (row->rule == rule)
			return true;
	}
	return false;
}

static void sarif_driver(struct json *j)
{
	json_key(j, "tool");
	json_object(j);
	json_key(j, "driver");
	json_object(j);
	json_key(j, "name");
	json_z(j, "assay");
	json_key(j, "version");
	json_z(j, ASSAY_VERSION);
	json_key(j, "rules");
	json_array(j);
}

static void sarif_driver_end(struct json *j)
{
	json_array_end(j);
	json_object_end(j);
	json_object_end(j);
}

static void sarif_tool(const struct findings *f, struct json *j)
{
	sarif_driver(j);
	for (const struct rule *const *r = rules; *r; r++) {
		if (!sarif_has_finding(f, *r))
			continue;
		json_object(j);
		json_key(j, "id");
		json_z(j, (*r)->id);
		sarif_text(j, "shortDescription", str_of((*r)->title));
		json_object_end(j);
	}
	sarif_driver_end(j);
}

/* Write a path as a URI reference. Bytes that RFC 3986 does not allow in a path are escaped. */
static void sarif_uri(struct json *j, struct str path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._~/!$&'()*+,;=@";
	struct out uri = { .fd = -1 };

	for (size_t i = 0; i < path.len; i++) {
		if (path.p[i] && strchr(plain, path.p[i]))
			out_char(&uri, path.p[i]);
		else
			out_printf(&uri, "%%%02X", (unsigned int)(unsigned char)path.p[i]);
	}
	json_str(j, out_view(&uri));
	out_fini(&uri);
}

/* Write a location. If @line is 0 (unknown), write line 1, because viewers need a line. */
static void sarif_location(struct str path, uint32_t line, struct str snippet, struct json *j)
{
	json_object(j);
	json_key(j, "physicalLocation");
	json_object(j);
	json_key(j, "artifactLocation");
	json_object(j);
	json_key(j, "uri");
	sarif_uri(j, path);
	json_object_end(j);
	json_key(j, "region");
	json_object(j);
	json_key(j, "startLine");
	json_u64(j, line ? line : 1);
	if (line && snippet.len)
		sarif_text(j, "snippet", snippet);
	json_object_end(j);
	json_object_end(j);
	json_object_end(j);
}

/* Append the message for a finding: claim, cause and next steps, as sentences. */
static struct str sarif_message(const struct finding *f, struct out *out)
{
	out_printf(out, STR_FMT ".", STR_ARG(f->claim));
	if (f->cause.len)
		out_printf(out, " %s: " STR_FMT ".", finding_cause_label(f), STR_ARG(f->cause));
	if (f->unknown.len)
		out_printf(out, " Not known: " STR_FMT ".", STR_ARG(f->unknown));
	VEC_FOREACH (n, &f->next)
		out_printf(out, " Next: " STR_FMT ".", STR_ARG(*n));
	return out_view(out);
}

static void sarif_result(const struct dossier *d, const struct finding *f, struct json *j)
{
	struct out message = { .fd = -1 };

	json_object(j);
	json_key(j, "ruleId");
	json_z(j, f->rule->id);
	json_key(j, "level");
	json_z(j, finding_severity_name(f->severity));
	sarif_text(j, "message", sarif_message(f, &message));
	json_key(j, "rank");
	json_u64(j, f->sure);
	json_key(j, "locations");
	json_array(j);
	VEC_FOREACH (e, &f->evidence) {
		if (e->path.v)
			sarif_location(strings_get(&d->strings, e->path), e->line, e->text, j);
	}
	VEC_FOREACH (a, &f->also) {
		if (a->place.path.v)
			sarif_location(strings_get(&d->strings, a->place.path), a->place.line,
				       a->place.text, j);
	}
	json_array_end(j);
	if (f->overruled_by != INDEX_NONE) {
		json_key(j, "suppressions");
		json_array(j);
		json_object(j);
		json_key(j, "kind");
		json_z(j, "external");
		json_key(j, "justification");
		json_z(j, "another finding explains it");
		json_object_end(j);
		json_array_end(j);
	}
	json_object_end(j);
	out_fini(&message);
}

static void sarif_begin(struct json *j, struct out *out)
{
	json_init(j, out, true);
	json_object(j);
	json_key(j, "$schema");
	json_z(j, "https://json.schemastore.org/sarif-2.1.0.json");
	json_key(j, "version");
	json_z(j, "2.1.0");
	json_key(j, "runs");
	json_array(j);
	json_object(j);
}

static void sarif_end(struct json *j, struct out *out)
{
	json_array_end(j);
	json_object_end(j);
	json_array_end(j);
	json_object_end(j);
	out_char(out, '\n');
}

void sarif_write(const struct dossier *d, const struct findings *f, struct out *out)
{
	struct json j;

	sarif_begin(&j, out);
	sarif_tool(f, &j);
	json_key(&j, "results");
	json_array(&j);
	VEC_FOREACH (row, &f->rows)
		sarif_result(d, row, &j);
	sarif_end(&j, out);
}

static void sarif_place(const struct sarif_place *p, struct json *j)
{
	json_object(j);
	json_key(j, "ruleId");
	json_z(j, p->rule);
	json_key(j, "level");
	json_z(j, "warning");
	sarif_text(j, "message", p->message);
	json_key(j, "locations");
	json_array(j);
	sarif_location(p->path, p->line, STR_NONE, j);
	json_array_end(j);
	json_object_end(j);
}

void sarif_write_places(const struct sarif_rule *reported, size_t n_rules,
			const struct sarif_place *places, size_t n_places, struct out *out)
{
	struct json j;

	sarif_begin(&j, out);
	sarif_driver(&j);
	for (size_t i = 0; i < n_rules; i++) {
		json_object(&j);
		json_key(&j, "id");
		json_z(&j, reported[i].id);
		sarif_text(&j, "shortDescription", str_of(reported[i].title));
		json_object_end(&j);
	}
	sarif_driver_end(&j);
	json_key(&j, "results");
	json_array(&j);
	for (size_t i = 0; i < n_places; i++)
		sarif_place(&places[i], &j);
	sarif_end(&j, out);
}
