#!/usr/bin/env bats
# Shipped files: manual pages, completions, the version, the bill of materials.
bats_require_minimum_version 1.5.0
load assay.bash

# The folder of files generated with the program.
docs() {
	printf '%s/docs' "$(dirname "$ASSAY")"
}

needs_pages() {
	[ -e "$(docs)/assay.1" ] || skip "this build has no manual pages (scdoc)"
}

described() {
	"$ASSAY" --describe | awk -F '\t' -v kind="$1" '$1 == kind { print $2 }'
}

@test "every command, format, rule and limit has its manual page" {
	needs_pages
	for name in $(described command); do
		grep -q "^.TH \"assay-$name\" \"1\"" "$(docs)/assay-$name.1"
		grep -q "assay-$name" "$(docs)/assay.1"
	done
	for name in $(described format); do
		grep -q "^.TH \"assay-$name\" \"5\"" "$(docs)/assay-$name.5"
	done
	page=$(sed 's/\\-/-/g' "$(docs)/assay-rules.7")
	for name in $(described rule); do
		[[ $page == *".SS $name"* ]]
	done
	page=$(sed 's/\\-/-/g' "$(docs)/assay-limits.7")
	for name in $(described limit); do
		[[ $page == *"$name"* ]]
	done
	# nothing but what is there
	[ "$(find "$(docs)" -maxdepth 1 -name 'assay*.[157]' | wc -l)" -eq \
		$((3 + $(described command | wc -l) + $(described format | wc -l))) ]
}

@test "every option stands in the page of its command" {
	needs_pages
	for name in $(described command); do
		page=$(sed 's/\\-/-/g' "$(docs)/assay-$name.1")
		for option in $("$ASSAY" "$name" --list-opts); do
			option=${option%=}
			[[ $page == *"$option"* || $option == --help ]] || {
				echo "assay-$name.1 has no $option"
				return 1
			}
		done
	done
}

@test "pages are read without a warning" {
	needs_pages
	command -v man >/dev/null || skip "no man"
	for page in "$(docs)"/assay*.[157]; do
		[ -z "$(man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)" ]
	done
}

@test "pages fit 80 columns" {
	needs_pages
	command -v man >/dev/null || skip "no man"
	for page in "$(docs)"/assay*.[157]; do
		MANWIDTH=80 LC_ALL=C.UTF-8 man -E UTF-8 -l "$page" 2>/dev/null | col -bx
	done >pages
	! grep -E '^.{81}' pages
	# words of commands are not cut
	! grep -- '‐$' pages
}

# Completions by bash for the words: complete WORD...
complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_assay
	printf '%s\n' "${COMPREPLY[@]}"
}

@test "bash completes commands, options and their words" {
	[ -e "$(docs)/completions/assay" ] || skip "this build has no completions"
	complete() { :; }
	compopt() { :; }
	# shellcheck source=/dev/null
	. "$(docs)/completions/assay"
	[ "$(complete_words assay expl)" = explain ]
	[[ "$(complete_words assay report --so)" == *--sort* ]]
	[ "$(complete_words assay risk --family c)" = compat ]
	[ "$(complete_words assay --as perf-da)" = perf-data ]
	[ "$(complete_words assay explain --why hot-r)" = hot-risky ]
	[ "$(complete_words assay report smal)" = small.folded ]
	# every option of every command
	for name in $(described command); do
		for option in $("$ASSAY" "$name" --list-opts); do
			COMP_WORDS=(assay "$name" "${option%=}")
			COMP_CWORD=2
			_assay
			[[ " ${COMPREPLY[*]} " == *" ${option%=} "* ]]
		done
	done
}

# Each line: the words that are typed, a tab, a word that must be offered.
expected() {
	printf '%s\t%s\n' 'assay expl' explain 'assay report --so' --sort 'assay risk --family c' compat \
		'assay --as perf-da' perf-data 'assay explain --why hot-r' hot-risky 'assay report smal' small.folded
	for name in $(described command); do
		"$ASSAY" "$name" --list-opts | sed "s/=$//; s/^/assay $name --\t/"
	done
}

