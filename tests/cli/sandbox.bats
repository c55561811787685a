#!/usr/bin/env bats
# A reader that a file has taken over can do nothing; every death of it is a sentence.
# $HOSTILE_LIB (tests/preload/hostile.c) stands in for zlib and for the parser of C.
bats_require_minimum_version 1.5.0
load assay.bash

setup_file() {
	export NO_SANDBOX=
	[ -n "${HOSTILE_LIB:-}" ] || NO_SANDBOX="needs \$HOSTILE_LIB, in a build without sanitizers"
	"$ASSAY" --limits | grep -q 'with a filter of system calls' ||
		NO_SANDBOX="this system has no seccomp"
	[ -z "$NO_SANDBOX" ] || return 0
	"$ASSAY" --limits | grep -q 'Landlock (version' || export NO_LANDLOCK=1
	cd "$BATS_FILE_TMPDIR" || return 1
	printf 'main;a;b 3\nmain;a 1\n' | gzip >evil.gz
	mkdir src && printf 'int f(int a)\n{\n\treturn a;\n}\n' >src/f.c
	echo victim >victim
}

# bats of Debian 12 cannot skip in setup_file
setup() {
	[ -z "$NO_SANDBOX" ] || skip "$NO_SANDBOX"
	assay_setup
}

# hostile ACTION ARGS...: the program with a reader that does ACTION
hostile() {
	local what=$1
	shift
	cp -r "$BATS_FILE_TMPDIR"/. .
	HOSTILE=$what LD_PRELOAD=$HOSTILE_LIB run --separate-stderr "$ASSAY" "$@"
}

# Not every build has the parser of C.
can_parse_c() {
	"$ASSAY" risk "$BATS_FILE_TMPDIR/src" >/dev/null 2>&1
}

# Commands that read inputs, with a gzip-compressed one; record and the like run other
# programs, read nothing of a stranger before session_load(), and are confined from there.
commands() {
	for cmd in $("$ASSAY" --list-cmds); do
		case $cmd in
		convert) echo "convert --to folded evil.gz" ;;
		diff) echo "diff evil.gz evil.gz" ;;
		check) echo "check share(a)>1% evil.gz" ;;
		risk) can_parse_c && echo "risk src" ;;
		top) ;; # opens no input: what its reader keeps is looked at in top.bats
		browse) ;; # needs a terminal: below
		calls | explain | flame | html | info | report) echo "$cmd evil.gz" ;;
		*) "$ASSAY" "$cmd" --help | grep -q -- --sandbox && echo "$cmd evil.gz" ;;
		esac
	done
	echo "evil.gz"
	! can_parse_c || echo "report --risk src small.folded"
}

@test "browse: its reader gains nothing" {
	cp -r "$BATS_FILE_TMPDIR"/. .
	HOSTILE=all LD_PRELOAD=$HOSTILE_LIB python3 - "$ASSAY" evil.gz >seen <<-'EOF'
		import os, sys
		sys.path.insert(0, os.environ["ASSAY_SOURCE"] + "/tools")
		from pty_screen import Screen
		s = Screen([sys.argv[1], "browse", sys.argv[2]], 80, 24)
		s.until("no such text", 15)
		print(s.plain, "status", s.end())
	EOF
	for what in "read /etc/passwd" "write a file" "remove a file" "rename a file" connect \
		"make a socket" exec signal trace "stat a file" "keep a capability" "give a file away"; do
		grep -q "hostile: $what stopped" seen || { echo "$what:"; cat seen; return 1; }
	done
	! grep DONE seen || [ "$(uname -m)" = s390x ]
	[ -e victim ]
}

@test "what a reader could do is stopped, in every command" {
	commands >list
	[ "$(wc -l <list)" -gt 8 ]
	while read -r words; do
		# shellcheck disable=SC2086
		hostile all $words
		[ "$status" -eq 1 ] || { echo "$words: status $status: $stderr"; return 1; }
		# no filter sees the arguments of mmap() there
		[ "$(uname -m)" != s390x ] || stderr=${stderr/map code DONE/map code stopped}
		for what in "read /etc/passwd" "write a file" "remove a file" "rename a file" connect \
			"make a socket" exec signal trace "map code" "stat a file" "keep a capability" \
			"give a file away"; do
			[[ "$stderr" == *"hostile: $what stopped"* ]] ||
				[[ "$words" == *src* && "$what" == read* && -n "${NO_LANDLOCK:-}" ]] ||
				[[ "$words" == *src* && "$what" == *" a "* && "$what" =~ stat|keep ]] ||
				{ echo "$words: $what: $stderr"; return 1; }
		done
		[[ "$stderr" != *DONE* ]] || [[ "$words" == *src* ]] || { echo "$words: $stderr"; return 1; }
		[ -e victim ]
		[ ! -e hostile-was-here ]
	done <list
}

