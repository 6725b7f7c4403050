//! What columns and their codes mean, in words.

use crate::catalogue::{self, FeatureKind, Value};
use crate::config::FeatureConfig;
use crate::module::Module;

/// What the codes of a column of keywords mean.
const KEYWORD: [&str; 4] = [
    "none around it",
    "within two elements",
    "within five elements",
    "farther",
];

impl FeatureConfig {
    /// The module that a column belongs to; none if no feature has that name.
    pub fn module(&self, column: &str) -> Option<Module> {
        match self.keyword_group(column) {
            Some(_) => Some(Module::Keyword),
            None => catalogue::find(column).map(|feature| feature.module),
        }
    }

    /// What a column measures, in a few words; nothing if no feature has its name.
    pub fn definition(&self, column: &str) -> String {
        if let Some(words) = self.keyword_group(column) {
            return format!("a class or id with {}", words.join(", "));
        }
        let Some(feature) = catalogue::find(column) else {
            return String::new();
        };
        match (&feature.value, feature.definition.rsplit_once(": ")) {
            (Value::Landmark(_), _) => {
                let name = column.rsplit('.').next().unwrap_or(column);
                format!("{name} around it, by element or role")
            }
            // What follows are the names of the codes.
            (_, Some((head, list))) if list.contains("; ") => head.to_owned(),
            _ => feature.definition.to_owned(),
        }
    }

    /// What a code of a column stands for: `yes`, `none`, or numbers from one up to another (which
    /// is not one of them). The code itself where that is not known.
    ///
    /// ```
    /// let config = gleaner_features::FeatureConfig::default();
    /// assert_eq!(config.meaning("container.p", 1), "yes");
    /// assert_eq!(config.meaning("split.br", 4), "4 to 6");
    /// assert_eq!(config.meaning("char.num-rel", 0), "below 0.1");
    /// ```
    pub fn meaning(&self, column: &str, code: u16) -> String {
        let number = code.to_string();
        if self.keyword_group(column).is_some() {
            return KEYWORD
                .get(usize::from(code))
                .map_or(number, |name| (*name).to_owned());
        }
        let Some(feature) = catalogue::find(column) else {
            return number;
        };
        let code = usize::from(code);
        match &feature.kind {
            FeatureKind::Flag => ["no", "yes"].get(code).map_or(number, |name| (*name).to_owned()),
            FeatureKind::Number(count) => {
                let count = usize::from(*count);
                let own = named(feature.definition, count, code);
                // The other features of lines have the same codes.
                let of_lines = catalogue::find("line.role").filter(|_| feature.module == Module::Line);
                let role = || named(of_lines?.definition, count, code);
                own.or_else(role).unwrap_or(number)
            }
            FeatureKind::Values(_) => self.values.get(column).map_or(number, |list| {
                between(list.get(code).copied(), list.get(code + 1).copied(), code)
            }),
            FeatureKind::Fixed(list) => between(list.get(code).copied(), list.get(code + 1).copied(), code),
            FeatureKind::Share(_) => self.scales.get(column).map_or(number, |&steps| {
                let step = |code: usize| (code < usize::from(steps)).then(|| share(code, steps));
                between(step(code), step(code + 1), code)
            }),
            FeatureKind::FirstMatch(list) => match code.checked_sub(1) {
                None => "none".to_owned(),
                Some(place) => list(&self.regexps).patterns.get(place).cloned().unwrap_or(number),
            },
            FeatureKind::AllMatches(list) => all_matches(&list(&self.regexps).patterns, code),
        }
    }

    fn keyword_group(&self, column: &str) -> Option<&[String]> {
        let name = column.strip_prefix("keyword.")?;
        let group = self.keywords.iter().find(|group| group.name == name)?;
        Some(&group.words)
    }
}

/// The part of a definition for this code, if it lists one part per code, after a colon or alone.
fn named(definition: &str, count: usize, code: usize) -> Option<String> {
    let list = definition.rsplit_once(": ").map_or(definition, |(_, list)| list);
    let parts: Vec<&str> = list.split("; ").collect();
    (parts.len() == count && code < count).then(|| parts[code].to_owned())
}

/// Where a share's step begins, to four digits.
fn share(code: usize, steps: u16) -> f64 {
    (code as f64 / f64::from(steps) * 1e4).round() / 1e4
}

/// The values of a code, from `low` on and below `high`. (The first code takes what is lower, too.)
fn between(low: Option<f64>, high: Option<f64>, code: usize) -> String {
    match (low, high) {
        (_, Some(high)) if code == 0 => format!("below {high}"),
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(_), None) if code == 0 => "any".to_owned(),
        (Some(low), None) => format!("from {low}"),
        (None, _) => code.to_string(),
    }
}

/// The expressions whose bits are set.
fn all_matches(patterns: &[String], code: usize) -> String {
    let set: Vec<&str> = patterns
        .iter()
        .enumerate()
        .filter(|(bit, _)| code >> bit & 1 == 1)
        .map(|(_, pattern)| pattern.as_str())
        .collect();
    match set.as_slice() {
        [] => "none".to_owned(),
        set => set.join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two codes of a column are called the same, nor by their numbers (but levels of headings).
    #[test]
    fn every_code_has_a_name_of_its_own() {
        let config = FeatureConfig::default();
        for column in config.columns() {
            assert!(config.module(&column.name).is_some(), "{}", column.name);
            assert!(!config.definition(&column.name).is_empty(), "{}", column.name);
            let mut names: Vec<String> = (0..column.cardinality)
                .map(|code| config.meaning(&column.name, code))
                .collect();
            names.sort();
            names.dedup();
            assert_eq!(
                names.len(),
                usize::from(column.cardinality),
                "{}: {names:?}",
                column.name
            );
        }
    }

    #[test]
    fn names_say_what_the_codes_stand_for() {
        let config = FeatureConfig::default();
        let names = |column: &str, codes: std::ops::Range<u16>| -> Vec<String> {
            codes.map(|code| config.meaning(column, code)).collect()
        };
        assert_eq!(names("split.hr", 0..3), ["below 1", "1 to 2", "from 2"]);
        assert_eq!(
            names("landmark.nav", 0..3),
            ["not around it", "within three elements", "farther"]
        );
        assert_eq!(names("char.num-rel", 8..10), ["0.8 to 0.9", "from 0.9"]);
        assert_eq!(
            names("keyword.comment", 0..2),
            ["none around it", "within two elements"]
        );
        assert_eq!(
            config.definition("landmark.nav"),
            "nav around it, by element or role"
        );
        assert_eq!(config.definition("cue.og-type"), "kind of page by `og:type`");
        assert_eq!(config.definition("link.block"), "share of words inside links");
        assert_eq!(config.meaning("regexp.url", 0), "none");
        assert_eq!(config.meaning("regexp.url", 1), config.regexps.url.patterns[0]);
        assert_eq!(names("line.next", 0..3), names("line.role", 0..3));
        assert_eq!(names("line.heading", 4..6), ["share", "subscribe"]);
        assert_eq!(config.meaning("unknown", 7), "7");
        assert_eq!(Module::Duplicate.to_string(), "duplicate");
    }
}
