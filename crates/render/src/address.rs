//! URLs as they are compared.

use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// A URL in the one form in which it is looked up; `None` for what is no address of the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// As browsers write it, without its fragment.
    pub(crate) url: String,
    /// Without the parameter by which scripts keep answers out of caches.
    bare: String,
}

impl Address {
    pub(crate) fn new(url: &str) -> Option<Address> {
        let mut url = Url::parse(url).ok()?;
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        url.set_fragment(None);
        let exact = url.to_string();
        let bare = match url.query() {
            Some(query) if query.split('&').any(is_cache_buster) => {
                let kept: Vec<&str> = query.split('&').filter(|pair| !is_cache_buster(pair)).collect();
                let kept = Some(kept.join("&")).filter(|query| !query.is_empty());
                url.set_query(kept.as_deref());
                url.to_string()
            }
            _ => exact.clone(),
        };
        Some(Address { url: exact, bare })
    }

    /// By what the captures of a URL are found, whatever keeps them out of caches.
    pub(crate) fn key(&self) -> u64 {
        xxh3_64(self.bare.as_bytes())
    }

    /// By what those of exactly this URL are.
    pub(crate) fn exact_key(&self) -> u64 {
        xxh3_64(self.url.as_bytes())
    }
}

/// Whether a parameter is `_=1700000000000`, as libraries add it to each request.
fn is_cache_buster(pair: &str) -> bool {
    let digits = pair.strip_prefix("_=");
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_compared_without_what_keeps_them_out_of_caches() {
        let address = |url: &str| Address::new(url).unwrap();
        let same = [
            "http://a.example/b?c=1&_=17",
            "http://A.example:80/b?_=5&c=1#d",
            "http://a.example/b?c=1",
        ];
        for url in same {
            assert_eq!(address(url).key(), address(same[0]).key(), "{url}");
        }
        assert_ne!(address(same[0]).exact_key(), address(same[2]).exact_key());
        for other in [
            "http://a.example/b?c=1&_=x",
            "https://a.example/b?c=1",
            "http://a.example/b?c=1&_=",
        ] {
            assert_ne!(address(other).key(), address(same[0]).key(), "{other}");
        }
        assert_eq!(address("http://a.example/?_=1").bare, "http://a.example/");
    }

    #[test]
    fn only_the_web_has_addresses() {
        for url in [
            "",
            "urn:uuid:1",
            "file:///a.html",
            "dns:a.example",
            "data:text/html,a",
            "a/b",
        ] {
            assert_eq!(Address::new(url), None, "{url}");
        }
    }
}
