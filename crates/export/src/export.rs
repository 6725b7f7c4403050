//! An export: the pages of a selection become files, and a manifest that says what they are.
//!
//! When a shard is whole, `export.json` names it, and what has been counted up to it. An interrupted export continues behind the
//! last shard that is named there, and ends in the same files. `manifest.json` takes its place at the end.

use std::collections::BTreeSet;

use gleaner_store::{Hold, Output};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::format::Format;
use crate::format::body::Record;
use crate::format::parquet::schema;
use crate::funnel::Funnel;
use crate::page_set::number_of;
use crate::pages::Position;
use crate::recipe::{Column, PersonalAction};
use crate::sample::key;
use crate::selection::{Page, Selected, Selection};
use crate::shards::{ShardFile, ShardForm, Shards};
use crate::shuffle::Shuffle;

const MANIFEST: &str = "manifest.json";
const PROGRESS: &str = "export.json";

/// What is asked for. The same request gives the same files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The version of gleaner.
    pub gleaner: String,
    /// The version of the corpus.
    pub corpus_version: u64,
    /// The digest of the names of all files of the corpus, as `gleaner files --digest` prints it.
    pub corpus_digest: String,
    /// The text of the recipe.
    pub recipe: String,
    /// What is done with personal data.
    pub personal: String,
    /// The name of the format.
    pub format: String,
    /// The bytes of a shard before they are compressed.
    pub shard_bytes: u64,
}

/// An export that is complete: `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// What was asked for.
    pub request: Request,
    /// The files.
    pub files: Vec<ShardFile>,
    /// What was counted.
    pub funnel: Funnel,
}

/// How far an export is: `export.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    request: Request,
    files: Vec<ShardFile>,
    /// The piece that the next page is of, and how many of its pages are written. Of shuffled pages, how many are written in all.
    next: Position,
    written: u64,
    /// What was counted before that piece.
    funnel: Funnel,
}

impl Request {
    /// A request.
    pub fn new(selection: &Selection, recipe: &str, format: Format, shard_bytes: u64) -> Request {
        let personal: &str = match selection.recipe().personal.action {
            PersonalAction::Mask => "mask",
            PersonalAction::Drop => "drop",
            PersonalAction::Keep => "keep",
        };
        Request {
            gleaner: env!("CARGO_PKG_VERSION").to_owned(),
            corpus_version: selection.version(),
            corpus_digest: selection.corpus_digest(),
            recipe: recipe.to_owned(),
            personal: personal.to_owned(),
            format: format.name().to_owned(),
            shard_bytes,
        }
    }

    /// In what two requests differ, a phrase each.
    fn differences(&self, there: &Request) -> Vec<String> {
        let Request {
            gleaner,
            corpus_version,
            corpus_digest,
            recipe,
            personal,
            format,
            shard_bytes,
        } = self;
        let both = |name: &str, there: &dyn std::fmt::Display, here: &dyn std::fmt::Display| {
            let [there, here] = [there, here].map(ToString::to_string);
            (there != here).then(|| format!("{name}: {there} there, {here} in this command"))
        };
        let corpus = (*corpus_digest != there.corpus_digest && *corpus_version == there.corpus_version)
            .then(|| "another corpus".to_owned());
        let recipe = (*recipe != there.recipe).then(|| "another recipe".to_owned());
        let named = [
            both("gleaner", &there.gleaner, gleaner),
            both("version of the corpus", &there.corpus_version, corpus_version),
            corpus,
            recipe,
            both("--pii", &there.personal, personal),
            both("--format", &there.format, format),
            both("--shard-size", &there.shard_bytes, shard_bytes),
        ];
        named.into_iter().flatten().collect()
    }
}

/// Counts what each step of a recipe leaves out, and writes nothing. Waits for the store.
///
/// # Errors
/// The corpus cannot be read.
pub fn count(selection: &Selection) -> Result<Funnel, Error> {
    let mut funnel = selection.funnel();
    let columns = selection.changed_columns();
    let counted = |selected: Selected| Ok(selected.funnel);
    selection.each(&columns, Position::default(), counted, |next| {
        funnel.add(next);
        Ok(())
    })?;
    Ok(funnel)
}

