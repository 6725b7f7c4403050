//! Which URLs belong to a crawl.

use std::collections::BTreeSet;

use regex::Regex;
use strum::{Display, EnumString, VariantNames};
use url::Url;

/// How far a crawl goes from its seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Reach {
    /// The hosts of the seeds.
    #[default]
    Host,
    /// The registrable domains of the seeds, by the public suffix list: `www.a.example` and `b.a.example`.
    Domain,
    /// What begins as a seed does, up to the last slash of its path.
    Prefix,
    /// Everything.
    Any,
}

/// Which URLs belong to a crawl. It grows with the seeds.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    reach: Reach,
    /// Hosts, domains, or prefixes.
    places: BTreeSet<String>,
    include: Vec<Regex>,
    exclude: Vec<Regex>,
}

impl Scope {
    pub(crate) fn new(reach: Reach, include: &[Regex], exclude: &[Regex]) -> Scope {
        Scope {
            reach,
            places: BTreeSet::new(),
            include: include.to_vec(),
            exclude: exclude.to_vec(),
        }
    }

    /// Adds the place of a seed.
    pub(crate) fn add(&mut self, seed: &Url) {
        let place = match self.reach {
            Reach::Any => return,
            Reach::Host => host(seed).to_owned(),
            Reach::Domain => domain(seed).to_owned(),
            Reach::Prefix => {
                let path = seed.path();
                let end = path.rfind('/').map_or(0, |slash| slash + 1);
                format!("{}{}", seed.authority(), &path[..end])
            }
        };
        self.places.insert(place);
    }

    /// Whether a URL belongs to the crawl.
    pub(crate) fn has(&self, url: &Url) -> bool {
        let is_in_place = match self.reach {
            Reach::Any => true,
            Reach::Host => self.places.contains(host(url)),
            Reach::Domain => self.places.contains(domain(url)),
            Reach::Prefix => self.has_prefix(url),
        };
        let matches = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(url.as_str()));
        is_in_place && (self.include.is_empty() || matches(&self.include)) && !matches(&self.exclude)
    }

    fn has_prefix(&self, url: &Url) -> bool {
        let place = format!("{}{}", url.authority(), url.path());
        let mut slashes = place.match_indices('/');
        slashes.any(|(slash, _)| self.places.contains(&place[..=slash]))
    }
}

/// The host of a URL; empty where there is none.
pub(crate) fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

/// The registrable domain of a URL, or its host where there is none, as of addresses.
fn domain(url: &Url) -> &str {
    let host = host(url);
    gleaner_domain::registrable(host).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn each_reach_has_its_urls() {
        let seed = url("https://www.a.co.uk/news/today.html");
        for (reach, has, has_not) in [
            (Reach::Host, "http://www.a.co.uk:81/x", "https://a.co.uk/news/"),
            (Reach::Domain, "http://b.a.co.uk/x", "https://b.co.uk/news/"),
            (
                Reach::Prefix,
                "http://www.a.co.uk/news/x/y?z",
                "https://www.a.co.uk/new",
            ),
        ] {
            let mut scope = Scope::new(reach, &[], &[]);
            scope.add(&seed);
            assert!(scope.has(&seed) && scope.has(&url(has)), "{reach}");
            assert!(!scope.has(&url(has_not)), "{reach}");
        }
        assert!(Scope::new(Reach::Any, &[], &[]).has(&seed));
    }

    #[test]
    fn expressions_narrow_a_reach() {
        let pattern = |text| [Regex::new(text).unwrap()];
        let scope = Scope::new(Reach::Any, &pattern("/news/"), &pattern(r"\?print"));
        assert!(scope.has(&url("http://a.example/news/1")));
        assert!(!scope.has(&url("http://a.example/about")));
        assert!(!scope.has(&url("http://a.example/news/1?print")));
    }

    #[test]
    fn addresses_are_no_domains() {
        let mut scope = Scope::new(Reach::Domain, &[], &[]);
        scope.add(&url("http://127.0.0.1/"));
        assert!(!scope.has(&url("http://127.0.0.2/")));
    }
}
