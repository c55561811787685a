#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documents as HTML pages with a search, which work from disk.

usage: gen-site.py FOLDER

Reads README.md, docs/, labs/ and the other Markdown files of the tree as they are:
headings, paragraphs, lists, tables, quotes, blocks of code, links and pictures.
"""
import glob
import html
import json
import os
import re
import shutil
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GROUPS = [("Start", ["README.md", "docs/questions.md", "docs/install.md", "docs/tutorial.md", "docs/howto-*.md"]),
          ("Concepts", ["docs/*.md"]),
          ("Findings", ["docs/rules/*.md"]),
          ("Formats", ["docs/formats/*.md"]),
          ("Project", ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "labs/*/README.md"])]
STYLE = """
:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{margin:0;font:16px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:16rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;box-sizing:border-box;padding:1rem;border-right:1px solid var(--line);font-size:14px}
nav a{display:block;text-decoration:none;color:inherit;padding:1px 0}nav a:hover,nav a[aria-current]{text-decoration:underline}
nav summary{font-weight:600;margin-top:.6rem}nav input{width:100%;box-sizing:border-box;font:inherit;padding:4px}
main{padding:1rem 2rem 4rem;max-width:62rem;min-width:0}
pre{background:var(--soft);padding:.7rem;overflow:auto;line-height:1.3}code{font:13px ui-monospace,monospace}
:not(pre)>code{background:var(--soft);padding:0 3px}
table{border-collapse:collapse;display:block;overflow:auto}th,td{border:1px solid var(--line);padding:3px 8px;text-align:left;vertical-align:top}
img{max-width:min(100%,44rem)}blockquote{border-left:3px solid var(--line);margin-left:0;padding-left:1rem}
#found a{padding:4px 0}#found small{display:block;opacity:.7}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto}}
"""
SCRIPT = """
const box = document.querySelector("input"), found = document.querySelector("#found"), menu = document.querySelector("#menu");
function search() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  menu.hidden = words.length > 0;
  found.replaceChildren();
  if (!words.length) return;
  const hits = [];
  for (const [path, page, title, text] of SECTIONS) {
    const head = (page + " " + title).toLowerCase(), body = text.toLowerCase();
    if (words.every(w => head.includes(w) || body.includes(w)))
      hits.push([words.filter(w => head.includes(w)).length, path, page, title, text, body.indexOf(words[0])]);
  }
  hits.sort((a, b) => b[0] - a[0]);
  for (const [, path, page, title, text, at] of hits.slice(0, 40)) {
    const a = document.createElement("a"), small = document.createElement("small");
    a.href = ROOT + path;
    a.textContent = title === page ? page : page + ": " + title;
    small.textContent = text.slice(Math.max(0, at - 30), at + 90);
    a.append(small);
    found.append(a);
  }
  if (!hits.length) found.textContent = "Nothing found.";
}
box.addEventListener("input", search);
addEventListener("keydown", e => { if (e.key === "/" && document.activeElement !== box) { e.preventDefault(); box.focus(); } });
"""


def anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def page_path(path):
    """Where the page of a Markdown file goes, relative to the folder of the site."""
    return "index.html" if path == "README.md" else re.sub(r"\.md$", ".html", path)


class Page:
    """One Markdown file as HTML; @sections are (anchor, title, plain text) for the search."""

    def __init__(self, path, known):
        self.path, self.known, self.pictures = path, known, []
        with open(os.path.join(TOP, path), encoding="utf-8") as f:
            lines = f.read().split("\n")
        heads = [line[2:].strip() for line in lines if line.startswith("# ")]
        self.title = heads[0].replace("`", "") if heads else path
        self.sections = [["", self.title, []]]
        self.body = "\n".join(self.blocks(lines))

    def link(self, text, target):
        file, _, part = target.partition("#")
        if "://" in target or not file:
            return '<a href="%s">%s</a>' % (html.escape(target), text)
        full = os.path.normpath(os.path.join(os.path.dirname(self.path), file))
        if full not in self.known:
            return text
        return '<a href="%s%s">%s</a>' % (self.relative(page_path(full)), part and "#" + part, text)

    def relative(self, path):
        return os.path.relpath(path, os.path.dirname(page_path(self.path)) or ".")

    def picture(self, text, target):
        full = os.path.normpath(os.path.join(os.path.dirname(self.path), target))
        self.pictures.append(full)
        return '<img src="%s" alt="%s">' % (self.relative(full), html.escape(text))

    def inline(self, text):
        """A line: code, pictures, links, bold, italics."""
        out = []
        for i, part in enumerate(re.split(r"`([^`]+)`", text)):
            if i % 2:
                out.append("<code>%s</code>" % html.escape(part, quote=False))
                continue
            out.append(html.escape(part, quote=False))
        text, codes = "", []
        for part in out:
            if part.startswith("<code>"):
                codes.append(part)
                text += "\x00%d\x00" % (len(codes) - 1)
            else:
                text += part
        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", lambda m: self.picture(m[1], m[2]), text)
        text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", lambda m: self.link(m[1], m[2]), text)
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?!\w)", r"<em>\1</em>", text)
        return re.sub("\x00(\\d+)\x00", lambda m: codes[int(m[1])], text)

    def note(self, text):
        """Text for the search."""
        self.sections[-1][2].append(re.sub(r"[`*|]|\]\([^)]*\)|!?\[", " ", text))

    def heading(self, line):
        level, title = re.match(r"(#+)\s*(.*)", line).groups()
        plain = title.replace("`", "")
        if len(level) > 1:
            self.sections.append([anchor(plain), plain, []])
        return '<h%d id="%s">%s</h%d>' % (len(level), anchor(plain), self.inline(title), len(level))

    def table(self, lines):
        out = ["<table>"]
        for i, line in enumerate(lines):
            cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
            if all(re.fullmatch(r":?-+:?", c) for c in cells):
                continue
            tag = "th" if i == 0 else "td"
            out.append("<tr>" + "".join("<%s>%s</%s>" % (tag, self.inline(c), tag) for c in cells) + "</tr>")
        return "\n".join(out + ["</table>"])

    def bullets(self, lines):
        """Lines of a list, the first of which begins an item; deeper ones are its content."""
        mark = re.compile(r"(?:[-*]|\d+\.) +")
        tag = "ol" if lines[0][:1].isdigit() else "ul"
        items = []
        for line in lines:
            head = mark.match(line)
            if head:
                items.append([line[head.end():]])
            else:
                items[-1].append(line)
        out = ["<%s>" % tag]
        for item in items:
            depth = min((len(x) - len(x.lstrip()) for x in item[1:] if x.strip()), default=0)
            content = "\n".join(self.blocks([item[0]] + [x[depth:] for x in item[1:]]))
            out.append("<li>%s</li>" % re.sub(r"^<p>(.*?)</p>", r"\1", content, flags=re.S))
        return "\n".join(out + ["</%s>" % tag])

    def blocks(self, lines):
        """Markdown lines as HTML blocks."""
        kinds = [("code", r"```"), ("head", r"#+ "), ("table", r"\|"), ("quote", r">"), ("list", r"(?:[-*]|\d+\.) +\S"),
                 ("plain", r"    \S"), ("text", r".")]
        i = 0
        while i < len(lines):
            if not lines[i].strip():
                i += 1
                continue
            kind = next(name for name, rx in kinds if re.match(rx, lines[i]))
            start = i
            i += 1
            if kind == "code":
                while i < len(lines) and not lines[i].startswith("```"):
                    i += 1
                yield "<pre><code>%s</code></pre>" % html.escape("\n".join(lines[start + 1:i]), quote=False)
                self.note(" ".join(line for line in lines[start + 1:i] if line.startswith(("$", "assay"))))
                i += 1
                continue
            while i < len(lines) and kind != "head" and self.goes_on(kind, lines, i):
                i += 1
            part = lines[start:i]
            if kind not in ("head", "list"):
                self.note(" ".join(part))
            if kind == "head":
                yield self.heading(part[0])
            elif kind == "table":
                yield self.table(part)
            elif kind == "quote":
                yield "<blockquote>%s</blockquote>" % "\n".join(self.blocks([re.sub("^> ?", "", x) for x in part]))
            elif kind == "list":
                yield self.bullets(part)
            elif kind == "plain":
                yield "<pre><code>%s</code></pre>" % html.escape("\n".join(x[4:] for x in part), quote=False)
            else:
                yield "<p>%s</p>" % self.inline("\n".join(part))

    @staticmethod
    def goes_on(kind, lines, i):
        """True if line @i belongs to a block of @kind above it."""
        line = lines[i]
        if kind == "list":
            later = next((x for x in lines[i:] if x.strip()), "")
            return line.startswith((" ", "\t")) or bool(re.match(r"(?:[-*]|\d+\.) ", line)) or (
                not line.strip() and later.startswith("  "))
        if kind == "plain":
            return line.startswith(("    ", "\t"))
        if not line.strip():
            return False
        if kind in ("table", "quote"):
            return line.startswith("|" if kind == "table" else ">")
        return not re.match(r"```|#+ |\||>|(?:[-*]|\d+\.) +\S", line)


def find_pages():
    """Groups of the menu as (name, paths); a page is in the first group that matches."""
    seen, out = set(), []
    for name, patterns in GROUPS:
        paths = []
        for pattern in patterns:
            for path in sorted(glob.glob(pattern, root_dir=TOP)):
                if path not in seen:
                    seen.add(path)
                    paths.append(path)
        out.append((name, paths))
    return out


def menu(page, groups, pages):
    out = []
    for name, paths in groups:
        is_open = name == "Start" or page.path in paths
        out.append("<details%s><summary>%s</summary>" % (" open" if is_open else "", name))
        for path in paths:
            title = "assay" if path == "README.md" else pages[path].title
            current = ' aria-current="page"' if path == page.path else ""
            out.append('<a href="%s"%s>%s</a>' % (page.relative(page_path(path)), current, html.escape(title)))
        out.append("</details>")
    return "\n".join(out)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    out = sys.argv[1]
    groups = find_pages()
    known = {path for _, paths in groups for path in paths}
    pages = {path: Page(path, known) for path in sorted(known)}
    sections = []
    for path, page in pages.items():
        root = os.path.relpath(".", os.path.dirname(page_path(path)) or ".")
        text = "\n".join([
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            "<title>%s</title>" % html.escape(page.title), '<link rel="stylesheet" href="%s/style.css">' % root,
            '<nav><input type="search" placeholder="search (/)" aria-label="search"><div id="found"></div>',
            '<div id="menu">%s</div></nav><main>%s</main>' % (menu(page, groups, pages), page.body),
            '<script>const ROOT = "%s/";</script>' % root,
            '<script src="%s/sections.js"></script><script src="%s/search.js"></script></html>' % (root, root), ""])
        to = os.path.join(out, page_path(path))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, "w", encoding="utf-8") as f:
            f.write(text)
        for part, title, words in page.sections:
            sections.append([page_path(path) + (part and "#" + part), page.title, title, re.sub(r"\s+", " ", " ".join(words)).strip()])
        for picture in page.pictures:
            os.makedirs(os.path.join(out, os.path.dirname(picture)), exist_ok=True)
            shutil.copyfile(os.path.join(TOP, picture), os.path.join(out, picture))
    for name, text in (("style.css", STYLE), ("search.js", SCRIPT),
                       ("sections.js", "const SECTIONS = %s;\n" % json.dumps(sections, ensure_ascii=False, indent=0))):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write(text.lstrip("\n"))
    print("%d pages in %s: open %s" % (len(pages), out, os.path.join(out, "index.html")))


main()
