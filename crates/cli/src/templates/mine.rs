//! `gleaner templates mine`: from pages to the expressions of their sites.

use std::time::Instant;

use anyhow::{Context, Result};
use gleaner_corpus::Identity;
use gleaner_page::PageConfig;
use gleaner_store::shown;
use gleaner_template::{MineConfig, Miner, Page, Site, SiteTemplate, TokenConfig, Tokenizer, is_portable};

use super::expressions;
use super::pages::{self, Sampling};
use super::table::{Mined, write};
use crate::args::MineTemplates;
use crate::inputs::gold::threads;
use crate::terminal::table::{plain, table};
use crate::terminal::{Outcome, console};

/// Mines the sites of the inputs.
pub(crate) fn run(arguments: &MineTemplates) -> Result<Outcome> {
    let begin = Instant::now();
    let config = config(arguments)?;
    let miner = Miner::new(config.clone())?;
    warn_of_other_engines(&config.tokens)?;
    let workers = threads(arguments.workers);
    let sampled = pages::read(
        &arguments.inputs,
        &Sampling {
            over: arguments.over,
            config: &PageConfig::default(),
            pages: config.sample,
            page_bytes: config.limits.page_bytes,
            workers,
        },
    )?;
    let sites = sampled.iter().map(|(name, site)| {
        let pages = site.iter();
        let pages = pages.map(|page| Page {
            url: &page.url,
            text: &page.text,
        });
        let pages = pages.collect();
        Site { name, pages }
    });
    let templates = miner.mine_all(&sites.collect::<Vec<_>>(), workers);
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
        write(&mined, identity, out, arguments.force)
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

fn json(sites: &[SiteTemplate]) -> Result<String> {
    let mut text = String::new();
    for site in sites {
        text.push_str(&serde_json::to_string(site)?);
        text.push('\n');
    }
    Ok(text)
}

pub(super) fn summary(sites: &[SiteTemplate]) -> String {
    let heads = [
        "site",
        "pages mined",
        "tokens",
        "strings",
        "cut-off",
        "expressions",
    ];
    let rows = sites.iter().map(|site| {
        let strings: u64 = site.histogram.bins.iter().sum();
        vec![
            plain(&site.site, 60),
            console::grouped(u64::from(site.sampled_pages)),
            console::grouped(site.sampled_tokens),
            console::grouped(strings),
            site.cutoff_pages.to_string(),
            console::grouped(site.expressions.len() as u64),
        ]
    });
    let mut text = table(&heads, rows);
    let expressions: usize = sites.iter().map(|site| site.expressions.len()).sum();
    text += &format!(
        "{} sites, {} expressions\n",
        sites.len(),
        console::grouped(expressions as u64)
    );
    text
}
