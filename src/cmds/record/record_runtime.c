/* SPDX-License-Identifier: MIT */
#include "cmds/record/record_runtime.h"

#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNTIME_LINE 256u /* maximum length of the first line of a script, in bytes */

struct record_runtime {
	const char *programs; /* pattern for names of the runtime's programs */
	const char *language;
	const char *variable; /* environment variable to set; NULL: none */
	const char *value;
	/*
	 * advice for the user. If `variable` is set, the advice is given only if the process wrote
	 * no symbol map
	 */
	const char *hint;
	/*
	 * the advice is given only if the first argument of the command is `with` and no argument
	 * is `without`; NULL: no such condition
	 */
	const char *with, *without;
};

/*
 * Sources of the variables and options. Python: "Support for the perf profiler". Node: options
 * --perf-basic-prof and --interpreted-frames-native-stack of V8. Java: OpenJDK 17, JDK-8254723;
 * older versions ignore -XX:+DumpPerfMapAtExit. PHP: opcache.jit_debug. Ruby 3.3: --yjit-perf.
 */
static const struct record_runtime runtimes[] = {
	{ "python|python2*|python3*", "Python", "PYTHONPERFSUPPORT", "1",
	  "Python functions have no names: this Python is older than 3.12, or built without perf "
	  "support; py-spy record names them",
	  NULL, NULL },
	{ "node|nodejs|npm|npx|yarn|pnpm", "Node", "NODE_OPTIONS",
	  "--perf-basic-prof --interpreted-frames-native-stack", NULL, NULL, NULL },
	{ "java", "Java", "JAVA_TOOL_OPTIONS",
	  "-XX:+IgnoreUnrecognizedVMOptions -XX:+PreserveFramePointer "
	  "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
	  "Java methods have no names: the JVM is older than 17, or ended without its exit hooks",
	  NULL, NULL },
	{ "ruby|ruby[0-9]*|irb|rake|bundle", "Ruby", NULL, NULL,
	  "Ruby methods have no names: 'ruby --yjit --yjit-perf' (3.3 and later) names those that "
	  "it compiles",
	  NULL, NULL },
	{ "php|php[0-9]*", "PHP", NULL, NULL,
	  "PHP functions have no names: 'php -d opcache.enable_cli=1 -d opcache.jit=tracing -d "
	  "opcache.jit_buffer_size=64M -d opcache.jit_debug=16' names those that it compiles",
	  NULL, NULL },
	{ "perl|perl5*", "Perl", NULL, NULL,
	  "Perl functions have no names in a recording: 'perl -d:NYTProf' counts them", NULL,
	  NULL },
	{ "go", "Go", NULL, NULL,
	  "'go run' removes its program at the end, and names with it: record the output of "
	  "'go build'",
	  "run", NULL },
	{ "cargo", "Rust", NULL, NULL,
	  "'cargo run' without --release measures a program that is not optimized", "run",
	  "--release" },
};

/* The last component of a path. */
static struct str runtime_base(struct str path)
{
	size_t slash = str_rfind_char(path, '/');

	return slash < path.len ? str_skip(path, slash + 1) : path;
}

static const struct record_runtime *runtime_find(struct str program)
{
	for (size_t i = 0; i < ARRAY_LEN(runtimes); i++) {
		if (str_glob(str_of(runtimes[i].programs), runtime_base(program)))
			return &runtimes[i];
	}
	return NULL;
}

/*
 * The runtime that the first line of the script @path names, such as "#!/usr/bin/env python3";
 * NULL: none.
 */
static const struct record_runtime *runtime_of_script(const char *path)
{
	char text[RUNTIME_LINE];
	struct str line = { text, 0 };
	struct str program;
	ssize_t n;
	int fd = strchr(path, '/') ? files_open(path, FILES_NAMED) : -1;

	if (fd < 0)
		return NULL;
	n = read(fd, text, sizeof(text));
	(void)close(fd);
	line.len = n > 0 ? (size_t)n : 0;
	line = str_sub(line, 0, str_find_char(line, '\n'));
	if (!str_take(&line, STR("#!")))
		return NULL;
	line = str_trim(line);
	program = str_sub(line, 0, str_find_char(line, ' '));
	if (str_eq(runtime_base(program), STR("env"))) {
		line = str_trim(str_skip(line, program.len));
		(void)str_take(&line, STR("-S "));
		program = str_sub(line, 0, str_find_char(line, ' '));
	}
	return runtime_find(program);
}

const struct record_runtime *record_runtime_of(char *const *argv)
{
	const struct record_runtime *rt;

	if (!argv || !argv[0])
		return NULL;
	rt = runtime_find(str_of(argv[0]));
	return rt ? rt : runtime_of_script(argv[0]);
}

char *record_runtime_setting(const struct record_runtime *rt)
{
	const char *old;
	struct out o;

	if (!rt || !rt->variable)
		return NULL;
	old = getenv(rt->variable);
	/* the variable has a single value, and the user has already set it: keep it */
	if (old && rt->value[0] != '-')
		return NULL;
	out_init(&o);
	out_printf(&o, "%s=", rt->variable);
	if (old && *old)
		out_printf(&o, "%s ", old);
	out_z(&o, rt->value);
	out_char(&o, '\0');
	return o.data;
}

const char *record_runtime_language(const struct record_runtime *rt)
{
	return rt->language;
}

static bool runtime_has_word(char *const *argv, const char *word)
{
	for (; *argv; argv++) {
		if (strcmp(*argv, "--") == 0)
			return false;
		if (strcmp(*argv, word) == 0)
			return true;
	}
	return false;
}

const char *record_runtime_hint(const struct record_runtime *rt, char *const *argv, pid_t pid)
{
	char map[48];
	char dump[48];
	struct stat st;

	if (!rt || !rt->hint || (rt->with && (!argv[1] || strcmp(argv[1], rt->with) != 0)) ||
	    (rt->without && runtime_has_word(argv, rt->without)))
		return NULL;
	(void)snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)pid);
	(void)snprintf(dump, sizeof(dump), "/tmp/jit-%d.dump", (int)pid);
	return rt->variable && (stat(map, &st) == 0 || stat(dump, &st) == 0) ? NULL : rt->hint;
}
