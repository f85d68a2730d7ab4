"""A parsed page as flat lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.web.errors import ExtractionFailed
from fetcher.web.reading import tree as trees
from fetcher.web.reading.tree import Tree, parse


def _tags(tree: Tree) -> list[str]:
    return [tag or repr(text) for tag, text in zip(tree.tags, tree.texts, strict=True)]


def test_nodes_stand_in_document_order_with_parents_and_ends():
    """A node's descendants are the indices up to its end."""
    tree = parse("<title>t</title><p>a<b>b</b>c</p>")
    assert _tags(tree) == ["html", "head", "title", "'t'", "body", "p", "'a'", "b", "'b'", "'c'"]
    assert tree.parents == [-1, 0, 1, 2, 0, 4, 5, 5, 7, 5]
    assert tree.ends == [10, 4, 4, 4, 10, 10, 7, 9, 9, 10]


@pytest.mark.parametrize(("tag", "indices"), [("p", [3, 5]), ("b", [7]), ("i", []), ("", [4, 6, 8])])
def test_the_nodes_of_one_name_are_found_in_order(tag, indices):
    """`named` gives every element of a name, and every text for the empty one."""
    assert parse("<body><p>a</p><p>b<b>c</b></p>").named(tag) == indices


def test_a_renamed_node_is_found_by_its_new_name_only():
    """What was found before a change does not count after it."""
    tree = parse("<body><p>a</p><p>b</p>")
    first, second = tree.named("p")
    tree.rename(first, "div")
    assert (tree.named("p"), tree.named("div")) == ([second], [first])


def test_children_are_the_nodes_just_below():
    """`children` steps over grandchildren."""
    tree = parse("<p>a<b>b</b>c</p>")
    assert [tree.tags[child] for child in tree.children(tree.tags.index("body"))] == ["p"]
    assert len(tree.children(tree.tags.index("p"))) == 3


@pytest.mark.parametrize(
    ("html", "value"),
    [("<p id=x>", "x"), ("<p id>", ""), ("<p id=''>", ""), ("<p>", None), ("<p ID=X>", "X")],
)
def test_an_attribute_without_a_value_is_empty_and_a_missing_one_none(html, value):
    """`attribute` tells an empty attribute from a missing one."""
    tree = parse(html)
    assert tree.attribute(tree.tags.index("p"), "id") == value


@pytest.mark.parametrize("tag", trees.UNREAD)
def test_what_no_reader_sees_is_no_part_of_the_tree(tag):
    """Scripts, styles, templates, embedded frames and drawings are left out with their content."""
    assert "hidden" not in "".join(parse(f"<p>seen</p><{tag}>hidden</{tag}>").texts)


def test_elements_that_say_nothing_are_no_part_of_the_tree():
    """Links to style sheets and the sources of pictures hold nothing for a reader."""
    tree = parse("<link rel=icon href=x><picture><source srcset=a><img src=b alt=c></picture>")
    assert _tags(tree) == ["html", "head", "body", "picture", "img"]


def test_comments_are_left_out():
    """A comment is neither text nor element."""
    assert "".join(parse("<p>a<!-- b -->c</p>").texts) == "ac"


def test_white_space_is_kept_between_inline_elements_and_in_preformatted_text():
    """Only white space beside a block's edge, which is never seen, is dropped."""
    tree = parse("<div> <p> </p>\n<p><b>a</b> <i>b</i></p> </div><pre><span>a</span>\n<div>b</div>\n</pre>")
    assert [text for text in tree.texts if text.isspace()] == [" ", "\n", "\n"]


def test_too_many_nodes_are_refused(monkeypatch):
    """A page that multiplies when parsed is given up, not walked."""
    monkeypatch.setattr(trees, "MAX_NODES", 100)
    assert len(parse("<p></p>" * 50).tags) < 100
    with pytest.raises(ExtractionFailed):
        parse("<p></p>" * 200)


@given(st.text(alphabet=st.sampled_from("<>/abpdivtr \n\"'=!-&;\x00\ud800"), max_size=200))
def test_every_text_gives_a_sound_tree(html):
    """Parents come before children, and subtrees nest."""
    tree = parse(html)
    for index, (parent, end) in enumerate(zip(tree.parents, tree.ends, strict=True)):
        assert parent < index < end <= len(tree.tags)
        if parent >= 0:
            assert end <= tree.ends[parent]
