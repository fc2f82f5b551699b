"""Task files for labs in memory."""

from __future__ import annotations

from pathlib import Path

import yaml

TASK = {
    "task_name": "Let the branch reach the web server",
    "platform": "memory",
    "difficulty": "easy",
    "tags": ["access"],
    "intents": [
        {
            "text": "The branch reaches the web server on port 80",
            "sub_intents": [{"node": "edge", "text": "stop dropping port 80"}],
        },
        {"text": "The edge knows the data centre", "sub_intents": [{"node": "edge", "text": "route 10.9.0.0/16"}]},
    ],
    "topology": {
        "nodes": ["branch", "edge", "web"],
        "links": ["branch e0 <-> edge e0", "edge e1 <-> web e0"],
    },
    "startup_configs": {
        "branch": "address e0 10.0.1.10",
        "edge": "address e0 10.0.1.1\naddress e1 10.0.2.1\ndeny tcp 80 any",
        "web": "address e0 10.0.2.10",
    },
    "ground_truth_configs": {"edge": ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"]},
    "testcases": [
        {
            "kind": "reachability",
            "name": "web-open",
            "intent": 1,
            "from": "branch",
            "to": "web",
            "protocol": "tcp",
            "port": 80,
            "within_s": 1,
        },
        {
            "kind": "route",
            "name": "dc-route",
            "intent": 2,
            "device": "edge",
            "prefix": "10.9.0.0/16",
            "next_hops": ["10.0.2.10"],
            "within_s": 1,
        },
        {
            "kind": "reachability",
            "name": "ping-stays",
            "role": "regression",
            "from": "branch",
            "to": "web",
            "within_s": 1,
        },
    ],
}


def write_task(folder: Path, slug: str, **changes: object) -> Path:
    """Write ``slug.task.yaml`` under ``folder``; ``changes`` replace fields, ``None`` takes one away."""
    fields = {name: value for name, value in {**TASK, **changes}.items() if value is not None}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{slug}.task.yaml"
    path.write_text(yaml.safe_dump(fields, sort_keys=False))
    return path
