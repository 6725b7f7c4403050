//! The links of a page, by its tree.

use std::borrow::Cow;

use encoding_rs::Encoding;
use gleaner_html::{Attr, HtmlParser, Tag, Tree};
use url::Url;

use crate::address::page_url;

/// The name by which robots.txt and pages address this crawler.
pub const AGENT: &str = "gleaner";

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) url: Url,
    /// Where it stands, as other crawlers write it: `a/@href`.
    pub(crate) place: &'static str,
    /// Whether the page wants it followed.
    pub(crate) is_followed: bool,
}

/// Relations of a `<link>` that lead to pages.
const RELATIONS: [&str; 5] = ["alternate", "canonical", "next", "prev", "previous"];

/// The links of an HTML page to other pages, in document order, each place of a URL once: of `<a>`, `<area>`, frames, `<link>`
/// with a relation between pages, and a refresh. `headers` has what `X-Robots-Tag` says.
pub(crate) fn page_links(
    parser: &mut HtmlParser,
    body: &[u8],
    content_type: Option<&str>,
    url: &Url,
    headers: &[String],
) -> Vec<Link> {
    let Ok(html) = parser.parse(body, content_type) else {
        return Vec::new();
    };
    let tree = html.tree();
    let encoding = Encoding::for_label(html.charset().as_bytes());
    let base = base(tree, url);
    // As browsers do: letters of a query are those of the charset of the page.
    let encode = encoder(|query| match encoding {
        Some(encoding) => encoding.encode(query).0,
        None => Cow::Borrowed(query.as_bytes()),
    });
    let options = Url::options()
        .base_url(Some(&base))
        .encoding_override(Some(&encode));
    let follows = !headers.iter().any(|header| is_kept_header(header)) && !is_kept_page(tree);
    let mut links = Vec::new();
    for node in tree.nodes() {
        let Some((place, target, is_followed)) = target(tree, node) else {
            continue;
        };
        if let Some(url) = options.parse(target.trim()).ok().and_then(page_url) {
            links.push(Link {
                url,
                place,
                is_followed: is_followed && follows,
            });
        }
    }
    links
}

/// (So that the compiler sees that what comes out lives as long as what goes in.)
fn encoder<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}

/// What relative links are relative to.
fn base(tree: Tree<'_>, url: &Url) -> Url {
    let mut bases = tree
        .of_tag(Tag::Base)
        .filter_map(|node| tree.attribute(node, Attr::Href));
    let base = bases.next().and_then(|href| url.join(href.trim()).ok());
    let base = base.filter(|base| !base.cannot_be_a_base());
    base.unwrap_or_else(|| url.clone())
}

