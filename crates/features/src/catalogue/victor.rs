//! The 46 features of the Victor thesis, chapter 4.
//!
//! Chapter 4 prints 45 names. The forty-sixth is `container.li`, which its text speaks of as a
//! feature ("a container.li feature suggests a list item") and its list leaves out.
//!
//! The thesis cuts blocks at every tag. Where a block is a line and has several runs of text,
//! `container.*` holds when an ancestor of any run matches, and the word ratios count the words of
//! the runs outside of `<a>`.

use super::{COUNTS, FEW, Feature, FeatureKind, Value, flag};
use crate::Module;
use crate::facts::{Around, BlockFacts, Facts, share};

const SIZES: &[f64] = &[
    0.0, 50.0, 100.0, 200.0, 400.0, 700.0, 1200.0, 2000.0, 4000.0, 8000.0,
];

/// A row for an element or class of elements around the block.
macro_rules! container {
    ($name:literal, $kind:ident, $definition:literal) => {
        feature!($name, Container, FeatureKind::Flag, $definition, |_, b| flag(
            b.around.has(Around::$kind)
        ))
    };
}

/// The rows, in the order of the chapter.
#[rustfmt::skip]
pub(super) const ROWS: &[Feature] = &[
    container!("container.p", P, "an ancestor is `<p>`"),
    container!("container.a", A, "an ancestor is `<a>`"),
    container!("container.u", U, "an ancestor is `<u>`"),
    container!("container.img", IMG, "the text stands for an `<img>`"),
    container!("container.class-header", HEADER, "an ancestor is `<h1>` to `<h6>`"),
    container!("container.class-bold", BOLD, "an ancestor is `<b>` or `<strong>`"),
    container!("container.class-italic", ITALIC, "an ancestor is `<i>`, `<em>`, `<cite>`, `<dfn>` or `<var>`"),
    container!("container.class-list", LIST, "an ancestor is a list (`<ul>`, `<ol>`, `<dl>`, `<menu>`, `<dir>`) or a part of one"),
    container!("container.class-form", FORM, "an ancestor is `<form>` or a part of one"),
    container!("container.li", LI, "an ancestor is `<li>`"),
    feature!("split.p", Split, FeatureKind::Values(FEW), "`<p>` and `</p>` since the block before", |_, b| b.split.p as f32),
    feature!("split.br", Split, FeatureKind::Values(FEW), "`<br>` since the block before", |_, b| b.split.br as f32),
    feature!("split.hr", Split, FeatureKind::Values(&[0.0, 1.0, 2.0]), "`<hr>` since the block before", |_, b| b.split.hr as f32),
    feature!("split.class-inline", Split, FeatureKind::Values(FEW), "tags of inline elements since the block before, without `<br>`", |_, b| b.split.inline as f32),
    feature!("split.class-block", Split, FeatureKind::Values(&[0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0]), "tags of all other elements since the block before", |_, b| b.split.block as f32),
    feature!("char.alpha-rel", Char, FeatureKind::Share(10), "share of letters and their marks among the characters", |_, b| share(b.text.classes[1], b.text.chars())),
    feature!("char.num-rel", Char, FeatureKind::Share(10), "share of numerals among the characters", |_, b| share(b.text.classes[2], b.text.chars())),
    feature!("char.punct-rel", Char, FeatureKind::Share(10), "share of punctuation among the characters", |_, b| share(b.text.classes[3], b.text.chars())),
    feature!("char.white-rel", Char, FeatureKind::Share(10), "share of white space among the characters", |_, b| share(b.text.classes[4], b.text.chars())),
    feature!("char.other-rel", Char, FeatureKind::Share(10), "share of all other characters", |_, b| share(b.text.classes[0], b.text.chars())),
    feature!("token.alpha-rel", Token, FeatureKind::Share(10), "share of tokens with letters and no numerals", |_, b| share(b.text.tokens[1], b.text.token_count())),
    feature!("token.num-rel", Token, FeatureKind::Share(10), "share of tokens with numerals and no letters", |_, b| share(b.text.tokens[2], b.text.token_count())),
    feature!("token.mix-rel", Token, FeatureKind::Share(10), "share of tokens with both", |_, b| share(b.text.tokens[3], b.text.token_count())),
    feature!("token.other-rel", Token, FeatureKind::Share(10), "share of tokens with neither", |_, b| share(b.text.tokens[0], b.text.token_count())),
    feature!("token.alpha-abs", Token, FeatureKind::Values(COUNTS), "tokens with letters and no numerals", |_, b| b.text.tokens[1] as f32),
    feature!("token.num-abs", Token, FeatureKind::Values(COUNTS), "tokens with numerals and no letters", |_, b| b.text.tokens[2] as f32),
    feature!("token.mix-abs", Token, FeatureKind::Values(COUNTS), "tokens with both", |_, b| b.text.tokens[3] as f32),
    feature!("token.other-abs", Token, FeatureKind::Values(COUNTS), "tokens with neither", |_, b| b.text.tokens[0] as f32),
    feature!("sentence.count", Sentence, FeatureKind::Values(&[0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0]), "ends of sentences", |_, b| b.text.sentences as f32),
    feature!("sentence.avg-length", Sentence, FeatureKind::Values(&[0.0, 1.0, 2.0, 4.0, 7.0, 10.0, 15.0, 20.0, 30.0]), "words a sentence; all words where there is no end of one", |_, b| b.text.words as f32 / b.text.sentences.max(1) as f32),
    feature!("sentence-begin", Sentence, FeatureKind::Flag, "the first letter is not lower-case", |_, b| flag(b.text.begins_sentence)),
    feature!("sentence-end", Sentence, FeatureKind::Flag, "the block ends in the end of a sentence", |_, b| flag(b.text.ends_sentence)),
    feature!("first-duplicate", Duplicate, FeatureKind::Flag, "the first of several blocks with the same letters", |_, b| flag(b.first_duplicate)),
    feature!("duplicate-count", Duplicate, FeatureKind::Values(&[1.0, 2.0, 3.0, 4.0, 6.0, 10.0, 20.0]), "blocks with the same letters, itself included", |_, b| b.duplicates as f32),
    feature!("regexp.url", Regexp, FeatureKind::FirstMatch(|r| &r.url), "the first expression for a URL that matches", |_, b| b.url as f32),
    feature!("regexp.date", Regexp, FeatureKind::FirstMatch(|r| &r.date), "the first expression for a date that matches", |_, b| b.date as f32),
    feature!("regexp.time", Regexp, FeatureKind::FirstMatch(|r| &r.time), "the first expression for a time that matches", |_, b| b.time as f32),
    feature!("bullet", Bullet, FeatureKind::AllMatches(|r| &r.bullet), "the marks of a list item that match at the start", |_, b| b.bullet as f32),
    feature!("div-group.word-ratio", Group, FeatureKind::Share(10), "share of the div group among the words outside of links; 0 outside of any `<div>`", |_, b| b.div_share),
    feature!("td-group.word-ratio", Group, FeatureKind::Share(10), "share of the td group among the words outside of links; 0 outside of any cell", |_, b| b.td_share),
    feature!("position", Position, FeatureKind::Share(10), "the block's number, from 0, by the number of blocks", |f, b| share(b.index, f.document.blocks)),
    feature!("document.word-count", Document, FeatureKind::Values(SIZES), "words in the document", |f, _| f.document.words as f32),
    feature!("document.sentence-count", Document, FeatureKind::Values(&[0.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0]), "sentences in the document", |f, _| f.document.sentences as f32),
    feature!("document.block-count", Document, FeatureKind::Values(&[0.0, 10.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0]), "blocks in the document", |f, _| f.document.blocks as f32),
    feature!("document.max-div-group", Document, FeatureKind::Share(10), "the largest div-group.word-ratio", |f, _| f.document.max_div_share),
    feature!("document.max-td-group", Document, FeatureKind::Share(10), "the largest td-group.word-ratio", |f, _| f.document.max_td_share),
];
