//! Title, author and day of publication against the gold's.

use gleaner_gold::GoldPage;
use gleaner_metadata::date::Day;
use serde::Serialize;

use super::page::Scored;
use crate::prepared::Said;

/// Counts of pages for one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Found {
    /// Pages of which the gold has it.
    pub(super) gold: u32,
    /// Of these, pages of which something was found.
    pub(super) found: u32,
    /// Of these, pages where that is right.
    pub(super) right: u32,
    /// Pages of which something was found, and the gold has nothing.
    pub(super) beyond_gold: u32,
}

/// The scores of the columns: titles and authors are right when they are equal in letters and digits,
/// case aside; days when they are at most one apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct MetadataScores {
    pub(super) title: Found,
    pub(super) author: Found,
    pub(super) published: Found,
}

impl MetadataScores {
    /// Nothing where the gold has none of the columns.
    pub(super) fn of(pages: &[&Scored<'_>]) -> Option<MetadataScores> {
        let mut scores = MetadataScores::default();
        for page in pages {
            scores.add(&page.sample.gold, &page.sample.value.said);
        }
        let any = [scores.title, scores.author, scores.published]
            .iter()
            .any(|found| found.gold > 0);
        any.then_some(scores)
    }

    fn add(&mut self, gold: &GoldPage, said: &Said) {
        let text = |text: &Option<String>| text.as_deref().map(plain).filter(|text| !text.is_empty());
        self.title
            .add(text(&gold.title), text(&said.title), |a, b| a == b);
        let names = |text: &str| text.replace(" and ", " ");
        self.author.add(text(&gold.author), text(&said.author), |a, b| {
            names(a) == names(b)
        });
        let day = gold
            .publish_date
            .as_deref()
            .and_then(Day::from_iso)
            .map(Day::number);
        let published = said.published.map(Day::number);
        self.published.add(day, published, |a, b| a.abs_diff(*b) <= 1);
    }

    /// The columns by name.
    pub(super) fn columns(&self) -> [(&'static str, Found); 3] {
        [
            ("title", self.title),
            ("author", self.author),
            ("published", self.published),
        ]
    }
}

impl Found {
    fn add<T>(&mut self, gold: Option<T>, found: Option<T>, equal: impl Fn(&T, &T) -> bool) {
        let Some(gold) = gold else {
            self.beyond_gold += u32::from(found.is_some());
            return;
        };
        self.gold += 1;
        self.found += u32::from(found.is_some());
        self.right += u32::from(found.is_some_and(|found| equal(&gold, &found)));
    }

    /// Of what was found where the gold has it, the share that is right.
    pub(super) fn precision(&self) -> f64 {
        f64::from(self.right) / f64::from(self.found.max(1))
    }

    /// Of what the gold has, the share that was found and is right.
    pub(super) fn recall(&self) -> f64 {
        f64::from(self.right) / f64::from(self.gold.max(1))
    }
}

/// A text's letters and digits in lower case, a space between words.
fn plain(text: &str) -> String {
    let words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_compared_as_they_mean() {
        let gold = GoldPage {
            title: Some("A \u{201c}Walk\u{201d}".to_owned()),
            author: Some(String::new()),
            publish_date: Some("2024-03-01".to_owned()),
            ..GoldPage::default()
        };
        let said = |title: &str, published| Said {
            title: Some(title.to_owned()),
            author: Some("Ada".to_owned()),
            published: Day::from_iso(published),
        };
        let mut scores = MetadataScores::default();
        scores.add(&gold, &said("a walk!", "2024-02-29"));
        scores.add(&gold, &said("A Walker", "2024-02-28"));
        let found = |right| Found {
            gold: 2,
            found: 2,
            right,
            beyond_gold: 0,
        };
        assert_eq!((scores.title, scores.published), (found(1), found(1)));
        assert_eq!(scores.author.beyond_gold, 2);
        assert_eq!((scores.title.precision(), scores.title.recall()), (0.5, 0.5));
    }
}
