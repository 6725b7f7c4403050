//! The tree of `--model`.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_content::MAGIC;
use gleaner_results::TreeJudge;

use super::terms::terms_without_use;
use crate::args::{ModelChoice, QueryChoice};

pub(crate) struct SavedTree {
    pub(crate) judge: TreeJudge,
    /// Name and checksum of its file, as they stand in a corpus' identity.
    pub(crate) identity: String,
}

impl SavedTree {
    /// The tree of `--model`. Refuses a query that the tree does not use.
    pub(crate) fn of_choice(choice: &ModelChoice, query: &QueryChoice) -> Result<SavedTree> {
        let Some(path) = &choice.model else {
            bail!("--method tree needs --model FILE, a tree that gleaner train --tree wrote");
        };
        let tree = SavedTree::read(path)?;
        if !tree.judge.uses_query() {
            terms_without_use(query, &format!("the tree {}", path.display()))?;
        }
        Ok(tree)
    }

    fn read(path: &Path) -> Result<SavedTree> {
        let file = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("could not read the tree {file}"))?;
        if bytes.starts_with(&MAGIC) {
            bail!("{file} is a model, not a tree: leave --method tree out to use it");
        }
        let Ok(text) = String::from_utf8(bytes) else {
            bail!("{file} is not a saved tree: name a file that gleaner train --tree has written");
        };
        let judge = TreeJudge::from_toml(&text).with_context(|| file.to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let checksum = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        Ok(SavedTree {
            judge,
            identity: format!("{name} {checksum:016x}"),
        })
    }
}
