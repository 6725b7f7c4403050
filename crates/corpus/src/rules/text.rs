//! The digest by which a rule names the texts of a page.

/// The BLAKE3 digest of the texts of all blocks of a page, each behind its length. A page has it before it is labelled: it does
/// not change with the model, or with other pages of the site.
///
/// ```
/// use gleaner_corpus::text_digest;
///
/// assert_eq!(text_digest(["a", "b"]).len(), 64);
/// assert_ne!(text_digest(["a", "b"]), text_digest(["ab"]));
/// ```
pub fn text_digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_string()
}
