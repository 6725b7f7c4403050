//! The archives that a change reads: those that are new, and those that are read again for what a rule left out.

use std::collections::BTreeMap;

use anyhow::anyhow;
use gleaner_corpus::{Crawl, Rule};
use gleaner_dataflow::{Again, ArchiveTerms, InputLine};
use gleaner_store::{Shard, Store};

use super::{Asked, Changed, Decided};
use crate::build::{Failure, Session};
use crate::corpus::names::{archive_name, names_text};
use crate::inputs::{self, FoundInputs};
use crate::terminal::console::counted;

/// Archives that are added.
pub(super) struct NewArchives;

/// Archives that are read again.
pub(super) struct Reread;

/// What is decided; or why there is nothing to do.
pub(super) type Decision = Result<Result<Decided, String>, Failure>;

/// The archives that are given, for a corpus: each has a name.
fn found_named(asked: &Asked<'_>, changed: &Changed, session: &Session<'_>) -> Result<FoundInputs, Failure> {
    if asked.inputs.iter().any(inputs::is_standard_input) {
        let error = anyhow!(
            "an archive of a corpus has a name, and standard input ('-') has none: write it to a file"
        );
        return Err(Failure::of_inputs(error));
    }
    found(asked.inputs, asked, changed, session)
}

/// The archives that inputs stand for.
pub(super) fn found(
    inputs: &[String],
    asked: &Asked<'_>,
    changed: &Changed,
    session: &Session<'_>,
) -> Result<FoundInputs, Failure> {
    let (store, say) = (&changed.store, &*session.say);
    let found = inputs::expand_listed(store, inputs, asked.base_url, asked.allow_missing, say);
    let found = found.map_err(Failure::of_inputs)?;
    match found.unlisted.first() {
        Some(unread) if !asked.allow_missing => Err(Failure::of_inputs(anyhow!("{}", unread.cause))),
        _ => Ok(found),
    }
}

impl NewArchives {
    pub(super) fn decide(
        asked: &Asked<'_>,
        changed: &Changed,
        mut decided: Decided,
        session: &Session<'_>,
    ) -> Decision {
        let crawl = crawl(asked, changed).map_err(Failure::of_option)?;
        let FoundInputs { shards, unlisted, .. } = found_named(asked, changed, session)?;
        let is_of_crawl = |line: &&InputLine| line.crawl.as_ref() == crawl;
        let lines = changed.lines.iter().filter(is_of_crawl);
        let known: BTreeMap<&str, &InputLine> = lines.map(|line| (&*line.read.name, line)).collect();
        let mut present = Vec::new();
        for shard in shards {
            match known.get(&*shard.name) {
                Some(line) if line.read.digest.is_some() => {
                    check_same(line, &shard, &changed.store).map_err(Failure::of_inputs)?;
                    present.push(line.since);
                }
                known => {
                    check_other_crawls(&shard, changed).map_err(Failure::of_inputs)?;
                    // What could not be read to its end is read again.
                    if known.is_some() {
                        let crawl = crawl.map_or_else(String::new, Crawl::to_string);
                        decided
                            .removed
                            .entry(crawl)
                            .or_default()
                            .insert(shard.name.clone());
                    }
                    decided.terms.push(ArchiveTerms {
                        crawl: crawl.cloned(),
                        since: changed.marker.version + 1,
                        is_read_again: false,
                    });
                    decided.shards.push(shard);
                }
            }
        }
        decided.unlisted = unlisted;
        let skipped = counted(present.len() as u64, "archive");
        if let Some(since) = present.iter().max() {
            let last =
                format!("skipped {skipped} that the corpus has already, in version {since} at the latest");
            match decided.shards.is_empty() {
                true => return Ok(Err(last)),
                false => (session.say)(&last),
            }
        }
        Ok(Ok(decided))
    }
}

/// The crawl of archives that are added.
fn crawl<'a>(asked: &'a Asked<'_>, changed: &Changed) -> anyhow::Result<Option<&'a Crawl>> {
    let is_labelled = changed.marker.identity.options.contains_key(Crawl::COLUMN);
    let corpus = asked.corpus;
    match asked.crawl {
        None if is_labelled => {
            let last = changed.lines.iter().filter_map(|line| line.crawl.as_ref()).max();
            let example = last.map_or("2026-12", Crawl::as_str);
            Err(anyhow!(
                "the corpus in '{corpus}' has named crawls: give the name of this one with --crawl (the last is '{example}')"
            ))
        }
        Some(_) if !is_labelled => Err(anyhow!(
            "the corpus in '{corpus}' was built without --crawl, so all of its archives are one crawl: add them without --crawl"
        )),
        crawl => Ok(crawl),
    }
}

/// Refuses an archive that another crawl has already: rows of both would have the same ids.
fn check_other_crawls(shard: &Shard, changed: &Changed) -> anyhow::Result<()> {
    let is_same = |line: &&InputLine| {
        let may_be = line.read.name == shard.name && line.read.size == shard.size;
        may_be && check_same(line, shard, &changed.store).is_ok()
    };
    let Some(InputLine {
        crawl: Some(crawl), ..
    }) = changed.lines.iter().find(is_same)
    else {
        return Ok(());
    };
    Err(anyhow!(
        "the archive '{}' is part of the crawl '{crawl}' already: remove it there first (`gleaner remove CORPUS --input {crawl}/{}`)",
        shard.location,
        shard.name
    ))
}

