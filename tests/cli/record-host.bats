#!/usr/bin/env bats
# Recording on another machine. ssh is a server of the test on 127.0.0.1, or a script that runs the
# other side as the machine "web7", whose kernel functions have names of their own.
bats_require_minimum_version 1.5.0
load assay.bash

# does this build know the feature $1?
has_feature() {
	"$ASSAY" --version | grep '^with ' | grep -qw "$1"
}

setup_file() {
	export ELSEWHERE_LIB=${ELSEWHERE_LIB:-$BATS_TEST_DIRNAME/../../build/tests/libelsewhere.so}
	cd "$BATS_FILE_TMPDIR" || return 1
	export WEB7=$BATS_FILE_TMPDIR/web7
	mkdir -p "$WEB7/bin" "$WEB7/home" "$WEB7/tmp"
	sed -E 's/^([0-9a-f]+ [tTwW]) (_text$)?/\1 there_/; s/there_$/_text/' /proc/kallsyms >"$WEB7/kallsyms"
	# ssh OPTIONS -- HOST COMMAND
	cat >"$WEB7/ssh" <<-'S'
		#!/bin/sh
		while [ "$1" != -- ]; do shift; done
		cd "$WEB7/home" || exit 255
		[ "$2" = web7 ] || { echo "ssh: no route to $2" >&2; exit 255; }
		[ ! -e "$ELSEWHERE_LIB" ] || export LD_PRELOAD="$ELSEWHERE_LIB"
		export ELSEWHERE_HOST=web7 ELSEWHERE_KALLSYMS="$WEB7/kallsyms"
		echo "noise of the login shell"
		HOME=$WEB7/home TMPDIR=$WEB7/tmp PATH=$WEB7/bin:$PATH exec /bin/sh -c "$3"
	S
	chmod +x "$WEB7/ssh"
	# a program that only that machine has
	cat >hot.c <<-'C'
		#include <unistd.h>
		__attribute__((noinline)) unsigned long hot_there(unsigned long x)
		{
			for (int i = 0; i < 3000000; i++)
				x = x * 31 + 1;
			return x;
		}
		int main(void)
		{
			unsigned long x = 1;
			for (int i = 0; i < 50; i++) {
				x = hot_there(x);
				for (int k = 0; k < 2000; k++)
					(void)getppid();
			}
			return x == 0;
		}
	C
	cc -O2 -g -o "$WEB7/home/hot" hot.c 2>cc.log || true
}

setup() {
	assay_setup || return 1
	export ASSAY_SSH=$WEB7/ssh
	there_is '' || return 1
}

# The assay of that machine, after the shell command @1.
there_is() {
	rm -f "$WEB7/bin/assay"
	printf '#!/bin/sh\n%s\nexec "%s" "$@"\n' "$1" "$ASSAY" >"$WEB7/bin/assay"
	chmod +x "$WEB7/bin/assay"
}

# That machine has no assay.
web7_is_bare() {
	there_is 'exit 1'
}

# No folder of assay is left there.
is_clean() {
	[ -z "$(ls -A "$WEB7/tmp")" ] || { ls -lR "$WEB7/tmp"; return 1; }
}

@test "a command is recorded there: output, messages, exit status, names" {
	needs_rights -- true
	[ -x "$WEB7/home/hot" ] || skip "no C compiler here"
	run --separate-stderr "$ASSAY" record --host web7 --no-report -- sh -c './hot; echo done; echo bad >&2; exit 7'
	[ "$status" -eq 7 ]
	[ "$output" = done ]
	[[ $stderr == *bad* && $stderr == *"assay: perf.data: "*" samples of "* ]]
	[ "$(stat -c %a perf.data)" = 600 ]
	is_clean
	"$ASSAY" report -n perf.data >page
	grep -q '\[\.\] hot_there' page
	if [ -e "$ELSEWHERE_LIB" ] && ! grep -q '^0000000000000000 . there_' "$WEB7/kallsyms"; then
		grep -q 'hostname: web7' page
		grep -q '\[k\] there_' page
		! has_feature dwarf || "$ASSAY" report --inline --sort sym,srcline perf.data | grep -q 'hot\.c:'
	fi
}

