/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(folded);
DECLARE_FORMAT(perf_script);

static const struct symbol *symbol(const struct reading *f, size_t sample, unsigned int up)
{
	stack_id id = f->p->samples.stack.data[sample];

	while (up--)
		id = stacks_parent(&f->p->stacks, id);
	return symbols_get(&f->d->symbols, stacks_sym(&f->p->stacks, id));
}

static struct str name(const struct reading *f, size_t sample, unsigned int up)
{
	return strings_get(&f->d->strings, symbol(f, sample, up)->name);
}

static struct str module(const struct reading *f, size_t sample, unsigned int up)
{
	return strings_get(&f->d->strings, symbol(f, sample, up)->module);
}

static const struct profile_thread *thread(const struct reading *f, size_t sample)
{
	return &f->p->threads.data[f->p->samples.thread.data[sample]];
}

static uint32_t depth(const struct reading *f, size_t sample)
{
	return stacks_depth(&f->p->stacks, f->p->samples.stack.data[sample]);
}

static struct str event(const struct reading *f, size_t capture)
{
	return strings_get(&f->d->strings, f->d->captures.data[capture]->profile->event);
}

static void assert_folded(const struct reading *f, const char *text)
{
	struct out out;

	out_init(&out);
	assert_int_equal(format_folded.write(f->c, &out, NULL), OK);
	assert_str(out_view(&out), text);
	out_fini(&out);
}

