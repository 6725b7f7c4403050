//! From what a person typed to the files it stands for.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::path::{Path, PathBuf};

use futures::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::ObjectMeta;
use object_store::path::Path as Key;

use crate::backend::{Object, Purpose};
use crate::retry::retried;
use crate::secret::shown;
use crate::{Error, Kind, Place, Shard, Store, list, probe};

/// As a shell does it: `*` stays within a folder and does not match a leading dot.
const MATCH: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// All shards of all inputs, sorted by name, each place once.
pub(crate) fn expand(store: &Store, inputs: &[String], base_url: Option<&str>) -> Result<Vec<Shard>, Error> {
    if inputs.is_empty() {
        return Err(Error::NoInputs);
    }
    let mut shards = Vec::new();
    for input in inputs {
        match input.strip_prefix('@') {
            Some(list) => shards.extend(list::expand(store, list, base_url)?),
            None => shards.extend(one(store, input)?),
        }
    }
    shards.sort();
    Ok(each_once(shards))
}

/// Each place once, under its first name. One that was named and found is one that was named.
fn each_once(shards: Vec<Shard>) -> Vec<Shard> {
    let mut kept: Vec<Shard> = Vec::with_capacity(shards.len());
    let mut indices: HashMap<Place, usize> = HashMap::new();
    for shard in shards {
        match indices.entry(real(&shard.place)) {
            Entry::Occupied(first) => kept[*first.get()].named |= shard.named,
            Entry::Vacant(new) => {
                new.insert(kept.len());
                kept.push(shard);
            }
        }
    }
    kept
}

/// The shards of one input that is not a list.
pub(crate) fn one(store: &Store, input: &str) -> Result<Vec<Shard>, Error> {
    match Place::parse(input)? {
        Place::Local(path) => local(&path, input),
        Place::Object { bucket, key } => store.handle().block_on(bucket_input(store, &bucket, &key, input)),
        place @ Place::Web { .. } => {
            let name = shown(input);
            let shard = store.handle().block_on(probe::shard(store, &place, &name))?;
            Ok(vec![shard.named()])
        }
    }
}

/// Whether a name has to be looked for rather than looked up.
pub(crate) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// The same file under two names is one place.
fn real(place: &Place) -> Place {
    match place {
        Place::Local(path) => Place::Local(path.canonicalize().unwrap_or_else(|_| path.clone())),
        other => other.clone(),
    }
}

fn local(path: &Path, input: &str) -> Result<Vec<Shard>, Error> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let found = folder(path)?;
            if found.is_empty() {
                return Err(Error::EmptyFolder {
                    input: input.to_owned(),
                });
            }
            Ok(found)
        }
        Ok(_) => Ok(vec![probe::local(path, input)?.named()]),
        // A name that exists is taken as it is, brackets and all.
        Err(_) if is_pattern(input) => local_pattern(input),
        Err(_) => Ok(vec![probe::local(path, input)?]),
    }
}

fn local_pattern(input: &str) -> Result<Vec<Shard>, Error> {
    let mut found = Vec::new();
    for path in matching(input)? {
        if path.is_dir() {
            found.extend(folder(&path)?);
        } else {
            found.push(probe::local(&path, name(&path)?)?);
        }
    }
    if found.is_empty() {
        return Err(Error::NoMatch {
            input: input.to_owned(),
        });
    }
    Ok(found)
}

/// What is there under names that match a pattern, part by part. (The walk of `glob` itself panics in folders that hold
/// names in no charset.)
fn matching(input: &str) -> Result<Vec<PathBuf>, Error> {
    let failed = |error| bad_pattern(input, &error);
    Pattern::new(input).map_err(failed)?;
    let root = if input.starts_with('/') { "/" } else { "" };
    let mut found = vec![PathBuf::from(root)];
    for part in input.split('/').filter(|part| !part.is_empty()) {
        if !is_pattern(part) {
            found.iter_mut().for_each(|path| path.push(part));
            found.retain(|path| path.symlink_metadata().is_ok());
            continue;
        }
        let pattern = Pattern::new(part).map_err(failed)?;
        let step = |path: &PathBuf| match part {
            "**" => folders_below(path),
            _ => children(path, |name| pattern.matches_with(name, MATCH)),
        };
        let next: Result<Vec<_>, _> = found.iter().map(step).collect();
        found = next?.into_iter().flatten().collect();
    }
    Ok(found)
}

