/* SPDX-License-Identifier: MIT */
#include "analyses/counters/device_loads.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"

#include <math.h>

#define DEVICE_TITLES 64u /* size of the cache of column titles */

/*
 * A figure of a device, without its direction. The direction (reads, writes or both) is in struct
 * device_column.
 */
enum device_figure {
	FIGURE_RATE,
	FIGURE_KIB_RATE, /* KiB moved per second */
	FIGURE_KIB,
	FIGURE_MS,
	FIGURE_MERGED,
	FIGURES
};

struct device_column {
	const char *titles; /* pattern for the title of the column (str_glob) */
	enum device_way way;
	enum device_figure figure;
	double scale; /* factor from the column's unit to KiB, ms or requests */
};

/*
 * Column titles of iostat -x and sar -d. Sources: sysstat, iostat.c, write_ext_stat(); pr_stats.c,
 * print_disk_stats().
 */
static const struct device_column device_columns[] = {
	{ "r/s", DEVICE_READS, FIGURE_RATE, 1 },
	{ "w/s", DEVICE_WRITES, FIGURE_RATE, 1 },
	{ "tps", DEVICE_BOTH, FIGURE_RATE, 1 },
	{ "rsec/s|rd_sec/s", DEVICE_READS, FIGURE_KIB_RATE, 0.5 },
	{ "wsec/s|wr_sec/s", DEVICE_WRITES, FIGURE_KIB_RATE, 0.5 },
	{ "rkB/s", DEVICE_READS, FIGURE_KIB_RATE, 1 },
	{ "wkB/s", DEVICE_WRITES, FIGURE_KIB_RATE, 1 },
	{ "rMB/s", DEVICE_READS, FIGURE_KIB_RATE, 1024 },
	{ "wMB/s", DEVICE_WRITES, FIGURE_KIB_RATE, 1024 },
	{ "rareq-sz", DEVICE_READS, FIGURE_KIB, 1 },
	{ "wareq-sz", DEVICE_WRITES, FIGURE_KIB, 1 },
	{ "areq-sz", DEVICE_BOTH, FIGURE_KIB, 1 },
	{ "avgrq-sz", DEVICE_BOTH, FIGURE_KIB, 0.5 },
	{ "r_await", DEVICE_READS, FIGURE_MS, 1 },
	{ "w_await", DEVICE_WRITES, FIGURE_MS, 1 },
	{ "await", DEVICE_BOTH, FIGURE_MS, 1 },
	{ "rrqm/s", DEVICE_READS, FIGURE_MERGED, 1 },
	{ "wrqm/s", DEVICE_WRITES, FIGURE_MERGED, 1 },
};

struct device_cells {
	/*
	 * the figures of one device, in KiB, ms or requests; NaN: the tool does not print this
	 * figure
	 */
	double of[DEVICE_WAYS][FIGURES];
};

static void device_start(struct device_load *load, struct device_cells *cells,
			 const struct counter *row)
{
	*load = (struct device_load){ .key = row->key,
				      .interval = row->interval,
				      .line = row->line,
				      .busy = (double)NAN,
				      .queue = (double)NAN,
				      .done = (double)NAN };
	for (size_t i = 0; i < DEVICE_WAYS; i++) {
		for (size_t k = 0; k < FIGURES; k++)
			cells->of[i][k] = (double)NAN;
	}
}

/* What a column means, from its title. */
struct device_title {
	str_id name; /* title of a column; STR_ID_NONE: the slot is unused */
	bool is_busy, is_queue, is_done;
	/* description of the column; NULL: the column is none of device_columns */
	const struct device_column *column;
};

static struct device_title device_title_of(const struct strings *names, str_id id)
{
	struct str name = strings_get(names, id);
	struct device_title t = { .name = id };

