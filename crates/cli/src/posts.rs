//! `gleaner posts`: the posts of blog pages.

use std::path::Path;

use anyhow::Result;
use gleaner_posts::Rules;

/// The rules of that name or file; the default ones where none is given.
pub(crate) fn rules(choice: Option<&Path>) -> Result<Rules> {
    Ok(match choice {
        None => Rules::default_rules(),
        Some(name) if name == Path::new("default") => Rules::default_rules(),
        Some(name) if name == Path::new("blogbuster") => Rules::blogbuster(),
        Some(path) => Rules::read(path)?,
    })
}
