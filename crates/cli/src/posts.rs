//! `gleaner posts`: the posts of blog pages.

mod write;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gleaner_page::{PageConfig, Parser};
use gleaner_posts::{About, Extractor, Rules};

use crate::args::{Posts, PostsFormat};
use crate::{Outcome, console, pages};

/// Finds the posts of all pages and prints them.
pub(crate) fn run(arguments: &Posts) -> Result<Outcome> {
    let mut extractor = Extractor::new(rules(arguments.rules.as_deref())?);
    let mut parser = Parser::new(PageConfig::default());
    let standard_input = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() {
        &standard_input[..]
    } else {
        &arguments.files
    };
    let base = arguments.url.as_deref().unwrap_or_default();
    let mut begun = false;
    let mut begin = || match (begun, arguments.format) {
        (false, PostsFormat::Xml) => {
            begun = true;
            console::out(write::XML_BEGIN)
        }
        _ => Ok(()),
    };
    for file in files {
        pages::each(file, &mut |page| {
            let parsed = match parser.parse(page.body, page.content_type.as_deref()) {
                Ok(parsed) => parsed,
                // Of the pages of an archive some are none; a file is named because it is one.
                Err(_) if page.is_record => return Ok(()),
                Err(error) => {
                    return Err(error).with_context(|| format!("{} cannot be searched", page.file));
                }
            };
            begin()?;
            let url = if page.url.is_empty() { base } else { page.url };
            let found = extractor.extract(parsed, About { url, content: None });
            let limits: Vec<&str> = parsed.truncated.names().chain(found.truncated.names()).collect();
            if !limits.is_empty() {
                console::say(&cut_warning(page.name(), &limits));
            }
            console::out(&write::page(arguments.format, url, &found, &limits)?)?;
            Ok(())
        })?;
    }
    begin()?;
    if arguments.format == PostsFormat::Xml {
        console::out(write::XML_END)?;
    }
    Ok(Outcome::Done)
}

/// Warns that limits were met on a page, so that it may have more posts than were found.
fn cut_warning(name: &str, limits: &[&str]) -> String {
    let noun = if limits.len() == 1 { "limit" } else { "limits" };
    format!(
        "warning: {name}: cut off at its {noun} of {}: there may be more posts, or more text in them",
        limits.join(", ")
    )
}

/// The rules of that name or file; the default ones where none is given.
pub(crate) fn rules(choice: Option<&Path>) -> Result<Rules> {
    Ok(match choice {
        None => Rules::default_rules(),
        Some(name) if name == Path::new("default") => Rules::default_rules(),
        Some(name) if name == Path::new("blogbuster") => Rules::blogbuster(),
        Some(path) => Rules::read(path)?,
    })
}
