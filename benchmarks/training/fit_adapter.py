"""Fit the adapter by which forks are judged by meaning, on `tests/corpus/forks-development.jsonl`.

    python benchmarks/training/fit_adapter.py --work FOLDER

Writes `forks.adapter` beside `meaning_match.py`. all-MiniLM-L6-v2 stays as it came; to each matrix
of its layers a product of two small ones is learned (LoRA), and a head that says from the states of
a pair whether the second breaks the first. Each statement also meets decisions that it was not
written for. Beside it the weights of words are fitted (`fit_adapter_words.py`), and the two are
added.

Some authors are left APART: the model never sees their pairs, and on them the figures are told and
the limits chosen, with words that have not seen them either. The words that are written then are
fitted on all. The model that was fitted lies in the --work folder; where one lies there, it is not
fitted again. `pip install torch` beside `requirements.txt`.

A new fit gives a file like the one that ships, not the same bytes: `README.md` says why.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fit_forks
import numpy
import torch
from fit_adapter_words import Words
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn
from torch.nn import functional

from holdfast.models import adapter, encoder, tensors
from holdfast.rooms.decisions.contradiction import meaning_match

APART = (
    "agents-coding-sessions", "data-and-ml", "generalist-small-team", "indirect-and-subtle",
    "systems-and-devices", "mobile-and-front-end", "second-reader",
    "mixed-chat", "generalist-two", "saas-and-internal-tools",
)  # fmt: skip
TUNED_ON = 11_216  # pairs, at the beginning of the file; words are fitted on all
RANK, SCALE = 16, 2.0
HIDDEN = 64
STRANGERS = 0.4  # for each labelled pair; half of them near ones
NEAR = 8  # the nearest decisions of the same author that a near stranger is drawn from
BATCH, EPOCHS, RATE, WARM = 32, 3, 1e-3, 0.06
FORGET = 0.1  # dropout
SMOOTH = 0.03  # no label is quite sure
STEADY = 0.995  # how slowly the kept weights follow those that are learned
LEAST_PRECISION = 0.92  # for which the limit is chosen
SHARE = 0.5  # of the meaning, beside the words
RELATED = 2.0  # how much a statement must speak of a decision
SEED = 7
KIND = torch.bfloat16  # of the fixed weights while learning: more than twice as fast

Pair = tuple[str, str]
Figures = NDArray[Any]


class Tuned(nn.Module):
    """The model with what is learned: in torch, as `encoder.py` has it in numpy."""

    def __init__(self, weights: dict[str, Any], rank: int) -> None:
        super().__init__()
        self.fixed = {
            name: torch.tensor(numpy.array(array)).to(KIND)
            for name, array in weights.items()
            if array.dtype == numpy.float32
        }
        self.learned = nn.ParameterDict()
        for layer in range(encoder.LAYERS):
            for short, matrix in encoder.MATRICES.items():
                broad, tall = self.fixed[f"encoder.layer.{layer}.{matrix}.weight"].shape
                down = torch.randn(rank, tall) / tall**0.5
                self.learned[f"{layer}:{short}:down"] = nn.Parameter(down)
                self.learned[f"{layer}:{short}:up"] = nn.Parameter(torch.zeros(broad, rank))
        self.within = nn.Linear(meaning_match.FEATURES * encoder.WIDTH, HIDDEN)
        self.out = nn.Linear(HIDDEN, 1)

    def linear(self, states: Tensor, layer: int, short: str) -> Tensor:
        name = f"encoder.layer.{layer}.{encoder.MATRICES[short]}"
        plain = functional.linear(states, self.fixed[f"{name}.weight"], self.fixed[f"{name}.bias"])
        down, up = (self.learned[f"{layer}:{short}:{side}"].to(KIND) for side in ("down", "up"))
        return plain + functional.linear(functional.linear(states, down), SCALE * up)

    def forgetting(self, states: Tensor) -> Tensor:
        """Dropout, the same for all words of a pair: chance is dear on a processor."""
        mask = functional.dropout(
            states.new_ones(len(states), 1, encoder.WIDTH), FORGET, self.training
        )
        return states * mask if self.training else states

    def normal(self, states: Tensor, name: str) -> Tensor:
        weight, bias = self.fixed[f"{name}.weight"], self.fixed[f"{name}.bias"]
        return functional.layer_norm(states, (encoder.WIDTH,), weight, bias, encoder.EPSILON)

    def states(self, ids: Tensor, sides: Tensor, there: Tensor) -> Tensor:
        start = (
            self.fixed["embeddings.word_embeddings.weight"][ids]
            + self.fixed["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + self.fixed["embeddings.token_type_embeddings.weight"][sides]
        )
        states = self.normal(start, "embeddings.LayerNorm")
        rows, length = ids.shape
        unseen = torch.where(there, 0.0, encoder.FAR)[:, None, None, :].to(KIND)
        for layer in range(encoder.LAYERS):
            name = f"encoder.layer.{layer}"
            look = [
                self.linear(states, layer, short)
                .view(rows, length, encoder.HEADS, -1)
                .transpose(1, 2)
                for short in ("query", "key", "value")
            ]
            # By hand: torch's own is slow backwards for so few words.
            weighed = look[0] @ look[1].transpose(2, 3) * (encoder.WIDTH // encoder.HEADS) ** -0.5
            seen = (weighed + unseen).softmax(-1) @ look[2]
            seen = self.linear(seen.transpose(1, 2).reshape(rows, length, -1), layer, "out")
            seen = self.forgetting(seen)
            states = self.normal(states + seen, f"{name}.attention.output.LayerNorm")
            step = self.linear(functional.gelu(self.linear(states, layer, "wide")), layer, "narrow")
            step = self.forgetting(step)
            states = self.normal(states + step, f"{name}.output.LayerNorm")
        return states.float()

    def forward(self, ids: Tensor, sides: Tensor, there: Tensor, words: Tensor) -> Tensor:
        states = self.states(ids, sides, there)
        first, second = _mean(states, words * (1 - sides)), _mean(states, words * sides)
        whole = torch.cat(
            [states[:, 0], first, second, (first - second).abs(), first * second], dim=1
        )
        whole = functional.dropout(whole, FORGET, self.training)
        hidden = functional.dropout(torch.tanh(self.within(whole)), FORGET, self.training)
        return self.out(hidden)[:, 0]


def _mean(states: Tensor, of: Tensor) -> Tensor:
    share = of / of.sum(1, keepdim=True).clamp(min=1)
    return torch.einsum("btw,bt->bw", states, share)


class Reader:
    """Pairs as batches of tokens; pairs of like length lie together."""

    def __init__(self) -> None:
        self.tokenizer = encoder.tokenizer_of(encoder.folder())

    def batches(
        self, pairs: list[Pair], size: int, chance: random.Random | None = None
    ) -> Iterator[tuple[list[int], tuple[Tensor, ...]]]:
        read = self.tokenizer.encode_batch(pairs)
        order = list(range(len(pairs)))
        if chance:
            chance.shuffle(order)
        block = size * 32 if chance else len(order)
        batches = []
        for start in range(0, len(order), block):
            near = sorted(order[start : start + block], key=lambda at: len(read[at].ids))
            batches += [near[at : at + size] for at in range(0, len(near), size)]
        if chance:
            chance.shuffle(batches)
        for batch in batches:
            longest = max(len(read[at].ids) for at in batch)
            made = torch.zeros(4, len(batch), longest, dtype=torch.long)
            for row, at in enumerate(batch):
                encoding = read[at]
                length = len(encoding.ids)
                made[0, row, :length] = torch.tensor(encoding.ids)
                made[1, row, :length] = torch.tensor(encoding.type_ids)
                made[2, row, :length] = 1
                made[3, row, :length] = 1 - torch.tensor(encoding.special_tokens_mask)
            yield batch, (made[0], made[1], made[2].bool(), made[3])


class Corpus:
    """The labelled pairs of some authors, and what else their statements can be met with."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self.lines = lines
        self.pairs: list[Pair] = [(line["decision"], line["statement"]) for line in lines]
        self.labels = [float(line["fork"]) for line in lines]
        self.decisions: dict[str, list[str]] = {}
        for line in lines:
            known = self.decisions.setdefault(line["author"], [])
            if line["decision"] not in known[-12:]:
                known.append(line["decision"])
        self.near: dict[int, list[str]] = {}
        self.look_around()

    def look_around(self) -> None:
        """For each pair the decisions of the same author that share most words with its statement,
        rare ones before common ones."""
        for author, decisions in self.decisions.items():
            own = [at for at, one in enumerate(self.lines) if one["author"] == author]
            words = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5))
            held = words.fit_transform(decisions)
            statements = words.transform([self.lines[at]["statement"] for at in own])
            alike = (statements @ held.T).toarray()
            for at, near in zip(own, alike, strict=True):
                others = [decisions[one] for one in numpy.argsort(-near)[: NEAR + 1]]
                self.near[at] = [one for one in others if one != self.lines[at]["decision"]]

    def strangers(self, chance: random.Random, share: float) -> list[Pair]:
        """Statements with decisions that they were not written for, every other one near."""
        pairs: list[Pair] = []
        for number in range(int(share * len(self.lines))):
            at = chance.randrange(len(self.lines))
            line = self.lines[at]
            from_ = self.near[at] if number % 2 else self.decisions[line["author"]]
            decision = chance.choice(from_)
            if decision == line["decision"]:
                decision = self.near[at][-1]
            pairs.append((decision, line["statement"]))
        return pairs


