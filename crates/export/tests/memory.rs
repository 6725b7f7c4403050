//! The most memory that an export has at a time, as its allocator counts it: five times the pages need no more, in the order of the
//! corpus or shuffled.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

use gleaner_corpus::{Corpus, DocumentRow, DuplicateRow, Identity, Row, SignalRow};
use gleaner_export::{Compression, Fields, Format, Recipe, Request, Selection, Work, export};
use gleaner_store::{Options, Output, Store};
use peak_alloc::PeakAlloc;

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

/// Rows of a row group, and of a file.
const GROUP: usize = 1000;
const FILE: usize = 10_000;

const MIB: usize = 1 << 20;

fn output(folder: &tempfile::TempDir, name: &str) -> Output {
    let store = Store::new(Options::default()).unwrap();
    store.output(folder.path().join(name).to_str().unwrap()).unwrap()
}

fn row_id(number: usize) -> String {
    blake3::hash(&number.to_le_bytes()).to_hex()[..32].to_owned()
}

/// A page with a text of about 700 bytes that does not compress well.
fn document(number: usize) -> DocumentRow {
    let words =
        (0..10).map(|word| blake3::hash(&[number, word].map(usize::to_le_bytes).concat()).to_string());
    DocumentRow {
        row_id: row_id(number),
        url: format!("https://example.org/{number}"),
        language: "eng".to_owned(),
        text: words.collect::<Vec<_>>().join("\n"),
        word_count: 10,
        ..DocumentRow::default()
    }
}

fn write<R: Row>(corpus: &Corpus, pages: usize, row: impl Fn(usize) -> R) {
    let mut parts = Vec::new();
    for first in (0..pages).step_by(FILE) {
        let mut file = corpus.file(&R::TABLE, None, (first / FILE) as u32).unwrap();
        let mut encoder = corpus.encoder().unwrap();
        for group in (first..pages.min(first + FILE)).step_by(GROUP) {
            for number in group..pages.min(group + GROUP) {
                encoder.push(&row(number)).unwrap();
            }
            for group in encoder.finish().unwrap() {
                file.append(group).unwrap();
            }
        }
        parts.push(file.finish().unwrap().wait().unwrap());
    }
    corpus.commit(&R::TABLE, 0, &parts).unwrap();
}

/// A corpus of made pages, of which every tenth is no survivor.
fn corpus(folder: &tempfile::TempDir, pages: usize) -> Output {
    let output = output(folder, "corpus");
    let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
    write(&corpus, pages, document);
    write(&corpus, pages, |number| SignalRow {
        row_id: row_id(number),
        gopher: (number % 7 == 0).then(|| "words".to_owned()),
        ..SignalRow::default()
    });
    write(&corpus, pages / 10, |number| DuplicateRow {
        row_id: row_id(number * 10),
        survivor: false,
        ..DuplicateRow::default()
    });
    corpus
        .finish([].into(), serde_json::Map::new(), Vec::new(), None)
        .unwrap();
    output
}

const RECIPE: &str = "[[filter]]\ncolumn = 'signals.gopher'\nis_null = true\n[[filter]]\ncolumn = 'duplicates.survivor'\nnot_in = [false]\n";

/// The most bytes that an export has at a time beyond those from before.
fn peak(pages: usize, order: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (corpus(&folder, pages), output(&folder, "out"));
    let text = format!("{RECIPE}{order}");
    let recipe = Recipe::parse(&text).unwrap();
    let before = COUNTED.current_usage();
    COUNTED.reset_peak_usage();
    let selection = Selection::open(&input, None, &recipe, &Work::of(2)).unwrap();
    let format = Format::Lines(Fields::Columns, Compression::Zstd);
    let request = Request::new(&selection, &text, format, 8 << 20);
    let manifest = export(&selection, request, format, &out).unwrap();
    let expected = (0..pages)
        .filter(|number| number % 7 > 0 && number % 10 > 0)
        .count();
    assert_eq!(manifest.funnel.written.documents, expected as u64);
    assert_eq!(
        manifest.files.iter().map(|file| file.documents).sum::<u64>(),
        expected as u64
    );
    assert!(
        pages < 50_000 || manifest.files.len() > 2,
        "{}",
        manifest.files.len()
    );
    COUNTED.peak_usage() - before
}

#[test]
fn five_times_the_pages_need_no_more_memory() {
    for order in ["", "[shuffle]\nseed = 5\n"] {
        let (few, many) = (peak(10_000, order), peak(50_000, order));
        println!("{order:?}: {} and {} MiB", few / MIB, many / MIB);
        assert!(many < few + 4 * MIB, "{few} and {many}");
        assert!(many < 48 * MIB, "{many}");
    }
}
