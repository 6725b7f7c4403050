//! All measures, each by itself, from the text as lists of strings.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;

use crate::kinds::{ALPHABETIC, LETTER, NUMERIC, PUNCTUATION, SPACE, SYMBOL, kinds};
use crate::normal::{is_katakana, normal_form};
use crate::signals::c4::{C4Signals, sentences};
use crate::signals::{LineSignals, Signals, WdsSignals};

/// Words, and the characters between them that are no white space.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for segment in text.split_word_bounds() {
        let mut pieces = vec![String::new()];
        for letter in segment.chars() {
            if is_katakana(letter) {
                pieces.push(String::new());
            }
            pieces.last_mut().expect("a piece").push(letter);
        }
        for mut piece in pieces {
            // A mark on a sign, such as a vowel on a bracket, is no part of it.
            while let Some(sign) = piece.chars().next().filter(|first| is_sign(*first)) {
                tokens.extend((!sign.is_whitespace()).then(|| sign.to_string()));
                piece.remove(0);
            }
            if normal_form(&piece).any(char::is_alphanumeric) {
                tokens.push(piece);
            } else {
                let others = piece.chars().filter(|letter| !letter.is_whitespace());
                tokens.extend(others.map(String::from));
            }
        }
    }
    tokens
}

/// Whether a character is in no word: neither a letter or digit, nor what joins letters, nor a mark.
fn is_sign(letter: char) -> bool {
    let joins = |text: String| text.split_word_bounds().count() == 1;
    !letter.is_alphanumeric() && !joins(format!("a{letter}")) && !joins(format!("カ{letter}"))
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn count(text: &str, flags: u8) -> u32 {
    text.chars().filter(|letter| kinds(*letter) & flags != 0).count() as u32
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn share_of(lines: &[&str], is: impl Fn(&str) -> bool) -> f64 {
    share(lines.iter().filter(|line| is(line)).count(), lines.len())
}

/// The number and the characters of what was there before.
fn duplicates(pieces: &[&str]) -> (usize, usize) {
    let mut seen = HashSet::new();
    let again: Vec<&&str> = pieces.iter().filter(|piece| !seen.insert(**piece)).collect();
    (again.len(), again.iter().map(|piece| length(piece)).sum())
}

fn top_ngram(tokens: &[String], size: usize) -> usize {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let ngrams: Vec<String> = tokens.windows(size).map(|ngram| ngram.join(" ")).collect();
    ngrams
        .iter()
        .for_each(|ngram| *counts.entry(ngram.clone()).or_default() += 1);
    let most = counts.values().max().copied().unwrap_or(0);
    ngrams
        .iter()
        .find(|ngram| counts[*ngram] == most)
        .map_or(0, |ngram| most * length(ngram))
}

fn duplicate_ngrams(tokens: &[String], size: usize) -> usize {
    let (mut seen, mut characters, mut at) = (HashSet::new(), 0, 0);
    while at + size <= tokens.len() {
        if seen.insert(&tokens[at..at + size]) {
            at += 1;
        } else {
            characters += length(&tokens[at..at + size].concat());
            at += size;
        }
    }
    characters
}

pub(super) fn signals(text: &str) -> Signals {
    let tokens = tokens(text);
    let words: Vec<&String> = tokens
        .iter()
        .filter(|token| token.chars().any(|letter| kinds(letter) & SYMBOL == 0))
        .collect();
    let all = length(text);
    let lines: Vec<&str> = text.python_lines();
    let split: Vec<&str> = text.split('\n').collect();
    let not_empty = Regex::new("\n+").expect("an expression");
    let not_empty: Vec<&str> = not_empty.split(text).collect();
    let paragraphs = Regex::new("\n{2,}").expect("an expression");
    let paragraphs: Vec<&str> = paragraphs.split(text.trim()).collect();
    let with_words: Vec<&str> = split
        .iter()
        .copied()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let times = |list: &[&str]| {
        tokens
            .iter()
            .filter(|token| list.contains(&token.as_str()))
            .count() as u32
    };
    Signals {
        characters: all as u32,
        tokens: tokens.len() as u32,
        words: words.len() as u32,
        mean_word_length: share(words.iter().map(|word| length(word)).sum(), words.len()),
        hashes: share(text.matches('#').count(), tokens.len()),
        ellipses: share(
            text.matches("...").count() + text.matches('…').count(),
            tokens.len(),
        ),
        bullet_lines: share_of(&lines, |line| line.trim_start().starts_with(['•', '-'])),
        ellipsis_lines: share_of(&lines, |line| {
            line.trim_end().ends_with("...") || line.trim_end().ends_with('…')
        }),
        alphabetic_tokens: share(
            tokens.iter().filter(|token| count(token, LETTER) > 0).count(),
            tokens.len(),
        ),
        gopher_stop_words: times(&["the", "be", "to", "of", "and", "that", "have", "with"]),
        stop_words: Some(times(stop_words::get("en"))),
        duplicate_paragraphs: share(duplicates(&paragraphs).0, paragraphs.len()),
        duplicate_paragraph_characters: share(duplicates(&paragraphs).1, all),
        duplicate_lines: share(duplicates(&not_empty).0, not_empty.len()),
        duplicate_line_characters: share(duplicates(&not_empty).1, all),
        top_ngrams: [2, 3, 4].map(|size| share(top_ngram(&tokens, size), all)),
        duplicate_ngrams: [5, 6, 7, 8, 9, 10].map(|size| share(duplicate_ngrams(&tokens, size), all)),
        punctuated_lines: share_of(&split, |line| line.ends_with(['.', '\'', '"', '!', '?'])),
        short_lines: share_of(&split, |line| length(line) <= 30),
        repeated_characters: share(duplicates(&with_words).1, length(&text.replace('\n', ""))),
        newlines: share(text.matches('\n').count(), tokens.len()),
        long_lines: split.iter().filter(|line| length(line) >= 200).count() as u32,
        c4: c4(&split, true).0,
        fineweb_c4: c4(&split, false).0,
        lines: removed(&split),
        wds: wds(text, &split),
    }
}

trait PythonLines {
    fn python_lines(&self) -> Vec<&str>;
}

impl PythonLines for str {
    /// Lines end with a line feed alone; there is no line behind the last one.
    fn python_lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.split('\n').collect();
        lines.pop_if(|line| line.is_empty());
        lines
    }
}

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("an expression")
}

