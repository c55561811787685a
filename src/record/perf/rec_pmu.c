/* SPDX-License-Identifier: MIT */
/*
 * Parse events of a PMU, such as "cpu/event=0x3c,umask=0x1/". In sysfs, the folder PMU/format has
 * the bit positions of each term, and PMU/events has the terms of common events. Source:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-*.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define PMU_PATH_BYTES 320u
#define PMU_MAX_TERMS  64u

/*
 * Read the file @name in the folder @folder of the PMU, without leading and trailing blanks. NULL:
 * no such file. Owner: caller, free().
 */
static char *pmu_file(const char *devices, struct str pmu, const char *folder, struct str name)
{
	char path[PMU_PATH_BYTES];
	struct str text;
	char *whole;
	char *copy;
	int n = snprintf(path, sizeof(path), "%s/" STR_FMT "/%s" STR_FMT, devices, STR_ARG(pmu),
			 folder, STR_ARG(name));

	if (n < 0 || (size_t)n >= sizeof(path) || str_find_char(pmu, '/') < pmu.len ||
	    str_find_char(name, '/') < name.len || str_starts(pmu, STR(".")))
		return NULL;
	whole = rec_slurp(path, NULL);
	if (!whole)
		return NULL;
	text = str_trim(str_of(whole));
	copy = xmemdupz(text.p, text.len);
	free(whole);
	return copy;
}

bool rec_pmu_is(const char *devices, struct str pmu)
{
	CLEANUP(freep) char *type = pmu_file(devices, pmu, "", STR("type"));

	return type != NULL;
}

bool rec_pmu_has_event(const char *devices, struct str pmu, struct str name)
{
	CLEANUP(freep) char *event = pmu_file(devices, pmu, "events/", name);

	return event != NULL;
}

/* Parse a number such as "0x3c" or "60". */
static bool pmu_number(struct str s, uint64_t *ret)
{
	bool is_hex = str_take(&s, STR("0x")) || str_take(&s, STR("0X"));

	return s.len && (is_hex ? str_hex64(&s, ret) : str_u64(&s, ret)) && s.len == 0;
}

/*
 * Store @v in the bits of @a that @format lists, such as "config1:0-7,21". The lowest bit of @v
 * comes first. Returns false if the format is invalid, or if @v has too many bits.
 */
static bool pmu_place(struct perf_event_attr *a, struct str format, uint64_t v)
{
	static const char *const words[] = { "config:", "config1:", "config2:" };
	uint64_t parts[ARRAY_LEN(words)] = { 0 };
	size_t word = 0;

	while (word < ARRAY_LEN(words) && !str_take(&format, str_of(words[word])))
		word++;
	if (word == ARRAY_LEN(words))
		return false;
	while (format.len) {
		uint64_t from;
		uint64_t to;

		if (!str_u64(&format, &from))
			return false;
		to = from;
		if (str_take(&format, STR("-")) && !str_u64(&format, &to))
			return false;
		if (from > to || to > 63 || (format.len && !str_take(&format, STR(","))))
			return false;
		for (uint64_t bit = from; bit <= to; bit++, v >>= 1)
			parts[word] |= (v & 1) << bit;
	}
	a->config |= parts[0];
	a->config1 |= parts[1];
	a->config2 |= parts[2];
	return v == 0;
}

/*
 * Set a term that every PMU has, such as "config" or "period". Returns false if @name is another
 * term.
 */
static bool pmu_common(struct str name, uint64_t v, struct perf_event_attr *a,
		       struct rec_terms *terms)
{
	if (str_eq(name, STR("config")))
		a->config |= v;
	else if (str_eq(name, STR("config1")))
		a->config1 |= v;
	else if (str_eq(name, STR("config2")))
		a->config2 |= v;
	else if (str_eq(name, STR("period")) && v)
		terms->period = v;
	else if (str_eq(name, STR("freq")) && v)
		terms->frequency = v;
	else
		return false;
	return true;
}

struct pmu_list {
	const char *devices;
	struct str pmu; /* name of the PMU; empty: the event has no PMU */
	struct str word;
	unsigned int depth;
};

static int pmu_terms(const struct pmu_list *l, struct str list, struct perf_event_attr *a,
		     struct rec_terms *terms, struct error *err);

/*
 * Parse a term without a value. It is the name of one of the PMU's events or, otherwise, the name
 * of a format, whose bits are then set to the value 1.
 */
