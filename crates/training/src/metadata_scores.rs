//! Title, author and day of publication against the gold's.

use gleaner_gold::GoldPage;
use gleaner_metadata::date::Day;
use serde::Serialize;

use crate::page_scores::Scored;
use crate::prepared::PageMetadata;

/// Counts of pages for one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ColumnScore {
    /// Pages whose gold has it.
    pub gold: u32,
    /// Of these, pages where something was found.
    pub found: u32,
    /// Of these, pages where that is right.
    pub right: u32,
    /// Pages where something was found, and the gold has nothing.
    pub beyond_gold: u32,
}

/// The scores of the columns: titles and authors are right when they are equal in letters and digits,
/// case aside; days when they are at most one apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MetadataScores {
    /// Of titles.
    pub title: ColumnScore,
    /// Of authors.
    pub author: ColumnScore,
    /// Of days of publication.
    pub published: ColumnScore,
}

impl MetadataScores {
    /// `None` where the gold has none of the columns.
    pub fn new(pages: &[&Scored<'_>]) -> Option<MetadataScores> {
        let mut scores = MetadataScores::default();
        for page in pages {
            scores.add(&page.sample.gold, &page.sample.value.metadata);
        }
        let any = [scores.title, scores.author, scores.published]
            .iter()
            .any(|found| found.gold > 0);
        any.then_some(scores)
    }

    fn add(&mut self, gold: &GoldPage, found: &PageMetadata) {
        let text = |text: &Option<String>| text.as_deref().map(plain).filter(|text| !text.is_empty());
        self.title
            .add(text(&gold.title), text(&found.title), |a, b| a == b);
        let names = |text: &str| text.replace(" and ", " ");
        self.author.add(text(&gold.author), text(&found.author), |a, b| {
            names(a) == names(b)
        });
        let day = gold
            .publish_date
            .as_deref()
            .and_then(Day::from_iso)
            .map(Day::number);
        let published = found.published.map(Day::number);
        self.published.add(day, published, |a, b| a.abs_diff(*b) <= 1);
    }

    /// The columns by name.
    pub fn columns(&self) -> [(&'static str, ColumnScore); 3] {
        [
            ("title", self.title),
            ("author", self.author),
            ("published", self.published),
        ]
    }
}

impl ColumnScore {
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
    pub fn precision(&self) -> f64 {
        f64::from(self.right) / f64::from(self.found.max(1))
    }

    /// Of what the gold has, the share that was found and is right.
    pub fn recall(&self) -> f64 {
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
        let metadata = |title: &str, published| PageMetadata {
            title: Some(title.to_owned()),
            author: Some("Ada".to_owned()),
            published: Day::from_iso(published),
        };
        let mut scores = MetadataScores::default();
        scores.add(&gold, &metadata("a walk!", "2024-02-29"));
        scores.add(&gold, &metadata("A Walker", "2024-02-28"));
        let found = |right| ColumnScore {
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
