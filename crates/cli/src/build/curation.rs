//! What a build measures its pages by that a user brings: a language model, lists of URLs, and benchmarks.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use gleaner_curate::{Benchmarks, CONTAMINATION_WORDS, FastText, FastTextError, UrlLists};
use gleaner_dataflow::BuildConfig;
use xxhash_rust::xxh3::Xxh3Default;

use super::failure::Failure;
use crate::args::Build;

/// A language model, lists and benchmarks, and what stands for them in the identity of a corpus.
pub(crate) struct Curation {
    language_model: Option<Arc<FastText>>,
    /// Its name and the digest of its file.
    pub(super) language_identity: Option<String>,
    lists: Arc<UrlLists>,
    /// Each list with the digest of its files; none without lists.
    lists_identity: Option<String>,
    /// The passages that are looked for in texts.
    benchmarks: Option<Arc<Benchmarks>>,
}

/// What the identity of a corpus has of them.
pub(super) const LANGUAGE_MODEL: &str = "language-model";
pub(super) const URL_LISTS: &str = "url-lists";
pub(super) const BENCHMARKS: &str = "benchmarks";

/// Bytes that are read of a file at a time.
const BUFFER: usize = 1 << 20;

impl Curation {
    /// Reads the files that the options name.
    ///
    /// # Errors
    /// One cannot be read, or is none of its kind.
    pub(super) fn read(arguments: &Build) -> Result<Curation, Failure> {
        let file = arguments.language_model.as_deref();
        let model = file.map(language_model).transpose();
        let model = model.map_err(Failure::of_model(file))?;
        let (language_model, language_identity) = model.unzip();
        let lists = url_lists(arguments).map_err(Failure::of_option)?;
        let benchmarks = arguments.benchmarks.as_deref().map(Benchmarks::read);
        let benchmarks = benchmarks.transpose();
        let benchmarks = benchmarks.map_err(|error| Failure::of_option(error.into()))?;
        let digests: Vec<String> = lists
            .digests()
            .map(|(name, digest)| format!("{name} {digest:016x}"))
            .collect();
        Ok(Curation {
            language_model: language_model.map(Arc::new),
            language_identity,
            lists: Arc::new(lists),
            lists_identity: (!digests.is_empty()).then(|| digests.join(", ")),
            benchmarks: benchmarks.map(Arc::new),
        })
    }