@test "the page here is the same as there" {
	local words
	needs_rights -- true
	[ -x "$WEB7/home/hot" ] || skip "no C compiler here"
	# the other side keeps its recording
	there_is "[ \"\$1\" != convert ] || cp \"\$4\" '$BATS_TEST_TMPDIR/kept.data'"
	"$ASSAY" record --host web7 -q -F 1999 -- ./hot
	mkdir there
	cp -p kept.data there/perf.data
	for words in report "report --inline" "report -g caller" "report --sort sym,srcline" "convert --to folded"; do
		# shellcheck disable=SC2086 # several words
		(cd there && HOME=$WEB7/home LD_PRELOAD=$ELSEWHERE_LIB ELSEWHERE_HOST=web7 \
			ELSEWHERE_KALLSYMS=$WEB7/kallsyms "$ASSAY" $words perf.data) >one
		mv "$WEB7/home/hot" hot
		# shellcheck disable=SC2086
		"$ASSAY" $words perf.data >two
		mv hot "$WEB7/home/hot"
		diff one two
	done
}

@test "arguments arrive as they are" {
	needs_rights -- true
	printf '%s\0' "a b" "it's" '"q"' '$HOME `id` \' "two
lines" '' '*' '!x' 'é' >expected
	run --separate-stderr "$ASSAY" record --host web7 --no-report -- sh -c 'printf "%s\0" "$@" >args' x "a b" "it's" \
		'"q"' '$HOME `id` \' "two
lines" '' '*' '!x' 'é'
	[ "$status" -eq 0 ]
	cmp expected "$WEB7/home/args"
}

@test "options go there, those of the output stay" {
	needs_rights -- true
	has_feature zstd || skip "no zstd in this build"
	run --separate-stderr "$ASSAY" record --host web7 --no-report -F 499 -e cpu-clock:u -z --no-inherit -o "my file" -- sh -c 'i=0; while [ $i -lt 90000 ]; do i=$((i+1)); done'
	[ "$status" -eq 0 ]
	tr '\0' '\n' <"my file" >words
	for words in --no-inherit --event=cpu-clock:u --freq=499 --compress; do
		grep -aqx -e "$words" words
	done
	fails_to grep -aq -e --host words
	[[ $stderr == *"assay: my file: "* ]]
	is_clean
}

@test "the program is copied where there is none" {
	needs_rights -- true
	web7_is_bare
	run --separate-stderr "$ASSAY" record --host web7 --host-program "$ASSAY" --no-report -- sh -c 'ls "$TMPDIR"/assay.*/'
	[ "$status" -eq 0 ]
	[[ $output == *assay*perf* ]]
	[ -s perf.data ]
	is_clean
}

@test "a program that cannot run there is refused before it is sent" {
	web7_is_bare
	fails 1 record --host web7 -- true
	[[ $stderr == *"no assay of this version there, and this one needs libraries"*"--host-program FILE" ]] ||
		! file -L "$ASSAY" | grep -q interpreter
	head -c 4096 /dev/zero >zero
	fails 1 record --host web7 --host-program zero -- true
	[[ $stderr == *"zero: not a program"* ]]
	fails 1 record --host web7 --host-program ./nothing -- true
	[[ $stderr == *"nothing: No such file"* ]]
	python3 - "$ASSAY" <<-'P'
		import sys
		raw = bytearray(open(sys.argv[1], "rb").read(70000))
		raw[18:20] = (8).to_bytes(2, sys.byteorder)  # EM_MIPS
		open("mips", "wb").write(raw)
	P
	fails 1 record --host web7 --host-program mips -- true
	[[ $stderr == *"mips is for another machine, that machine is $(uname -m)"* ]]
	is_clean
	[ ! -e perf.data ]
}

@test "^C ends the recording there, and the result comes here" {
	needs_rights -a --for 0.1
	rm -f probe.data
	"$ASSAY" record --host web7 --no-report -a 2>log &
	pid=$!
	waits_for sh -c "ls $WEB7/tmp/assay.*/pid"
	sleep 1
	kill -INT $pid
	wait $pid
	grep -q 'stopped by a signal' log
	# without the library that can be preloaded, the other side has the name of this machine
	[ ! -e "$ELSEWHERE_LIB" ] || "$ASSAY" report -n perf.data | grep -q 'hostname: web7'
	is_clean
}

