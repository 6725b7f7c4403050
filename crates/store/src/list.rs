//! `@list.txt`: inputs from a file, one a line, as Common Crawl's `warc.paths.gz`.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use futures::{StreamExt, stream};

use crate::secret::shown;
use crate::{Error, Expanded, Place, Shard, Store, expand, probe};

/// The longest list, in bytes: a hundred times that of a Common Crawl month.
const LIMIT: u64 = 1 << 30;

/// A line that names an input.
struct Line {
    number: usize,
    input: String,
    /// The folder a relative line was resolved against.
    base: Option<String>,
}

/// Adds the shards of the inputs in a list.
pub(crate) fn expand(
    store: &Store,
    list: &str,
    base_url: Option<&str>,
    found: &mut Expanded,
) -> Result<(), Error> {
    let place = Place::parse(list)?;
    let list = &*shown(list);
    let text = text(store, &place, list)?;
    let base = match base_url {
        Some(base) => Place::parse_folder(base)?,
        None => place.parent(),
    };
    let lines = lines(&text, &place, &base);
    if lines.is_empty() {
        return Err(Error::EmptyList(format!("@{list}")));
    }
    let mut single = Vec::new();
    for line in lines {
        let looked_up = check(&line, &place).map_err(|error| line.error(list, error))?;
        match looked_up {
            Some(place) => single.push((line, place)),
            None => {
                let shards = expand::one(store, &line.input, &mut found.notes);
                let shards = shards.map(|shards| shards.into_iter().map(Shard::found).collect());
                found.take(shards.map_err(|error| line.error(list, error)))?;
            }
        }
    }
    let probed = store.handle().block_on(probe_all(store, list, single));
    probed
        .into_iter()
        .try_for_each(|shard| found.take(shard.map(|shard| vec![shard])))
}

/// Requests the sizes of remote objects, many at a time.
async fn probe_all(store: &Store, list: &str, lines: Vec<(Line, Place)>) -> Vec<Result<Shard, Error>> {
    stream::iter(lines)
        .map(|(line, place)| async move {
            let shard = probe::shard(store, &place, &shown(&line.input)).await;
            shard.map_err(|error| line.error(list, error))
        })
        .buffered(store.options().probes.max(1))
        .collect()
        .await
}

fn text(store: &Store, place: &Place, list: &str) -> Result<String, Error> {
    let bytes = store.read(place, LIMIT)?;
    let bad = |detail: String| Error::BadList(format!("@{list}"), detail);
    let bytes = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => unzip(&bytes).map_err(bad)?,
        false => bytes.to_vec(),
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        bad(format!(
            "byte {} is not UTF-8 text",
            error.utf8_error().valid_up_to()
        ))
    })?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
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

fn lines(text: &str, list: &Place, base: &Place) -> Vec<Line> {
    text.lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(at, line)| resolve(at + 1, line, list, base))
        .collect()
}

fn resolve(number: usize, line: &str, list: &Place, base: &Place) -> Line {
    let absolute = line.contains("://") || (line.starts_with('/') && list.is_local());
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
        base: Some(base.to_string()),
    }
}

/// The place of a line that names one remote object; `None` for anything else.
///
/// # Errors
///
/// A remote list that names files of this machine.
fn check(line: &Line, list: &Place) -> Result<Option<Place>, Error> {
    let place = Place::parse(&line.input)?;
    if place.is_local() && !list.is_local() && line.base.is_none() {
        let detail = "a list from elsewhere cannot name local files".to_owned();
        return Err(Error::BadUrl(shown(&line.input).into_owned(), detail));
    }
    let single = match &place {
        Place::Local(_) => false,
        Place::Object { key, .. } => !expand::is_pattern(key) && !key.is_empty() && !key.ends_with('/'),
        Place::Web { .. } => true,
    };
    Ok(single.then_some(place))
}

impl Line {
    fn error(&self, list: &str, error: Error) -> Error {
        let source = match (error, &self.base) {
            (Error::Missing(input, _), Some(base)) => {
                let base = match base.as_str() {
                    "" => "the list's folder".to_owned(),
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
