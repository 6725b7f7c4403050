//! The page of made numbers: what is hostile stays text, and all tags are closed.

use std::cell::RefCell;

use gleaner_export::{Count, Funnel, FunnelStep};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::html;
use crate::histogram::{Bin, Histogram, Line};
use crate::numbers::*;

/// Elements without an end tag.
const VOID: [&str; 2] = ["meta", "wbr"];

/// Tags and faults of a page.
#[derive(Default)]
struct Tags {
    open: RefCell<Vec<String>>,
    /// Elements, and attributes behind a colon.
    names: RefCell<Vec<String>>,
    faults: RefCell<Vec<String>>,
    text: RefCell<String>,
}

impl TokenSink for Tags {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => {
                let name = tag.name.to_string();
                let attributes = tag
                    .attrs
                    .iter()
                    .map(|attribute| format!("{name}:{}", attribute.name.local));
                self.names.borrow_mut().extend(attributes);
                match tag.kind {
                    TagKind::StartTag if tag.self_closing || VOID.contains(&&*name) => {}
                    TagKind::StartTag => self.open.borrow_mut().push(name.clone()),
                    TagKind::EndTag => {
                        let last = self.open.borrow_mut().pop();
                        if last.as_ref() != Some(&name) {
                            self.faults
                                .borrow_mut()
                                .push(format!("line {line}: </{name}> closes {last:?}"));
                        }
                    }
                }
                self.names.borrow_mut().push(name);
            }
            Token::CharacterTokens(text) => self.text.borrow_mut().push_str(&text),
            Token::ParseError(error) => self.faults.borrow_mut().push(format!("line {line}: {error}")),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// The text of a page whose tags are closed in order, and that has no scripts, no addresses and no handlers.
#[track_caller]
fn read(page: &str) -> String {
    let tokenizer = Tokenizer::new(
        Tags::default(),
        TokenizerOpts {
            exact_errors: true,
            ..TokenizerOpts::default()
        },
    );
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(page));
    drop(tokenizer.feed(&input));
    tokenizer.end();
    let tags = &tokenizer.sink;
    assert_eq!(*tags.faults.borrow(), Vec::<String>::new());
    assert_eq!(*tags.open.borrow(), Vec::<String>::new());
    for name in tags.names.borrow().iter() {
        let (element, attribute) = name.split_once(':').unwrap_or((name, ""));
        let is_loaded = [
            "script", "img", "iframe", "link", "object", "embed", "form", "base",
        ]
        .contains(&element);
        let is_bad = attribute.starts_with("on") || attribute == "src" || attribute == "style";
        assert!(!is_loaded && !is_bad, "{name}");
        assert!(attribute != "href" || element == "a", "{name}");
    }
    tags.text.borrow().clone()
}

const HOSTILE: &str =
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)></title></style>&amp;\u{202e}";

/// A report whose every text is hostile.
fn hostile() -> Report {
    let text = || HOSTILE.to_owned();
    let count = Count {
        documents: 3,
        words: 5,
    };
    let group = || {
        vec![
            Group {
                name: Some(text()),
                count,
            },
            Group { name: None, count },
        ]
    };
    let site = || {
        vec![Site {
            site: text(),
            documents: 3,
            kept_words: 5,
            dropped_words: 7,
        }]
    };
    let year = || {
        vec![
            Year {
                year: Some(1999),
                count,
            },
            Year {
                year: Some(2024),
                count,
            },
            Year { year: None, count },
        ]
    };
    let histogram = || Histogram {
        measure: text(),
        title: text(),
        is_logarithmic: false,
        missing: 1,
        zero: 2,
        bins: vec![
            Bin {
                from: 0.0,
                to: Some(0.5),
                documents: 3,
            },
            Bin {
                from: 0.5,
                to: Some(1.0),
                documents: 0,
            },
            Bin {
                from: 1.0,
                to: None,
                documents: 4,
            },
        ],
        limits: vec![Line {
            limit: 0.3,
            allowed: text(),
            of: vec![text()],
        }],
    };
    let names = || {
        Some(NamesChange {
            added: vec![text(); 30],
            removed: vec![text()],
            changed: vec![text()],
        })
    };
    let step = FunnelStep {
        name: text(),
        removed: Count {
            documents: 1,
            words: 2,
        },
        by_language: [(text(), count)].into(),
        examples: vec![text()],
    };
    Report {
        corpus: text(),
        corpus_version: 2,
        gleaner: text(),
        totals: Totals {
            documents: 6,
            kept_words: 10,
            dropped_words: 20,
            ..Totals::default()
        },
        crawls: group(),
        sites: Sites {
            count: 1,
            most_documents: site(),
            most_words: site(),
        },
        languages: group(),
        page_kinds: group(),
        text_sources: group(),
        published: year(),
        crawled: year(),
        rejects: vec![Reject {
            stage: text(),
            reason: text(),
            rejects: 4,
        }],
        confidence: histogram(),
        duplicates: Duplicates {
            largest: vec![Cluster {
                survivor: text(),
                url: text(),
                documents: 2,
            }],
            ..Duplicates::default()
        },
        rights: Some(Rights {
            signals: vec![RightsSignal {
                signal: text(),
                ..RightsSignal::default()
            }],
            ..Rights::default()
        }),
        measures: vec![histogram()],
        rule_sets: Some(vec![RuleSetFails {
            rule_set: text(),
            language: Some(text()),
            documents: 1,
            rules: vec![RuleFails {
                rule: text(),
                allowed: text(),
                first: 1,
                all: None,
            }],
        }]),
        recipes: vec![RecipeFunnel {
            recipe: text(),
            description: Some(text()),
            funnel: Funnel {
                read: count,
                steps: vec![step],
                written: Count {
                    documents: 2,
                    words: 3,
                },
                ..Funnel::default()
            },
        }],
        change: Some(Change {
            from: 1,
            to: 2,
            command: text(),
            time: Some(text()),
            reason: Some(text()),
            rows: [(text(), [Some(1), None])].into(),
            archives: names(),
            rules: names(),
        }),
    }
}

#[test]
fn hostile_texts_stay_texts() {
    let text = read(&html(&hostile()));
    // Names of sections, tables, rows, examples: all of them are there as they were.
    assert!(
        text.matches(HOSTILE).count() > 40,
        "{}",
        text.matches(HOSTILE).count()
    );
}

#[test]
fn a_report_of_nothing_is_a_page() {
    let text = read(&html(&Report::default()));
    for sentence in [
        "0 sites",
        "Documents by language: none.",
        "it was built with --no-signals",
    ] {
        assert!(text.contains(sentence), "{sentence}");
    }
    assert!(!text.contains("Rights") && !text.contains("Recipes"));
}
