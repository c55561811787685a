/* SPDX-License-Identifier: MIT */
/*
 * Messages that are well known: of the kernel about a device, a server, a full table or a clock,
 * and of services about connections, locks, checkpoints and workers. known-message.names lists
 * them.
 *
 * No threshold: the program itself reports the problem. Most messages of services are only a note
 * if they occur once. Some rows require several messages: for example, a single stop on request is
 * normal.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/known_message.h"
#include "explain/known_message_names.h"
#include "explain/rule.h"

DECLARE_RULE(known_message);

#define MESSAGE_SURE       90u
#define MESSAGE_SURE_LOOSE 60u /* certainty for a line without time, level and process */
/* maximum number of places (devices, servers) to count for each message */
#define MESSAGE_PLACES 16u
#define MESSAGE_NAME   64u /* maximum length of a place's name; a longer text is no name */
/* maximum number of records that a finding about several sections of one log cites */
#define MESSAGE_CITED 4u

/* Families of message_rows. All rows of one family report the same problem. */
enum message_family { KNOWN_MESSAGE_ROWS_FAMILY, MESSAGE_FAMILIES };

struct message_row {
	/*
	 * Patterns for log_match_any(). The last %s matches the name of the place (device, server).
	 */
	const char *match;
	/*
	 * The claim, with {} for the place. NULL: the row only finds the name of the place, for
	 * other rows of its family.
	 */
	const char *says;
	const char *cause;
	const char *next;
	const char *except; /* places whose messages are ignored; NULL: no place is ignored */
	/*
	 * Pattern of a message with two durations, the first of which is a part of the second:
	 * "spent [%s] collecting in the last [%s]". NULL: none.
	 */
	const char *part;
	enum message_family family;
	enum finding_severity severity;
	enum finding_severity alone; /* severity if the message comes only once */
	/* minimum number of messages for a finding; 0: one is enough */
	unsigned int least;
};

static const struct message_row message_rows[] = { KNOWN_MESSAGE_ROWS };

struct message_place {
	struct str name;
	uint64_t n;
};

/* The messages that match one row. */
struct message_seen {
	struct message_place places[MESSAGE_PLACES];
	size_t n_places;
	uint64_t n;
	uint64_t n_bad;       /* number of these messages whose level is a warning or worse */
	uint32_t first, last; /* first and last record with a message of this row */
	/*
	 * Sums of the durations in the messages that match `part`: part_ns of the first durations,
	 * whole_ns of the second ones.
	 */
	uint64_t part_ns, whole_ns;
	double most_pct; /* largest ratio of the first to the second duration, percent */
};

/*
 * The name of the place (device, server) in the match @m: the last word, without punctuation at its
 * end. Empty: none.
 */
static struct str message_name(const struct log_match *m)
{
	struct str name = m->n_words ? m->s[m->n_words - 1] : STR_NONE;

	while (name.len && memchr(".,:;)", name.p[name.len - 1], 5))
		name.len--;
	return name.len <= MESSAGE_NAME ? name : STR_NONE;
}

/*
 * The name of the place in @text. If the pattern of @row does not find it, rows of the same family
 * that only find names (says is NULL) are tried. Empty: none.
 */
static struct str message_name_in(struct str text, const struct message_row *row)
{
	struct log_match m;
	struct str name = log_match_any(text, row->match, false, &m) ? message_name(&m) : STR_NONE;

	for (size_t i = 0; i < ARRAY_LEN(message_rows) && !name.len; i++) {
		if (message_rows[i].family == row->family && !message_rows[i].says &&
		    log_match_any(text, message_rows[i].match, false, &m))
			name = message_name(&m);
	}
	return name;
}

static void message_count(struct message_seen *seen, uint32_t record, struct str name)
{
	size_t i = 0;

	if (!seen->n++)
		seen->first = record;
	seen->last = record;
	while (i < seen->n_places && !str_eq(seen->places[i].name, name))
		i++;
	if (!name.len || i == MESSAGE_PLACES)
		return;
	if (i == seen->n_places)
		seen->places[seen->n_places++] = (struct message_place){ name, 0 };
	seen->places[i].n++;
}

