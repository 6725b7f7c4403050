//! Pages of the data sets: a parser gives their text back.

use std::fs::File;

use gleaner_document::{Cleaner, Images, Links, MarkdownOptions, Options, Origin, built_in};
use gleaner_warc::{ReadSource, Reader, Step, http};

use crate::back::assert_has_text;
use crate::labels::Cleaned;

/// Maximum pages per set.
const MOST: usize = 150;

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn parsers_give_the_text_of_pages_back() {
    for (links, images) in [(Links::None, Images::None), (Links::Inline, Images::Inline)] {
        let options = Options {
            markdown: Some(MarkdownOptions::default().links(links).images(images)),
            ..Options::default()
        };
        let mut cleaner = Cleaner::new(&built_in::pages(), options).unwrap();
        for set in [
            "pages/wcxb-dev",
            "pages/cleaneval-dev",
            "sites/pythondoc",
            "sites/2049bbs",
            "blogs/callas",
        ] {
            let pages = each_page(set, |body, url, content_type| {
                check(&mut cleaner, body, url, content_type)
            });
            assert!(pages > 0, "{set} has pages");
        }
    }
}

fn check(cleaner: &mut Cleaner, body: &[u8], url: &str, content_type: Option<&str>) {
    let origin = Origin {
        url,
        content_type,
        ..Origin::default()
    };
    let Ok(document) = cleaner.clean(body, &origin) else {
        return;
    };
    let page = Cleaned {
        markdown: document.content.markdown().expect("Markdown is wanted"),
        text: document.content.text,
    };
    assert_has_text(&page, url);
}

/// Shows the pages of a set with their address and type; how many there are.
fn each_page(set: &str, mut show: impl FnMut(&[u8], &str, Option<&str>)) -> usize {
    let path = gleaner_testing::data(&format!("{set}.warc.gz"));
    let source = ReadSource::new(File::open(&path).expect("the set is there"));
    let mut reader = Reader::new(source, set, gleaner_warc::Options::default());
    let mut scratch = http::Scratch::default();
    let mut pages = 0;
    while pages < MOST {
        let record = match reader.step().expect("a sound archive") {
            Step::Record(record) => record,
            Step::Reject(reject) => panic!("{reject:?}"),
            Step::Pending => continue,
            Step::End => break,
        };
        if let Ok(message) = http::parse(record.content, &mut scratch, &http::Limits::default()) {
            pages += 1;
            show(message.body, record.target_uri, message.content_type().as_deref());
        }
    }
    pages
}
