/* SPDX-License-Identifier: MIT */
/*
 * c_tree.h - the syntax tree of one function body, as a flat array
 *
 * tree-sitter parses each body alone, with its C grammar, so a parse error affects only one
 * function. Before parsing, preprocessor lines and code under `#if 0` are replaced by blanks. If
 * the arms of an `#if` are not complete statements, only the first arm is kept. Nodes are in
 * preorder: nodes i to nodes[i].end - 1 are node i and its descendants.
 */
#ifndef METRICS_C_TREE_H
#define METRICS_C_TREE_H

#include "base/str.h"
#include "base/vec.h"

struct c_tokens;
struct c_function;

enum c_node_kind {
	N_OTHER,
	N_ERROR,
	N_COMPOUND,
	N_IF,
	N_ELSE,
	N_FOR,
	N_WHILE,
	N_DO,
	N_SWITCH,
	N_CASE, /* also `default:` */
	N_CONDITIONAL,
	N_BINARY,
	N_AND,
	N_OR,
	N_PLUS, /* + - += -= */
	N_GOTO,
	N_RETURN,
	N_BREAK,
	N_CONTINUE,
	N_STATEMENT, /* expression statement */
	N_DECLARATION,
	N_INIT_DECLARATOR,
	N_POINTER_DECLARATOR,
	N_ARRAY_DECLARATOR,
	N_FUNCTION_DECLARATOR,
	N_CALL,
	N_ARGUMENTS,
	N_IDENTIFIER,
	N_FIELD, /* a.b and a->b */
	N_ARROW,
	N_POINTER, /* *p and &p */
	N_STAR,
	N_SUBSCRIPT,
	N_UPDATE,
	N_ASSIGNMENT,
	N_PARENTHESES,
	N_CAST,
	N_CASE_WORD,
};

enum c_field {
	F_NONE,
	F_CONDITION,
	F_DECLARATOR,
	F_FUNCTION,
	F_ARGUMENT,
	F_ARGUMENTS,
	F_LEFT,
	F_RIGHT,
	F_VALUE,
	F_BODY,
	F_OPERATOR,
};

struct c_node {
	/*
	 * offset of the first byte of the node in the text of the file; `to`: offset after its last
	 * byte
	 */
	uint32_t from;
	uint32_t to;
	uint32_t parent; /* index of the parent node; UINT32_MAX: the root */
	uint32_t end;    /* index of the first node after the node's subtree */
	uint8_t kind;    /* enum c_node_kind */
	uint8_t field;   /* enum c_field: the node's role in its parent, such as F_ARGUMENTS */
};

struct c_tree {
	struct str text; /* text of the file, borrowed */
	VEC(struct c_node) nodes;
	bool has_error; /* a part of the body could not be parsed */
};

struct c_parser; /* not thread safe: use one per thread */

/*
 * Create a parser. NULL: this build has no tree-sitter, or its tree-sitter library cannot use this
 * version of the grammar. Owner: caller, c_parser_free().
 */
struct c_parser *c_parser_new(void);
void c_parser_free(struct c_parser *p);
/*
 * Parse the body of @f, and store the nodes in @tree, whose memory is reused. Returns false and an
 * empty tree if the body is nested deeper than LIMIT_SOURCE_NESTING, or if the parser gave up.
 */
bool c_parser_body(struct c_parser *p, const struct c_tokens *t, const struct c_function *f,
		   struct c_tree *tree);
void c_tree_fini(struct c_tree *tree);

static inline struct str c_node_text(const struct c_tree *tree, uint32_t i)
{
	return str_sub(tree->text, tree->nodes.data[i].from, tree->nodes.data[i].to);
}

/*
 * Index of the first child of node @i whose role is @field; UINT32_MAX: none. Cost: linear in the
 * number of children.
 */
uint32_t c_node_field(const struct c_tree *tree, uint32_t i, enum c_field field);

#endif
