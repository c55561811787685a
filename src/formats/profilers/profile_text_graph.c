/* SPDX-License-Identifier: MIT */
/* profile_text_graph.c - lines of call graphs in the format of gprof */
#include "formats/profilers/profile_text.h"

#include "base/str.h"
#include "formats/profilers/text_dialects.h"

struct str profile_text_graph_name(struct str name)
{
	size_t at = str_rfind_char(name, '[');

	name = str_rtrim(str_sub(name, 0, at));
	at = str_find(name, STR(" <cycle "));
	if (str_starts(name, STR("func@0x")))
		return str_sub(name, strlen("func@"), at);
	return str_sub(name, 0, at);
}

bool profile_text_graph_is_group(struct str name)
{
	return str_glob(STR("<cycle * as a whole>|<spontaneous>"), name);
}

bool profile_text_graph_focus(struct str *rest, double *ret_pct, unsigned int *ret_decimals,
			      struct amount *ret_self, struct amount *ret_below)
{
	struct str word;

	return str_word(rest, &word) && str_starts(word, STR("[")) &&
	       text_dialect_share(rest, false, ret_pct, ret_decimals) &&
	       text_dialect_amount(rest, ret_self) && text_dialect_amount(rest, ret_below);
}

void profile_text_graph_whole(struct amount *whole, struct str line, double *most_pct)
{
	struct str rest = str_trim(line);
	struct amount self, below;
	unsigned int decimals = 0;
	double pct;

	if (!profile_text_graph_focus(&rest, &pct, &decimals, &self, &below) || pct <= *most_pct ||
	    str_contains(rest, STR("<cycle ")))
		return;
	*most_pct = pct;
	*whole = (struct amount){ .value = (self.value + below.value) * 100 / pct,
				  .half = (self.half + below.half) * 100 / pct };
}