    /// The parts of the identity of a corpus.
    pub(super) fn identity(&self) -> [(&'static str, Option<String>); 3] {
        [
            (LANGUAGE_MODEL, self.language_identity.clone()),
            (URL_LISTS, self.lists_identity.clone()),
            (BENCHMARKS, self.digest_of_benchmarks()),
        ]
    }

    fn digest_of_benchmarks(&self) -> Option<String> {
        let benchmarks = self.benchmarks.as_ref()?;
        Some(format!("{:032x}", benchmarks.digest()))
    }

    /// Says which benchmarks have no passage that can be looked for.
    pub(super) fn warn(&self, say: &dyn Fn(&str)) {
        let benchmarks = self.benchmarks.iter();
        for task in benchmarks.flat_map(|benchmarks| benchmarks.short_tasks()) {
            say(&format!(
                "warning: no passage of the benchmark '{task}' has {CONTAMINATION_WORDS} words, so none is looked for"
            ));
        }
    }

    pub(crate) fn set(&self, config: &mut BuildConfig) {
        config.language_model.clone_from(&self.language_model);
        config.url_lists = Arc::clone(&self.lists);
        config.benchmarks.clone_from(&self.benchmarks);
    }

    /// Takes the model, the lists and the benchmarks for those of a spec, if they have its digests: a copy may have another name.
    ///
    /// # Errors
    /// They are others, and `is_replaced` is false of their option.
    pub(super) fn take(
        &mut self,
        options: &BTreeMap<String, String>,
        file: &str,
        is_replaced: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let wanted = options.get(LANGUAGE_MODEL);
        let digest = |identity: &String| identity.rsplit(' ').next().map(str::to_owned);
        if wanted.map(digest) == self.language_identity.as_ref().map(digest) {
            self.language_identity = wanted.cloned();
        } else if !is_replaced("--language-model") {
            check_model(wanted, self.language_identity.as_ref(), file)?;
        }
        if !is_replaced("--url-list") {
            check_lists(options.get(URL_LISTS), self.lists_identity.as_ref(), file)?;
        }
        if is_replaced("--benchmarks") {
            return Ok(());
        }
        check_benchmarks(
            options.get(BENCHMARKS),
            self.digest_of_benchmarks().as_ref(),
            file,
        )
    }
}

fn check_model(wanted: Option<&String>, given: Option<&String>, file: &str) -> Result<()> {
    match (wanted, given) {
        (Some(wanted), _) => {
            let given = given.map_or("no language model".to_owned(), |given| format!("'{given}'"));
            bail!(
                "{file} is of a corpus with the language model '{wanted}', and this build has {given}: give the file of that \
                 model with --language-model"
            )
        }
        (None, Some(_)) => {
            bail!("{file} is of a corpus without a language model: leave out --language-model")
        }
        (None, None) => Ok(()),
    }
}

fn check_lists(wanted: Option<&String>, given: Option<&String>, file: &str) -> Result<()> {
    match (wanted, given) {
        (Some(wanted), None) => bail!(
            "{file} is of a corpus with lists of URLs: give their files with --url-list (name and digest: {wanted})"
        ),
        (None, Some(_)) => bail!("{file} is of a corpus without lists of URLs: leave out --url-list"),
        (Some(wanted), Some(given)) if wanted != given => bail!(
            "{file} is of a corpus with the lists '{wanted}', and --url-list has '{given}': give the files of these lists"
        ),
        _ => Ok(()),
    }
}

fn check_benchmarks(wanted: Option<&String>, given: Option<&String>, file: &str) -> Result<()> {
    match (wanted, given) {
        (Some(wanted), Some(given)) if wanted != given => bail!(
            "{file} has other benchmarks ({wanted}) than the folder of --benchmarks ({given}): give the folder of its build"
        ),
        (Some(wanted), None) => bail!(
            "{file} has the table contamination of some benchmarks ({wanted}): give their folder with --benchmarks"
        ),
        (None, Some(_)) => bail!("{file} has no benchmarks: leave out --benchmarks"),
        _ => Ok(()),
    }
}

fn url_lists(arguments: &Build) -> Result<UrlLists> {
    let mut files: Vec<_> = arguments.url_list.iter().collect();
    // The names of a row are in the order of the lists.
    files.sort_by(|one, other| one.name.cmp(&other.name));
    let mut lists = UrlLists::default();
    for list in files {
        let failed = || format!("the list '{}' of --url-list cannot be used", list.name);
        lists.add_path(&list.name, &list.path).with_context(failed)?;
    }
    Ok(lists)
}

/// A model of fastText, with its name and digest.
fn language_model(path: &Path) -> Result<(FastText, String)> {
    let failed = || format!("the language model {} cannot be used", path.display());
    let open = |source| FastTextError::Open {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(open)?;
    let mut bytes = Digested {
        bytes: BufReader::with_capacity(BUFFER, file),
        digest: Xxh3Default::new(),
    };
    let model = FastText::read(&mut bytes).with_context(failed)?;
    io::copy(&mut bytes, &mut io::sink()).with_context(failed)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok((model, format!("{name} {:016x}", bytes.digest.digest())))
}

/// Bytes, and the digest of those that were read.
struct Digested<R> {
    bytes: R,
    digest: Xxh3Default,
}

impl<R: Read> Read for Digested<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.digest.update(&buffer[..read]);
        Ok(read)
    }
}
