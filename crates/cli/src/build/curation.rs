//! What a build measures its pages by that a user brings: lists of URLs.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use gleaner_curate::UrlLists;
use gleaner_dataflow::BuildConfig;

use crate::args::Build;

/// The lists of a build, and what stands for them in the identity of its corpus.
pub(crate) struct Curation {
    lists: Arc<UrlLists>,
    /// Each list with the digest of its files; none without lists.
    lists_identity: Option<String>,
}

/// The option of the lists, in identities and as it is typed.
pub(super) const URL_LISTS: (&str, &str) = ("url-lists", "--url-list");

impl Curation {
    /// Reads the files that the options name.
    ///
    /// # Errors
    /// One cannot be read, or is none of its kind.
    pub(super) fn read(arguments: &Build) -> Result<Curation> {
        let mut files: Vec<_> = arguments.url_list.iter().collect();
        // Names in a row are in the order of their lists.
        files.sort_by(|one, other| one.name.cmp(&other.name));
        let mut lists = UrlLists::default();
        for list in files {
            let failed = || format!("the list '{}' of --url-list cannot be used", list.name);
            lists.add_path(&list.name, &list.path).with_context(failed)?;
        }
        let digests = lists.digests();
        let digests: Vec<String> = digests
            .map(|(name, digest)| format!("{name} {digest:016x}"))
            .collect();
        Ok(Curation {
            lists: Arc::new(lists),
            lists_identity: (!digests.is_empty()).then(|| digests.join(", ")),
        })
    }

    /// The parts of the identity of a corpus.
    pub(super) fn identity(&self) -> [(&'static str, Option<String>); 1] {
        [(URL_LISTS.0, self.lists_identity.clone())]
    }

    pub(crate) fn set(&self, config: &mut BuildConfig) {
        config.url_lists = Arc::clone(&self.lists);
    }

    /// Checks that the lists are those of a spec.
    pub(super) fn check(
        &self,
        options: &BTreeMap<String, String>,
        file: &str,
        is_replaced: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let (wanted, given) = (options.get(URL_LISTS.0), self.lists_identity.as_ref());
        if wanted == given || is_replaced(URL_LISTS.1) {
            return Ok(());
        }
        match (wanted, given) {
            (Some(wanted), None) => bail!(
                "{file} is of a corpus with lists of URLs: give their files with --url-list (name and digest: {wanted})"
            ),
            (None, _) => bail!("{file} is of a corpus without lists of URLs: leave out --url-list"),
            (Some(wanted), Some(given)) => bail!(
                "{file} is of a corpus with the lists '{wanted}', and --url-list has '{given}': give the files of these lists"
            ),
        }
    }
}
