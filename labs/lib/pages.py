"""Tables in documents, between marks: <!-- NAME --> and <!-- end -->."""
import re
import sys


def replace_part(path, name, made):
    """Put @made between the marks of @name in the file @path."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text, n = re.subn(r"(<!-- %s -->\n).*?(<!-- end -->)" % name, lambda m: m.group(1) + made + m.group(2),
                      text, count=1, flags=re.S)
    if not n:
        sys.exit("%s has no mark '<!-- %s -->'" % (path, name))
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
