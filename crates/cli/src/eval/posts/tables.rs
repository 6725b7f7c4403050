//! Scores of posts as text for a terminal.

use gleaner_gold::{FeedPage, Score, word_score};
use gleaner_posts::Post;

use super::scores::{OVERLAP, Tally, date_is_right, title_is_right};
use super::{Results, Row};

pub(super) fn text(results: &Results) -> String {
    let mut text = format!(
        "{:28}{:>6}{:>6}  {:22}{:22}{:22}{:22}\n",
        format!("rules {}", results.rules),
        "pages",
        "posts",
        "posts  P     R     F",
        "titles P     R     F",
        "dates  P     R     F",
        "text   P     R     F"
    );
    for row in &results.rows {
        text += &line(row);
    }
    text
}

fn line(row: &Row) -> String {
    let name = match row.kind {
        Some(kind) => format!("    {kind}"),
        None => format!("{} {}", row.of, row.name),
    };
    let scores = [row.posts.score, row.titles.score, row.dates.score, row.text];
    let mut line = format!("{name:28}{:>6}{:>6}", row.pages, row.posts.gold);
    for (score, is_known) in scores.iter().zip([true, true, row.dates.gold > 0, true]) {
        line += &format!("  {:20}", if is_known { three(score) } else { String::new() });
    }
    line.truncate(line.trim_end().len());
    line + "\n"
}

fn three(score: &Score) -> String {
    format!("{:.4} {:.4} {:.4}", score.precision, score.recall, score.f1)
}

pub(super) fn misses(gold: &FeedPage, given: &[Post], tally: &Tally) -> String {
    let mut text = String::new();
    for (pair, post) in tally.pairs.iter().zip(&gold.posts) {
        let title = post.title.as_deref().unwrap_or("(no title)");
        let Some(own) = pair.map(|at| &given[at]) else {
            let closest = given.iter().map(|own| word_score(&own.text, post.shown()));
            let closest = closest
                .max_by(|one, other| one.f1.total_cmp(&other.f1))
                .unwrap_or_default();
            text += &format!(
                "  post not found: {title} (closest: {}; {OVERLAP} is enough)\n",
                three(&closest)
            );
            continue;
        };
        if post.title.is_some() && !title_is_right(own, post) {
            text += &format!("  title: {:?} for {title:?}\n", own.title);
        }
        if post.date.is_some() && !date_is_right(own, post) {
            let date = own.published.as_ref();
            text += &format!("  date: {date:?} for {:?}\n", post.date);
        }
    }
    for (at, own) in given.iter().enumerate() {
        if !tally.pairs.contains(&Some(at)) {
            let begin: String = own.text.chars().take(60).collect();
            text += &format!("  no gold post: {:?} {begin:?}\n", own.title);
        }
    }
    match text.is_empty() {
        true => text,
        false => format!(
            "{} {}: {} of {} posts\n{text}",
            gold.page_kind,
            gold.url,
            tally.texts.len(),
            gold.posts.len()
        ),
    }
}
