"""What the hook command loads: the launcher, the bundle, the byte code."""

from __future__ import annotations

import compileall
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import holdfast
from holdfast.hook.bundle import build
from holdfast.setup import install
from holdfast.setup.doctor.finding import BROKEN, POOR, WELL, Finding, Patient
from holdfast.setup.doctor.installed_hooks import files
from holdfast.system import files as system_files
from holdfast.system import paths


def launcher(patient: Patient) -> Iterator[Finding]:
    """The launcher, and the byte code it loads."""
    if not files(patient):
        return
    path = paths.launcher(patient.state)
    if system_files.read_bytes(path) != install.launcher_text().encode():
        yield Finding(
            "launcher",
            BROKEN,
            f"{path} is gone or of another installation",
            lambda: install.write_launcher(patient.state),
        )
    if build.is_current(patient.state):
        yield Finding("pack", WELL, "the hook's modules are in one file, and current")
    else:
        message = (
            "the hook's modules are not packed, or were changed since: each is found by itself"
        )
        yield Finding("pack", POOR, message, lambda: build.write(patient.state))
    package = Path(holdfast.__file__).parent
    missing = [source.name for source in sorted(package.rglob("*.py")) if not _is_compiled(source)]
    if missing:
        message = f"{len(missing)} modules have no current byte code: every hook compiles them anew"
        yield Finding("byte code", POOR, message, lambda: _compile(package))
    else:
        yield Finding("byte code", WELL, "current")


def _is_compiled(source: Path) -> bool:
    compiled = Path(importlib.util.cache_from_source(str(source)))
    try:
        header = compiled.read_bytes()[:16]
    except OSError:
        return False
    if header[:4] != importlib.util.MAGIC_NUMBER or header[4:8] != b"\0\0\0\0":
        return header[:4] == importlib.util.MAGIC_NUMBER  # judged by a digest, not by time
    return int.from_bytes(header[8:12], "little") == int(source.stat().st_mtime) & 0xFFFFFFFF


def _compile(package: Path) -> None:
    compileall.compile_dir(str(package), quiet=2)
