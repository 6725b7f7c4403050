//! Features that the thesis does not have.

use gleaner_html::Tag;

use super::{COUNTS, FEW, Feature, FeatureKind, Value, flag};
use crate::Module;
use crate::QueryEvidence;
use crate::facts::{
    BlockFacts, ElementFacts, ElementSums, Facts, GENERATOR_CODES, Landmark, OG_TYPE_CODES, Root, share,
};
use crate::word_lists::ROLES;

const WORDS: &[f64] = &[
    0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 13.0, 20.0, 32.0, 55.0, 100.0, 200.0,
];
const CHARS: &[f64] = &[
    0.0, 4.0, 8.0, 13.0, 20.0, 32.0, 50.0, 80.0, 130.0, 220.0, 400.0, 900.0,
];
const MANY: &[f64] = &[
    0.0, 1.0, 4.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1300.0, 3000.0, 8000.0,
];
const SHARES: &[f64] = &[
    0.0, 0.001, 0.01, 0.03, 0.07, 0.13, 0.2, 0.3, 0.42, 0.56, 0.7, 0.85, 0.96, 1.0,
];
const DENSITIES: &[f64] = &[
    -1e6, 0.001, 1.0, 3.0, 6.0, 10.0, 16.0, 25.0, 40.0, 65.0, 110.0, 200.0, 400.0,
];
const TENTHS: &[f64] = &[0.0, 0.001, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
const LEVELS: &[f64] = &[-1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0];

/// The rows, module by module.
#[rustfmt::skip]
pub(super) const ROWS: &[Feature] = &[
    feature!("size.words", Size, FeatureKind::Values(WORDS), "words", |_, b| b.text.words as f32),
    feature!("size.chars", Size, FeatureKind::Values(CHARS), "characters", |_, b| b.text.chars() as f32),
    feature!("size.links", Size, FeatureKind::Values(WORDS), "words inside links", |_, b| b.text.link_words as f32),
    feature!("size.parent-words", Size, FeatureKind::Values(MANY), "words in the parent of the innermost block-level element", |f, b| f.sums(b, 1).words as f32),
    feature!("size.parent-share", Size, FeatureKind::Values(SHARES), "share of those among all words", |f, b| share(f.sums(b, 1).words, f.document.words)),
    feature!("size.grandparent-words", Size, FeatureKind::Values(MANY), "words in the grandparent of the innermost block-level element", |f, b| f.sums(b, 2).words as f32),
    feature!("size.grandparent-share", Size, FeatureKind::Values(SHARES), "share of those among all words", |f, b| share(f.sums(b, 2).words, f.document.words)),
    feature!("size.third-words", Size, FeatureKind::Values(MANY), "words in the third ancestor of the innermost block-level element", |f, b| f.sums(b, 3).words as f32),
    feature!("size.third-share", Size, FeatureKind::Values(SHARES), "share of those among all words", |f, b| share(f.sums(b, 3).words, f.document.words)),
    feature!("size.window", Size, FeatureKind::Values(WORDS), "words a block in the five blocks around it", |_, b| b.place.window_words),
    feature!("link.block", Link, FeatureKind::Values(SHARES), "share of words inside links", |_, b| share(b.text.link_words, b.text.words)),
    feature!("link.parent", Link, FeatureKind::Values(SHARES), "share of words inside links in the parent", |f, b| f.sums(b, 1).link_share()),
    feature!("link.grandparent", Link, FeatureKind::Values(SHARES), "share of words inside links in the grandparent", |f, b| f.sums(b, 2).link_share()),
    feature!("link.third", Link, FeatureKind::Values(SHARES), "share of words inside links in the third ancestor", |f, b| f.sums(b, 3).link_share()),
    feature!("link.window", Link, FeatureKind::Values(SHARES), "share of words inside links in the five blocks around it", |_, b| b.place.window_links),
    feature!("density.parent", Density, FeatureKind::Values(DENSITIES), "characters a tag in the parent", |f, b| f.chars_per_tag(b, 1)),
    feature!("density.grandparent", Density, FeatureKind::Values(DENSITIES), "characters a tag in the grandparent", |f, b| f.chars_per_tag(b, 2)),
    feature!("density.composite-own", Density, FeatureKind::Values(DENSITIES), "composite text density of the innermost block-level element", |f, b| f.up(b, 0).density),
    feature!("density.composite-parent", Density, FeatureKind::Values(DENSITIES), "composite text density of its parent", |f, b| f.up(b, 1).density),
    feature!("density.composite-grandparent", Density, FeatureKind::Values(DENSITIES), "composite text density of its grandparent", |f, b| f.up(b, 2).density),
    feature!("density.sum-parent", Density, FeatureKind::Values(SHARES), "sum of densities below the parent, by the document's largest", |f, b| f.density_sum(b, 1) / f.document.best_density_sum),
    feature!("density.sum-grandparent", Density, FeatureKind::Values(SHARES), "sum of densities below the grandparent, by the document's largest", |f, b| f.density_sum(b, 2) / f.document.best_density_sum),
    feature!("density.sum-third", Density, FeatureKind::Values(SHARES), "sum of densities below the third ancestor, by the document's largest", |f, b| f.density_sum(b, 3) / f.document.best_density_sum),
    feature!("density.in-densest", Density, FeatureKind::Values(LEVELS), "levels below the element with the largest sum of densities; -1 outside", |_, b| b.in_densest as f32),
    feature!("density.to-densest", Density, FeatureKind::Values(FEW), "levels up to an element that holds that element", |_, b| b.to_densest as f32),
    feature!("density.in-readable", Density, FeatureKind::Values(LEVELS), "levels below the element whose children hold most running text; -1 outside", |_, b| b.in_readable as f32),
    feature!("density.commas", Density, FeatureKind::Values(SHARES), "commas a word in the parent", |f, b| share(f.sums(b, 1).commas, f.sums(b, 1).words)),
    feature!("density.paragraphs-parent", Density, FeatureKind::Values(COUNTS), "`<p>` in the parent", |f, b| f.sums(b, 1).paragraphs as f32),
    feature!("density.paragraphs-grandparent", Density, FeatureKind::Values(COUNTS), "`<p>` in the grandparent", |f, b| f.sums(b, 2).paragraphs as f32),
    feature!("place.block", Place, FeatureKind::Values(COUNTS), "blocks before it", |_, b| b.index as f32),
    feature!("place.from-end", Place, FeatureKind::Values(COUNTS), "blocks behind it", |f, b| (f.document.blocks - 1 - b.index) as f32),
    feature!("place.words", Place, FeatureKind::Share(20), "share of the document's words before it", |f, b| share(b.place.words_before, f.document.words)),
    feature!("place.plain-words", Place, FeatureKind::Share(20), "the same of words outside of links", |f, b| share(b.place.plain_before, f.document.words - f.document.link_words)),
    feature!("place.words-behind", Place, FeatureKind::Values(MANY), "words from it to the end", |f, b| (f.document.words - b.place.words_before) as f32),
    feature!("place.among-long", Place, FeatureKind::Number(3), "before the first long block (15 words, under 40% in links); up to the last; behind", |_, b| f32::from(b.place.among_long)),
    feature!("place.to-first-long", Place, FeatureKind::Values(COUNTS), "blocks to the first long block", |_, b| b.place.to_first_long as f32),
    feature!("place.from-last-long", Place, FeatureKind::Values(COUNTS), "blocks since the last long block", |_, b| b.place.from_last_long as f32),
    feature!("place.since-long", Place, FeatureKind::Values(COUNTS), "blocks since the nearest long block", |_, b| b.place.since_long as f32),
    feature!("place.until-long", Place, FeatureKind::Values(COUNTS), "blocks until the nearest long block", |_, b| b.place.until_long as f32),
    feature!("place.window-long", Place, FeatureKind::Share(6), "share of long blocks in the five around it", |_, b| b.place.window_long),
    feature!("place.heading", Place, FeatureKind::Number(7), "level of the last heading, 0 before any", |_, b| f32::from(b.place.heading)),
    feature!("place.since-heading", Place, FeatureKind::Values(COUNTS), "blocks since the last heading", |_, b| b.place.since_heading as f32),
    feature!("place.first-h1", Place, FeatureKind::Number(4), "no `<h1>`; before the first; in it; behind", |_, b| f32::from(b.place.first_h1)),
    feature!("repetition.count", Repetition, FeatureKind::Values(COUNTS), "most siblings of the same name and classes that an element around has", |_, b| b.repeated as f32),
    feature!("repetition.level", Repetition, FeatureKind::Values(LEVELS), "how far up that element is; -1 for none", |_, b| b.repeated_level as f32),
    feature!("repetition.words", Repetition, FeatureKind::Values(MANY), "words in it", |f, b| f.repeated(b).words as f32),
    feature!("repetition.links", Repetition, FeatureKind::Values(SHARES), "share of words inside links in it", |f, b| f.repeated(b).link_share()),
    feature!("repetition.alike-own", Repetition, FeatureKind::Values(COUNTS), "siblings of the same name and classes of the innermost block-level element", |f, b| f.up(b, 0).alike as f32),
    feature!("repetition.alike-parent", Repetition, FeatureKind::Values(COUNTS), "siblings of the same name and classes of its parent", |f, b| f.up(b, 1).alike as f32),
    feature!("repetition.alike-grandparent", Repetition, FeatureKind::Values(COUNTS), "siblings of the same name and classes of its grandparent", |f, b| f.up(b, 2).alike as f32),
    feature!("repetition.path-blocks", Repetition, FeatureKind::Values(COUNTS), "blocks with the same tag path", |_, b| b.path.blocks as f32),
    feature!("repetition.path-share", Repetition, FeatureKind::Values(SHARES), "share of all words in them", |f, b| share(b.path.words, f.document.words)),
    feature!("repetition.path-average", Repetition, FeatureKind::Values(WORDS), "words a block in them", |_, b| b.path.average()),
    feature!("repetition.path-links", Repetition, FeatureKind::Values(SHARES), "share of words inside links in them", |_, b| share(b.path.link_words, b.path.words)),
    feature!("repetition.class-path-blocks", Repetition, FeatureKind::Values(COUNTS), "blocks with the same tags and classes four elements up", |_, b| b.class_path.blocks as f32),
    feature!("repetition.class-path-share", Repetition, FeatureKind::Values(SHARES), "share of all words in them", |f, b| share(b.class_path.words, f.document.words)),
    feature!("repetition.class-path-average", Repetition, FeatureKind::Values(WORDS), "words a block in them", |_, b| b.class_path.average()),
    feature!("repetition.class-path-links", Repetition, FeatureKind::Values(SHARES), "share of words inside links in them", |_, b| share(b.class_path.link_words, b.class_path.words)),
    feature!("landmark.main", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Main),
    feature!("landmark.article", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Article),
    feature!("landmark.aside", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Aside),
    feature!("landmark.nav", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Nav),
    feature!("landmark.footer", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Footer),
    feature!("landmark.header", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Header),
    feature!("landmark.section", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Section),
    feature!("landmark.form", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Form),
    feature!("landmark.table", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Table),
    feature!("landmark.figure", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Figure),
    feature!("landmark.blockquote", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Blockquote),
    feature!("landmark.button", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Button),
    feature!("landmark.list", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::List),
    feature!("landmark.item", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Item),
    feature!("landmark.dialog", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Dialog),
    feature!("landmark.details", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Details),
    feature!("landmark.pre", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Pre),
    feature!("landmark.address", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Address),
    feature!("landmark.time", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Time),
    feature!("landmark.caption", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Caption),
    feature!("landmark.label", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Label),
    feature!("landmark.cell", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Cell),
    feature!("landmark.definition", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Definition),
    feature!("landmark.code", Landmark, FeatureKind::Number(3), "not around it; within three elements; farther", Landmark::Code),
    feature!("landmark.in-article", Landmark, FeatureKind::Values(LEVELS), "levels below the `<article>` with most words; -1 outside", |_, b| b.in_article as f32),
    feature!("landmark.in-main", Landmark, FeatureKind::Values(LEVELS), "levels below the main part; -1 outside", |_, b| b.in_main as f32),
    feature!("landmark.hidden", Landmark, FeatureKind::Flag, "not shown as delivered", |_, b| flag(b.hidden)),
    feature!("landmark.depth", Landmark, FeatureKind::Values(COUNTS), "elements around it", |f, b| f.depth(b)),
    feature!("cue.og-type", Cue, FeatureKind::Number(OG_TYPE_CODES), "kind of page by `og:type`: none; another; article; website; product; profile; blog; video; forum; book", |f, _| f32::from(f.cues.og_type)),
    feature!("cue.generator", Cue, FeatureKind::Number(GENERATOR_CODES), "program by `<meta name=generator>`: none; another; wordpress; drupal; joomla; blogger; mediawiki; discourse; typo3; hugo; jekyll; ghost; docusaurus; sphinx; wix; shopify; squarespace; elementor; vbulletin; powered by", |f, _| f32::from(f.cues.generator)),
    feature!("cue.data-article", Cue, FeatureKind::Flag, "structured data of the kind", |f, _| f32::from(f.cues.types & 1)),
    feature!("cue.data-product", Cue, FeatureKind::Flag, "structured data of the kind", |f, _| f32::from(f.cues.types >> 1 & 1)),
    feature!("cue.data-discussion", Cue, FeatureKind::Flag, "structured data of the kind", |f, _| f32::from(f.cues.types >> 2 & 1)),
    feature!("cue.data-list", Cue, FeatureKind::Flag, "structured data of the kind", |f, _| f32::from(f.cues.types >> 3 & 1)),
    feature!("cue.data-breadcrumbs", Cue, FeatureKind::Flag, "structured data of the kind", |f, _| f32::from(f.cues.types >> 4 & 1)),
    feature!("cue.data-instructions", Cue, FeatureKind::Flag, "structured data of the kind", |f, _| f32::from(f.cues.types >> 5 & 1)),
    feature!("cue.data-organisation", Cue, FeatureKind::Flag, "structured data of the kind", |f, _| f32::from(f.cues.types >> 6 & 1)),
    feature!("cue.links", Cue, FeatureKind::Values(SHARES), "share of the document's words inside links", |f, _| share(f.document.link_words, f.document.words)),
    feature!("cue.words", Cue, FeatureKind::Values(MANY), "words in the document", |f, _| f.document.words as f32),
    feature!("cue.long", Cue, FeatureKind::Values(COUNTS), "long blocks", |f, _| f.document.long as f32),
    feature!("cue.long-share", Cue, FeatureKind::Values(SHARES), "share of long blocks", |f, _| share(f.document.long, f.document.blocks)),
    feature!("cue.longest-path", Cue, FeatureKind::Values(SHARES), "largest share of words outside of links that one tag path has", |f, _| share(f.document.longest_path, f.document.words)),
    feature!("cue.article-share", Cue, FeatureKind::Values(SHARES), "share of words in the largest `<article>`", |f, _| f.part_share(f.document.article)),
    feature!("cue.main-share", Cue, FeatureKind::Values(SHARES), "share of words in the main part", |f, _| f.part_share(f.document.main)),
    feature!("cue.article", Cue, FeatureKind::Values(COUNTS), "`<article>` in the document", |f, _| f.cues.count(Tag::Article) as f32),
    feature!("cue.h1", Cue, FeatureKind::Values(COUNTS), "`<h1>` in the document", |f, _| f.cues.count(Tag::H1) as f32),
    feature!("cue.h2", Cue, FeatureKind::Values(COUNTS), "`<h2>` in the document", |f, _| f.cues.count(Tag::H2) as f32),
    feature!("cue.table", Cue, FeatureKind::Values(COUNTS), "`<table>` in the document", |f, _| f.cues.count(Tag::Table) as f32),
    feature!("cue.pre", Cue, FeatureKind::Values(COUNTS), "`<pre>` in the document", |f, _| f.cues.count(Tag::Pre) as f32),
    feature!("cue.form", Cue, FeatureKind::Values(COUNTS), "`<form>` in the document", |f, _| f.cues.count(Tag::Form) as f32),
    feature!("cue.section", Cue, FeatureKind::Values(COUNTS), "`<section>` in the document", |f, _| f.cues.count(Tag::Section) as f32),
    feature!("cue.time", Cue, FeatureKind::Values(COUNTS), "`<time>` in the document", |f, _| f.cues.count(Tag::Time) as f32),
    feature!("cue.figure", Cue, FeatureKind::Values(COUNTS), "`<figure>` in the document", |f, _| f.cues.count(Tag::Figure) as f32),
    feature!("cue.blockquote", Cue, FeatureKind::Values(COUNTS), "`<blockquote>` in the document", |f, _| f.cues.count(Tag::Blockquote) as f32),
    feature!("cue.img", Cue, FeatureKind::Values(COUNTS), "`<img>` in the document", |f, _| f.cues.count(Tag::Img) as f32),
    feature!("cue.li-ratio", Cue, FeatureKind::Values(SHARES), "`<li>` a block", |f, _| share(f.cues.count(Tag::Li), f.document.blocks)),
    feature!("cue.td-ratio", Cue, FeatureKind::Values(SHARES), "`<td>` a block", |f, _| share(f.cues.count(Tag::Td), f.document.blocks)),
    feature!("cue.p-ratio", Cue, FeatureKind::Values(SHARES), "`<p>` a block", |f, _| share(f.cues.count(Tag::P), f.document.blocks)),
    feature!("cue.url-depth", Cue, FeatureKind::Values(FEW), "segments of the address's path", |f, _| f.cues.url_depth as f32),
    feature!("cue.url-dashes", Cue, FeatureKind::Values(FEW), "hyphens in the last of them", |f, _| f.cues.url_dashes as f32),
    feature!("cue.url-digits", Cue, FeatureKind::Flag, "three digits in a row in the path", |f, _| flag(f.cues.url_digits)),
    feature!("cue.url-query", Cue, FeatureKind::Flag, "a query in the address", |f, _| flag(f.cues.url_query)),
    feature!("root.post", Root, FeatureKind::Flag, "words for a post or an article in the classes or ids of `<html>` and `<body>`", |f, _| flag(f.cues.root.has(Root::POST))),
    feature!("root.product", Root, FeatureKind::Flag, "words for a product in the classes or ids of `<html>` and `<body>`", |f, _| flag(f.cues.root.has(Root::PRODUCT))),
    feature!("root.list", Root, FeatureKind::Flag, "words for a list of things in the classes or ids of `<html>` and `<body>`", |f, _| flag(f.cues.root.has(Root::LIST))),
    feature!("root.thread", Root, FeatureKind::Flag, "words for a thread in the classes or ids of `<html>` and `<body>`", |f, _| flag(f.cues.root.has(Root::THREAD))),
    feature!("root.manual", Root, FeatureKind::Flag, "words for a part of a manual in the classes or ids of `<html>` and `<body>`", |f, _| flag(f.cues.root.has(Root::MANUAL))),
    feature!("root.front", Root, FeatureKind::Flag, "words for a front page in the classes or ids of `<html>` and `<body>`", |f, _| flag(f.cues.root.has(Root::FRONT))),
    feature!("root.next", Root, FeatureKind::Flag, "a `<link>` to a document before or behind", |f, _| flag(f.cues.root.has(Root::NEXT))),
    feature!("root.contents", Root, FeatureKind::Flag, "a `<link>` to contents, an index, a chapter or the document above", |f, _| flag(f.cues.root.has(Root::CONTENTS))),
    feature!("root.feed", Root, FeatureKind::Flag, "a `<link>` to a feed", |f, _| flag(f.cues.root.has(Root::FEED))),
    feature!("root.amp", Root, FeatureKind::Flag, "a `<link>` to a version for mobile devices", |f, _| flag(f.cues.root.has(Root::AMP))),
    feature!("root.shortlink", Root, FeatureKind::Flag, "a `<link>` to a short address, pingbacks or an interface for editors", |f, _| flag(f.cues.root.has(Root::SHORTLINK))),
    feature!("root.search", Root, FeatureKind::Flag, "a `<link>` to a description of its search", |f, _| flag(f.cues.root.has(Root::SEARCH))),
    feature!("line.role", Line, FeatureKind::Number(ROLES.len() as u16 + 1), "what a short line is for by its words: none of these; byline; day; length; share; subscribe; related; comment; tags; rights; navigation; advertisement; media; more", |_, b| f32::from(b.line.role)),
    feature!("line.covered", Line, FeatureKind::Fixed(TENTHS), "share of its letters that are in such words", |_, b| b.line.covered),
    feature!("line.heading", Line, FeatureKind::Number(ROLES.len() as u16 + 1), "what the last heading is for", |_, b| f32::from(b.line.heading)),
    feature!("line.last", Line, FeatureKind::Number(ROLES.len() as u16 + 1), "what the last line is for that is such words by half; 0 before any", |_, b| f32::from(b.line.last)),
    feature!("line.since", Line, FeatureKind::Fixed(COUNTS), "blocks since that line", |_, b| b.line.since as f32),
    feature!("line.next", Line, FeatureKind::Number(ROLES.len() as u16 + 1), "what the next such line is for; 0 behind the last", |_, b| f32::from(b.line.next)),
    feature!("line.until", Line, FeatureKind::Fixed(COUNTS), "blocks until that line", |_, b| b.line.until as f32),
    feature!("query.own", Query, FeatureKind::Number(QUERY_CODES), "terms of the query directly in the innermost block-level element: 0, 1, 2 or 3, 4 or more", |f, b| f.query_code(b, 0, |own| f64::from(own.matches))),
    feature!("query.score", Query, FeatureKind::Number(QUERY_CODES), "its query score: 0, below 1, 2 and 4, 4 or more", |f, b| f.query_code(b, 0, |own| own.score)),
    feature!("query.score-parent", Query, FeatureKind::Number(QUERY_CODES), "the same of its parent", |f, b| f.query_code(b, 1, |own| own.score)),
    feature!("query.score-grandparent", Query, FeatureKind::Number(QUERY_CODES), "the same of its grandparent", |f, b| f.query_code(b, 2, |own| own.score)),
    feature!("query.score-third", Query, FeatureKind::Number(QUERY_CODES), "the same of its third ancestor", |f, b| f.query_code(b, 3, |own| own.score)),
    feature!("query.repeated", Query, FeatureKind::Number(3), "the most repeated element around: no query, none of its terms in it, some", |f, b| f.query_in_repeated(b)),
    feature!("query.page", Query, FeatureKind::Number(QUERY_CODES), "the query score of the page", |f, _| f.query_of_page()),
    feature!("window.capitals", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital", |f, b| f.around(b).own.capital_share()),
    feature!("window.before", Window, FeatureKind::Fixed(WORDS), "words in the block before", |f, b| f.near(b, -1).words as f32),
    feature!("window.before-2", Window, FeatureKind::Fixed(WORDS), "words in the one before that", |f, b| f.near(b, -2).words as f32),
    feature!("window.behind", Window, FeatureKind::Fixed(WORDS), "words in the block behind", |f, b| f.near(b, 1).words as f32),
    feature!("window.behind-2", Window, FeatureKind::Fixed(WORDS), "words in the one behind that", |f, b| f.near(b, 2).words as f32),
    feature!("window.before-end", Window, FeatureKind::Number(2), "the block before ends in the end of a sentence: no; yes", |f, b| f.near(b, -1).end_share()),
    feature!("window.behind-end", Window, FeatureKind::Number(2), "the block behind ends in the end of a sentence: no; yes", |f, b| f.near(b, 1).end_share()),
    feature!("window.before-capitals", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the block before", |f, b| f.near(b, -1).capital_share()),
    feature!("window.behind-capitals", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the block behind", |f, b| f.near(b, 1).capital_share()),
    feature!("window.words-4", Window, FeatureKind::Fixed(WORDS), "words a block in the nine around it", |f, b| f.around(b).windows[0].all.words_a_block()),
    feature!("window.long-4", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the nine", |f, b| f.around(b).windows[0].all.long_share()),
    feature!("window.ends-4", Window, FeatureKind::Fixed(SHARES), "share of blocks in the nine that end in the end of a sentence", |f, b| f.around(b).windows[0].all.end_share()),
    feature!("window.capitals-4", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the nine", |f, b| f.around(b).windows[0].all.capital_share()),
    feature!("window.repeated-4", Window, FeatureKind::Fixed(SHARES), "share of blocks in the nine whose letters are elsewhere, too", |f, b| f.around(b).windows[0].all.repeated_share()),
    feature!("window.mass-4", Window, FeatureKind::Fixed(SHARES), "words of long blocks in the nine, by the most that the nine around any block have", |f, b| f.around(b).windows[0].mass),
    feature!("window.words-10", Window, FeatureKind::Fixed(WORDS), "words a block in the 21 around it", |f, b| f.around(b).windows[1].all.words_a_block()),
    feature!("window.long-10", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the 21", |f, b| f.around(b).windows[1].all.long_share()),
    feature!("window.ends-10", Window, FeatureKind::Fixed(SHARES), "share of blocks in the 21 that end in the end of a sentence", |f, b| f.around(b).windows[1].all.end_share()),
    feature!("window.capitals-10", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the 21", |f, b| f.around(b).windows[1].all.capital_share()),
    feature!("window.repeated-10", Window, FeatureKind::Fixed(SHARES), "share of blocks in the 21 whose letters are elsewhere, too", |f, b| f.around(b).windows[1].all.repeated_share()),
    feature!("window.mass-10", Window, FeatureKind::Fixed(SHARES), "words of long blocks in the 21, by the most that the 21 around any block have", |f, b| f.around(b).windows[1].mass),
    feature!("window.words-25", Window, FeatureKind::Fixed(WORDS), "words a block in the 51 around it", |f, b| f.around(b).windows[2].all.words_a_block()),
    feature!("window.long-25", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the 51", |f, b| f.around(b).windows[2].all.long_share()),
    feature!("window.ends-25", Window, FeatureKind::Fixed(SHARES), "share of blocks in the 51 that end in the end of a sentence", |f, b| f.around(b).windows[2].all.end_share()),
    feature!("window.capitals-25", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the 51", |f, b| f.around(b).windows[2].all.capital_share()),
    feature!("window.repeated-25", Window, FeatureKind::Fixed(SHARES), "share of blocks in the 51 whose letters are elsewhere, too", |f, b| f.around(b).windows[2].all.repeated_share()),
    feature!("window.mass-25", Window, FeatureKind::Fixed(SHARES), "words of long blocks in the 51, by the most that the 51 around any block have", |f, b| f.around(b).windows[2].mass),
    feature!("window.words-before-4", Window, FeatureKind::Fixed(WORDS), "words a block in the four before it", |f, b| f.around(b).windows[0].before.words_a_block()),
    feature!("window.long-before-4", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the four before it", |f, b| f.around(b).windows[0].before.long_share()),
    feature!("window.ends-before-4", Window, FeatureKind::Fixed(SHARES), "share of the four before it that end in the end of a sentence", |f, b| f.around(b).windows[0].before.end_share()),
    feature!("window.capitals-before-4", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the four before it", |f, b| f.around(b).windows[0].before.capital_share()),
    feature!("window.words-behind-4", Window, FeatureKind::Fixed(WORDS), "words a block in the four behind it", |f, b| f.around(b).windows[0].behind.words_a_block()),
    feature!("window.long-behind-4", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the four behind it", |f, b| f.around(b).windows[0].behind.long_share()),
    feature!("window.ends-behind-4", Window, FeatureKind::Fixed(SHARES), "share of the four behind it that end in the end of a sentence", |f, b| f.around(b).windows[0].behind.end_share()),
    feature!("window.capitals-behind-4", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the four behind it", |f, b| f.around(b).windows[0].behind.capital_share()),
    feature!("window.words-before-10", Window, FeatureKind::Fixed(WORDS), "words a block in the ten before it", |f, b| f.around(b).windows[1].before.words_a_block()),
    feature!("window.long-before-10", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the ten before it", |f, b| f.around(b).windows[1].before.long_share()),
    feature!("window.ends-before-10", Window, FeatureKind::Fixed(SHARES), "share of the ten before it that end in the end of a sentence", |f, b| f.around(b).windows[1].before.end_share()),
    feature!("window.capitals-before-10", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the ten before it", |f, b| f.around(b).windows[1].before.capital_share()),
    feature!("window.words-behind-10", Window, FeatureKind::Fixed(WORDS), "words a block in the ten behind it", |f, b| f.around(b).windows[1].behind.words_a_block()),
    feature!("window.long-behind-10", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the ten behind it", |f, b| f.around(b).windows[1].behind.long_share()),
    feature!("window.ends-behind-10", Window, FeatureKind::Fixed(SHARES), "share of the ten behind it that end in the end of a sentence", |f, b| f.around(b).windows[1].behind.end_share()),
    feature!("window.capitals-behind-10", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the ten behind it", |f, b| f.around(b).windows[1].behind.capital_share()),
    feature!("window.words-before-25", Window, FeatureKind::Fixed(WORDS), "words a block in the 25 before it", |f, b| f.around(b).windows[2].before.words_a_block()),
    feature!("window.long-before-25", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the 25 before it", |f, b| f.around(b).windows[2].before.long_share()),
    feature!("window.ends-before-25", Window, FeatureKind::Fixed(SHARES), "share of the 25 before it that end in the end of a sentence", |f, b| f.around(b).windows[2].before.end_share()),
    feature!("window.capitals-before-25", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the 25 before it", |f, b| f.around(b).windows[2].before.capital_share()),
    feature!("window.words-behind-25", Window, FeatureKind::Fixed(WORDS), "words a block in the 25 behind it", |f, b| f.around(b).windows[2].behind.words_a_block()),
    feature!("window.long-behind-25", Window, FeatureKind::Fixed(SHARES), "share of words in long blocks in the 25 behind it", |f, b| f.around(b).windows[2].behind.long_share()),
    feature!("window.ends-behind-25", Window, FeatureKind::Fixed(SHARES), "share of the 25 behind it that end in the end of a sentence", |f, b| f.around(b).windows[2].behind.end_share()),
    feature!("window.capitals-behind-25", Window, FeatureKind::Fixed(TENTHS), "share of words with a capital in the 25 behind it", |f, b| f.around(b).windows[2].behind.capital_share()),
    feature!("window.title", Window, FeatureKind::Fixed(TENTHS), "share of its words that the first block has, too", |f, b| f.around(b).title.common),
    feature!("window.title-share", Window, FeatureKind::Fixed(TENTHS), "share of the first block's words that it has", |f, b| f.around(b).title.covered),
    feature!("window.since-title", Window, FeatureKind::Fixed(COUNTS), "blocks since the last one, itself included, that has half of the first one's words, which are half of its own; 0 without any", |f, b| f.around(b).title.since as f32),
    feature!("window.until-title", Window, FeatureKind::Fixed(COUNTS), "the same until the next one", |f, b| f.around(b).title.until as f32),
    feature!("window.short-run", Window, FeatureKind::Fixed(COUNTS), "blocks in the run of short ones (under 6 words) that it is in", |f, b| f.around(b).short_run as f32),
    feature!("window.short-place", Window, FeatureKind::Fixed(COUNTS), "blocks of that run before it", |f, b| f.around(b).short_place as f32),
];

/// How finely evidence of a query is divided: the thresholds between the codes are below.
const QUERY_CODES: u16 = 5;
const QUERY_STEPS: [f64; 4] = [1e-9, 1.0, 2.0, 4.0];

fn query_code(value: f64) -> f32 {
    QUERY_STEPS.iter().filter(|&&step| value >= step).count() as f32
}

impl Facts {
    /// What is measured on the innermost block-level element around a block (0), its parent (1),
    /// and so on up to 3.
    fn up(&self, block: &BlockFacts, level: usize) -> &ElementFacts {
        &self.elements[block.up[level] as usize]
    }

    fn sums(&self, block: &BlockFacts, level: usize) -> &ElementSums {
        &self.sums[block.up[level] as usize]
    }

    fn density_sum(&self, block: &BlockFacts, level: usize) -> f32 {
        self.density_sums[block.up[level] as usize]
    }

    fn chars_per_tag(&self, block: &BlockFacts, level: usize) -> f32 {
        share(self.sums(block, level).chars, self.up(block, level).below)
    }

    /// The sums of the most repeated element around a block; of the innermost if there is none.
    fn repeated(&self, block: &BlockFacts) -> &ElementSums {
        let element = self.sums.get(block.repeated_element as usize);
        element.unwrap_or_else(|| self.sums(block, 0))
    }

    fn part_share(&self, element: u32) -> f32 {
        let part = self.sums.get(element as usize);
        part.map_or(0.0, |part| share(part.words, self.document.words))
    }

    fn query_code(&self, block: &BlockFacts, level: usize, of: impl Fn(&QueryEvidence) -> f64) -> f32 {
        let found = self.query.get(block.up[level] as usize);
        found.map_or(0.0, |found| query_code(of(found)))
    }

    fn query_of_page(&self) -> f32 {
        self.query.first().map_or(0.0, |found| query_code(found.score))
    }

    fn query_in_repeated(&self, block: &BlockFacts) -> f32 {
        let is_asked = self.query.first().is_some_and(|page| page.score > 0.0);
        let found = self.query.get(block.repeated_element as usize);
        let has_some = found.is_some_and(|found| found.score > 0.0);
        flag(is_asked) + flag(is_asked && has_some)
    }

    fn depth(&self, block: &BlockFacts) -> f32 {
        f32::from(self.up(block, 0).depth)
    }
}
