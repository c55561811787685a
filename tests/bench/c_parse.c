/* SPDX-License-Identifier: MIT */
/* c_parse.c - time of tree-sitter alone for whole files: the baseline for `assay risk`. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_c(void);

int main(int argc, char **argv)
{
	TSParser *parser = ts_parser_new();
	struct timespec t;
	unsigned long long bytes = 0;

	if (!ts_parser_set_language(parser, tree_sitter_c()))
		return 1;
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		char *text;
		long n;

		if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0)
			return 1;
		rewind(f);
		text = malloc((size_t)n + 1);
		if (!text || fread(text, 1, (size_t)n, f) != (size_t)n)
			return 1;
		fclose(f);
		ts_tree_delete(ts_parser_parse_string(parser, NULL, text, (unsigned int)n));
		bytes += (unsigned long long)n;
		free(text);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	printf("%.2f s CPU for %.1f MB\n", (double)t.tv_sec + (double)t.tv_nsec / 1e9,
	       (double)bytes / 1e6);
	ts_parser_delete(parser);
	return 0;
}
