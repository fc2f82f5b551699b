"""Installs what a page of docs/how-to shows as a third party would: by the entry point of a distribution."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

_PAGES: Final = Path(__file__).parents[2] / "docs/how-to"


def install(page: str, site: Path) -> Path:
    """Make ``site`` a folder that provides the parts of ``page`` once it is on ``sys.path``."""
    text = (_PAGES / page).read_text()
    module, metadata = (_block(text, language) for language in ("python", "toml"))
    project = tomllib.loads(metadata)["project"]
    points = [(group, *one) for group, named in project["entry-points"].items() for one in named.items()]
    (module_name,) = {value.partition(":")[0] for _, _, value in points}
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (site / f"{module_name}.py").write_text(module)
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n{name} = {value}\n" for group, name, value in points))
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head)
    return site


def _block(page: str, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return str(found)
