from __future__ import annotations

import pytest

from holdfast.rooms.sessions.liveness import ALIVE, GONE, UNKNOWN, Process, standing

HERE = Process(0, "", "boot1", "host1", "ns1")
DAY = 86_400.0


def judged(process: Process, *, started_now: str = "", silent_s: float = 0.0) -> str:
    return standing(process, HERE, started_now=started_now, silent_s=silent_s, silence_limit_s=DAY)


@pytest.mark.promise("S5")
def test_a_session_whose_process_runs_is_alive_however_long_it_is_silent():
    process = Process(7, "100", "boot1", "host1", "ns1")

    assert judged(process, started_now="100", silent_s=400 * DAY) == ALIVE


@pytest.mark.promise("S5")
def test_a_number_that_was_given_to_another_process_is_not_the_session():
    assert judged(Process(7, "100", "boot1", "host1", "ns1"), started_now="200") == GONE


@pytest.mark.promise("S5")
def test_a_process_that_is_not_there_is_gone():
    assert judged(Process(7, "100", "boot1", "host1", "ns1"), started_now="") == GONE


@pytest.mark.promise("S5")
def test_no_process_survives_a_reboot():
    assert judged(Process(7, "100", "boot0", "host1", "ns1"), started_now="100") == GONE


@pytest.mark.promise("S5")
@pytest.mark.parametrize(
    "process",
    [
        pytest.param(Process(7, "100", "boot1", "host2", "ns1"), id="another host"),
        pytest.param(Process(7, "100", "boot1", "host1", "ns2"), id="another pid namespace"),
        pytest.param(Process(0, "", "boot1", "host1", "ns1"), id="no process known"),
    ],
)
def test_silence_counts_only_where_the_process_cannot_be_looked_at(process):
    assert judged(process, silent_s=DAY - 1) == UNKNOWN
    assert judged(process, silent_s=DAY + 1) == GONE
