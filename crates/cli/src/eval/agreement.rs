//! `gleaner eval agreement`: how far two people agree who labelled the same pages.
//!
//! A page is the same where its blocks have the same texts, whatever file it was read from. Blocks that an
//! annotation says nothing of are left out.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use anyhow::{Result, bail};
use gleaner_content::Label;
use gleaner_gold::{Agreement, Confusion, GoldPage};
use gleaner_page::{Page, PageConfig};
use serde::Serialize;

use crate::args::EvalAgreement;
use crate::console::{counted, grouped};
use crate::gold_pages::{Sample, load};
use crate::prepared::{set_name, threads};
use crate::{Outcome, console, model};

/// What one of the two says of a page.
struct Labelled {
    texts: Vec<String>,
    /// Of each block; none where nothing was decided.
    labels: Vec<Option<Label>>,
}

/// All that was found out.
#[derive(Serialize)]
struct Results {
    /// What the two are called.
    sets: [String; 2],
    /// Pages that only one of them has.
    pages_of_one: [usize; 2],
    /// Blocks of the pages of both that one of them says nothing of.
    undecided: u64,
    labels: Agreement,
    content: Agreement,
    /// A row a label of the first, a column a label of the second.
    confusion: Confusion,
    /// Those they agree on least first.
    pages: Vec<PageAgreement>,
}

#[derive(Serialize)]
struct PageAgreement {
    url: String,
    blocks: u64,
    labels: Agreement,
    content: Agreement,
}

/// Runs the command.
pub(super) fn run(arguments: &EvalAgreement) -> Result<Outcome> {
    let chosen = model::choose(&arguments.model)?;
    let config = chosen.model.extractor()?.config().page.clone();
    let workers = threads(arguments.workers);
    let read = |path: &Path| labelled(path, &config, workers);
    let results = Results::new(arguments, read(&arguments.one)?, read(&arguments.other)?);
    if results.pages.is_empty() {
        bail!(
            "{} and {} have no page in common: name annotations of the same pages",
            arguments.one.display(),
            arguments.other.display()
        );
    }
    console::out_as(arguments.json, &results, || results.text(arguments.worst))?;
    Ok(Outcome::Done)
}

/// What was labelled in a file or folder, page by page.
fn labelled(path: &Path, config: &PageConfig, workers: usize) -> Result<Vec<Sample<Labelled>>> {
    load(&[path.to_owned()], config, workers, || {
        |page: &Page, gold: &GoldPage| Labelled {
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

impl Results {
    fn new(arguments: &EvalAgreement, one: Vec<Sample<Labelled>>, other: Vec<Sample<Labelled>>) -> Results {
        let mut others: HashMap<&[String], VecDeque<&Sample<Labelled>>> = HashMap::new();
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
        Results {
            sets: [&arguments.one, &arguments.other].map(|path| set_name(path)),
            pages_of_one: [one.len(), other.len()].map(|count| count - pages.len()),
            undecided,
            labels: confusion.label_agreement(),
            content: confusion.content_agreement(),
            confusion,
            pages,
        }
    }

    fn text(&self, worst: usize) -> String {
        let [one, other] = &self.sets;
        let mut text = format!(
            "{} and {} labelled in {one} and in {other}\n",
            counted(self.pages.len() as u64, "page"),
            counted(self.confusion.blocks(), "block")
        );
        for (set, &count) in self.sets.iter().zip(&self.pages_of_one) {
            if count > 0 {
                text += &format!("{} in {set} alone\n", counted(count as u64, "page"));
            }
        }
        if self.undecided > 0 {
            text += &format!(
                "{} left out, which only one of the two has\n",
                counted(self.undecided, "block")
            );
        }
        text += &format!("{:12} {:>8} {:>10} {:>8}\n", "", "agree", "by chance", "kappa");
        for (name, agreement) in [("labels", self.labels), ("content", self.content)] {
            text += &format!("{name:12} {}\n", row(&agreement));
        }
        text + &self.table() + &self.listing(worst)
    }

    /// The labels of the first by those of the second.
    fn table(&self) -> String {
        let mut text = format!("{:12}", "one \\ other");
        for label in Label::ALL {
            text += &format!(" {:>12}", label.name());
        }
        text.push('\n');
        for (label, counts) in Label::ALL.iter().zip(&self.confusion.counts) {
            text += &format!("{:12}", label.name());
            for &count in counts {
                text += &format!(" {:>12}", grouped(count));
            }
            text.push('\n');
        }
        text
    }

    /// The pages they agree on least.
    fn listing(&self, worst: usize) -> String {
        let mut text = format!(
            "{:>8} {:>8} {:>8}  lowest agreement\n",
            "labels", "content", "blocks"
        );
        for page in self.pages.iter().take(worst) {
            text += &format!(
                "{:8.4} {:8.4} {:>8}  {}\n",
                page.labels.observed,
                page.content.observed,
                grouped(page.blocks),
                page.url
            );
        }
        text
    }
}

/// Counts the blocks that both have decided.
fn compare(one: &[Option<Label>], other: &[Option<Label>]) -> Confusion {
    let both = one.iter().zip(other).filter_map(|(&one, &other)| one.zip(other));
    let (one, other): (Vec<Label>, Vec<Label>) = both.unzip();
    Confusion::of(&other, &one)
}

fn row(agreement: &Agreement) -> String {
    let kappa = agreement
        .kappa
        .map_or_else(|| "-".to_owned(), |kappa| format!("{kappa:.4}"));
    format!(
        "{:8.4} {:10.4} {kappa:>8}",
        agreement.observed, agreement.by_chance
    )
}
