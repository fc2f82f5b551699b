"""The dialect ``kubernetes``: API objects as YAML; its command line is a shell with ``kubectl``."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.dialects.kubernetes.mutations import MUTATIONS
from pytest_netbench.dialects.kubernetes.syntax import SYNTAX
from pytest_netbench.dialects.mutations import Mutations
from pytest_netbench.dialects.syntax import Tree


class KubernetesDialect:
    """The workstation of a cluster. What is compared are leaf rules of policies, and values of other objects."""

    name = "kubernetes"
    syntax = SYNTAX
    hint = (
        "The command line is a shell with `kubectl` and `jq`, for one cluster. `update-cfg` runs commands that change"
        " objects, each in a shell of its own. Read-only access lists and watches objects, reads logs, and runs"
        " commands in pods: `kubectl exec -n NAMESPACE deploy/NAME -- COMMAND`."
    )

    interface = staticmethod(linux_interface)

    def normalise(self, line: str) -> str | None:
        return " ".join(line.split()) or None

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return ()

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:  # order says nothing
        return None

    def mutations(self) -> Mutations:
        return MUTATIONS

    def manual(self) -> Sequence[ManualSection]:
        return ()