static void reads_thread_cpu_time_period_and_frames(void **state)
{
	struct reading f =
		reading_of(&format_perf_script,
			   "V8 Worker  24636/25607 [003] 94564.109216:     250000 cpu-clock:uhH: \n"
			   "\tffffffff81001408 do_idle+0x1f ([kernel.kallsyms])\n"
			   "\t          401b97 main+0x1f (/usr/bin/node)\n\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 1);
	assert_str(event(&f, 0), "cpu-clock:uhH");
	assert_int_equal(f.p->unit, WEIGHT_NS);
	assert_int_equal(f.p->samples.weight.data[0], 250000);
	assert_int_equal(f.p->samples.time_ns.data[0], UINT64_C(94564109216000));
	assert_int_equal(f.p->samples.cpu.data[0], 3);
	assert_int_equal(thread(&f, 0)->pid, 24636);
	assert_int_equal(thread(&f, 0)->tid, 25607);
	assert_int_equal(depth(&f, 0), 3);
	assert_str(name(&f, 0, 0), "do_idle");
	assert_int_equal(symbol(&f, 0, 0)->space, SPACE_KERNEL);
	assert_str(module(&f, 0, 1), "/usr/bin/node");
	assert_int_equal(symbol(&f, 0, 1)->space, SPACE_USER);
	assert_str(name(&f, 0, 2), "V8 Worker");
	assert_int_equal(symbol(&f, 0, 2)->space, SPACE_COMM);
	assert_int_equal(f.c->last_line, 4);
	assert_int_equal(f.c->diag.entries.len, 0);
	reading_fini(&f);
}

static void takes_one_sample_each_where_no_period_is_printed(void **state)
{
	struct reading f =
		reading_of(&format_perf_script,
			   "glx  1326 48625.215888: cycles: \n\t    7f41 f (/lib/a.so)\n\n"
			   "glx  1326 48625.215892: cycles: \n\t    7f41 f (/lib/a.so)\n\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_int_equal(f.p->unit, WEIGHT_SAMPLES);
	assert_int_equal(f.p->samples.weight.data[1], 1);
	assert_true(thread(&f, 0)->has_tid);
	assert_false(thread(&f, 0)->has_pid);
	assert_int_equal(f.p->samples.cpu.len, 0);
	reading_fini(&f);
}

static void reads_headers_without_time_and_frames_without_indent(void **state)
{
	struct reading f = reading_of(&format_perf_script,
				      "java 19983 cycles:\nffffffff8103d0ca f ([kernel.kallsyms])\n"
				      "7f72 arrayOop::base(BasicType) const (/l/libjvm.so)\n\n"
				      "dd 12 cycles:\ndd g (/bin/dd)\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_str(name(&f, 0, 1), "arrayOop::base(BasicType) const");
	assert_int_equal(f.p->samples.time_ns.len, 0);
	assert_str(name(&f, 1, 1), "dd");
	assert_str(name(&f, 1, 0), "g");
	reading_fini(&f);
}

static void keeps_the_last_sample_without_an_empty_line(void **state)
{
	struct reading f = reading_of(&format_perf_script,
				      "a 1 1.000001: cycles: \n\t 401b97 f (x)\n\n"
				      "a 1 1.000002: cycles: \n\t 401b97 f (x)\n\t 401b98 g (x)");

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_int_equal(depth(&f, 1), 3);
	assert_int_equal(f.c->last_line, 6);
	reading_fini(&f);
}

static void ends_a_stack_at_the_next_header(void **state)
{
	struct reading f = reading_of(&format_perf_script,
				      "a 1 1.000001: cycles: \n\t401b97 f (x)\n"
				      "a 1 1.000002: cycles: \n\t401b97 f (x)\n\t401b98 g (x)\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_int_equal(depth(&f, 0), 2);
	assert_int_equal(depth(&f, 1), 3);
	reading_fini(&f);
}

static void takes_frames_after_a_stray_empty_line(void **state)
{
	struct reading f = reading_of(&format_perf_script,
				      "java 10488  9962.502413:   10101010 cpu-clock:\n\n"
				      "\tffffffffaee8017b fput+0xb ([kernel.kallsyms])\n\n"
				      "sh 1  9962.502414:   1 cpu-clock:\n\n\n"
				      "sh 1  9962.502415:   1 cpu-clock:\n\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 3);
	assert_str(name(&f, 0, 0), "fput");
	assert_int_equal(depth(&f, 1), 1);
	reading_fini(&f);
}

static void makes_a_capture_of_each_event(void **state)
{
	struct reading f =
		reading_of(&format_perf_script,
			   "a 1 [000] 1.0: 5 cycles:  401b97 f+0x1 (x)\n"
			   "a 1 [000] 1.1: 1 page-faults:  401b98 g+0x1 (x)\n"
			   "a 1 [000] 1.2: 7 cycles:  401b97 f+0x1 (x)\n"
			   "a 1 [000] 1.3: sched:sched_switch: prev_comm=a ==> next_comm=b\n");

	(void)state;
	assert_int_equal(f.d->captures.len, 3);
	assert_str(event(&f, 0), "cycles");
	assert_int_equal(f.p->samples.n, 2);
	assert_int_equal(f.p->event_count, 12);
	assert_str(event(&f, 1), "page-faults");
	assert_str(event(&f, 2), "sched:sched_switch");
	assert_int_equal(f.d->captures.data[2]->profile->samples.n, 1);
	assert_str(name(&f, 0, 0), "f");
	reading_fini(&f);
}

static void strips_offsets_of_any_size(void **state)
{
	struct reading f = reading_of(&format_perf_script,
				      "p 12426 136526.798940:          1 cycles:ppp: \n"
				      "\t    7fffab39798b exec+0x800054e0213b ([kernel.kallsyms])\n"
				      "\t    7fffab39798c operator+0x1 (x)\n"
				      "\t    7fffab39798d a+0xzz (x)\n\n");

	(void)state;
	assert_str(name(&f, 0, 0), "exec");
	assert_str(name(&f, 0, 1), "operator");
	assert_str(name(&f, 0, 2), "a+0xzz");
	reading_fini(&f);
}

static void reads_inlined_and_unknown_and_deleted(void **state)
{
	struct reading f = reading_of(&format_perf_script,
				      "p 1 1.5: 1 cycles: \n\t    7fffab39798b f(int) (inlined)\n"
				      "\t    7fffab39798b f(int)+0x3 (/tmp/a (deleted))\n"
				      "\tffffffffaf001100 [unknown] ([unknown])\n"
				      "\t    7f4198ace577  ()\n"
				      "\t    7f4198ace578\n\n");

	(void)state;
	assert_int_equal(symbol(&f, 0, 0)->flags & SYMBOL_INLINED, SYMBOL_INLINED);
	assert_str(name(&f, 0, 0), "f(int)");
	assert_int_equal(symbol(&f, 0, 1)->flags & SYMBOL_INLINED, 0);
	assert_str(module(&f, 0, 1), "/tmp/a (deleted)");
	assert_int_equal(symbol(&f, 0, 2)->space, SPACE_KERNEL);
	assert_str(name(&f, 0, 3), "[unknown]");
	assert_str(name(&f, 0, 4), "0x7f4198ace578");
	assert_int_equal(symbol(&f, 0, 4)->flags & SYMBOL_ADDRESS, SYMBOL_ADDRESS);
	reading_fini(&f);
}

static void reads_names_of_jits_rust_and_cpp(void **state)
{
	struct reading f = reading_of(
		&format_perf_script,
		"node 31912 cpu-clock: \n\t     c6d7895aac9 LazyCompile:~body_0 eval.<anonymous>:1 "
		"(/tmp/perf-1.map)\n"
		"\t     c6d7895aac9 RegExp:\\bFoo ?Bar(?:/[\\d.]+|[ \\w.]*) (/tmp/perf-1.map)\n"
		"\t    aaaac1467b30 _RNvCs8K9WJNlS7Dz_5trace+0x30 (/t)\n"
		"\t    7fffab39798b std::function<void ()>::operator()(int) const+0x2 (/t)\n"
		"\t    7fffab39798b LFoo;::a->LBar;::b->LBaz;::c (/tmp/perf-1.map)\n\n");

	(void)state;
	assert_int_equal(depth(&f, 0), 8);
	assert_str(name(&f, 0, 0), "LazyCompile:~body_0 eval.<anonymous>:1");
	assert_int_equal(symbol(&f, 0, 0)->space, SPACE_JIT);
	assert_str(name(&f, 0, 3), "std::function<void ()>::operator()(int) const");
	assert_str(name(&f, 0, 4), "LBaz;::c");
	assert_int_equal(symbol(&f, 0, 4)->flags & SYMBOL_INLINED, SYMBOL_INLINED);
	assert_str(name(&f, 0, 6), "LFoo;::a");
	assert_folded(&f, "node;LFoo:::a;LBar:::b_[i];LBaz:::c_[i];"
			  "std::function<void ()>::operator();"
			  "_RNvCs8K9WJNlS7Dz_5trace;RegExp:\\bFoo ?Bar;"
			  "LazyCompile:~body_0 eval.<anonymous>:1 1\n");
	reading_fini(&f);
}

static void undoes_mangling_that_perf_left(void **state)
{
	struct reading f =
		reading_of(&format_perf_script, "app 1 1.0: 1 cycles:\n"
						"\t1000 _RNvCs1234_7mycrate4main+0x10 (/bin/app)\n"
						"\t1001 _RNvCs1234_7mycrate4main+0x11 (/bin/app)\n"
						"\t1002 _Rounding+0x1 (/bin/app)\n"
						"\t1003 _ZNK2ns3BoxIiE3getEiRKSs+0x1 (/bin/app)\n");

	(void)state;
	if (HAVE_LIBIBERTY) {
		assert_str(name(&f, 0, 0), "mycrate::main");
		assert_str(name(&f, 0, 1), "mycrate::main");
		assert_str(name(&f, 0, 3), "ns::Box<int>::get");
	}
	assert_str(name(&f, 0, 2), "_Rounding");
	reading_fini(&f);
}

static void reads_branches_and_counts_trace_errors(void **state)
{
	struct reading f = reading_of(
		&format_perf_script, "293415/293415 47170.086912805:    1   branches:uH:   jcc    "
				     "40ac3f f+0xe (a.so) => 40ac4d g+0xf (a.so)\n"
				     " instruction trace error type 1 time 47170.086912826 cpu -1 "
				     "pid 293415 tid 293415 ip 0 code 7: Overflow\n"
				     "293415/293415 47170.086912872:    1   branches:uH:   tr strt "
				     " 0 [unknown] (a.so) => 7ffff7327793 h+0x63 (a.so)\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_str(name(&f, 0, 0), "f");
	assert_int_equal(depth(&f, 0), 1);
	assert_int_equal(f.p->samples.time_ns.data[0], UINT64_C(47170086912805));
	assert_int_equal(diag_get(&f.c->diag, "perf-script-trace-errors"), 1);
	reading_fini(&f);
}

static void turns_delta_times_into_times(void **state)
{
	struct reading f = reading_of(&format_perf_script,
				      "t 25 [001] 0.000000: sdt:a: (5635e72a5ebd)\n"
				      "t 25 [001] 0.000091: sdt:a: (5635e72a76a9)\n"
				      "t 25 [001] 1.000051: sdt:a: (5635e72a772e) arg1=1\n"
				      "t 25 [001] 0.000685: sdt:a: (5635e72a5ebd)\n");

	(void)state;
	assert_int_equal(f.p->samples.time_ns.data[3], UINT64_C(1000827000));
	assert_int_equal(diag_get(&f.c->diag, "perf-script-delta-times"), 4);
	assert_int_equal(depth(&f, 0), 1);
	reading_fini(&f);
}

static void keeps_header_notes_and_the_command(void **state)
{
	struct reading f = reading_of(
		&format_perf_script,
		"# ========\n# hostname : box\n# cmdline : /usr/bin/perf record -a -g \n"
		"# ========\n#\nswapper 0 [001]  13.768770: cpu-clock: \n\t 401b97 f (x)\n\n");

	(void)state;
	assert_int_equal(f.c->notes.len, 2);
	assert_str(strings_get(&f.d->strings, f.c->notes.data[0].value), "box");
	assert_str(strings_get(&f.d->strings, f.c->command), "/usr/bin/perf record -a -g");
	reading_fini(&f);
}

static void counts_what_is_no_sample(void **state)
{
	struct reading f =
		reading_of(&format_perf_script,
			   "\t401b97 early (x)\na 1 1.0: 1 cycles: \n\t 401b97 f (x)\n  main.c:12\n"
			   "\t WEIRD\n\t 401b98 g (x)\n\n--\nhello\n"
			   "a 1 0.0: PERF_RECORD_CGROUP cgroup: 1 /\n"
			   "a 1 0.0: PERF_RECORD_LOST lost 5\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 1);
	assert_int_equal(depth(&f, 0), 3);
	assert_int_equal(diag_get(&f.c->diag, "perf-script-orphan-frames"), 1);
	assert_int_equal(diag_get(&f.c->diag, "perf-script-source-lines"), 1);
	assert_int_equal(diag_get(&f.c->diag, "perf-script-bad-frames"), 1);
	assert_int_equal(diag_get(&f.c->diag, "perf-script-gaps"), 1);
	assert_int_equal(diag_get(&f.c->diag, "perf-script-unknown-lines"), 1);
	assert_int_equal(diag_get(&f.c->diag, "perf-script-side-records"), 2);
	assert_int_equal(f.p->lost, 5);
	VEC_FOREACH (e, &f.c->diag.entries) {
		if (strcmp(e->kind->counter, "perf-script-bad-frames") == 0)
			assert_int_equal(e->first_line, 5);
	}
	reading_fini(&f);
}

static void reads_crlf_and_tabs_between_words(void **state)
{
	struct reading f =
		reading_of(&format_perf_script,
			   "comm1\t0/0\t\t[000] 0.0:\t\t\t1 sched:sched_switch: prev_comm=comm1\r\n"
			   "\taddress symbol (module)\r\n\r\n"
			   "comm2\t1/1\t\t[001] 1.0:\t\t\t1 sched:sched_switch: prev_comm=comm2\r\n"
			   "\taddress symbol (module)\r\n\r\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_str(name(&f, 1, 0), "symbol");
	assert_int_equal(f.p->samples.cpu.data[1], 1);
	assert_int_equal(f.c->diag.entries.len, 0);
	reading_fini(&f);
}

/* The caches must not change results: print the same stacks in every order and mix. */
static void gives_the_same_with_and_without_repeats(void **state)
{
	struct out text;
	struct reading f;

	(void)state;
	out_init(&text);
	for (unsigned int i = 0; i < 500; i++) {
		out_printf(&text, "c%u %u/%u [000] %u.5: %u cycles: \n", i % 3, i % 5, i % 7, i,
			   i + 1);
		for (unsigned int k = 0; k < 1 + i % 13; k++)
			out_printf(&text, "\t%16x fn%u+0x%x (/lib/m%u.so)\n",
				   0x400000 + (i % 11) * k, (i % 11) * k, i % 4, k % 3);
		out_z(&text, "\n");
	}
	out_char(&text, '\0');
	f = reading_of(&format_perf_script, text.data);
	assert_int_equal(f.p->samples.n, 500);
	for (unsigned int i = 0; i < 500; i++) {
		unsigned int n = 1 + i % 13;

		assert_int_equal(depth(&f, i), n + 1);
		for (unsigned int k = 0; k < n; k++) {
			char want[32];

			(void)snprintf(want, sizeof(want), "fn%u", (i % 11) * k);
			assert_str(name(&f, i, k), want);
			(void)snprintf(want, sizeof(want), "/lib/m%u.so", k % 3);
			assert_str(module(&f, i, k), want);
		}
		assert_int_equal(thread(&f, i)->tid, i % 7);
	}
	reading_fini(&f);
	out_fini(&text);
}

static void finds_samples_inside_a_mail(void **state)
{
	static const char text[] =
		"Hi all,\n\n  $ perf script | head\n"
		"     perf 442394 [000]     7600.157861:   16 cycles: ffffffff9706e544 w+0x4 (/v)\n"
		"     perf 442394 [000]     7600.157863:   16 cycles: ffffffff9706e544 w+0x4 (/v)\n"
		"  $ perf script -F time\n"
		"     perf 442394 [000]     7600.157861:   16 cycles: ffffffff9706e544 w+0x4 (/v)\n"
		"     perf 442394 [000]     7600.157863:   16 cycles: ffffffff9706e544 w+0x4 "
		"(/v)\n\n"
		"Regards, see page 12 above: fine\n";
	struct extent e;

	(void)state;
	assert_true(format_perf_script.find(str_of(text), 0, &e));
	assert_true(str_starts(str_ltrim(str_skip(str_of(text), e.from)), STR("perf 442394")));
	assert_true(e.score >= 90);
	assert_true(format_perf_script.find(str_of(text), e.to, &e));
	assert_false(format_perf_script.find(str_of(text), e.to, &e));
}

static void does_not_claim_what_looks_alike(void **state)
{
	static const char ftrace[] =
		"          <idle>-0     [001] d..3  123.456789: sched_switch: prev_comm=swapper "
		"==> x\n"
		"            bash-1234  [000] ....  123.456790: sys_enter: NR 1 (2, 3)\n"
		"            bash-1234  [000] 123.456790: sys_enter: NR 1 (2, 3)\n"
		"[   12.345678] usb 1-1: new device\n[   12.345679] foo 12: bar (baz)\n"
		" 0)   1.234 us    |  f();\n"
		"2021-01-01T00:00:00.000Z|00012|poll_loop|INFO|wakeup due to 0-ms timeout (52% CPU "
		"usage)\n"
		"    12.34%  comm  [kernel.kallsyms]  [k] f\n"
		"On page 12 cycles: nothing\nfoo bar 12 baz: (x)\n";
	struct extent e;

	(void)state;
	assert_false(format_perf_script.find(str_of(ftrace), 0, &e));
	assert_int_equal(format_perf_script.probe(str_of(ftrace)), 0);
}

/*
 * The callers' lines are equal in address, length, middle and end: only other bytes distinguish
 * them.
 */
static void separates_callers_whose_lines_have_equal_hashes(void **state)
{
	static const char a[] =
		"a 1 1.0: 1 cycles: \n\t    ffffffff8100 leaf+0x1 (k)\n"
		"\t    ffffffff8200 aXcccccccccccccccccccccccccccccccccccc+0x1 (k)\n"
		"\t    ffffffff8300 top+0x1 (k)\n\n";
	static const char b[] =
		"a 1 1.0: 1 cycles: \n\t    ffffffff8100 leaf+0x1 (k)\n"
		"\t    ffffffff8200 aYcccccccccccccccccccccccccccccccccccc+0x1 (k)\n"
		"\t    ffffffff8300 top+0x1 (k)\n\n";
	struct out text;
	struct reading f;

	(void)state;
	out_init(&text);
	for (int i = 0; i < 4; i++)
		out_str(&text, i % 2 ? STR(b) : STR(a));
	out_char(&text, '\0');
	f = reading_of(&format_perf_script, out_view(&text).p);
	assert_int_equal(f.p->samples.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(depth(&f, i), 4);
		assert_int_equal(name(&f, i, 1).p[1], i % 2 ? 'Y' : 'X');
	}
	reading_fini(&f);
	out_fini(&text);
}

/* Stacks with more lines than a block holds, with and without an empty line at the end. */
static void reads_stacks_that_are_too_long_to_remember(void **state)
{
	struct out text;
	struct reading f;

	(void)state;
	out_init(&text);
	for (int i = 0; i < 3; i++) {
		out_str(&text, STR("a 1 1.0: 1 cycles: \n"));
		for (int k = 0; k < 3000; k++)
			out_str(&text, STR("\tffffffff81000000 f+0x1 ([kernel.kallsyms])\n"));
		if (i < 2)
			out_char(&text, '\n');
	}
	for (int i = 0; i < 50; i++)
		out_str(&text, STR("a 1 1.0: 1 cycles: \n\tffffffff81000000 g+0x1 (k)\n"
				   "\tffffffff81000000 h+0x1 (k)\n"));
	out_char(&text, '\0');
	f = reading_of(&format_perf_script, out_view(&text).p);
	assert_int_equal(f.p->samples.n, 53);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(depth(&f, i), 3001);
	for (size_t i = 3; i < 53; i++)
		assert_int_equal(depth(&f, i), 3);
	assert_int_equal(f.c->diag.entries.len, 0);
	assert_int_equal(f.c->last_line, 2 + 3 * 3001 + 150);
	reading_fini(&f);
	out_fini(&text);
}

static void fails_when_there_is_no_sample(void **state)
{
	struct reading f = reading_of(&format_perf_script, "hello\n");

	(void)state;
	assert_int_equal(f.status, ERR_FORMAT);
	reading_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_thread_cpu_time_period_and_frames),
		cmocka_unit_test(takes_one_sample_each_where_no_period_is_printed),
		cmocka_unit_test(reads_headers_without_time_and_frames_without_indent),
		cmocka_unit_test(keeps_the_last_sample_without_an_empty_line),
		cmocka_unit_test(ends_a_stack_at_the_next_header),
		cmocka_unit_test(takes_frames_after_a_stray_empty_line),
		cmocka_unit_test(makes_a_capture_of_each_event),
		cmocka_unit_test(strips_offsets_of_any_size),
		cmocka_unit_test(reads_inlined_and_unknown_and_deleted),
		cmocka_unit_test(reads_names_of_jits_rust_and_cpp),
		cmocka_unit_test(undoes_mangling_that_perf_left),
		cmocka_unit_test(reads_branches_and_counts_trace_errors),
		cmocka_unit_test(turns_delta_times_into_times),
		cmocka_unit_test(keeps_header_notes_and_the_command),
		cmocka_unit_test(counts_what_is_no_sample),
		cmocka_unit_test(reads_crlf_and_tabs_between_words),
		cmocka_unit_test(gives_the_same_with_and_without_repeats),
		cmocka_unit_test(separates_callers_whose_lines_have_equal_hashes),
		cmocka_unit_test(reads_stacks_that_are_too_long_to_remember),
		cmocka_unit_test(finds_samples_inside_a_mail),
		cmocka_unit_test(does_not_claim_what_looks_alike),
		cmocka_unit_test(fails_when_there_is_no_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
