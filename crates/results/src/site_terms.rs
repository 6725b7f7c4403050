//! The terms that count for the pages of a site.

use std::collections::BTreeMap;

use gleaner_features::{Query, form_page_config, form_terms};
use gleaner_page::Parser;
use url::Url;

/// The terms of each site. The query of a page has the terms for all sites, those for its host, those from the forms of
/// its site, and the values in its own URL.
#[derive(Clone, Debug, Default)]
pub struct SiteTerms {
    all: Query,
    hosts: BTreeMap<String, Query>,
    /// By [`site_key`]; pages without a URL are one site.
    forms: BTreeMap<String, Query>,
    /// Whether queries are always empty.
    is_off: bool,
}

impl SiteTerms {
    /// Terms of which every query is empty.
    pub fn off() -> SiteTerms {
        SiteTerms {
            is_off: true,
            ..SiteTerms::default()
        }
    }

    /// Whether every query is empty, whatever is added.
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// Adds terms for all sites.
    pub fn add_for_all(&mut self, terms: &Query) {
        self.all.extend(terms);
    }

    /// Adds terms for a host.
    pub fn add_for_host(&mut self, host: &str, terms: &Query) {
        let key = site_key(&format!("http://{host}/"));
        self.hosts.entry(key).or_default().extend(terms);
    }

    /// Adds the terms in the forms of a page for the site of its URL.
    pub fn add_forms(&mut self, url: &str, html: &[u8], content_type: Option<&str>) {
        let mut parser = Parser::new(form_page_config());
        if let Ok(page) = parser.parse(html, content_type) {
            self.add_form_terms(site_key(url), &form_terms(page));
        }
    }

    /// Adds terms that [`form_terms`] found on a page of a site.
    pub fn add_form_terms(&mut self, site_key: String, terms: &Query) {
        if !self.is_off {
            self.forms.entry(site_key).or_default().extend(terms);
        }
    }

    /// The query of a page.
    pub fn query(&self, url: &str) -> Query {
        self.query_of_site(url, &site_key(url))
    }

    /// The query of a page whose site does not follow from the URL.
    pub fn query_of_site(&self, url: &str, key: &str) -> Query {
        if self.is_off {
            return Query::default();
        }
        let mut query = self.all.clone();
        let terms = [self.hosts.get(&site_key(url)), self.forms.get(key)];
        terms.into_iter().flatten().for_each(|terms| query.extend(terms));
        query.add_url(url);
        query
    }

    /// The query of a page, with the terms in its own forms.
    pub fn query_with_own_forms(&self, url: &str, html: &[u8], content_type: Option<&str>) -> Query {
        let mut query = self.query(url);
        let mut parser = Parser::new(form_page_config());
        if !self.is_off
            && let Ok(page) = parser.parse(html, content_type)
        {
            query.extend(&form_terms(page));
        }
        query
    }

    /// A digest of the terms for all sites and for hosts, or `off`.
    pub fn identity(&self) -> String {
        if self.is_off {
            return "off".to_owned();
        }
        let hosts = self.hosts.iter().map(|(host, query)| (host.as_str(), query));
        let mut text = String::new();
        for (host, query) in std::iter::once(("", &self.all)).chain(hosts) {
            let terms: Vec<&str> = query.terms().collect();
            text += &format!("{host}\n{}\n\n", terms.join("\n"));
        }
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }
}

/// The site of a URL: its host as browsers write it, without port, user and the dot of the root. Of a text that is no URL:
/// what stands between `://` and the path, or all of it.
pub fn site_key(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let host = parsed.as_ref().and_then(Url::host_str);
    host.unwrap_or_else(|| written_host(url))
        .trim_end_matches('.')
        .to_lowercase()
}

fn written_host(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| {
        rest.split(['/', '?', '#']).next().unwrap_or(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_one_site_however_it_is_spelt() {
        for url in [
            "http://b\u{fc}cher.example/a",
            "https://xn--bcher-kva.example:8443",
            "http://u:p@B\u{dc}CHER.example./?q#f",
            "HTTP://XN--BCHER-KVA.EXAMPLE:80/",
            "http://b%C3%BCcher.example",
        ] {
            assert_eq!(site_key(url), "xn--bcher-kva.example", "{url}");
        }
        for (url, key) in [
            ("http://[::1]:80/", "[::1]"),
            ("http://boats.test:no/a", "boats.test:no"),
            ("", ""),
            ("Page.html", "page.html"),
            ("file:///a/b.html", ""),
        ] {
            assert_eq!(site_key(url), key, "{url}");
        }
        assert_ne!(site_key("http://a.boats.test/"), site_key("http://boats.test/"));
    }

    const FORM: &[u8] = b"<form><input name=a value=Rigging></form>";

    fn words(query: &Query) -> Vec<&str> {
        query.terms().collect()
    }

    #[test]
    fn terms_are_for_all_pages_of_a_host() {
        let mut terms = SiteTerms::default();
        terms.add_for_host("Boats.TEST", &Query::new(["Hull"]));
        terms.add_for_all(&Query::new(["Pears"]));
        terms.add_forms("http://boats.test:80/", FORM, None);
        for url in ["http://boats.test/found", "https://u:p@BOATS.test./found"] {
            assert_eq!(words(&terms.query(url)), ["hull", "pears", "rigging"], "{url}");
        }
        assert_eq!(
            words(&terms.query("http://other.test/?q=Sail")),
            ["pears", "sail"]
        );
        let own = terms.query_with_own_forms("http://other.test/", FORM, None);
        assert_eq!(words(&own), ["pears", "rigging"]);
    }

    #[test]
    fn queries_are_empty_when_terms_are_off() {
        let mut terms = SiteTerms::off();
        terms.add_forms("http://boats.test/", FORM, None);
        let url = "http://boats.test/?q=Sail";
        assert!(terms.query(url).is_empty() && terms.query_with_own_forms(url, FORM, None).is_empty());
        assert_eq!(terms.identity(), "off");
    }

    #[test]
    fn the_identity_is_of_given_terms_alone() {
        let mut terms = SiteTerms::default();
        let none = terms.identity();
        terms.add_forms("http://boats.test/", FORM, None);
        assert_eq!(terms.identity(), none);
        terms.add_for_host("boats.test", &Query::new(["Hull"]));
        assert_ne!(terms.identity(), none);
    }
}
