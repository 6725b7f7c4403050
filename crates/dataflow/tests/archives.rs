//! What is known of each archive when it is read: digests, counts and outcomes, also where a build continues.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use gleaner_content::Model;
use gleaner_corpus::{Corpus, Identity, Settings};
use gleaner_dataflow::plan::PlanSizes;
use gleaner_dataflow::{ArchiveRead, Build, BuildConfig, Outcome, Phase};
use gleaner_store::{Options, Store};
use gleaner_testing::warc::{Archive, article};

const SIZES: PlanSizes = PlanSizes {
    unit: 2 << 10,
    smallest_part: 8 << 10,
    largest_part: 8 << 10,
    parts: 1,
    merged: 128,
};

/// Builds the corpus `out` of a folder as far as a phase. `before` is done when the archives are listed.
fn read(folder: &Path, out: &Path, last: Phase, before: impl FnOnce()) -> Vec<ArchiveRead> {
    let options = Options {
        retries: 0,
        ..Options::default()
    };
    let store = Store::new(options).unwrap();
    let input = folder.to_str().unwrap().to_owned();
    let shards = store.expand(&[input], None).unwrap().shards;
    before();
    let output = store.output(out.to_str().unwrap()).unwrap();
    let corpus = Corpus::resume(output, &Identity::default(), false, Settings::default()).unwrap();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../document/models/default.gcrf");
    let mut build = Build::begin(BuildConfig {
        sizes: SIZES,
        last,
        allow_missing: true,
        ..BuildConfig::new(store, shards, corpus, Arc::new(Model::load(&model).unwrap()))
    })
    .unwrap();
    build.run().unwrap();
    build.archives()
}

#[test]
fn archives_of_all_kinds_have_a_digest_and_an_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let pages = (0..30).fold(Archive::new(), |archive, page| {
        archive.plain(&format!("http://s.example/{page}"), article())
    });
    write("archive.warc", &pages.bytes());
    write("empty.warc", b"");
    // What is no archive is seen by its first bytes, and read to its end for the digest.
    write(
        "foreign.warc.gz",
        &[&b"%PDF-1.7\n"[..], &[b'x'; 100_000]].concat(),
    );
    write("gone.warc", b"WARC/1.0\r\n");
    write("page.html", format!("<p>{}", article()).as_bytes());

    let out = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone.warc");
    let first = read(folder.path(), out.path(), Phase::Read, || {
        fs::remove_file(&gone).unwrap()
    });
    let found: Vec<_> = first
        .iter()
        .map(|archive| {
            (
                &*archive.name,
                archive.outcome,
                archive.counts.captures,
                archive.counts.damage,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("archive.warc", Outcome::Read, 30, 0),
            ("empty.warc", Outcome::Empty, 0, 0),
            ("foreign.warc.gz", Outcome::Refused, 0, 1),
            ("gone.warc", Outcome::Missing, 0, 1),
            ("page.html", Outcome::Read, 1, 0),
        ]
    );
    for archive in &first {
        let bytes = fs::read(folder.path().join(&archive.name)).ok();
        let expected = bytes.map(|bytes| blake3::hash(&bytes).to_string());
        assert_eq!(archive.digest, expected, "{}", archive.name);
    }
    assert_eq!(first[0].counts.records.values().sum::<u64>(), 30);

    // What an earlier run has read is known from its entries.
    write("gone.warc", b"WARC/1.0\r\n");
    let again = read(folder.path(), out.path(), Phase::Label, || {});
    assert_eq!(again, first);
}
