//! `gleaner verify --against`: units of a corpus are built again from its archives, and their rows compared.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, anyhow, bail};
use gleaner_corpus::{
    Corpus, Crawl, DifferentRow, Identity, KeptKind, Marker, RowDifference, Rule, read_rules,
};
use gleaner_dataflow::{ArchiveTerms, BuildConfig, Error, InputLine, UnitSample};
use gleaner_store::{Output, Shard, Store};
use serde::Serialize;

use crate::args::{Build, Verify};
use crate::build::{BuildSpec, Drawn, Models, Session, settings, workers};
use crate::corpus::names::{archive_name, names_text};
use crate::inputs;
use crate::terminal::console::{Lines, counted, grouped};
use crate::terminal::plain;

/// Rows that differ that are named.
const NAMED: usize = 20;

/// Rows that differ that JSON has.
const MOST: usize = 1000;

/// What the comparison has come to, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
pub(crate) struct Against {
    same: bool,
    units: u64,
    units_compared: u64,
    archives: u64,
    archives_read: u64,
    /// Files that are no archives of the corpus.
    skipped: u64,
    rows_compared: BTreeMap<&'static str, u64>,
    other_bytes: Vec<String>,
    rows_that_differ: u64,
    differences: Vec<DifferentRow>,
}

/// What a corpus is made from.
struct MadeFrom {
    marker: Marker,
    lines: Vec<InputLine>,
    rules: Vec<Rule>,
    /// The options of its build.
    build: Build,
    models: Models,
    identity: Identity,
}

/// The archives of a corpus among the inputs.
#[derive(Default)]
struct Given<'l> {
    shards: Vec<Shard>,
    /// Of each, what the corpus has of it.
    lines: Vec<&'l InputLine>,
    skipped: u64,
}

/// Builds units again, and compares their rows with those of the corpus.
pub(crate) fn compare(arguments: &Verify, output: &Output, session: &Session<'_>) -> Result<Against> {
    let made = MadeFrom::read(arguments, output)?;
    let mut stores = arguments.stores.options(&session.watchers.counts);
    stores.written = crate::build::written(&arguments.corpus);
    let store = Store::new(stores)?;
    let given = Given::find(arguments, &made.lines, &store, session)?;
    let most = (!arguments.all_units).then_some(arguments.units);
    let arguments_of = made.marker.arguments.as_ref();
    let sample = UnitSample::choose(
        output,
        arguments_of.context("the corpus keeps no state")?,
        made.identity.options.contains_key(Crawl::COLUMN),
        made.build.site,
        most.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
    )?;
    given.check_complete(&sample)?;
    let (archives_read, skipped) = (given.shards.len() as u64, given.skipped);
    let units = counted(sample.units() as u64, "unit");
    let archives = counted(archives_read, "archive");
    (session.say)(&format!("building {units} again from {archives}"));
    let folder = tempfile::tempdir().context("could not make a temporary folder")?;
    let folder = folder
        .path()
        .to_str()
        .context("the name of the temporary folder is not UTF-8")?;
    let rebuilt = Store::new(gleaner_store::Options::default())?.output(folder)?;
    let other_bytes = made.build_again(arguments, &sample, given, store, &rebuilt, session)?;
    let arguments_of = Corpus::complete(&rebuilt)?.arguments;
    let arguments_of = arguments_of.context("the second build kept no state")?;
    let compared = sample.compare(&rebuilt, &arguments_of, MOST)?;
    Ok(Against {
        same: compared.different == 0 && other_bytes.is_empty(),
        units: sample.all_units() as u64,
        units_compared: sample.units() as u64,
        archives: made.lines.len() as u64,
        archives_read,
        skipped,
        rows_compared: compared.rows,
        other_bytes,
        rows_that_differ: compared.different,
        differences: compared.differences,
    })
}

