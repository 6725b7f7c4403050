//! `gleaner build --spec`: the build of a corpus as a spec describes it.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use clap::{CommandFactory, FromArgMatches};
use gleaner_corpus::{FORMAT, Identity};
use gleaner_dataflow::Error;
use gleaner_store::Shard;

use super::failure::Failure;
use super::setup::{BuildSetup, Models};
use super::unfinished::Unfinished;
use crate::args::{Action, Build, Command};
use crate::corpus::spec::{Spec, SpecInput};
use crate::inputs;
use crate::terminal::console::{self, Say, counted};

/// What the rows follow from that is no option of the command.
const NO_OPTIONS: [&str; 3] = ["versions", "text-model", "page-kinds"];

/// The file of a spec, and what it says.
pub(super) struct BuildSpec {
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
        if !spec.rules.is_empty() {
            bail!("{file} has rules, and this program knows none");
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

    /// The build of this spec, as `given` on the command line else.
    pub(super) fn options(&self, given: &Build) -> Result<Build> {
        if given.inputs.iter().any(inputs::is_standard_input) {
            bail!(
                "--spec cannot compare standard input ('-') with {}: write it to a file",
                self.file
            );
        }
        let refused = |error: clap::Error| {
            let text = error.to_string();
            let sentence = text.lines().next().unwrap_or_default();
            anyhow!("{}: {}", self.file, sentence.trim_start_matches("error: "))
        };
        let matches = Command::command().try_get_matches_from(self.words());
        let command = Command::from_arg_matches(&matches.map_err(refused)?).map_err(refused)?;
        let Action::Build(of_spec) = command.action else {
            unreachable!("the words begin with the name of another command");
        };
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
            stores: given.stores,
            processes: given.processes,
            watching: given.watching,
            ..of_spec
        })
    }

    /// The options of the spec as they are typed.
    fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = ["gleaner", "build", "INPUT", "--out=OUT"]
            .map(str::to_owned)
            .into();
        let method = self.spec.model.split(' ').next().unwrap_or_default();
        if ["density", "tree"].contains(&method) {
            words.push(format!("--method={method}"));
        }
        let options = self.spec.options.iter();
        words.extend(options.filter_map(|(name, value)| match value.as_str() {
            _ if NO_OPTIONS.contains(&&**name) => None,
            "false" | "default" => None,
            "true" => Some(format!("--{name}")),
            value => Some(format!("--{name}={value}")),
        }));
        words
    }

    /// Takes the models for those of the spec if they have its digests: a copy may have another name.
    pub(super) fn take_models(&self, models: &mut Models) -> Result<()> {
        let digest = |identity: &str| identity.rsplit(' ').next().map(str::to_owned);
        let is_method = models.method.is_some();
        let of_texts = self.spec.options.get("text-model");
        for (chosen, wanted, option) in [
            (&mut models.pages, Some(&self.spec.model), "--model"),
            (&mut models.texts, of_texts, "--text-model"),
        ] {
            let Some(wanted) = wanted.filter(|wanted| **wanted != chosen.identity) else {
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
        Ok(())
    }

    /// Whether the build gives the same rows for the same archives.
    pub(super) fn check_settings(&self, identity: &Identity) -> Result<()> {
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
        let mut of_spec = self.inputs();
        for Shard {
            name, location, size, ..
        } in shards
        {
            let Some(input) = of_spec.remove(&**name) else {
                bail!(
                    "the input '{location}' is not in {}: it has no archive '{name}'",
                    self.file
                );
            };
            if let (Some(bytes), Some(expected)) = (size, input.size)
                && *bytes != expected
            {
                bail!(
                    "the input '{location}' is not the one in {}: it has {bytes} bytes, not {expected}",
                    self.file
                );
            }
        }
        let Some(missing) = of_spec.keys().next() else {
            return Ok(());
        };
        let more = match of_spec.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        bail!(
            "{} has the archive '{missing}'{more}, which is not among the inputs: give all its archives, or their folder",
            self.file
        )
    }

    /// Reads the inputs, and compares their bytes with the digests of the spec. Of several processes each reads some of them.
    pub(super) fn check_bytes(&self, given: &BuildSetup<'_>, say: &Say) -> Result<(), Failure> {
        let together = given.run.together;
        let shards = given.shards.iter().skip(together.process);
        let shards: Vec<&Shard> = shards.step_by(together.processes).collect();
        let bytes = shards.iter().filter_map(|shard| shard.size).sum();
        let (count, bytes) = (counted(shards.len() as u64, "input"), console::bytes(bytes));
        say(&format!("comparing {count} of {bytes} with {}", self.file));
        let of_spec = self.inputs();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(shard) = shards.get(next.fetch_add(1, Relaxed)) {
                let digest = digest(shard, given)?;
                if of_spec[&*shard.name].digest.as_ref() != Some(&digest) {
                    let (location, file) = (&shard.location, &self.file);
                    let sentence =
                        format!("the input '{location}' is not the one in {file}: it has other bytes");
                    return Err(Failure::of_inputs(anyhow!(sentence)));
                }
            }
            Ok(())
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..given.workers).map(|_| scope.spawn(work)).collect();
            let mut done = threads.into_iter().map(|thread| thread.join());
            done.try_for_each(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
        })
    }

    fn inputs(&self) -> BTreeMap<&str, &SpecInput> {
        let inputs = self.spec.inputs.iter();
        inputs.map(|input| (input.name.as_str(), input)).collect()
    }
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
