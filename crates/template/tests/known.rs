//! Templates that are known come back.

#[expect(dead_code, reason = "the example uses all of it")]
mod injected;

use injected::made::{Injected, sentences, site};
use injected::{Score, score, scores_of, texts};

fn scored(pages: usize) -> Score {
    let made: Vec<Vec<Injected>> = (0..10)
        .map(|number| site(&sentences(pages, 100 + number), number))
        .collect();
    score(pages, &made)
}

#[test]
fn templates_of_fifty_pages_come_back() {
    let score = scored(50);
    assert!(score.precision >= 0.99 && score.recall >= 0.99, "{score:?}");
}

#[test]
fn templates_of_twelve_pages_come_back() {
    let score = scored(12);
    assert!(score.precision >= 0.97 && score.recall >= 0.97, "{score:?}");
}

/// The same with the texts of real pages.
#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn templates_in_real_texts_come_back() {
    let clean = texts(&gleaner_testing::data("pages/dragnet-dev.gold.jsonl"));
    for (pages, least) in [(50, 0.99), (12, 0.97)] {
        let score = scores_of(clean.clone(), pages, 12, 1);
        assert!(score.precision >= least && score.recall >= least, "{score:?}");
    }
}

#[test]
fn what_was_injected_is_known() {
    let texts = sentences(5, 7);
    for (page, text) in site(&texts, 3).iter().zip(&texts) {
        let mut left = String::new();
        let mut at = 0;
        for range in &page.injected {
            left.push_str(&page.text[at..range.start]);
            at = range.end + 1;
        }
        left.push_str(&page.text[at..]);
        assert_eq!(&left, text);
        assert!(page.injected.len() >= 2);
        assert!(
            page.injected
                .iter()
                .all(|range| page.text[range.clone()].contains(|letter: char| letter.is_ascii_digit()))
        );
    }
}
