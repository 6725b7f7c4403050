//! `gleaner eval templates`: pages of blogs cleaned with what their blogs repeat, against the text of the feeds.
//!
//! All pages of a blog are mined; those of a single post are cleaned, and what is left of their text is
//! scored against the post's. Precision says how much of the template goes, recall how much of the
//! posts does. Nothing but expressions is at work here: no labeller.

use std::path::Path;

use anyhow::Result;
use gleaner_gold::{Score, read_feed, word_score};
use gleaner_page::{PageConfig, Parser};
use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, without};
use serde::Serialize;

use crate::args::{EvalTemplates, Over};
use crate::inputs::pages as input_pages;
use crate::templates::text_of;
use crate::terminal::table::table;
use crate::terminal::{Outcome, console};
use gleaner_training::archive_beside;
use gleaner_training::set_name;

/// A blog's pages of posts, by words against the feed: the mean of each score over pages.
#[derive(Debug, Serialize)]
struct Cleaned {
    blog: String,
    pages: usize,
    /// Pages with gold.
    scored: usize,
    expressions: usize,
    whole: Score,
    cleaned: Score,
}

pub(super) fn run(arguments: &EvalTemplates) -> Result<Outcome> {
    let miner = Miner::new(MineConfig::default())?;
    let blogs = arguments.blogs.gold.iter().map(|path| clean(path, &miner));
    let blogs: Vec<Cleaned> = blogs.collect::<Result<_>>()?;
    console::out_as(arguments.json, &blogs, || text(&blogs))?;
    Ok(Outcome::Done)
}

type BlogPage = (String, String, Option<String>);

fn clean(path: &Path, miner: &Miner) -> Result<Cleaned> {
    let blog = set_name(path);
    let pages = read(path)?;
    let mined: Vec<Page<'_>> = pages.iter().map(|(url, text, _)| Page { url, text }).collect();
    let template = miner.mine(&blog, &mined);
    let applier = Applier::new(&template, &miner.config().tokens)?;
    let scores = pages.iter().filter_map(|(_, text, gold)| {
        let gold = gold.as_ref()?;
        let left = without(text, &applier.removed(text, &CleanConfig::default()));
        Some((word_score(text, gold), word_score(&left, gold)))
    });
    let (whole, cleaned): (Vec<Score>, Vec<Score>) = scores.unzip();
    Ok(Cleaned {
        blog,
        pages: pages.len(),
        scored: whole.len(),
        expressions: template.expressions.len(),
        whole: Score::mean(whole.iter()),
        cleaned: Score::mean(cleaned.iter()),
    })
}

/// The pages of the archive beside a gold file.
fn read(path: &Path) -> Result<Vec<BlogPage>> {
    let mut wanted = read_feed(path)?;
    wanted.retain(|_, page| page.page_kind == "single");
    let mut parser = Parser::new(PageConfig::default());
    let mut pages = Vec::new();
    input_pages::each(&archive_beside(path)?, &mut |found| {
        let gold = wanted.remove(found.url).and_then(|page| page.text(false));
        // What is no page has no text to mine.
        if let Ok(text) = text_of(
            Over::Text,
            &mut parser,
            false,
            found.body,
            found.content_type.as_deref(),
        ) {
            pages.push((found.url.to_owned(), text.into_owned(), gold));
        }
        Ok(())
    })?;
    Ok(pages)
}

fn text(blogs: &[Cleaned]) -> String {
    let heads = [
        "blog",
        "pages",
        "scored",
        "expressions",
        "whole P",
        "F1",
        "cleaned P",
        "R",
        "F1",
    ];
    let rows = blogs.iter().map(|blog| {
        let counts = [blog.pages, blog.scored, blog.expressions].map(|count| count.to_string());
        row(&blog.blog, counts, &blog.whole, &blog.cleaned)
    });
    let scored = || blogs.iter().filter(|blog| blog.scored > 0);
    let whole = Score::mean(scored().map(|blog| &blog.whole));
    let cleaned = Score::mean(scored().map(|blog| &blog.cleaned));
    let mean = row("mean", ["", "", ""].map(str::to_owned), &whole, &cleaned);
    table(&heads, rows.chain([mean]))
}

fn row(name: &str, counts: [String; 3], whole: &Score, cleaned: &Score) -> Vec<String> {
    let scores = [
        whole.precision,
        whole.f1,
        cleaned.precision,
        cleaned.recall,
        cleaned.f1,
    ];
    let name = std::iter::once(name.to_owned());
    name.chain(counts)
        .chain(scores.map(|score| format!("{score:.4}")))
        .collect()
}
