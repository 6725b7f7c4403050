//! A made corpus: rows that look random, in files of several row groups.

use std::collections::BTreeMap;
use std::path::Path;

use gleaner_corpus::{
    BlockRow, Corpus, Crawl, DocumentRow, DuplicateRow, Identity, Millis, Part, Real, RejectRow, RightsRow,
    Row, Share, SignalRow, row_id, surt,
};
use gleaner_serve::{Error, OpenCorpus, PageSource};
use gleaner_store::{Options, Output, Store};
use gleaner_testing::Random;
use serde_json::json;
use tempfile::TempDir;

/// The rows of a corpus.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) documents: Vec<(Option<&'static str>, DocumentRow)>,
    pub(crate) signals: Vec<SignalRow>,
    pub(crate) rights: Vec<RightsRow>,
    pub(crate) blocks: Vec<BlockRow>,
    pub(crate) duplicates: Vec<DuplicateRow>,
    pub(crate) rejects: Vec<RejectRow>,
}

/// Pages of a file, and of a row group.
const OF_FILE: usize = 90;
const OF_GROUP: usize = 35;

const CRAWLS: [&str; 2] = ["2023-01", "2024-18"];

const WORDS: [&str; 16] = [
    "tide",
    "Tides",
    "HAFEN",
    "Straße",
    "straẞe",
    "Σας",
    "σας",
    "東京",
    "使用Rust语言",
    "ไทยRust",
    "e\u{301}te\u{301}",
    "diary",
    "of",
    "the-tide",
    "the",
    "1980",
];

fn one_of<'a>(random: &mut Random, all: &[&'a str]) -> &'a str {
    all[random.below(all.len())]
}

fn text(random: &mut Random, most: usize) -> String {
    let words = random.below(most);
    let mut text = String::new();
    for _ in 0..words {
        text += one_of(random, &WORDS);
        text.push(if random.below(8) == 0 { '\n' } else { ' ' });
    }
    text
}

/// Rows of documents, in their order, and of what is known of them.
pub(crate) fn rows(seed: u64, count: usize) -> Rows {
    let mut random = Random::new(seed);
    let mut documents: Vec<_> = (0..count).map(|number| document(&mut random, number)).collect();
    documents.sort_by_cached_key(|(crawl, document)| {
        (
            *crawl,
            document.surt.clone(),
            document.crawl_date,
            document.record_id.clone(),
        )
    });
    let mut rows = Rows::default();
    for (_, document) in &documents {
        rows.signals.push(signals(&mut random, document));
        rows.rights.extend(rights(&mut random, document));
        rows.blocks.extend(blocks(document));
    }
    rows.duplicates = duplicates(&mut random, &documents);
    rows.rejects = (0..count as u64 * 2)
        .map(|number| reject(&mut random, number))
        .collect();
    rows.documents = documents;
    rows
}

fn document(random: &mut Random, number: usize) -> (Option<&'static str>, DocumentRow) {
    let site = one_of(random, &["sea.example", "www.sea.example", "a.test", "b.test"]);
    let path = one_of(random, &["", "tides/", "Tides/", "p?a=", "ü/"]);
    let url = format!(
        "{}://{site}/{path}{}",
        one_of(random, &["http", "https"]),
        random.below(60)
    );
    let text = text(random, 40);
    let word_count = text.split_whitespace().count() as u32;
    let mut document = DocumentRow {
        surt: surt(&url),
        url,
        host: site.to_owned(),
        site: site.to_owned(),
        crawl_date: (random.below(9) > 0).then(|| Millis(random.below(1 << 40) as i64)),
        warc_file: "a.warc.gz".to_owned(),
        warc_offset: number as u64,
        record_id: format!("<urn:{number}>"),
        http_status: (random.below(3) > 0).then_some(200),
        charset: "UTF-8".to_owned(),
        language: one_of(random, &["deu", "eng", "und"]).to_owned(),
        title: (random.below(3) > 0).then(|| one_of(random, &WORDS).to_owned()),
        text,
        text_source: "page".to_owned(),
        word_count,
        confidence: (random.below(4) > 0).then(|| Share(random.below(101) as f32 / 100.0)),
        page_kind: (random.below(4) > 0).then(|| one_of(random, &["article", "blog"]).to_owned()),
        ..DocumentRow::default()
    };
    document.row_id = row_id(&document, 0);
    (CRAWLS.into_iter().nth(random.below(2)), document)
}

