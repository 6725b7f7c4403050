//! What becomes of a text: lines are left out, and personal data masked.

use gleaner_corpus::{TableReader, VersionTables};
use gleaner_curate::{PersonalKind as Found, kept_lines, mask_personal_data, personal_data};
use gleaner_features::word_count;
use gleaner_store::Output;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_128;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;

use crate::error::Error;
use crate::pages::files_of;
use crate::recipe::{Lines, PersonalKind, Recipe};

/// The rules for texts of a recipe.
#[derive(Debug)]
pub(crate) struct TextRules {
    lines: Lines,
    /// The digests of lines that stand on many sites.
    repeats: FxHashSet<u128>,
    masks: Vec<PersonalKind>,
}

/// A text without the lines that are left out.
#[derive(Debug, PartialEq)]
pub(crate) struct Shortened {
    pub(crate) text: String,
    pub(crate) words: u64,
}

impl TextRules {
    /// Reads the lines that stand on many sites, if the recipe leaves them out: 16 bytes each. Waits for the store.
    pub(crate) fn new(recipe: &Recipe, output: &Output, version: &VersionTables) -> Result<TextRules, Error> {
        let mut repeats = FxHashSet::default();
        if let Some(sites) = recipe.lines.repeated_on_sites {
            for file in files_of(output, version, "repeats")? {
                let reader = TableReader::open(output, file)?;
                read_repeats(&reader, sites, &mut repeats)?;
            }
        }
        Ok(TextRules {
            lines: recipe.lines.clone(),
            repeats,
            masks: recipe.masks().to_vec(),
        })
    }

    /// Whether lines may be left out.
    pub(crate) fn has_lines(&self) -> bool {
        self.lines.is_active()
    }

    /// Whether anything may be masked.
    pub(crate) fn has_masks(&self) -> bool {
        !self.masks.is_empty()
    }

    /// The text without the lines that are left out; none if too little is left.
    pub(crate) fn shorten(&self, text: &str) -> Option<Shortened> {
        let text = match self.repeats.is_empty() {
            true => text.to_owned(),
            false => {
                let is_kept = |line: &&str| !self.repeats.contains(&xxh3_128(line.as_bytes()));
                text.split('\n').filter(is_kept).collect::<Vec<_>>().join("\n")
            }
        };
        let text = match self.lines.rules {
            Some(rules) => kept_lines(&text, rules),
            None => text,
        };
        let text = text.trim_matches('\n');
        let words = text.lines().map(|line| u64::from(word_count(line))).sum();
        let is_enough = words >= u64::from(self.lines.min_words) && !text.trim().is_empty();
        is_enough.then(|| Shortened {
            text: text.to_owned(),
            words,
        })
    }

    /// The text with personal data masked. Reports each kind, and how often it was masked.
    pub(crate) fn mask(&self, text: &str, report: &mut dyn FnMut(&'static str, u64)) -> Option<String> {
        let mut spans = personal_data(text);
        spans.retain(|span| self.masks.contains(&kind_of(span.kind)));
        for kind in &self.masks {
            let places = spans.iter().filter(|span| kind_of(span.kind) == *kind).count();
            report(kind.into(), places as u64);
        }
        let mask = |kind| kind_of(kind).mask();
        (!spans.is_empty()).then(|| mask_personal_data(text, &spans, mask))
    }
}

fn kind_of(kind: Found) -> PersonalKind {
    match kind {
        Found::Email => PersonalKind::Email,
        Found::IpAddress => PersonalKind::IpAddress,
        Found::Phone => PersonalKind::Phone,
        Found::Iban => PersonalKind::Iban,
        Found::PaymentCard => PersonalKind::PaymentCard,
    }
}

fn read_repeats(reader: &TableReader, least: u64, repeats: &mut FxHashSet<u128>) -> Result<(), Error> {
    let other = || Error::OtherColumns(reader.file().to_owned());
    for rows in reader.groups().filter(|rows| !rows.is_empty()) {
        let batch = reader.read(&["digest", "sites"], rows)?;
        let digests = batch
            .column_by_name("digest")
            .and_then(|column| column.as_string_opt::<i32>());
        let sites = batch
            .column_by_name("sites")
            .and_then(|column| column.as_primitive_opt::<Int64Type>());
        let (digests, sites) = digests.zip(sites).ok_or_else(other)?;
        for row in 0..batch.num_rows() {
            if sites.value(row).cast_unsigned() >= least {
                let digest = u128::from_str_radix(digests.value(row), 16).map_err(|_| other())?;
                repeats.insert(digest);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gleaner_curate::LineRules;

    use super::*;

    fn rules(lines: Lines, repeats: &[&str]) -> TextRules {
        TextRules {
            lines,
            repeats: repeats.iter().map(|line| xxh3_128(line.as_bytes())).collect(),
            masks: vec![PersonalKind::Email],
        }
    }

    #[test]
    fn lines_are_left_out_and_words_are_counted_again() {
        let text = "Share this page\nThe boat left the harbour.\n\nRead more";
        let lines = Lines {
            repeated_on_sites: Some(10),
            ..Lines::default()
        };
        let shortened = rules(lines.clone(), &["Share this page", "Read more"]).shorten(text);
        let expected = Shortened {
            text: "The boat left the harbour.".to_owned(),
            words: 5,
        };
        assert_eq!(shortened, Some(expected));
        let lines = Lines {
            rules: Some(LineRules::C4),
            min_words: 5,
            ..Lines::default()
        };
        assert_eq!(rules(lines.clone(), &[]).shorten(text).unwrap().words, 5);
        let lines = Lines {
            min_words: 6,
            ..lines
        };
        assert_eq!(rules(lines, &[]).shorten(text), None);
        let all = Lines {
            repeated_on_sites: Some(10),
            ..Lines::default()
        };
        assert_eq!(rules(all, &["Read more"]).shorten("Read more"), None);
    }

    #[test]
    fn only_the_kinds_that_are_named_are_masked() {
        let mut counts = Vec::new();
        let text = "Write to anna@example.org or call +49 30 1234567.";
        let masked = rules(Lines::default(), &[]).mask(text, &mut |kind, places| counts.push((kind, places)));
        assert_eq!(
            masked.as_deref(),
            Some("Write to <email> or call +49 30 1234567.")
        );
        assert_eq!(counts, [("email", 1)]);
        assert_eq!(rules(Lines::default(), &[]).mask("no data", &mut |_, _| {}), None);
    }
}