@test "no process outlives the command, or lets it wait" {
	[ "$(uname -r | cut -d. -f1)" -ge 6 ] || skip "needs a kernel that counts filters"
	hostile outlive report evil.gz # waits until all that have its stderr are gone
	[ "$status" -eq 1 ]
	[[ "$stderr" != *outlive* ]] || { echo "$stderr"; return 1; }
}

@test "a reader starts few processes and threads" {
	local words n
	[ "$(uname -r | cut -d. -f1)" -ge 6 ] || skip "needs a kernel that asks about clone()"
	for words in "report evil.gz" "risk src"; do
		[[ "$words" != risk* ]] || can_parse_c || continue
		# shellcheck disable=SC2086
		hostile forks $words
		[ "$status" -eq 1 ]
		n=$(sed -n 's/^hostile: \([0-9]*\) processes$/\1/p' <<<"$stderr")
		[ "$n" -ge 1 ] && [ "$n" -le 2 ] || { echo "$words: $n processes: $stderr"; return 1; }
		# shellcheck disable=SC2086
		hostile threads $words
		[ "$status" -eq 1 ]
		n=$(sed -n 's/^hostile: \([0-9]*\) threads$/\1/p' <<<"$stderr")
		[ "$n" -lt 64 ] || { echo "$words: $n threads"; return 1; }
		[[ "$words" == risk* ]] || [ "$n" -eq 0 ] || { echo "$words: $n threads"; return 1; }
	done
	# no process of it is left
	[ -z "$(grep -l "^HOSTILE=forks" -z /proc/[0-9]*/environ 2>/dev/null)" ]
}

@test "system calls that no reader needs are refused" {
	local words refused
	for words in "report evil.gz" "explain evil.gz" "risk src"; do
		[[ "$words" != risk* ]] || can_parse_c || continue
		# shellcheck disable=SC2086
		hostile calls $words
		[ "$status" -eq 1 ]
		[[ "$stderr" != *DONE* ]] || { echo "$words:"; grep DONE <<<"$stderr"; return 1; }
		refused=$(grep -c '^hostile: .* stopped' <<<"$stderr")
		[ "$refused" -ge 90 ] || { echo "$words: only $refused were tried"; return 1; }
	done
}

@test "half a message, and silence: the reader is ended, and the command says so" {
	hostile half report evil.gz
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"send half a message DONE"* ]]
	[[ "$stderr" == *"evil.gz: reading was stopped: its process violated the sandbox"* ]]
}

@test "requests whose answers nobody reads do not hold the command" {
	[ "$(uname -r | cut -d. -f1)" -ge 6 ] || skip "needs a kernel that counts filters"
	hostile ask report evil.gz
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"ask and not listen DONE"* ]]
}

@test "descriptors that a reader sends are not kept" {
	(ulimit -n 64 && hostile pass report evil.gz && echo "$stderr") >said
	grep -q 'exhaust descriptors stopped' said || { cat said; return 1; }
}

@test "without the sandbox it could: the test tests something" {
	hostile all report --no-sandbox evil.gz
	[[ "$stderr" == *"assay: --no-sandbox: "* ]]
	[[ "$stderr" == *"hostile: read /etc/passwd DONE"* ]]
	[[ "$stderr" == *"hostile: write a file DONE"* ]]
}