	t.is_busy = str_eq(name, STR("%util"));
	t.is_queue = str_glob(STR("aqu-sz|avgqu-sz"), name);
	t.is_done = str_glob(STR("r/s|w/s|d/s|f/s|tps"), name);
	for (size_t i = 0; i < ARRAY_LEN(device_columns) && !t.column; i++) {
		if (str_glob(str_of(device_columns[i].titles), name))
			t.column = &device_columns[i];
	}
	return t;
}

static void device_take(struct device_load *load, struct device_cells *cells,
			const struct device_title *t, double value)
{
	if (t->is_busy)
		load->busy = value;
	else if (t->is_queue)
		load->queue = value;
	else if (t->is_done)
		load->done = isnan(load->done) ? value : load->done + value;
	if (t->column)
		cells->of[t->column->way][t->column->figure] = value * t->column->scale;
}

/* The sum of a figure for reads and writes; NaN if one of them is unknown. */
static double device_sum(const struct device_cells *cells, enum device_figure figure)
{
	return cells->of[DEVICE_READS][figure] + cells->of[DEVICE_WRITES][figure];
}

static void device_end(struct device_loads *ret, struct device_load *load,
		       struct device_cells *cells)
{
	if (isnan(cells->of[DEVICE_BOTH][FIGURE_RATE]))
		cells->of[DEVICE_BOTH][FIGURE_RATE] = device_sum(cells, FIGURE_RATE);
	cells->of[DEVICE_BOTH][FIGURE_KIB_RATE] = device_sum(cells, FIGURE_KIB_RATE);
	cells->of[DEVICE_BOTH][FIGURE_MERGED] = device_sum(cells, FIGURE_MERGED);
	for (size_t i = 0; i < DEVICE_WAYS; i++) {
		const double *of = cells->of[i];
		double kib = of[FIGURE_KIB];

		if (isnan(kib) && of[FIGURE_RATE] > 0)
			kib = of[FIGURE_KIB_RATE] / of[FIGURE_RATE];
		load->ways[i] = (struct device_way_load){ of[FIGURE_RATE], kib, of[FIGURE_MS],
							  of[FIGURE_MERGED] };
	}
	*VEC_PUSH(&ret->rows) = *load;
}

bool device_loads_is_table(const struct capture *c)
{
	return c->counters &&
	       str_glob(STR("iostat|sar"), strings_get(capture_strings(c), c->counters->tool));
}

bool device_loads_of(const struct capture *c, struct device_loads *ret)
{
	const struct strings *names = capture_strings(c);
	struct device_load load = { .line = 0 };
	struct device_cells cells;
	struct device_title titles[DEVICE_TITLES] = { 0 };
	struct device_title *t;
	bool has_load = false;

	memset(ret, 0, sizeof(*ret));
	if (!device_loads_is_table(c))
		return false;
	VEC_FOREACH (row, &c->counters->rows) {
		if (row->key.v == 0 || (c->counters->is_since_boot && row->interval == 0))
			continue;
		if (!has_load || row->key.v != load.key.v || row->line != load.line) {
			if (has_load)
				device_end(ret, &load, &cells);
			device_start(&load, &cells, row);
			has_load = true;
		}
		t = &titles[row->name.v % DEVICE_TITLES];
		if (!t->name.v || t->name.v != row->name.v)
			*t = device_title_of(names, row->name);
		device_take(&load, &cells, t, counter_value(row));
	}
	if (has_load)
		device_end(ret, &load, &cells);
	return ret->rows.len > 0;
}

void device_loads_fini(struct device_loads *d)
{
	VEC_FREE(&d->rows);
}

bool device_loads_is_layer(struct str name)
{
	/* names of the device mapper have a '-' or a '_': "dm-0", "vg-root", "mpath_a" */
	if (str_find_char(name, '-') < name.len || str_find_char(name, '_') < name.len)
		return !str_glob(STR("dev*-*"), name); /* sar prints "dev8-0" for sda */
	return str_glob(STR("md*|loop*|zram*|ram*|drbd*|bcache*|zd*"), name);
}
