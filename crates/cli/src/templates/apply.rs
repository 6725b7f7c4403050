//! `gleaner templates apply`: pages without what their site repeats.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_page::{PageConfig, Parser};
use gleaner_template::{Applier, CleanConfig, SiteTemplate, share_within, without};
use serde::Serialize;

use super::over::text_of;
use super::table;
use crate::args::ApplyTemplates;
use crate::{Outcome, console};

/// As much of a file is read.
const READ_BYTES: u64 = 64 << 20;

/// A page that templates were applied to.
#[derive(Serialize)]
struct Applied<'a> {
    file: String,
    site: &'a str,
    /// What was matched: the page's text, or its HTML.
    over: &'static str,
    /// The share of it, by characters that are not white space, that is removed.
    removed_share: f32,
    /// What the expressions match, as ranges of bytes of `source`.
    matches: Vec<Range<usize>>,
    /// What is removed, as ranges of bytes of `source`.
    removed: Vec<Range<usize>>,
    /// What is left.
    text: String,
    /// The text or HTML that the ranges are of.
    source: &'a str,
}

/// Removes the templates of a site from pages.
pub(crate) fn run(arguments: &ApplyTemplates) -> Result<Outcome> {
    let mined = table::read(&arguments.templates, arguments.site.as_deref())?;
    let site = only(&mined.sites, &arguments.templates)?;
    let applier = Applier::new(site, &mined.tokens)
        .with_context(|| format!("the templates in '{}' cannot be applied", arguments.templates))?;
    let mut clean = CleanConfig::default();
    clean.gap = arguments.gap.unwrap_or(clean.gap);
    let mut parser = Parser::new(PageConfig::default());
    for file in &arguments.files {
        let bytes = read(file)?;
        let source = text_of(mined.over, &mut parser, &bytes, None)
            .with_context(|| format!("{} cannot be read as a page", file.display()))?;
        let removed = applier.removed(&source, &clean);
        let text = without(&source, &removed);
        let printed = match arguments.json {
            false => text,
            true => {
                let applied = Applied {
                    file: file.display().to_string(),
                    site: &site.site,
                    over: mined.over.name(),
                    removed_share: share_within(&source, 0..source.len(), &removed),
                    matches: applier.covered(&source),
                    removed,
                    text,
                    source: &source,
                };
                serde_json::to_string(&applied)? + "\n"
            }
        };
        console::out(&printed)?;
    }
    Ok(Outcome::Done)
}

fn only<'a>(sites: &'a [SiteTemplate], folder: &str) -> Result<&'a SiteTemplate> {
    match sites {
        [site] => Ok(site),
        [] => bail!("'{folder}' holds no templates: no site was mined"),
        [one, ..] => bail!(
            "'{folder}' holds the templates of {} sites: say which with --site, such as --site {}",
            sites.len(),
            one.site
        ),
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(READ_BYTES).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|open| open.take(READ_BYTES).read_to_end(&mut bytes))
    };
    read.with_context(|| format!("could not read {}", file.display()))?;
    Ok(bytes)
}