impl MadeFrom {
    fn read(arguments: &Verify, output: &Output) -> Result<MadeFrom> {
        let marker = Corpus::complete(output)?;
        let corpus = &arguments.corpus;
        let is_limited = marker.identity.options.contains_key("limit");
        if is_limited {
            bail!(
                "the corpus in '{corpus}' was built with --limit, so it cannot be compared with archives: build it without"
            );
        }
        let spec = BuildSpec::of_corpus(output, &marker)?;
        let build = spec.options(&given(arguments))?;
        let mut models = Models::choose(&build).map_err(|failure| failure.error)?;
        spec.take_models(&mut models, &|_| false)?;
        let identity = settings::identity(&build, &marker.identity.inputs, &models);
        spec.check_settings(&identity)?;
        let kept = marker.arguments.clone().context("the corpus keeps no state")?;
        let lines = InputLine::read(&Corpus::kept(output, KeptKind::Inputs, &kept.inputs)?)?;
        if let Some(InputLine { read, .. }) = lines.iter().find(|line| line.read.digest.is_none()) {
            bail!(
                "the corpus in '{corpus}' was built without all of '{}', which could not be read to its end: read it with `gleaner \
                 add` first",
                read.name
            );
        }
        Ok(MadeFrom {
            rules: read_rules(&Corpus::kept(output, KeptKind::Rules, &kept.rules)?)?,
            lines,
            marker,
            build,
            models,
            identity,
        })
    }

    /// Builds the captures of a sample. Gives the archives that have other bytes than the corpus was built from.
    fn build_again(
        &self,
        arguments: &Verify,
        sample: &UnitSample,
        given: Given<'_>,
        store: Store,
        rebuilt: &Output,
        session: &Session<'_>,
    ) -> Result<Vec<String>> {
        let corpus = Corpus::create(rebuilt.clone(), &self.identity, true)?;
        let lines = given.lines;
        let model = self.models.pages.model.clone();
        let mut config = BuildConfig::new(store, given.shards, corpus, model);
        settings::set(&mut config, &self.build);
        self.models.curation.set(&mut config);
        config.text_model = Some(self.models.texts.model.clone());
        config.method = self.models.method.as_ref().map(|method| method.labels.clone());
        config.workers = workers(&self.build)?;
        config.memory = arguments.memory.memory;
        // The tables of pages do not depend on these.
        (config.duplicates, config.repeats) = (None, None);
        config.rules.clone_from(&self.rules);
        config.terms = lines.iter().map(|line| terms(line)).collect();
        config.only = Some(sample.captures().clone());
        config.stop = session.stop().map_err(|failure| failure.error)?;
        config.progress = session.watchers.progress.clone();
        let drawn = Drawn::start(&config.progress, session.draws);
        let mut build = gleaner_dataflow::Build::begin(config)?;
        let built = build.run();
        drawn.stop();
        match built {
            Err(Error::Incomplete { missing }) => {
                let unread = missing
                    .iter()
                    .map(|unread| format!("could not read '{}': {}", unread.input, unread.cause));
                return Err(Lines(unread.collect::<Vec<_>>().join("\n")).into());
            }
            built => built?,
        };
        let read = build.archives();
        let differ = lines
            .iter()
            .zip(read)
            .filter(|(line, read)| line.read.digest != read.digest);
        Ok(differ.map(|(line, _)| archive_name(line)).collect())
    }
}

/// The options of a build that the command gives.
fn given(arguments: &Verify) -> Build {
    let mut build = crate::args::build_with(&arguments.against, &arguments.corpus);
    build.workers = arguments.workers;
    build.memory = arguments.memory.clone();
    build.model = arguments.model.clone();
    build.text_model.clone_from(&arguments.text_model);
    build.language_model.clone_from(&arguments.language_model);
    build.url_list.clone_from(&arguments.url_list);
    build.benchmarks.clone_from(&arguments.benchmarks);
    build.base_url.clone_from(&arguments.base_url);
    build.stores = arguments.stores.clone();
    build
}

fn terms(line: &InputLine) -> ArchiveTerms {
    ArchiveTerms {
        crawl: line.crawl.clone(),
        since: line.since,
        is_read_again: false,
    }
}

