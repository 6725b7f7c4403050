//! Clusters of documents with nearly the same text, and what their documents differ in.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::{Corpus, DuplicateRow, FoundRow, Wanted};
use serde::Serialize;
use serde_json::Value as Json;

use super::budget::Budget;
use super::by_id::by_id;
use super::cursor::{Cursor, of_another_list};
use super::diff::{Part, diff};
use super::duplicates::Duplicates;
use super::parameters::Parameters;
use super::row::share;
use super::row_ids::{number_of, row_id_of};
use super::values::{json, text};
use super::version::Version;
use crate::Error;

/// Documents of a cluster that are listed.
const MOST_MEMBERS: usize = 10_000;
/// Bytes of texts that are compared for an answer: behind them differences are left out.
const MOST_BYTES: usize = 4 << 20;

/// Clusters, the largest first.
#[derive(Debug, Serialize)]
pub(crate) struct Clusters {
    clusters: Vec<Cluster>,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct Cluster {
    cluster: String,
    size: u64,
    url: Json,
    title: Json,
}

/// Documents of a cluster: the survivor first, the others in the order of their row ids.
#[derive(Debug, Serialize)]
pub(crate) struct Members {
    cluster: String,
    size: u64,
    members: Vec<Member>,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct Member {
    row_id: String,
    url: Json,
    title: Json,
    crawl_date: Json,
    survivor: bool,
    similarity: Json,
    words: Json,
    /// How its text differs from that of the survivor; none of the survivor itself, and where the texts are too long.
    diff: Option<Vec<Part>>,
}

/// Clusters, as the parameters of a request want them.
pub(crate) fn clusters(
    corpus: &Version,
    pairs: Vec<(String, String)>,
    budget: &Budget,
) -> Result<Clusters, Error> {
    let parameters = Parameters::read(pairs, &["cursor", "limit"])?;
    let list = parameters.list("clusters");
    let last = match parameters.cursor(list)? {
        None => None,
        Some(Cursor::Cluster(size, id)) => Some((size, number_of(&id).ok_or_else(of_another_list)?)),
        Some(_) => return Err(of_another_list()),
    };
    let duplicates = Duplicates::of_version(corpus, budget)?;
    let behind = duplicates.clusters_behind(last);
    let limit = parameters.limit()?.min(behind.len());
    let (shown, rest) = behind.split_at(limit);
    let clusters = shown.iter().map(|(size, id)| Cluster {
        cluster: row_id_of(*id),
        size: *size,
        url: Json::Null,
        title: Json::Null,
    });
    let mut clusters: Vec<Cluster> = clusters.collect();
    let ids: Vec<String> = clusters.iter().map(|cluster| cluster.cluster.clone()).collect();
    let mut places: BTreeMap<&str, &mut Cluster> =
        ids.iter().map(String::as_str).zip(&mut clusters).collect();
    let ids = ids.iter().map(String::as_str).collect();
    by_id(corpus, &ids, &["url", "title"], budget, &mut |id, batch, row| {
        if let Some(cluster) = places.get_mut(id) {
            cluster.url = json(batch, "url", row);
            cluster.title = json(batch, "title", row);
        }
    })?;
    let last = shown.last().filter(|_| !rest.is_empty());
    let next = last.map(|(size, id)| Cursor::Cluster(*size, row_id_of(*id)).text(list));
    Ok(Clusters { clusters, next })
}

/// Documents of a cluster, as the parameters of a request want them.
pub(crate) fn members(
    corpus: &Version,
    cluster: &str,
    pairs: Vec<(String, String)>,
    budget: &Budget,
) -> Result<Members, Error> {
    let parameters = Parameters::read(pairs, &["cursor", "limit"])?;
    let list = parameters.list(cluster);
    let last = match parameters.cursor(list)? {
        None => None,
        Some(Cursor::Member(id)) => Some(id),
        Some(_) => return Err(of_another_list()),
    };
    let rows = rows(corpus, cluster)?;
    let size = rows.first().map_or(0, |row| row.cluster_size);
    let place = |row: &DuplicateRow| (!row.survivor, row.row_id.clone());
    let behind = last.map_or(0, |last| {
        let last = (last != cluster, last);
        rows.partition_point(|row| place(row) <= last)
    });
    let (_, behind) = rows.split_at(behind);
    let (shown, rest) = behind.split_at(parameters.limit()?.min(behind.len()));
    let next = shown.last().filter(|_| !rest.is_empty());
    Ok(Members {
        cluster: cluster.to_owned(),
        size,
        next: next.map(|row| Cursor::Member(row.row_id.clone()).text(list)),
        members: compared(corpus, cluster, shown, budget)?,
    })
}

/// The rows of a cluster, the survivor first.
fn rows(corpus: &Version, cluster: &str) -> Result<Vec<DuplicateRow>, Error> {
    let none = || {
        Error::not_found(format!(
            "there is no cluster '{cluster}': a cluster has the row id of its survivor, /api/clusters lists them"
        ))
    };
    number_of(cluster).ok_or_else(none)?;
    let wanted = Wanted::value("cluster", cluster);
    let found: Vec<FoundRow<DuplicateRow>> = match corpus.has("duplicates") {
        true => Corpus::look_up(&corpus.output, &wanted, MOST_MEMBERS)?,
        false => Vec::new(),
    };
    let mut rows: Vec<DuplicateRow> = found.into_iter().map(|found| found.row).collect();
    rows.sort_by(|one, other| (!one.survivor, &one.row_id).cmp(&(!other.survivor, &other.row_id)));
    match rows.is_empty() {
        true => Err(none()),
        false => Ok(rows),
    }
}

struct Facts {
    url: Json,
    title: Json,
    crawl_date: Json,
    words: Json,
    /// None if it is too long to be compared.
    text: Option<String>,
}

/// Documents with how they differ from the survivor.
fn compared(
    corpus: &Version,
    survivor: &str,
    rows: &[DuplicateRow],
    budget: &Budget,
) -> Result<Vec<Member>, Error> {
    let ids: BTreeSet<&str> = rows
        .iter()
        .map(|row| row.row_id.as_str())
        .chain([survivor])
        .collect();
    let mut facts: BTreeMap<String, Facts> = BTreeMap::new();
    let mut bytes = 0;
    let columns = ["url", "title", "crawl_date", "word_count", "text"];
    by_id(corpus, &ids, &columns, budget, &mut |id, batch, row| {
        let value = |name| json(batch, name, row);
        let text = text(batch, "text", row).to_owned();
        // (The survivor is needed for all, wherever it comes.)
        let is_short = id == survivor || bytes + text.len() <= MOST_BYTES;
        bytes += text.len();
        let own = Facts {
            url: value("url"),
            title: value("title"),
            crawl_date: value("crawl_date"),
            words: value("word_count"),
            text: is_short.then_some(text),
        };
        facts.insert(id.to_owned(), own);
    })?;
    let of_survivor = facts.get(survivor).and_then(|facts| facts.text.clone());
    let of_survivor = of_survivor.filter(|text| text.len() <= MOST_BYTES);
    let member = |row: &DuplicateRow| {
        let own = facts.get(&row.row_id);
        let value = |of: fn(&Facts) -> &Json| own.map_or(Json::Null, |facts| of(facts).clone());
        let is_compared = !row.survivor && !budget.is_over();
        let texts = of_survivor
            .as_ref()
            .zip(own.and_then(|facts| facts.text.as_ref()));
        Member {
            url: value(|facts| &facts.url),
            title: value(|facts| &facts.title),
            crawl_date: value(|facts| &facts.crawl_date),
            survivor: row.survivor,
            similarity: share(row.similarity),
            words: value(|facts| &facts.words),
            diff: texts
                .filter(|_| is_compared)
                .map(|(there, here)| diff(there, here)),
            row_id: row.row_id.clone(),
        }
    };
    Ok(rows.iter().map(member).collect())
}