/// What is in a folder under names that are asked for; nothing where it is none.
fn children(folder: &Path, is_asked_for: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Error> {
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    if !here.is_dir() {
        return Ok(Vec::new());
    }
    let names = entries(here)?
        .into_iter()
        .filter_map(|path| path.file_name().map(ToOwned::to_owned));
    Ok(names
        .filter(|name| is_asked_for(&name.to_string_lossy()))
        .map(|name| folder.join(name))
        .collect())
}

/// A folder and those in it at any depth, but for hidden ones and links.
fn folders_below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        let below = children(&folder, |name| !name.starts_with('.'))?;
        open.extend(
            below
                .into_iter()
                .filter(|path| path.is_dir() && !path.is_symlink()),
        );
        found.push(folder);
    }
    Ok(found)
}

/// Archives and HTML files in a folder and the folders within.
fn folder(root: &Path) -> Result<Vec<Shard>, Error> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    // Links can lead back to a folder above.
    let mut seen = HashSet::new();
    while let Some(folder) = open.pop() {
        let real = folder
            .canonicalize()
            .map_err(Error::io("could not read", &folder))?;
        if !seen.insert(real) {
            continue;
        }
        for path in entries(&folder)? {
            if path.is_dir() {
                open.push(path);
                continue;
            }
            // A pipe would be waited for without end.
            if path.metadata().is_ok_and(|there| !there.is_file()) {
                continue;
            }
            if let Some(kind) = path
                .file_name()
                .and_then(|name| Kind::of_found(&name.to_string_lossy()))
            {
                found.push(Shard {
                    kind,
                    ..probe::local(&path, name(&path)?)?
                });
            }
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = || {
        std::fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()
    };
    read().map_err(Error::io("could not read", folder))
}

fn name(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| Error::Name {
        input: path.display().to_string(),
    })
}

/// An object, a prefix that is used as a folder, or a pattern.
async fn bucket_input(store: &Store, bucket: &str, key: &str, input: &str) -> Result<Vec<Shard>, Error> {
    let place = Place::Object {
        bucket: bucket.to_owned(),
        key: key.trim_end_matches('/').to_owned(),
    };
    if !key.is_empty() && !key.ends_with('/') {
        match probe::shard(store, &place, input).await {
            Err(Error::Missing { .. } | Error::BadUrl { .. }) => {}
            found => return Ok(vec![found?.named()]),
        }
    }
    if is_pattern(key) {
        return bucket_pattern(store, bucket, key, input).await;
    }
    let is_ours = |key: &str| Kind::of_found(key);
    let found = listed(store, bucket, key, is_ours).await?;
    match (found.is_empty(), key.is_empty() || key.ends_with('/')) {
        (false, _) => Ok(found),
        (true, true) => Err(Error::EmptyFolder {
            input: input.to_owned(),
        }),
        (true, false) => Err(Error::Missing {
            input: input.to_owned(),
            hint: String::new(),
        }),
    }
}

async fn bucket_pattern(store: &Store, bucket: &str, key: &str, input: &str) -> Result<Vec<Shard>, Error> {
    let pattern = Pattern::new(key).map_err(|error| bad_pattern(input, &error))?;
    let literal = key.split(['*', '?', '[']).next().unwrap_or_default();
    let prefix = literal.rsplit_once('/').map_or("", |(folder, _)| folder);
    let matches = |key: &str| pattern.matches_with(key, MATCH).then(|| Kind::of_named(key));
    let found = listed(store, bucket, prefix, matches).await?;
    if found.is_empty() {
        return Err(Error::NoMatch {
            input: input.to_owned(),
        });
    }
    Ok(found)
}

/// The objects under a prefix that `kind` knows.
async fn listed(
    store: &Store,
    bucket: &str,
    prefix: &str,
    kind: impl Fn(&str) -> Option<Kind>,
) -> Result<Vec<Shard>, Error> {
    let place = Place::Object {
        bucket: bucket.to_owned(),
        key: prefix.trim_end_matches('/').to_owned(),
    };
    let object = store.object(&place, Purpose::Read)?;
    let metas = retried(store.options(), || list_all(&object)).await?;
    let shard = |meta: &ObjectMeta| {
        let key = meta.location.to_string();
        let kind = kind(&key)?;
        let place = Place::Object {
            bucket: bucket.to_owned(),
            key,
        };
        Some(probe::of_meta(&place, &place.to_string(), kind, meta))
    };
    Ok(metas.iter().filter_map(shard).collect())
}

/// The objects whose keys begin with that of `object`, as folders.
pub(crate) async fn list_all(object: &Object) -> Result<Vec<ObjectMeta>, Error> {
    let prefix = (object.path != Key::default()).then_some(&object.path);
    let metas = object.store.list(prefix).try_collect().await;
    metas.map_err(|error| object.error("could not list", error))
}

fn bad_pattern(input: &str, error: &glob::PatternError) -> Error {
    let detail = format!("{} at character {}", error.msg, error.pos + 1);
    Error::BadPattern {
        input: input.to_owned(),
        detail,
    }
}
