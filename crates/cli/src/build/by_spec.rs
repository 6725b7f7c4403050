//! `gleaner build --spec`: the build of a corpus as a spec describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use clap::{CommandFactory, FromArgMatches};
use gleaner_corpus::{FORMAT, Identity, Marker, Rule};
use gleaner_dataflow::{ArchiveTerms, Error};
use gleaner_store::{Output, Shard};
use parking_lot::Mutex;

use super::curation::{BENCHMARKS, LANGUAGE_MODEL, URL_LISTS};
use super::failure::Failure;
use super::setup::{BuildSetup, Models};
use super::unfinished::Unfinished;
use crate::args::{Action, Build, Command};
use crate::corpus::spec::{Spec, SpecInput};
use crate::inputs;
use crate::terminal::console::{self, Say, counted};

/// What the rows follow from that is no option of the command.
const NO_OPTIONS: [&str; 6] = [
    "versions",
    "text-model",
    "page-kinds",
    LANGUAGE_MODEL,
    URL_LISTS,
    BENCHMARKS,
];

/// What a spec says, and what it is called: its file, or its corpus.
pub(crate) struct BuildSpec {
    file: String,
    spec: Spec,
}

impl BuildSpec {
    pub(super) fn read(file: &Path) -> Result<BuildSpec> {
        let (spec, file) = (Spec::read(file)?, file.display().to_string());
        if spec.format != FORMAT {
            let format = spec.format;
            bail!(
                "{file} is of a corpus with tables of format {format}, and this program writes format {FORMAT}"
            );
        }
        let unread = spec.inputs.iter().find(|input| input.digest.is_none());
        if let Some(SpecInput { name, .. }) = unread {
            bail!(
                "{file} is of a corpus that did not read '{name}' to its end (--limit, --allow-missing): no other build \
                 gives the same files"
            );
        }
        Ok(BuildSpec { file, spec })
    }

    /// The spec of a complete corpus, which is to be changed.
    pub(crate) fn of_corpus(output: &Output, marker: &Marker) -> Result<BuildSpec> {
        let spec = Spec::of(output, marker)?;
        let file = format!("the corpus in '{}'", output.place());
        if spec.options.contains_key("limit") {
            bail!("{file} was built with --limit, so it cannot be changed: build it without");
        }
        Ok(BuildSpec { file, spec })
    }

    /// What is left out.
    pub(super) fn rules(&self) -> &[Rule] {
        &self.spec.rules
    }

    /// Whether several crawls have archives of one name.
    pub(super) fn has_same_names(&self) -> bool {
        let names: BTreeSet<&str> = self.spec.inputs.iter().map(|input| &*input.name).collect();
        names.len() < self.spec.inputs.len()
    }

    /// The build of this spec, as `given` on the command line else.
    pub(crate) fn options(&self, given: &Build) -> Result<Build> {
        if given.inputs.iter().any(inputs::is_standard_input) {
            bail!(
                "--spec cannot compare standard input ('-') with {}: write it to a file",
                self.file
            );
        }
        let of_spec = options_of(&self.spec.model, &self.spec.options).with_context(|| self.file.clone())?;
        let given = given.clone();
        Ok(Build {
            inputs: given.inputs,
            out: given.out,
            workers: given.workers,
            memory: given.memory,
            part_size: given.part_size,
            no_state: given.no_state,
            dry_run: given.dry_run,
            phase: given.phase,
            force: given.force,
            strict: given.strict,
            allow_missing: given.allow_missing,
            base_url: given.base_url,
            json: given.json,
            query: given.query,
            model: given.model,
            text_model: given.text_model,
            language_model: given.language_model,
            url_list: given.url_list,
            benchmarks: given.benchmarks,
            stores: given.stores,
            processes: given.processes,
            watching: given.watching,
            ..of_spec
        })
    }

