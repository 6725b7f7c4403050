//! `gleaner templates apply`: pages without what their site repeats.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use gleaner_page::{PageConfig, Parser};
use gleaner_template::{Applier, CleanConfig, SiteTemplate, share_within, without};
use gleaner_training::{FoundPage, Texts};
use serde::Serialize;

use super::over::text_of;
use super::sites::Sites;
use super::table;
use crate::args::{ApplyTemplates, Over};
use crate::inputs::pages::search;
use crate::terminal::{Outcome, console, plain};

#[derive(Serialize)]
struct Applied<'a> {
    file: &'a str,
    /// Its address; null for a file without one.
    url: Option<&'a str>,
    /// Whose templates were taken; null where there are none of the page's site.
    site: Option<&'a str>,
    /// What was matched: the page's text, or its HTML.
    over: &'static str,
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

pub(crate) fn run(arguments: &ApplyTemplates) -> Result<Outcome> {
    let mined = table::read(&arguments.templates, arguments.site.as_deref())?;
    let for_all = mined.for_all || arguments.site.is_some();
    let mut clean = CleanConfig::default();
    clean.gap = arguments.gap.unwrap_or(clean.gap);
    let mut apply = Apply {
        sites: Sites::new(&mined, &arguments.templates, for_all)?,
        over: arguments.over.unwrap_or(mined.over),
        clean,
        parser: Parser::new(PageConfig::default()),
        output: Output::new(arguments.json),
    };
    for input in &arguments.inputs {
        let mut is_empty = true;
        search(Texts::All).each(input, &mut |page| {
            is_empty = false;
            apply.page(&page, input)
        })?;
        if is_empty {
            console::say(&format!("warning: {} holds no page", input.display()));
        }
    }
    apply.output.finish()?;
    apply.sites.warn();
    Ok(Outcome::Done)
}

struct Apply<'a> {
    sites: Sites<'a>,
    over: Over,
    clean: CleanConfig,
    parser: Parser,
    output: Output,
}

impl Apply<'_> {
    /// Prints a page of an input. One that cannot be read ends it if it was named, and is warned of otherwise.
    fn page(&mut self, page: &FoundPage<'_>, input: &Path) -> Result<()> {
        let content_type = page.content_type.as_deref();
        let read = text_of(self.over, &mut self.parser, page.is_text, page.body, content_type)
            .with_context(|| format!("{} cannot be read as a page", page.name()));
        let source = match read {
            Err(error) if page.is_record || Path::new(page.file) != input => {
                console::say(&format!("warning: {}", console::sentence(error.chain())));
                return Ok(());
            }
            read => read?,
        };
        let known = self.sites.of(page)?;
        let removed = known.map_or_else(Vec::new, |(_, applier)| applier.removed(&source, &self.clean));
        let text = without(&source, &removed);
        if !self.output.json {
            return self.output.text(page.name(), text);
        }
        self.output.json(&Applied {
            file: page.file,
            url: Some(page.url).filter(|url| !url.is_empty()),
            site: known.map(|(site, _): (&SiteTemplate, &Applier)| site.site.as_str()),
            over: self.over.into(),
            removed_share: share_within(&source, 0..source.len(), &removed),
            matches: known.map_or_else(Vec::new, |(_, applier)| applier.covered(&source)),
            removed,
            text,
            source: &source,
        })
    }
}

/// Prints pages: as JSON a line each, as text with a line before each if there are several.
struct Output {
    json: bool,
    /// The first page, until it is known whether it is the only one.
    first: Option<(String, String)>,
    pages: u64,
}

impl Output {
    fn new(json: bool) -> Output {
        Output {
            json,
            first: None,
            pages: 0,
        }
    }

    fn json(&mut self, page: &Applied<'_>) -> Result<()> {
        Ok(console::out(&(serde_json::to_string(page)? + "\n"))?)
    }

    fn text(&mut self, name: &str, text: String) -> Result<()> {
        self.pages += 1;
        if self.pages == 1 {
            self.first = Some((name.to_owned(), text));
            return Ok(());
        }
        if let Some((name, text)) = self.first.take() {
            console::out(&headed(&name, &text))?;
        }
        Ok(console::out(&format!("\n{}", headed(name, &text)))?)
    }

    /// Prints the only page.
    fn finish(&mut self) -> Result<()> {
        match self.first.take() {
            Some((_, text)) => Ok(console::out(&text)?),
            None => Ok(()),
        }
    }
}

/// A page with its name before it, as `head` prints files.
fn headed(name: &str, text: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("==> {} <==\n{text}{end}", plain::line(name))
}
