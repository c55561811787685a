#!/bin/sh
# Fails when a folder includes a header of a folder it must not know, or a header
# of a family that is the family's own.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0

# One line a folder: name, then the other folders that it may include.
while read -r dir allowed; do
	[ -d "src/$dir" ] || continue
	# shellcheck disable=SC2013 # folder names have no spaces
	for inc in $(grep -rhoE '^#include "[a-z]+/' "src/$dir" | sed 's/.*"//; s,/,,' | sort -u); do
		case " $dir $allowed " in
		*" $inc "*) ;;
		*) echo "src/$dir must not include $inc/"; grep -rln "#include \"$inc/" "src/$dir"; bad=1 ;;
		esac
	done
done <<'T'
base
core base
document base core
symbols base core
formats base core document symbols
transform base core
analyses base core transform
metrics base core
explain base core analyses transform metrics
render base core analyses transform metrics explain
record base core symbols
cmds base core document symbols formats transform analyses metrics explain render record
T

# One line a family: its folder, then the headers that others may include.
# Output: each use of another header of a family, by a file outside of it.
uses=$(mktemp)
trap 'rm -f "$uses"' EXIT
grep -rE '^#include "[a-z]+/[a-z]+/' src >"$uses"
if ! awk '
	FNR == NR { doors[$1] = " " $0 " "; next }
	{
		split($0, half, ":#include \"")
		header = half[2]
		sub(/\.h".*/, "", header)
		family = header
		sub(/\/[^\/]*$/, "", family)
		sub(/.*\//, "", header)
		if (family in doors && index(doors[family], " " header " ") == 0 &&
		    index(half[1], "src/" family "/") != 1) {
			print family "/" header ".h is of its family alone: " half[1]
			bad = 1
		}
	}
	END { exit bad }
' - "$uses" <<'T'
analyses/calls block_requests call_events call_gaps call_kinds call_tree calls_away calls_below calls_summary calls_total hidden_calls retvals
analyses/compare compare compare_lines compare_names stats_compare
analyses/counters counter_metrics compare_counters dd_run device_loads device_means
analyses/distributions compare_spreads spread
analyses/flame flame
analyses/logs log_bursts log_durations log_facts log_requests log_summary oom_report proxy_requests
analyses/operations operation_key operations
analyses/quality quality
analyses/slow latency_section slow_calls
analyses/syscalls syscalls
analyses/threads thread_channels thread_cross thread_summary thread_waits
analyses/top hot_paths top tree
analyses/tracer tracer_cost tracer_joint
analyses/waits wait_holders wait_roles waits wall_times
base/command args progress standard
base/rights capabilities confined rights sandbox sandbox_clone
base/text base64 cells json scan shell suggest utf8
cmds/browse
cmds/capsule capsule_box capsule_cut capsule_evidence capsule_judge capsule_reading capsule_source
cmds/check check_show
cmds/diff diff_counters diff_distributions diff_pick diff_show
cmds/flame flame_diff flame_risk
cmds/lab lab_list lab_runner
cmds/mcp mcp_paths mcp_server
cmds/record record_graph record_host record_repeat record_runtime record_words
cmds/risk heat sources
cmds/run calibrate capture_pick cmd confine front outputs pages secret session
cmds/screen profile_pages screen_host screen_keys screen_pager screen_terminal
cmds/show evidence sarif show show_findings show_front show_model show_risk
cmds/show/calls show_calls
cmds/show/profile show_profile
cmds/top
core/kinds code counter_roles counters distribution metrics records threads
core/names arguments go_package line_filter package record_scope redact same_job scaling_words side_words start_names statement symbol_offset
document/mail body charset mail quote unwrap
explain/claims claim claim_bless claim_judge claim_prose
explain/facts
explain/redact redact_text
explain/deadlocks deadlock
explain/signatures call_signature counter_halves counter_sides counter_signature signature sleeping waiting
explain/words code_words gc_words heap_words log_words loop_words mutex_words rand_words source_words spread_words statement_words syscall_words table_words task_words thread_words timed_words wait_reasons
explain/kernel kernel_queue kernel_repeat kernel_stall kernel_trace
formats/counters counter_label counter_number
formats/exchange export json_doc
formats/foreign
formats/ftrace ftrace_pairs function_graph_build function_graph_line
formats/histograms
formats/listings
formats/logs loose_messages loose_stacks
formats/perf_data
formats/perf_data/fast perf_data_callers perf_data_peek perf_data_queue perf_data_rows
formats/perf_script perf_script_events
formats/perf_text
formats/pprof
formats/profilers text_dialects
formats/runtimes
formats/statements
formats/syscalls
formats/tables line_table
formats/threads stack_dialect stack_reader
formats/trace_dat
metrics/code c_files c_functions c_language c_measure c_metrics c_names c_tokens c_tree
metrics/compat compat
record/graph ftrace
record/perf rec record
record/window live when window
render/web web_page
symbols/kernel kallsyms kallsyms_index kernel_files
symbols/lines lines
symbols/resolver resolver resolver_cache
symbols/unwind cfi unwind
T
then
	bad=1
fi
for family in src/*/*/; do
	family=$(basename "$(dirname "$family")")/$(basename "$family")
	if [ "$family" != explain/rules ] && ! grep -qE "^$family( |\$)" "$0"; then
		echo "src/$family has no line in the list of families"
		bad=1
	fi
done

# A reader that uses the table of formats depends on all readers. Foreign names have to be looked up there.
if grep -rlE '"formats/(registry|load)\.h"' src/formats/*/ src/formats/format.c | grep -v '^src/formats/foreign/foreign\.c$'; then
	echo "readers must not use the table of formats: registry.h"
	bad=1
fi
# The process that reads cannot open files by name: base/files.h is the door.
if grep -rnE '(^|[^a-z_>.])(f?open|openat|opendir|mkstemp|popen)\(' --include='*.c' \
	src/document src/symbols src/formats src/transform src/analyses src/explain src/render; then
	echo "these must use files_open()"
	bad=1
fi
# Whatever assay opens on its own goes through base/files.h, which refuses devices, pipes and files of
# others. Exceptions: the kernel's files (record, calibrate, rights); trees, which a confined process
# walks (c_files, risk); the cache, with the same check (risk_cache); names in a folder, for a hint
# (session_input); /dev/tty (screen_terminal). No socket has a name or an address.
if grep -rnE '(^|[^a-z_>."|0-9/])(f?open|openat|opendir|popen|fts_open|socket|connect|bind|listen|accept4?)\(' --include='*.c' src |
	grep -vE ':[0-9]+:[[:space:]]*(/?\*|")' |
	grep -vE '^src/(base/(files|newfile|command/standard|rights/(rights|sandbox|sandbox_clone))|record/[a-z]*/(rec|ftrace)_[a-z_]*|cmds/(run/(calibrate|session_input)|screen/screen_terminal)|metrics/(risk|risk_cache|code/c_files))\.c:'; then
	echo "these must use base/files.h"
	bad=1
fi
# Only base/newfile.h writes files: it protects files that must not be overwritten.
if grep -rnE 'O_(CREAT|TRUNC|WRONLY|RDWR|APPEND|TMPFILE)\b|\b(creat|mkostemps?|mkstemps?|tmpfile|mkdtemp|freopen)\(|\bfopen\([^)]*"[wa+]|\b(rename|renameat2?|link|linkat|symlink|truncate)\(' \
	src --include='*.c' --include='*.h' |
	grep -vE '^src/base/(newfile|rights/rights_filter|command/standard)\.c:'; then
	echo "these must use base/newfile.h"
	bad=1
fi
# Each file includes the headers of the names that it uses.
tools/check-includes.py || bad=1
# Public functions are <file>_<verb>.
tools/check-names.py || bad=1
tools/check-listed.py || bad=1
tools/check-trust.py || bad=1
# Each folder below src has a README.md, and what it names exists.
tools/check-doors.py || bad=1
exit $bad
