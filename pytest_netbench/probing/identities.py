"""Mapping of packets to the probes that they belong to. Standard library only."""

from __future__ import annotations

from pytest_netbench.probing.exchanges import Attempt, Exchange

Flow = tuple[str, int, bytes, int, int]


class Identities:
    """Dictionaries from what packets carry to the attempts they belong to.

    Translation of addresses and ports on the path changes neither contents nor TCP sequence numbers, so these identify
    a packet at the target. At the source, where all translations have been reversed, its flow identifies it too.

    Attributes:
        questions: By contents, on the way to the target.
        answers: By contents, on the way back.
        segments: By first sequence number.
        flows: By source node, protocol, target, source port and target port; for an echo, sequence number and
            identifier instead of ports.
    """

    def __init__(self) -> None:
        self.questions: dict[bytes, Attempt] = {}
        self.answers: dict[bytes, Attempt] = {}
        self.segments: dict[int, Attempt] = {}
        self.flows: dict[Flow, Attempt] = {}

    def add(self, attempt: Attempt, *, node: str, protocol: int, source_port: int, target_port: int) -> None:
        """Know an attempt by its contents and its flow."""
        self.questions[attempt.question] = attempt
        if attempt.answer:
            self.answers[attempt.answer] = attempt
        self.flows[node, protocol, attempt.exchange.packed, source_port, target_port] = attempt

    def lone(self, protocol: str, content: bytes | None) -> Attempt | None:
        """The attempt of a probe of ``protocol`` that has this content, which packets of other probes may quote."""
        attempt = self.questions.get(content) if content else None
        return attempt if attempt is not None and attempt.exchange.protocol == protocol else None

    def exchange_of(self, flow: Flow) -> Exchange | None:
        """The probe of a flow."""
        attempt = self.flows.get(flow)
        return None if attempt is None else attempt.exchange
