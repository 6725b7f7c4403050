//! `gleaner templates mine`: from pages to the expressions of their sites.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use anyhow::{Context, Result};
use gleaner_corpus::Identity;
use gleaner_page::PageConfig;
use gleaner_store::shown;
use gleaner_template::{
    MineConfig, Miner, Page, Pages, SiteTemplate, TokenConfig, Tokenizer, is_portable, page_share,
};

use super::budget::{Budget, Taken};
use super::expressions;
use super::pages::{self, Sampling, SitePages};
use super::table::{self, Mined};
use super::texts::Texts;
use crate::args::MineTemplates;
use crate::model::table::{plain, table as columns};
use crate::prepared::threads;
use crate::{Outcome, console};

/// Mines the sites of the inputs.
pub(crate) fn run(arguments: &MineTemplates) -> Result<Outcome> {
    let begin = Instant::now();
    let config = config(arguments)?;
    let miner = Miner::new(config.clone())?;
    warn_of_other_engines(&config.tokens)?;
    let asked = arguments.workers.map(usize::from);
    let workers = arguments.memory.workers(asked, threads(None))?;
    let spare = arguments.memory.memory.map(|most| most.saturating_sub(TAKEN));
    // Half of what there is for texts that wait, or for those that are mined.
    let texts = Texts::new(spare.map_or(u64::MAX, |spare| spare / 4));
    let budget = Budget::new(spare.map(|spare| spare / 4 * 3));
    let sampled = pages::read(
        &arguments.inputs,
        &Sampling {
            over: arguments.over,
            config: &PageConfig::default(),
            pages: config.sample,
            page_bytes: config.limits.page_bytes,
            workers,
            texts: &texts,
            budget: &budget,
        },
    )?;
    let mut templates = mine(&miner, &sampled, workers, (&texts, &budget))?;
    for (template, site) in templates.iter_mut().zip(sampled.values()) {
        template.pages = site.pages;
    }
    let mined = Mined {
        tokens: config.tokens.clone(),
        over: arguments.over,
        sites: templates,
        for_all: false,
    };
    if let Some(out) = &arguments.out {
        let mut identity = Identity::default();
        identity
            .options
            .insert("mine".into(), serde_json::to_string(&config)?);
        let inputs: Vec<_> = arguments.inputs.iter().map(|input| shown(input)).collect();
        identity.options.insert("inputs".into(), inputs.join(" "));
        table::write(&mined, identity, out, arguments.force)
            .with_context(|| format!("no templates were written to '{out}'"))?;
    }
    let text = match arguments.json {
        true => json(&mined.sites)?,
        false => summary(&mined.sites),
    };
    console::out(&text)?;
    console::say(&format!("mined in {}", console::seconds(begin.elapsed())));
    Ok(Outcome::Done)
}

/// The settings of a job file, changed by flags.
fn config(arguments: &MineTemplates) -> Result<MineConfig> {
    let mut config = match &arguments.job {
        None => MineConfig::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("could not read the job file {}", path.display()))?;
            toml::from_str(&text).with_context(|| format!("the job file {} has an error", path.display()))?
        }
    };
    config.sample = arguments
        .site_sample
        .map_or(config.sample, |pages| pages as usize);
    config.min_pages = arguments.min_pages.unwrap_or(config.min_pages);
    if let Some(token) = &arguments.token {
        config.tokens.token.clone_from(token);
    }
    config.tokens.default_patterns &= !arguments.no_default_patterns;
    config.tokens.patterns.extend_from_slice(&arguments.pattern);
    for file in &arguments.patterns {
        let patterns = expressions::read_patterns(file, &config.tokens)?;
        config.tokens.patterns.extend(patterns);
    }
    Ok(config)
}

