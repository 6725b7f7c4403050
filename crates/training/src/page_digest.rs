//! Digests of pages: the same page has the same digest in every file.

use xxhash_rust::xxh3::Xxh3;

/// XXH3 of a page's bytes without white space and byte order mark: the same for a page in an archive, in an HTML file and in
/// an envelope, and whatever line ends it got on the way.
pub(crate) fn page_digest(html: &[u8]) -> u64 {
    let html = html.strip_prefix(b"\xef\xbb\xbf").unwrap_or(html);
    let mut hash = Xxh3::new();
    html.split(u8::is_ascii_whitespace)
        .for_each(|word| hash.update(word));
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_makes_no_other_page() {
        let page = page_digest(b"<p>One two</p>");
        for same in [
            &b"\xef\xbb\xbf<p>One\r\ntwo</p>\n"[..],
            b"\n<p>One two</p>",
            b"<p>One  two</p>",
        ] {
            assert_eq!(page_digest(same), page);
        }
        assert_ne!(page_digest(b"<p>One three</p>"), page);
    }
}
