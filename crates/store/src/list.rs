//! `@list.txt`: inputs from a file, one a line, as Common Crawl's `warc.paths.gz`; `@-`: from standard input.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use futures::{StreamExt, stream};

use crate::names::NameRoot;
use crate::place::{is_pattern, typed_path};
use crate::secret::shown;
use crate::{Error, Expanded, Place, Shard, Store, probe, stdin, system};

/// The longest list, in bytes: a hundred times that of a Common Crawl month.
const LIMIT: u64 = 1 << 30;

/// A line that names an input.
struct Line<'a> {
    number: usize,
    input: String,
    /// The folder a relative line was resolved against.
    base: Option<&'a Place>,
}

/// Finds the shards of an input that is no list.
pub(crate) type FindShards = fn(&Store, &str, NameRoot<'_>) -> Result<Expanded, Error>;

/// The shards of the inputs in a list; `find` finds those of patterns and folders.
pub(crate) fn expand(
    store: &Store,
    list: &str,
    base_url: Option<&str>,
    find: FindShards,
) -> Result<Expanded, Error> {
    let place = Place::parse(list)?;
    let list = &*shown(list);
    let text = text(store, &place, list)?;
    let base = match base_url {
        Some(base) => Place::parse_folder(base)?,
        None => folder(&place),
    };
    let lines = lines(&text, &place, &base).map_err(|at| {
        let detail = format!("byte {at} is not UTF-8 text: save the list as UTF-8");
        Error::BadList(format!("@{list}"), detail)
    })?;
    if lines.is_empty() {
        return Err(Error::EmptyList(format!("@{list}")));
    }
    let (mut found, mut single) = (Expanded::default(), Vec::new());
    for line in lines {
        let looked_up = check(&line, &place).map_err(|error| line.error(list, error))?;
        match looked_up {
            Some(place) => single.push((line, place)),
            None => found.take(line.expanded(list, find(store, &line.input, line.root())))?,
        }
    }
    for shard in store.handle().block_on(probe_all(store, list, single)) {
        found.take(shard.map(|shard| vec![shard].into()))?;
    }
    Ok(found)
}

/// Requests the sizes of remote objects, many at a time.
async fn probe_all(store: &Store, list: &str, lines: Vec<(Line<'_>, Place)>) -> Vec<Result<Shard, Error>> {
    stream::iter(lines)
        .map(|(line, place)| async move {
            let shard = probe::shard(store, &place, &shown(&line.input)).await;
            let called = |shard: Shard| shard.called(line.root().file(&place));
            shard.map(called).map_err(|error| line.error(list, error))
        })
        .buffered(store.options().probes.max(1))
        .collect()
        .await
}

/// The folder that lines are relative to: that of the list; of a list that comes through a pipe, the working folder.
fn folder(list: &Place) -> Place {
    match list {
        Place::Local(path) if is_standard_input(list) || is_pipe(path) => Place::Local(PathBuf::new()),
        list => list.parent(),
    }
}

fn is_standard_input(list: &Place) -> bool {
    matches!(list, Place::Local(path) if path.as_os_str() == stdin::NAME)
}

/// Whether a path is a pipe or an open file of this process, which may be a file elsewhere.
fn is_pipe(path: &Path) -> bool {
    let open_files = ["/dev/stdin", "/dev/fd", "/proc"];
    open_files.iter().any(|open| path.starts_with(open))
        || path.metadata().is_ok_and(|there| !there.is_file())
}

fn text(store: &Store, place: &Place, list: &str) -> Result<Vec<u8>, Error> {
    let bytes = match is_standard_input(place) {
        true => stdin::bytes(LIMIT)?.into(),
        false => store.read(place, LIMIT)?,
    };
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => unzip(&bytes).map_err(|detail| Error::BadList(format!("@{list}"), detail)),
        false => Ok(bytes.into()),
    }
}

fn unzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take(LIMIT + 1);
    reader
        .read_to_end(&mut plain)
        .map_err(|error| format!("gzip: {error}"))?;
    match plain.len() as u64 > LIMIT {
        true => Err(format!("more than {LIMIT} bytes")),
        false => Ok(plain),
    }
}

