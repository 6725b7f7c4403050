//! `gleaner eval sites`: what evidence of the site changes, on pages of blogs whose feeds
//! have the posts' text.
//!
//! A blog is a site: its sample is all pages of its archive, or a number of them, which are those with the
//! smallest hashes of their addresses. Each page of a post is labelled twice, by itself and with the
//! site's evidence, and its kept text is scored against the feed's: words, as everywhere. The feed's text
//! is without the post's title, which the labeller keeps; unless titles are asked for, it counts as a
//! mistake on both sides.

mod pages;
mod scores;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_columns::in_parallel;
use gleaner_document::{Cleaner, Options};
use gleaner_gold::word_score;
use gleaner_site::{EvidenceConfig, PageKind, SiteSums, adjust};
use parking_lot::Mutex;

use self::pages::{Blog, Post, SitePage};
use self::scores::{Pair, Results, ScoredBlog};
use crate::args::EvalSites;
use crate::inputs::gold::threads;
use crate::model;
use crate::terminal::{Outcome, console};

pub(super) fn run(arguments: &EvalSites) -> Result<Outcome> {
    let chosen = model::choose_deciding_by(&arguments.model, &arguments.decision, &arguments.convention)?;
    let options = Options {
        without_title: arguments.decision.no_title,
        ..Options::default()
    };
    let cleaner = Cleaner::new(&chosen.model, options)?;
    let config = evidence_config(arguments.evidence.as_deref())?;
    let mut samples: Vec<Option<usize>> = arguments.samples.iter().copied().map(Some).collect();
    samples.push(None);
    let blogs = of_all(&arguments.blogs.gold, threads(arguments.workers), &|path| {
        let mut cleaner = cleaner.clone();
        let blog = Blog::read(path, &mut cleaner, arguments.kind, arguments.titles)?;
        Ok(score(&blog, &samples, &mut cleaner, &config))
    })?;
    if blogs.iter().all(|blog| blog.pairs.is_empty()) {
        bail!(
            "the gold files have no page of the kind {} with a text of the feed",
            arguments.kind
        );
    }
    let results = Results::new(&chosen.identity, &config, &samples, blogs);
    console::out_as(arguments.json, &results, || results.text())?;
    Ok(Outcome::Done)
}

fn evidence_config(path: Option<&Path>) -> Result<EvidenceConfig> {
    let Some(path) = path else {
        return Ok(EvidenceConfig::default());
    };
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("the settings in {} have an error", path.display()))
}

/// Does the same with all files, on several threads; the results are in the order of the files.
fn of_all<T: Send>(
    files: &[PathBuf],
    workers: usize,
    work: &(dyn Fn(&Path) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    let done = Mutex::new(Vec::new());
    let tasks = files.iter().enumerate().collect();
    in_parallel(
        workers,
        tasks,
        || (),
        |(), (at, path): (usize, &PathBuf)| {
            let result = work(path);
            done.lock().push((at, result));
        },
    );
    let mut done = done.into_inner();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Labels and scores the pages of posts, by themselves and with larger and larger samples of their site.
fn score(
    blog: &Blog,
    samples: &[Option<usize>],
    cleaner: &mut Cleaner,
    config: &EvidenceConfig,
) -> ScoredBlog {
    let mut score = |post: &Post, logits: Option<&[f32]>| {
        let content = cleaner.decide(blog.pages[post.page].blocks.clone(), logits);
        word_score(&content.text, &post.gold).f1
    };
    let alone: Vec<f64> = blog.posts.iter().map(|post| score(post, None)).collect();
    let mut pairs = vec![Vec::new(); blog.posts.len()];
    for &sample in samples {
        let sums = SampleSums::new(&blog.pages, sample);
        for ((post, &alone), pairs) in blog.posts.iter().zip(&alone).zip(&mut pairs) {
            let logits = sums.logits(post.page, &blog.pages[post.page], config);
            let with = score(post, Some(&logits));
            pairs.push(Pair { alone, with });
        }
    }
    ScoredBlog {
        name: blog.name.clone(),
        pages: blog.pages.len(),
        pairs,
    }
}

/// The sums of a sample of a site: of its first pages, which stand in the order of their hashes.
struct SampleSums {
    pages: usize,
    sums: SiteSums,
}

impl SampleSums {
    fn new(pages: &[SitePage], sample: Option<usize>) -> SampleSums {
        let sample = &pages[..sample.map_or(pages.len(), |sample| sample.min(pages.len()))];
        let mut sums = SiteSums::default();
        sample.iter().for_each(|page| sums.add(&page.notes));
        SampleSums {
            pages: sample.len(),
            sums,
        }
    }

    /// The log odds of content of the page at a place, with the evidence of the sample.
    fn logits(&self, at: usize, page: &SitePage, config: &EvidenceConfig) -> Vec<f32> {
        let evidence = self.sums.evidence(&page.notes, at < self.pages);
        let kind = page.kind.as_deref().map_or(PageKind::Single, PageKind::of);
        adjust(&page.notes, &evidence, kind, config)
    }
}
