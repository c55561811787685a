# SPDX-License-Identifier: MIT
"""cluster - three servers elect a leader; the leader compacts its log now and then

cluster.py long|short SECONDS

'long': the compaction runs in the main loop, longer than the others wait for a heartbeat.
'short': it is done in small steps. The log of all servers goes to standard output.
"""
import sys
import threading
import time

ELECTION = 0.15
lock = threading.Lock()
state = {"term": 1, "leader": 0, "beat": time.monotonic()}


def say(level, module, text):
    now = time.time()
    print("%s.%03dZ|%s|%s|%s" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)),
                                 int(now % 1 * 1000), module, level, text), flush=True)


def compact(is_long):
    """Work that reads no messages."""
    begin = time.monotonic()
    while time.monotonic() - begin < (0.5 if is_long else 0.005):
        sum(range(2000))
    took = time.monotonic() - begin
    if took > 0.1:
        say("WARN", "timeval", "Unreasonably long %d ms poll interval (%d ms user, 0 ms system)"
            % (took * 1000, took * 1000))


def server(number, end, is_long):
    turn = 0
    while time.monotonic() < end:
        time.sleep(0.02)
        turn += 1
        with lock:
            leads = state["leader"] == number
            silent = time.monotonic() - state["beat"]
        if leads:
            if turn % 20 == 0:
                say("INFO", "raft", "server %d: compacting the log" % number)
                compact(is_long)
            with lock:
                if state["leader"] == number:
                    state["beat"] = time.monotonic()
                else:
                    say("INFO", "raft", "server %d: rejecting term %d, current term is %d"
                        % (number, state["term"] - 1, state["term"]))
        elif silent > ELECTION + 0.03 * number:
            with lock:
                if time.monotonic() - state["beat"] > ELECTION:
                    state.update(term=state["term"] + 1, leader=number, beat=time.monotonic())
                    say("INFO", "raft", "term %d: %d ms timeout expired, starting election"
                        % (state["term"], silent * 1000))
                    say("INFO", "raft", "term %d: elected leader by 2+ of 3 servers"
                        % state["term"])


def main():
    end = time.monotonic() + 3 * float(sys.argv[2])
    servers = [threading.Thread(target=server, args=(n, end, sys.argv[1] == "long"))
               for n in range(3)]
    for s in servers:
        s.start()
    for s in servers:
        s.join()


main()
