"""Search, the reader without a model and the exports answer as well as they did; `make eval` prints more."""

import pytest

from tests.evals.corpus import answered, exports, questions
from tests.evals.figures import figures

FIRST, IN_THREE = 0.85, 0.95


@pytest.fixture(scope="module")
def measured():
    return figures()


@pytest.mark.parametrize("way", ["search", "without a model"])
def test_the_right_passage_comes_first(measured, way):
    every = measured[way]["all"]
    assert every.hit_at_1 >= FIRST, every.missed
    assert every.hit_at_3 >= IN_THREE, every.missed


@pytest.mark.parametrize("way", ["search", "without a model"])
def test_no_kind_of_page_is_left_behind(measured, way):
    assert [name for name, figure in measured[way].items() if figure.hit_at_3 < 0.85] == []


def test_there_are_questions_enough():
    asked = list(questions())
    assert len({question.page for question in asked}) >= 10
    assert sum(question.is_english for question in asked) >= 30
    assert sum(not question.is_english for question in asked) >= 150


@pytest.mark.parametrize("export", exports(), ids=lambda export: export.text or str(export.arguments))
def test_files_are_exact_and_what_is_not_done_is_said(export):
    assert export.is_exact


def test_two_pages_are_told_side_by_side():
    """Each page is quoted with its own passage about the question, under its own number."""
    text = answered("二つのサービスの無料お試しの違いを教えて", "pricing", "rival").text
    ours, theirs = text.split("[2]")
    assert "14日間" in ours
    assert "30日間" in theirs


def test_the_newest_version_is_told_first():
    text = answered("最新バージョンで何が変わった？", "releases").text
    assert text.index("4.2.1") < text.index("消費税の端数")
    assert "3.9.5" not in text[: text.index("消費税の端数")]


def test_no_passage_is_quoted_twice():
    """Also where a page repeats itself."""
    text = answered("料金はいくらですか", "pricing").text
    paragraphs = [paragraph for paragraph in text.split("\n\n") if len(paragraph) > 40]
    assert len(paragraphs) == len(set(paragraphs))
