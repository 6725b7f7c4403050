//! Where a post leads to: its own page.

use gleaner_html::{Attr, Tag};
use url::Url;

use crate::find::Candidate;
use crate::scene::Scene;

/// Elements around a title that may be a link: that of a whole card.
const AROUND: usize = 4;

impl Scene<'_> {
    /// The address of a post's own page: the link in or around its title, one that is marked as such,
    /// or on that page itself its own address.
    pub(crate) fn link(&self, post: &Candidate, is_single: bool) -> Option<String> {
        let own = || Some(self.url.to_owned()).filter(|url| !url.is_empty());
        if is_single {
            let canonical = self.head.canonical.as_deref();
            return own().or_else(|| canonical.and_then(|href| self.absolute(href)));
        }
        let of_title = post.title.and_then(|title| self.linked(title));
        let marked = || {
            let below = post.element..self.page.elements[post.element as usize].end;
            let mut links = below.filter(|&at| self.tag(at) == Tag::A);
            links.find_map(|at| {
                let rel = self.page.attribute(at, Attr::Rel)?;
                let is_own = rel.split_ascii_whitespace().any(|word| word == "bookmark");
                self.page.attribute(at, Attr::Href).filter(|_| is_own)
            })
        };
        of_title.or_else(marked).and_then(|href| self.absolute(href))
    }

    /// The address that a title leads to: of a link in it, or around it.
    pub(crate) fn linked(&self, title: u32) -> Option<&str> {
        let below = title..self.page.elements[title as usize].end;
        let near = below.chain(self.page.ancestors(title).skip(1).take(AROUND));
        let mut links = near.filter(|&at| self.tag(at) == Tag::A);
        links.find_map(|at| self.page.attribute(at, Attr::Href))
    }

    /// An address as seen from the page; as it stands where the page has none.
    fn absolute(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') || href.starts_with("javascript:") {
            return None;
        }
        match Url::parse(self.url).ok().and_then(|base| base.join(href).ok()) {
            Some(url) => Some(url.into()),
            None => Some(href.to_owned()),
        }
    }
}
