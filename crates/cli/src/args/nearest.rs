//! Suggestions for unknown names.

use std::path::Path;

use strsim::damerau_levenshtein;

/// Minimum letters of a name that another begins with.
const STEM: usize = 3;

/// The known name that is nearest to one that is not known, if any is near.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .filter(|known| is_near(&plain(name), &plain(known)))
        .min_by_key(|known| distance(name, known))
}

/// The error for a missing file in place of which the name of something built in could stand.
pub(crate) fn not_there(what: &str, path: &Path, built_in: &[&str]) -> String {
    let name = path.display().to_string();
    let known = built_in.join(" and ");
    match nearest(&name, built_in.iter().copied()) {
        Some(meant) => format!("there is no {what} '{name}': did you mean '{meant}'? (built in: {known})"),
        None => format!("there is no {what} '{name}': name a file, or one that is built in ({known})"),
    }
}

/// How many slips lie between two names.
fn distance(one: &str, other: &str) -> usize {
    damerau_levenshtein(&plain(one), &plain(other))
}

/// A slip in a short name, one in three letters of a long one; or one name has all letters of the other in their order, and what
/// it has beside them is its end, or no more than they are: `ouput`, `output` and `out`.
fn is_near(name: &str, known: &str) -> bool {
    let slips = distance(name, known);
    let (name_length, known_length) = (name.chars().count(), known.chars().count());
    if slips <= (name_length.max(known_length) / 3).max(1) {
        return true;
    }
    let (short, long) = match name_length < known_length {
        true => (name, known),
        false => (known, name),
    };
    let least = short.chars().count();
    least >= STEM && (long.starts_with(short) || slips <= least && is_within(short, long))
}

/// Whether one name has the letters of the other in their order, the first of them first.
fn is_within(short: &str, long: &str) -> bool {
    let mut letters = long.chars();
    short.chars().next() == long.chars().next()
        && short.chars().all(|letter| letters.any(|other| other == letter))
}

/// Names are the same in capitals, and however their words are joined.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{nearest, not_there};

    #[test]
    fn a_missing_file_may_be_meant_for_what_is_built_in() {
        let said = |name: &str| not_there("model file", Path::new(name), &["default", "text"]);
        assert_eq!(
            said("deafult"),
            "there is no model file 'deafult': did you mean 'default'? (built in: default and text)"
        );
        assert_eq!(
            said("my/own.gcrf"),
            "there is no model file 'my/own.gcrf': name a file, or one that is built in (default and text)"
        );
    }

    #[test]
    fn slips_are_seen_through_and_other_words_are_not() {
        let known = ["part_size", "posts", "max_page", "max_record", "out"];
        for (typed, meant) in [
            ("part-size", Some("part_size")),
            ("partsize", Some("part_size")),
            ("Post", Some("posts")),
            ("max_recrod", Some("max_record")),
            ("max_pages", Some("max_page")),
            ("post", Some("posts")),
            ("ouput", Some("out")),
            ("output", Some("out")),
            ("output-folder", Some("out")),
            ("part", Some("part_size")),
            ("colour", None),
            ("o", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
