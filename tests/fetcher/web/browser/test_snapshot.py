"""What of a document is read: all that is shown, and nothing that a page can forge."""

import pytest

from fetcher.codes import Note
from fetcher.web.browser.snapshot import Snapshot
from tests.fetcher.web.browser.ground import SHOP, show, show_all

DOCUMENTS = {
    "a shadow root": (
        (
            "<x-a></x-a><script>document.querySelector('x-a').attachShadow({mode: 'open'})"
            ".innerHTML = '<style>p {}</style><p>inside</p>'</script>"
        ),
        "inside\n",
    ),
    "a shadow root in the source": (
        "<x-a><template shadowrootmode=open><p>inside</p></template></x-a><p>outside</p>",
        "inside\n\noutside\n",
    ),
    "slots, in the order in which they are shown": (
        (
            "<x-a><p slot=last>two</p><p>one</p><template shadowrootmode=open>"
            "<slot></slot><p>between</p><slot name=last></slot><slot name=none><p>otherwise</p></slot>"
            "</template></x-a>"
        ),
        "one\n\nbetween\n\ntwo\n\notherwise\n",
    ),
    "a frame of the same origin": (
        "<p>page</p><iframe src=/frame></iframe>",
        "page\n\nframe\n",
    ),
    "a frame whose text is in the page": (
        "<p>page</p><iframe srcdoc='<p>given</p>'></iframe>",
        "page\n\ngiven\n",
    ),
    "a frame of another site": (
        "<p>page</p><iframe src=http://other.example/></iframe>",
        "page\n",
    ),
    "a page of frames": (
        "<html><frameset cols='50%,50%'><frame src=/frame><frame src=/frame></frameset></html>",
        "frame\n\nframe\n",
    ),
    "names that hide the document's own": (
        (
            "<p>page</p><img name=documentElement><form name=body></form><img name=implementation2>"
            "<form name=getElementById><input name=localName><input name=childNodes></form>"
            "<x-a><template shadowrootmode=open><p>inside</p></template></x-a>"
        ),
        "page\n\ninside\n",
    ),
    "functions that a page has replaced": (
        (
            "<p>page</p><script>for (const type of [Element, Node, Document])"
            "for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(type.prototype)))"
            "if (property.get && property.configurable && name !== 'body')"
            "Object.defineProperty(type.prototype, name, {get: () => 'forged'});"
            "JSON.stringify = () => 'forged'; TextEncoder = function () { return 'forged' }</script>"
        ),
        "page\n",
    ),
    "a form in place of the document": (
        (
            "<script>const form = document.createElement('form');"
            "form.innerHTML = '<input name=outerHTML><input name=nodeType><p>page</p>';"
            "document.documentElement.replaceWith(form)</script>"
        ),
        "page\n",
    ),
    "a tree that is deeper than any parser would make it": (
        (
            "<x-a><template shadowrootmode=open><p>inside</p></template></x-a>"
            "<script>let at = document.body; for (let i = 0; i < 6000; i++)"
            "at = at.appendChild(document.createElement('div')); at.append('deep')</script>"
        ),
        "inside\n\ndeep\n",
    ),
    "half characters": (
        "<main></main><script>document.querySelector('main').append('a\\ud83d b\\ude00')</script>",
        "a� b�\n",
    ),
    "what no reader is told": (
        (
            "<p>page</p><template><p>unused</p></template><noscript>no scripts</noscript>"
            "<x-a><template shadowrootmode=open><script>1</script><p>inside</p></template></x-a>"
        ),
        "page\n\ninside\n",
    ),
}


def _frames(internet):
    internet.page(f"{SHOP}/frame", "<p>frame</p>")
    internet.page("http://other.example/", "<p>theirs</p>")


@pytest.fixture(scope="module")
def shown(running_web):
    """All documents, each in a browser of its own."""
    return show_all(running_web, {name: html for name, (html, _) in DOCUMENTS.items()}, _frames)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_shown_is_read(shown, name):
    assert shown[name].document.markdown == DOCUMENTS[name][1]


def test_what_frames_add_counts_towards_the_limit(internet):
    """SRD FR-WF-11d: the limit holds for what is handed on."""
    internet.page(f"{SHOP}/frame", f"<p>{'x' * 3000}</p>")
    page = show(internet, "<p>page</p><iframe src=/frame></iframe>", browser={"max_rendered_dom_bytes": 2048})
    assert page.document.markdown.startswith("page\n\nxxx")
    assert page.notes == {Note.BROWSER_DOM_TRUNCATED}


@pytest.mark.parametrize(
    ("html", "size", "cut"),
    [("abc", 3, False), ("ab�", 5, False), ("ab�", 9, True)],
)
def test_a_cut_leaves_no_half_character(html, size, cut):
    """Only a cut loses the mark at its end; a page may have one of its own."""
    snapshot = Snapshot.of({"html": html, "size": size}, limit=5)
    assert (snapshot.html, snapshot.cut) == ("ab" if cut else html, cut)
