"""Releases of kubectl beside the server's, built from their public Go modules."""

from __future__ import annotations

from typing import Final

from tests.support.programs import Build, Program

GO: Final = {"go": "install Go, from https://go.dev/dl or the distribution's packages"}
_MAIN: Final = """\
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
}
"""


def _release(version: str) -> Program:
    major, _, module = version.partition(".")
    values = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": module.partition(".")[0]}
    words = ["-s", "-w", *(f"-X k8s.io/component-base/version.{name}={value}" for name, value in values.items())]

    def make(build: Build) -> None:
        requirement = f"module netbench.local/kubectl\n\ngo 1.24\n\nrequire k8s.io/kubectl v0.{module}\n"
        (build.folder / "go.mod").write_text(requirement)
        (build.folder / "main.go").write_text(_MAIN)
        env = {"CGO_ENABLED": "0", "GOWORK": "off"}
        build.run("go", "mod", "tidy", **env)
        build.run("go", "build", "-trimpath", "-ldflags", " ".join(words), "-o", "kubectl", ".", **env)

    return Program(name="kubectl", version=version, make=make, needs=GO)


OLDER, NEWER = _release("1.35.10"), _release("1.37.2")
"""One minor release before the server's, and one after it."""
