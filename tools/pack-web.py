#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pack src/web (one page, one style, ES modules) into a C array; no node needed.

usage: pack-web.py OUT.c PAGE.html STYLE.css MODULE.js... [--uplot SCRIPT STYLE LICENCE]

Each module becomes a function that returns what it exports, in the order in which they
need each other. Only two forms are taken, each on lines of its own: `import { a, b } from
"./x.js";` and `export` before function, class, const or let at the margin.
--uplot: in the place of the module uplot, which has nothing, stand that script and its licence.
The policy in the page allows exactly this script and this style, by their SHA-256.
"""
import base64
import hashlib
import json
import pathlib
import re
import sys

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z_]+)\.js";\n', re.M)
EXPORT = re.compile(r"^export ((?:async )?function\*? |class |const |let )([A-Za-z_$][\w$]*)", re.M)


def fail(sentence):
    sys.exit("pack-web: " + sentence)


def module(path):
    text = path.read_text(encoding="utf-8")
    needs = [m.group(2) for m in IMPORT.finditer(text)]
    names = [m.group(2) for m in EXPORT.finditer(text)]
    body = IMPORT.sub(lambda m: "const {%s} = m_%s;\n" % (
        m.group(1).replace(" as ", ": "), m.group(2)), text)
    body = EXPORT.sub(lambda m: m.group(1) + m.group(2), body)
    for word in ("import", "export"):
        if re.search(r"^%s\b" % word, body, re.M):
            fail("%s has an %s that is not packed" % (path.name, word))
    return needs, "const m_%s = (() => {\n%s\nreturn { %s };\n})();\n" % (
        path.stem, body, ", ".join(names))


def slim(text):
    """Without whole-line comments and margins; texts of code are not touched."""
    text = re.sub(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n", "", text, flags=re.M | re.S)
    return re.sub(r"\n{2,}", "\n", "\n".join(
        line for line in text.split("\n") if not line.lstrip().startswith("// ")))


def ordered(modules):
    done, result, busy = set(), [], set()

    def visit(name, by):
        if name in done:
            return
        if name in busy:
            fail("%s and %s need each other" % (by, name))
        if name not in modules:
            fail("%s imports %s, which is not in the list" % (by, name))
        busy.add(name)
        for need in modules[name][0]:
            visit(need, name)
        done.add(name)
        result.append(modules[name][1])

    for name in sorted(modules):
        visit(name, "the list")
    return "".join(result)


def uplot(script, licence):
    """The module of that name. Nothing of the script is touched."""
    script = pathlib.Path(script).read_text(encoding="utf-8")
    licence = pathlib.Path(licence).read_text(encoding="utf-8").strip()
    return "const m_uplot = (() => {\n%s\nreturn { uPlot, licence: %s };\n})();\n" % (
        script.strip(), json.dumps(licence))


def source(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "'sha256-%s'" % base64.b64encode(digest).decode()


def array(name, text):
    data = text.encode()
    lines = [",".join(str(b) for b in data[i:i + 32]) for i in range(0, len(data), 32)]
    return "const unsigned char %s[] = {\n%s,0\n};\n" % (name, ",\n".join(lines)), len(data)


def main():
    out, *paths = sys.argv[1:]
    chart = []
    if "--uplot" in paths:
        at = paths.index("--uplot")
        paths, chart = paths[:at], paths[at + 1:]
    paths = [pathlib.Path(p) for p in paths]
    modules = {p.stem: module(p) for p in paths if p.suffix == ".js"}
    if chart:
        modules["uplot"] = [], ""
    script = "\n" + slim(ordered(modules))
    style = "\n" + slim("".join(p.read_text(encoding="utf-8") for p in paths
                                if p.suffix == ".css"))
    if chart:
        script = "\n" + uplot(chart[0], chart[2]) + script
        style = "\n" + pathlib.Path(chart[1]).read_text(encoding="utf-8") + style
    page = [p for p in paths if p.suffix == ".html"][0].read_text(encoding="utf-8")
    if "</script" in script.lower() or "<!--" in script or "</style" in style.lower():
        fail("the script or the style ends its own element")
    for mark, text in (("@SCRIPT_SOURCE@", source(script)), ("@STYLE_SOURCE@", source(style)),
                       ("@STYLE@", style), ("@SCRIPT@", script)):
        if page.count(mark) != 1:
            fail("the page must have one " + mark)
        page = page.replace(mark, text)
    head, rest = page.split("@TITLE@")
    middle, tail = rest.split("@DATA@")
    arrays, lengths = zip(*(array("web_page_" + n, t) for n, t in (
        ("head", head), ("middle", middle), ("tail", tail))))
    pathlib.Path(out).write_text(
        '/* Made by tools/pack-web.py of src/web. */\n#include "render/web/web_page.h"\n\n' +
        "\n".join(arrays) + "const unsigned int web_page_lengths[3] = { %s };\n" %
        ", ".join(map(str, lengths)), encoding="utf-8")


main()
