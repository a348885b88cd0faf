"""When recall should be silent: the weights of rooms/recall/ranking.py, fitted, and how they do on
repositories and conversations that had no part in the fit.

Questions whose answer was found are held against foreign ones by a logistic regression (Newton's
method, a little ridge); the bias is then moved so that LOSS of the hits is lost, of sessions and of
conversations alike.

Laws: no question is judged by a fit that has seen its repository, as asker or as asked; of
`figures` nothing but counts comes out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp

from holdfast.rooms.recall import ranking
from holdfast.rooms.recall.ranking import Signs

LOSS = 0.025
ROUNDS = 30
RIDGE = 0.01
WEIGHT = 1_000.0  # of all questions together
OWN, FOREIGN_WORLD, FOREIGN_REPOSITORY = "own", "another world", "the same sort of project"


@dataclass(frozen=True)
class Asked:
    """A question that was put to a project: what sort it is, where it is from, whom it was put to,
    whether the answer was among the hits, and what was seen of it."""

    sort: str
    label: str
    home: str
    of: str
    is_hit: bool
    signs: Signs

    @property
    def is_trained_on(self) -> bool:
        return self.is_hit or self.sort != OWN


@dataclass(frozen=True)
class Fit:
    weights: Signs
    bias: float

    def answers(self, asked: Asked) -> bool:
        return ranking.is_about(asked.signs, self.weights, self.bias)


def fit(asked: Iterable[Asked]) -> Fit:
    rows = [each for each in asked if each.is_trained_on]
    hits = sum(each.is_hit for each in rows)
    share = {True: WEIGHT / 2 / hits, False: WEIGHT / 2 / (len(rows) - hits)}
    points = [([1.0, *each.signs], each.is_hit, share[each.is_hit]) for each in rows]
    size = len(Signs._fields) + 1
    values = [0.0] * size
    for _ in range(ROUNDS):
        slope = [-RIDGE * value * (place > 0) for place, value in enumerate(values)]
        bend = [[RIDGE * (row == column) for column in range(size)] for row in range(size)]
        for point, is_hit, weight in points:
            score = sum(a * b for a, b in zip(values, point, strict=True))
            chance = 1 / (1 + exp(-max(min(score, 30.0), -30.0)))
            gap, curve = weight * (is_hit - chance), weight * chance * (1 - chance)
            for row in range(size):
                slope[row] += gap * point[row]
                scaled = curve * point[row]
                for column in range(row + 1):
                    bend[row][column] += scaled * point[column]
        for row in range(size):
            for column in range(row):
                bend[column][row] = bend[row][column]
        step = solved(bend, slope)
        values = [value + change for value, change in zip(values, step, strict=True)]
    weights = Signs(*values[1:])
    least = (
        lowest([each for each in rows if each.is_hit and each.label == label], weights)
        for label in {each.label for each in rows if each.is_hit}
    )
    return Fit(weights, -min(least))


def lowest(hits: list[Asked], weights: Signs) -> float:
    """The score that all but LOSS of the hits reach."""
    scores = sorted(sum(a * b for a, b in zip(weights, h.signs, strict=True)) for h in hits)
    return scores[int(len(scores) * LOSS)]


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for place in range(size):
        pivot = max(range(place, size), key=lambda row: abs(rows[row][place]))
        rows[place], rows[pivot] = rows[pivot], rows[place]
        for row in range(size):
            if row != place:
                factor = rows[row][place] / rows[place][place]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[place], strict=True)]
    return [rows[place][size] / rows[place][place] for place in range(size)]


def left_out(asked: list[Asked]) -> list[tuple[Asked, bool]]:
    """Each question and whether it is answered, by a fit without its repository."""
    judged = []
    for of in sorted({each.of for each in asked}):
        made = fit(each for each in asked if of not in (each.of, each.home))
        judged += [(each, made.answers(each)) for each in asked if each.of == of]
    return judged


def figures(asked: list[Asked]) -> list[str]:
    judged, shipped = left_out(asked), Fit(ranking.SILENCE_WEIGHTS, ranking.SILENCE_BIAS)
    lines = [
        "### Silence",
        "",
        (
            "A foreign question is one of another world (LoCoMo's questions put to repositories,"
            " subjects of commits put to conversations), or of another project of the same sort."
            " Left out: judged by a fit that has seen neither the repository that is asked nor the"
            " one the question is from."
        ),
        "",
        "| questions | many | | left out | as shipped |",
        "|---|---|---|---|---|",
    ]
    for sort in (FOREIGN_WORLD, FOREIGN_REPOSITORY, OWN):
        for label in sorted({each.label for each in asked if each.sort == sort}):
            these = [
                (each, answered)
                for each, answered in judged
                if (each.sort, each.label) == (sort, label) and each.is_trained_on
            ]
            wrong = sort != OWN
            apart = sum(answered == wrong for _, answered in these)
            ours = sum(shipped.answers(each) == wrong for each, _ in these)
            what = f"answered ({sort})" if wrong else "hits lost"
            shares = " | ".join(f"{100 * many / len(these):.1f}" for many in (apart, ours))
            lines.append(f"| {label} | {len(these)} | {what} | {shares} |")
    made = fit(asked)
    weights = ", ".join(f"{name} {value:.1f}" for name, value in made.weights._asdict().items())
    return [*lines, "", f"Fitted on all: {weights}; bias {made.bias:.1f}.", ""]
