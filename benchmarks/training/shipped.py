"""Weights as they were fitted now, against those that ship: compared byte for byte, or written."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"


def options(what: str) -> argparse.ArgumentParser:
    """What every fit may be asked for."""
    parser = argparse.ArgumentParser(description=f"Fit {what}.")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--check", action="store_true", help="compare with what ships")
    asked.add_argument("--write", action="store_true", help="write what ships")
    asked.add_argument("--figures", action="store_true", help="judge each author by the others")
    parser.add_argument("--limits", action="store_true", help="figures at other limits, too")
    return parser


def name_of(path: Path) -> str:
    return str(path.resolve().relative_to(ROOT))


def compare(name: str, ships: bytes, fitted: bytes) -> None:
    """Say that the bytes are those that ship; else leave with 1."""
    if ships == fitted:
        print(f"{name}: {len(fitted)} bytes, as fitted")
        return
    differing = sum(a != b for a, b in zip(ships, fitted, strict=False))
    differing += abs(len(ships) - len(fitted))
    sys.exit(f"error: {name} is not what was fitted: {differing} of {len(fitted)} bytes differ")


def compare_or_write(path: Path, fitted: bytes, *, write: bool) -> None:
    if write:
        path.write_bytes(fitted)
    else:
        compare(name_of(path), path.read_bytes(), fitted)
