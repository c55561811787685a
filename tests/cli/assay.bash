# Helpers of the bats tests. ASSAY is the program, ASSAY_SOURCE the top of the tree;
# a test that is started by hand takes build/assay of the tree that it is in.
assay_setup() {
	export ASSAY_SOURCE=${ASSAY_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
	export ASSAY=${ASSAY:-$ASSAY_SOURCE/build/assay}
	[ -x "$ASSAY" ] || { echo "$ASSAY: no such program; build it with ninja -C build assay"; return 1; }
	cd "$BATS_TEST_TMPDIR" || return 1
	export LC_ALL=C.UTF-8
	unset NO_COLOR ASSAY_PAGER PAGER COLUMNS
	printf 'main;a;b 3\nmain;a 1\nmain;c 6\n' >small.folded
}

setup() {
	assay_setup
}

# The one sentence on stderr that the program leaves: `fails 1 ARGS...`, then $output.
fails() {
	local want=$1
	shift
	run --separate-stderr "$ASSAY" "$@"
	[ "$status" -eq "$want" ] || { echo "status $status: $output $stderr"; return 1; }
	[ -z "$output" ] || { echo "stdout: $output"; return 1; }
	[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || { echo "stderr: $stderr"; return 1; }
}

# Wait until a command succeeds, for as long as a busy machine may take.
waits_for() {
	local i
	for ((i = 0; i < 600; i++)); do
		if "$@"; then return 0; fi
		sleep 0.1
	done
	echo "not in a minute: $*"
	return 1
}

# For what must fail: a command behind a plain ! may do either, bats does not look.
fails_to() {
	if "$@"; then
		echo "this succeeds: $*"
		return 1
	fi
}

is_json() {
	python3 -m json.tool >/dev/null
}

# Skip where this machine lets nobody, or not this user, sample.
needs_rights() {
	"$ASSAY" record -q -o probe.data "$@" >/dev/null 2>why || skip "$(tail -1 why)"
}