/* Parse a time: "268ms", "1s", "1.2m". Returns nanoseconds; 0: @s is no time. */
static double message_ns(struct str s)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 } };
	uint64_t n;
	unsigned int decimals;

	if (!str_fixed(&s, 9, &n, &decimals))
		return 0;
	s = str_trim(s);
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_eq(s, str_of(units[i].name)))
			return (double)n / 1e9 * units[i].ns;
	}
	return 0;
}

/* If @text has the two durations of the pattern row->part, add them to the sums in @seen. */
static void message_part(struct str text, const struct message_row *row, struct message_seen *seen)
{
	struct log_match m;
	double part, whole;

	if (!row->part || !log_match_in(text, row->part, &m) || m.n_words != 2)
		return;
	part = message_ns(m.s[0]);
	whole = message_ns(m.s[1]);
	if (part <= 0 || whole <= 0 || part > 2 * whole)
		return;
	seen->part_ns += (uint64_t)part;
	seen->whole_ns += (uint64_t)whole;
	if (part / whole * 100 > seen->most_pct)
		seen->most_pct = part / whole * 100;
}

/* The place with the most messages; empty: none. */
static struct str message_place(const struct message_seen *seen)
{
	const struct message_place *best = NULL;

	for (size_t i = 0; i < seen->n_places; i++) {
		if (!best || seen->places[i].n > best->n)
			best = &seen->places[i];
	}
	return best ? best->name : STR_NONE;
}

/*
 * Count the messages of each row. Records of one template differ only in numbers and names, so only
 * the first record of each template is tested. Cost: O(bytes of the templates * rows + bytes of the
 * matches).
 */
static void message_search(const struct rule_input *in, struct message_seen *seen)
{
	const struct log_summary *s = in->log;
	/* row_of[template]: 1 + index of the row that the template matches; 0: none */
	VEC(uint8_t) row_of = { 0 };

	VEC_FOREACH (t, &s->templates) {
		struct str text = log_words_record(in, t->first_record)->text;
		struct log_match m;
		size_t k = 0;

		while (k < ARRAY_LEN(message_rows) &&
		       !log_match_any(text, message_rows[k].match, false, &m))
			k++;
		while (row_of.len <= t->number)
			*VEC_PUSH(&row_of) = 0;
		if (k < ARRAY_LEN(message_rows))
			row_of.data[t->number] = (uint8_t)(k + 1);
	}
	for (uint32_t i = 0; i < s->template_of.len; i++) {
		uint32_t number = s->template_of.data[i];
		unsigned int k = number < row_of.len ? row_of.data[number] : 0;
		const struct message_row *row = k ? &message_rows[k - 1] : NULL;
		struct str name =
			row ? message_name_in(log_words_record(in, i)->text, row) : STR_NONE;

		if (row && !(row->except && str_glob(str_of(row->except), name)))
			message_count(&seen[k - 1], i, name);
		if (row)
			message_part(log_words_record(in, i)->text, row, &seen[k - 1]);
		if (row && log_words_record(in, i)->level >= LEVEL_WARN)
			seen[k - 1].n_bad++;
	}
	VEC_FREE(&row_of);
}

/*
 * The claim: the sentence of @row, in which @place replaces {}. If there is no {}, the place is
 * appended.
 */
static const char *message_claim(struct findings *out, const struct message_row *row,
				 struct str place)
{
	struct str says = str_of(row->says);
	size_t at = str_find(says, STR("{}"));

	if (at < says.len)
		return finding_name(out, STR_FMT STR_FMT STR_FMT, STR_ARG(str_sub(says, 0, at)),
				    STR_ARG(place), STR_ARG(str_skip(says, at + 2)));
	if (place.len)
		return finding_name(out, STR_FMT "; the log names '" STR_FMT "'", STR_ARG(says),
				    STR_ARG(place));
	return row->says;
}

/*
 * Whether only its text suggests that the record is from a log: it has no time, no level and no
 * process.
 */
