"""The words by which pages give their parts away: data only, walked by the rules."""

import re

from fetcher.web.reading.extract.page_kinds import PageKind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BOILERPLATE_TAGS = {
    **dict.fromkeys(("nav", "footer", "dialog", "menu"), 0.8),
    "noscript": 0.5,
    **dict.fromkeys(("aside", "button", "select", "textarea", "label", "datalist", "option", "legend"), 0.4),
}
"""Elements that are not content; each with the share of the page's text from which it is content."""

FOOT_ID = re.compile(
    r"""(?ix)
    (?:(?:site|page|global|main|l|g)[-_]?)?footer
    (?:[-_]?(?:wrap(?:per)?|area|inner|container|contents?))?
    """
)
"""The ids that blocks have where a page has no `footer`."""

BOILERPLATE_ROLES = _words(
    """
    navigation banner contentinfo complementary search dialog alertdialog menu menubar menuitem
    toolbar alert status button listbox tooltip
    """
)

REVEALED_WORDS = re.compile(
    r"tab|accordion|a(?<=\ba)cc[-_]|faq|collaps|panel|more|expand|toggle|answer|details"
)
"""Parts of names, in lower case, under which pages hide what a click reveals."""

SWITCHED_BY = _words(
    """
    x-show x-cloak x-collapse v-show v-cloak ng-show ng-hide ng-cloak data-ng-show data-ng-hide data-ng-cloak
    """
)
"""Attributes by which the scripts of frameworks show and hide an element."""


PLAIN_CONTROL = re.compile(
    r"""(?ix)
    (?:(?:show|see|view|read|load|learn|find\ out)\ )?(?:more|less|all|details|everything)\b.{0,20}
    | (?:open|close|hide|show|toggle|expand|collapse|copy|share|print|save|download|submit|send|search|sort
        |filter|select|choose|clear|apply|reset|add|remove|buy|edit|delete|play|pause|mute|cancel|subscribe|reply
        |continue|follow|report|translate|refine)s?\b.{0,30}
    | (?:sign|log)[\ -]?(?:in|up|out)\b.{0,20} | (?:sub-?)?menu | (?:main|site)?\ ?navigation
    | next\b.{0,20} | prev(?:ious)?\b.{0,20} | back\b.{0,20} | up | down | top | ok | yes | no
    | like | vote | go | (?:go\ to\ )?(?:slide|page)\ .{0,10}
    """
)
"""What controls say that do something or show more: nothing about the panel that they open."""

CONSENT_WORDS = _words(
    """
    cookie cookies consent gdpr dsgvo rgpd onetrust cookiebot didomi truste borlabs usercentrics iubenda
    complianz cmplz cookieconsent cookiebar cookiebanner cookienotice cookielaw cookieinfo
    """
)

UNSEEN_WORDS = _words("visually visuallyhidden screenreader sr")
"""Words for text that is only read aloud."""

WINDOW_WORDS = _words("modal modalwindow popup popover lightbox toast tooltip")
"""Words of windows that stand over a page once they are opened."""

RELATED_WORDS = _words(
    """
    related relatedposts recommended recommendation recommendations recommend recommends kanren osusume
    trending mostread upnext morefrom
    """
)
"""Words of what leads to other pages: as the name of a heading, of all that stands under it."""

BOILERPLATE_WORDS = (
    UNSEEN_WORDS
    | RELATED_WORDS
    | WINDOW_WORDS
    | _words(
        """
    ads advert advertisement adsbygoogle sponsor sponsored promo promos promotion taboola outbrain
    privacy disclaimer legal notice
    share sharing shares sharebar sharethis addthis addtoany social socials sns
    breadcrumb breadcrumbs crumb crumbs topicpath pankuzu
    newsletter newsletters subscribe signup optin mailchimp mailmagazine login signin register
    readmore
    sidebar sidebars sidenav sidemenu
    pagination pager paging paginator prevnext pagenav
    footer foot masthead colophon pagetop backtotop skiplink skiplinks editsection toolbar
    dropdown adblock adblocker
    button buttons btn actions badge badges swatch swatches skeleton nudge
    respond commentform nocomments pingback pingbacks trackback trackbacks
    sharedaddy shariff postmetadata postnavigation
    """
    )
)
"""Words in a class or an id that name another part than the content; some are romanised Japanese."""

CONTROL_WORDS = _words("button buttons btn actions")
"""Words of what people click."""

SHAPE_WORDS = _words("dropdown embed footer foot paywall abo")
"""Words that say how a block looks, where it stands or who may read it, not what it tells."""

MENU_WORDS = _words(
    """
    nav navbar navigation navi subnav gnav lnav menu submenu megamenu offcanvas hamburger ranking rankings
    """
)

COLUMN_WORDS = _words("sidebar sidebars navigation nav")
"""Words of columns and bars, also where their links are longer than a short page's own text."""


INSERT_WORDS = _words("teaser teasers teaserbox linkbox linklist cta banner form feedback excerpt")
"""Words of what stands between the paragraphs of a story or below them; above them it may be the lead."""

ELSEWHERE_WORDS = _words("teaser teasers teaserbox linkbox linklist excerpt")
"""Those of them that lead to other stories; the others lead to what the story invites to."""