static int pmu_bare(const struct pmu_list *l, struct str name, struct perf_event_attr *a,
		    struct rec_terms *terms, struct error *err)
{
	CLEANUP(freep) char *event = NULL;
	CLEANUP(freep) char *format = NULL;

	if (l->pmu.len && l->depth == 0)
		event = pmu_file(l->devices, l->pmu, "events/", name);
	if (event) {
		struct pmu_list inner = *l;

		inner.depth++;
		return pmu_terms(&inner, str_of(event), a, terms, err);
	}
	if (l->pmu.len)
		format = pmu_file(l->devices, l->pmu, "format/", name);
	if (format && pmu_place(a, str_of(format), 1))
		return OK;
	return fail(err, ERR_USAGE,
		    "event '" STR_FMT "': there is no event or bit '" STR_FMT "': %s/" STR_FMT
		    "/{events,format} have them",
		    STR_ARG(l->word), STR_ARG(name), l->devices, STR_ARG(l->pmu));
}

static int pmu_term(const struct pmu_list *l, struct str term, struct perf_event_attr *a,
		    struct rec_terms *terms, struct error *err)
{
	struct str name = str_sub(term, 0, str_find_char(term, '='));
	struct str value = str_skip(term, name.len + 1);
	CLEANUP(freep) char *format = NULL;
	uint64_t v;

	if (name.len == term.len)
		return pmu_bare(l, name, a, terms, err);
	if (str_eq(name, STR("name")) && value.len) {
		terms->name = l->depth ? terms->name : value;
		return OK;
	}
	if (str_eq(value, STR("?")))
		/*
		 * in the terms of a PMU's event, "core=?" means that the user must add a term such
		 * as "core=2": skip it
		 */
		return OK;
	if (!pmu_number(value, &v))
		return fail(err, ERR_USAGE,
			    "event '" STR_FMT "': '" STR_FMT "' is no number, as in 60 or 0x3c",
			    STR_ARG(l->word), STR_ARG(value));
	if (pmu_common(name, v, a, terms))
		return OK;
	if (l->pmu.len)
		format = pmu_file(l->devices, l->pmu, "format/", name);
	if (!format)
		return fail(err, ERR_USAGE,
			    "event '" STR_FMT "': '" STR_FMT
			    "' is not known of it: config, config1, config2, period, freq, name, "
			    "and what is in %s/" STR_FMT "/format",
			    STR_ARG(l->word), STR_ARG(name), l->devices, STR_ARG(l->pmu));
	if (!pmu_place(a, str_of(format), v))
		return fail(err, ERR_USAGE,
			    "event '" STR_FMT "': " STR_FMT " does not go into '%s'",
			    STR_ARG(l->word), STR_ARG(term), format);
	return OK;
}

static int pmu_terms(const struct pmu_list *l, struct str list, struct perf_event_attr *a,
		     struct rec_terms *terms, struct error *err)
{
	for (unsigned int n = 0; list.len; n++) {
		struct str term = str_trim(str_sub(list, 0, str_find_char(list, ',')));
		int status;

		if (n >= PMU_MAX_TERMS)
			return fail(err, ERR_LIMIT, "event '" STR_FMT "': more than %u terms",
				    STR_ARG(l->word), PMU_MAX_TERMS);
		list = str_skip(list, str_find_char(list, ',') + 1);
		if (term.len == 0)
			continue;
		status = pmu_term(l, term, a, terms, err);
		if (status < 0)
			return status;
	}
	return OK;
}

int rec_pmu_take(const char *devices, struct str pmu, struct str list, struct str word,
		 struct perf_event_attr *a, struct rec_terms *terms, struct error *err)
{
	CLEANUP(freep) char *type = NULL;
	struct pmu_list l = { devices, pmu, word, 0 };
	uint64_t number;

	if (pmu.len) {
		type = pmu_file(devices, pmu, "", STR("type"));
		if (!type || !pmu_number(str_of(type), &number) || number > UINT32_MAX)
			return fail(err, ERR_NOTFOUND,
				    "event '" STR_FMT "': this machine has no '" STR_FMT "' in %s",
				    STR_ARG(word), STR_ARG(pmu), devices);
		a->type = (uint32_t)number;
		a->config = a->config1 = a->config2 = 0;
	}
	return pmu_terms(&l, list, a, terms, err);
}
