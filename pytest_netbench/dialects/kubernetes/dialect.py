"""The dialect ``kubernetes``: the objects of a cluster as YAML; its command line is a shell with ``kubectl``."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection, Mistake
from pytest_netbench.dialects.indentation import SHOWN
from pytest_netbench.dialects.mutations import Mutations
from pytest_netbench.dialects.syntax import Tree


class KubernetesDialect:
    """The workstation from which a cluster is configured."""

    name = "kubernetes"
    syntax = SHOWN
    hint = (
        "workstation is a shell with kubectl and jq, logged in to the cluster. update-cfg runs each command in that"
        " shell and may change objects (kubectl apply -f - <<'EOF' ..., kubectl patch, kubectl delete); execute-cmd"
        " can read, show logs and run commands in pods, and changes nothing. get-running-cfg returns the objects of"
        " the application's namespaces as YAML. The other devices are the pods of the Deployments of their names."
    )

    def interface(self, name: str) -> str:
        return name

    def normalise(self, line: str) -> str | None:
        return None if line.strip() in ("", "---") else line.rstrip()

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return ()

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:  # noqa: ARG002 - no order counts
        return None

    def mutations(self) -> Mutations:
        return Mutations()

    def mistakes(self, lines: Sequence[str], *, ports: Sequence[str], before: Sequence[str] = ()) -> list[Mistake]:  # noqa: ARG002
        return []

    def manual(self) -> Sequence[ManualSection]:
        return ()
