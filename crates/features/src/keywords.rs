//! The keyword groups that classes and ids are searched for unless configured.

use serde::{Deserialize, Serialize};

/// Words in classes and ids that mean much the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeywordGroup {
    /// The feature's name is `keyword.` and this.
    pub name: String,
    /// The words: parts of names in ASCII, whatever their case. The longest at a place counts.
    pub words: Vec<String>,
}

/// A name and its words.
const GROUPS: &[(&str, &str)] = &[
    ("comment", "comment discuss disqus respond"),
    ("sidebar", "sidebar side-bar rail"),
    ("footer", "footer foot colophon"),
    ("header", "header masthead topbar top-bar"),
    ("nav", "nav menu megamenu"),
    ("breadcrumb", "breadcrumb crumb"),
    ("share", "share sharing social follow facebook twitter"),
    (
        "related",
        "related recommend also-like more-from readmore read-more up-next",
    ),
    ("popular", "popular trending latest recent featured"),
    (
        "promo",
        "promo advert sponsor banner ads- -ads adsense ad-slot affiliate",
    ),
    ("cookie", "cookie consent gdpr privacy"),
    (
        "popup",
        "popup modal overlay dialog lightbox offcanvas drawer tooltip toast",
    ),
    (
        "newsletter",
        "newsletter subscribe subscription signup sign-up optin",
    ),
    ("login", "login signin sign-in account register"),
    ("search", "search"),
    ("widget", "widget toolbar plugin"),
    ("pager", "paginat pager pagenav page-nav prev next"),
    ("tags", "tags taglist tag-list tagged category categories topics"),
    ("meta", "meta info detail"),
    ("byline", "byline author contributor avatar profile user bio"),
    ("date", "date time publish timestamp"),
    ("legal", "legal copyright disclaimer terms"),
    (
        "skip",
        "skip screen-reader sr-only visually-hidden visuallyhidden",
    ),
    ("hidden", "hidden hide collapse d-none"),
    ("logo", "logo brand"),
    (
        "shop",
        "cart basket checkout wishlist price buy sku stock shipping",
    ),
    ("review", "rating review stars testimonial"),
    ("filter", "filter facet sort refine"),
    ("toc", "toc table-of-contents on-this-page outline"),
    ("caption", "caption credit figure photo image gallery"),
    ("card", "card tile teaser"),
    ("item", "item product"),
    ("grid", "grid list listing archive collection"),
    ("carousel", "carousel slider slick swiper hero"),
    ("button", "button btn cta"),
    ("tabs", "tab accordion dropdown toggle"),
    ("faq", "faq question answer"),
    ("feature", "feature benefit service spec"),
    (
        "description",
        "desc summary excerpt lead intro abstract dek standfirst",
    ),
    ("post", "post entry"),
    ("article", "article story blog"),
    ("content", "content"),
    ("main", "main body primary"),
    (
        "text",
        "text paragraph copy prose markdown richtext rich-text wysiwyg rte",
    ),
    ("page", "page"),
    ("thread", "forum thread message reply topic quote signature"),
    ("code", "code highlight snippet"),
    ("doc", "doc doctype docs reference api"),
    ("title", "title headline heading"),
    ("section", "section block module panel"),
    (
        "layout",
        "container wrapper row col column inner outer layout elementor",
    ),
    ("edge", "bottom top left right"),
    ("contact", "contact address map phone email"),
    ("notice", "notice alert warning message-box announcement"),
    ("license", "licen download attachment"),
    ("event", "event calendar schedule"),
];

/// The groups as configuration.
pub(crate) fn default_groups() -> Vec<KeywordGroup> {
    let words = |words: &str| words.split(' ').map(str::to_owned).collect();
    GROUPS
        .iter()
        .map(|&(name, list)| KeywordGroup {
            name: name.to_owned(),
            words: words(list),
        })
        .collect()
}
