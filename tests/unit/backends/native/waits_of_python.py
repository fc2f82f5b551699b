"""Waits of a Python program: does one of them and prints lab time passed, wall time passed, and 0 if all is right."""

import asyncio
import os
import queue
import select
import selectors
import signal
import socket
import sys
import threading
import time


def pair(timeout_s):
    left, right = socket.socketpair()
    left.settimeout(timeout_s)
    return left, right


def times_out(call, *errors):
    try:
        call()
    except errors:
        return True
    return False


def wall_clock():
    """Seconds of the wall: the clock that the library adds."""
    return time.clock_gettime(1000)


def sleep(s):
    time.sleep(s)
    return True


def selecting(s):
    return select.select([], [], [], s) == ([], [], [])


def polling(s):
    return select.poll().poll(s * 1000) == []


def selector(s):
    with selectors.DefaultSelector() as one:
        left, _ = pair(None)
        one.register(left, selectors.EVENT_READ)
        return one.select(s) == []


def socket_timeout(s):
    left, _right = pair(s)
    return times_out(lambda: left.recv(1), TimeoutError)


def accept_timeout(s):
    with socket.create_server(("127.0.0.1", 0)) as one:
        one.settimeout(s)
        return times_out(one.accept, TimeoutError)


def socket_without_timeout(s):
    left, right = pair(None)
    threading.Timer(s, right.send, [b"x"]).start()
    return left.recv(1) == b"x"


def lock_timeout(s):
    lock = threading.Lock()
    lock.acquire()
    return not lock.acquire(timeout=s)


def lock(s):
    one = threading.Lock()
    one.acquire()
    threading.Timer(s, one.release).start()
    return one.acquire()


def condition(s):
    one = threading.Condition()
    with one:
        return not one.wait(s)


def event(s):
    return not threading.Event().wait(s)


def join(s):
    other = threading.Thread(target=time.sleep, args=[s])
    other.start()
    other.join(s / 2)
    if not other.is_alive():
        return False
    other.join()
    return True


def queue_timeout(s):
    return times_out(lambda: queue.Queue().get(timeout=s), queue.Empty)


def pipe(s):
    reads, writes = os.pipe()
    threading.Timer(s, os.write, [writes, b"x"]).start()
    return os.read(reads, 1) == b"x"


def child(s):
    if (pid := os.fork()) == 0:
        time.sleep(s)
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


def alarm(s):
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, s)
    signal.pause()
    return signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def signal_timeout(s):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    return signal.sigtimedwait([signal.SIGUSR1], s) is None


def coroutines(s):
    async def both():
        await asyncio.gather(asyncio.sleep(s), asyncio.to_thread(time.sleep, s / 2))
        return True

    return asyncio.run(both())


WAYS = {
    one.__name__: one
    for one in (
        *(sleep, selecting, polling, selector, socket_timeout, accept_timeout, socket_without_timeout, lock_timeout),
        *(lock, condition, event, join, queue_timeout, pipe, child, alarm, signal_timeout, coroutines),
    )
}


def main():
    print("begins", flush=True)
    lab, wall = time.monotonic(), wall_clock()
    is_right = WAYS[sys.argv[1]](float(sys.argv[2]))
    print(time.monotonic() - lab, wall_clock() - wall, 0 if is_right else 1)


if __name__ == "__main__":
    main()
