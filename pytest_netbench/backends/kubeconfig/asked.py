"""What a task asks of a cluster: its objects. Pure."""

from __future__ import annotations

from pytest_netbench.errors import InputError, LabError
from pytest_netbench.kubernetes.objects import Object, parse
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.payload import CLUSTER_PLATFORM


def objects_of(request: LabRequest) -> list[Object]:
    """Return the objects of the application.

    Raises:
        LabError: They cannot be read.
    """
    texts = [
        request.startup_configs.get(name, "")
        for name, dialect in request.dialects.items()
        if dialect == CLUSTER_PLATFORM
    ]
    try:
        return [one for text in texts for one in parse(text)]
    except InputError as error:
        raise LabError(f"the objects of the cluster cannot be read: {error}") from error