/// Whether an export of this request could begin or continue in an output. Nothing is written.
///
/// # Errors
/// The output holds other files, another export, or this one, complete.
pub fn inspect(output: &Output, request: &Request) -> Result<(), Error> {
    progress(output, request).map(drop)
}

/// Writes the pages of a selection. Waits for the store.
///
/// # Errors
/// As [`inspect`]; another run writes to the output; the corpus cannot be read, or the output not be written to.
pub fn export(
    selection: &Selection,
    request: Request,
    format: Format,
    output: &Output,
) -> Result<Manifest, Error> {
    // Looked at before it is taken: what is refused need not be writable.
    check_format(selection, format)?;
    progress(output, &request)?;
    let hold = output.hold()?;
    let begun = progress(output, &request)?;
    let progress = begun.unwrap_or_else(|| Progress {
        funnel: selection.funnel(),
        request,
        files: Vec::new(),
        next: Position::default(),
        written: 0,
    });
    Export::new(selection, format, output, progress, hold)?.run()
}

/// Whether pages can be written in this form.
fn check_format(selection: &Selection, format: Format) -> Result<(), Error> {
    if format != Format::Markdown {
        return Ok(());
    }
    match selection.lacks_markdown()? {
        _ if selection.recipe().lines.is_active() => Err(Error::LinesOfMarkdown),
        Some(page) => Err(Error::NoMarkdown(page)),
        None => Ok(()),
    }
}

/// What an interrupted export of the same request has written.
fn progress(output: &Output, request: &Request) -> Result<Option<Progress>, Error> {
    let folder = || output.place().to_string();
    let other = |there: &Request| match request.differences(there) {
        same if same.is_empty() => None,
        differences => Some(Error::Other(folder(), differences.join("; "))),
    };
    if let Some(bytes) = output.get(PROGRESS)? {
        let progress: Progress =
            serde_json::from_slice(&bytes).map_err(|_| Error::Changed(PROGRESS.to_owned()))?;
        return match other(&progress.request) {
            Some(error) => Err(error),
            None => check_files(output, &progress.files).map(|()| Some(progress)),
        };
    }
    if let Some(bytes) = output.get(MANIFEST)?
        && let Ok(manifest) = serde_json::from_slice::<Manifest>(&bytes)
    {
        return Err(other(&manifest.request).unwrap_or_else(|| Error::Complete(folder())));
    }
    let top = match output.top() {
        Ok(names) => names,
        // There is no folder yet.
        Err(_) if output.list("")?.is_empty() => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    match top
        .into_iter()
        .find(|name| !Output::is_partial(name) && !Output::is_lock(name))
    {
        Some(name) => Err(Error::Foreign(folder(), name)),
        None => Ok(None),
    }
}

/// The shards that are there are those that were written.
fn check_files(output: &Output, files: &[ShardFile]) -> Result<(), Error> {
    let there = output.list("")?;
    for file in files {
        let folder = format!("{}/", file.name);
        let own = there
            .iter()
            .filter(|entry| entry.name == file.name || entry.name.starts_with(&folder));
        if own.map(|entry| entry.size).sum::<u64>() != file.bytes {
            return Err(Error::Changed(output.place_of(&file.name).to_string()));
        }
    }
    Ok(())
}

/// An export that is written.
struct Export<'a> {
    selection: &'a Selection,
    format: Format,
    columns: Vec<Column>,
    output: &'a Output,
    shards: Shards<'a>,
    progress: Progress,
    /// Pages that an earlier run has written, and that come again.
    skip: u64,
    _hold: Hold,
}