fn signals(random: &mut Random, document: &DocumentRow) -> SignalRow {
    SignalRow {
        row_id: document.row_id.clone(),
        url: document.url.clone(),
        languages: (0..random.below(3))
            .map(|_| one_of(random, &["deu_Latn", "eng_Latn"]).to_owned())
            .collect(),
        words: random.below(2000) as u32,
        mean_word_length: Real(random.below(40) as f64 / 2.0 - 1.0),
        alphabetic_tokens: Real(random.below(120) as f64 / 100.0),
        top_2_gram: Real(random.below(50) as f64 / 100.0),
        gopher: (random.below(2) > 0).then(|| "word-count".to_owned()),
        ..SignalRow::default()
    }
}

fn rights(random: &mut Random, document: &DocumentRow) -> Vec<RightsRow> {
    let row = |random: &mut Random| RightsRow {
        row_id: document.row_id.clone(),
        url: document.url.clone(),
        signal: one_of(random, &["robots-txt", "meta-robots"]).to_owned().into(),
        agents: "*".to_owned(),
        value: String::new(),
        stated: String::new(),
        found_in: "page".into(),
        source: document.record_id.clone(),
        source_date: None,
        index: "unknown".into(),
        train: one_of(random, &["forbidden", "allowed"]).to_owned().into(),
    };
    (0..random.below(3)).map(|_| row(random)).collect()
}

fn blocks(document: &DocumentRow) -> Vec<BlockRow> {
    let block = |(number, text): (usize, &str)| BlockRow {
        row_id: document.row_id.clone(),
        record_id: document.record_id.clone(),
        url: document.url.clone(),
        block: number as u32,
        label: if number == 0 { "paragraph" } else { "other" }.into(),
        confidence: Share(0.65),
        text: text.to_owned(),
        path: "html/body/p".to_owned(),
        template_pages: 7,
        template_coverage: Share(0.5),
        language: None,
    };
    document.text.lines().enumerate().map(block).collect()
}

