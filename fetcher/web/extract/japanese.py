"""The Japanese headings of what follows a page's content without belonging to it."""

import re

_ORNAMENTS = re.compile(r"[\W\d_]+")

_ENDS = ("\u30e9\u30f3\u30ad\u30f3\u30b0",)  # ranking
_STARTS = (
    "\u3053\u306e\u5546\u54c1\u3092",  # (people who bought) this product
    "\u3088\u304f\u4e00\u7dd2\u306b",  # often together
)

_TAILS = frozenset(
    {
        "\u95a2\u9023\u8a18\u4e8b",  # related articles
        "\u95a2\u9023\u3059\u308b\u8a18\u4e8b",  # related articles
        "\u95a2\u9023\u30cb\u30e5\u30fc\u30b9",  # related news
        "\u95a2\u9023\u30ea\u30f3\u30af",  # related links
        "\u95a2\u9023\u5546\u54c1",  # related products
        "\u95a2\u9023\u60c5\u5831",  # related information
        "\u95a2\u9023\u30da\u30fc\u30b8",  # related pages
        "\u95a2\u9023\u30b3\u30f3\u30c6\u30f3\u30c4",  # related content
        "\u95a2\u9023\u30ad\u30fc\u30ef\u30fc\u30c9",  # related keywords
        "\u95a2\u9023\u30ef\u30fc\u30c9",  # related words
        "\u95a2\u9023\u52d5\u753b",  # related videos
        "\u95a2\u9023\u30bf\u30b0",  # related tags
        "\u304a\u3059\u3059\u3081",  # recommended
        "\u304a\u3059\u3059\u3081\u8a18\u4e8b",  # recommended articles
        "\u304a\u3059\u3059\u3081\u306e\u8a18\u4e8b",  # recommended articles
        "\u304a\u3059\u3059\u3081\u5546\u54c1",  # recommended products
        "\u304a\u3059\u3059\u3081\u30b3\u30f3\u30c6\u30f3\u30c4",  # recommended content
        "\u3053\u3061\u3089\u3082\u304a\u3059\u3059\u3081",  # we recommend this too
        "\u3042\u306a\u305f\u3078\u306e\u304a\u3059\u3059\u3081",  # recommended for you
        "\u3042\u308f\u305b\u3066\u8aad\u307f\u305f\u3044",  # read this too
        "\u5408\u308f\u305b\u3066\u8aad\u307f\u305f\u3044",  # read this too
        "\u4eba\u6c17\u8a18\u4e8b",  # popular articles
        "\u4eba\u6c17\u306e\u8a18\u4e8b",  # popular articles
        "\u3088\u304f\u8aad\u307e\u308c\u3066\u3044\u308b\u8a18\u4e8b",  # most read articles
        "\u6ce8\u76ee\u8a18\u4e8b",  # featured articles
        "\u6ce8\u76ee\u306e\u8a18\u4e8b",  # featured articles
        "\u6700\u65b0\u8a18\u4e8b",  # latest articles
        "\u6700\u65b0\u30cb\u30e5\u30fc\u30b9",  # latest news
        "\u6700\u8fd1\u306e\u6295\u7a3f",  # recent posts
        "\u65b0\u7740\u8a18\u4e8b",  # new articles
        "\u65b0\u7740\u60c5\u5831",  # new on this site
        "\u65b0\u7740\u30cb\u30e5\u30fc\u30b9",  # new on this site
        "\u8a18\u4e8b\u4e00\u89a7",  # list of articles
        "\u6b21\u306e\u8a18\u4e8b",  # next article
        "\u524d\u306e\u8a18\u4e8b",  # previous article
        "\u30b3\u30e1\u30f3\u30c8",  # comments
        "\u30b3\u30e1\u30f3\u30c8\u4e00\u89a7",  # comments
        "\u30b3\u30e1\u30f3\u30c8\u3092\u66f8\u304f",  # write a comment
        "\u30b3\u30e1\u30f3\u30c8\u3059\u308b",  # comment
        "\u307f\u3093\u306a\u306e\u30b3\u30e1\u30f3\u30c8",  # everyone's comments
        "\u30b7\u30a7\u30a2",  # share
        "\u30b7\u30a7\u30a2\u3059\u308b",  # share
        "\u3053\u306e\u8a18\u4e8b\u3092\u30b7\u30a7\u30a2",  # share this article
        "\u3053\u306e\u8a18\u4e8b\u3092\u30b7\u30a7\u30a2\u3059\u308b",  # share this article
        "SNS\u3067\u30b7\u30a7\u30a2",  # share
        "\u30d5\u30a9\u30ed\u30fc\u3059\u308b",  # follow
        "\u3053\u306e\u8a18\u4e8b\u3092\u66f8\u3044\u305f\u4eba",  # the author
        "\u3053\u306e\u8a18\u4e8b\u306e\u30bf\u30b0",  # tags of this article
        "\u8457\u8005\u30d7\u30ed\u30d5\u30a3\u30fc\u30eb",  # the author
        "\u30bf\u30b0",  # tags
        "\u30b9\u30dd\u30f3\u30b5\u30fc\u30ea\u30f3\u30af",  # sponsored links
        "\u30b9\u30dd\u30f3\u30b5\u30fc\u30c9\u30ea\u30f3\u30af",  # sponsored links
        "\u5e83\u544a",  # advertisement
        "PR",  # advertisement
        "\u30ec\u30d3\u30e5\u30fc",  # reviews
        "\u30ab\u30b9\u30bf\u30de\u30fc\u30ec\u30d3\u30e5\u30fc",  # customer reviews
        "\u5546\u54c1\u30ec\u30d3\u30e5\u30fc",  # product reviews
        "\u53e3\u30b3\u30df",  # word of mouth
        "\u6700\u8fd1\u30c1\u30a7\u30c3\u30af\u3057\u305f\u5546\u54c1",  # recently viewed
        "\u30e1\u30fc\u30eb\u30de\u30ac\u30b8\u30f3\u767b\u9332",  # mail magazine
        "\u30e1\u30eb\u30de\u30ac\u767b\u9332",  # mail magazine
    }
)


def heads_a_tail(text: str) -> bool:
    """Whether a text is such a heading, numbers and ornaments aside: rankings, shares, related articles."""
    words = _ORNAMENTS.sub("", text)
    return words in _TAILS or words.endswith(_ENDS) or words.startswith(_STARTS)