impl<'a> Export<'a> {
    fn new(
        selection: &'a Selection,
        format: Format,
        output: &'a Output,
        progress: Progress,
        hold: Hold,
    ) -> Result<Export<'a>, Error> {
        let columns = format.columns(&selection.recipe().columns);
        let form = ShardForm {
            format,
            bytes: progress.request.shard_bytes.max(1),
            schema: schema(&columns),
        };
        remove_partial(output, &progress.files)?;
        put(output, PROGRESS, &progress)?;
        Ok(Export {
            selection,
            format,
            columns,
            output,
            shards: Shards::new(output, form, progress.files.len()),
            skip: progress.written,
            progress: Progress {
                written: 0,
                ..progress
            },
            _hold: hold,
        })
    }

    fn run(mut self) -> Result<Manifest, Error> {
        match self.selection.recipe().shuffle {
            Some(seed) => self.run_shuffled(seed)?,
            None => self.run_in_order()?,
        }
        if let Some(file) = self.shards.end()? {
            self.progress.files.push(file);
        }
        let manifest = Manifest {
            request: self.progress.request,
            files: self.progress.files,
            funnel: self.progress.funnel,
        };
        put(self.output, MANIFEST, &manifest)?;
        self.output.delete(PROGRESS)?;
        Ok(manifest)
    }

    fn run_in_order(&mut self) -> Result<(), Error> {
        let (selection, format, columns) = (self.selection, self.format, self.columns.clone());
        let written = |selected| Written::of(format, &columns, None, selected);
        selection.each(&columns, self.progress.next, written, |piece| {
            self.progress.next = piece.position;
            self.progress.written = 0;
            piece
                .records
                .into_iter()
                .try_for_each(|(_, record)| self.push(record))?;
            self.progress.funnel.add(piece.funnel);
            Ok(())
        })
    }

    fn run_shuffled(&mut self, seed: u32) -> Result<(), Error> {
        let mut shuffle = Shuffle::new(self.output);
        let mut funnel = self.selection.funnel();
        let (format, columns) = (self.format, self.columns.clone());
        let written = |selected| Written::of(format, &columns, Some(seed), selected);
        self.selection
            .each(&columns, Position::default(), written, |piece| {
                let mut records = piece.records.iter();
                records.try_for_each(|(key, record)| shuffle.push(*key, record))?;
                funnel.add(piece.funnel);
                Ok(())
            })?;
        self.progress.written = 0;
        shuffle.each(&mut |record| self.push(record))?;
        self.progress.funnel = funnel;
        Ok(())
    }

    fn push(&mut self, record: Record) -> Result<(), Error> {
        self.selection.check()?;
        self.progress.written += 1;
        if self.progress.written <= self.skip {
            return Ok(());
        }
        self.skip = 0;
        if let Some(file) = self.shards.push(record)? {
            self.progress.files.push(file);
            put(self.output, PROGRESS, &self.progress)?;
        }
        Ok(())
    }
}

/// The pages of a piece as they are written, each with its key.
struct Written {
    records: Vec<(u128, Record)>,
    funnel: Funnel,
    position: Position,
}

impl Written {
    fn of(
        format: Format,
        columns: &[Column],
        seed: Option<u32>,
        selected: Selected,
    ) -> Result<Written, Error> {
        let crawl = selected.crawl.as_deref();
        let record = |page: Page| {
            let key = key(seed, &page.row_id, number_of(&page.row_id).unwrap_or_default());
            Ok((key, Record::of(format, columns, page, crawl)?))
        };
        Ok(Written {
            records: selected
                .pages
                .into_iter()
                .map(record)
                .collect::<Result<_, Error>>()?,
            funnel: selected.funnel,
            position: selected.position,
        })
    }
}

/// Removes what a killed run has left: files that are not whole, and folders that no shard names.
fn remove_partial(output: &Output, files: &[ShardFile]) -> Result<(), Error> {
    let known: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let is_known = |name: &str| {
        let folder = name.split('/').next().unwrap_or_default();
        known.contains(name) || known.contains(folder) || matches!(name, PROGRESS) || Output::is_lock(name)
    };
    let gone = output.list("")?.into_iter().map(|entry| entry.name);
    let gone: Vec<String> = gone.filter(|name| !is_known(name)).collect();
    Ok(output.delete_all(&gone)?)
}

fn put(output: &Output, name: &str, value: &impl Serialize) -> Result<(), Error> {
    let mut bytes =
        serde_json::to_vec_pretty(value).map_err(|error| Error::Write(name.to_owned(), error.into()))?;
    bytes.push(b'\n');
    Ok(output.put(name, &bytes)?)
}
