/* SPDX-License-Identifier: MIT */
/*
 * gen_trace_dat BYTES > FILE: a made-up trace.dat (version 6) of about that size
 *
 * A function graph of four CPUs with one task on each, calls nested up to twenty deep, return
 * values, and a sched_switch now and then. Below 64 kB there is one page per CPU, and the second
 * CPU's page has lost events before it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GEN_CPUS      4
#define GEN_FUNCTIONS 700
#define GEN_MAX_DEPTH 20
#define GEN_PAGE      4096
#define GEN_TEXT      UINT64_C(0xffffffff81000000)
#define GEN_ID_SWITCH 320
#define GEN_ID_EXIT   10
#define GEN_ID_ENTRY  11

#define GEN_COMMON                                                                      \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"          \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"  \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char gen_header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				      "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				      "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				      "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char gen_header_event[] = "# compressed entry header\n"
				       "\ttype_len    :    5 bits\n"
				       "\ttime_delta  :   27 bits\n";
static const char gen_entry_format[] =
	"name: funcgraph_entry\nID: 11\n" GEN_COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n";
static const char gen_exit_format[] =
	"name: funcgraph_exit\nID: 10\n" GEN_COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long retval;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int overrun;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:40;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%d)\", (void *)REC->func, REC->depth\n";
static const char gen_switch_format[] =
	"name: sched_switch\nID: 320\n" GEN_COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:int prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_pid;\toffset:28;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s prev_pid=%d ==> next_pid=%d\", REC->prev_comm, REC->prev_pid, "
	"REC->next_pid\n";

struct gen_frame {
	uint32_t function;
	uint64_t from;
};

struct gen_cpu {
	uint64_t random;
	uint64_t now;
	struct gen_frame stack[GEN_MAX_DEPTH];
	uint32_t depth;
	uint32_t pid;
	unsigned char page[GEN_PAGE];
	size_t used; /* bytes of data in the page, after the header of 16 bytes */
	uint64_t last;
};

static uint32_t gen_random(struct gen_cpu *g, uint32_t below)
{
	g->random = g->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((g->random >> 33) % below);
}

static void gen_number(FILE *f, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		(void)fputc((int)(v >> (8 * i) & 255), f);
}

static void gen_blob(FILE *f, const char *text, int bytes)
{
	gen_number(f, strlen(text), bytes);
	(void)fputs(text, f);
}

/* Room for a record of @size bytes (a multiple of 4, less than 116). NULL: the page is full. */
static unsigned char *gen_record(struct gen_cpu *g, uint32_t size)
{
	unsigned char *p = g->page + 16 + g->used;
	uint32_t head;

	if (g->used + 4 + size > GEN_PAGE - 16)
		return NULL;
	if (g->used == 0) {
		memcpy(g->page, &g->now, 8);
		g->last = g->now;
	}
	head = (uint32_t)(g->now - g->last) << 5 | size / 4;
	g->last = g->now;
	memcpy(p, &head, 4);
	g->used += 4 + size;
	return memset(p + 4, 0, size);
}

static void gen_common(unsigned char *p, uint32_t type, uint32_t pid)
{
	memcpy(p, &type, 2);
	memcpy(p + 4, &pid, 4);
}

static int gen_entry(struct gen_cpu *g, uint32_t function)
{
	unsigned char *p = gen_record(g, 20);
	uint64_t address = GEN_TEXT + function * 256u;

	if (!p)
		return 0;
	gen_common(p, GEN_ID_ENTRY, g->pid);
	memcpy(p + 8, &address, 8);
	memcpy(p + 16, &g->depth, 4);
	return 1;
}

static int gen_exit(struct gen_cpu *g, const struct gen_frame *frame)
{
	unsigned char *p = gen_record(g, 48);
	uint64_t address = GEN_TEXT + frame->function * 256u;
	uint64_t value = frame->function % 9 == 1 ? UINT64_C(0) - 2 : frame->function;

	if (!p)
		return 0;
	gen_common(p, GEN_ID_EXIT, g->pid);
	memcpy(p + 8, &address, 8);
	memcpy(p + 16, &value, 8);
	memcpy(p + 24, &g->depth, 4);
	memcpy(p + 32, &frame->from, 8);
	memcpy(p + 40, &g->now, 8);
	return 1;
}

static int gen_switch(struct gen_cpu *g)
{
	unsigned char *p = gen_record(g, 32);

	if (!p)
		return 0;
	gen_common(p, GEN_ID_SWITCH, g->pid);
	memcpy(p + 8, "load", 5);
	memcpy(p + 24, &g->pid, 4);
	return 1;
}

