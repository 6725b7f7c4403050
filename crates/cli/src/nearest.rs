//! What somebody may have meant by a name that is not known.

use std::path::Path;

use strsim::damerau_levenshtein;

/// The known name that is nearest to one that is not known, if any is near: one slip in a short name, one in three letters of
/// a long one. Names are the same in capitals, and however their words are joined.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let name = plain(name);
    let with_slips = known.into_iter().map(|known| {
        let other = plain(known);
        let most = name.chars().count().max(other.chars().count()) / 3;
        (damerau_levenshtein(&name, &other), most.max(1), known)
    });
    let near = with_slips.filter(|(slips, most, _)| slips <= most);
    near.min_by_key(|(slips, ..)| *slips).map(|(_, _, known)| known)
}

/// What is to be said of a file that is not there, where the name of something built in could stand, too.
pub(crate) fn not_there(what: &str, path: &Path, built_in: &[&str]) -> String {
    let name = path.display().to_string();
    let known = built_in.join(" and ");
    match nearest(&name, built_in.iter().copied()) {
        Some(meant) => format!("there is no {what} '{name}': did you mean '{meant}'? (built in: {known})"),
        None => format!("there is no {what} '{name}': name a file, or one that is built in ({known})"),
    }
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
            ("oout", Some("out")),
            ("colour", None),
            ("o", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
