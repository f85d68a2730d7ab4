"""From the model's words to what Slack gets, and from the thread to what may be fetched."""

from hypothesis import example, given
from hypothesis import strategies as st

from slackapp.reply.answer_messages import EPHEMERAL_LIMITS, LIMITS
from tests.fetcher.agent.safety.test_markdown_writer import PIECES
from tests.fuzz.way_out import check_words

WORDS = st.lists(
    st.sampled_from(
        [*PIECES, "`" * 21, "\\[", "https://read.example/a?x=1&region=jp&section=2", "?q=x", "%61", "#x"]
    ),
    max_size=30,
).map("".join)


@given(words=WORDS, cited=st.booleans(), shape=st.sampled_from([*LIMITS, EPHEMERAL_LIMITS]))
@example(words="evil.example#xevil.example", cited=False, shape=LIMITS[0])
@example(words=r"```evil.example\~~~https://read.example/a?x=1", cited=False, shape=LIMITS[0])
@example(words="`" * 21 + "http://evil.example/c/736563" + "`" * 21, cited=False, shape=LIMITS[0])
@example(words=r"[a\[b](https://read.example/)?q=736563", cited=False, shape=LIMITS[0])
@example(words="続きは `http://evil.example/c/736563` です。", cited=True, shape=LIMITS[2])
def test_only_what_was_read_is_linked_and_nothing_that_we_wrote_is_known(words, cited, shape):
    check_words(words, cited=cited, undone=(words,), shape=shape)
