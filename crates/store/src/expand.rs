//! Inputs as the user types them, expanded to files.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf, is_separator};

use glob::{MatchOptions, Pattern};
use object_store::ObjectMeta;

use crate::listing::{self, Depth};
use crate::names::NameRoot;
use crate::place::is_pattern;
use crate::purpose::Purpose;
use crate::secret::shown;
use crate::{
    Error, Expanded, Kind, Note, Place, Shard, Store, keys, list, place, probe, shard, stdin, system, wacz,
};

/// As in a shell: `*` stays within a folder and does not match a leading dot.
const MATCH: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// All shards of all inputs, sorted by name, each file once.
pub(crate) fn expand(store: &Store, inputs: &[String], base_url: Option<&str>) -> Result<Expanded, Error> {
    if inputs.is_empty() {
        return Err(Error::NoInputs);
    }
    if inputs.iter().filter(|input| stdin::is_read_by(input)).count() > 1 {
        return Err(Error::StandardInput("it is given twice; it can be read once"));
    }
    let mut found = Expanded::default();
    for input in inputs {
        let more = match input.strip_prefix('@') {
            Some(list) => list::expand(store, list, base_url, one),
            None if input == stdin::NAME => stdin::shards(store).map(Expanded::from),
            None => one(store, input, NameRoot::Input),
        };
        found.take(more)?;
    }
    once_each(&mut found);
    open_wacz(store, &mut found)?;
    found.notes.sort();
    found.notes.dedup();
    let mut said = HashSet::new();
    found.unlisted.retain(|error| said.insert(error.to_string()));
    Ok(found)
}

/// Keeps each file once, under the first of its names. A file that was both named and found counts as named.
fn once_each(found: &mut Expanded) {
    found.shards.sort();
    let (mut seen, mut kept) = (HashMap::new(), Vec::<Shard>::new());
    for shard in std::mem::take(&mut found.shards) {
        let member = shard.member.as_ref().map(|member| member.start);
        match seen.entry((real(&shard.place), member)) {
            Entry::Vacant(new) => {
                new.insert(kept.len());
                kept.push(shard);
            }
            Entry::Occupied(at) => {
                let first = &mut kept[*at.get()];
                first.named |= shard.named;
                if first.location != shard.location {
                    let note = Note::SameFile(shard.location, first.location.clone());
                    found.notes.push(note);
                }
            }
        }
    }
    found.shards = kept;
}

/// Puts the archives in them in the place of WACZ files.
fn open_wacz(store: &Store, found: &mut Expanded) -> Result<(), Error> {
    let shards = std::mem::take(&mut found.shards).into_iter();
    let (packed, plain): (Vec<Shard>, Vec<Shard>) = shards.partition(wacz::is_named);
    found.shards = plain;
    for shard in packed {
        match wacz::members(store, shard.clone()) {
            // A file that was found by a pattern is a reject: its reader reports that it is no archive.
            Err(Error::Wacz(..)) if !shard.named => found.shards.push(shard),
            members => found.take(members.map(Expanded::from))?,
        }
    }
    found.shards.sort();
    Ok(())
}

/// The shards of one input that is not a list.
pub(crate) fn one(store: &Store, input: &str, root: NameRoot<'_>) -> Result<Expanded, Error> {
    let shards = match Place::parse(input)? {
        Place::Local(path) => return local(store, &path, input, root),
        Place::Object { bucket, key } => store
            .handle()
            .block_on(bucket_input(store, &bucket, &key, input, root))?,
        place @ Place::Web { .. } => {
            let location = shown(input);
            let shard = store.handle().block_on(probe::shard(store, &place, &location))?;
            vec![file(shard, root)]
        }
    };
    Ok(shards.into())
}

/// A file that is an input by itself.
fn file(shard: Shard, root: NameRoot<'_>) -> Shard {
    let name = root.file(&shard.place);
    shard.named().called(name)
}

/// Gives files that were found in a folder their names.
fn named_below(folder: &Path, found: Expanded, root: NameRoot<'_>) -> Expanded {
    let folder = Place::Local(folder.to_owned());
    let called = |shard: Shard| {
        let name = root.found(&shard.place, &folder);
        shard.called(name)
    };
    Expanded {
        shards: found.shards.into_iter().map(called).collect(),
        ..found
    }
}

/// The same file under two names is one place.
fn real(place: &Place) -> Place {
    match place {
        Place::Local(path) => Place::Local(path.canonicalize().unwrap_or_else(|_| path.clone())),
        other => other.clone(),
    }
}