impl<'l> Given<'l> {
    fn find(
        arguments: &Verify,
        lines: &'l [InputLine],
        store: &Store,
        session: &Session<'_>,
    ) -> Result<Given<'l>> {
        let (against, base_url) = (&arguments.against, arguments.base_url.as_deref());
        if against.iter().any(inputs::is_standard_input) {
            bail!("an archive of a corpus has a name, and standard input ('-') has none: write it to a file");
        }
        let found = inputs::expand_listed(store, against, base_url, false, &*session.say)?;
        if let Some(unread) = found.unlisted.first() {
            bail!("{}", unread.cause);
        }
        let mut given = Given::default();
        let mut open: Vec<&InputLine> = lines.iter().collect();
        for shard in found.shards {
            match take_line(&mut open, lines, &shard, store)? {
                Some(line) => {
                    given.lines.push(line);
                    given.shards.push(shard);
                }
                None => given.skipped += 1,
            }
        }
        Ok(given)
    }

    /// Checks that all archives of a sample are there.
    fn check_complete(&self, sample: &UnitSample) -> Result<()> {
        let key = |line: &InputLine| {
            let crawl = line.crawl.as_ref().map_or("", Crawl::as_str);
            (crawl.to_owned(), line.read.name.clone())
        };
        let given: BTreeSet<(String, String)> = self.lines.iter().map(|line| key(line)).collect();
        let missing = sample.archives().difference(&given);
        let missing = missing.map(|(crawl, name)| match &**crawl {
            "" => name.clone(),
            crawl => format!("{crawl}/{name}"),
        });
        let missing: Vec<String> = missing.collect();
        if missing.is_empty() {
            return Ok(());
        }
        let (archives, units) = (missing.len() as u64, sample.units() as u64);
        let verb = if archives == 1 { "is" } else { "are" };
        let text = format!(
            "{} with pages of the {} to compare {verb} not among the inputs of --against: give all archives of the corpus, by the \
             same folders or patterns as to `build` and `add`\n{}",
            counted(archives, "archive"),
            counted(units, "unit"),
            names_text(&missing)
        );
        Err(Lines(text).into())
    }
}

/// The archive of the corpus that an input is. Where several crawls have archives of one name, their bytes decide.
fn take_line<'l>(
    open: &mut Vec<&'l InputLine>,
    all: &[InputLine],
    shard: &Shard,
    store: &Store,
) -> Result<Option<&'l InputLine>> {
    let is_named = |line: &InputLine| line.read.name == shard.name;
    let has_other_crawls = all.iter().filter(|line| is_named(line)).count() > 1;
    let digest = has_other_crawls
        .then(|| inputs::digest(shard, store))
        .transpose()?;
    let is_it = |line: &&InputLine| is_named(line) && (digest.is_none() || line.read.digest == digest);
    let place = open.iter().position(is_it);
    if place.is_none() && digest.is_some() {
        return Err(anyhow!(
            "several crawls of the corpus have an archive '{}', and '{}' has the bytes of none of them",
            shard.name,
            shard.location
        ));
    }
    Ok(place.map(|place| open.remove(place)))
}

impl Against {
    pub(crate) fn is_same(&self) -> bool {
        self.same
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |words: &str| text += &(plain::line(words).into_owned() + "\n");
        for archive in &self.other_bytes {
            line(&format!(
                "the archive '{archive}' has other bytes than the one that the corpus was built from"
            ));
        }
        for row in self.differences.iter().take(NAMED) {
            line(&row_text(row));
        }
        if let Some(more @ 1..) = self.rows_that_differ.checked_sub(NAMED as u64) {
            line(&format!("and {} more", counted(more, "row")));
        }
        if self.rows_that_differ > 0 {
            line("build the corpus again with --force, or restore it from a copy");
        }
        if self.skipped > 0 {
            line(&format!(
                "skipped {} that the corpus was not built from",
                counted(self.skipped, "file")
            ));
        }
        let rows: u64 = self.rows_compared.values().sum();
        let units = grouped(self.units_compared);
        let verdict = match self.rows_that_differ {
            0 => "all as in the archives".to_owned(),
            1 => "1 differs".to_owned(),
            differ => format!("{} differ", grouped(differ)),
        };
        line(&format!(
            "compared {} of {units} of {} with {} of {}: {verdict}",
            counted(rows, "row"),
            counted(self.units, "unit"),
            grouped(self.archives_read),
            counted(self.archives, "archive"),
        ));
        text
    }
}

fn row_text(row: &DifferentRow) -> String {
    let mut words = format!("{}:", row.table);
    let keys = row.key.iter().map(|(column, value)| (*column, Some(value)));
    let names = [("row", row.row_id.as_ref()), ("url", row.url.as_ref())];
    for (name, value) in names.into_iter().chain(keys) {
        if let Some(value) = value {
            words += &format!(" {name} {value}");
        }
    }
    let difference = match &row.difference {
        RowDifference::Values(columns) => {
            let plural = if columns.len() == 1 { "" } else { "s" };
            format!("other value{plural} in {}", columns.join(", "))
        }
        RowDifference::NotInArchives => "the archives do not give this row".to_owned(),
        RowDifference::NotInCorpus => "the corpus lacks this row".to_owned(),
    };
    format!("{words}: {difference}")
}
