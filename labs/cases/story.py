"""What a case teaches, as text for a terminal: the same parts as its page, the answer last."""
import subprocess
import textwrap

import page

WIDTH = 80


def wrapped(words, indent="  "):
    return textwrap.fill(words, WIDTH, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def findings(told):
    rows = [f for f in told["findings"] if f.get("overruled_by") is None]
    lines = []
    for n, f in enumerate(rows[:page.N_FINDINGS], 1):
        lines.append(wrapped("%d. %s [%s, %s]" % (n, f["claim"], f["severity"], f["rule"])))
        if f.get("cause"):
            lines.append(wrapped("Cause: " + f["cause"], "     "))
        if f.get("next"):
            lines.append(wrapped("Next: " + f["next"][0], "     "))
    if len(rows) > page.N_FINDINGS:
        lines.append("  %d more" % (len(rows) - page.N_FINDINGS))
    return "\n".join(lines) or "  no finding"


def difference(lab, made):
    """The first paragraph of `assay diff` on both variants, or why there is none."""
    done = subprocess.run([lab.assay, "diff", made["before"]["path"], made["after"]["path"]],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 3):
        return wrapped(done.stderr.strip().removeprefix("assay: ") or "not comparable")
    return wrapped(" ".join(done.stdout.split("\n  ")[0].split()))


def indented(lines):
    return "\n".join("  " + line.expandtabs(4) for line in lines)


def tell(lab, case, made):
    """@made: variant -> {"path", "page"}: the evidence, and what assay says of it."""
    parts = [("Symptom", wrapped(case.symptom)),
             ("Recorded with", indented(page.recorded_by(case).splitlines())),
             ("Question", wrapped(case.question)),
             ("Before: assay explain", findings(made["before"]["page"])),
             ("After: assay explain", findings(made["after"]["page"])),
             ("Before and after: assay diff", difference(lab, made)),
             ("Fix: " + case.fix, indented(page.code_diff(case) + page.command_diff(case))),
             ("Answer", wrapped(case.answer))]
    for title, words in parts:
        lab.say("\n%s\n%s" % (title, words))