fn local(store: &Store, path: &Path, input: &str, root: NameRoot<'_>) -> Result<Expanded, Error> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let found = folder(store, path)?;
            let found = found.or_nothing(input, || empty(store, input))?;
            Ok(named_below(path, found, root))
        }
        Ok(_) => Ok(vec![file(probe::local(path, input)?, root)].into()),
        // A name that exists is no pattern, even with brackets.
        Err(_) => match place::local_pattern(input)? {
            Some(pattern) => local_pattern(store, &pattern, input, root),
            None => Ok(vec![probe::local(path, input)?].into()),
        },
    }
}

fn local_pattern(store: &Store, pattern: &OsStr, input: &str, root: NameRoot<'_>) -> Result<Expanded, Error> {
    let mut found = Expanded::default();
    let (fixed, paths) = matching(pattern, input, &written(store), &mut found)?;
    for path in paths {
        match look_at(&path, &mut found) {
            Some(there) if there.is_dir() => found.take(folder(store, &path))?,
            Some(_) => found.take(shard_of(&path).map(|shard| vec![shard].into()))?,
            None => {}
        }
    }
    let found = found.or_nothing(input, || Error::NoMatch(input.to_owned()))?;
    Ok(named_below(&fixed, found, root))
}

/// What is there under names that match a pattern, part by part, except what is written meanwhile; and the folder before
/// the first wildcard. Folders out of reach are added to `found`. (The walk of `glob` itself panics in folders that hold
/// names in no charset.)
fn matching(
    pattern: &OsStr,
    input: &str,
    written: &[PathBuf],
    found: &mut Expanded,
) -> Result<(PathBuf, Vec<PathBuf>), Error> {
    let failed = |error| bad_pattern(input, &error);
    Pattern::new(&pattern.to_string_lossy()).map_err(failed)?;
    let (mut fixed, rest) = rooted(Path::new(pattern));
    let (mut paths, mut is_searched) = (vec![fixed.clone()], false);
    let bytes = rest.as_os_str().as_encoded_bytes();
    for part in bytes
        .split(|&byte| is_separator(byte.into()))
        .filter(|part| !part.is_empty())
    {
        let name = String::from_utf8_lossy(part);
        if is_pattern(&name) {
            let pattern = Pattern::new(&name).map_err(failed)?;
            let step = |path: &PathBuf| match part {
                b"**" => folders_below(path, written, found),
                _ => children(path, |name| pattern.matches_with(name, MATCH), found),
            };
            let next: Result<Vec<_>, _> = paths.iter().map(step).collect();
            (paths, is_searched) = (next?.into_iter().flatten().collect(), true);
        } else {
            paths.iter_mut().for_each(|path| path.push(system::name(part)));
            paths.retain(|path| path.symlink_metadata().is_ok());
            if !is_searched {
                fixed.push(system::name(part));
            }
        }
        paths.retain(|path| !is_searched || !is_written(path, written));
    }
    Ok((fixed, paths))
}

/// A path without its beginning that names no folder: `/`, on Windows also a drive, and the beginning.
fn rooted(path: &Path) -> (PathBuf, &Path) {
    let root = path
        .components()
        .take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir));
    let root: PathBuf = root.collect();
    let rest = path.strip_prefix(&root).unwrap_or(path);
    (root, rest)
}

/// Where the files and folders are that are written while inputs are read, as far as they are there.
fn written(store: &Store) -> Vec<PathBuf> {
    let paths = store.options().written.iter();
    paths.filter_map(|path| path.canonicalize().ok()).collect()
}

fn is_written(path: &Path, written: &[PathBuf]) -> bool {
    !written.is_empty() && path.canonicalize().is_ok_and(|path| written.contains(&path))
}

/// The entries of a folder with wanted names; none if it is no folder, or out of reach.
fn children(
    folder: &Path,
    is_wanted: impl Fn(&str) -> bool,
    found: &mut Expanded,
) -> Result<Vec<PathBuf>, Error> {
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    if !here.is_dir() {
        return Ok(Vec::new());
    }
    let names = found.reached(entries(here))?;
    let names = names
        .iter()
        .filter_map(|path| path.file_name().map(ToOwned::to_owned));
    Ok(names
        .filter(|name| is_wanted(&name.to_string_lossy()))
        .map(|name| folder.join(name))
        .collect())
}

