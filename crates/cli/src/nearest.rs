//! What somebody may have meant by a name that is not known.

use strsim::damerau_levenshtein;

/// The known name that is nearest to one that is not known, if any is near.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name);
    let distance = |known: &str| damerau_levenshtein(&name, &plain(known));
    // A slip in a short name, one in three letters of a long one.
    let near = |known: &str| distance(known) <= (name.chars().count().max(known.chars().count()) / 3).max(1);
    known
        .into_iter()
        .filter(|known| near(known))
        .min_by_key(|known| distance(known))
}

/// Names are the same in capitals, and however their words are joined.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_seen_through_and_other_words_are_not() {
        let known = ["part_size", "posts", "max_page", "max_record"];
        for (typed, meant) in [
            ("part-size", Some("part_size")),
            ("partsize", Some("part_size")),
            ("Post", Some("posts")),
            ("max_recrod", Some("max_record")),
            ("max_pages", Some("max_page")),
            ("post", Some("posts")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
