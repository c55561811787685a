"""What a lab must find: the file 'expected', and how it is checked.

One condition a line, words as a shell would split them, # begins a comment:

  finds   CAPTURE RULE ["FIGURE" LOW HIGH]   a finding, its figure between LOW and HIGH
  first   CAPTURE RULE                       it is the finding to act on
  lacks   CAPTURE RULE                       no finding of this rule
  clean   CAPTURE RULE                       looked at, and not so
  less    DIFF FUNCTION                      it costs less in B (or is gone)
  more    DIFF FUNCTION                      it costs more in B (or is new)
  value   NAME LOW HIGH                      a figure that the lab measured

CAPTURE and DIFF are names that the lab's run gave. Rules separated by '|' are
alternatives. '-' is no bound, and a bound of 'value' may be another figure of the run, such
as the control of a comparison (Lab.control()). Each figure must have a line. A line that begins with '?' is for what not every machine
can make: where the capture, diff or value is missing, the line counts as not checked.
"""
import fnmatch
import shlex

# the last line of a lab; labs/run looks for it and counts
CHECKED = r"^checked: \d+ as expected, \d+ not, (\d+) not checked$"


def bound(word, values):
    if word in values:
        return values[word]
    return None if word == "-" else float(word)


def within(value, low, high):
    return (low is None or value >= low) and (high is None or value <= high)


def span(low, high):
    return "%s to %s" % ("-" if low is None else "%g" % low, "-" if high is None else "%g" % high)


def rows_in(path):
    """(number, whether it begins with '?', words) of each line with a condition."""
    rows = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            words = shlex.split(line, comments=True)
            if words:
                optional = words[0] == "?"
                rows.append((number, optional, words[1:] if optional else words))
    return rows


class Expected:
    def __init__(self, path):
        self.rows = rows_in(path)

    def check(self, explained, diffs, values, is_part=False):
        """(ok, sentence) of each condition; ok is None for one that was not checked.
        @is_part: only a part was asked for, so that conditions on the rest do not count."""
        for number, optional, words in self.rows:
            verb, where, rest = words[0], words[1], words[2:]
            there = {"value": values, "less": diffs, "more": diffs}.get(verb, explained)
            if where not in there:
                if not is_part:
                    yield (None if optional else False), "line %d: no '%s' was made" % (number, where)
                continue
            if verb == "value":
                rest = [bound(word, values) for word in rest]
            yield getattr(self, "check_" + verb)(there[where], where, *rest)
        if not is_part:
            read = {word for _, _, words in self.rows if words[0] == "value" for word in words[1:]}
            for name in values:
                if name not in read:
                    yield False, "%s: measured, and no line reads it" % name

    @staticmethod
    def named(page, rules):
        return [f for f in page["findings"] if f["rule"] in rules.split("|")]

    def check_finds(self, page, where, rules, figure=None, low="-", high="-"):
        found = self.named(page, rules)
        if not found:
            return False, "%s: no finding %s (there are: %s)" % (
                where, rules, ", ".join(f["rule"] for f in page["findings"]) or "none")
        if not figure:
            return True, "%s: %s" % (where, found[0]["claim"])
        low, high = bound(low, {}), bound(high, {})
        for f in found:
            for row in f["figures"]:
                if fnmatch.fnmatch(row["name"], figure):
                    return within(row["value"], low, high), "%s: %s: %s %.4g %s (%s)" % (
                        where, f["rule"], row["name"], row["value"], row["unit"], span(low, high))
        return False, "%s: %s has no figure '%s'" % (where, rules, figure)

    @staticmethod
    def check_first(page, where, rules):
        first = page["findings"][0]["rule"] if page["findings"] else "none"
        return first in rules.split("|"), "%s: first is %s" % (where, first)

    def check_lacks(self, page, where, rules):
        found = self.named(page, rules)
        return not found, "%s: %s" % (where, found[0]["claim"] if found else "no " + rules)

    @staticmethod
    def check_clean(page, where, rules):
        for row in page["clean"]:
            if row["rule"] in rules.split("|"):
                return True, "%s: clean: %s" % (where, row["sentence"])
        return False, "%s: %s is not clean" % (where, rules)

    @staticmethod
    def changed(page, where, function, verdict):
        rows = [r for table in ("rows", "by_children") for r in page.get(table, [])
                if fnmatch.fnmatch(r["symbol"].split("@@")[0], function)]
        for row in rows:
            if row["verdict"] == verdict:
                return True, "%s: %s in %s, %.4g to %.4g %s" % (
                    where, verdict, row["symbol"].split("@@")[0], row["a"], row["b"], page["unit"])
        return False, "%s: %s: %s" % (where, function,
                                      rows[0]["verdict"] if rows else "in neither")

    def check_less(self, page, where, function):
        return self.changed(page, where, function, "less")

    def check_more(self, page, where, function):
        return self.changed(page, where, function, "more")

    @staticmethod
    def check_value(value, where, low, high):
        return within(value, low, high), "%s %.4g (%s)" % (where, value, span(low, high))
