"""Invented sessions of one project: four tasks, each worked on twice."""

from __future__ import annotations

from holdfast.rooms.identity.mind import Mind

# task -> the files it is about, the names in its code, what is asked, what is run
TASKS = {
    "invoices": (
        ["billing/invoice.py", "billing/tax.py", "tests/test_invoice.py"],
        ["line_total", "vat_rate", "round_cents", "InvoiceDraft", "tax_region"],
        ["fix the rounding of invoices", "the vat of drafts is wrong as well", "go on"],
        "pytest tests/test_invoice.py",
    ),
    "login": (
        ["web/login.py", "web/cookies.py", "tests/test_login.py"],
        ["session_cookie", "check_password", "LoginForm", "remember_me", "csrf_token"],
        ["add a remember-me box to the login page", "keep the cookie for a month", "and a test"],
        "pytest tests/test_login.py",
    ),
    "search": (
        ["search/index.py", "search/ranking.py", "docs/search.md"],
        ["build_index", "term_frequency", "RankedHit", "stop_words", "query_parser"],
        ["make the search rank titles higher", "explain the ranking in the docs", "yes please"],
        "pytest -k ranking",
    ),
    "deploy": (
        ["ops/Dockerfile", "ops/compose.yaml", ".github/workflows/deploy.yml"],
        ["health_check", "BASE_IMAGE", "restart_policy", "registry_url", "rollout_step"],
        ["shrink the docker image", "add a health check to compose", "now the workflow"],
        "docker build -t app ops",
    ),
}
COMMON = ["README.md", "Makefile"]  # what every task touches


def session(task: str, part: int) -> list[tuple[str, object]]:
    """One session: three prompts, each with reads, a search, edits and a run."""
    files, names, prompts, command = TASKS[task]
    events: list[tuple[str, object]] = []
    for turn, prompt in enumerate(prompts):
        events.append(("prompt", prompt))
        events.append(("tool", _read(COMMON[(turn + part) % 2])))
        for step in range(3):
            path = files[(turn + step + part) % len(files)]
            name = names[(turn + 2 * step + part) % len(names)]
            other = names[(turn + step + 3 * part) % len(names)]
            events.append(("tool", _read(path)))
            events.append(("tool", _search(name)))
            events.append(
                ("tool", _edit(path, f"{name}({other})", f"{name}({other}, strict=True)"))
            )
        events.append(("tool", _run(command, is_ok=turn > 0)))
        events.append(("tool", _run("git status", is_ok=True)))
    return events


def fold(mind: Mind, events: list[tuple[str, object]], *, is_new_task: bool = False) -> Mind:
    for place, (kind, what) in enumerate(events):
        if kind == "prompt":
            mind.prompt(what, is_new_task=is_new_task and place == 0)
        else:
            mind.tool(what)
    mind.rest()
    return mind


def _read(path: str) -> dict[str, object]:
    return {"tool": "Read", "deed": "read", "path": path, "input": {"file_path": path}, "ok": True}


def _search(name: str) -> dict[str, object]:
    return {"tool": "Grep", "deed": "search", "input": {"pattern": name}, "ok": True}


def _edit(path: str, old: str, new: str) -> dict[str, object]:
    given = {"file_path": path, "old_string": old, "new_string": new}
    return {"tool": "Edit", "deed": "edit", "path": path, "input": given, "ok": True}


def _run(command: str, *, is_ok: bool) -> dict[str, object]:
    body = {"tool": "Bash", "deed": "run", "command": command, "input": {"command": command}}
    return {**body, "ok": True} if is_ok else {**body, "ok": False, "error": "1 failed in 0.2s"}