@test "a connection that is lost stops the recording there" {
	needs_rights -a --for 0.1
	rm -f probe.data
	# ssh is a process of its own, between the two
	cat >ssh <<-'S'
		#!/bin/sh
		echo $$ >"$WEB7/ssh.pid"
		mkfifo "$WEB7/in" "$WEB7/out"
		"$WEB7/ssh" "$@" <"$WEB7/in" >"$WEB7/out" &
		cat <"$WEB7/out" &
		exec cat >"$WEB7/in"
	S
	chmod +x ssh
	"$ASSAY" record --ssh "$PWD/ssh" --host web7 --no-report -a 2>log &
	pid=$!
	waits_for sh -c "ls $WEB7/tmp/assay.*/pid"
	kill "$(cat "$WEB7/ssh.pid")"
	waits_for is_clean
	wait $pid || true
	rm -f "$WEB7/in" "$WEB7/out"
}

@test "errors of the connection are one sentence" {
	fails 1 record --host web8 -- true
	[ "$stderr" = "assay: web8: ssh: no route to web8" ]
	fails 2 record --host -oProxyCommand=x -- true
	[[ $stderr == *"--host takes USER@HOST"* ]]
	ASSAY_SSH=./no-such-ssh fails 1 record --host web7 -- true
	[[ $stderr == *"web7: ssh: "*"not found" ]]
	mkdir empty
	run -1 --separate-stderr env ASSAY_SSH= PATH="$PWD/empty" "$ASSAY" record --host web7 -- true
	[[ $stderr == "assay: web7: ssh: No such file or directory; install it, or name another one with --ssh" ]]
	ASSAY_SSH='exit 3;' fails 1 record --host web7 -- true
	[[ $stderr == *"ssh ended with status 3"* ]]
	for words in "--graph do_fork" "--ring 1s" "--repeat 2" "--dry-run" "--call-graph dwarf"; do
		# shellcheck disable=SC2086
		fails 2 record --host web7 $words -- true
		[[ $stderr == *"--host excludes"* ]]
	done
	[ ! -e perf.data ]
}

@test "errors of the recording there are one sentence" {
	needs_rights -- true
	rm -f probe.data
	run -127 --separate-stderr "$ASSAY" record --host web7 -- ./no-such-command
	[ "$stderr" = "assay: ./no-such-command: no such command" ]
	fails 1 record --host web7 -e no-such-event -- true
	[[ $stderr == *"there is no event 'no-such-event'"* ]]
	[ ! -e perf.data ]
	is_clean
}

@test "a folder there that cannot be made is one sentence" {
	sed 's|TMPDIR=$WEB7/tmp|TMPDIR=/nowhere/at/all|' "$WEB7/ssh" >ssh
	chmod +x ssh
	fails 1 record --ssh "$PWD/ssh" --host web7 -- true
	[[ $stderr == "assay: web7: no folder can be made in /nowhere/at/all: mktemp: "* ]]
}

@test "a file that exists is kept, or becomes FILE.old, as without --host" {
	needs_rights -- true
	echo text >notes
	fails 2 record --host web7 -o notes -- true
	[ "$(cat notes)" = text ]
	"$ASSAY" record --host web7 -q -o a.data -- true
	cp a.data first
	"$ASSAY" record --host web7 -q -o a.data -- true
	cmp first a.data.old
}

@test "a full disk here is one sentence, and the folder there is removed" {
	needs_rights -- true
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount a small disk"
	mkdir small
	mount -t tmpfs -o size=16k none small 2>/dev/null || skip "nothing can be mounted here"
	run --separate-stderr "$ASSAY" record --host web7 -o small/a.data --no-report -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
	ls -A small >left
	umount small
	[ "$status" -eq 1 ]
	[[ $stderr == *"web7: small/a.data: cannot write it: No space left on device"* ]]
	[ ! -s left ]
	waits_for is_clean
}