/// A folder and those in it at any depth, but for hidden ones, links, and what is written meanwhile.
fn folders_below(folder: &Path, written: &[PathBuf], found: &mut Expanded) -> Result<Vec<PathBuf>, Error> {
    let (mut folders, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        let below = children(&folder, |name| !name.starts_with('.'), found)?;
        open.extend(
            below
                .into_iter()
                .filter(|path| path.is_dir() && !path.is_symlink() && !is_written(path, written)),
        );
        folders.push(folder);
    }
    Ok(folders)
}

/// The error that a folder has no file to read.
fn empty(store: &Store, input: &str) -> Error {
    let texts = if store.options().texts {
        ", no text (.txt, .txt.gz, .txt.zst)"
    } else {
        ""
    };
    Error::EmptyFolder(input.to_owned(), texts)
}

/// Archives and HTML files in a folder and the folders within, and plain texts if they are wanted; not what is written
/// meanwhile. Links are followed last, so that a folder has its own name and not that of a link to it.
fn folder(store: &Store, root: &Path) -> Result<Expanded, Error> {
    let (mut found, written) = (Expanded::default(), written(store));
    let (mut open, mut links) = (vec![root.to_owned()], Vec::new());
    // Links can lead back to a folder above.
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    while let Some(folder) = open.pop().or_else(|| links.pop()) {
        match seen.entry(folder.canonicalize().unwrap_or_else(|_| folder.clone())) {
            Entry::Vacant(new) => drop(new.insert(folder.clone())),
            Entry::Occupied(first) => {
                let [second, first] = [&folder, first.get()].map(|path| place::typed_path(path).into_owned());
                found.notes.push(Note::SameFolder(second, first));
                continue;
            }
        }
        let mut paths = found.reached(entries(&folder))?;
        paths.sort_by(|a, b| b.cmp(a));
        for path in paths.into_iter().filter(|path| !is_written(path, &written)) {
            match look_at(&path, &mut found) {
                Some(there) if there.is_dir() && path.is_symlink() => links.push(path),
                Some(there) if there.is_dir() => open.push(path),
                Some(there) if there.is_file() => {
                    let shard = found.reached(in_folder(store, &path))?;
                    found.shards.extend(shard);
                }
                // A pipe would be waited for without end.
                Some(_) | None => {}
            }
        }
    }
    Ok(found)
}

/// What is at a path that was found in a folder. None if nothing is: a link that leads nowhere is a warning. What is out
/// of reach is none either, and counts as an input that was not read.
fn look_at(path: &Path, found: &mut Expanded) -> Option<Metadata> {
    match path.metadata() {
        Ok(there) => return Some(there),
        Err(error) if path.is_symlink() && is_nowhere(&error) => {
            let link = place::typed_path(path).into_owned();
            found.notes.push(Note::Nowhere(link));
        }
        // It was removed after the folder was listed.
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => found.unlisted.push(Error::io("could not read", path)(error)),
    }
    None
}

/// Whether a link with this error leads to nothing, or to itself.
fn is_nowhere(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || system::is_loop(error)
}

/// A file in a folder, if it is an archive or a page by its name. A text beside a page of the same name is the gold text of
/// that page; so is `N-cleaned.txt` beside `N.html`, as the CleanEval shared task has it.
fn in_folder(store: &Store, path: &Path) -> Result<Option<Shard>, Error> {
    let is_text = |name: &str| {
        store.options().texts && shard::text_stem(name).is_some_and(|stem| !has_page_beside(path, stem))
    };
    let kind = path.file_name().and_then(|name| {
        let name = name.to_string_lossy();
        Kind::from_found_or_wacz(&name).or_else(|| is_text(&name).then_some(Kind::Archive))
    });
    let shard = |kind| {
        Ok(Shard {
            kind,
            ..shard_of(path)?
        })
    };
    kind.map(shard).transpose()
}

/// Whether there is a page of a name in the folder of a file.
fn has_page_beside(path: &Path, stem: &str) -> bool {
    let stems = [Some(stem), stem.strip_suffix("-cleaned")];
    let pages = stems.into_iter().flatten().flat_map(|stem| {
        let ends = ["html", "htm", "xhtml"].iter();
        ends.flat_map(move |end| [format!("{stem}.{end}"), format!("{stem}.{end}.gz")])
    });
    pages
        .map(|page| path.with_file_name(page))
        .any(|page| page.is_file())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = || {
        std::fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()
    };
    read().map_err(Error::io("could not read", folder))
}

