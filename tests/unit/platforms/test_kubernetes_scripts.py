from __future__ import annotations

import pytest

from pytest_netbench.platforms.kubernetes.scripts import scripts

HERE = ["kubectl apply -f - <<'EOF'", "kind: A", "EOF"]


@pytest.mark.parametrize(
    ("lines", "groups"),
    [
        (["kubectl get pods", "true"], [["kubectl get pods"], ["true"]]),
        (["a", *HERE, "b"], [["a"], HERE, ["b"]]),
        (["\n".join(HERE), "b"], [["\n".join(HERE)], ["b"]]),
        (["cat <<-X", "\ttext", "\tX", "b"], [["cat <<-X", "\ttext", "\tX"], ["b"]]),
        (["cat <<A <<B", "1", "A", "2", "B", "b"], [["cat <<A <<B", "1", "A", "2", "B"], ["b"]]),
        (["cat <<X", " X", "X", "b"], [["cat <<X", " X", "X"], ["b"]]),
        (["kubectl get \\", "pods", "b"], [["kubectl get \\", "pods"], ["b"]]),
        (["cat <<X", "never"], [["cat <<X", "never"]]),
        ([], []),
    ],
)
def test_what_a_shell_must_be_given_at_once_stays_together(lines, groups):
    assert [*scripts(lines)] == groups