@test "a crash is a sentence with the file's name and status 1, in every command" {
	commands | while read -r words; do
		# shellcheck disable=SC2086
		hostile crash $words
		[ "$status" -eq 1 ] || { echo "$words: status $status"; return 1; }
		[ -z "$output" ]
		[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || { echo "$stderr"; return 1; }
		[[ "$stderr" == "assay: "*": reading crashed (signal "* ]] || { echo "$words: $stderr"; return 1; }
		[[ "$words" == *src* || "$stderr" == "assay: evil.gz: "* ]] || { echo "$words: $stderr"; return 1; }
	done
}

@test "a crash leaves the file of -o as it was" {
	echo before >out
	for what in crash null abort all; do
		hostile $what report --force -o out evil.gz
		[ "$status" -eq 1 ]
		[ "$(cat out)" = before ]
		[ "$(find . -name 'out*' | wc -l)" -eq 1 ]
	done
}

@test "a loop without end meets the limit of time" {
	hostile hang report --limit seconds=1 evil.gz
	[ "$status" -eq 1 ]
	[ "$stderr" = "assay: evil.gz: reading took more than 1 s of CPU time and was stopped (--limit seconds=)" ]
}

@test "memory without end meets the limit of memory" {
	hostile memory report --limit memory=100M evil.gz
	[ "$status" -eq 1 ]
	[ "$stderr" = "assay: evil.gz: reading needs more than 100 MiB of memory (--limit memory=)" ]
}

@test "a crash of a library that did not look whether it got memory" {
	hostile careless report --limit memory=100M evil.gz
	[ "$status" -eq 1 ]
	[ "$stderr" = "assay: evil.gz: reading crashed when it was refused memory: does it need more than 100 MiB (--limit memory=)?" ]
}

@test "a real input that needs more memory than it may have" {
	python3 -c 'print("\n".join("main;f%d;g%d %d" % (i, i * 7, i + 1) for i in range(200000)))' >big.folded
	run --separate-stderr "$ASSAY" report --limit memory=20M big.folded
	[ "$status" -eq 1 ]
	[[ "$stderr" == "assay: big.folded: "*" needs more than 20 MiB of memory"* ]]
	[ -z "$output" ]
}

@test "limits are listed, set and checked" {
	"$ASSAY" --limits | grep -Eq '^samples +2147483648 '
	"$ASSAY" --limits --limit samples=5M | grep -Eq '^samples +5000000 '
	"$ASSAY" --limit=memory=1G --limits | grep -Eq '^memory +1073741824 bytes'
	fails 2 report --limit sampels=5 small.folded
	[[ "$stderr" == *"no limit is called 'sampels'"* ]]
	fails 2 report --limit samples=5x small.folded
	fails 2 report --limit line-bytes=5 small.folded
	[[ "$stderr" == *"is fixed"* ]]
	run --separate-stderr "$ASSAY" report --json --limit symbols=3 small.folded
	[ "$status" -le 1 ]
}

@test "rows are still limited by --limit N" {
	run "$ASSAY" diff --limit 2 small.folded small.folded
	[ "$status" -eq 0 ]
}

@test "what was passed on: a pipe, a named pipe, a folder with a recording" {
	want=$("$ASSAY" report --csv small.folded)
	[ "$("$ASSAY" report --csv - <small.folded)" = "$want" ]
	[ "$("$ASSAY" report --csv <(cat small.folded))" = "$want" ]
	mkdir recording && cp small.folded recording/data
	[ "$("$ASSAY" report --csv recording)" = "$want" ]
	mkfifo pipe
	cat small.folded >pipe &
	[ "$("$ASSAY" report --csv pipe)" = "$want" ]
}

@test "a signal ends both processes, in the same way, and takes the unfinished file away" {
	mkfifo pipe
	"$ASSAY" report -o out - <pipe &
	pid=$!
	exec 7>pipe
	sleep 0.3
	kill -TERM $pid
	run wait $pid
	wait $pid || status=$?
	exec 7>&-
	[ "$status" -eq 143 ] || { echo "$status"; return 1; }
	[ -z "$(find . -name 'out*')" ]
}

@test "JSON that needs more memory than it may have is told so, not that it is none" {
	"$ASSAY" --version | grep -q '^with .*json' || skip "this build has no JSON"
	python3 - <<'EOF'
import json
n = 30000
print(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json",
                  "shared": {"frames": [{"name": "f%d" % i} for i in range(100)]},
                  "profiles": [{"type": "sampled", "name": "a", "unit": "milliseconds",
                                "startValue": 0, "endValue": n,
                                "samples": [[i % 100, i % 7] for i in range(n)],
                                "weights": [1] * n}]}), file=open("big.json", "w"))
EOF
	run --separate-stderr "$ASSAY" info big.json
	[ "$status" -eq 0 ]
	for memory in 4 6 8; do
		run --separate-stderr "$ASSAY" info --limit memory=${memory}M big.json
		[ "$status" -eq 1 ]
		[[ "$stderr" == "assay: big.json: reading "*memory* ]]
	done
}

# a repository with one commit of src/f.c
repository() {
	git init -q "$1"
	mkdir "$1/src" && cp src/f.c "$1/src"
	git -C "$1" add src
	git -C "$1" -c user.name=n -c user.email=n@example.org commit -qm "add f"
}

@test "a folder of a stranger opens no other repository" {
	command -v git >/dev/null || skip "needs git"
	can_parse_c || skip "needs the parser of C"
	cp -r "$BATS_FILE_TMPDIR"/. .
	repository own
	git -C own worktree add -q ../linked
	git clone -q --shared own shared
	run --separate-stderr "$ASSAY" risk --history --columns churn own
	[ "$status" -eq 0 ] || skip "needs libgit2"
	# git wrote both ends of the link
	"$ASSAY" risk --history --columns churn linked | grep -q 'f .*linked/src/f.c:1'
	run --separate-stderr "$ASSAY" risk --history --columns churn shared
	[[ "$stderr" == *"own/.git/objects: git data outside of the named folder is not read; --git-dir allows it"* ]]
	[ "$status" -eq 1 ]
	"$ASSAY" risk --history --columns churn --git-dir own/.git shared | grep -q 'f .*shared/src/f.c:1'
	for git in "gitdir: /" "gitdir: $PWD/own/.git"; do
		echo "$git" >src/.git
		run --separate-stderr "$ASSAY" risk --history --columns churn src
		[ "$status" -eq 1 ]
		[[ "$stderr" == *"git data outside of the named folder is not read"* ]]
	done
}

