//! Which captures give way to drawn pages: what a build chooses, against a choice record by record.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use gleaner_content::Model;
use gleaner_corpus::{Corpus, DocumentRow, Identity, RejectRow, Wanted};
use gleaner_dataflow::{BuildConfig, build};
use gleaner_store::{Options, Store};
use proptest::prelude::*;

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../document/models/default.gcrf");
    Arc::new(Model::load(&path).unwrap())
});

/// A record of one of a few ids, URLs and days. The number of the record that it refers to, if it is a conversion.
#[derive(Clone, Debug)]
struct Made {
    archive: usize,
    id: usize,
    url: usize,
    day: Option<usize>,
    of: Option<usize>,
    is_html: bool,
}

const IDS: usize = 5;
const URLS: usize = 2;
const ARCHIVES: usize = 3;

fn made() -> impl Strategy<Value = Made> {
    let day = prop::option::weighted(0.8, 1..4_usize);
    let of = prop::option::weighted(0.5, 0..IDS);
    let is_html = prop::bool::weighted(0.85);
    (0..ARCHIVES, 0..IDS, 0..URLS, day, of, is_html).prop_map(|(archive, id, url, day, of, is_html)| Made {
        archive,
        id,
        url,
        day,
        of,
        is_html,
    })
}

impl Made {
    /// The record that it is drawn from.
    fn drawn_from(&self) -> Option<usize> {
        self.of.filter(|&of| of != self.id && self.is_html)
    }

    fn bytes(&self) -> Vec<u8> {
        let (kind, content_type, content, of) = match self.of {
            Some(of) => (
                "conversion",
                if self.is_html { "text/html" } else { "text/plain" },
                "<p>Drawn".to_owned(),
                format!("WARC-Refers-To: <urn:{of}>\r\n"),
            ),
            None => (
                "response",
                "application/http; msgtype=response",
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Sent".to_owned(),
                String::new(),
            ),
        };
        let date = self
            .day
            .map(|day| format!("WARC-Date: 2026-11-{day:02}T06:30:00Z\r\n"));
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:{}>\r\n{}WARC-Target-URI: http://a.example/{}\r\n{of}\
             Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{content}\r\n\r\n",
            self.id,
            date.unwrap_or_default(),
            self.url,
            content.len()
        )
        .into_bytes()
    }
}

/// A record by its archive and its place there, as the tables have them.
type Place = (String, u64);

/// The records with their places, which are their order in the archives.
fn places(records: &[Made]) -> Vec<(Place, &Made)> {
    let mut ends = [0_u64; ARCHIVES];
    let mut placed = Vec::new();
    for made in records {
        let end = &mut ends[made.archive];
        placed.push(((format!("{}.warc", made.archive), *end), made));
        *end += made.bytes().len() as u64;
    }
    placed
}

/// The record that is used in place of one, the slow way.
fn in_place_of<'a>(records: &'a [(Place, &'a Made)], (place, one): &(Place, &Made)) -> Option<&'a Made> {
    let capture = one.drawn_from().unwrap_or(one.id);
    let drawn = records
        .iter()
        .filter(|(_, other)| other.url == one.url && other.drawn_from() == Some(capture));
    let (chosen, made) = drawn.max_by_key(|(place, made)| (made.day, made.id, place.clone()))?;
    (chosen != place).then_some(made)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn of_random_records_the_drawn_pages_are_documents(records in prop::collection::vec(made(), 1..14)) {
        let folder = tempfile::tempdir().unwrap();
        let mut archives = vec![Vec::new(); ARCHIVES];
        records.iter().for_each(|made| archives[made.archive].extend(made.bytes()));
        for (number, bytes) in archives.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.warc")), bytes).unwrap();
        }
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().join("corpus").to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let inputs = (0..ARCHIVES).map(|number| folder.path().join(format!("{number}.warc")));
        let inputs: Vec<String> = inputs.map(|input| input.to_str().unwrap().to_owned()).collect();
        let shards = store.expand(&inputs, None).unwrap().shards;
        let summary = build(BuildConfig::new(store, shards, corpus, Arc::clone(&MODEL))).unwrap();
        prop_assert!(summary.adds_up());

        let placed = places(&records);
        let (mut documents, mut rejects) = (BTreeSet::new(), BTreeSet::new());
        for record in &placed {
            match in_place_of(&placed, record) {
                None => drop(documents.insert(record.0.clone())),
                Some(other) => drop(rejects.insert((record.0.clone(), format!("<urn:{}>", other.id)))),
            }
        }
        let urls = (0..URLS).map(|url| format!("example,a):http/{url}"));
        let (mut found_documents, mut found_rejects) = (BTreeSet::new(), BTreeSet::new());
        for surt in urls {
            let wanted = Wanted::value("surt", &surt);
            for found in Corpus::look_up::<DocumentRow>(&output, &wanted, 100).unwrap() {
                found_documents.insert((found.row.warc_file, found.row.warc_offset));
            }
            for found in Corpus::look_up::<RejectRow>(&output, &wanted, 100).unwrap() {
                let row = found.row;
                prop_assert_eq!((&*row.stage, &*row.reason), ("label", "drawn"));
                let other = row.detail.split(' ').next().unwrap().to_owned();
                found_rejects.insert(((row.warc_file, row.warc_offset), other));
            }
        }
        prop_assert_eq!(found_documents, documents);
        prop_assert_eq!(found_rejects, rejects);
    }
}