/// The shard at a path that was found. One that is not UTF-8 has the location and the place of its URL.
fn shard_of(path: &Path) -> Result<Shard, Error> {
    match path.to_str() {
        Some(name) => probe::local(path, &system::typed(name)),
        None => probe::local(&place::absolute(path), &place::typed_path(path)),
    }
}

/// An object, a prefix that is used as a folder, or a pattern. An extra slash before the key is ignored
/// where no key begins with it.
async fn bucket_input(
    store: &Store,
    bucket: &str,
    key: &str,
    input: &str,
    root: NameRoot<'_>,
) -> Result<Vec<Shard>, Error> {
    match bucket_key(store, bucket, key, input, root).await {
        Err(error) if key.starts_with('/') && is_nothing(&error) => {
            bucket_key(store, bucket, key.trim_start_matches('/'), input, root).await
        }
        found => found,
    }
}

fn is_nothing(error: &Error) -> bool {
    matches!(
        error,
        Error::Missing(..) | Error::EmptyFolder(..) | Error::NoMatch(..)
    )
}

async fn bucket_key(
    store: &Store,
    bucket: &str,
    key: &str,
    input: &str,
    root: NameRoot<'_>,
) -> Result<Vec<Shard>, Error> {
    if !key.is_empty() && !key.ends_with('/') {
        let place = Place::Object {
            bucket: bucket.to_owned(),
            key: key.to_owned(),
        };
        match probe::shard(store, &place, input).await {
            Err(Error::Missing(..) | Error::BadUrl(..)) => {}
            found => return Ok(vec![file(found?, root)]),
        }
    }
    if is_pattern(key) {
        return bucket_pattern(store, bucket, key, input, root).await;
    }
    let is_folder = key.is_empty() || key.ends_with('/');
    let prefix = if is_folder {
        key.to_owned()
    } else {
        format!("{key}/")
    };
    let is_text = |key: &str| store.options().texts && shard::text_stem(key).is_some();
    let is_ours = |key: &str| Kind::from_found_or_wacz(key).or_else(|| is_text(key).then_some(Kind::Archive));
    let found = listed(store, bucket, &prefix, root, is_ours).await?;
    match (found.is_empty(), is_folder) {
        (false, _) => Ok(found),
        (true, true) => Err(empty(store, input)),
        (true, false) => Err(Error::Missing(input.to_owned(), String::new())),
    }
}

async fn bucket_pattern(
    store: &Store,
    bucket: &str,
    key: &str,
    input: &str,
    root: NameRoot<'_>,
) -> Result<Vec<Shard>, Error> {
    let pattern = Pattern::new(key).map_err(|error| bad_pattern(input, &error))?;
    let literal = key.split(['*', '?', '[']).next().unwrap_or_default();
    let prefix = literal.rfind('/').map_or("", |slash| &literal[..=slash]);
    let matches = |key: &str| pattern.matches_with(key, MATCH).then(|| Kind::from_named(key));
    let found = listed(store, bucket, prefix, root, matches).await?;
    if found.is_empty() {
        return Err(Error::NoMatch(input.to_owned()));
    }
    Ok(found)
}

/// The objects under a prefix (empty, or with a slash at its end) that `kind` accepts.
async fn listed(
    store: &Store,
    bucket: &str,
    prefix: &str,
    root: NameRoot<'_>,
    kind: impl Fn(&str) -> Option<Kind>,
) -> Result<Vec<Shard>, Error> {
    let place = |key: &str| Place::Object {
        bucket: bucket.to_owned(),
        key: key.to_owned(),
    };
    let object = store.object(&place(keys::folder(prefix)), Purpose::Read)?;
    let found = listing::list(&object, prefix, Depth::All, store.options()).await?;
    let shard = |meta: &ObjectMeta| {
        let (key, shown) = keys::key_of(&meta.location);
        let kind = shown.starts_with(prefix).then(|| kind(&shown))??;
        let location = place(&shown);
        let found = probe::of_meta(&place(&key), &location.to_string(), kind, meta);
        Some(found.called(root.found(&location, &place(prefix))))
    };
    Ok(found.objects.iter().filter_map(shard).collect())
}

fn bad_pattern(input: &str, error: &glob::PatternError) -> Error {
    let detail = format!("{} at character {}", error.msg, error.pos + 1);
    Error::BadPattern(input.to_owned(), detail)
}
