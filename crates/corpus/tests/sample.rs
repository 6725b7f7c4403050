//! Rows of all kinds, the same ones every time.

use gleaner_corpus::enumerations::LABELS;
use gleaner_corpus::{
    BlockRow, Corpus, Crawl, Day, DocumentRow, Identity, LanguagePages, Millis, RejectRow, Share, SiteRow,
    surt,
};
use gleaner_store::{Options, Output, Store};
use gleaner_testing::split_mix;

/// A folder for a corpus, gone at the end.
pub(crate) struct Folder {
    pub(crate) root: tempfile::TempDir,
    store: Store,
}

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder {
            root: tempfile::tempdir().unwrap(),
            store: Store::new(Options::default()).unwrap(),
        }
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.root.path().join("corpus")
    }

    pub(crate) fn output(&self) -> Output {
        self.store.output(self.path().to_str().unwrap()).unwrap()
    }

    pub(crate) fn corpus(&self) -> Corpus {
        self.corpus_of(None)
    }

    /// A corpus of a crawl that has a name, or of one without.
    pub(crate) fn corpus_of(&self, crawl: Option<&str>) -> Corpus {
        Corpus::create(self.output(), &identity_of(crawl), false).unwrap()
    }
}

/// The identity of a corpus of a crawl that has a name, or of one without.
pub(crate) fn identity_of(crawl: Option<&str>) -> Identity {
    let option = |name: &str| (Crawl::COLUMN.to_owned(), name.to_owned());
    Identity {
        options: crawl.map(option).into_iter().collect(),
        ..Identity::default()
    }
}

fn words(seed: u64, count: u64) -> String {
    const WORDS: [&str; 8] = [
        "the",
        "crawl",
        "größer",
        "日本",
        "a\0b",
        "of\nit",
        "\u{1f600}",
        "page",
    ];
    let word = |at| WORDS[(split_mix(seed * 1000 + at) % 8) as usize];
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

pub(crate) fn document(at: u64) -> DocumentRow {
    let missing = at.is_multiple_of(3);
    DocumentRow {
        row_id: format!("{:032x}", split_mix(at)),
        url: format!("https://www.site{}.example/page/{at}?q=%20ü", at % 5),
        surt: format!("example,site{},www):https/page/{at}?q=%20ü", at % 5),
        host: format!("www.site{}.example", at % 5),
        site: format!("site{}.example", at % 5),
        crawl_date: (!missing).then(|| Millis(1_700_000_000_123 + at as i64)),
        warc_file: format!("crawl/{}.warc.gz", at / 100),
        warc_offset: at * 1000 + (1 << 40),
        warc_length: 1000,
        record_id: format!("<urn:uuid:{:016x}>", split_mix(at)),
        http_status: (!missing).then_some(200),
        content_type: (!missing).then(|| "text/html".to_owned()),
        charset: "UTF-8".to_owned(),
        language: ["deu", "und"][usize::from(missing)].to_owned(),
        language_probability: Share(1.0 / (at as f32 + 2.0)),
        script: "Latn".to_owned(),
        declared_language: (!at.is_multiple_of(4)).then(|| "de-CH".to_owned()),
        title: (!missing).then(|| words(at, 5)),
        authors: if missing {
            Vec::new()
        } else {
            vec!["Ada Lovelace".to_owned(), "Jon Ek".to_owned()]
        },
        published: (!missing).then_some(Day(-1 + at as i32)),
        text: words(at, split_mix(at) % 200),
        markdown: at.is_multiple_of(3).then(|| words(at, 9)),
        text_source: "page".to_owned(),
        structured_data: missing.then(|| "json-ld".to_owned()),
        block_count: 7,
        kept_blocks: 3,
        word_count: u32::MAX - at as u32,
        char_count: 1000 + at as u32,
        dropped_words: 5,
        confidence: (!missing).then(|| Share(1.0 / (at as f32 + 1.0))),
        page_kind: (!missing).then(|| "forum".to_owned()),
        page_kind_probability: (!missing).then_some(Share(0.75)),
        platform: (!missing).then(|| "Hugo".to_owned()),
        truncated: at.is_multiple_of(7).then(|| "bytes,depth".to_owned()),
        content_digest: format!("{:016x}", split_mix(at + 1)),
    }
}

pub(crate) fn block(at: u64) -> BlockRow {
    BlockRow {
        row_id: format!("{:032x}", split_mix(at / 20)),
        record_id: format!("<urn:uuid:{:016x}>", split_mix(at / 20)),
        url: format!("http://a.example/{}", at / 20),
        block: (at % 20) as u32,
        label: LABELS[(split_mix(at) % 5) as usize].name.into(),
        confidence: Share(0.1 * (at % 10) as f32),
        text: words(at, 8),
        path: "html/body/div/p".to_owned(),
        template_pages: u32::MAX,
        template_coverage: Share(0.5),
        language: (!at.is_multiple_of(3)).then(|| "eng".to_owned()),
    }
}

pub(crate) fn site(at: u64) -> SiteRow {
    let language = |code: &str, pages| LanguagePages {
        language: code.to_owned(),
        pages,
    };
    SiteRow {
        site: format!("site{at}.example"),
        pages: at,
        kept_words: 1 << 40,
        dropped_words: 2,
        template_words: 3,
        languages: [language("de", 2), language("en", 1)][..(at % 3) as usize].to_vec(),
    }
}

pub(crate) fn reject(at: u64) -> RejectRow {
    let url = at.is_multiple_of(2).then(|| format!("http://x.example/{at}"));
    RejectRow {
        row_id: at.is_multiple_of(4).then(|| format!("{at:032x}")),
        surt: url.as_deref().map(surt),
        url,
        warc_file: "crawl/0.warc.gz".to_owned(),
        warc_offset: at,
        record_id: None,
        stage: "warc".to_owned(),
        reason: "truncated".to_owned(),
        detail: "the file ends within a record".to_owned(),
    }
}
