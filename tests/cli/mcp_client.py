#!/usr/bin/env python3
"""A client of assay mcp, and what the server promises.

  tests/cli/mcp_client.py ASSAY SOURCE TEST
"""
import json
import os
import random
import select
import subprocess
import sys
import tempfile
import time

MODERN = "2026-07-28"
TOOLS = ["brief", "report", "compare", "stacks", "evidence", "check"]
CONSENSUS = "consensus-io_uring.perf-report.txt"
OVSDB = "ovsdb-raft-mail.txt"
UDP = "udp_sendmsg.funcgraph.txt"
# figures that were found in the seeds by other means, as a brief prints them
SEED_FIGURES = {
    "000": ["73000", "98.7", "0.7 %", "1.8 %", "52.7", "80.7", "26.76", "7.3"],
    "001": ["67 samples", "52.24", "elf_core_dump", "json_serialize", "5 elections", "17588"],
    "002": ["127.6", "362 calls", "udp_sendmsg"],
    "003": ["194.5", "169 calls", "16.8", "_raw_spin_lock_bh"],
    "004": ["100 functions", "Column c13"],
}


class Client:
    def __init__(self, assay, *args, is_modern=True):
        self.process = subprocess.Popen([assay, "mcp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.is_modern = is_modern
        self.last = 0
        self.notes = []
        self.buffer = b""
        if not is_modern:
            self.version = self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                                   "clientInfo": {"name": "t", "version": "1"}})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.raw(json.dumps(message).encode())

    def raw(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self, seconds=60):
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], seconds)
            assert ready, "no answer"
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            assert part, "the server ended: " + self.process.stderr.read().decode()
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def request(self, method, params=None, meta=None):
        self.last += 1
        params = dict(params or {})
        if self.is_modern:
            params["_meta"] = {"io.modelcontextprotocol/protocolVersion": MODERN,
                               "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                               "io.modelcontextprotocol/clientCapabilities": {}}
        if meta:
            params.setdefault("_meta", {}).update(meta)
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def ask(self, method, params=None, meta=None):
        wanted = self.request(method, params, meta)
        while True:
            answer = self.receive()
            if "id" in answer:
                assert answer["id"] == wanted, answer
                return answer
            self.notes.append(answer)

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def text(self, tool, **arguments):
        result = self.call(tool, **arguments)
        assert not result["isError"], result
        return result["structuredContent"]["text"]

    def fails(self, tool, **arguments):
        result = self.call(tool, **arguments)
        assert result["isError"], result
        return result["content"][0]["text"]

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(60) == 0
        errors = self.process.stderr.read().decode()
        assert errors == "", errors


def fits(schema, value, where="answer"):
    """The part of JSON Schema that the tools use."""
    kinds = {"object": dict, "string": str, "integer": int, "array": list, "boolean": bool}
    assert isinstance(value, kinds[schema["type"]]), (where, value)
    for name in schema.get("required", []):
        assert name in value, (where, name)
    for name, part in schema.get("properties", {}).items():
        if name in value:
            fits(part, value[name], where + "." + name)


def test_modern(assay, samples):
    """server/discover, tools/list, no handshake."""
    c = Client(assay, samples)
    found = c.ask("server/discover")["result"]
    assert found["supportedVersions"] == [MODERN] and found["resultType"] == "complete"
    assert found["capabilities"] == {"tools": {}} and found["ttlMs"] > 0 and found["cacheScope"] == "public"
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "assay"
    listed = c.ask("tools/list")["result"]
    assert listed["resultType"] == "complete" and listed["ttlMs"] > 0 and listed["cacheScope"] == "public"
    assert [t["name"] for t in listed["tools"]] == TOOLS
    for tool in listed["tools"]:
        assert tool["annotations"]["readOnlyHint"] is True and tool["annotations"]["destructiveHint"] is False
        assert tool["inputSchema"]["type"] == "object" and tool["outputSchema"]["type"] == "object"
    for method in ("ping", "initialize", "resources/list", "nothing"):
        assert c.ask(method)["error"]["code"] == -32601, method
    wrong = c.ask("tools/list", meta={"io.modelcontextprotocol/protocolVersion": "1999-01-01"})["error"]
    assert wrong["code"] == -32022 and wrong["data"] == {"supported": [MODERN], "requested": "1999-01-01"}
    assert c.ask("tools/list", meta={"io.modelcontextprotocol/clientCapabilities": None})["error"]["code"] == -32602
    result = c.call("brief", files=[UDP])
    assert result["resultType"] == "complete"
    c.end()


def test_legacy(assay, samples):
    """initialize, ping; nothing of the new revision in the answers."""
    c = Client(assay, samples, is_modern=False)
    assert c.version["result"]["protocolVersion"] == "2025-06-18"
    assert c.version["result"]["serverInfo"]["name"] == "assay"
    for asked, given in (("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"), (MODERN, "2025-11-25")):
        assert c.ask("initialize", {"protocolVersion": asked})["result"]["protocolVersion"] == given
    assert c.ask("ping")["result"] == {}
    listed = c.ask("tools/list")["result"]
    assert set(listed) == {"tools"}
    result = c.call("brief", files=[UDP])
    assert set(result) == {"content", "structuredContent", "isError"}
    c.end()
    c = Client(assay, samples)
    c.is_modern = False
    assert c.ask("tools/list")["error"]["code"] == -32602  # neither a handshake nor a revision
    c.end()


def test_tools(assay, samples):
    """Each tool on the samples; answers fit their schema."""
    c = Client(assay, samples)
    schemas = {t["name"]: t["outputSchema"] for t in c.ask("tools/list")["result"]["tools"]}
    calls = [
        ("brief", {"files": [CONSENSUS]}, "98.7 %"),
        ("brief", {"files": [OVSDB]}, "core dump"),
        ("report", {"files": [CONSENSUS]}, "syscall_exit_to_user_mode"),
        ("report", {"files": [UDP], "view": "calls"}, "127.6"),
        ("report", {"files": [UDP], "view": "info"}, "362 calls"),
        ("compare", {"before": CONSENSUS, "after": OVSDB}, None),
        ("stacks", {"file": CONSENSUS, "function": "func:syscall_exit_to_user_mode"}, "do_syscall_64"),
        ("stacks", {"file": CONSENSUS, "function": "ep_send_events", "direction": "paths"}, "do_epoll_wait"),
        ("stacks", {"file": UDP, "function": "udp_sendmsg", "direction": "calls"}, "ip_make_skb"),
        ("evidence", {"files": [CONSENSUS], "of": "finding:2"}, "2. System call overhead: 52.7 %"),
        ("evidence", {"files": [CONSENSUS], "of": "func:ep_send_events"}, "4.76"),
        ("evidence", {"files": [CONSENSUS], "of": "rule:syscall-border"}, "Fix."),
        ("check", {"files": [CONSENSUS], "claims": ["syscall_exit_to_user_mode self > 20%"]}, "26.76 %"),
        ("check", {"files": [CONSENSUS], "text": "syscall_exit_to_user_mode takes 40 % of CPU time."}, "26.76 %"),
    ]
    for name, arguments, wanted in calls:
        result = c.call(name, **arguments)
        if wanted is None and result["isError"]:
            continue
        assert not result["isError"], (name, arguments, result)
        fits(schemas[name], result["structuredContent"])
        assert wanted is None or wanted in result["structuredContent"]["text"], (name, arguments, result)
    only = c.text("evidence", files=[CONSENSUS], of="finding:2")
    assert "\n1. " not in only and "\n3. " not in only
    for claim, outcome in (("> 20%", "true"), ("< 20%", "false"), ("> 26.7%", "cannot-tell")):
        result = c.call("check", files=[CONSENSUS], claims=["syscall_exit_to_user_mode self " + claim])
        assert result["structuredContent"]["outcome"] == outcome, claim
    c.end()


def test_budget(assay, samples):
    """Budgets are kept, what is cut is counted, pages join to the whole."""
    c = Client(assay, samples)
    for tokens in (200, 500, 2000, 8000):
        for name, arguments in (("brief", {"files": [CONSENSUS]}), ("report", {"files": [CONSENSUS]}),
                                ("evidence", {"files": [CONSENSUS]}),
                                ("stacks", {"file": CONSENSUS, "function": "*"})):
            result = c.call(name, tokens=tokens, **arguments)
            size = len(json.dumps(result["structuredContent"], ensure_ascii=False).encode())
            assert size <= tokens * 3.5, (name, tokens, size)
            assert len(result["content"][0]["text"].encode()) <= tokens * 3.5
    pages, at, n = [], 1, 0
    while at:
        page = c.call("report", files=[CONSENSUS], tokens=3000, **({"from": at}))["structuredContent"]
        pages.append(page["text"])
        assert page["lines"] == page["first_line"] - 1 + page["text"].count("\n") + page["left_out"]
        at, n = page.get("next_from"), n + 1
    whole = subprocess.run([assay, "report", CONSENSUS], cwd=samples, capture_output=True, text=True).stdout
    assert n > 3 and "".join(pages).split("\n") == [line.rstrip() for line in whole.split("\n")]
    beyond = c.call("report", files=[CONSENSUS], **({"from": 100000}))
    assert "lines" in beyond["content"][0]["text"] and beyond["structuredContent"]["text"] == ""
    c.end()


def test_paths(assay, samples):
    """Files below the directories alone; links out of them are refused."""
    with tempfile.TemporaryDirectory() as top:
        inside, outside = top + "/in", top + "/out"
        os.makedirs(inside + "/sub")
        os.makedirs(outside)
        os.makedirs(top + "/inner")
        folded = "main;a;b 3\nmain;a 1\n"
        for name in (inside + "/a.folded", inside + "/sub/-b c.folded", outside + "/secret.folded",
                     top + "/inner/x.folded"):
            with open(name, "w", encoding="utf-8") as f:
                f.write(folded)
        os.symlink(outside + "/secret.folded", inside + "/link.folded")
        os.symlink(outside, inside + "/dir")
        os.symlink("a.folded", inside + "/good.folded")
        c = Client(assay, inside)
        for name in ("a.folded", inside + "/a.folded", "sub/-b c.folded", "good.folded", "sub/../a.folded"):
            assert "main" in c.text("report", files=[name]), name
        for name in ("link.folded", "dir/secret.folded", "../out/secret.folded", outside + "/secret.folded",
                     "../inner/x.folded", "/etc/passwd", "", "-", "--help", "/proc/self/mem", "sub", "nothing",
                     "a.folded\0x", "a.folded\n/etc/passwd", "x" * 5000):
            assert "secret" not in c.fails("report", files=[name]), name
        assert "a.folded" in c.fails("brief", files=["nothing"])
        # a claim is no file, an option no option of ours
        c.call("check", files=["a.folded"], claims=[outside + "/secret.folded"])
        assert "root:" not in json.dumps(c.call("check", files=["a.folded"], claims=["/etc/passwd", "--output=/x"]))
        assert c.call("report", files=["a.folded"], sort="sym --output=" + top + "/made")["isError"]
        assert not os.path.exists(top + "/made")
        c.end()


def test_hostile(assay, samples):
    """Bad messages get an error object; the server goes on."""
    c = Client(assay, samples)
    deep = b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5001
    huge = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (3 << 20) + b'"}'
    for line, code in ((b"x", -32700), (b"{", -32700), (b'{"jsonrpc":"2.0"', -32700), (b"[]", -32600), (b"1", None),
                       (b'"x"', None), (b"null", None), (deep, -32700), (huge, -32600), (b"\0\0\0", -32700),
                       (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', -32700), (b"{} {}", -32700),
                       (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
                       (b'{"jsonrpc":"2.0","id":1}', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
                       (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}', -32602),
                       (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600)):
        c.raw(line)
        answer = c.receive()
        assert "error" in answer and (code is None or answer["error"]["code"] == code), (line[:80], answer)
    for line in (b"", b"   ", b'{"jsonrpc":"2.0","method":"notifications/x"}', b'{"jsonrpc":"2.0","id":9,"result":{}}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled"}'):
        c.raw(line)  # no answer
    for name, arguments in (("none", {}), (7, {}), ("brief", []), ("brief", 7)):
        assert c.ask("tools/call", {"name": name, "arguments": arguments})["error"]["code"] == -32602
    for name, arguments in (("brief", {}), ("brief", {"files": []}), ("brief", {"files": "x"}), ("brief", {"files": [7]}),
                            ("brief", {"files": [UDP], "tokens": 9000}), ("brief", {"files": [UDP], "tokens": "x"}),
                            ("brief", {"files": [UDP], "tokens": 199}), ("brief", {"files": [UDP], "more": 1}),
                            ("brief", {"files": [UDP] * 300}), ("report", {"files": [UDP], "view": "x"}),
                            ("report", {"files": [UDP], "from": 0}), ("report", {"files": [UDP], "from": -1}),
                            ("report", {"files": [UDP], "sort": "nothing"}), ("stacks", {"file": UDP}),
                            ("stacks", {"file": UDP, "function": "func:"}), ("stacks", {"file": UDP, "function": "nf_iterate"}), ("evidence", {"files": [UDP], "of": "x"}),
                            ("evidence", {"files": [UDP], "of": "finding:999"}),
                            ("evidence", {"files": [UDP], "of": "finding:x"}), ("check", {"files": [UDP]}),
                            ("check", {"files": [UDP], "claims": ["x" * 5000]}),
                            ("check", {"files": [UDP], "claims": ["nonsense nonsense"]}),
                            ("check", {"files": [UDP], "claims": ["calls > 1"], "text": "x"})):
        assert len(c.fails(name, **arguments)) > 10, (name, arguments)
    assert "direction=calls" in c.fails("stacks", file=UDP, function="nf_iterate")
    assert "362 calls" in c.text("report", files=[UDP], view="info")
    dice = random.Random(1)
    good = json.dumps({"jsonrpc": "2.0", "id": "x", "method": "tools/call",
                       "params": {"name": "brief", "arguments": {"files": [UDP]}}}).encode()
    for _ in range(300):
        line = bytearray(good)
        for _ in range(dice.randrange(1, 6)):
            line[dice.randrange(len(line))] = dice.randrange(256)
        c.raw(bytes(line).replace(b"\n", b" "))
    c.is_modern = True
    wanted = c.request("server/discover")
    for _ in range(400):
        if c.receive().get("id") == wanted:
            break
    else:
        raise AssertionError("no answer after damaged messages")
    c.end()


def test_cancel(assay, samples):
    """A cancelled call gets no answer, the next one does; time limits; progress; a killed child."""
    with tempfile.TemporaryDirectory() as top:
        os.mkfifo(top + "/pipe")
        with open(top + "/big.folded", "w", encoding="utf-8") as f:
            for i in range(400000):
                f.write("main;a%d;b%d;c%d %d\n" % (i % 97, i % 9973, i, i % 13 + 1))
        with open(top + "/small.folded", "w", encoding="utf-8") as f:
            f.write("main;a 3\n")
        c = Client(assay, top)
        began = time.time()
        first = c.request("tools/call", {"name": "evidence", "arguments": {"files": ["big.folded"]}})
        second = c.request("tools/call", {"name": "brief", "arguments": {"files": ["big.folded"]}})
        for number in (second, first):
            c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        assert "main" in c.text("report", files=["small.folded"])
        assert time.time() - began < 30
        for _ in range(40):
            c.request("tools/call", {"name": "brief", "arguments": {"files": ["big.folded"]}})
        answer = c.receive()
        assert answer["error"]["code"] == -32000, answer
        c.process.terminate()
        assert c.process.wait(20) == 0
        c = Client(assay, "--seconds", "1", top)
        done = c.ask("tools/call", {"name": "evidence", "arguments": {"files": ["big.folded"]}}, {"progressToken": "p"})
        if done["result"]["isError"]:
            assert "1 s" in done["result"]["content"][0]["text"], done
            assert not c.notes or c.notes[0]["params"]["progressToken"] == "p"
        assert "main" in c.text("report", files=["small.folded"])
        c.end()


def test_many(assay, samples):
    """1000 calls, 750 of which start a reader: memory and descriptors stay."""
    c = Client(assay, samples)
    proc = "/proc/%d/" % c.process.pid

    def size():
        with open(proc + "statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * 4
    for i in range(1000):
        if i % 4 == 0:
            c.text("check", files=[UDP], claims=["calls > 1"])
        elif i % 4 == 1:
            c.text("report", files=[UDP], view="info", tokens=200)
        elif i % 4 == 2:
            c.fails("check", files=[UDP], claims=["calls >"])
        else:
            c.fails("brief", files=["nothing"])
        if i == 100:
            before, open_before = size(), len(os.listdir(proc + "fd"))
    with open(assay, "rb") as f:
        program = f.read()
    # sanitizers keep freed memory for a while
    if b"__asan_init" not in program and b"__tsan_init" not in program:
        assert size() <= before + 4096, (before, size())
    assert len(os.listdir(proc + "fd")) == open_before
    c.end()


def test_swap(assay, samples):
    """The owner of a folder replaces a file by a link, again and again, while a client asks for it."""
    del samples
    os.mkdir("own")
    for name, text in (("secret", "main;SECRET 5\n"), ("own/plain", "main;a 5\n")):
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
    os.link("own/plain", "own/f")
    owner = os.fork()
    if owner == 0:
        while True:
            os.symlink("../secret", "own/next")
            os.rename("own/next", "own/f")
            os.link("own/plain", "own/next")
            os.rename("own/next", "own/f")
    c = Client(assay, "--seconds", "20", "own")
    try:
        answers = [json.dumps(c.call("report", files=["f"])) for _ in range(80)]
    finally:
        os.kill(owner, 9)
        os.waitpid(owner, 0)
    assert not any("SECRET" in text for text in answers), sum("SECRET" in text for text in answers)
    c.call("report", files=["plain"])
    c.end()


def test_seeds(assay, samples):
    """The figures of the five seeds."""
    folder = samples + "/../../shared/seeds"
    folder = os.environ.get("ASSAY_SHARED", "") + "/seeds" if os.environ.get("ASSAY_SHARED") else folder
    if not os.path.isdir(folder):
        print("skip: no ../shared")
        sys.exit(77)
    c = Client(assay, folder)
    for name in sorted(os.listdir(folder)):
        for tokens in (2000, 8000):
            result = c.call("brief", files=[name], tokens=tokens)
            assert not result["isError"], result
            assert len(json.dumps(result["structuredContent"], ensure_ascii=False).encode()) <= tokens * 3.5
        first = c.text("evidence", files=[name], of="finding:1", tokens=8000)
        claim = next(line for line in first.split("\n") if line.startswith("1. "))
        assert claim[3:30] in c.text("brief", files=[name]), (name, claim)
        brief = c.text("brief", files=[name], tokens=8000)
        for figure in SEED_FIGURES[name[:3]]:
            assert figure in brief, (name, figure)
    c.end()


def main():
    assay, source, name = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    globals()["test_" + name](assay, os.path.abspath(source) + "/samples")


if __name__ == "__main__":
    main()
