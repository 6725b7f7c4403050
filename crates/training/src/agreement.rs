//! How far two annotators agree who labelled the same pages.
//!
//! A page is the same where its blocks have the same texts, whatever file it was read from. Blocks without a label in
//! an annotation are left out.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use gleaner_content::Label;
use gleaner_gold::{Agreement, Confusion, GoldPage};
use gleaner_page::{Page, PageConfig};
use serde::Serialize;

use crate::Error;
use crate::gold_pages::{GoldReader, Sample};
use crate::prepared::set_name;

/// A page as one of the two labelled it.
struct LabelledBlocks {
    texts: Vec<String>,
    /// Of each block; none where nothing was decided.
    labels: Vec<Option<Label>>,
}

/// The agreement of two sets of annotations.
#[derive(Serialize)]
pub struct SetAgreement {
    /// The names of the two.
    pub sets: [String; 2],
    /// Pages that only one of them has.
    pub pages_of_one: [usize; 2],
    /// Blocks of the pages of both that one of them did not label.
    pub undecided: u64,
    /// Of labels.
    pub labels: Agreement,
    /// Of content and noise.
    pub content: Agreement,
    /// A row per label of the first, a column per label of the second.
    pub confusion: Confusion,
    /// The pages of both, those with the lowest agreement first.
    pub pages: Vec<PageAgreement>,
}

/// The agreement on a page.
#[derive(Serialize)]
pub struct PageAgreement {
    /// The address.
    pub url: String,
    /// Number of blocks that both labelled.
    pub blocks: u64,
    /// Of labels.
    pub labels: Agreement,
    /// Of content and noise.
    pub content: Agreement,
}

/// The labelled pages of a file or folder.
fn labelled(
    path: &Path,
    config: &PageConfig,
    reader: GoldReader<'_>,
) -> Result<Vec<Sample<LabelledBlocks>>, Error> {
    reader.load(&[path.to_owned()], config, || {
        |page: &Page, gold: &GoldPage| LabelledBlocks {
            texts: page
                .blocks
                .iter()
                .map(|block| page.text(block).to_owned())
                .collect(),
            labels: match &gold.annotation {
                Some(annotation) => {
                    let decisions = annotation.transfer(page).decisions.into_iter();
                    decisions.map(|decision| Some(decision?.label)).collect()
                }
                None => gold.labels(page).into_iter().map(Some).collect(),
            },
        }
    })
}

impl SetAgreement {
    /// Compares the labels of two files or folders.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn read(
        sets: [&PathBuf; 2],
        config: &PageConfig,
        reader: GoldReader<'_>,
    ) -> Result<SetAgreement, Error> {
        let (one, other) = (
            labelled(sets[0], config, reader)?,
            labelled(sets[1], config, reader)?,
        );
        let mut others: HashMap<&[String], VecDeque<&Sample<LabelledBlocks>>> = HashMap::new();
        for page in &other {
            others.entry(&page.value.texts).or_default().push_back(page);
        }
        let (mut confusion, mut undecided, mut pages) = (Confusion::default(), 0, Vec::new());
        for page in &one {
            let same = others
                .get_mut(&page.value.texts[..])
                .and_then(VecDeque::pop_front);
            let Some(same) = same else { continue };
            let counts = compare(&page.value.labels, &same.value.labels);
            confusion.add(&counts);
            undecided += page.value.labels.len() as u64 - counts.blocks();
            pages.push(PageAgreement {
                url: page.gold.url.clone(),
                blocks: counts.blocks(),
                labels: counts.label_agreement(),
                content: counts.content_agreement(),
            });
        }
        pages.sort_by(|one, other| one.labels.observed.total_cmp(&other.labels.observed));
        Ok(SetAgreement {
            sets: sets.map(|path| set_name(path)),
            pages_of_one: [one.len(), other.len()].map(|count| count - pages.len()),
            undecided,
            labels: confusion.label_agreement(),
            content: confusion.content_agreement(),
            confusion,
            pages,
        })
    }
}

/// Counts the blocks that both have decided.
fn compare(one: &[Option<Label>], other: &[Option<Label>]) -> Confusion {
    let both = one.iter().zip(other).filter_map(|(&one, &other)| one.zip(other));
    let (one, other): (Vec<Label>, Vec<Label>) = both.unzip();
    Confusion::of(&other, &one)
}
