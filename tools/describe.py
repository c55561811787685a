"""Output of `assay --describe` and `assay COMMAND --describe`: the program's own tables.

Lines of cells between tabs; the first cell says what the line is of.
"""
import subprocess


class Option:
    def __init__(self, name, letter, kind, arg, standard, text):
        self.name, self.letter, self.kind = name, letter, kind
        self.arg, self.standard, self.text = arg, standard, text

    @property
    def words(self):
        """Possible values of a choice; a description of others."""
        return self.arg.split("|") if self.kind == "choice" else []


class Command:
    def __init__(self, name, summary):
        self.name, self.summary = name, summary
        self.operands, self.phrase, self.tail = "", "", []
        self.groups = []  # (title, options)

    @property
    def options(self):
        return [o for _, options in self.groups for o in options]


def lines(assay, *words):
    done = subprocess.run([assay, *words, "--describe"], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def fill(assay, command, *words):
    for cells in lines(assay, *words):
        if cells[0] == "usage":
            command.operands, command.phrase = cells[2:4]
        elif cells[0] == "group":
            command.groups.append((cells[1], []))
        elif cells[0] == "option":
            if not command.groups:
                command.groups.append(("options", []))
            command.groups[-1][1].append(Option(*cells[1:7]))
        elif cells[0] == "tail":
            command.tail.append(cells[1])
    return command


class Program:
    def __init__(self, assay):
        self.commands, self.formats, self.rules, self.limits = [], [], [], []
        self.version = ""
        for cells in lines(assay):
            if cells[0] == "program":
                self.version = cells[2]
            elif cells[0] == "command":
                self.commands.append(fill(assay, Command(cells[1], cells[2]), cells[1]))
            elif cells[0] == "format":
                self.formats.append(cells[1:])
            elif cells[0] == "rule":
                self.rules.append(cells[1:])
            elif cells[0] == "limit":
                self.limits.append(cells[1:])
        self.front = fill(assay, Command("", ""), "--front")
