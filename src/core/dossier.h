/* SPDX-License-Identifier: MIT */
/*
 * dossier.h - all captures of one run of assay, and what they share
 *
 * Names and symbols are common to all captures, so that a hot function, its
 * traced calls, its metrics and its log lines meet under one id.
 * Owner of everything in it. Not thread safe.
 */
#ifndef CORE_DOSSIER_H
#define CORE_DOSSIER_H

#include "core/capture.h"

/* A stretch of an input: recognised as a capture, or declined, or not known. */
struct dossier_region {
	const char *format;   /* NULL: not recognised */
	const char *declined; /* why a known format was not read: "not read yet"; else NULL */
	uint32_t capture;     /* in dossier.captures, or INDEX_NONE */
	uint32_t first_line;  /* of the original input; 0 for binary */
	uint32_t last_line;
};

struct dossier_input {
	str_id path; /* as the user wrote it */
	uint64_t bytes;
	uint32_t lines;              /* 0 for binary inputs */
	uint32_t unrecognised_lines; /* lines that are not blank and in no region */
	str_id encoding; /* how it was undone: "gzip, mail, quoted-printable"; STR_ID_NONE: as is */
	VEC(struct dossier_region) regions; /* by line; unrecognised stretches too */
	struct diag diag;                   /* of the document layer */
};

/* A call stack that stands in a text beside its captures, the sampled function first. */
struct dossier_stack {
	uint32_t capture; /* a capture of the same text */
	uint32_t first;   /* in dossier.frames */
	uint32_t n;
};

struct dossier_frame {
	sym_id sym;
	uint32_t line; /* of the original input */
};

struct out;
struct resolver_cache;

/* How addresses of recordings become names; texts are borrowed. */
struct symbols_wanted {
	bool inlines;      /* inlined functions as frames of their own */
	bool lines;        /* "name file.c:12": each line is a symbol of its own */
	bool line_keys;    /* symbols apart by line of source, in symbol.place */
	bool source_keys;  /* the same by file of source */
	bool places;       /* files and lines of the functions' sources, where they can be had */
	bool debuginfod;   /* files that are not here may be fetched */
	const char *symfs; /* folder in front of all paths (another machine's files); NULL: none */
	const char *kallsyms; /* the kernel's symbol table as a text; NULL: find it */
	const char *vmlinux;  /* the kernel's file; NULL: find it */
	/* samples of recordings are written here too, as perf script prints them; NULL: not */
	struct out *script;
	bool is_here;                  /* recorded on this machine by this program, just now */
	struct resolver_cache *loaded; /* symbols that were read before; NULL: none */
};

struct dossier {
	struct symbols_wanted wanted; /* of readers; set before they run */
	struct strings strings;
	struct symbols symbols;
	VEC(struct capture *) captures;
	VEC(struct dossier_input) inputs;
	VEC(struct capture_fact) facts; /* stated by text outside captures */
	VEC(struct dossier_stack) stacks;
	VEC(struct dossier_frame) frames; /* of stacks */
};

/* Owner: caller, dossier_free(). */
struct dossier *dossier_new(void);
void dossier_free(struct dossier *d);
DEFINE_CLEANUP(struct dossier *, dossier_free);
/* An empty capture at the end of the dossier. Borrowed. */
struct capture *dossier_add(struct dossier *d, const char *format);
/* Remove the last capture added (a reader found nothing). */
void dossier_drop_last(struct dossier *d);

#endif
