//! What of a page's posts was found.

use std::ops::Add;

use gleaner_gold::{FeedPage, FeedPost, Score, word_score};
use gleaner_metadata::date::Day;
use gleaner_posts::Post;
use serde::Serialize;

pub(super) const OVERLAP: f64 = 0.8;

/// Days that a date may be off: feeds are in another time zone than pages.
const SLACK: i64 = 1;

/// How many of something there are in the gold, how many were given, and how many of those are
/// right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct PostCounts {
    pub(super) gold: usize,
    pub(super) given: usize,
    pub(super) right: usize,
    #[serde(flatten)]
    pub(super) score: Score,
}

/// The counts of one page.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) posts: PostCounts,
    pub(super) titles: PostCounts,
    pub(super) dates: PostCounts,
    pub(super) texts: Vec<Score>,
    /// For each gold post the place of what was given for it.
    pub(super) pairs: Vec<Option<usize>>,
}

impl Add<&PostCounts> for PostCounts {
    type Output = PostCounts;

    fn add(self, other: &PostCounts) -> PostCounts {
        PostCounts {
            gold: self.gold + other.gold,
            given: self.given + other.given,
            right: self.right + other.right,
            score: Score::default(),
        }
    }
}

impl PostCounts {
    pub(super) fn scored(self) -> PostCounts {
        PostCounts {
            score: Score::of_counts(self.right, self.given, self.gold),
            ..self
        }
    }
}

impl Tally {
    /// Scores what was found on a page. Titles and dates count only with their post.
    pub(super) fn new(given: &[Post], gold: &FeedPage) -> Tally {
        let (pairs, texts) = pair(given, &gold.posts);
        let part = |part: PostField| part.counts(given, &gold.posts, &pairs);
        Tally {
            posts: PostCounts {
                gold: gold.posts.len(),
                given: given.len(),
                right: texts.len(),
                score: Score::default(),
            },
            titles: part(PostField {
                is_known: |post| post.title.is_some(),
                is_given: |post| post.title.is_some(),
                is_right: title_is_right,
            }),
            dates: part(PostField {
                is_known: |post| post.date.is_some(),
                is_given: |post| post.published.is_some(),
                is_right: date_is_right,
            }),
            texts,
            pairs,
        }
    }
}

struct PostField {
    is_known: fn(&FeedPost) -> bool,
    is_given: fn(&Post) -> bool,
    is_right: fn(&Post, &FeedPost) -> bool,
}

impl PostField {
    fn counts(&self, given: &[Post], gold: &[FeedPost], pairs: &[Option<usize>]) -> PostCounts {
        let known = gold.iter().filter(|post| (self.is_known)(post)).count();
        let paired = || pairs.iter().zip(gold);
        let is_right =
            |(at, post): &(&Option<usize>, &FeedPost)| at.is_some_and(|at| (self.is_right)(&given[at], post));
        // What the gold does not know is neither right nor wrong.
        let is_unknown = |at| paired().any(|(pair, post)| *pair == Some(at) && !(self.is_known)(post));
        let of_given = |(at, post): &(usize, &Post)| (self.is_given)(post) && !is_unknown(*at);
        PostCounts {
            gold: known,
            given: if known > 0 {
                given.iter().enumerate().filter(of_given).count()
            } else {
                0
            },
            right: paired().filter(is_right).count(),
            score: Score::default(),
        }
    }
}

/// Pairs gold posts with given ones, the closest texts first.
fn pair(given: &[Post], gold: &[FeedPost]) -> (Vec<Option<usize>>, Vec<Score>) {
    let mut close = Vec::new();
    for (place, post) in gold.iter().enumerate() {
        for (at, own) in given.iter().enumerate() {
            let score = word_score(&own.text, post.shown());
            let overlap = if post.is_part() { score.recall } else { score.f1 };
            if overlap >= OVERLAP {
                close.push((overlap, place, at, score));
            }
        }
    }
    // A stable sort: of equally close ones those that stand first on the page.
    close.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut pairs = vec![None; gold.len()];
    let mut texts = Vec::new();
    for (_, place, at, score) in close {
        if pairs[place].is_none() && !pairs.contains(&Some(at)) {
            pairs[place] = Some(at);
            texts.push(score);
        }
    }
    (pairs, texts)
}

/// Titles are the same when their letters and digits are.
pub(super) fn title_is_right(given: &Post, gold: &FeedPost) -> bool {
    let letters = |text: &Option<String>| -> Option<String> {
        let low = text.as_ref()?.to_lowercase();
        Some(low.chars().filter(|letter| letter.is_alphanumeric()).collect())
    };
    gold.title.is_some() && letters(&given.title) == letters(&gold.title)
}

pub(super) fn date_is_right(given: &Post, gold: &FeedPost) -> bool {
    let wanted = gold.date.as_deref().and_then(Day::from_iso);
    let given = given.published.as_ref().and_then(|date| date.day);
    wanted
        .zip(given)
        .is_some_and(|(wanted, given)| (wanted.number() - given.number()).abs() <= SLACK)
}

#[cfg(test)]
mod tests {
    use gleaner_posts::Dated;

    use super::*;

    fn gold() -> FeedPage {
        serde_json::from_str(
            r#"{"url": "u", "page_kind": "listing", "posts": [
                {"title": "One", "date": "2016-07-08T23:00:00Z", "display": "full", "text": "a b c d e"},
                {"title": "Two", "date": null, "display": "excerpt", "text": "f g h i j", "shown_text": "f g"},
                {"title": "Three", "date": "2016-07-08", "display": "feed-excerpt-shown", "text": "k l"}]}"#,
        )
        .unwrap()
    }

    fn post(title: &str, text: &str, day: u8) -> Post {
        let mut published = Dated::default();
        published.day = Day::new(2016, 7, day);
        let mut post = Post::default();
        post.title = Some(title.to_owned());
        post.text = text.to_owned();
        post.published = Some(published);
        post
    }

    #[test]
    fn posts_are_paired_by_their_texts_and_scored_with_their_dates() {
        let given = [
            post("Three", "k l m n o p", 8),
            post("one!", "a b c d e f", 9),
            post("Other", "f g", 1),
            post("Noise", "x", 8),
        ];
        let tally = Tally::new(&given, &gold());
        assert_eq!(tally.pairs, [Some(1), Some(2), Some(0)]);
        let counts = |counts: PostCounts| (counts.gold, counts.given, counts.right);
        assert_eq!(counts(tally.posts), (3, 4, 3));
        assert_eq!(counts(tally.titles), (3, 4, 2));
        // The date of the post without a gold date does not count; that of no gold post does.
        assert_eq!(counts(tally.dates), (2, 3, 2));
    }

    #[test]
    fn a_post_is_found_once_and_a_date_two_days_off_is_wrong() {
        let given = [post("One", "a b c d e", 10), post("One", "a b c d e", 8)];
        let tally = Tally::new(&given, &gold());
        assert_eq!(
            (tally.pairs[0], tally.posts.right, tally.dates.right),
            (Some(0), 1, 0)
        );
        assert_eq!(Tally::new(&[], &gold()).posts.scored().score, Score::default());
    }
}
