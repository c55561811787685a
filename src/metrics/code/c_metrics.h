/* SPDX-License-Identifier: MIT */
/*
 * c_metrics.h - standard metrics of one function
 *
 * Input: the tokens of one definition, and the nodes of its syntax tree. Code in all `#if` arms
 * counts, except code under `#if 0`. The list C_METRICS defines each metric, with its unit and
 * source. Tables, documentation and JSON output use this list.
 */
#ifndef METRICS_C_METRICS_H
#define METRICS_C_METRICS_H

struct c_function;
struct c_tokens;
struct c_tree;

/* columns of the list: id, title, unit, definition, source */
#define C_METRICS(X)                                                                              \
	X(LINES, "lines", "lines", "lines from the first of the definition to its closing brace", \
	  "physical lines")                                                                       \
	X(CODE_LINES, "code-lines", "lines", "of these, lines that hold a token",                 \
	  "non-comment lines of code")                                                            \
	X(COMMENT_LINES, "comment-lines", "lines", "of these, lines that hold a comment",         \
	  "comment lines")                                                                        \
	X(STATEMENTS, "statements", "count",                                                      \
	  "expressions with their semicolon, declarations, control and jump statements",          \
	  "HIS source code metrics: STMT")                                                        \
	X(PARAMETERS, "parameters", "count",                                                      \
	  "parameters in the definition; (void) has none, the dots of a variadic list are none",  \
	  "HIS source code metrics: PARAM")                                                       \
	X(CYCLOMATIC, "cyclomatic", "paths",                                                      \
	  "1 + if, for, while, do, case, ?:, && and ||; words of the language, not of macros",    \
	  "McCabe 1976; pmccabe's traditional count")                                             \
	X(CYCLOMATIC_MODIFIED, "cyclomatic-modified", "paths",                                    \
	  "as cyclomatic, but a switch counts once and its cases do not",                         \
	  "McCabe 1976; pmccabe's modified count")                                                \
	X(CYCLOMATIC_PLAIN, "cyclomatic-plain", "paths",                                          \
	  "1 + if, for, while, do, case and ?:; without && and ||", "McCabe 1976")                \
	X(COGNITIVE, "cognitive", "points",                                                       \
	  "1 for if, else if, else, switch, loop, ?:, goto, run of equal && or ||, direct "       \
	  "recursion; + the nesting for if, switch, loop, ?:",                                    \
	  "SonarSource, Cognitive Complexity 1.2 (2017)")                                         \
	X(NESTING, "nesting", "levels",                                                           \
	  "deepest nesting of if, switch and loops; an else if is as deep as its if",             \
	  "HIS source code metrics: LEVEL, without the body itself; LEOPARD V7")                  \
	X(LOOPS, "loops", "count", "for, while and do", "LEOPARD C2")                             \
	X(NESTED_LOOPS, "nested-loops", "count", "loops inside of another loop", "LEOPARD C3")    \
	X(LOOP_NESTING, "loop-nesting", "levels", "deepest nesting of loops", "LEOPARD C4")       \
	X(GOTOS, "gotos", "count", "goto statements", "HIS source code metrics: GOTO")            \
	X(RETURNS, "returns", "count", "return statements", "HIS source code metrics: RETURN")    \
	X(LOCALS, "locals", "count", "variables declared in the body, each declarator of a list", \
	  "local variables")                                                                      \
	X(CASTS, "casts", "count", "cast expressions", "casts")                                   \
	X(CALL_SITES, "call-sites", "count", "call expressions, macros with arguments included",  \
	  "call sites")                                                                           \
	X(UNCHECKED_COPIES, "unchecked-copies", "count",                                          \
	  "strcpy, strcat, sprintf and their like, and copies of a length in whose variables no " \
	  "condition of the function looks",                                                      \
	  "CWE-120, CWE-787: copies without a check of the size")                                 \
	X(HALSTEAD_LENGTH, "halstead-length", "tokens", "N = N1 + N2, operators and operands",    \
	  "Halstead 1977; operators are keywords and punctuation, a bracket pair is one; "        \
	  "operands are names, numbers and strings")                                              \
	X(HALSTEAD_VOCABULARY, "halstead-vocabulary", "tokens", "n = n1 + n2, distinct",          \
	  "Halstead 1977")                                                                        \
	X(HALSTEAD_VOLUME, "halstead-volume", "bits", "V = N log2 n", "Halstead 1977")            \
	X(HALSTEAD_DIFFICULTY, "halstead-difficulty", "ratio", "D = n1/2 * N2/n2",                \
	  "Halstead 1977")                                                                        \
	X(HALSTEAD_EFFORT, "halstead-effort", "decisions", "E = D V", "Halstead 1977")            \
	X(LEOPARD_C1, "leopard-c1", "paths", "cyclomatic complexity on the syntax tree",          \
	  "Du et al., LEOPARD, ICSE 2019")                                                        \
	X(LEOPARD_V1, "leopard-v1", "count", "named parameters", "Du et al., ICSE 2019")          \
	X(LEOPARD_V2, "leopard-v2", "count", "variables that are arguments of its calls",         \
	  "Du et al., ICSE 2019")                                                                 \
	X(LEOPARD_V3, "leopard-v3", "count",                                                      \
	  "pointer operations: p->m, *p, p[i], p++, and + or - on pointers",                      \
	  "Du et al., ICSE 2019; a[i] counts, a.m does not")                                      \
	X(LEOPARD_V4, "leopard-v4", "count", "variables in pointer operations",                   \
	  "Du et al., ICSE 2019")                                                                 \
	X(LEOPARD_V5, "leopard-v5", "count", "most pointer operations of one variable",           \
	  "Du et al., ICSE 2019")                                                                 \
	X(LEOPARD_V6, "leopard-v6", "pairs", "pairs of a control statement and one inside of it", \
	  "Du et al., ICSE 2019; every ancestor counts")                                          \
	X(LEOPARD_V7, "leopard-v7", "levels", "deepest nesting of control statements",            \
	  "Du et al., ICSE 2019")                                                                 \
	X(LEOPARD_V8, "leopard-v8", "count", "control statements of the largest nest",            \
	  "Du et al., ICSE 2019")                                                                 \
	X(LEOPARD_V9, "leopard-v9", "count", "most control statements that check one variable",   \
	  "Du et al., ICSE 2019")                                                                 \
	X(LEOPARD_V10, "leopard-v10", "count", "if without else", "Du et al., ICSE 2019")         \
	X(LEOPARD_V11, "leopard-v11", "count", "variables in conditions of control statements",   \
	  "Du et al., ICSE 2019")

enum c_metric {
#define C_METRIC_ID(id, title, unit, definition, source) CM_##id,
	C_METRICS(C_METRIC_ID)
#undef C_METRIC_ID
		C_METRIC_COUNT
};

struct c_metric_info {
	const char *title;
	const char *unit;
	const char *definition;
	const char *source;
};

extern const struct c_metric_info c_metric_infos[C_METRIC_COUNT];

/* Scratch memory for c_measure_function(), reused for each function. */
struct c_measure;
struct c_measure *c_measure_new(void);
void c_measure_free(struct c_measure *m);

/*
 * Compute all metrics of @f, and store them in @ret[C_METRIC_COUNT]. @tree: syntax tree of the
 * body; if it is empty, metrics that need a tree are NaN. Expected cost: O(tokens + nodes).
 */
void c_measure_function(struct c_measure *m, const struct c_tokens *t, const struct c_function *f,
			const struct c_tree *tree, double *ret);

#endif
