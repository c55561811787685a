#!/usr/bin/env bats
# assay top on a terminal: its keys, and that the terminal is restored after any end.
bats_require_minimum_version 1.5.0
load assay.bash

setup() {
	assay_setup
	command -v tmux >/dev/null || skip "tmux is not here"
	"$ASSAY" record -q -o probe.data -- true >/dev/null 2>why || skip "$(tail -1 why)"
	export TMUX_TMPDIR=$BATS_TEST_TMPDIR
	unset TMUX
	tmux -f /dev/null new-session -d -x "${COLS:-100}" -y 30 "env PS1='\$ ' TERM=screen-256color bash --norc"
	keys "stty -a >before; clear" Enter
}

teardown() {
	tmux kill-server 2>/dev/null || true
}

keys() {
	tmux send-keys "$@"
}

screen() {
	tmux capture-pane -p
}

# Wait until the screen has this.
sees() {
	local i
	for ((i = 0; i < 150; i++)); do
		screen | grep -qF -- "$1" && return
		sleep 0.2
	done
	echo "no '$1' in:"
	screen
	return 1
}

start() {
	keys "'$ASSAY' top -d 400ms $*" Enter
	sees " samples of "
	sees "Self %"
}

# Keys are the shell's again.
left() {
	local i
	for ((i = 0; i < 300; i++)); do
		[ "$(tmux display-message -p '#{alternate_on}')" != 0 ] || return 0
		sleep 0.1
	done
	return 1
}

# The shell again, with its cursor, on its own screen, with its settings.
restored() {
	left
	keys "stty -a >after; echo as 'it was'" Enter
	sees "as it was"
	[ "$(tmux display-message -p '#{cursor_flag}#{alternate_on}')" = 10 ] || {
		tmux display-message -p 'cursor #{cursor_flag}, alternate screen #{alternate_on}'
		return 1
	}
	diff before after
}

@test "keys: help, findings, rows, callers, filter, pause, write, quit" {
	start
	keys '?'
	sees "Keys"
	keys q f
	sees "  Data "
	keys f t
	sees "Tid"
	keys t
	sees "t by comm"
	keys Enter
	sees "only comm "
	keys Escape t t t
	sees "t by symbol"
	keys Enter
	sees "Callers"
	keys Escape / z q z
	sees "rows with: zqz_"
	keys Enter
	sees "no row with 'zqz'"
	keys Escape s Space
	sees "PAUSED"
	keys w
	sees ".data: "
	keys Space
	sees "space pause"
	[ "$(tmux display-message -p '#{cursor_flag}#{alternate_on}')" = 01 ]
	keys q
	restored
	file=$(ls assay-top-*.data)
	"$ASSAY" info "$file" >/dev/null
}

@test "a row stays chosen, in reverse, when the page is drawn anew" {
	start -- "sh -c 'while :; do :; done'"
	keys j
	# the row, and the line of keys
	for ((i = 0; i < 100; i++)); do
		# after the titles, which are dim, tmux writes 0;7
		[ "$(tmux capture-pane -e -p | grep -cE $'\033\[(0;)?7m')" = 2 ] && break
		sleep 0.2
	done
	[ "$i" -lt 100 ]
	keys q
	restored
}

@test "signals, suspending and being killed: the terminal is as it was" {
	for signal in INT TERM HUP QUIT KILL; do
		start
		kill -$signal "$(tmux list-panes -F '#{pane_pid}' | xargs pgrep -P | head -1)"
		sees '$'
		sleep 0.5
		restored
		keys clear Enter
	done
	start
	keys C-z
	sees "Stopped"
	restored
	keys "clear; fg" Enter
	sees "Self %"
	[ "$(tmux display-message -p '#{cursor_flag}#{alternate_on}')" = 01 ]
	keys C-c
	restored
}

has_head() {
	screen | head -1 | grep -q " samples of "
}

@test "sizes: as large and as small as a terminal can be" {
	start
	for size in 200x60 80x24 40x10 12x4 3x2 1x1 100x30; do
		tmux resize-window -x "${size%x*}" -y "${size#*x}"
		sleep 0.6
	done
	sees "Self %"
	sees "q quit"
	# the page fills it, and nothing has scrolled
	waits_for has_head
	keys q
	restored
}

has_colour() {
	tmux capture-pane -e -p | grep -q $'\033\[3[12]m'
}

@test "NO_COLOR: no colour; else shares are coloured" {
	start -- "sh -c 'while :; do :; done'"
	waits_for has_colour
	keys q
	restored
	keys "export NO_COLOR=1; clear" Enter
	start -- "sh -c 'while :; do :; done'"
	run tmux capture-pane -e -p
	[[ $output != *$'\033[3'[1-7]m* ]]
	keys q
	restored
}

@test "a command's words do not come onto the page; its end is said" {
	start -- "sh -c 'i=0; while [ \$i -lt 400000 ]; do i=\$((i+1)); done; echo NOISE; exit 3'"
	sees "ENDED"
	run screen
	[[ $output != *NOISE* ]]
	keys q
	left
	keys 'echo status $?' Enter
	sees "status 3"
}
