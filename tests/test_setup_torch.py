"""Which torch scripts/setup chooses and what it leaves out: its functions and real pip, with indexes on loopback."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
import venv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pip
import pytest

from tests.support.wheels import served, wheel

ROOT = Path(__file__).parents[1]
BASH = shutil.which("bash") or "/bin/bash"
FUNCTIONS = ("report", "system", "python")
CUDA = ('nvidia-cublas-cu12; platform_system == "Linux"', 'triton>=3; platform_system == "Linux"')
EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]) - {
    "all",
    "inspect",
    "ray",
}


def cuda_build(index: Path) -> None:
    wheel(index, "torch", "2.15.0", *CUDA, "sympy", padding=3_000_000)
    wheel(index, "nvidia-cublas-cu12", "12.8", padding=9_000_000)
    wheel(index, "triton", "3.9")
    wheel(index, "sympy", "1.14")


def plain_build(index: Path) -> None:
    """As PyPI serves it for macOS: what a marker excludes is not for this machine."""
    wheel(index, "torch", "2.15.0", 'nvidia-cublas-cu12; platform_system == "Plan9"', 'triton; extra == "compile"')


def older_plain_build(index: Path) -> None:
    cuda_build(index)
    wheel(index, "torch", "2.13.0")


def labelled_build(index: Path) -> None:
    """With the libraries of CUDA in itself; the version says so."""
    wheel(index, "torch", "2.15.0+cu132")


def rocm_build(index: Path) -> None:
    wheel(index, "torch", "2.15.0", "pytorch-triton-rocm")
    wheel(index, "pytorch-triton-rocm", "3.9")


def unreachable(index: Path) -> None:
    pass


def cpu_build(index: Path) -> None:
    wheel(index, "torch", "2.15.0+cpu")


@dataclass(frozen=True)
class Choice:
    """What came of it."""

    extras: set[str]
    said: str
    installed: list[str]


Chooser = Callable[..., Choice]


@pytest.fixture
def choose(tmp_path: Path) -> Iterator[Chooser]:
    """Run install_torch in a copy of the project, whose .venv has pip alone."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "scripts", copy / "scripts")
    shutil.copy(ROOT / "pyproject.toml", copy)
    venv.create(copy / ".venv", symlinks=True)
    (site,) = copy.glob(".venv/lib/python*/site-packages")
    (tmp_path / "pip_alone").mkdir()
    (tmp_path / "pip_alone/pip").symlink_to(Path(pip.__file__).parent)
    (site / "pip_alone.pth").write_text(f"{tmp_path / 'pip_alone'}\n")
    with ExitStack() as stack:

        def run(
            usual: Callable[[Path], None],
            of_torch: Callable[[Path], None] = unreachable,
            *,
            gate: bool = False,
            **env: str,
        ) -> Choice:
            urls = []
            for name, fill in (("usual", usual), ("of_torch", of_torch)):
                folder = tmp_path / name
                (folder / "simple").mkdir(parents=True)
                fill(folder)
                urls.append(stack.enter_context(served(folder)))
            sources = "".join(f". scripts/setup.d/{one}; " for one in FUNCTIONS)
            given = f"gate={'yes' if gate else 'no'}; torch_index={urls[1]}"
            code = f"set -euo pipefail; {sources} {given}; install_torch; echo $extras"
            done = subprocess.run(
                [BASH, "-c", code],
                cwd=copy,
                env={
                    "PATH": "/usr/bin:/bin",
                    "HOME": str(tmp_path),
                    "PIP_INDEX_URL": urls[0],
                    "PIP_NO_CACHE_DIR": "1",
                    **env,
                },
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
            assert done.returncode == 0, done.stderr
            installed = sorted(path.name.removesuffix(".dist-info") for path in site.glob("*.dist-info"))
            return Choice(set(done.stdout.strip().split(",")), done.stderr, installed)

        yield run


def test_the_cpu_build_is_taken_where_it_can_be_had(choose):
    choice = choose(cuda_build, cpu_build)
    assert (choice.extras, choice.installed) == (EXTRAS, ["torch-2.15.0+cpu"])
    assert "left out" not in choice.said


@pytest.mark.parametrize(
    ("usual", "version"), [(plain_build, "2.15.0"), (cpu_build, "2.15.0+cpu"), (older_plain_build, "2.13.0")]
)
def test_a_build_without_cuda_is_taken_from_the_usual_index(choose, usual, version):
    choice = choose(usual)
    assert (choice.extras, choice.installed) == (EXTRAS, [f"torch-{version}"])


@pytest.mark.parametrize("usual", [cuda_build, labelled_build, rocm_build])
def test_a_run_leaves_out_what_is_too_big_and_nothing_else_and_says_so(choose, usual):
    choice = choose(usual)
    assert (choice.extras, choice.installed) == (EXTRAS - {"reasoning"}, [])
    assert (
        "left out: the reasoning score (extra reasoning), because there is no CPU build of torch, and the one with CUDA"
        " is too big to be installed unasked. To add it:\n" in choice.said
    )
    assert ".venv/bin/pip install -e '.[reasoning]'" in choice.said


def test_the_gate_installs_the_big_build_where_there_is_no_other_and_says_its_size_first(choose):
    choice = choose(cuda_build, gate=True)
    assert choice.extras == EXTRAS
    assert "torch-2.15.0" in choice.installed
    assert "nvidia_cublas_cu12-12.8" in choice.installed
    size = choice.said.index("installing the default build, 12 MB to download and 1.5 times that on the disk")
    assert size < choice.said.index("installing 4 packages")
    assert "NETBENCH_TORCH=none refuses it" in choice.said


def test_the_gate_prefers_the_small_build(choose):
    choice = choose(cuda_build, cpu_build, gate=True)
    assert choice.installed == ["torch-2.15.0+cpu"]
    assert "default build" not in choice.said


@pytest.mark.parametrize("gate", [True, False])
def test_the_big_build_can_be_refused(choose, gate):
    choice = choose(cuda_build, gate=gate, NETBENCH_TORCH="none")
    assert (choice.extras, choice.installed) == (EXTRAS - {"reasoning"}, [])
    assert "there is no CPU build of torch, and NETBENCH_TORCH=none refuses the one with CUDA" in choice.said


def test_the_small_build_is_not_refused(choose):
    assert choose(cuda_build, cpu_build, NETBENCH_TORCH="none").installed == ["torch-2.15.0+cpu"]


@pytest.mark.parametrize("gate", [True, False])
def test_where_there_is_no_torch_at_all_set_up_goes_on_without_it(choose, gate):
    choice = choose(unreachable, gate=gate)
    assert (choice.extras, choice.installed) == (EXTRAS - {"reasoning"}, [])
    assert "because no build of torch for this Python could be had" in choice.said


def test_a_big_build_that_cannot_be_installed_does_not_end_the_gates_set_up(choose):
    def half(index: Path) -> None:
        cuda_build(index)
        shutil.rmtree(index / "simple/nvidia-cublas-cu12")

    choice = choose(half, gate=True)
    assert choice.extras == EXTRAS - {"reasoning"}
    assert "installing the default build, some gigabytes to download" in choice.said
    assert "the one with CUDA could not be installed" in choice.said


def test_an_extra_that_is_left_out_must_be_one_of_all(choose, tmp_path):
    choose(cuda_build)
    copy = tmp_path / "copy"
    done = subprocess.run(
        [copy / ".venv/bin/python", "scripts/setup.d/requirements.py", "extras", "reasonning"],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "pyproject.toml has no extra 'reasonning' in 'all'\n")
