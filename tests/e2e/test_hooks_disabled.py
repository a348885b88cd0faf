"""The real client with a project's settings that disable hooks: it runs none, and says nothing; the
doctor and the status do."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from e2e import rig

DONE = {"text": "done"}


@pytest.mark.promise("O1")
def test_hooks_that_the_projects_settings_disable_are_named_by_the_doctor(claude, kept, repo):
    claude.run("Begin", says=[DONE])
    (first,) = kept.sessions()
    settings = repo / ".claude" / "settings.json"
    settings.write_text(json.dumps({"disableAllHooks": True}))

    unseen = rig.run_claude(claude.model, repo, "Go on", scratch=claude.scratch)

    assert unseen.exit_code == 0
    assert list(kept.sessions()) == [first]  # the client ran no hook
    doctor = subprocess.run(
        [sys.executable, "-m", "holdfast", "doctor", "--json"],
        cwd=repo,
        env=rig.environment(claude.model, claude.scratch),
        capture_output=True,
        timeout=120,
        check=False,
    )
    findings = json.loads(doctor.stdout)["findings"]
    broken = [finding["said"] for finding in findings if finding["standing"] == "broken"]
    assert doctor.returncode == 1
    assert len(broken) == 1
    assert broken[0].startswith(f"{settings} says disableAllHooks: no hook runs at all.")
    assert claude.holdfast("status")["trouble"] == broken

    settings.unlink()
    claude.run("Go on", says=[DONE])
    assert len(kept.sessions()) == 2
