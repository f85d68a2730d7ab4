"""The doctor on reader processes, Chromium and the way to the web."""

from fetcher import sample
from fetcher.web.errors import ExtractionFailed
from fetcher.web.sandbox import process
from slackapp.doctor import reading
from slackapp.doctor.findings import Examination
from slackapp.settings import load
from tests.fetcher.web.sandbox.readers import FILTERED, unfiltered


def test_readers_and_the_browser_are_tried_on_a_page_without_a_network(findings):
    """Without Chromium the app still works, so that is a hint and no failure."""
    found = findings(reading.check_readers, WEBFETCH_BROWSER__CHROMIUM_PATH="/nowhere/chromium")
    assert found[0] == ("✓", "reader processes start, and read a page", "")
    sign, said, advice = found[1]
    assert (sign, "there is no program at this path" in said) == ("!", True)
    assert "docs/browser.md" in advice


@FILTERED
def test_readers_whose_system_calls_are_not_filtered_are_told(findings, monkeypatch):
    monkeypatch.setattr(process, "PROGRAM", unfiltered(process.PROGRAM))
    found = findings(reading.check_readers, WEBFETCH_BROWSER__ENABLED="false")
    assert [sign for sign, *_ in found] == ["✓", "!", "–"]
    assert "system calls" in found[1][1]


def test_what_is_switched_off_is_not_tried(findings):
    off = findings(reading.check_readers, reading.check_web, WEBFETCH_ENABLED="false")
    assert [sign for sign, *_ in off] == ["–"]
    found = findings(reading.check_readers, WEBFETCH_BROWSER__ENABLED="false")
    assert [sign for sign, *_ in found] == ["✓", "–"]


def test_a_reader_that_cannot_start_is_told(findings, monkeypatch):
    monkeypatch.setattr(reading, "read", lambda *_, **__: ExtractionFailed(error="gone"))
    [(sign, said, _)] = findings(reading.check_readers)
    assert (sign, said) == ("✗", "reader processes cannot read a page: extraction_failed")


def on_the_web(environ, **seams):
    examination = Examination(settings=load(environ), environ=environ, **seams)
    return [(str(each.verdict), each.said, each.advice) for each in reading.check_web(examination)]


def test_a_machine_without_a_network_is_told(environ, monkeypatch):
    """With a proxy that pages do not use, the setting that makes them use it is named."""
    with sample.SampleSite() as site:
        network = sample.SampleNetwork(site.port)
        [(sign, said, advice)] = on_the_web(environ, resolver=network, dialer=network)
        assert (sign, said) == ("✗", "https://example.com/ cannot be read: dns_failed")
        assert "firewall" in advice
        monkeypatch.setenv("HTTPS_PROXY", "http://taro:s3cret@proxy.example:8080")
        found = on_the_web(environ, resolver=network, dialer=network)
        assert "WEBFETCH_HTTP__USE_SYSTEM_PROXY=true" in found[0][2]
        assert "s3cret" not in str(found)
        monkeypatch.setattr(reading, "PAGE", sample.URL)
        found = on_the_web(environ, resolver=network, dialer=network)
        assert [sign for sign, *_ in found] == ["✓", "✓", "!"]
        assert "proxy.example:8080" in found[1][1]
