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

/* A line range of an input: a capture, a known format that is not read, or unrecognised text. */
struct dossier_region {
	const char *format; /* name of the format; NULL: not recognised */
	/*
	 * reason why the lines were not read although their format is known, such as "not read
	 * yet"; NULL: the lines were read, or their format is unknown
	 */
	const char *declined;
	/* capture that was read from the lines: index in dossier.captures, or INDEX_NONE */
	uint32_t capture;
	uint32_t first_line; /* first line in the original input; 0 for binary inputs */
	uint32_t last_line;
};

/* How a text shows that some of its lines are only an example, not real output. */
enum example_kind {
	EXAMPLE_TITLE,    /* the lines are below a title "Example" */
	EXAMPLE_PATCH,    /* lines of a patch: removed, added and unchanged lines */
	EXAMPLE_SOURCE,   /* a string literal in source code */
	EXAMPLE_TEMPLATE, /* a message with placeholders, such as <pid>, instead of figures */
};

/* A line range that the text shows as an example. */
struct dossier_example {
	uint32_t first, last; /* first and last line of the example, in the original input */
	uint32_t line;        /* the line that shows it is an example, such as the title */
	enum example_kind kind;
};

#define DOSSIER_UNREAD       8u
#define DOSSIER_UNREAD_BYTES 150u /* two lines of a terminal */

/* A line that belongs to no capture. */
struct dossier_unread {
	uint32_t line; /* number of the line in the original input */
	str_id text;   /* at most DOSSIER_UNREAD_BYTES, without blanks at its ends */
	bool is_cut;   /* the line is longer */
};

struct dossier_input {
	str_id path; /* path as given by the user */
	uint64_t bytes;
	uint32_t lines;              /* number of lines; 0 for binary inputs */
	uint32_t unrecognised_lines; /* number of lines that belong to no capture, such as prose */
	struct dossier_unread unread[DOSSIER_UNREAD]; /* the first of these lines, n_unread */
	uint32_t n_unread;
	/* encodings that were removed: "gzip, mail, quoted-printable"; STR_ID_NONE: none */
	str_id encoding;
	/* all line ranges in order, including unrecognised ranges */
	VEC(struct dossier_region) regions;
	VEC(struct dossier_example) examples; /* examples in the input; they may overlap */
	struct diag diag; /* counters of src/document: damage in mail, markup and compression */
};

/*
 * A call stack in the text around the captures, outside of any capture. Its frames are innermost
 * first.
 */
struct dossier_stack {
	uint32_t capture; /* index in dossier.captures of a capture from the same text */
	uint32_t first;   /* index of the stack's first frame in dossier.frames */
	uint32_t n;
};

struct dossier_frame {
	sym_id sym;
	uint32_t line; /* line of the original input */
};

struct out;
struct resolver_cache;

/* How readers resolve the addresses of recordings to names; texts are borrowed. */
struct symbols_wanted {
	/* where the compiler inlined functions at an address, add a frame for each of them */
	bool inlines;
	/*
	 * name symbols by function and source line, "name file.c:12", so that each line is a symbol
	 */
	bool lines;
	/*
	 * make a symbol for each source line of a function. These symbols have the function's name,
	 * and the line in symbol.place
	 */
	bool line_keys;
	/*
	 * make a symbol for each source file of a function. These symbols have the function's name,
	 * and the file in symbol.place
	 */
	bool source_keys;
	bool places;     /* add the source file and line of each function, if known */
	bool debuginfod; /* missing files may be fetched from debuginfod servers */
	/* folder of the source files for read_options.with_sources; NULL: none */
	const char *sources;
	/* folder to prepend to all paths, for the files of another machine; NULL: none */
	const char *symfs;
	const char *kallsyms; /* text of the kernel's symbol table; NULL: search for it */
	const char *vmlinux;  /* path of the kernel's ELF file; NULL: search for it */
	/* write samples to this output, in the format of perf script; NULL: do not */
	struct out *script;
	/* write a copy of the recording, with the resolved names, to this output; NULL: do not */
	struct out *named;
	/* this run of assay has just made the recording, on this machine */
	bool is_here;
	/* cache of symbol tables; it lives longer than the dossier; NULL: none */
	struct resolver_cache *loaded;
};

struct dossier {
	struct symbols_wanted wanted; /* set by the caller before readers run */
	struct strings strings;
	struct symbols symbols;
	VEC(struct capture *) captures;
	VEC(struct dossier_input) inputs;
	VEC(struct capture_fact) facts; /* numbers that the text outside of captures states */
	VEC(struct dossier_stack) stacks;
	VEC(struct dossier_frame) frames; /* frames of all stacks */
};

/* Make an empty dossier. Owner: caller, dossier_free(). */
struct dossier *dossier_new(void);
void dossier_free(struct dossier *d);
DEFINE_CLEANUP(struct dossier *, dossier_free);
/* Append an empty capture and return it, borrowed. @format: name of its reader. */
struct capture *dossier_add(struct dossier *d, const char *format);
/* Remove the capture that was added last. Call this if its reader found nothing. */
void dossier_drop_last(struct dossier *d);
/*
 * Remove the capture @i with its regions; later captures move up. Call it before analyses refer to
 * captures. Cost: linear in the number of regions.
 */
void dossier_drop(struct dossier *d, size_t i);

#endif
