"""TAP on stdout, for the tests that are scripts."""


class Tap:
    def __init__(self):
        self.n = self.bad = 0

    def ok(self, good, name, detail=""):
        """One result; detail describes the failure."""
        self.n += 1
        self.bad += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.n, name.replace("#", "+")), flush=True)
        if not good and detail != "":
            print("# " + str(detail)[:2000].replace("\n", "\n# "))

    def skip(self, name, why):
        self.n += 1
        print("ok %d - %s # SKIP %s" % (self.n, name, why))

    def end(self):
        """The plan; exit status of the script."""
        print("1..%d" % self.n)
        return 1 if self.bad else 0
