//! `gleaner posts`: the posts of blog pages.

mod printer;

use std::path::Path;

use anyhow::{Result, bail};
use gleaner_page::{PageConfig, Parser};
use gleaner_posts::{About, Extractor, Posted, Rules};
use gleaner_training::Texts;

use crate::args::Posts;
use crate::args::nearest::not_there;
use crate::inputs::each_page;
use crate::terminal::{Outcome, console};

use printer::Printer;

pub(crate) fn run(arguments: &Posts) -> Result<Outcome> {
    let mut extractor = Extractor::new(rules(arguments.rules.as_deref())?);
    let mut parser = Parser::new(PageConfig::default());
    let base = arguments.url.as_deref().unwrap_or_default();
    let mut printer = Printer::new(arguments.format);
    let inputs = each_page::or_standard_input(&arguments.files);
    let (mut is_url_used, mut has_pages) = (false, false);
    let outcome = each_page::each(&inputs, Texts::OfArchives, "searched", None, &mut |page| {
        let parsed = parser.parse(page.body, page.content_type.as_deref())?;
        let url = if page.url.is_empty() { base } else { page.url };
        has_pages = true;
        is_url_used |= page.url.is_empty();
        let found = extractor.extract(
            parsed,
            About {
                url,
                ..About::default()
            },
        );
        let limits: Vec<&str> = parsed.truncated.names().chain(found.truncated.names()).collect();
        if !limits.is_empty() {
            console::say(&cut_warning(page.name(), &limits));
        }
        let posted = Posted {
            file: page.file,
            url,
            found: &found,
            truncated: &limits,
        };
        printer.print(page.name(), &posted)
    })?;
    printer.end()?;
    if arguments.url.is_some() && has_pages && !is_url_used {
        each_page::warn_of_unused_url();
    }
    Ok(outcome)
}

/// Warns that limits were met on a page, so that it may have more posts than were found.
fn cut_warning(name: &str, limits: &[&str]) -> String {
    let reasons: Vec<&str> = limits.iter().map(|limit| over_limit(limit)).collect();
    format!(
        "warning: {name}: there may be more posts, or more text in them: {}",
        reasons.join("; ")
    )
}

/// What a page has too much of, by the limit's name.
fn over_limit(limit: &str) -> &str {
    match limit {
        "bytes" => "the page has more bytes than the limit",
        "depth" => "its elements are nested deeper than the limit",
        "blocks" => "it has more elements or blocks than the limit",
        "attributes" => "an element has more or longer attributes than the limit",
        "steps" => "reading the page takes more steps than the limit",
        "posts" => "it has more posts than the limit",
        "post-comments" => "a post has more comments than the limit",
        "post-headings" => "it has more headings than the limit",
        "post-names" => "a class or an id is longer than the limit",
        "post-steps" => "the search for posts takes more steps than the limit",
        other => other,
    }
}

/// The rules of that name or file; the default ones where none is given.
pub(crate) fn rules(choice: Option<&Path>) -> Result<Rules> {
    Ok(match choice {
        None => Rules::default_rules(),
        Some(name) if name == Path::new("default") => Rules::default_rules(),
        Some(name) if name == Path::new("blogbuster") => Rules::blogbuster(),
        Some(path) if !path.exists() => bail!(not_there("rule file", path, &["default", "blogbuster"])),
        Some(path) => Rules::read(path)?,
    })
}