# All lines of "expected" are in "offered", and of some nothing else is offered.
is_offered() {
	expected | sort -u >expected
	sort -u offered >sorted
	[ -z "$(comm -23 expected sorted)" ] || {
		comm -23 expected sorted
		return 1
	}
	grep '^assay expl	\|--family c\|perf-da	\|hot-r' sorted >only
	[ "$(wc -l <only)" -eq 4 ] || {
		cat only
		return 1
	}
}

@test "zsh completes commands, options and their words" {
	[ -e "$(docs)/completions/_assay" ] || skip "this build has no completions"
	command -v zsh >/dev/null || skip "no zsh"
	zsh -n "$(docs)/completions/_assay"
	expected | cut -f 1 | sort -u >lines
	mapfile -t lines <lines
	zsh -f "$ASSAY_SOURCE/tests/cli/offers.zsh" "$(docs)/completions" "${lines[@]}" >offered
	is_offered
}

@test "fish completes commands, options and their words" {
	[ -e "$(docs)/completions/assay.fish" ] || skip "this build has no completions"
	command -v fish >/dev/null || skip "no fish"
	expected | cut -f 1 | sort -u >lines
	# shellcheck disable=SC2016 # for fish to see
	HOME=$PWD fish --no-config -c 'source $argv[1]
		while read -l line
			complete -C $line | string replace -r "\t.*" "" | string replace -r "=\$" "" |
				string replace -r "^" "$line"\t
		end <lines' "$(docs)/completions/assay.fish" >offered
	is_offered
}

@test "the version names features and libraries, the bill of materials has each" {
	run --separate-stderr "$ASSAY" --version
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" =~ ^assay\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[[ "$output" == *"built with "*zlib\ [0-9]* && "$output" == *xxhash\ 0.[0-9]* ]]
	[[ "$output" == *zstd* && "$output" == *traceevent* ]]
	python3 - "$(docs)/assay.spdx.json" "${lines[-1]#built with }" "${lines[0]#assay }" <<-'END'
		import json, sys
		bill = json.load(open(sys.argv[1]))
		assert bill["spdxVersion"] == "SPDX-2.3" and bill["documentNamespace"]
		there = {" ".join(filter(None, (p["name"], p.get("versionInfo")))) for p in bill["packages"]}
		assert there == set(sys.argv[2].split(", ")) | {"assay " + sys.argv[3]}, there
		assert all(p["licenseConcluded"] for p in bill["packages"])
	END
}

@test "an installation into a folder works, and takes all it needs with it" {
	command -v meson >/dev/null || skip "no meson"
	DESTDIR=$PWD/root meson install -C "$(dirname "$ASSAY")" --no-rebuild --quiet >/dev/null 2>&1
	program=$(find root -path '*/bin/assay')
	[[ "$("$program" --version)" == "$("$ASSAY" --version)" ]]
	"$program" small.folded | grep -q folded
	[ -n "$(find root -name LICENSE)" ]
	readme=$(find root -name README.md -path '*/doc/assay/*' -not -path '*/samples/*')
	for page in $(grep -oE '(docs|samples)/[a-z/._-]+\.[a-z]+' "$readme"); do
		[ -e "${readme%/*}/$page" ] || { echo "$page is not installed"; return 1; }
	done
	if [ -e "$(docs)/assay.1" ]; then
		[ "$(find root -path '*/man?/*.[157]' | wc -l)" -eq "$(find "$(docs)" -maxdepth 1 -name 'assay*.[157]' | wc -l)" ]
	fi
}

@test "the program is hardened as a distribution would" {
	command -v readelf >/dev/null || skip "needs readelf"
	! readelf -Ws "$ASSAY" | grep -q __asan_init || skip "sanitizers replace it"
	file=$(readelf -hdW "$ASSAY")
	[[ $file == *"DYN (Position-Independent"* ]]
	[[ $file == *BIND_NOW* ]]
	readelf -lW "$ASSAY" | grep -q GNU_RELRO
	readelf -lW "$ASSAY" | grep -Eq 'GNU_STACK.* RW '
	readelf -Ws --dyn-syms "$ASSAY" | grep -q __stack_chk_fail
	readelf -Ws --dyn-syms "$ASSAY" | grep -q __memcpy_chk
}
