//! Pages whose text is in their structured data, through `gleaner build`.

use gleaner_testing::warc::{Archive, SENTENCE, article};

use crate::support::{build, rows};

const LAMP: &str = "https://shop.example/lamp";
const TIDES: &str = "https://tides.example/";

/// A shop's page that scripts would draw.
fn shell() -> String {
    format!(
        "<title>Lamp</title><body><p>Please turn on scripts</p><script type=\"application/ld+json\">\
         {{\"@type\": \"Product\", \"name\": \"Lamp\", \"description\": \"{SENTENCE}, {SENTENCE}\"}}</script>"
    )
}

#[test]
fn a_text_that_is_not_on_the_page_says_so_and_has_no_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::new()
        .page(LAMP, shell())
        .page(TIDES, article())
        .write(folder.path(), "shop.warc.gz");
    let corpus = build(&[&archive], &["--structured-data", "fallback", "--blocks"]);
    let documents = corpus.documents();
    let (lamp, tides) = (&documents[LAMP], &documents[TIDES]);
    assert_eq!(lamp["text"], format!("Lamp\n\n{SENTENCE}, {SENTENCE}\n"));
    assert_eq!(
        (lamp["text_source"].as_str(), lamp["structured_data"].as_str()),
        ("json-ld", "json-ld")
    );
    assert_eq!(
        (lamp["block_count"].as_str(), lamp["kept_blocks"].as_str()),
        ("1", "0")
    );
    assert_eq!(
        (tides["text_source"].as_str(), tides["structured_data"].as_str()),
        ("page", "")
    );
    for block in rows(&corpus.path().join("blocks")) {
        if block["record_id"] == lamp["record_id"] {
            assert_eq!(
                (block["label"].as_str(), block["text"].as_str()),
                ("other", "Please turn on scripts")
            );
        }
    }

    let off = build(&[&archive], &[]).documents();
    assert_eq!(
        (off[LAMP]["text"].as_str(), off[LAMP]["text_source"].as_str()),
        ("", "page")
    );
    assert_eq!(off[LAMP]["structured_data"], "json-ld");
    assert_eq!(off[TIDES]["text"], tides["text"]);
}