/* One step of the program on a CPU. 0: the page is full, no change. */
static int gen_step(struct gen_cpu *g)
{
	uint32_t dice = gen_random(g, 100);
	uint32_t f = gen_random(g, 26) ? gen_random(g, 120) : gen_random(g, GEN_FUNCTIONS);
	struct gen_frame leaf = { f, g->now };

	if (!g->depth && gen_random(g, 100) == 0)
		return gen_switch(g);
	if (g->depth == GEN_MAX_DEPTH || (g->depth && dice < 27)) {
		g->depth--;
		g->now += 150;
		if (gen_exit(g, &g->stack[g->depth]))
			return 1;
		g->depth++;
		return 0;
	}
	g->now += 20 + gen_random(g, 100);
	if (g->used + 80 > GEN_PAGE - 16)
		return 0;
	leaf.from = g->now;
	(void)gen_entry(g, f);
	if (dice < 55 || !g->depth) {
		g->stack[g->depth++] = leaf;
		return 1;
	}
	g->now += 30 + gen_random(g, 300) + (gen_random(g, 1000) == 0 ? 50000 : 0);
	return gen_exit(g, &leaf);
}

static void gen_pages(FILE *f, uint32_t cpu, uint64_t n, int has_loss)
{
	static struct gen_cpu g;

	memset(&g, 0, sizeof(g));
	g.random = 42 + cpu;
	g.now = UINT64_C(27345009000) + cpu * 17;
	g.pid = 100 + cpu;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t commit;

		memset(g.page, 0, sizeof(g.page));
		g.used = 0;
		while (gen_step(&g))
			continue;
		commit = g.used;
		if (has_loss && cpu == 1 && i == 0) {
			uint64_t lost = 77;

			if (g.used + 8 <= GEN_PAGE - 16) {
				memcpy(g.page + 16 + g.used, &lost, 8);
				commit |= UINT64_C(1) << 30;
			}
			commit |= UINT64_C(1) << 31;
		}
		memcpy(g.page + 8, &commit, 8);
		(void)fwrite(g.page, 1, GEN_PAGE, f);
	}
}

static void gen_names(FILE *f)
{
	static char text[GEN_FUNCTIONS * 64];
	size_t n = 0;

	for (uint32_t i = 0; i < GEN_FUNCTIONS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%" PRIx64 " T fn_%u_%s%s\n",
				      GEN_TEXT + i * 256u, i, i % 3 ? "lock" : "alloc",
				      i % 17 == 3 ? "\t[nf_tables]" : "");
	gen_blob(f, text, 4);
}

static void gen_header(FILE *f)
{
	(void)fwrite("\x17\x08\x44tracing6\0\0\x08", 1, 14, f);
	gen_number(f, GEN_PAGE, 4);
	(void)fwrite("header_page", 1, 12, f);
	gen_blob(f, gen_header_page, 8);
	(void)fwrite("header_event", 1, 13, f);
	gen_blob(f, gen_header_event, 8);
	gen_number(f, 2, 4);
	gen_blob(f, gen_entry_format, 8);
	gen_blob(f, gen_exit_format, 8);
	gen_number(f, 1, 4);
	(void)fwrite("sched", 1, 6, f);
	gen_number(f, 1, 4);
	gen_blob(f, gen_switch_format, 8);
	gen_names(f);
	gen_blob(f, "", 4);
	gen_blob(f, "100 load\n101 load\n102 kworker/2:1\n103 my app\n", 8);
	gen_number(f, GEN_CPUS, 4);
	(void)fwrite("options  ", 1, 10, f);
	gen_number(f, 4, 2); /* option type 4: the trace clock */
	gen_number(f, 21, 4);
	(void)fwrite("[local] global uptime", 1, 21, f);
	gen_number(f, 0, 2);
}

int main(int argc, char **argv)
{
	uint64_t want = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t pages = want / GEN_PAGE / GEN_CPUS;
	int is_small = want < 65536;
	uint64_t at;
	FILE *f = tmpfile();
	int c;

	if (want == 0 || !f) {
		(void)fprintf(stderr, "usage: gen_trace_dat BYTES > FILE\n");
		return 2;
	}
	pages = is_small ? 1 : pages;
	gen_header(f);
	at = ((uint64_t)ftell(f) + 10 + (GEN_CPUS * 16u) + GEN_PAGE - 1) / GEN_PAGE * GEN_PAGE;
	(void)fwrite("flyrecord", 1, 10, f);
	for (uint32_t i = 0; i < GEN_CPUS; i++) {
		gen_number(f, at + i * pages * GEN_PAGE, 8);
		gen_number(f, pages * GEN_PAGE, 8);
	}
	while ((uint64_t)ftell(f) < at)
		(void)fputc(0, f);
	rewind(f);
	while ((c = fgetc(f)) != EOF)
		(void)putchar(c);
	for (uint32_t i = 0; i < GEN_CPUS; i++)
		gen_pages(stdout, i, pages, is_small);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