    /// Takes the models for those of the spec if they have its digests: a copy may have another name. Where `is_replaced` is true of an
    /// option, it need not be as in the spec.
    pub(crate) fn take_models(&self, models: &mut Models, is_replaced: &dyn Fn(&str) -> bool) -> Result<()> {
        let digest = |identity: &str| identity.rsplit(' ').next().map(str::to_owned);
        let is_method = models.method.is_some();
        let of_texts = self.spec.options.get("text-model");
        for (chosen, wanted, option) in [
            (&mut models.pages, Some(&self.spec.model), "--model"),
            (&mut models.texts, of_texts, "--text-model"),
        ] {
            let differs = |wanted: &&String| **wanted != chosen.identity && !is_replaced(option);
            let Some(wanted) = wanted.filter(differs) else {
                continue;
            };
            if (is_method && option == "--model") || digest(wanted) != digest(&chosen.identity) {
                let identity = &chosen.identity;
                bail!(
                    "{} is of a corpus with the model '{wanted}', and this build has '{identity}': give the file of that model with \
                     {option}",
                    self.file
                );
            }
            chosen.identity.clone_from(wanted);
        }
        models.curation.take(&self.spec.options, &self.file, is_replaced)
    }

    /// Whether the build gives the same rows for the same archives.
    pub(crate) fn check_settings(&self, identity: &Identity) -> Result<()> {
        let mut identity = identity.clone();
        // (What is kept beside the tables changes none of them.)
        identity.options.remove("no-state");
        let of_spec = Identity {
            inputs: identity.inputs.clone(),
            model: self.spec.model.clone(),
            options: self.spec.options.clone(),
        };
        let differences = of_spec.differences(&identity, ["in the spec", "in this program"]);
        if !differences.is_empty() {
            let differences = differences.join("; ");
            bail!("{} cannot be built by this program: {differences}", self.file);
        }
        Ok(())
    }

    /// Whether the inputs are those of the spec by their names and sizes.
    pub(super) fn check_names(&self, shards: &[Shard]) -> Result<()> {
        let mut of_spec: Vec<&SpecInput> = self.spec.inputs.iter().collect();
        for Shard {
            name, location, size, ..
        } in shards
        {
            let is_named = |input: &&&SpecInput| input.name == *name;
            let Some(named) = of_spec.iter().find(is_named) else {
                bail!(
                    "the input '{location}' is not in {}: it has no archive '{name}'",
                    self.file
                );
            };
            let is_same = |input: &&SpecInput| {
                let sizes = size.zip(input.size);
                input.name == *name && sizes.is_none_or(|(one, other)| one == other)
            };
            let Some(place) = of_spec.iter().position(is_same) else {
                bail!(
                    "the input '{location}' is not the one in {}: it has {} bytes, not {}",
                    self.file,
                    size.unwrap_or_default(),
                    named.size.unwrap_or_default()
                );
            };
            of_spec.remove(place);
        }
        let Some(SpecInput { name, .. }) = of_spec.first() else {
            return Ok(());
        };
        let more = match of_spec.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        bail!(
            "{} has the archive '{name}'{more}, which is not among the inputs: give all its archives, or their folder",
            self.file
        )
    }

    /// Reads the inputs, and compares their bytes with the digests of the spec. Of several processes each reads some of them, unless
    /// nothing but their digests distinguishes some. Gives the terms of all inputs.
    pub(super) fn check_bytes(
        &self,
        given: &BuildSetup<'_>,
        say: &Say,
    ) -> Result<Vec<ArchiveTerms>, Failure> {
        let (together, has_same_names) = (given.run.together, self.has_same_names());
        let is_own = |number: usize| has_same_names || number % together.processes == together.process;
        let own: Vec<usize> = (0..given.shards.len()).filter(|&number| is_own(number)).collect();
        let bytes = own.iter().filter_map(|&number| given.shards[number].size).sum();
        let (count, bytes) = (counted(own.len() as u64, "input"), console::bytes(bytes));
        say(&format!("comparing {count} of {bytes} with {}", self.file));
        let digests = Mutex::new(BTreeMap::new());
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(&number) = own.get(next.fetch_add(1, Relaxed)) {
                let digest = digest(&given.shards[number], given)?;
                digests.lock().insert(number, digest);
            }
            Ok(())
        };
        let compared: Result<(), Failure> = thread::scope(|scope| {
            let threads: Vec<_> = (0..given.workers).map(|_| scope.spawn(work)).collect();
            let mut done = threads.into_iter().map(|thread| thread.join());
            done.try_for_each(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
        });
        compared?;
        self.terms(&given.shards, &digests.into_inner())
            .map_err(Failure::of_inputs)
    }

