/* SPDX-License-Identifier: MIT */
/*
 * record_host_script.c - the script that a shell on the other machine runs
 *
 * The login shell need not be a POSIX shell. It only gets one constant line without arguments; the
 * script follows on standard input. Lines for this process begin with a random word, so that the
 * output of the command cannot contain them by chance. The recording stops when standard input has
 * a line after the script, or ends because the connection is lost.
 */
#include "cmds/record/record_host.h"

#include "base/out.h"
#include "base/str.h"
#include "base/text/shell.h"

#include "config.h"

static const char script_start[] =
	"umask 077\n"
	"exec 3<&0 </dev/null\n"
	"say() { printf '%s %s\\n' \"$mark\" \"$*\"; }\n"
	"fails() { say failed \"$*\"; exit 1; }\n"
	"dir=\n"
	"trap 'rm -rf \"$dir\"; say bye' EXIT\n"
	"trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 141' PIPE; trap 'exit 143' TERM\n"
	"tmp=${TMPDIR:-/tmp}\n"
	"dir=$(mktemp -d \"$tmp/assay.XXXXXXXXXX\" 2>&1) ||\n"
	"	{ why=$dir; dir=; fails \"no folder can be made in $tmp: $why\"; }\n"
	"assay=$(command -v assay 2>/dev/null)\n"
	"if [ \"$copies\" ] || [ \"$(\"$assay\" --version 2>/dev/null | head -n 1)\" != "
	"\"$version\" ] ||\n"
	"	! \"$assay\" record --dry-run --remote=x -- x >/dev/null 2>&1; then\n"
	"	say need \"$(uname -m)\"\n"
	"	read -r size <&3 || exit 1\n"
	"	assay=$dir/assay\n"
	"	head -c \"$size\" <&3 2>&1 >\"$assay\" | head -n 1 >\"$dir/why\"\n"
	"	[ \"$(wc -c <\"$assay\")\" -eq \"$size\" ] ||\n"
	"		fails \"the program cannot be copied to $tmp: $(cat \"$dir/why\")\"\n"
	"	chmod 700 \"$assay\"\n"
	"	why=$(\"$assay\" --version 2>&1 >/dev/null) ||\n"
	"		fails \"the copied program cannot run in $tmp: $why\"\n"
	"fi\n";

static const char script_run[] =
	"mkfifo \"$dir/out\" || fails \"no pipe can be made in $tmp\"\n"
	"cat \"$dir/out\" 3<&- & cat=$!\n"
	"{\n"
	"	read -r stop <&3\n"
	"	until [ -s \"$dir/pid\" ]; do sleep 1; done\n"
	"	kill -TERM \"$(cat \"$dir/pid\")\"\n"
	"} 2>/dev/null & watch=$!\n"
	"say ready\n"
	"sh -c 'echo $$ >\"$0/pid\"; exec \"$@\" >\"$0/out\"' \"$dir\" \\\n"
	"	\"$assay\" record --no-report --output=\"$dir/perf.data\" \"$@\" 3<&-\n"
	"status=$?\n"
	"kill \"$watch\" 2>/dev/null\n"
	/*
	 * a process that the command started may keep the output open: wait only one second for the
	 * end of the output
	 */
	"{ sleep 1; kill \"$cat\"; } 2>/dev/null & limit=$!\n"
	"wait \"$cat\"\n"
	"kill \"$limit\" 2>/dev/null\n"
	"[ -s \"$dir/perf.data\" ] || { say none \"$status\"; exit 0; }\n"
	"say file \"$status\"\n"
	"if \"$assay\" convert --to perf-data \"$dir/perf.data\" 2>\"$dir/why\"; then\n"
	"	say end\n"
	"else\n"
	"	cat \"$dir/perf.data\" && say end \"$(head -n 1 \"$dir/why\")\"\n"
	"fi\n";

void record_host_script(const struct record_host *h, const char *mark, struct out *out)
{
	out_printf(out, "mark=%s version='assay %s' copies=%s\n", mark, ASSAY_VERSION,
		   h->program ? "1" : "");
	out_z(out, "set --");
	for (size_t i = 0; h->words[i]; i++) {
		out_char(out, ' ');
		shell_word(out, str_of(h->words[i]), true);
	}
	out_char(out, '\n');
	out_z(out, script_start);
	out_z(out, script_run);
}