/// What the rules of C4 count, and the lines that they keep.
pub(super) fn c4(lines: &[&str], needs_mark: bool) -> (C4Signals, Vec<String>) {
    static REFERENCES: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\[[0-9]*\]|\[edit\]|\[citation needed\]"));
    let policies = [
        "terms of use",
        "privacy policy",
        "cookie policy",
        "uses cookies",
        "use of cookies",
        "use cookies",
    ];
    let mut c4 = C4Signals::default();
    let mut kept = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let text = REFERENCES.replace_all(line.trim(), "").into_owned();
        let lower = text.to_ascii_lowercase();
        if words.iter().any(|word| length(word) > 1000) {
            c4.long_word_lines += 1;
        } else if needs_mark && (!text.ends_with(['.', '?', '!', '"', '\'']) || text.ends_with("...")) {
            c4.unpunctuated_lines += 1;
        } else if words.len() < 3 {
            c4.few_word_lines += 1;
        } else {
            c4.has_lorem_ipsum |= lower.contains("lorem ipsum");
            if lower.contains("javascript") {
                c4.javascript_lines += 1;
                continue;
            }
            if text.contains('{') {
                c4.is_bracket_first |= !c4.has_lorem_ipsum;
                c4.has_curly_bracket = true;
            }
            if policies.iter().any(|policy| lower.contains(policy)) {
                c4.policy_lines += 1;
            } else {
                c4.kept_lines += 1;
                c4.kept_characters += length(&text) as u32;
                c4.sentences += sentences(&text);
                kept.push(text);
            }
        }
    }
    (c4, kept)
}

