"""Programs that hosts run for probes, as text for their ``python3 -c``. Standard library only, for Python 3.6."""

from __future__ import annotations

SENDER = """
import json, os, socket, sys, threading, time
WORDS = {111: "refused", 113: "host unreachable", 101: "network unreachable", 13: "administratively prohibited",
         1: "blocked by the sender's own filter", 99: "the source address cannot be used"}
def one(p):
    six = ":" in p["target"]
    kind = socket.SOCK_STREAM if p["protocol"] == "tcp" else socket.SOCK_DGRAM
    token = os.urandom(16).hex()
    done = {"token": token, "tries": 0}
    for _ in range(p["tries"]):
        done["tries"] += 1
        s = socket.socket(socket.AF_INET6 if six else socket.AF_INET, kind)
        try:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if six:
                s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, p["dscp"] << 2)
            else:
                s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, p["dscp"] << 2)
            s.settimeout(p["timeout_s"])
            if p["source_address"] or p["source_port"]:
                s.bind((p["source_address"] or "", p["source_port"] or 0))
            began = time.monotonic()
            s.connect((p["target"], p["port"]))
            if kind == socket.SOCK_DGRAM or p["asks"]:
                s.sendall(token.encode())
                s.recv(64)
            done["ms"] = (time.monotonic() - began) * 1000
            return done
        except socket.timeout:
            continue
        except OSError as error:
            if error.errno == 110:
                continue
            done["why"] = WORDS.get(error.errno, error.strerror or str(error))
            return done
        finally:
            s.close()
    return done
given = json.load(sys.stdin)
found = [None] * len(given)
def work(number):
    found[number] = one(given[number])
threads = [threading.Thread(target=work, args=(number,)) for number in range(len(given))]
for start in range(0, len(threads), 50):
    for thread in threads[start:start + 50]:
        thread.start()
    for thread in threads[start:start + 50]:
        thread.join()
print(json.dumps(found))
"""
"""Reads a list of probes, and prints a list of what came of them."""

LISTENER = """
import json, os, signal, socket, sys, threading
signal.alarm(int(sys.argv[2]))
RECVTOS, PKTINFO = 13, 8
MARKS = (socket.IPPROTO_IP, 1), (socket.IPPROTO_IPV6, socket.IPV6_TCLASS)
lock = threading.Lock()
def say(**what):
    with lock:
        os.write(1, (json.dumps(what) + "\\n").encode())
def opened(protocol, version, port):
    six, stream = version == 6, protocol == "tcp"
    s = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_STREAM if stream else socket.SOCK_DGRAM)
    if six:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if stream:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    else:
        level = socket.IPPROTO_IPV6 if six else socket.IPPROTO_IP
        for option in (socket.IPV6_RECVTCLASS, socket.IPV6_RECVPKTINFO) if six else (RECVTOS, PKTINFO):
            s.setsockopt(level, option, 1)
    s.bind(("", port))
    if stream:
        s.listen(128)
    return s
def serve(at, peer, address):
    peer.settimeout(5)
    try:
        token = peer.recv(64)
        say(at=at, token=token.decode("ascii", "replace"), source=address)
        peer.sendall(token)
    except OSError:
        pass
    finally:
        peer.close()
def streams(at, s):
    while True:
        peer, address = s.accept()
        threading.Thread(target=serve, args=(at, peer, address[0]), daemon=True).start()
def datagrams(at, s):
    while True:
        data, extra, _, address = s.recvmsg(64, 256)
        marks = [value[0] for level, kind, value in extra if (level, kind) in MARKS]
        back = []
        for level, kind, value in extra:
            # the answer comes from the address that was asked, which may not be the first one
            if (level, kind) == (socket.IPPROTO_IP, PKTINFO):
                back = [(level, kind, bytes(4) + value[4:8] + bytes(4))]
            if (level, kind) == (socket.IPPROTO_IPV6, socket.IPV6_PKTINFO):
                back = [(level, kind, value)]
        say(at=at, token=data.decode("ascii", "replace"), source=address[0], dscp=marks[0] >> 2 if marks else None)
        try:
            s.sendmsg([data], back, 0, address)
        except OSError:
            pass
for at, port in enumerate(json.loads(sys.argv[1])):
    try:
        s = opened(*port)
    except OSError as error:
        say(occupied=at, why=error.strerror)
    else:
        threading.Thread(target=streams if port[0] == "tcp" else datagrams, args=(at, s), daemon=True).start()
say(pid=os.getpid())
while True:
    signal.pause()
"""
"""Answers on ports, and prints what it accepted, one JSON object a line; its own number once it answers."""
