//! What is known of a page, in words.

use gleaner_content::{Because, Feature, Reasons};

use super::answer::{Block, Captures, Explanation, Fact, FactSource, Nearest, Reject};
use crate::terminal::console::{bytes, counted, grouped};
use crate::terminal::plain;

/// Characters of a block that are shown.
const LONGEST: usize = 90;
/// Features for and against that are named, the least that they add, and the characters of their values.
const FEATURES: usize = 3;
const LEAST: f64 = 0.05;
const LONGEST_VALUE: usize = 30;
/// Kinds of pages that are named, and their least probability.
const KINDS: usize = 3;
const LEAST_KIND: f64 = 0.01;
/// The labels beside a block matter if they change the probability of its own by this.
const LABEL_CHANGE: f64 = 0.1;

/// A page that was found.
pub(super) fn found(page: &Explanation) -> String {
    let mut text = format!("{}\n", plain::line(&page.url));
    for (name, value) in lines(page) {
        text += &format!("{name:<11} {}\n", plain::line(&value));
    }
    for note in &page.notes {
        text += &format!("note        {}\n", plain::line(note));
    }
    if !page.blocks.is_empty() {
        let kept = page.blocks.iter().filter(|block| block.kept).count();
        let count = page.blocks.len();
        text += &format!(
            "\n{} of {} kept (+)\n",
            grouped(kept as u64),
            counted(count as u64, "block")
        );
    }
    for one in &page.blocks {
        text += &block(one, page);
    }
    text
}

/// What is known of the page as a whole: a name and a value.
pub(super) fn lines(page: &Explanation) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("row", page.row_id.clone()),
        ("record", page.record_id.clone()),
        ("captured", captured(page)),
    ];
    lines.extend(others(&page.captures));
    let place = &page.place;
    let since = place.since.map(|version| format!(", since version {version}"));
    let read_from = place
        .read_from
        .as_ref()
        .map(|file| format!(", read again from {file}"));
    lines.push((
        "bytes",
        format!(
            "{} at offset {}, {}{}{}",
            place.warc_file,
            place.warc_offset,
            bytes(place.warc_length),
            since.unwrap_or_default(),
            read_from.unwrap_or_default()
        ),
    ));
    lines.push(("page", response(page)));
    let metadata = &page.metadata;
    lines.extend(fact("title", &metadata.title, Option::clone));
    let authors = |names: &Vec<String>| Some(names.join(", ")).filter(|names| !names.is_empty());
    lines.extend(fact("authors", &metadata.authors, authors));
    lines.extend(fact("published", &metadata.published, Option::clone));
    lines.extend(fact("language", &metadata.language, Option::clone));
    lines.extend(kind(page));
    lines.extend(duplicates(page));
    lines.push(("text", text(page)));
    lines.extend(page.text.digest.clone().map(|digest| ("digest", digest)));
    lines.extend(page.sampled_pages.map(|pages| {
        let pages = counted(u64::from(pages), "page");
        ("site", format!("{}, evidence of a sample of {pages}", page.site))
    }));
    lines
}

fn captured(page: &Explanation) -> String {
    let when = page.crawl_date.as_deref().unwrap_or("at an unknown time");
    let crawl = page.crawl.as_ref().map(|crawl| format!(", crawl {crawl}"));
    let Captures {
        is_latest,
        changed,
        others,
    } = &page.captures;
    let latest = match (is_latest, others.is_empty()) {
        (Some(true), false) => ", the latest capture of its URL",
        (Some(false), _) => ", not the latest capture of its URL",
        (_, true) => ", the only capture of its URL",
        (None, false) => "",
    };
    let changed = match (changed, others.is_empty()) {
        (Some(false), false) => ", with the text of the one before",
        _ => "",
    };
    format!("{when}{}{latest}{changed}", crawl.unwrap_or_default())
}

fn others(captures: &Captures) -> Option<(&'static str, String)> {
    let others = captures.others.iter().map(|other| {
        let when = other.crawl_date.as_deref().unwrap_or("at an unknown time");
        format!("{} ({when})", other.row_id)
    });
    let others: Vec<String> = others.collect();
    (!others.is_empty()).then(|| ("others", others.join(", ")))
}

fn response(page: &Explanation) -> String {
    let status = page.http_status.map(|status| format!("status {status}, "));
    let media = page.content_type.as_ref().map(|media| format!("{media}, "));
    let cut = page.truncated.as_ref().map(|limits| format!(", cut by {limits}"));
    format!(
        "{}{}{}{}",
        status.unwrap_or_default(),
        media.unwrap_or_default(),
        page.charset,
        cut.unwrap_or_default()
    )
}