def fitted(model: Tuned, reader: Reader, corpus: Corpus) -> None:
    chance = random.Random(SEED)
    torch.manual_seed(SEED)
    steps = EPOCHS * (int((1 + STRANGERS) * len(corpus.pairs)) // BATCH + 1)
    groups = [p for p in model.parameters() if p.requires_grad]
    learner = torch.optim.AdamW(groups, lr=RATE, weight_decay=0.01)
    kept = [p.detach().clone() for p in groups]
    done, began, heard = 0, time.time(), 0.0
    for epoch in range(EPOCHS):
        strange = corpus.strangers(chance, STRANGERS)
        pairs = [varied(pair, chance) for pair in corpus.pairs + strange]
        labels = torch.tensor(corpus.labels + [0.0] * len(strange))
        labels = labels * (1 - 2 * SMOOTH) + SMOOTH
        model.train()
        for batch, given in reader.batches(pairs, BATCH, chance):
            share = done / steps
            now = RATE * (share / WARM if share < WARM else max(0.02, (1 - share) / (1 - WARM)))
            for group in learner.param_groups:
                group["lr"] = now
            loss = functional.binary_cross_entropy_with_logits(model(*given), labels[batch])
            learner.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(groups, 1.0)
            learner.step()
            done += 1
            heard += float(loss.detach())
            slow = min(STEADY, done / (done + 10))
            with torch.no_grad():
                for average, parameter in zip(kept, groups, strict=True):
                    average.lerp_(parameter, 1 - slow)
            if done % 50 == 0:
                print(
                    f"  {epoch} {done}/{steps} {heard / 50:.4f} {time.time() - began:.0f} s",
                    flush=True,
                )
                heard = 0.0
    with torch.no_grad():
        for average, parameter in zip(kept, groups, strict=True):
            parameter.copy_(average)


def varied(pair: Pair, chance: random.Random) -> Pair:
    """Sometimes without the full stop that an author's manner has, or with it."""
    if chance.random() < 0.25:
        pair = (pair[0].rstrip("."), pair[1])
    if chance.random() < 0.25:
        pair = (pair[0], pair[1].rstrip("."))
    return pair


def judged(model: Tuned, reader: Reader, pairs: list[Pair]) -> Figures:
    model.eval()
    scores = numpy.zeros(len(pairs))
    with torch.no_grad():
        for batch, given in reader.batches(pairs, 64):
            scores[batch] = model(*given).numpy()
    return scores


class Judged:
    """The authors apart and the strangers among their pairs, as judged by what did not see them."""

    def __init__(self, model: Tuned, reader: Reader, words: Words, apart: Corpus) -> None:
        self.labels = numpy.array(apart.labels) > 0
        self.authors = numpy.array([line["author"] for line in apart.lines])
        strange = apart.strangers(random.Random(1), 1.0)
        self.sums = self._sums(model, reader, words, apart.pairs)
        self.strange = self._sums(model, reader, words, strange)
        near, far = _nearness(apart.pairs), _nearness(strange)
        gate = LogisticRegression(max_iter=2000, fit_intercept=False)
        gate.fit(numpy.vstack([near, far[::2]]), [1] * len(near) + [0] * len(far[::2]))
        self.gate = gate.coef_[0]
        self.related, self.strange_related = near @ self.gate, far @ self.gate
        self.gate[-1] -= RELATED
        self.limit = self._limit()

    @staticmethod
    def _sums(model: Tuned, reader: Reader, words: Words, pairs: list[Pair]) -> Figures:
        shown = numpy.array([words.show(pair) for pair in pairs])
        return shown + SHARE * judged(model, reader, pairs)

    def _limit(self) -> float:
        """The lowest above which the precision is had."""
        order = numpy.argsort(-self.sums)
        order = order[self.related[order] > RELATED]
        right = numpy.cumsum(self.labels[order]) / numpy.arange(1, len(order) + 1)
        return float(self.sums[order[numpy.nonzero(right >= LEAST_PRECISION)[0][-1]]])

    def table(self) -> str:
        named = (self.sums > self.limit) & (self.related > RELATED)
        rows = []
        for author in [*sorted(set(self.authors)), ""]:
            own = (self.authors == author) if author else numpy.ones(len(named), dtype=bool)
            right = (named & own & self.labels).sum()
            precision, recall = right / (named & own).sum(), right / (own & self.labels).sum()
            rows.append(
                f"| {author or 'together'} | {own.sum()} | {precision:.3f} | {recall:.3f} |"
            )
        strange = (self.strange > self.limit) & (self.strange_related > RELATED)
        rows.append(f"strangers {strange[::2].mean():.4f}, near ones {strange[1::2].mean():.4f}")
        return "\n".join(rows)


def _nearness(pairs: list[Pair]) -> Figures:
    plain = encoder.Encoder(
        encoder.tokenizer_of(encoder.folder()), encoder.weights_of(encoder.folder())
    )
    texts = sorted({text for pair in pairs for text in pair})
    vectors = dict(zip(texts, plain.of_texts(texts), strict=True))
    return numpy.array(
        [meaning_match.nearness(a, b, float(vectors[a] @ vectors[b])) for a, b in pairs]
    )


def packed(model: Tuned, words: Words, apart: Judged) -> bytes:
    """What was learned, as `adapter.py` and `meaning_match.py` read it."""
    arrays: dict[str, Any] = {}
    for layer in range(encoder.LAYERS):
        for short in encoder.MATRICES:
            up = model.learned[f"{layer}:{short}:up"].detach().numpy()
            down = model.learned[f"{layer}:{short}:down"].detach().numpy()
            up_bytes, up_scale = adapter.as_bytes(up, axis=1)
            down_bytes, down_scale = adapter.as_bytes(down, axis=0)
            arrays[f"{layer}.{short}.up"], arrays[f"{layer}.{short}.down"] = up_bytes, down_bytes
            scale = SCALE * up_scale * down_scale
            arrays[f"{layer}.{short}.scale"] = scale.astype("f4")
    within, scale = adapter.as_bytes(model.within.weight.detach().numpy(), axis=0)
    arrays["head.within"], arrays["head.scale"] = within, scale
    arrays["head.within.bias"] = model.within.bias.detach().numpy()
    arrays["head.out"] = SHARE * model.out.weight[0].detach().numpy()
    start = SHARE * float(model.out.bias.detach()) + words.start - apart.limit
    arrays["head.start"] = numpy.array([start], dtype="f4")
    arrays["related"] = apart.gate.astype("f4")
    arrays["words.proof"], arrays["words.weight"] = words.arrays()
    return tensors.packed(arrays)


def labelled() -> list[dict[str, Any]]:
    """The development pairs with their authors. Of the pairs that the weights of words were fitted
    on, many were written by one author in sittings of different names."""
    text = fit_forks.CORPUS.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    for number, pair in enumerate(lines):
        is_later = number >= fit_forks.FITTED
        pair["author"] = pair["hand"] if is_later else fit_forks.author_of(pair)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="where the fitted model is kept")
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(SEED)
    asked.work.mkdir(exist_ok=True)
    lines = labelled()
    seen = [line for line in lines if line["author"] not in APART]
    apart = Corpus([line for line in lines if line["author"] in APART])
    reader = Reader()
    model = Tuned(encoder.weights_of(encoder.folder()), RANK)
    kept = asked.work / "model.pt"
    if kept.exists():
        model.load_state_dict(torch.load(kept))
    else:
        fitted(
            model,
            reader,
            Corpus([line for line in lines[:TUNED_ON] if line["author"] not in APART]),
        )
        torch.save(model.state_dict(), kept)
    figures = Judged(model, reader, Words(seen), apart)
    print(figures.table())
    Path(meaning_match.PATH).write_bytes(packed(model, Words(lines), figures))


if __name__ == "__main__":
    main()