# A machine that answers @answer after the script, whose mark is in $mark.
hostile() {
	cat >ssh <<-S
		#!/bin/sh
		IFS= read -r first
		mark=\${first#mark=}
		mark=\${mark%% *}
		$1
	S
	chmod +x ssh
	run --separate-stderr "$ASSAY" record --ssh "$PWD/ssh" --host web7 --no-report -o got.data -- true
}

@test "a hostile machine writes nothing but a recording" {
	hostile 'echo "$mark ready"; echo "$mark file 0"; head -c 5000 /dev/zero; echo "$mark end"; echo "$mark bye"'
	[ "$status" -eq 1 ]
	[ "$stderr" = "assay: web7: the file that it sent is no recording" ]
	hostile 'echo "$mark ready"; echo "$mark file ../../x"; echo "$mark end"'
	[ "$status" -eq 1 ]
	hostile 'echo "$mark file 0"; echo PERFILE2'
	[ "$stderr" = "assay: web7: unexpected words of the script there" ]
	hostile 'echo "$mark ready"; printf "%s " "$mark"; head -c 100000 /dev/zero'
	[ "$stderr" = "assay: web7: unexpected words of the script there" ]
	hostile 'printf "%s failed a\033[31mb\n" "$mark"; echo "$mark bye"'
	[ "$stderr" = 'assay: web7: a\x1b[31mb' ]
	hostile 'echo "$mark ready"; echo "$mark none 0"; echo "$mark bye"'
	[ "$stderr" = "assay: web7: nothing was recorded there" ]
	[ "$status" -eq 1 ]
	hostile 'head -c 3000000 /dev/zero; echo "$mark failed x"; echo "$mark bye"'
	[ "$stderr" = "assay: web7: x" ]
	hostile "echo \"\$mark need $(uname -m)\"; echo \"\$mark need $(uname -m)\"; cat >/dev/null"
	[ "$status" -eq 1 ]
	[ -z "$(find . -name '*.data*')" ]
}

@test "the part of a recording that arrived before the connection was lost is kept" {
	needs_rights -- true
	"$ASSAY" record -q -o whole.data -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	head -c $(($(stat -c %s whole.data) - 3000)) whole.data >part
	rm -f probe.data
	hostile 'echo "$mark ready"; echo "$mark file 0"; cat part'
	[ "$status" -eq 1 ]
	[ "$stderr" = "assay: web7: the connection was lost; $(stat -c %s part) bytes of the recording arrived" ]
	cmp part got.data
	"$ASSAY" report got.data >page || true
	grep -q 'sh' page
	rm got.data
	head -c 90 whole.data >part
	hostile 'echo "$mark ready"; echo "$mark file 0"; cat part'
	[ ! -e got.data ]
}

@test "through an ssh server" {
	local port
	needs_rights -- true
	[ -x /usr/sbin/sshd ] || skip "openssh-server is not installed"
	unset ASSAY_SSH
	[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f host
	ssh-keygen -q -t ed25519 -N '' -f key
	port=$((20000 + $$ % 20000))
	cat >sshd_config <<-E
		Port $port
		ListenAddress 127.0.0.1
		HostKey $PWD/host
		AuthorizedKeysFile $PWD/key.pub
		PidFile $PWD/pid
		StrictModes no
		UsePAM no
		PasswordAuthentication no
	E
	cat >config <<-E
		Host *
		HostName 127.0.0.1
		Port $port
		IdentitiesOnly yes
		UserKnownHostsFile $PWD/known
		StrictHostKeyChecking accept-new
		Host web7
		IdentityFile $PWD/key
	E
	/usr/sbin/sshd -f sshd_config -E sshd.log || skip "no ssh server can run here: $(tail -1 sshd.log)"
	waits_for ssh -F config web7 true || { kill "$(cat pid)"; skip "no login by key: $(tail -1 sshd.log)"; }
	run --separate-stderr "$ASSAY" record --ssh "ssh -F $PWD/config" --host web7 --host-program "$ASSAY" \
		--no-report -- sh -c "echo \"it's here\"; sleep 100 & i=0; while [ \$i -lt 30000 ]; do i=\$((i+1)); done; echo \$! >$PWD/left; exit 4"
	kill "$(cat left)"
	[ "$status" -eq 4 ]
	[ "$output" = "it's here" ]
	[[ $stderr == *"perf.data: "*" samples"* ]]
	"$ASSAY" report -n perf.data | grep -q '\[\.\]'
	fails 1 record --ssh "ssh -F $PWD/config -o BatchMode=yes" --host other -- true
	kill "$(cat pid)"
	[[ $stderr == "assay: other: ssh: "*"Permission denied"* ]]
}