pub(super) fn removed(lines: &[&str]) -> LineSignals {
    const COUNTERS: &str = r"(?i)^[^\p{Alphabetic}\p{N}_]*[0-9][0-9,.]*[kmb]?\s+(likes|shares|comments|retweets|reposts|quotes|bookmarks|upvotes|downvotes|downloads|views|followers)[^\p{Alphabetic}\p{N}_]*$";
    static COUNTER: LazyLock<Regex> = LazyLock::new(|| expression(COUNTERS));
    let mut removed = LineSignals::default();
    let (mut words, mut all_words) = (0, 0);
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let count = line.split_whitespace().count();
        let lower = line.to_ascii_lowercase();
        let is_button = lower.starts_with("sign-in")
            || lower.ends_with("read more...")
            || lower.contains("items in cart");
        let upper = line.chars().filter(|letter| letter.is_uppercase()).count();
        all_words += count;
        let field = if upper as f64 / length(line) as f64 > 0.5 {
            &mut removed.uppercase
        } else if line.chars().all(|letter| letter.is_ascii_digit()) {
            &mut removed.numeric
        } else if COUNTER.is_match(line) {
            &mut removed.counter
        } else if count < 2 {
            &mut removed.one_word
        } else if count <= 10 && is_button {
            &mut removed.button
        } else {
            continue;
        };
        *field += 1;
        words += count;
    }
    removed.words = share(words, all_words);
    removed
}

fn wds(text: &str, lines: &[&str]) -> WdsSignals {
    let segments: Vec<&str> = lines.iter().copied().filter(|line| !line.is_empty()).collect();
    let alphabetic = |text: &str| count(text, ALPHABETIC);
    let singular = |text: &str| {
        text.chars()
            .filter(|letter| kinds(*letter) & (ALPHABETIC | NUMERIC | PUNCTUATION | SPACE) == 0)
            .count() as u32
    };
    let all = alphabetic(text) as usize;
    let ratio = |count: u32| share(count as usize, all);
    let dense = |counted: &dyn Fn(&str) -> u32| -> u32 {
        let counts = segments
            .iter()
            .filter(|line| 10 * counted(line) > alphabetic(line))
            .map(|line| counted(line));
        counts.sum()
    };
    let lower = text.to_ascii_lowercase();
    let starts = |prefix: &str| {
        (0..lower.len())
            .filter(|at| lower.as_bytes()[*at..].starts_with(prefix.as_bytes()))
            .count() as u32
    };
    let unpunctuated = segments
        .iter()
        .filter(|line| 200 * count(line, PUNCTUATION) <= alphabetic(line));
    let countable: Vec<&&str> = segments.iter().filter(|line| length(line) >= 4).collect();
    let repeated = countable
        .iter()
        .filter(|line| countable.iter().filter(|other| *other == *line).count() > 1)
        .count();
    let great: Vec<u32> = segments
        .iter()
        .map(|line| alphabetic(line))
        .filter(|letters| *letters > 625)
        .collect();
    WdsSignals {
        alphabetic: all as u32,
        urls: starts("http") + starts("www"),
        numbers: ratio(count(text, NUMERIC)),
        punctuation: ratio(count(text, PUNCTUATION)),
        singular: ratio(singular(text)),
        dense_numbers: dense(&|line| count(line, NUMERIC)),
        dense_singular: dense(&singular),
        unpunctuated: ratio(unpunctuated.map(|line| alphabetic(line)).sum()),
        repeated_segments: share(repeated, countable.len()),
        long_segments: segments.iter().filter(|line| alphabetic(line) >= 250).count() as u32,
        longest_segment: segments.iter().map(|line| alphabetic(line)).max().unwrap_or(0),
        great_segments: share(great.iter().sum::<u32>() as usize, great.len()),
        segment_variation: variation(
            &segments
                .iter()
                .map(|line| alphabetic(line).min(250))
                .collect::<Vec<_>>(),
        ),
        segments: segments.len() as u32,
    }
}

fn variation(lengths: &[u32]) -> f64 {
    let count = lengths.len().max(1) as f64;
    let mean = f64::from(lengths.iter().sum::<u32>()) / count;
    let squares = lengths
        .iter()
        .map(|length| f64::from(*length).powi(2))
        .sum::<f64>()
        / count;
    if mean == 0.0 {
        0.0
    } else {
        (squares - mean * mean).max(0.0).sqrt() / mean
    }
}