fn fact<T>(
    name: &'static str,
    fact: &Fact<T>,
    text: impl Fn(&T) -> Option<String>,
) -> Option<(&'static str, String)> {
    let value = text(&fact.value)?;
    let source = fact
        .source
        .as_ref()
        .map(|source| format!("  [{}]", self::source(source)));
    Some((name, value + &source.unwrap_or_default()))
}

fn source(source: &FactSource) -> String {
    match (&source.element, &source.path) {
        (Some(element), Some(path)) => format!("{}: {element} in {path}", source.kind),
        _ => source.kind.to_owned(),
    }
}

fn kind(page: &Explanation) -> Option<(&'static str, String)> {
    let kind = page.kind.as_ref()?;
    let probability = kind.probability.map(|probability| format!(" {probability:.2}"));
    let likely = kind.all.iter();
    let likely = likely.filter(|other| other.probability >= LEAST_KIND).take(KINDS);
    let likely: Vec<String> = likely
        .map(|other| format!("{} {:.2}", other.kind, other.probability))
        .collect();
    let likely = match likely.len() {
        0 | 1 => String::new(),
        _ => format!(" (of all kinds: {})", likely.join(", ")),
    };
    Some((
        "kind",
        format!("{}{}{likely}", kind.kind, probability.unwrap_or_default()),
    ))
}

fn duplicates(page: &Explanation) -> Option<(&'static str, String)> {
    let duplicates = page.duplicates.as_ref()?;
    let size = counted(duplicates.cluster_size, "document");
    let survivor = match (duplicates.survivor, &duplicates.survivor_url) {
        (true, _) => "this one survives".to_owned(),
        (false, url) => format!(
            "{} survives, similarity {:.2}",
            url.as_deref().unwrap_or(&duplicates.cluster),
            duplicates.similarity
        ),
    };
    Some((
        "duplicates",
        format!("{size} with this text or nearly this text: {survivor}"),
    ))
}

fn text(page: &Explanation) -> String {
    let text = &page.text;
    let source = match text.source.as_str() {
        "page" => String::new(),
        source => format!(" from structured data ({source})"),
    };
    let confidence = text
        .confidence
        .map(|confidence| format!(", expected word F1 {confidence:.2}"));
    let threshold = text
        .threshold
        .map(|threshold| format!("; blocks above a probability of {threshold:.3} are kept"));
    format!(
        "{}{source}, {} dropped{}{}",
        counted(u64::from(text.words), "word"),
        grouped(u64::from(text.dropped_words)),
        confidence.unwrap_or_default(),
        threshold.unwrap_or_default()
    )
}

fn block(block: &Block, page: &Explanation) -> String {
    let sign = if block.kept { '+' } else { '-' };
    let mut text = format!(
        "{sign} {:>3} {} {:.2}  {}\n",
        block.block,
        block.label,
        block.confidence,
        shortened(&block.text, LONGEST)
    );
    for line in reasons(block, page, FEATURES) {
        text += &format!("      {}\n", plain::line(&line));
    }
    text
}

/// The beginning of a text, on one line.
fn shortened(text: &str, longest: usize) -> String {
    let mut letters = text.chars();
    let begin: String = letters.by_ref().take(longest).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    plain::line(&(begin + more)).into_owned()
}

/// Why a block is kept or dropped, a line each; with this number of features for and against.
pub(super) fn reasons(block: &Block, page: &Explanation, features: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let sum = block.reasons.as_ref().map(sum);
    let first: Vec<String> = because(block, page).into_iter().chain(sum).collect();
    lines.extend((!first.is_empty()).then(|| first.join("; ")));
    if let Some(reasons) = &block.reasons {
        lines.extend(named("for", reasons, features, |adds| adds > 0.0));
        lines.extend(named("against", reasons, features, |adds| adds < 0.0));
        lines.extend(content_label(block, reasons));
    }
    lines.extend(evidence(block, page));
    lines
}

