/* SPDX-License-Identifier: MIT */
/*
 * dossier.h - all captures of one run of assay, and their shared tables
 *
 * All captures share names and symbols, so that a hot function, its traced calls, its metrics
 * and its log lines have one id. The dossier owns everything in it. Not thread safe.
 */
#ifndef CORE_DOSSIER_H
#define CORE_DOSSIER_H

#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

struct capture;
struct capture_fact;

/* A line range of an input: a capture, declined, or unknown. */
struct dossier_region {
	const char *format; /* NULL: not recognised */
	/* reason why a known format was not read: "not read yet"; else NULL */
	const char *declined;
	uint32_t capture;    /* in dossier.captures, or INDEX_NONE */
	uint32_t first_line; /* of the original input; 0 for binary */
	uint32_t last_line;
};

struct dossier_input {
	str_id path; /* as given by the user */
	uint64_t bytes;
	uint32_t lines;              /* 0 for binary inputs */
	uint32_t unrecognised_lines; /* lines that are not blank and belong to no region */
	/* encodings that were undone: "gzip, mail, quoted-printable"; STR_ID_NONE: none */
	str_id encoding;
	VEC(struct dossier_region) regions; /* in order of lines, unrecognised ranges included */
	struct diag diag;                   /* counters of the document layer */
};

/* A call stack in the text around the captures, the innermost function first. */
struct dossier_stack {
	uint32_t capture; /* a capture from the same text */
	uint32_t first;   /* in dossier.frames */
	uint32_t n;
};

struct dossier_frame {
	sym_id sym;
	uint32_t line; /* of the original input */
};

struct out;
struct resolver_cache;

/* How readers resolve the addresses of recordings to names; texts are borrowed. */
struct symbols_wanted {
	bool inlines;     /* make frames of inlined functions */
	bool lines;       /* make a symbol of each source line: "name file.c:12" */
	bool line_keys;   /* separate symbols by source line, in symbol.place */
	bool source_keys; /* separate symbols by source file, in symbol.place */
	bool places;      /* add the source file and line of each function, where available */
	bool debuginfod;  /* may fetch missing files from debuginfod */
	/* folder prepended to all paths, for another machine's files; NULL: none */
	const char *symfs;
	const char *kallsyms; /* text of the kernel's symbol table; NULL: search */
	const char *vmlinux;  /* the kernel's ELF file; NULL: search */
	/* output for samples of recordings in the format of perf script; NULL: none */
	struct out *script;
	/* this program made the recording on this machine just now */
	bool is_here;
	struct resolver_cache *loaded; /* cache of symbols that were read before; NULL: none */
};

struct dossier {
	struct symbols_wanted wanted; /* set before readers run */
	struct strings strings;
	struct symbols symbols;
	VEC(struct capture *) captures;
	VEC(struct dossier_input) inputs;
	VEC(struct capture_fact) facts; /* stated by the text outside captures */
	VEC(struct dossier_stack) stacks;
	VEC(struct dossier_frame) frames; /* frames of all stacks */
};

/* Owner: caller, dossier_free(). */
struct dossier *dossier_new(void);
void dossier_free(struct dossier *d);
DEFINE_CLEANUP(struct dossier *, dossier_free);
/* Append an empty capture to the dossier. Borrowed. */
struct capture *dossier_add(struct dossier *d, const char *format);
/* Remove the capture added last, in which a reader found nothing. */
void dossier_drop_last(struct dossier *d);

#endif
