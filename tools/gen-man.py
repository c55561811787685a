#!/usr/bin/env python3
"""Manual pages from the program's own tables and from docs/, by scdoc.

  tools/gen-man.py ASSAY DOCS FOLDER [PAGE...]

Writes assay.1, a page a command, assay-FORMAT.5 a format, assay-rules.7 and
assay-limits.7 into FOLDER. With PAGEs, which must be those: what a table has and
PAGEs lack, or the other way round, is an error. The date is SOURCE_DATE_EPOCH's, else the
newest of CHANGELOG.md.
"""
import calendar
import os
import re
import subprocess
import sys
import textwrap
import time

from describe import Program

LITERAL_COLUMNS = 68  # man indents a literal block by 12 of 80
EXITS = [("0", "all was read and shown"), ("1", "an input or the output failed; what could be read is shown"),
         ("2", "the command line is wrong"), ("3", "a gate was exceeded or a finding is as severe as *--fail-on*")]


def plain(text):
    """Text in which scdoc sees no markup."""
    return re.sub(r"([\\*_#<>~\[\]])", r"\\\1", text).replace("\t", " ")


def inline(text):
    """A line of Markdown: code is bold, bold is bold, links keep their text and address."""
    out, at = [], 0
    for m in re.finditer(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)]+)\)", text):
        out.append(plain(text[at:m.start()]))
        if m.group(4):
            out.append(inline(m.group(4)) + (" (%s)" % plain(m.group(5)) if "//" in m.group(5) else ""))
        else:
            out.append("*%s*" % plain(m.group(1) or m.group(2) or m.group(3)))
        at = m.end()
    line = "".join(out) + plain(text[at:])
    return line if not line.startswith((".", "'")) else "\\" + line


def safe(text):
    """@inline, or the plain text if the markup would not be separate."""
    line = inline(text)
    stars = re.sub(r"\\.", "", line).count("*")
    if stars % 2 or re.search(r"\w\*\w", re.sub(r"\\.", "", line)):
        return plain(text.replace("`", "").replace("**", ""))
    return line


def table_lines(rows):
    """Rows of cells in columns, the last one wrapped; in paragraphs if the others leave too little for it."""
    n = max(map(len, rows))
    widths = [max(len(r[i]) if i < len(r) else 0 for r in rows) + 2 for i in range(n - 1)]
    out, left = [], sum(widths)
    for row in rows:
        if left + 24 > LITERAL_COLUMNS:
            for i, cell in enumerate(row):
                out += textwrap.wrap(cell, LITERAL_COLUMNS, initial_indent="    " if i else "", subsequent_indent="    ")
            continue
        head = "".join(cell.ljust(width) for cell, width in zip(row, widths))
        out += textwrap.wrap(row[-1], LITERAL_COLUMNS, initial_indent=head, subsequent_indent=" " * left,
                             drop_whitespace=True) or [head]
    return out


