"""A container that stands in for a device: whoever logs in to it is at an IOS node of ours, which runs elsewhere."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

# the image has Perl, and its gateway is where the test listens
PERL = """
use IO::Socket::INET; $SIG{CHLD} = "IGNORE"; $SIG{TERM} = sub { exit 0 };
my $in = IO::Socket::INET->new(Listen => 5, LocalPort => 22, ReuseAddr => 1) or die;
while (my $near = $in->accept) {
  next if fork; open my $routes, "<", "/proc/net/route"; my $gateway;
  while (<$routes>) {
    my @word = split; $gateway = join ".", reverse map { hex } $word[2] =~ /../g if $word[1] eq "00000000"
  }
  my $far = IO::Socket::INET->new(PeerAddr => $gateway, PeerPort => PORT) or exit 1;
  my ($from, $to) = fork ? ($near, $far) : ($far, $near);
  while (sysread $from, my $data, 65536) { syswrite $to, $data } shutdown $to, 1; exit 0
}
"""


def command(port: int) -> list[str]:
    """The words that perl is started with in the container."""
    return ["-e", " ".join(PERL.replace("PORT", str(port)).split())]


@contextlib.contextmanager
def relayed(target: tuple[str, int]) -> Iterator[int]:
    """Let what connects to a port of any address here reach ``target``; yields the port."""
    listener = socket.create_server(("", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(target)
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_copy, args=(one, other), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