/// Warns of settings whose expressions other programs don't read as this one does.
fn warn_of_other_engines(tokens: &TokenConfig) -> Result<()> {
    let warn = |what: &str| {
        console::say(&format!(
            "warning: Perl, Python's re and RE2 match {what} differently, so its expressions work in gleaner only; \
             write its characters out, such as [0-9A-Za-z_]"
        ));
    };
    if !Tokenizer::new(&tokens.token)?.is_portable() {
        warn(&format!("tokens of {}", tokens.token));
    }
    let others = tokens.patterns.iter().filter(|pattern| !is_portable(pattern));
    others.for_each(|pattern| warn(&format!("the mutable pattern '{pattern}'")));
    Ok(())
}

/// What the program takes beside texts and what is made of them.
const TAKEN: u64 = 48 << 20;

/// What mining takes by the bytes of the texts: these, and for each token, a number, its place among the sorted ones, what it has
/// in common with the one before, and half as much for the strings.
const BYTES_PER_TOKEN: u64 = 18;

/// A token takes so many bytes of a text, on the average.
const TOKEN: u64 = 5;

/// Mines sites from their samples, as many at a time as there is memory for.
fn mine(
    miner: &Miner,
    sampled: &BTreeMap<String, SitePages>,
    workers: usize,
    (texts, budget): (&Texts, &Budget),
) -> Result<Vec<SiteTemplate>> {
    let limits = &miner.config().limits;
    let sites: Vec<(&String, &SitePages)> = sampled.iter().collect();
    let lengths = |site: &SitePages| -> Vec<usize> {
        let pages = site.sample.iter();
        pages.map(|page| page.text.len()).collect()
    };
    let bytes: Vec<usize> = sites
        .iter()
        .map(|(_, site)| lengths(site).iter().sum::<usize>().min(limits.site_bytes))
        .collect();
    let mined = miner.mine_loaded(&bytes, workers, |number| {
        let (name, site) = sites[number];
        let bytes = bytes[number] as u64;
        let tokens = (bytes / TOKEN).min(limits.site_tokens as u64);
        let taken = budget.take(bytes + tokens * BYTES_PER_TOKEN);
        let share = page_share(&lengths(site), limits.site_bytes);
        let pages = site.sample.iter();
        let pages = pages.map(|page| Ok((page.url.as_str(), texts.read(&page.text, share)?)));
        let pages = pages.collect::<io::Result<_>>()?;
        Ok::<_, io::Error>(Loaded {
            name,
            pages,
            _taken: taken,
        })
    });
    mined.context("could not read pages in a temporary file")
}

/// A site whose texts are in memory.
struct Loaded<'a> {
    name: &'a str,
    /// URL and text.
    pages: Vec<(&'a str, Cow<'a, str>)>,
    _taken: Taken<'a>,
}

impl Pages for Loaded<'_> {
    fn site(&self) -> &str {
        self.name
    }

    fn pages(&self) -> Vec<Page<'_>> {
        let pages = self.pages.iter();
        pages.map(|(url, text)| Page { url, text }).collect()
    }
}

/// A JSON object a line, a site each.
fn json(sites: &[SiteTemplate]) -> Result<String> {
    let mut text = String::new();
    for site in sites {
        text.push_str(&serde_json::to_string(site)?);
        text.push('\n');
    }
    Ok(text)
}

/// A row a site, and the sums.
pub(super) fn summary(sites: &[SiteTemplate]) -> String {
    let heads = [
        "site",
        "pages",
        "mined",
        "tokens",
        "strings",
        "cut-off",
        "expressions",
    ];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(sites.iter().map(|site| {
        let strings: u64 = site.histogram.bins.iter().sum();
        vec![
            plain(&site.site, 60),
            console::grouped(site.pages),
            console::grouped(u64::from(site.sampled_pages)),
            console::grouped(site.sampled_tokens),
            console::grouped(strings),
            site.cutoff_pages.to_string(),
            console::grouped(site.expressions.len() as u64),
        ]
    }));
    let mut text = columns(&rows);
    let expressions: usize = sites.iter().map(|site| site.expressions.len()).sum();
    text += &format!(
        "{} sites, {} expressions\n",
        sites.len(),
        console::grouped(expressions as u64)
    );
    text
}