def markdown(text, lift):
    """A page of docs/ as scdoc; headings become sections, @lift levels lower."""
    out, literal, table = [], None, []

    def end_table():
        if table:
            out.extend(["```", *table_lines(table), "```", ""])
            table.clear()
    for line in text.splitlines():
        if literal is not None:
            if line.startswith("```"):
                out.extend(["```", *literal, "```", ""])
                literal = None
            else:
                literal.append(line.replace("\t", "    "))
            continue
        if line.startswith("```"):
            end_table()
            literal = []
        elif line.startswith("|"):
            cells = [c.strip().replace("`", "").replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not all(re.fullmatch(r":?-+:?", c) for c in cells):
                table.append(cells)
        elif line.startswith("#"):
            end_table()
            level, title = re.match(r"(#+)\s*(.*)", line).groups()
            if len(level) + lift <= 0:
                continue
            title = plain(title.replace("`", ""))
            out += ["", ("# " + title.upper() if len(level) + lift == 1 else "## " + title), ""]
        elif re.match(r"\s*[-*] ", line):
            end_table()
            out.append("- " + safe(re.sub(r"^\s*[-*] ", "", line)))
        elif re.match(r"\s+\S", line) and out and out[-1].startswith(("- ", "  ")):
            out.append("  " + safe(line.strip()))
        elif line.strip():
            end_table()
            out.append(safe(line.strip()))
        else:
            end_table()
            out.append("")
    end_table()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip() + "\n"


def page(name, section, sentence, body):
    return "%s(%d)\n\n# NAME\n\n%s - %s\n\n%s" % (name, section, plain(name), plain(sentence), body)


def options_of(command):
    out = []
    for title, options in command.groups:
        out += ["## " + plain(title).upper(), ""] if title != "options" else []
        for o in options:
            head = ("*-%s*, " % plain(o.letter) if o.letter else "") + "*--%s*" % plain(o.name)
            if o.arg:
                head += " " + ("|".join("_%s_" % plain(w) for w in [o.arg]) if o.kind != "choice"
                               else plain(o.arg))
            text = plain(o.text) + (" [%s]" % plain(o.standard) if o.standard else "")
            out += [head, "\t" + text, ""]
    return out


def see_also(p, but):
    pages = ["*assay*(1)"] + ["*assay-%s*(1)" % c.name for c in p.commands] + ["*assay-rules*(7)", "*assay-limits*(7)"]
    return ["# SEE ALSO", "", ", ".join(x for x in pages if x != "*%s*(1)" % but), ""]


def exits():
    out = ["# EXIT STATUS", ""]
    for status, text in EXITS:
        out += ["*%s*" % status, "\t%s" % text, ""]
    return out


def example_lines(line):
    """A command in a literal block: too long, it goes on after a backslash, and its remark stands below."""
    if len(line) <= LITERAL_COLUMNS:
        return [line]
    indent = line[:len(line) - len(line.lstrip())]
    remark = re.search(r" {2,}(\(.*\)|\S.*)$", line[len(indent):])
    if remark:
        return example_lines(line[:len(indent) + remark.start()]) + textwrap.wrap(
            remark[1], LITERAL_COLUMNS, initial_indent=indent + "    ", subsequent_indent=indent + "    ")
    parts = textwrap.wrap(line.strip(), LITERAL_COLUMNS - len(indent) - 6, break_long_words=False, break_on_hyphens=False)
    return [indent + ("    " if i else "") + part + (" \\\\" if i + 1 < len(parts) else "") for i, part in enumerate(parts)]


def command_page(p, c):
    name = "assay-" + c.name
    body = ["# SYNOPSIS", "", "*assay %s* [options] %s" % (c.name, plain(c.operands)), "",
            "# DESCRIPTION", "", plain(c.phrase[:1].upper() + c.phrase[1:].rstrip(".") + "."), "", "# OPTIONS", ""]
    body += options_of(c)
    if c.tail:
        body += ["# EXAMPLES", "", "```"]
        for line in c.tail:
            body += example_lines(line) if line.startswith(" ") else textwrap.wrap(line, LITERAL_COLUMNS) or [""]
        body += ["```", ""]
    return page(name, 1, c.summary.rstrip("."), "\n".join(body + exits() + see_also(p, name)))


def main_page(p):
    body = ["# SYNOPSIS", "", "*assay* [options] %s" % plain(p.front.operands), "",
            "*assay* _COMMAND_ [options] FILE...", "", "# DESCRIPTION", "",
            "Read performance evidence of any kind, and show its problems, the quality of the data, and the hot "
            "functions. Formats are found by content. Pasted mails need no preparation. *-* is standard input.", "", "# COMMANDS", ""]
    for c in p.commands:
        body += ["*%s*" % c.name, "\t%s; see *assay-%s*(1)" % (plain(c.summary), c.name), ""]
    body += ["# OPTIONS", "", "Of the page that *assay* _FILE_ shows:", ""]
    body += options_of(p.front)
    body += ["*--version*", "\tversion, features and libraries", "", "*--limits*",
             "\twhat bounds memory and time; see *assay-limits*(7)", "", "# FORMATS", ""]
    for name, summary in (f[:2] for f in p.formats):
        body += ["*%s*" % name, "\t%s; see *assay-%s*(5)" % (plain(summary), name), ""]
    body += exits()
    body += ["# ENVIRONMENT", "", "*ASSAY\\_PAGER*, *PAGER*", "\tthe pager of long text on a terminal", "",
             "*NO\\_COLOR*", "\tno colours", "", "*DEBUGINFOD\\_URLS*",
             "\twhere *--debuginfod* fetches files from", "", "*XDG\\_CACHE\\_HOME*",
             "\tmeasured sources are kept in *assay* below it, or below *~/.cache*", ""]
    return page("assay", 1, "find out why a system is slow, from recordings, traces, logs and mails", "\n".join(body + see_also(p, "assay")))


def page_text(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        sys.exit("gen-man: %s is missing: write that page (tools/new makes a first one)" % os.path.relpath(path))


def format_page(p, docs, name, summary):
    path = os.path.join(docs, "formats", name + ".md")
    if not os.path.exists(path):  # one page for the text and the binary ones
        path = os.path.join(docs, "formats", name.replace("-binary", "") + ".md")
    text = markdown(page_text(path), -1)
    text = re.sub(r"^[^#]*", "", text) if text.startswith("#") else "# DESCRIPTION\n\n" + text
    tail = "# SEE ALSO\n\n*assay*(1), *assay-convert*(1)\n"
    return page("assay-" + name, 5, "how assay reads %s" % summary, text + "\n" + tail)


def rules_page(p, docs):
    body = ["# DESCRIPTION", "",
            "*assay explain* runs these checks. Each gives a finding, says that it is clean, or that the data "
            "cannot tell. *assay explain --why* _ID_ prints one of these texts.", "", "# RULES", ""]
    for name, title in (r[:2] for r in p.rules):
        text = markdown(re.sub(r"^# .*\n", "", page_text(os.path.join(docs, "rules", name + ".md"))), 1)
        body += ["## " + plain(name), "", plain(title) + ".", "", text, ""]
    return page("assay-rules", 7, "the checks of assay explain", "\n".join(body) + "\n# SEE ALSO\n\n*assay-explain*(1)\n")


def limits_page(p):
    body = ["# DESCRIPTION", "", "What bounds memory and time for any input; set with *--limit* _NAME=VALUE_, listed "
            "as they are by *assay --limits*.", "", "# LIMITS", ""]
    for name, value, text in (x[:3] for x in p.limits):
        body += ["*%s*" % plain(name), "\t%s [%s]" % (plain(text), plain(value)), ""]
    return page("assay-limits", 7, "what bounds memory and time in assay", "\n".join(body) + "\n# SEE ALSO\n\n*assay*(1)\n")


def date_of(docs):
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return os.environ["SOURCE_DATE_EPOCH"]
    try:
        with open(os.path.join(docs, "..", "CHANGELOG.md"), encoding="utf-8") as f:
            found = re.search(r"(\d{4}-\d{2}-\d{2})", f.read())
    except OSError:
        found = None
    return str(calendar.timegm(time.strptime(found.group(1), "%Y-%m-%d"))) if found else "0"


def main():
    assay, docs, folder = sys.argv[1:4]
    wanted = set(sys.argv[4:])
    p = Program(assay)
    pages = {"assay.1": main_page(p), "assay-rules.7": rules_page(p, docs), "assay-limits.7": limits_page(p)}
    for c in p.commands:
        pages["assay-%s.1" % c.name] = command_page(p, c)
    for f in p.formats:
        pages["assay-%s.5" % f[0]] = format_page(p, docs, f[0], f[1])
    if wanted and wanted != set(pages):
        sys.exit("gen-man: docs/meson.build and the program disagree on these pages: %s" % ", ".join(sorted(wanted ^ set(pages))))
    env = dict(os.environ, SOURCE_DATE_EPOCH=date_of(docs), TZ="UTC")
    for name, text in pages.items():
        done = subprocess.run(["scdoc"], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=env, check=False)
        if done.returncode:
            number = re.search(r"at (\d+),", done.stderr)
            line = text.splitlines()[int(number.group(1)) - 1] if number else ""
            sys.exit("gen-man: %s: %s\n%s" % (name, done.stderr.strip(), line))
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            # the macro .TH turns on hyphens, which would break names of commands
            f.write(re.sub(r"^(\.TH .*)$", r"\1\n.nh", done.stdout, count=1, flags=re.M))


main()
