"""English words and the katakana that writes them, compared by their consonants.

Katakana writes the sound of a word: its vowels differ and an `r` after a vowel goes, but the consonants keep
their order. `ticket` and its katakana both come to `tkt`. Japanese has one sound for l and r, and for some
other pairs: these are one letter here.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from unicodedata import name

_SHORTEST, _FEWEST = 4, 3
"""Letters and consonants of a word that is compared: what is shorter is like too many others."""
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}")
_LATIN = re.compile(rf"[a-z]{{{_SHORTEST},}}")
_SPELLINGS = [
    (re.compile(spelling), sound)
    for spelling, sound in (
        ("tch|ch", "t"),
        ("[ts]ion", "sn"),
        ("ph", "h"),
        ("igh|(?<=[aeiou])gh", ""),
        ("c(?=[eiy])|sh|th|dg(?=e)|g(?=[eiy])|[jz]", "s"),
        ("ck|c|qu?", "k"),
        ("x", "ks"),
        ("r(?=[^aeiouy]|$)", ""),
        ("l", "r"),
        ("v", "b"),
        ("f", "h"),
        ("m(?=[bp])", "n"),
        ("[aeiouyw]", ""),
    )
]
_SOUNDS = str.maketrans({"c": "t", "f": "h", "v": "b", "j": "s", "z": "s", **dict.fromkeys("aeiouyw")})
_TWICE = re.compile(r"(.)\1+")


def like(word: str) -> Callable[[str], int] | None:
    """Counts the katakana words of a text that sound like an English word, and the other way round.

    None for a word that is too short.
    """
    others = _LATIN if _KATAKANA.match(word) else _KATAKANA
    sound = consonants(word)
    if len(word) < _SHORTEST or len(sound) < _FEWEST:
        return None
    return lambda text: sum(consonants(found) == sound for found in others.findall(text))


@lru_cache(4096)
def consonants(word: str) -> str:
    """The consonants of a word of lower-case Latin letters or of katakana, as Japanese hears them."""
    if _KATAKANA.match(word):
        # Unicode names a character by its sound: KATAKANA LETTER TA. Small ones and length marks are silent.
        names = (name(character).split() for character in word)
        text = "".join(parts[-1] for parts in names if parts[1] == "LETTER" and parts[2] != "SMALL")
        text = text.lower().translate(_SOUNDS)
    else:
        text = word
        for spelling, sound in _SPELLINGS:
            text = spelling.sub(sound, text)
    return _TWICE.sub(r"\1", text)