static bool message_is_loose(const struct rule_input *in, uint32_t record)
{
	const struct log_record *rec = log_words_record(in, record);

	return !rec->has_time && rec->level == LEVEL_NONE &&
	       !log_words_stream(in, record)->process.v;
}

/* Set the claim: @says, with the number of messages. */
static void message_say(struct findings *out, struct finding *f, const char *says, uint64_t n)
{
	if (n > 1)
		finding_claim(out, f, "%s (%llu messages)", says, (unsigned long long)n);
	else
		finding_claim(out, f, "%s", says);
}

/*
 * Merge the messages @seen into a finding about an earlier section of the same log. (Other lines
 * can divide a log into sections, and each section is a capture.) False: no earlier section has a
 * finding with the same claim.
 */
static bool message_join(const struct rule_input *in, struct findings *out,
			 const struct message_seen *seen, const struct message_row *row,
			 const char *says)
{
	VEC_FOREACH (f, &out->rows) {
		const struct capture *other =
			f->capture == INDEX_NONE || f->capture >= in->number
				? NULL
				: in->facts->dossier->captures.data[f->capture];
		struct str rest = f->claim;
		uint64_t n;

		if (f->rule != &rule_known_message || !other ||
		    other->path.v != in->capture->path.v || !str_take(&rest, str_of(says)) ||
		    !(rest.len == 0 || str_starts(rest, STR(" ("))) || f->figures.len == 0)
			continue;
		n = (uint64_t)f->figures.data[0].value + seen->n;
		f->figures.data[0].value = (double)n;
		/*
		 * keep only the number of messages: the other figures describe only the earlier
		 * section
		 */
		f->figures.len = 1;
		f->severity = row->severity > f->severity ? row->severity : f->severity;
		if (f->evidence.len < MESSAGE_CITED)
			log_words_cite(out, f, in, seen->first);
		message_say(out, f, says, n);
		return true;
	}
	return false;
}

static void message_span(struct findings *out, struct finding *f, double seconds)
{
	finding_figure(f, "from the first to the last", seconds, 0, "s");
	if (seconds > 0)
		finding_figure_text(f, finding_duration(out, (uint64_t)(seconds * 1e9)));
}

/* Report the messages of one family. @k: the first row of the family that has messages. */
static void message_finding(const struct rule_input *in, struct findings *out,
			    const struct message_seen *seen, size_t k)
{
	const struct message_row *row = &message_rows[k];
	struct str place = message_place(&seen[k]);
	struct finding *f;
	const char *claim;
	double seconds;
	bool is_loose;

	for (size_t i = 0; i < ARRAY_LEN(message_rows); i++) {
		if (i == k || !seen[i].n || message_rows[i].family != row->family)
			continue;
		place = place.len ? place : message_place(&seen[i]);
	}
	claim = message_claim(out, row, place);
	if (message_join(in, out, &seen[k], row, claim))
		return;
	is_loose = message_is_loose(in, seen[k].first);
	f = finding_add(out, in, &rule_known_message, seen[k].n > 1 ? row->severity : row->alone,
			is_loose ? MESSAGE_SURE_LOOSE : MESSAGE_SURE);
	log_words_cite(out, f, in, seen[k].first);
	if (seen[k].last != seen[k].first)
		log_words_cite(out, f, in, seen[k].last);
	for (size_t i = 0; i < ARRAY_LEN(message_rows); i++) {
		if (i != k && seen[i].n && message_rows[i].family == row->family)
			log_words_cite(out, f, in, seen[i].first);
	}
	message_say(out, f, claim, seen[k].n);
	finding_figure(f, "messages", (double)seen[k].n, 0, "");
	if (seen[k].whole_ns) {
		finding_claim(
			out, f,
			STR_FMT ": %.1f %% of the intervals that they report, at most %.1f %%",
			STR_ARG(f->claim), (double)seen[k].part_ns / (double)seen[k].whole_ns * 100,
			seen[k].most_pct);
		finding_figure(f, "part of the reported intervals",
			       (double)seen[k].part_ns / (double)seen[k].whole_ns * 100, 0, "%");
	}
	if (seen[k].n_places > 1)
		finding_figure(f, "different names in them", (double)seen[k].n_places, 0, "");
	if (seen[k].n > 1 && log_words_seconds(in, seen[k].first, seen[k].last, &seconds))
		message_span(out, f, seconds);
	finding_usual_cause(out, f, "%s", row->cause);
	finding_because(out, f, "%s",
			is_loose ? "this is the text of that message, in a line without time or "
				   "level; a sentence may also quote it"
				 : "this is the text of that message; a log may also quote it");
	finding_next(out, f, "%s", row->next);
	/* a place that begins with a digit is a port, and not a disk or another device */
	if (place.len && char_is_lower(place.p[0])) {
		finding_value(out, f, "DISK", place);
		finding_value(out, f, "DEVICE", place);
		if (row->family == MESSAGE_DISK)
			finding_about(out, f, /* is_part= */ false, "fault " STR_FMT,
				      STR_ARG(place));
	}
}