fn duplicates(random: &mut Random, documents: &[(Option<&'static str>, DocumentRow)]) -> Vec<DuplicateRow> {
    let mut rows = Vec::new();
    let mut rest = documents;
    while rest.len() > 12 {
        let (own, others) = rest.split_at(2 + random.below(4));
        rest = &others[random.below(6)..];
        let survivor = random.below(own.len());
        rows.extend(
            own.iter()
                .enumerate()
                .map(|(number, (_, document))| DuplicateRow {
                    row_id: document.row_id.clone(),
                    record_id: document.record_id.clone(),
                    cluster: own[survivor].1.row_id.clone(),
                    cluster_size: own.len() as u64,
                    survivor: number == survivor,
                    similarity: Share(0.85),
                }),
        );
    }
    rows
}

fn reject(random: &mut Random, number: u64) -> RejectRow {
    RejectRow {
        url: (random.below(2) > 0).then(|| format!("http://a.test/{number}")),
        warc_file: "a.warc.gz".to_owned(),
        warc_offset: number,
        stage: "read".to_owned(),
        reason: one_of(random, &["status", "media-type", "no-body", "truncated"]).to_owned(),
        detail: format!("No. {number}"),
        ..RejectRow::default()
    }
}

/// A corpus in a folder of its own.
pub(crate) struct Made {
    pub(crate) folder: TempDir,
    pub(crate) output: Output,
}

pub(crate) fn output(folder: &Path) -> Output {
    let store = Store::new(Options::default()).unwrap();
    store.output(folder.to_str().unwrap()).unwrap()
}

/// Writes a corpus of these rows, in place of the one that is there.
pub(crate) fn write(folder: &Path, rows: &Rows) {
    let identity = Identity {
        model: format!("{} documents", rows.documents.len()),
        options: [(Crawl::COLUMN.to_owned(), CRAWLS[0].to_owned())].into(),
        ..Identity::default()
    };
    let corpus = Corpus::create(output(folder), &identity, true).unwrap();
    let mut pages: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (number, (crawl, _)) in rows.documents.iter().enumerate() {
        pages.entry(*crawl).or_default().push(number);
    }
    // The files of a crawl stand one behind the other.
    let files: Vec<(Option<&str>, Vec<usize>)> = pages
        .into_iter()
        .flat_map(|(crawl, pages)| {
            let files: Vec<Vec<usize>> = pages.chunks(OF_FILE).map(<[usize]>::to_vec).collect();
            files.into_iter().map(move |pages| (crawl, pages))
        })
        .collect();
    let of = |ids: &[usize]| -> Vec<String> {
        ids.iter()
            .map(|&page| rows.documents[page].1.row_id.clone())
            .collect()
    };
    let mut parts: [Vec<Part>; 4] = Default::default();
    for (number, (crawl, pages)) in files.iter().enumerate() {
        let crawl = crawl.map(|name| Crawl::new(name).unwrap());
        let ids = of(pages);
        let crawl = crawl.as_ref();
        let documents = pages.iter().map(|&page| rows.documents[page].1.clone()).collect();
        let signals = pages.iter().map(|&page| rows.signals[page].clone()).collect();
        let mut rights = rows.rights.clone();
        rights.retain(|row| ids.contains(&row.row_id));
        let mut blocks = rows.blocks.clone();
        blocks.retain(|row| ids.contains(&row.row_id));
        parts[0].push(file::<DocumentRow>(&corpus, crawl, number, documents));
        parts[1].push(file::<SignalRow>(&corpus, crawl, number, signals));
        parts[2].push(file::<RightsRow>(&corpus, crawl, number, rights));
        parts[3].push(file::<BlockRow>(&corpus, crawl, number, blocks));
    }
    let tables = [
        DocumentRow::TABLE,
        SignalRow::TABLE,
        RightsRow::TABLE,
        BlockRow::TABLE,
    ];
    for (table, parts) in tables.iter().zip(&parts) {
        corpus.commit(table, 0, parts).unwrap();
    }
    let duplicates = file::<DuplicateRow>(&corpus, None, 0, rows.duplicates.clone());
    corpus.commit(&DuplicateRow::TABLE, 0, &[duplicates]).unwrap();
    let first = Crawl::new(CRAWLS[0]).unwrap();
    let rejects = rows.rejects.chunks(300).enumerate();
    let rejects =
        rejects.map(|(number, rows)| file::<RejectRow>(&corpus, Some(&first), number, rows.to_vec()));
    corpus
        .commit(&RejectRow::TABLE, 0, &rejects.collect::<Vec<_>>())
        .unwrap();
    let totals = [("documents".to_owned(), rows.documents.len() as u64)].into();
    corpus
        .finish(totals, serde_json::Map::new(), Vec::new(), None)
        .unwrap();
}

fn file<R: Row>(corpus: &Corpus, crawl: Option<&Crawl>, number: usize, rows: Vec<R>) -> Part {
    let mut file = corpus.file(&R::TABLE, crawl, number as u32).unwrap();
    let mut encoder = corpus.encoder().unwrap();
    for rows in rows.chunks(OF_GROUP) {
        rows.iter().try_for_each(|row| encoder.push(row)).unwrap();
        let mut groups = encoder.finish().unwrap().into_iter();
        groups.try_for_each(|group| file.append(group)).unwrap();
    }
    file.finish().unwrap().wait().unwrap()
}

pub(crate) fn made(rows: &Rows) -> Made {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    write(folder.path(), rows);
    Made {
        output: output(folder.path()),
        folder,
    }
}

impl Made {
    /// The corpus as the command opens it. What the command explains is not tested here.
    pub(crate) fn open(&self) -> OpenCorpus {
        OpenCorpus {
            name: self.folder.path().display().to_string(),
            output: self.output.clone(),
            marker: Corpus::complete(&self.output).unwrap(),
            has_archives: false,
            explain: Box::new(|row_id| match row_id {
                "00000000000000000000000000000000" => Err(Error::not_found("there is no such row")),
                row_id => Ok(json!({ "row_id": row_id })),
            }),
            page: Box::new(|_| {
                Ok(PageSource {
                    html: None,
                    why: Some("no archive was named".to_owned()),
                })
            }),
        }
    }
}