/// Whether an archive has the bytes of one of the same name.
fn check_same(line: &InputLine, shard: &Shard, store: &Store) -> anyhow::Result<()> {
    let differs = || {
        let location = &shard.location;
        anyhow!(
            "the corpus has an archive '{}' with other bytes than '{location}', since version {}: give it another name, or another \
             --crawl, or remove the older one first (`gleaner remove CORPUS --input {}`)",
            shard.name,
            line.since,
            shard.name
        )
    };
    let is_other_size = matches!((shard.size, line.read.size), (Some(one), Some(other)) if one != other);
    if is_other_size || line.read.digest.as_ref() != Some(&inputs::digest(shard, store)?) {
        return Err(differs());
    }
    Ok(())
}

impl Reread {
    /// Those that have what a rule left out, which is lifted.
    pub(super) fn decide(
        rule: &str,
        asked: &Asked<'_>,
        changed: &Changed,
        mut decided: Decided,
        session: &Session<'_>,
    ) -> Decision {
        let Some(place) = decided.rules.iter().position(|other| other.id == rule) else {
            return Err(Failure::of_option(no_rule(rule, asked, changed)));
        };
        decided.rules.remove(place);
        let left_out = |line: &&InputLine| line.read.counts.left_out.contains_key(rule);
        let needed: Vec<&InputLine> = changed.lines.iter().filter(left_out).collect();
        let why = format!("{rule} left out captures");
        Reread::needed(needed, &why, asked, changed, decided, session)
    }

    /// All, if what the corpus keeps of its pages does not suffice to label them again.
    pub(super) fn all(
        asked: &Asked<'_>,
        changed: &Changed,
        decided: Decided,
        session: &Session<'_>,
    ) -> Decision {
        let needed = match changed.again {
            Again::All => changed.lines.iter().collect(),
            Again::Labels | Again::Nothing => Vec::new(),
        };
        let why = "with this model or these options pages are other ones";
        Reread::needed(needed, why, asked, changed, decided, session)
    }

    /// Takes those inputs that are needed; all that are have to be there.
    fn needed(
        mut needed: Vec<&InputLine>,
        why: &str,
        asked: &Asked<'_>,
        changed: &Changed,
        mut decided: Decided,
        session: &Session<'_>,
    ) -> Decision {
        if asked.inputs.is_empty() && !needed.is_empty() {
            return Err(Failure::of_inputs(names_needed(why, asked, &needed)));
        }
        let shards = match asked.inputs.is_empty() {
            true => Vec::new(),
            false => found_named(asked, changed, session)?.shards,
        };
        let mut skipped = 0;
        for shard in shards {
            let named: Vec<&InputLine> = needed
                .iter()
                .copied()
                .filter(|line| line.read.name == shard.name)
                .collect();
            let mut failure = None;
            let mut same = named
                .into_iter()
                .filter(|line| match check_same(line, &shard, &changed.store) {
                    Ok(()) => true,
                    Err(error) => {
                        failure = Some(error);
                        false
                    }
                });
            let Some(line) = same.next() else {
                match failure {
                    Some(error) => return Err(Failure::of_inputs(error)),
                    None => {
                        let is_known = changed.lines.iter().any(|line| line.read.name == shard.name);
                        skipped += u64::from(!is_known);
                        continue;
                    }
                }
            };
            needed.retain(|other| !std::ptr::eq(*other, line));
            decided.terms.push(ArchiveTerms {
                crawl: line.crawl.clone(),
                since: line.since,
                is_read_again: asked.lifts.is_some(),
            });
            decided.shards.push(shard);
        }
        if skipped > 0 {
            let files = counted(skipped, "file");
            (session.say)(&format!("skipped {files} that the corpus was not built from"));
        }
        match needed.is_empty() {
            true => Ok(Ok(decided)),
            false => Err(Failure::of_inputs(names_needed(why, asked, &needed))),
        }
    }
}

/// Why there is no such rule.
fn no_rule(rule: &str, asked: &Asked<'_>, changed: &Changed) -> anyhow::Error {
    let known: Vec<&str> = changed.rules.iter().map(|rule| &*rule.id).collect();
    let rules = match known.as_slice() {
        [] => "the corpus has no rules".to_owned(),
        known => format!("its rules are {}", known.join(", ")),
    };
    let was_there =
        |number: &u64| (1..=changed.marker.last_rule).contains(number) && Rule::id(*number) == rule;
    let number = rule.strip_prefix('r').and_then(|number| number.parse().ok());
    match number.filter(was_there) {
        Some(_) => anyhow!("the rule '{rule}' was lifted already: {rules}"),
        None => anyhow!("the corpus in '{}' has no rule '{rule}': {rules}", asked.corpus),
    }
}

/// Names the archives that have to be read again.
fn names_needed(why: &str, asked: &Asked<'_>, needed: &[&InputLine]) -> anyhow::Error {
    let rule = asked.lifts.map(|rule| format!(" {rule}")).unwrap_or_default();
    let mut text = format!(
        "{why}, so {} of the corpus must be read again: give them, or their folder, as inputs of `gleaner {} {}{rule} INPUT...`",
        counted(needed.len() as u64, "archive"),
        asked.command,
        asked.corpus
    );
    let names: Vec<String> = needed.iter().map(|line| archive_name(line)).collect();
    text += &format!("\n{}", names_text(&names));
    anyhow::Error::new(crate::terminal::console::Lines(text))
}