bool known_message_is(struct str text, bool is_log)
{
	struct log_match m;

	for (size_t k = 0; k < ARRAY_LEN(message_rows); k++) {
		if (message_rows[k].says && log_match_any(text, message_rows[k].match, !is_log, &m))
			return true;
	}
	return false;
}

/* Number of patterns that the rule looks for. */
static size_t message_texts(void)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(message_rows); i++) {
		for (const char *p = message_rows[i].says ? message_rows[i].match : NULL; p;
		     p = strchr(p + 1, '|'))
			n++;
	}
	return n;
}

/* Number of records whose level is a warning or worse. */
static uint64_t message_bad(const struct rule_input *in)
{
	uint64_t n = 0;

	for (size_t i = LEVEL_WARN; i < ARRAY_LEN(in->log->by_level); i++)
		n += in->log->by_level[i];
	return n;
}

static void message_check(const struct rule_input *in, struct findings *out)
{
	struct message_seen seen[ARRAY_LEN(message_rows)] = { { .n = 0 } };
	bool is_reported[MESSAGE_FAMILIES] = { false };
	bool is_found = false;
	uint64_t bad, few = 0, n_reports = 0;

	message_search(in, seen);
	for (size_t k = 0; k < ARRAY_LEN(message_rows); k++) {
		const struct message_row *row = &message_rows[k];

		if (!seen[k].n || seen[k].n < row->least || !row->says || is_reported[row->family])
			continue;
		is_reported[row->family] = true;
		is_found = true;
		message_finding(in, out, seen, k);
	}
	if (is_found)
		return;
	for (size_t k = 0; k < ARRAY_LEN(message_rows); k++)
		few += seen[k].n < message_rows[k].least ? seen[k].n_bad : 0;
	VEC_FOREACH (e, &in->log->kernel_events)
		n_reports += log_words_record(in, e->record)->level >= LEVEL_WARN;
	bad = message_bad(in);
	bad -= bad < few + n_reports ? bad : few + n_reports;
	if (bad)
		finding_not_assessed(out, in, &rule_known_message,
				     "read them: what they say, and when they begin",
				     "no known message is among the warnings and errors (%llu)",
				     (unsigned long long)bad);
	else if (n_reports)
		finding_clean(out, in, &rule_known_message,
			      "all warnings are reports of the kernel about itself, which have a "
			      "check of their own");
	else if (few)
		finding_clean(out, in, &rule_known_message,
			      "the only warning is a stop on request (SIGTERM), as is normal");
	else
		finding_clean(out, in, &rule_known_message,
			      "none of %zu searched texts, and no record is a warning or error",
			      message_texts());
}

/*
 * tasks hang if a device or server does not answer, so the rules for hung tasks report consequences
 * of the message
 */
static const char *const message_explains[] = { "kernel-trouble", "thread-waits", NULL };

const struct rule rule_known_message = {
	.id = "known-message",
	.title = "A well-known message of the kernel or a service",
	.needs = RULE_LOG,
	.explains = message_explains,
	.check = message_check,
	.is_measured = true,
};
