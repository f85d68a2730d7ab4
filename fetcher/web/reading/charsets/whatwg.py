"""The WHATWG Encoding Standard as data: the labels of charsets, and where Python's codecs differ.

Names of encodings are the standard's, in lower case.
"""

_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866 ibm866",
    "iso-8859-2": (
        "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"
    ),
    "iso-8859-3": (
        "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"
    ),
    "iso-8859-4": (
        "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"
    ),
    "iso-8859-5": (
        "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"
    ),
    "iso-8859-6": (
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
        "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"
    ),
    "iso-8859-7": (
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
        "iso_8859-7 iso_8859-7:1987 sun_eu_greek"
    ),
    "iso-8859-8": (
        "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
        "iso_8859-8 iso_8859-8:1988 visual"
    ),
    "iso-8859-8-i": "csiso88598i iso-8859-8-i logical",
    "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "macintosh": "csmacintosh mac macintosh x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "windows-1250": "cp1250 windows-1250 x-cp1250",
    "windows-1251": "cp1251 windows-1251 x-cp1251",
    "windows-1252": (
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
        "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"
    ),
    "windows-1253": "cp1253 windows-1253 x-cp1253",
    "windows-1254": (
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
        "windows-1254 x-cp1254"
    ),
    "windows-1255": "cp1255 windows-1255 x-cp1255",
    "windows-1256": "cp1256 windows-1256 x-cp1256",
    "windows-1257": "cp1257 windows-1257 x-cp1257",
    "windows-1258": "cp1258 windows-1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    "gb18030": "gb18030",
    "big5": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso-2022-jp": "csiso2022jp iso-2022-jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "euc-kr": (
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
        "windows-949"
    ),
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement",
    "utf-16be": "unicodefffe utf-16be",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "x-user-defined": "x-user-defined",
}

ENCODINGS = {label: name for name, labels in _LABELS.items() for label in labels.split()}
"""The encoding of every label that a browser knows."""

SINGLE_BYTE = {
    "ibm866": "cp866",
    "iso-8859-8-i": "iso-8859-8",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
} | {
    name: name.replace("windows-", "cp")
    for name in _LABELS
    if name.startswith(("iso-8859-", "koi8-", "windows-")) and name != "iso-8859-8-i"
}
"""Python's codec for each encoding of one byte a character."""

SINGLE_BYTE_CHANGES = {
    "koi8-u": {0xAE: "\u045e", 0xBE: "\u040e"},
    "windows-1255": {0xCA: "\u05ba"},
}
"""Bytes that Python's codec reads otherwise; bytes 80 to 9F that it leaves out stand for themselves."""

# Characters that Python's codec gives where the standard has another, exchanged in this order. The two
# small slashes of Big5 (A241, A242) are missing: Python gives the same for them and the full-width ones.
SHIFT_JIS_CHANGES = dict.fromkeys("\uf8f0\uf8f1\uf8f2\uf8f3", "\ufffd")
EUC_JP_CHANGES = {
    "\u301c": "\uff5e",
    "\u2016": "\u2225",
    "\u2212": "\uff0d",
    "\u00a2": "\uffe0",
    "\u00a3": "\uffe1",
    "\u00ac": "\uffe2",
}
GB18030_CHANGES = {
    "\ue5e5": "\u3000",
    "\ue78d": "\ufe10",
    "\ue78e": "\ufe12",
    "\ue78f": "\ufe11",
    "\ue790": "\ufe13",
    "\ue791": "\ufe14",
    "\ue792": "\ufe15",
    "\ue793": "\ufe16",
    "\ue794": "\ufe17",
    "\ue795": "\ufe18",
    "\ue796": "\ufe19",
    "\ue81e": "\u9fb4",
    "\ue826": "\u9fb5",
    "\ue82b": "\u9fb6",
    "\ue82c": "\u9fb7",
    "\ue832": "\u9fb8",
    "\ue843": "\u9fb9",
    "\ue854": "\u9fba",
    "\ue864": "\u9fbb",
    # These two change places, by way of a character that no decoder gives.
    "\u1e3f": "\ud800",
    "\ue7c7": "\u1e3f",
    "\ud800": "\ue7c7",
}
BIG5_CHANGES = {
    "\u2022": "\u2027",
    "\uff64": "\ufe51",
    "\u203e": "\u00af",
    "\u223c": "\uff5e",
    "\u2641": "\u2295",
    "\u2609": "\u2299",
    "\u00a5": "\uffe5",
    "\u00a2": "\uffe0",
    "\u00a3": "\uffe1",
}

