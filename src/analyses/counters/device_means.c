/* SPDX-License-Identifier: MIT */
#include "analyses/counters/device_means.h"

#include "analyses/counters/device_loads.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"

#include <math.h>

static struct device_mean *device_means_row(struct device_means *d, str_id key, uint32_t line)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->rows[i].key.v == key.v)
			return &d->rows[i];
	}
	if (d->n == DEVICE_MEANS)
		return NULL;
	d->rows[d->n] = (struct device_mean){ .key = key, .line = line };
	return &d->rows[d->n++];
}

static void device_means_take(struct device_mean *d, const struct device_load *load)
{
	d->n++;
	d->busy += load->busy;
	d->queue += load->queue;
	for (size_t i = 0; i < DEVICE_WAYS; i++) {
		const struct device_way_load *w = &load->ways[i];

		if (!(w->rate > 0) || isnan(w->kib))
			continue;
		d->used[i]++;
		d->ways[i].rate += w->rate;
		d->ways[i].kib += w->kib * w->rate;
		d->ways[i].ms += w->ms * w->rate;
		d->ways[i].merged += w->merged;
	}
}

bool device_means_of(const struct capture *c, struct device_means *ret)
{
	struct device_loads loads;

	ret->n = 0;
	if (device_loads_of(c, &loads)) {
		VEC_FOREACH (load, &loads.rows) {
			struct device_mean *d = NULL;

			if (!device_loads_is_layer(strings_get(capture_strings(c), load->key)))
				d = device_means_row(ret, load->key, load->line);
			if (d)
				device_means_take(d, load);
		}
	}
	device_loads_fini(&loads);
	for (size_t i = 0; i < ret->n; i++) {
		struct device_mean *d = &ret->rows[i];

		d->busy /= d->n;
		d->queue /= d->n;
		for (size_t k = 0; k < DEVICE_WAYS; k++) {
			if (!d->used[k])
				continue;
			d->ways[k].kib /= d->ways[k].rate;
			d->ways[k].ms /= d->ways[k].rate;
			d->ways[k].rate /= d->n;
			d->ways[k].merged /= d->n;
		}
	}
	return ret->n > 0;
}
