"""Pages for the tests: inputs that are made here, turned by the program under test."""
import os
import subprocess

SOURCE = os.environ.get("ASSAY_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ASSAY = os.environ.get("ASSAY") or os.path.join(SOURCE, "build", "assay")

FOLDED = ("app;main;parse;read_all 30\napp;main;parse;split 20\napp;main;write_all;flush 25\n"
          "app;main;spare_read 15\napp;main 10\n")
HOSTILE = [
    "</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=2>",
    "\"&'\u202eevil\x01<!--<script>", "<b class=x>bold</b>", "]]>", "__proto__", "constructor",
    "toString", "hasOwnProperty", "\u2028line\u2029", "esc\x1b[31mred\x1b]0;t\x07", "L" * 65536,
    "\udced\udca0\udc80lone", "\udcffbytes", "{{1+1}}${window.hacked=3}", "javascript:alert(1)",
    "\u200b\ufeff", "a\u0301" * 500, "-1", "0", "NaN", "/regex(/", "%s%n", "\\u003cscript>"]


def hostile(turn=0):
    """Folded stacks; names that are no UTF-8 come as surrogates."""
    return "".join("bash;%s;%s %d\n" % (n, HOSTILE[(i + 1) % len(HOSTILE)], 30 + 10 * (turn and i % 2))
                   for i, n in enumerate(HOSTILE))


def hostile_log():
    return "".join("2024-05-01T10:00:%02d.000Z|%05d|%s|WARN|%s\n" % (
        i % 60, i + 1, "poll_loop" if i % 3 else "<b>m</b>",
        n.replace("\n", " ")[:2000]) for i, n in enumerate(HOSTILE + HOSTILE)) + "".join(
        "2024-05-01T10:01:%02d.000Z|%05d|memory|INFO|peak resident set size grew 51%% in last "
        "560.1 seconds, from %d kB to %d kB\n" % (i, 100 + i, 2536 + i, 3828 + 10 * i)
        for i in range(4))


def assay_html(path, page, *words):
    subprocess.run([ASSAY, "html", "-o", page, *words, path], check=True)
    return page


def make(folder, name, text):
    path = os.path.join(folder, name + ".txt")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)
    return assay_html(path, os.path.join(folder, name + ".html"))


def fine(n=6000):
    """Frames of which every second one is left out of the row below."""
    return "".join("app;m;f%05d%s 1\n" % (i, ";g" if i % 2 else "") for i in range(n)).replace(
        ";m;f", ";f")


def script(seconds=8, rate=250):
    """Samples over time: steady all the time, calm except for a burst of storm."""
    rows = []
    for i in range(seconds * rate):
        t = 100 + i / rate
        burst = 0.5 <= i / (seconds * rate) < 0.75
        leaf = "steady" if i % 4 == 0 else "storm" if burst and i % 4 != 1 else "calm"
        rows.append("app  100/100 [000] %.6f:     1000000 cycles:\n"
                    "\t    55d0c0de %s+0x10 (/bin/app)\n\t    55d0beef main+0x20 (/bin/app)\n\n"
                    % (t, leaf))
    return "".join(rows)


def bursts(n=6000, seed=7, where=(0.4, 0.6)):
    """(time, stack) of samples: runs of one function, of which one comes more often within
    @where, one is only there, and one only elsewhere."""
    import random
    r = random.Random(seed)
    names = ["f%02d" % i for i in range(24)]
    weights = [0.85 ** i for i in range(24)]
    t, now, rows = 50.0, None, []
    for i in range(n):
        t += r.uniform(0.0005, 0.0015)
        inside = where[0] <= i / n < where[1]
        if now is None or r.random() < 0.4:
            w = list(weights)
            w[3] *= 3 if inside else 1
            w[5] = 0 if inside else w[5]
            now = r.choices(names + ["only"], w + [0.8 if inside else 0])[0]
        rows.append((t, ["main", "run%d" % (int(now[1:]) % 3), now] if now != "only"
                     else ["main", now]))
    return rows


def script_of(rows):
    return "".join("app  100/100 [000] %.6f:     1000000 cycles:\n%s\n" % (
        t, "".join("\t    55d0c0de %s+0x10 (/bin/%s)\n" % (f, "lib%s.so" % f[-1] if f[0] == "f"
                                                            else "app") for f in reversed(stack)))
        for t, stack in rows)


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