/// Where a node leads to, if it leads anywhere: the place of the link, its target, and whether it may be followed.
fn target<'a>(tree: Tree<'a>, node: u32) -> Option<(&'static str, &'a str, bool)> {
    let attribute = |name| tree.attribute(node, name);
    let has_relation = |relations: &[&str]| {
        let words = attribute(Attr::Rel).unwrap_or_default().split_ascii_whitespace();
        words
            .into_iter()
            .any(|word| relations.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    let may_follow = || !has_relation(&["nofollow"]);
    match tree.tag(node) {
        Tag::A => Some(("a/@href", attribute(Attr::Href)?, may_follow())),
        Tag::Area => Some(("area/@href", attribute(Attr::Href)?, may_follow())),
        Tag::Link if has_relation(&RELATIONS) => Some(("link/@href", attribute(Attr::Href)?, may_follow())),
        Tag::Frame => Some(("frame/@src", attribute(Attr::Src)?, true)),
        Tag::Iframe => Some(("iframe/@src", attribute(Attr::Src)?, true)),
        Tag::Meta if attribute(Attr::HttpEquiv)?.eq_ignore_ascii_case("refresh") => {
            Some(("meta/@content", refresh(attribute(Attr::Content)?)?, true))
        }
        _ => None,
    }
}

/// The address of `5; url=...`.
fn refresh(content: &str) -> Option<&str> {
    let (_, rest) = content.split_once([';', ','])?;
    let (name, address) = rest.split_once('=')?;
    let address = address.trim().trim_matches(['"', '\'']);
    name.trim().eq_ignore_ascii_case("url").then_some(address)
}

/// Whether a page wants none of its links followed: `<meta name=robots content=nofollow>`.
fn is_kept_page(tree: Tree<'_>) -> bool {
    tree.of_tag(Tag::Meta).any(|node| {
        let name = tree.attribute(node, Attr::Name).unwrap_or_default().trim();
        let content = tree.attribute(node, Attr::Content).unwrap_or_default();
        ["robots", AGENT]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
            && has_nofollow(content)
    })
}

/// Whether `X-Robots-Tag` wants no link followed, by everyone or by this crawler: `gleaner: nofollow`.
fn is_kept_header(value: &str) -> bool {
    match value.split_once(':') {
        Some((name, rules)) if !name.contains(',') => {
            name.trim().eq_ignore_ascii_case(AGENT) && has_nofollow(rules)
        }
        _ => has_nofollow(value),
    }
}

fn has_nofollow(rules: &str) -> bool {
    let mut rules = rules.split(',').map(str::trim);
    rules.any(|rule| rule.eq_ignore_ascii_case("nofollow") || rule.eq_ignore_ascii_case("none"))
}

#[cfg(test)]
mod tests {
    use gleaner_html::TreeLimits;

    use super::*;

    fn links(html: &[u8], content_type: &str, headers: &[&str]) -> Vec<(String, bool)> {
        let mut parser = HtmlParser::new(TreeLimits::default());
        let url = Url::parse("http://a.example/d/e?f").unwrap();
        let headers: Vec<String> = headers.iter().map(|&header| header.to_owned()).collect();
        page_links(&mut parser, html, Some(content_type), &url, &headers)
            .into_iter()
            .map(|link| (link.url.to_string(), link.is_followed))
            .collect()
    }

    fn followed(html: &str) -> Vec<String> {
        let links = links(html.as_bytes(), "text/html; charset=utf-8", &[]);
        links
            .into_iter()
            .filter(|link| link.1)
            .map(|link| link.0)
            .collect()
    }

    #[test]
    fn links_are_those_of_pages() {
        let html = "<link rel=Canonical href=/c><link rel=stylesheet href=/s.css><meta http-equiv=REFRESH content='5; URL=/m'>
            <a href=' g#top '>1</a><a name=x>2</a><map><area href='?q'></map><iframe src=//b.example/i></iframe>
            <img src=/i.png srcset='/j.png 2x'><a href=mailto:a@b.example>3</a><a href='javascript:x()'>4</a>";
        let expected = ["c", "m", "d/g", "d/e?q"].map(|path| format!("http://a.example/{path}"));
        let mut expected = expected.to_vec();
        expected.push("http://b.example/i".to_owned());
        assert_eq!(followed(html), expected);
    }

    #[test]
    fn the_first_base_counts() {
        let html = "<base target=x><base href=/x/><base href=/y/><a href=z>1</a>";
        assert_eq!(followed(html), ["http://a.example/x/z"]);
        assert_eq!(
            followed("<base href='data:x'><a href=z>1</a>"),
            ["http://a.example/d/z"]
        );
    }

    #[test]
    fn queries_have_the_letters_of_the_charset() {
        let html = b"<a href='/\xe9?\xe9'>1</a>";
        let found = links(html, "text/html; charset=iso-8859-1", &[]);
        assert_eq!(found, [("http://a.example/%C3%A9?%E9".to_owned(), true)]);
    }

    #[test]
    fn pages_and_links_may_refuse() {
        let link = "<a href=/x>1</a>";
        assert_eq!(followed("<a rel='noopener NoFollow' href=/x>1</a>"), [""; 0]);
        assert_eq!(
            followed(&format!("<meta name=Robots content='noindex, nofollow'>{link}")),
            [""; 0]
        );
        assert_eq!(
            followed(&format!("<meta name=gleaner content=none>{link}")),
            [""; 0]
        );
        assert_eq!(
            followed(&format!("<meta name=otherbot content=none>{link}")).len(),
            1
        );
        for (header, is_followed) in [
            ("noindex, nofollow", false),
            ("gleaner: nofollow", false),
            ("otherbot: nofollow", true),
            ("unavailable_after: 1 Jan 2030", true),
        ] {
            assert_eq!(
                links(link.as_bytes(), "text/html", &[header])[0].1,
                is_followed,
                "{header}"
            );
        }
    }
}
