"""What the SRD asks of the tests themselves (§6.7 and §6.8); T-WF-INFRA-01 and -02 stand with the fakes."""

import logging
import subprocess
import tempfile
from pathlib import Path

import pytest

from fetcher.web.browser import command_line
from tests.engine import fetch
from tests.fakes.canary import SECRET, Canary
from tests.fakes.web import FakeWeb
from tests.fetcher.web.browser import ground
from tests.fetcher.web.browser.ground import show
from tests.fetcher.web.browser.programs import program
from tests.fetcher.web.cache.shelf import Shelf

GOLDEN = Path(__file__).parent / "golden"
PAGE = "http://shop.example/page"


def test_t_wf_infra_03_cache_tests_have_directories_of_their_own(internet, tmp_path, monkeypatch):
    """T-WF-INFRA-03: what a test caches lies where it said, and nothing lies in the product's own place."""
    product = tmp_path / "temporary"
    product.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(product))
    internet.page(PAGE, "<p>x</p>")
    fetch(internet, PAGE)
    assert list(product.rglob("*")) == []
    fetch(internet, PAGE, cache_dir=str(tmp_path / "engine"))
    Shelf(tmp_path / "shelf").put("a")
    assert list(product.rglob("*")) == []
    assert list((tmp_path / "engine").rglob("*.json"))
    assert list((tmp_path / "shelf").rglob("*.json"))


def _attempt(url):
    """The page of T-WF-INFRA-05, step 2, which says besides that its script has run."""
    return (
        f"<p>page</p><script>fetch('{url}').then(r=>r.text()).then(t=>document.body.innerHTML+=t)"
        ".catch(() => document.body.innerHTML += 'refused')</script>"
    )


def test_t_wf_infra_04_internal_content_does_not_reach_the_dom(internet):
    """T-WF-INFRA-04: a script asks a private address for a page; where it may, the page is in the DOM."""
    internet.page("http://shop.example/secret", SECRET)
    assert SECRET in show(internet, _attempt("/secret")).document.markdown
    shown = show(internet, _attempt("http://10.0.0.1/secret"))
    assert shown.document.markdown == "page\n\nrefused\n"


def test_t_wf_infra_05_a_script_does_not_reach_a_server_on_this_machine(internet, caplog):
    """T-WF-INFRA-05, its six steps: two servers on ports of the system's choice, one of them internal."""
    with FakeWeb() as other, Canary() as canary, caplog.at_level(logging.INFO, "fetcher"):
        assert internet.web.port != other.port  # chosen anew for each server
        url = f"http://127.0.0.1:{canary.nest('secret')}/secret"
        page = show(internet, _attempt(url))
        assert canary.contacts == []
    assert page.document.markdown == "page\n\nrefused\n"
    blocked = [record.__dict__["fields"] for record in caplog.records if record.msg == "ssrf_blocked"]
    assert [(fields["blocked_ip"], fields["url"]) for fields in blocked] == [("127.0.0.1", url)]


def test_t_wf_infra_06_every_golden_file_is_under_version_control():
    """T-WF-INFRA-06: an expected text that is on one machine only tests nothing."""
    if not (GOLDEN.parents[1] / ".git").exists():
        pytest.skip("this is no checkout")
    listed = subprocess.run(
        ["git", "ls-files", "--", "."], cwd=GOLDEN, capture_output=True, text=True, check=True
    ).stdout.split()
    pages = {name.removesuffix(".html") for name in listed if name.endswith(".html")}
    assert len(pages) >= 5
    assert {f"{page}.md" for page in pages} <= set(listed)
    assert {path.name for path in GOLDEN.iterdir()} == set(listed)


NAMES = ("FORGE_TEST_CHROMIUM_PATH", "FETCHER_TEST_CHROMIUM_PATH")


@pytest.fixture
def unnamed(monkeypatch):
    """A machine on which no variable names a Chromium and none is found."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(command_line, "NAMES", ())


@pytest.mark.parametrize("name", NAMES)
def test_t_wf_br_env_01_a_variable_names_the_browser_of_the_tests(unnamed, tmp_path, monkeypatch, name):
    """T-WF-BR-ENV-01: the SRD's variable, and ours."""
    monkeypatch.setenv(name, program(tmp_path, ""))
    assert ground.chromium.__wrapped__() == str(tmp_path / "not-chromium")


@pytest.mark.parametrize("name", [None, *NAMES])
def test_t_wf_br_env_01_without_a_browser_its_tests_are_skipped(unnamed, monkeypatch, name):
    """T-WF-BR-ENV-01: where none is named nor found, and where the named one is not there."""
    if name:
        monkeypatch.setenv(name, "/nowhere/chromium")
    with pytest.raises(pytest.skip.Exception):
        ground.chromium.__wrapped__()
