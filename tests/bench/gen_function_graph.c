/* SPDX-License-Identifier: MIT */
/*
 * gen_function_graph BYTES [plain|proc|retval] > FILE: a made-up trace of about that size
 *
 * Calls of a few hundred functions on four CPUs, nested up to twenty deep, with task switches, as
 * tracefs prints them. Lines of two CPUs are sometimes interleaved. "proc" adds time and task
 * columns, "retval" the comments of funcgraph-retval.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GEN_CPUS      4
#define GEN_FUNCTIONS 700
#define GEN_MAX_DEPTH 20

enum gen_style { GEN_PLAIN, GEN_PROC, GEN_RETVAL };

struct gen_frame {
	uint32_t function;
	uint64_t spent_ns;
};

struct gen_cpu {
	struct gen_frame stack[GEN_MAX_DEPTH];
	unsigned int depth;
	unsigned int pid;
};

struct gen {
	uint64_t random;
	uint64_t bytes;
	uint64_t now_ns;
	enum gen_style style;
	struct gen_cpu cpus[GEN_CPUS];
	char names[GEN_FUNCTIONS][64];
};

static uint32_t gen_random(struct gen *g, uint32_t below)
{
	g->random = g->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((g->random >> 33) % below);
}

static void gen_make_names(struct gen *g)
{
	static const char *const heads[] = { "tcp",  "ip_output", "__alloc", "nf_conntrack",
					     "ext4", "do_sys",    "rcu",     "_raw_spin",
					     "vfs",  "kmem_cache" };
	static const char *const tails[] = { "lock", "unlock", "open", "read_iter", "find_get",
					     "free", "update", "hook", "xmit",      "put" };

	for (uint32_t i = 0; i < GEN_FUNCTIONS; i++) {
		const char *head = heads[i % 10];
		const char *tail = tails[i / 10 % 10];

		if (i % 17 == 3)
			(void)snprintf(g->names[i], 64, "%s_%s_%c [nf_tables]", head, tail,
				       (char)('a' + i / 100));
		else if (i % 23 == 5)
			(void)snprintf(g->names[i], 64, "%s_%s.isra.%u", head, tail, i / 100);
		else
			(void)snprintf(g->names[i], 64, "%s_%s%s%c", head, tail,
				       i / 100 % 2 ? "_" : "", (char)('a' + i / 100));
	}
}

static void gen_columns(struct gen *g, uint32_t cpu, int is_end, uint64_t ns)
{
	char number[32];
	const char *mark = ns > 1000000000  ? "$"
			   : ns > 100000000 ? "@"
			   : ns > 10000000  ? "*"
			   : ns > 1000000   ? "#"
			   : ns > 100000    ? "!"
			   : ns > 10000     ? "+"
					    : " ";
	int n = 0;

	g->now_ns += 200;
	if (g->style == GEN_PROC)
		n += printf("%5" PRIu64 ".%06" PRIu64 " |  %2u)   load-%u     |",
			    g->now_ns / 1000000000, g->now_ns / 1000 % 1000000, cpu,
			    g->cpus[cpu].pid);
	else
		n += printf("%3u)", cpu);
	if (!is_end) {
		n += printf("               |  ");
	} else {
		(void)snprintf(number, sizeof(number), "%" PRIu64 ".%03" PRIu64, ns / 1000,
			       ns % 1000);
		if (strlen(number) > 7)
			number[8] = '\0';
		n += printf(" %s %s us%*s|  ", mark, number, (int)(9 - strlen(number)), "");
	}
	g->bytes += (uint64_t)n;
}

static void gen_line(struct gen *g, uint32_t cpu)
{
	struct gen_cpu *c = &g->cpus[cpu];
	uint32_t dice = gen_random(g, 100);
	uint64_t ns = 30 + gen_random(g, 300) + (gen_random(g, 1000) == 0 ? 50000 : 0);
	uint32_t f = gen_random(g, 26) ? gen_random(g, 120) : gen_random(g, GEN_FUNCTIONS);
	int indent = (int)c->depth * 2;

	if (c->depth == GEN_MAX_DEPTH || (c->depth && dice < 27)) {
		struct gen_frame *top = &c->stack[--c->depth];

		ns += top->spent_ns + 150;
		gen_columns(g, cpu, 1, ns);
		g->bytes += (uint64_t)printf("%*s}", indent - 2, "");
		if (g->style == GEN_RETVAL)
			g->bytes +=
				(uint64_t)printf(" /* %s = 0x%x */", g->names[top->function], dice);
		if (c->depth)
			c->stack[c->depth - 1].spent_ns += ns;
	} else if (dice < 55 || !c->depth) {
		gen_columns(g, cpu, 0, 0);
		g->bytes += (uint64_t)printf("%*s%s() {", indent, "", g->names[f]);
		c->stack[c->depth++] = (struct gen_frame){ f, 0 };
	} else {
		gen_columns(g, cpu, 1, ns);
		g->bytes += (uint64_t)printf("%*s%s();", indent, "", g->names[f]);
		if (g->style == GEN_RETVAL)
			g->bytes += (uint64_t)printf(" /* = 0x%x */", dice);
		c->stack[c->depth - 1].spent_ns += ns;
	}
	(void)putchar('\n');
	g->bytes++;
}

static void gen_switch(struct gen *g, uint32_t cpu)
{
	static const char ruler[] = " ------------------------------------------\n";
	unsigned int next = 100 + gen_random(g, 40) * GEN_CPUS + cpu;

	if (next == g->cpus[cpu].pid)
		return;
	g->bytes += (uint64_t)printf("%s%3u)   load-%u    =>   load-%u   \n%s\n", ruler, cpu,
				     g->cpus[cpu].pid, next, ruler);
	g->cpus[cpu].pid = next;
}

int main(int argc, char **argv)
{
	static struct gen g;
	uint64_t want = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	uint32_t cpu = 0;

	if (want == 0) {
		(void)fprintf(stderr, "usage: gen_function_graph BYTES [plain|proc|retval]\n");
		return 2;
	}
	if (argc > 2)
		g.style = strcmp(argv[2], "proc") == 0     ? GEN_PROC
			  : strcmp(argv[2], "retval") == 0 ? GEN_RETVAL
							   : GEN_PLAIN;
	g.random = 42;
	g.now_ns = UINT64_C(27345009000);
	gen_make_names(&g);
	for (uint32_t i = 0; i < GEN_CPUS; i++)
		g.cpus[i].pid = 100 + i;
	if (g.style == GEN_PROC)
		(void)puts("# tracer: function_graph\n#\n"
			   "#     TIME        CPU  TASK/PID         DURATION                  "
			   "FUNCTION CALLS\n"
			   "#      |          |     |    |           |   |                     |   "
			   "|   |   |");
	else
		(void)puts("# tracer: function_graph\n#\n"
			   "# CPU  DURATION                  FUNCTION CALLS\n"
			   "# |     |   |                     |   |   |   |");
	while (g.bytes < want) {
		uint32_t dice = gen_random(&g, 1000);

		if (dice < 8)
			cpu = gen_random(&g, GEN_CPUS);
		if (dice == 999 && g.cpus[cpu].depth == 0)
			gen_switch(&g, cpu);
		gen_line(&g, dice >= 960 && dice < 990 ? cpu ^ 1 : cpu);
	}
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
