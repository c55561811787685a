/* SPDX-License-Identifier: MIT */
#include "base/text/suggest.h"

#include "base/str.h"

static unsigned int suggest_min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Compute the optimal string alignment distance. Only three rows of its table are in memory. */
unsigned int suggest_distance(struct str a, struct str b)
{
	unsigned int rows[3][SUGGEST_MAX + 1];

	if (a.len > SUGGEST_MAX || b.len > SUGGEST_MAX)
		return SUGGEST_MAX + 1;
	for (unsigned int j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (unsigned int i = 1; i <= a.len; i++) {
		unsigned int *row = rows[i % 3];
		const unsigned int *above = rows[(i + 2) % 3];
		const unsigned int *top = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned int j = 1; j <= b.len; j++) {
			bool is_same = a.p[i - 1] == b.p[j - 1];

			row[j] = suggest_min(suggest_min(above[j], row[j - 1]) + 1,
					     above[j - 1] + !is_same);
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
				row[j] = suggest_min(row[j], top[j - 2] + 1);
		}
	}
	return rows[a.len % 3][b.len];
}

void suggest_init(struct suggest *s, struct str word)
{
	*s = (struct suggest){ .word = word, .distance = SUGGEST_MAX };
}

void suggest_try(struct suggest *s, struct str candidate)
{
	unsigned int distance = suggest_distance(s->word, candidate);
	/*
	 * at most a third of the letters may differ, so words of one or two letters get no
	 * suggestion
	 */
	size_t most = s->word.len / 3;

	if (distance == 0 || distance > most || distance >= s->distance)
		return;
	s->distance = distance;
	memcpy(s->best, candidate.p, candidate.len);
	s->best[candidate.len] = '\0';
}
