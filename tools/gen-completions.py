#!/usr/bin/env python3
"""Completions for bash, zsh and fish, from the program's own option tables.

  tools/gen-completions.py ASSAY FOLDER    writes assay (bash), _assay (zsh), assay.fish
"""
import os
import sys

from describe import Program

HEAD = "# Generated from the program's tables by tools/gen-completions.py.\n"


def files_only(option):
    return option.arg in ("FILE", "CAPTURE", "A", "B")


def bash(p):
    """One function: words of the command, or values for the previous option."""
    out = [HEAD.rstrip(), "_assay()", "{",
           "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= word options= choices=",
           "\tlocal i", "",
           "\tCOMPREPLY=()",
           "\tfor ((i = 1; i < COMP_CWORD; i++)); do",
           "\t\tword=${COMP_WORDS[i]}",
           "\t\tif [[ $word != -* ]]; then", "\t\t\tcommand=$word", "\t\t\tbreak", "\t\tfi",
           "\tdone",
           "\t# --name=word is three words here",
           "\t[[ $cur == = ]] && cur=",
           "\t[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}",
           "\tcase $command in"]
    for c in p.commands + [p.front]:
        out.append("\t%s)" % (c.name or "*"))
        out.append("\t\toptions='%s --help'" % " ".join("--" + o.name for o in c.options))
        out.append("\t\tcase $prev in")
        for o in c.options:
            if o.words:
                letter = "|-" + o.letter if o.letter else ""
                out.append("\t\t--%s%s) choices='%s' ;;" % (o.name, letter, " ".join(o.words)))
        rest = ["--as) choices='%s'" % " ".join(f[0] for f in p.formats)]
        if any(o.name == "why" for o in c.options):
            rest.append("--why | --rule) choices='%s'" % " ".join(r[0] for r in p.rules))
        out += ["\t\t%s ;;" % r for r in rest]
        out += ["\t\tesac", "\t\t;;"]
    out += ["\tesac",
            "\tif [[ $choices ]]; then",
            "\t\tmapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$cur\")",
            "\telif [[ $cur == -* ]]; then",
            "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")",
            "\telse",
            "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
            "\t\tif [[ ! $command ]]; then",
            "\t\t\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -W '%s' -- \"$cur\")" %
            " ".join(c.name for c in p.commands),
            "\t\tfi",
            "\t\tcompopt -o filenames 2>/dev/null",
            "\tfi",
            "}",
            "complete -F _assay assay", ""]
    return "\n".join(out)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    for c in "\\[]:":
        text = text.replace(c, "\\" + c)
    return text


def zsh_option(p, o):
    text = "[%s]" % zsh_text(o.text)
    wanted = ""
    if o.kind != "flag":
        words = o.words or ([f[0] for f in p.formats] if o.name == "as" else
                            [r[0] for r in p.rules] if o.name in ("why", "rule") else [])
        how = "(%s)" % " ".join(words) if words else "_files" if files_only(o) else \
            "_files -/" if o.arg == "DIR" else " "
        wanted = ":%s:%s" % (zsh_text(o.arg.split("|")[0].lower()), how)
    many = "*" if o.kind == "list" else ""
    equals = "=" if o.kind != "flag" else ""
    specs = [quoted("%s--%s%s%s%s" % (many, o.name, equals, text, wanted))]
    if o.letter:
        specs.append(quoted("%s-%s%s%s" % (many, o.letter, text, wanted)))
    return specs


def zsh(p):
    out = ["#compdef assay", HEAD.rstrip(), "", "_assay() {", "\tlocal -a commands",
           "\tcommands=("]
    out += ["\t\t" + quoted("%s:%s" % (c.name, zsh_text(c.summary))) for c in p.commands]
    out += ["\t)", "\tcase $words[2] in"]
    for c in p.commands:
        out += ["\t%s)" % c.name, "\t\tshift words; ((CURRENT--))", "\t\t_arguments -s \\"]
        out += ["\t\t\t%s \\" % s for o in c.options for s in zsh_option(p, o)]
        out += ["\t\t\t'--help[this page]' '*:file:_files'", "\t\t;;"]
    out += ["\t*)", "\t\t((CURRENT == 2)) && _describe -t commands command commands",
            "\t\t_arguments -s \\"]
    out += ["\t\t\t%s \\" % s for o in p.front.options for s in zsh_option(p, o)]
    out += ["\t\t\t'--help[what there is]' '--version[version, features and libraries]' '*:file:_files'",
            "\t\t;;", "\tesac", "}", "", "_assay \"$@\"", ""]
    return "\n".join(out)


def fish_option(p, c, o):
    line = ["complete -c assay"]
    if c.name:
        line.append("-n '__fish_seen_subcommand_from %s'" % c.name)
    else:
        line.append("-n 'not __fish_seen_subcommand_from %s'" % " ".join(x.name for x in p.commands))
    line.append("-l " + o.name)
    if o.letter:
        line.append("-s " + o.letter)
    if o.kind != "flag":
        words = o.words or ([f[0] for f in p.formats] if o.name == "as" else
                            [r[0] for r in p.rules] if o.name in ("why", "rule") else [])
        if words:
            line.append("-x -a " + quoted(" ".join(words)))
        else:
            line.append("-r" if files_only(o) or o.arg == "DIR" else "-x")
    line.append("-d " + quoted(o.text.replace("\\", "\\\\")))
    return " ".join(line)


def fish(p):
    out = [HEAD.rstrip()]
    names = " ".join(c.name for c in p.commands)
    for c in p.commands:
        out.append("complete -c assay -n 'not __fish_seen_subcommand_from %s' -a %s -d %s" %
                   (names, c.name, quoted(c.summary)))
    out += [fish_option(p, c, o) for c in p.commands + [p.front] for o in c.options]
    out += ["complete -c assay -l help -d 'this page'",
            "complete -c assay -n 'not __fish_seen_subcommand_from %s' -l version "
            "-d 'version, features and libraries'" % names]
    return "\n".join(out) + "\n"


def main():
    p = Program(sys.argv[1])
    for name, text in (("assay", bash(p)), ("_assay", zsh(p)), ("assay.fish", fish(p))):
        with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as f:
            f.write(text)


main()
