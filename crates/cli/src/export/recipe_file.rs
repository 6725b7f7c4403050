//! A recipe: a file, or one that is built in.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use gleaner_export::{BadRecipe, PersonalAction, Recipe};

use crate::args::job_text::JobText;
use crate::args::nearest::{nearest, not_there};

macro_rules! built_in {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../../jobs/recipes/", $name, ".toml")))),*]
    };
}

/// Known names that are listed where none is near.
const NAMED: usize = 20;

/// The files in jobs/recipes.
const BUILT_IN: [(&str, &str); 7] = built_in![
    "gopher",
    "c4",
    "fineweb",
    "fineweb2",
    "dclm-rules",
    "rights-respecting",
    "everything"
];

/// A recipe and its text.
pub(crate) struct RecipeFile {
    pub(crate) recipe: Recipe,
    pub(crate) text: String,
}

impl RecipeFile {
    /// Reads a recipe. What was typed goes before it.
    ///
    /// # Errors
    /// There is no such file, and none of this name is built in; or it is no recipe.
    pub(crate) fn read(path: &Path, personal: Option<PersonalAction>) -> Result<RecipeFile> {
        let text = text(path)?;
        let recipe = Recipe::parse(&text).map_err(|error| sentence(path, &text, error))?;
        Ok(RecipeFile {
            recipe: recipe.with_personal(personal),
            text,
        })
    }
}

fn text(path: &Path) -> Result<String> {
    let built_in = BUILT_IN.iter().find(|(name, _)| Path::new(name) == path);
    // An export may have made a folder of that name.
    if let Some((_, text)) = built_in.filter(|_| !path.is_file()) {
        return Ok((*text).to_owned());
    }
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => bail!("{} is not a recipe (TOML in UTF-8)", path.display()),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Err(anyhow!(not_there(
            "recipe",
            path,
            &BUILT_IN.map(|(name, _)| name)
        ))),
        Err(error) => Err(error).with_context(|| format!("could not read the recipe {}", path.display())),
    }
}

fn sentence(path: &Path, text: &str, error: BadRecipe) -> anyhow::Error {
    let file = JobText::new(path, text);
    match error {
        BadRecipe::Toml(error) => file.error(&error),
        BadRecipe::Wrong { place, sentence } => anyhow!(file.at(place, &sentence)),
        BadRecipe::Unknown {
            place,
            what,
            name,
            known,
        } => {
            let mend = match nearest(&name, known.iter().map(String::as_str)) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None if known.len() > NAMED => "docs/tables.md lists them".to_owned(),
                None => format!("known here: {}", known.join(", ")),
            };
            anyhow!(file.at(place, &format!("unknown {what} `{name}`: {mend}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_that_are_built_in_are_recipes() {
        for (name, text) in BUILT_IN {
            let recipe = Recipe::parse(text).map_err(|error| sentence(Path::new(name), text, error));
            assert!(recipe.unwrap().description.is_some(), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_a_mend() {
        let said = |text: &str| {
            let error = Recipe::parse(text).unwrap_err();
            sentence(Path::new("r.toml"), text, error).to_string()
        };
        let filter = |rest: &str| said(&format!("# A recipe\n[[filter]]\n{rest}"));
        for (rest, expected) in [
            (
                "column = 'gopher'\nis_null = true",
                "r.toml:3: unknown column `gopher`: known here: signals.gopher",
            ),
            (
                "column = 'zzzzzz'\nis_null = true",
                "r.toml:3: unknown column `zzzzzz`: docs/tables.md lists them",
            ),
            (
                "column = 'signals.gofer'\nis_null = true",
                "r.toml:3: unknown column `signals.gofer`: did you mean `signals.gopher`?",
            ),
            (
                "column = 'languag'\nin = ['deu']",
                "r.toml:3: unknown column `languag`: did you mean `language`?",
            ),
            (
                "column = 'signal.gopher'\nis_null = true",
                "r.toml:3: unknown table `signal`: did you mean `signals`?",
            ),
            (
                "column = 'word_count'\nmin = '50'",
                "r.toml:4: documents.word_count takes a number, not a value of type string",
            ),
            (
                "column = 'word_count'\nmon = 50",
                "r.toml:4: unknown key `mon`: did you mean `min`?",
            ),
            (
                "column = 'word_count'",
                "r.toml:2: a condition without a test: add `min`, `max`, `in`, `not_in` or `is_null`",
            ),
            (
                "column = 'duplicates.survivor'\nmin = true",
                "r.toml:4: duplicates.survivor is true or false: use `in`",
            ),
            (
                "column = 'signals.language_shares'\nmin = 0.5",
                "r.toml:3: signals.language_shares is a list of numbers, and filters are for single values and lists of texts",
            ),
            (
                "column = 'signals.url_lists'\nmin = 'a'",
                "r.toml:4: signals.url_lists is a list: use `in`, `not_in` or `is_null`",
            ),
            (
                "column = 'signals.url_lists'\nin = [5]",
                "r.toml:4: signals.url_lists takes a string, not a value of type integer",
            ),
            (
                "any_row = 'post'",
                "r.toml:3: unknown table `post`: did you mean `posts`?",
            ),
            (
                "column = 'posts.comments'\nmin = 1",
                "r.toml:3: a page can have several rows in posts: use `any_row = \"posts\"` or `no_row = \"posts\"`, with the column in `where`",
            ),
        ] {
            assert_eq!(filter(rest), expected);
        }
        assert_eq!(
            said("[personal]\naction = 'masks'"),
            "r.toml:2: unknown action `masks`: did you mean `mask`?"
        );
        assert_eq!(
            said("[sample]\nfraction = 1.5"),
            "r.toml:2: `fraction` is above 0, and at most 1"
        );
        assert_eq!(
            said("[lines]\nrules = 'c5'"),
            "r.toml:2: unknown rules for lines `c5`: did you mean `c4`?"
        );
        assert_eq!(
            said("[output]\ncolumns = ['text', 'text']"),
            "r.toml:2: `text` is named twice: leave one of the two out"
        );
    }

    #[test]
    fn a_recipe_that_is_not_there_may_be_meant_for_one_that_is_built_in() {
        let error = text(Path::new("finweb")).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no recipe 'finweb': did you mean 'fineweb'?"),
            "{error}"
        );
    }
}