/// The lines that name inputs; else where the first byte is that is no text.
fn lines<'a>(text: &[u8], list: &Place, base: &'a Place) -> Result<Vec<Line<'a>>, usize> {
    const MARK: &str = "\u{feff}";
    let (mut lines, mut start) = (Vec::new(), 0);
    for (at, whole) in text.split(|&byte| byte == b'\n').enumerate() {
        match std::str::from_utf8(whole) {
            Ok(line) => {
                let line = line.strip_prefix(MARK).filter(|_| at == 0).unwrap_or(line).trim();
                if !line.is_empty() && !line.starts_with('#') {
                    lines.push(resolve(at + 1, line, list, base));
                }
            }
            Err(error) => {
                let odd = odd_path(whole.trim_ascii(), list, base);
                lines.push(Line {
                    number: at + 1,
                    input: odd.ok_or(start + error.valid_up_to())?,
                    base: Some(base),
                });
            }
        }
        start += whole.len() + 1;
    }
    Ok(lines)
}

/// A line that is no text as the URL of a local file; `None` if it cannot be the name of one.
fn odd_path(line: &[u8], list: &Place, base: &Place) -> Option<String> {
    let Place::Local(folder) = base else { return None };
    let can_be_path = list.is_local() && !line.iter().any(u8::is_ascii_control);
    can_be_path.then(|| typed_path(&folder.join(system::name(line))).into_owned())
}

fn resolve<'a>(number: usize, line: &str, list: &Place, base: &'a Place) -> Line<'a> {
    let absolute = line.contains("://") || (Path::new(line).has_root() && list.is_local());
    if absolute {
        return Line {
            number,
            input: line.to_owned(),
            base: None,
        };
    }
    let input = base.join(line.trim_start_matches('/')).typed();
    Line {
        number,
        input,
        base: Some(base),
    }
}

/// The place of a line that names one remote object; `None` for anything else.
///
/// # Errors
///
/// A remote list that names files of this machine.
fn check(line: &Line<'_>, list: &Place) -> Result<Option<Place>, Error> {
    let place = Place::parse(&line.input)?;
    if place.is_local() && !list.is_local() && line.base.is_none() {
        let detail = "a list from elsewhere cannot name local files".to_owned();
        return Err(Error::BadUrl(shown(&line.input).into_owned(), detail));
    }
    let single = match &place {
        Place::Local(_) => false,
        Place::Object { key, .. } => !is_pattern(key) && !key.is_empty() && !key.ends_with('/'),
        Place::Web { .. } => true,
    };
    Ok(single.then_some(place))
}

impl Line<'_> {
    /// Where the names of its files begin.
    fn root(&self) -> NameRoot<'_> {
        self.base.map_or(NameRoot::Whole, NameRoot::Base)
    }

    /// What was found for the line: the user named none of its files, and errors name the line.
    fn expanded(&self, list: &str, found: Result<Expanded, Error>) -> Result<Expanded, Error> {
        let failed = |error| self.error(list, error);
        let found = found.map_err(failed)?;
        Ok(Expanded {
            shards: found.shards.into_iter().map(Shard::found).collect(),
            unlisted: found.unlisted.into_iter().map(failed).collect(),
            ..found
        })
    }

    fn error(&self, list: &str, error: Error) -> Error {
        let source = match (error, &self.base) {
            (Error::Missing(input, hint), Some(base)) if hint.is_empty() => {
                let base = match base.to_string() {
                    base if base.is_empty() => "the working folder".to_owned(),
                    base => format!("'{base}'"),
                };
                let hint = format!(" (relative lines are resolved against {base}, or against --base-url)");
                Error::Missing(input, hint)
            }
            (error, _) => error,
        };
        Error::ListLine {
            input: format!("@{list}"),
            line: self.number,
            source: Box::new(source),
        }
    }
}
