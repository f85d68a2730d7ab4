"""Of how many questions the first passage is the answer, or one of the first three."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.evals.corpus import Question, questions, quoted, searched


@dataclass(slots=True, kw_only=True)
class Figure:
    """What one way of finding achieves on some questions."""

    asked: int = 0
    first: int = 0
    in_three: int = 0
    missed: list[str] = field(default_factory=list)
    """Questions that the first passage does not answer."""

    @property
    def hit_at_1(self) -> float:
        return self.first / self.asked

    @property
    def hit_at_3(self) -> float:
        return self.in_three / self.asked

    def add(self, question: Question, passages: list[str]) -> None:
        answering = [question.is_answered_by(passage) for passage in passages[:3]]
        self.asked += 1
        self.first += any(answering[:1])
        self.in_three += any(answering)
        if not any(answering[:1]):
            self.missed.append(f"{question.text} ({'in three' if any(answering) else 'not in three'})")


def figures() -> dict[str, dict[str, Figure]]:
    """For search and for the reader without a model: figures by page, by language and of all."""
    asked = list(questions())
    found = {"search": searched(asked), "without a model": [quoted(question) for question in asked]}
    tables: dict[str, dict[str, Figure]] = {}
    for way, passages in found.items():
        rows = tables.setdefault(way, {})
        for question, some in zip(asked, passages, strict=True):
            for name in _groups(question):
                rows.setdefault(name, Figure()).add(question, some)
    return tables


def _groups(question: Question) -> Iterator[str]:
    yield question.page
    yield "in English" if question.is_english else "in Japanese"
    yield "all"
