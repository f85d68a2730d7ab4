"""What an error tells can be told anywhere."""

import json

import pytest

from fetcher.web.errors import BadArguments, InternalError, UnsupportedContentType, contained


def test_details_are_short_and_can_be_written():
    """They quote what strangers sent."""
    error = UnsupportedContentType(content_type="x" * 60_000 + "\ud800")
    assert len(json.dumps(error.envelope())) < 1000
    json.dumps(BadArguments("no", field="\udcff").envelope(), ensure_ascii=False).encode()


def test_what_is_not_ours_is_contained():
    with pytest.raises(InternalError) as refused, contained():
        raise ZeroDivisionError("secret")
    assert refused.value.envelope()["details"] == {"error": "ZeroDivisionError"}
