"""Pages for the tests: inputs that are made here, turned by the program under test."""
import os
import subprocess

SOURCE = os.environ.get("ASSAY_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ASSAY = os.environ.get("ASSAY") or os.path.join(SOURCE, "build", "assay")

FOLDED = ("app;main;parse;read_all 30\napp;main;parse;split 20\napp;main;write_all;flush 25\n"
          "app;main;spare_read 15\napp;main 10\n")
HOSTILE = ("bash;</script><script>window.hacked=1</script>;<img src=x onerror=window.hacked=2> 5\n"
           "bash;\"&'\u202eevil\x01<!--<script> 3\nbash;<b class=x>bold</b>;]]> 2\n")


def assay_html(path, page, *words):
    subprocess.run([ASSAY, "html", "-o", page, *words, path], check=True)
    return page


def make(folder, name, text):
    path = os.path.join(folder, name + ".txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return assay_html(path, os.path.join(folder, name + ".html"))


def fine(n=6000):
    """Frames of which every second one is left out of the row below."""
    return "".join("app;m;f%05d%s 1\n" % (i, ";g" if i % 2 else "") for i in range(n)).replace(
        ";m;f", ";f")


def script(seconds=8, rate=250):
    """Samples along time: steady all the time, calm but for a burst of storm."""
    rows = []
    for i in range(seconds * rate):
        t = 100 + i / rate
        burst = 0.5 <= i / (seconds * rate) < 0.75
        leaf = "steady" if i % 4 == 0 else "storm" if burst and i % 4 != 1 else "calm"
        rows.append("app  100/100 [000] %.6f:     1000000 cycles:\n"
                    "\t    55d0c0de %s+0x10 (/bin/app)\n\t    55d0beef main+0x20 (/bin/app)\n\n"
                    % (t, leaf))
    return "".join(rows)


def deep(n_nodes, seed=1):
    """Folded stacks of about @n_nodes frames, most of them far narrower than a pixel."""
    import random
    r = random.Random(seed)
    lines, nodes, stack = [], set(), []
    while len(nodes) < n_nodes:
        keep = r.randrange(len(stack) + 1) if stack else 0
        stack = stack[:keep]
        for _ in range(r.randrange(1, 30)):
            if len(stack) < 70:
                stack.append("function_%d" % r.randrange(20000))
        key = tuple(stack)
        for d in range(len(key), 0, -1):
            h = hash(key[:d])
            if h in nodes:
                break
            nodes.add(h)
        lines.append("app;%s %d\n" % (";".join(stack), r.randrange(1, 50)))
    return "".join(lines)