fn because(block: &Block, page: &Explanation) -> Option<String> {
    let of_content = block
        .probability
        .map(|probability| format!("content {probability:.3}"));
    let of_content = of_content.unwrap_or_else(|| "content".to_owned());
    let reason = match block.because {
        Because::Probability => match page.text.threshold {
            Some(threshold) if block.kept => format!("{of_content}, above {threshold:.3}"),
            Some(threshold) => format!("{of_content}, not above {threshold:.3}"),
            None => of_content,
        },
        Because::TooFewWords => {
            format!("{of_content}: the page is expected to have too few words of content")
        }
        Because::Heading if block.kept => format!("{of_content}: kept as the main heading of the page"),
        Because::Heading => format!("{of_content}: dropped as the main heading of the page (--no-title)"),
        Because::StructuredData => "the text of the page is that of its structured data".to_owned(),
        Because::Method => "labelled by a method without probabilities".to_owned(),
        Because::Site => "the evidence of the site changed the label; its state is not kept".to_owned(),
        Because::Unknown => return None,
    };
    Some(reason)
}

/// The log odds by the page alone, as a sum.
fn sum(reasons: &Reasons) -> String {
    let named: f64 = reasons.features.iter().map(|feature| feature.adds).sum();
    let of_features = named + reasons.rest;
    let adjustments: f64 = reasons.adjustments.iter().map(|adjustment| adjustment.adds).sum();
    let named = reasons.adjustments.iter();
    let named: String = named
        .map(|adjustment| format!(", {} {:+.2}", adjustment.by, adjustment.adds))
        .collect();
    format!(
        "log odds of the page alone {:+.2}: mean of its blocks {:+.2}, features {of_features:+.2}{named}",
        reasons.mean + of_features + adjustments,
        reasons.mean
    )
}

fn named(side: &str, reasons: &Reasons, most: usize, is_side: impl Fn(f64) -> bool) -> Option<String> {
    let own = reasons.features.iter();
    let own = own.filter(|feature| is_side(feature.adds) && feature.adds.abs() >= LEAST);
    let own: Vec<String> = own.take(most).map(feature).collect();
    (!own.is_empty()).then(|| format!("{side}: {}", own.join("; ")))
}

fn feature(feature: &Feature) -> String {
    let of = match feature.offset {
        0 => String::new(),
        -1 => " of the block before".to_owned(),
        1 => " of the block behind".to_owned(),
        offset @ ..0 => format!(" of the block {} before", -offset),
        offset => format!(" of the block {offset} behind"),
    };
    let value = shortened(&feature.value, LONGEST_VALUE);
    format!("{}{of} = {value} {:+.2}", feature.feature, feature.adds)
}

/// What the labels beside the block change of its own.
fn content_label(block: &Block, reasons: &Reasons) -> Option<String> {
    let label = &reasons.content_label;
    let is_changed = (label.probability - label.alone).abs() >= LABEL_CHANGE;
    (block.kept && is_changed).then(|| {
        format!(
            "label: {} {:.2} if content, {:.2} without the labels beside it",
            label.label, label.probability, label.alone
        )
    })
}

/// What the site changes.
fn evidence(block: &Block, page: &Explanation) -> Option<String> {
    let site = block.site?;
    let of_sample = page.sampled_pages.map(|pages| format!(" of {pages}"));
    let odds = block.log_odds.filter(|_| page.sampled_pages.is_some());
    let odds = odds.map(|odds| match odds.page == odds.with_site {
        true => format!("log odds stay {:+.2}", odds.page),
        false => format!("log odds {:+.2} become {:+.2}", odds.page, odds.with_site),
    });
    let mut parts: Vec<String> = odds.into_iter().collect();
    parts.push(format!(
        "text on {}{} sampled pages",
        site.template_pages,
        of_sample.unwrap_or_default()
    ));
    if site.template_coverage > 0.0 {
        parts.push(format!("templates match {:.0}%", site.template_coverage * 100.0));
    }
    Some(format!("site: {}", parts.join(", ")))
}

/// What is nearest to a page that was not found.
pub(super) fn nearest(nearest: &Nearest) -> String {
    let mut text = format!(
        "no document '{}' in '{}'\n",
        plain::line(&nearest.page),
        plain::line(&nearest.corpus)
    );
    for reject in &nearest.rejects {
        text += &format!("rejected: {}\n", plain::line(&rejected(reject)));
    }
    if !nearest.same_host.is_empty() {
        text += "nearest pages of the host:\n";
    }
    for page in &nearest.same_host {
        text += &format!("  {}\n", plain::line(&page.url));
    }
    if nearest.rejects.is_empty() && nearest.same_host.is_empty() {
        text += "the corpus has no page of this host, and no reject of this page\n";
    }
    text
}

fn rejected(reject: &Reject) -> String {
    format!(
        "{} ({}: {}), {} at offset {}",
        reject.detail, reject.stage, reject.reason, reject.warc_file, reject.warc_offset
    )
}