@test "a repository inside a folder opens none outside by its commondir" {
	command -v git >/dev/null || skip "needs git"
	can_parse_c || skip "needs the parser of C"
	cp -r "$BATS_FILE_TMPDIR"/. .
	repository own
	"$ASSAY" risk --history --columns churn own >/dev/null || skip "needs libgit2"
	mkdir src/data
	echo "gitdir: data" >src/.git
	cp own/.git/HEAD src/data
	echo "$PWD/own/.git" >src/data/commondir
	run --separate-stderr "$ASSAY" risk --history --columns churn src
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"own/.git: git data outside of the named folder is not read"* ]]
}

@test "a repository of another user that names the folder in turn is not read" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	command -v git >/dev/null || skip "needs git"
	can_parse_c || skip "needs the parser of C"
	cp -r "$BATS_FILE_TMPDIR"/. .
	repository own
	git -C own worktree add -q ../linked
	"$ASSAY" risk --history --columns churn linked >/dev/null || skip "needs libgit2"
	chown 12345 own/.git/worktrees/linked
	run --separate-stderr "$ASSAY" risk --history --columns churn linked
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"own/.git/worktrees/linked: git data outside of the named folder is not read"* ]]
}

@test "a repository that another user made around the folder is not read" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	command -v git >/dev/null || skip "needs git"
	can_parse_c || skip "needs the parser of C"
	cp -r "$BATS_FILE_TMPDIR"/. .
	repository around
	"$ASSAY" risk --history --columns churn around/src | grep -q 'f .*src/f.c:1' || skip "needs libgit2"
	chown 12345 around/.git
	run --separate-stderr "$ASSAY" risk --history --columns churn around/src
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"around: git data outside of the named folder is not read; --git-dir allows it"* ]]
}

@test "a reader leaves no large file in the cache" {
	can_parse_c || skip "needs the parser of C"
	export XDG_CACHE_HOME=$PWD/cache HOSTILE_PATH=$PWD/cache/assay/functions-00.new
	hostile cache report evil.gz
	[[ "$stderr" == *"hostile: get a file of the cache stopped"* ]]
	[ ! -e cache ]
	mkdir cache
	hostile cache risk src
	[[ "$stderr" == *"hostile: get a file of the cache DONE"*"hostile: make it large DONE"* ]]
	[ -z "$(find cache -type f -size +4M)" ]
}

@test "a pipe instead of a file of git stops nothing" {
	can_parse_c || skip "needs the parser of C"
	mkdir -p src/.git/objects/info
	cp "$BATS_FILE_TMPDIR/src/f.c" src
	mkfifo src/.git/objects/info/alternates
	timeout 60 "$ASSAY" risk src | grep -q 'f .*src/f.c:1'
}

@test "git's library does not wait for a pipe instead of a file of git" {
	command -v git >/dev/null || skip "needs git"
	can_parse_c || skip "needs the parser of C"
	cp -r "$BATS_FILE_TMPDIR"/. .
	repository own
	"$ASSAY" risk --history --columns churn own | grep -q 'f .*own/src/f.c:1' || skip "needs libgit2"
	for file in config index objects/info/alternates "$(git -C own symbolic-ref HEAD)"; do
		rm -rf pipes
		cp -r own pipes
		rm -f "pipes/.git/$file"
		mkfifo "pipes/.git/$file"
		run timeout 60 "$ASSAY" risk --history --columns churn pipes
		[ "$status" -le 1 ] || { echo "$file: status $status"; return 1; }
	done
}

@test "a limit of memory of the shell is named as the one of the shell" {
	awk 'BEGIN { for (i = 0; i < 300000; i++) print "main;f" i " 1" }' >many.folded
	run --separate-stderr bash -c "ulimit -v 60000; exec '$ASSAY' report many.folded"
	[ "$status" -eq 1 ]
	[[ $stderr == "assay: many.folded: "*"MiB of memory (ulimit -v or -d)" ]] || { echo "$stderr"; return 1; }
}

@test "a limit of file size is an error of writing" {
	cp "$BATS_FILE_TMPDIR/small.folded" . 2>/dev/null || printf 'main;a 1\n' >small.folded
	run --separate-stderr bash -c "ulimit -f 1; exec '$ASSAY' html -o page.html small.folded"
	[ "$status" -eq 1 ]
	[ "$stderr" = "assay: page.html: cannot write the output: File too large" ]
	[ ! -e page.html ]
}