    /// The terms of inputs, of some of which the digests are known.
    fn terms(&self, shards: &[Shard], digests: &BTreeMap<usize, String>) -> Result<Vec<ArchiveTerms>> {
        let mut of_spec: BTreeMap<&str, Vec<&SpecInput>> = BTreeMap::new();
        for input in &self.spec.inputs {
            of_spec.entry(&input.name).or_default().push(input);
        }
        let terms = shards.iter().enumerate().map(|(number, shard)| {
            let named = of_spec.entry(&shard.name).or_default();
            let digest = digests.get(&number);
            let is_same =
                |input: &&SpecInput| digest.is_none_or(|digest| input.digest.as_ref() == Some(digest));
            let Some(place) = named.iter().position(is_same) else {
                let (location, file) = (&shard.location, &self.file);
                bail!("the input '{location}' is not the one in {file}: it has other bytes");
            };
            let SpecInput { crawl, since, .. } = named.remove(place);
            Ok(ArchiveTerms {
                crawl: crawl.clone(),
                since: *since,
                is_read_again: false,
            })
        });
        terms.collect()
    }
}

/// The options of a build that gives a corpus with such a model and such options.
///
/// # Errors
/// This program does not know them.
pub(crate) fn options_of(model: &str, options: &BTreeMap<String, String>) -> Result<Build> {
    let refused = |error: clap::Error| {
        let text = error.to_string();
        let sentence = text.lines().next().unwrap_or_default();
        anyhow!("{}", sentence.trim_start_matches("error: "))
    };
    let matches = Command::command().try_get_matches_from(words(model, options));
    let command = Command::from_arg_matches(&matches.map_err(refused)?).map_err(refused)?;
    match command.action {
        Action::Build(options) => Ok(options),
        _ => unreachable!("the words begin with the name of the command"),
    }
}

/// The options of a corpus as they are typed.
fn words(model: &str, options: &BTreeMap<String, String>) -> Vec<String> {
    let mut words: Vec<String> = ["gleaner", "build", "INPUT", "--out=OUT"]
        .map(str::to_owned)
        .into();
    let method = model.split(' ').next().unwrap_or_default();
    if ["density", "tree"].contains(&method) {
        words.push(format!("--method={method}"));
    }
    words.extend(options.iter().filter_map(|(name, value)| match value.as_str() {
        _ if NO_OPTIONS.contains(&&**name) => None,
        "false" | "default" => None,
        "true" => Some(format!("--{name}")),
        value => Some(format!("--{name}={value}")),
    }));
    words
}

/// The digest of all bytes of an input.
fn digest(shard: &Shard, given: &BuildSetup<'_>) -> Result<String, Failure> {
    let mut hasher = blake3::Hasher::new();
    let mut stream = given.store.open(shard, 0, None)?;
    let failed = || format!("could not read '{}'", shard.location);
    while let Some(bytes) = stream.wait().with_context(failed).map_err(Failure::of_inputs)? {
        if given.stop.load(Relaxed) {
            return Err(Unfinished::new(Error::Interrupted, &given.output).into());
        }
        hasher.update(&bytes);
    }
    Ok(hasher.finalize().to_string())
}