_BIG5_ADDITIONS = (
    "877a:3875 877b:21d53 877c:2369e 877d:26021 877e:3eec 87a1:258de 87a2:3af5 87a3:7afc 87a4:9f97 "
    "87a5:24161 87a6:2890d 87a7:231ea 87a8:20a8a 87a9:2325e 87aa:430a 87ab:8484 87ac:9f96 87ad:942f "
    "87ae:4930 87af:8613 87b0:5896 87b1:974a 87b2:9218 87b3:79d0 87b4:7a32 87b5:6660 87b6:6a29 87b7:889d "
    "87b8:744c 87b9:7bc5 87ba:6782 87bb:7a2c 87bc:524f 87bd:9046 87be:34e6 87bf:73c4 87c0:25db9 87c1:74c6 "
    "87c2:9fc7 87c3:57b3 87c4:492f 87c5:544c 87c6:4131 87c7:2368e 87c8:5818 87c9:7a72 87ca:27b65 "
    "87cb:8b8f 87cc:46ae 87cd:26e88 87ce:4181 87cf:25d99 87d0:7bae 87d1:224bc 87d2:9fc8 87d3:224c1 "
    "87d4:224c9 87d5:224cc 87d6:9fc9 87d7:8504 87d8:235bb 87d9:40b4 87da:9fca 87db:44e1 87dc:2adff "
    "87dd:62c1 87de:706e 87df:9fcb 8e69:7bb8 8e6f:7c06 8e7e:7cce 8eab:7dd2 8eb4:7e1d 8ecd:8005 8ed0:8028 "
    "8f57:83c1 8f69:84a8 8f6e:840f 8fcb:89a6 8fcc:89a9 8ffe:8d77 906d:90fd 907a:92b9 90dc:975c 90f1:97ff "
    "91bf:9f16 9244:8503 92af:5159 92b0:515b 92b1:515d 92b2:515e 92c8:936e 92d1:7479 9447:6d67 94ca:799b "
    "95d9:9097 9644:975d 96ed:701e 96fc:5b28 9b76:7201 9b78:77d7 9b7b:7e87 9bc6:99d6 9bde:91d4 9bec:60de "
    "9bf6:6fb6 9c42:8f36 9c53:4fbb 9c62:71df 9c68:9104 9c6b:9df0 9c77:83cf 9cbc:5c10 9cbd:79e3 9cd0:5a67 "
    "9d57:8f0b 9d5a:7b51 9dc4:62d0 9ea9:6062 9eef:75f9 9efd:6c4a 9f60:9b2e 9f66:9f17 9fcb:50ed 9fd8:5f0c "
    "a063:880f a077:62ce a0d5:7468 a0df:7162 a0e4:7250 a3c0:2400 a3c1:2401 a3c2:2402 a3c3:2403 a3c4:2404 "
    "a3c5:2405 a3c6:2406 a3c7:2407 a3c8:2408 a3c9:2409 a3ca:240a a3cb:240b a3cc:240c a3cd:240d a3ce:240e "
    "a3cf:240f a3d0:2410 a3d1:2411 a3d2:2412 a3d3:2413 a3d4:2414 a3d5:2415 a3d6:2416 a3d7:2417 a3d8:2418 "
    "a3d9:2419 a3da:241a a3db:241b a3dc:241c a3dd:241d a3de:241e a3df:241f a3e0:2421 a3e1:20ac c6cf:5ef4 "
    "c6d3:65e0 c6d5:7676 c6d7:96b6 c6de:3003 c6df:4edd fa5f:5029 fa66:507d fabd:5305 fac5:5344 fad5:537f "
    "fb48:5605 fbb8:5a77 fbf3:5e75 fbf9:5ed0 fc4f:5f58 fc6c:60a4 fcb9:6490 fce2:6674 fcf1:675e fdb7:6c9c "
    "fdb8:6e1d fdbb:6e2f fdf1:716e fe52:732a fe6f:745c feaa:74e9 fedd:7809"
)
"""As `code:point` in hexadecimal."""
BIG5_ADDITIONS = {
    bytes.fromhex(code): chr(int(point, 16))
    for code, point in (entry.split(":") for entry in _BIG5_ADDITIONS.split())
}
"""Characters that Python's Big5-HKSCS lacks."""
