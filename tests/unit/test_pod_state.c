/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(pod_state);

static const char pod[] = "Name:         mill-0\n"
			  "Status:       Running\n"
			  "Containers:\n"
			  "  saw:\n"
			  "    State:          Running\n"
			  "    Last State:     Terminated\n"
			  "      Reason:       OOMKilled\n"
			  "      Exit Code:    137\n"
			  "    Restart Count:  2\n"
			  "    Limits:\n"
			  "      memory:  1536Ki\n"
			  "Events:         <none>\n";

static void a_pod_ends_before_the_next_name_and_before_other_text(void **state)
{
	char two[sizeof(pod) * 2];
	struct extent e;

	(void)state;
	assert_true(format_pod_state.find(STR(pod), 0, &e));
	assert_int_equal(e.to, sizeof(pod) - 1);
	(void)snprintf(two, sizeof(two), "%s\n%s", pod, pod);
	assert_true(format_pod_state.find(str_of(two), 0, &e));
	assert_int_equal(e.to, sizeof(pod) - 1);
	(void)snprintf(two, sizeof(two), "%s$ kubectl get nodes\n", pod);
	assert_true(format_pod_state.find(str_of(two), 0, &e));
	assert_int_equal(e.to, sizeof(pod) - 1);
}

static void values_have_their_container_and_their_reason(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = STR(pod), .first_line = 1 };
	const struct strings *names;
	const struct counter *c;

	(void)state;
	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_pod_state.read(&in, d, NULL), OK);
	names = capture_strings(d->captures.data[0]);
	assert_int_equal(d->captures.data[0]->counters->rows.len, 5);
	c = &d->captures.data[0]->counters->rows.data[2];
	assert_true(str_eq(strings_get(names, c->name), STR("last exit code")));
	assert_true(str_eq(strings_get(names, c->key), STR("mill-0/saw")));
	assert_true(str_eq(strings_get(names, c->comment), STR("OOMKilled")));
	assert_int_equal(c->value, 137);
	c = &d->captures.data[0]->counters->rows.data[4];
	assert_true(str_eq(strings_get(names, c->name), STR("memory limit")));
	assert_int_equal(c->value, 15);
	assert_int_equal(c->decimals, 1);
}

static void texts_without_containers_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"Name: mill\nStatus: good\n",
		"Name:   bolt\nsome prose\nContainers:\n  one\n",
		"Containers:\n  saw:\n    State: Running\n",
	};

	(void)state;
	text_claims_none(&format_pod_state, texts, ARRAY_LEN(texts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pod_ends_before_the_next_name_and_before_other_text),
		cmocka_unit_test(values_have_their_container_and_their_reason),
		cmocka_unit_test(texts_without_containers_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
