"""A client of ovsdb-server: JSON-RPC over a Unix socket (RFC 7047)."""
import json
import socket

DB = "OVN_Northbound"
PORTS = "Logical_Switch_Port"
# a search that looks at each port and finds none
SEARCH = {"op": "select", "table": PORTS,
          "where": [["type", "==", "none"], ["name", "!=", ""]]}


class Client:
    def __init__(self, path, timeout=60):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.rest, self.number = "", 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, message):
        self.socket.sendall(json.dumps(message).encode())

    def answer(self):
        """The next answer; requests for a sign of life are answered."""
        decoder = json.JSONDecoder()
        while True:
            try:
                message, end = decoder.raw_decode(self.rest)
            except ValueError:
                block = self.socket.recv(1 << 20)
                if not block:
                    raise ConnectionError("the server closed the connection") from None
                self.rest = (self.rest + block.decode()).lstrip()
                continue
            self.rest = self.rest[end:].lstrip()
            if message.get("method") != "echo":
                return message
            self.send({"id": message["id"], "result": message["params"], "error": None})

    def transact(self, *operations):
        self.number += 1
        self.send({"method": "transact", "params": [DB, *operations], "id": self.number})
        return self.answer()

    def commit(self, *operations):
        """A transaction that must succeed."""
        answer = self.transact(*operations)
        failed = answer.get("error") or next(
            (r["error"] for r in answer["result"] if r and "error" in r), None)
        if failed:
            raise RuntimeError("transaction: %s" % failed)
        return answer["result"]


def add_switch(client, name):
    return client.commit({"op": "insert", "table": "Logical_Switch", "row": {"name": name}})[0]["uuid"]


def add_ports(client, switch, first, last):
    """Ports @first to @last - 1 in one transaction."""
    names = range(first, last)
    client.commit(*({"op": "insert", "table": PORTS, "row": {"name": "port-%d" % n},
                     "uuid-name": "p%d" % n} for n in names),
                  {"op": "mutate", "table": "Logical_Switch", "where": [["_uuid", "==", switch]],
                   "mutations": [["ports", "insert", ["set", [["named-uuid", "p%d" % n]
                                                              for n in names]]]]})


def set_id(client, table, name, value):
    """Set external_ids of the row @name to a map of one entry."""
    client.commit({"op": "update", "table": table, "where": [["name", "==", name]],
                   "row": {"external_ids": ["map", [["note", value]]]}})
