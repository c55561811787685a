/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over files and folders named on the command line, without libFuzzer. */
#include "base/alloc.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int standalone_file(const char *path)
{
	FILE *f = fopen(path, "re");
	uint8_t *buf = NULL;
	size_t len = 0;
	size_t n;

	if (!f)
		return 0;
	do {
		buf = xrealloc(buf, len + 65536);
		n = fread(buf + len, 1, 65536, f);
		len += n;
	} while (n);
	(void)fclose(f);
	/* an exact copy, so that a sanitizer sees a read past the end */
	buf = xrealloc(buf, len ? len : 1);
	(void)LLVMFuzzerTestOneInput(buf, len);
	free(buf);
	return 1;
}

int main(int argc, char **argv)
{
	int n = 0;

	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		struct dirent *e;

		if (!dir) {
			n += standalone_file(argv[i]);
			continue;
		}
		while ((e = readdir(dir))) {
			char path[4096];

			(void)snprintf(path, sizeof(path), "%s/%s", argv[i], e->d_name);
			if (e->d_name[0] != '.')
				n += standalone_file(path);
		}
		(void)closedir(dir);
	}
	printf("%d inputs\n", n);
	return n ? 0 : 1;
}
