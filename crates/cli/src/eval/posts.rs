//! `gleaner eval posts`: posts, titles, dates and texts against those of blogs' feeds.

mod scores;
mod tables;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use gleaner_gold::{FeedPage, read_feed};
use gleaner_page::{PageConfig, Parser};
use gleaner_posts::{About, Extractor, Found, Rules};
use serde::Serialize;

use self::scores::{PostCounts, Tally};
use crate::args::EvalPosts;
use crate::inputs::pages as input_pages;
use crate::posts;
use crate::terminal::{Outcome, console};
use gleaner_training::archive_beside;

/// What was found on a page, beside its gold.
struct ScoredPage {
    blog: String,
    platform: Option<String>,
    gold: FeedPage,
    tally: Tally,
}

/// The scores of some pages.
#[derive(Serialize)]
struct Row {
    /// "all", a platform or a blog.
    of: &'static str,
    name: String,
    /// The kind of page: listing, one-post, single; all of them where there is none.
    kind: Option<&'static str>,
    pages: usize,
    posts: PostCounts,
    titles: PostCounts,
    dates: PostCounts,
    text: gleaner_gold::Score,
}

#[derive(Serialize)]
struct Results {
    rules: String,
    rows: Vec<Row>,
}

/// The kinds of pages, as the gold files call them.
const KINDS: [&str; 3] = ["listing", "one-post", "single"];

/// Scores rules on blogs with gold posts.
pub(crate) fn run(arguments: &EvalPosts) -> Result<Outcome> {
    let rules = posts::rules(arguments.rules.as_deref())?;
    let name = rules.name.clone();
    let mut pages = Vec::new();
    let mut extractors = [Extractor::new(rules), Extractor::new(Rules::default_rules())];
    for path in &arguments.blogs.gold {
        score_blog(path, &mut extractors, arguments.misses, &mut pages)?;
    }
    name_platforms(&mut pages);
    let results = Results {
        rules: name,
        rows: rows(&pages),
    };
    console::out_as(arguments.json, &results, || tables::text(&results))?;
    Ok(Outcome::Done)
}

/// Scores the pages of one gold file. The platform is what the default rules say, so that the rows
/// of all rules are of the same pages.
fn score_blog(
    path: &Path,
    [extractor, default]: &mut [Extractor; 2],
    misses: bool,
    pages: &mut Vec<ScoredPage>,
) -> Result<()> {
    let mut wanted = read_feed(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let blog = name.trim_end_matches(".gold.jsonl");
    let mut parser = Parser::new(PageConfig::default());
    input_pages::each(&archive_beside(path)?, &mut |page| {
        let Some(gold) = wanted.remove(page.url) else {
            return Ok(());
        };
        let parsed = parser.parse(page.body, page.content_type.as_deref());
        let about = About {
            url: page.url,
            ..About::default()
        };
        let (found, platform) = match parsed {
            Ok(parsed) => (
                extractor.extract(parsed, about),
                default.platform(parsed).map(str::to_owned),
            ),
            Err(_) => (Found::default(), None),
        };
        let tally = Tally::new(&found.posts, &gold);
        if misses {
            console::out(&tables::misses(&gold, &found.posts, &tally))?;
        }
        pages.push(ScoredPage {
            blog: blog.to_owned(),
            platform,
            gold,
            tally,
        });
        Ok(())
    })?;
    let missing = wanted.into_keys().min();
    match missing {
        Some(url) => Err(anyhow::anyhow!("its archive has no page {url}"))
            .with_context(|| format!("{} does not belong to its archive", path.display())),
        None => Ok(()),
    }
}

/// Gives the pages of a blog the platform that most of them have.
fn name_platforms(pages: &mut [ScoredPage]) {
    let mut counts: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for page in pages.iter() {
        if let Some(platform) = &page.platform {
            let of_blog = counts.entry(page.blog.clone()).or_default();
            *of_blog.entry(platform.clone()).or_default() += 1;
        }
    }
    for page in pages {
        let of_blog = counts.get(&page.blog);
        let most = of_blog.and_then(|counts| counts.iter().max_by_key(|(_, count)| **count));
        page.platform = most.map(|(name, _)| name.clone());
    }
}

fn rows(pages: &[ScoredPage]) -> Vec<Row> {
    let mut groups: BTreeMap<(usize, String), Vec<&ScoredPage>> = BTreeMap::new();
    for page in pages {
        let platform = page.platform.clone().unwrap_or_else(|| "(unknown)".to_owned());
        for (order, name) in [String::new(), platform, page.blog.clone()]
            .into_iter()
            .enumerate()
        {
            groups.entry((order, name)).or_default().push(page);
        }
    }
    let of_group = groups.into_iter().flat_map(|((order, name), pages)| {
        let kinds = std::iter::once(None).chain(KINDS.map(Some));
        let rows = kinds.filter_map(|kind| row(order, &name, kind, &pages));
        rows.collect::<Vec<_>>()
    });
    of_group.collect()
}

/// The scores of a group's pages of a kind; nothing where it has none.
fn row(order: usize, name: &str, kind: Option<&'static str>, pages: &[&ScoredPage]) -> Option<Row> {
    let chosen = || {
        pages
            .iter()
            .filter(move |page| kind.is_none_or(|kind| page.gold.page_kind == kind))
    };
    let sum = |of: fn(&Tally) -> &PostCounts| {
        chosen().fold(PostCounts::default(), |sum, page| sum + of(&page.tally))
    };
    let texts: Vec<_> = chosen().flat_map(|page| page.tally.texts.iter()).collect();
    (chosen().count() > 0).then(|| Row {
        of: ["all", "platform", "blog"][order],
        name: name.to_owned(),
        kind,
        pages: chosen().count(),
        posts: sum(|tally| &tally.posts).scored(),
        titles: sum(|tally| &tally.titles).scored(),
        dates: sum(|tally| &tally.dates).scored(),
        text: gleaner_gold::Score::mean(texts.into_iter()),
    })
}