LEAD_WORDS = _words(
    """
    lead lede leadtext excerpt summary intro introduction standfirst subtitle subhead subheadline subheading
    dek deck teaser chapo vorspann entradilla bajada
    """
)
"""Words of the lines below the title that tell a story in short."""

_FILTERS = _words("filter filters facet facets refine")

KIND_WORDS: dict[PageKind, frozenset[str]] = {
    PageKind.ARTICLE: _words(
        """
        comment comments commentlist commentsbox disqus kommentare recentcomments tags byline author bio
        caption figcaption embed donation credit credits legend paywall abo donate
        """
    ),
    PageKind.COLLECTION: _FILTERS,
    PageKind.DOCUMENTATION: _words("comment comments disqus toc edit feedback helpful printfooter catlinks"),
    PageKind.FORUM: _words(
        """
        stats likes like reactions reputation signature quicklinks similar form author avatar extra extras
        pairs count counts header banner unfurl vote votes voting votecell
        attribution postprofile usertitle userinfo poster tagline guest
        """
    ),
    **dict.fromkeys((PageKind.HOME, PageKind.OTHER), _FILTERS | _words("review reviews gallery")),
    PageKind.PRODUCT: _words(
        """
        review reviews ratings gallery thumbnails thumbs minicart shipping delivery wishlist
        upsell crosssell afterpay klarna paypal quantity qty options faq faqs banner caption widget
        tag tags form
        """
    ),
}
"""Words that name another part on one kind of page only."""


AFTER_STORY_WORDS = _words(
    """
    comments commentlist disqus respond pingbacks trackbacks kommentare related relatedposts recommended
    recommendations taboola outbrain newsletter sidebar share sharing social
    """
)
"""Words of what stands below a story, also where it is longer than the story."""

FACT_WORDS = _words(
    """
    notice badge badges disclaimer legal shipping delivery options quantity qty faq faqs caption figcaption
    """
)
"""Words of blocks that are content if they are short and tell a fact."""

NO_FACT_WORDS = (
    CONSENT_WORDS
    | UNSEEN_WORDS
    | _words("newsletter newsletters subscribe signup optin mailchimp mailmagazine login signin")
)
"""Words of blocks that are never content for the sake of one fact."""

NEUTRAL_WORDS = _words(
    """
    a and area article articles bar block body bottom box btn c card cards code col column component
    container content contents ctn default desktop detail details div el element elements entry feature
    field fixed flex foot form full goods grid group has head header heading holder home icon icons id
    image img info inline inner is item items js l large layout left link links list m main md mobile
    mod mode module name new news o object one outer p page paragraph part pc post posts product
    products reading region resource resources right root row s sc section sections site sm small sp
    sticky stories story styles sub t text title titles top two type u ui ul unit v video videos view w
    wide widget widgets with wp wrap wrapper x
    """
)
"""Words in names that say nothing about what a block holds."""

KIND_FACT_WORDS = {PageKind.PRODUCT: _words("form widget tag tags")}
"""The same on one kind of page only."""

NOTE_WORDS = _words("note notes msg message callout admonition tip tips hint warning caution important memo")
"""Words of asides that belong to the text which they stand in."""

FACT_TAGS = frozenset({"label", "legend", "aside"})
FACT_ROLES = _words("alert status")
"""The same for elements and roles."""

PRICE = re.compile("[$\u20ac\u00a3\u00a5\uffe5\u20b9]|\\d\\s?(?:\u5186|(?:kr|z\u0142|USD|EUR|GBP)\\b)")
"""Signs of a price, some of them written apart from its digits."""

TELEPHONE = re.compile(r"\d{2,5}[-\u2010\uff0d(\uff08]\d{1,4}[-\u2010\uff0d)\uff09]\d{3,4}")
"""A telephone as Japanese pages write it, its digits of either width."""


TAIL_HEADING = re.compile(
    r"""(?ix)
    (?:related|similar|recommended|suggested|more|other|latest|recent|popular|trending|top|featured|further)
        \b.{0,40}\b(?:articles?|posts?|stor(?:y|ies)|news|products?|items?|topics?|questions?|threads?
        |discussions?|content|reading|links?|pages?|videos?|reads|searches|resources|guides?)
    | related | similar | recommended | trending | (?:read|up)\ next | what\ to\ read\ next | see\ also
    | share | share\ .* | tags | sponsored | advertisement | newsletter | follow\ us
    | (?:subscribe|sign\ up|more\ from|people\ also|customers?\ (?:also|who))\b.* | you\ (?:may|might)\ .*
    | you'll\ .* | (?:frequently\ bought|recently\ viewed|customer\ reviews?|don't\ miss|we\ recommend).*
    | more\ like\ this | (?:keep|continue)\ reading | (?:explore|read)\ more | about\ the\ authors?
    | comments? | reviews | (?:leave|post)\ a\ (?:comment|reply)
    | join\ the\ (?:conversation|discussion) | (?:comments?|reviews?|responses)\ ?\(\d+\)
    | \d+\ (?:comments?|reviews?|responses|thoughts)\b.*
    """
)
"""Headings of what follows an article without belonging to it."""
