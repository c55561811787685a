#!/usr/bin/env zsh
# What zsh offers for lines: offers.zsh FOLDER LINE...; FOLDER has the function _assay.
# Prints "LINE<tab>WORD" for each word that is offered. The lines are typed into an
# interactive shell, and the tab key is pressed behind each.
zmodload zsh/zpty || exit 1
folder=$1
shift
work=$(mktemp -d)
trap "rm -rf $work" EXIT
: >$work/done
cat >$work/setup <<END
PS1= RPS1= LISTMAX=10000
bindkey -e
unsetopt beep menu_complete auto_menu
fpath=($folder \$fpath)
autoload -Uz compinit
compinit -D -u
compadd() {
	local -a found
	if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "\$@"
		return
	fi
	builtin compadd -A found "\$@"
	print -rl -- "\${(@)found}" >>$work/found
	builtin compadd "\$@"
}
done-line() { BUFFER=; print >>$work/done }
zle -N done-line
bindkey '^G' done-line
print ready >$work/done
END
TERM=dumb zpty -b shell zsh -f -i
zpty -w shell ". $work/setup"
wait-for() {
	local n
	for n in {1..400}; do
		[[ $(wc -l <$work/done 2>/dev/null) -ge $1 ]] && return
		zpty -rt shell >/dev/null
		sleep 0.05
	done
	print -u2 "zsh does not answer"
	exit 1
}
wait-for 1
n=1
for line; do
	: >$work/found
	zpty -w -n shell "$line"$'\t\C-g'
	wait-for $((++n))
	while read -r word; do
		[[ -n $word ]] && print -r -- "$line	$word"
	done <$work/found
done
zpty -d shell
