//! Bytes a second of the stages: decoding, tree, blocks, and all of them; and of html5ever's tokenizer and tree.
//!
//! On real pages if they are there, else on small generated ones.

use std::hint::black_box;
use std::io::Read;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_html::{HtmlParser, TreeBuilder, TreeLimits, decode_body};
use gleaner_page::{PageBuilder, PageConfig, Parser};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// How many bytes of pages are enough.
const BYTES: usize = 32 << 20;

/// Bodies of the first records of a WARC file of gzip members.
fn real_pages(name: &str) -> Option<Vec<Vec<u8>>> {
    let file = std::fs::File::open(gleaner_testing::data_if_any(name)?).ok()?;
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(file)
        .take(BYTES as u64)
        .read_to_end(&mut bytes)
        .ok()?;
    let mut starts: Vec<usize> = memchr::memmem::find_iter(&bytes, b"WARC/1.1\r\n").collect();
    starts.push(bytes.len());
    let bodies = starts.windows(2).filter_map(|record| {
        let record = &bytes[record[0]..record[1]];
        let http = memchr::memmem::find(record, b"\r\n\r\nHTTP/")? + 4;
        let body = http + memchr::memmem::find(&record[http..], b"\r\n\r\n")? + 4;
        Some(record[body..].to_vec())
    });
    Some(bodies.collect())
}

fn generated_pages() -> Vec<Vec<u8>> {
    let item = "<li class=\"item\"><a href=\"/one?a=1&amp;b=2\">An <b>item</b> of a list</a></li>\n";
    let script = "<script>for (i = 0; i < 9; i++) { document.write(\"<b>\" + i); }</script>\n";
    let page = format!(
        "<!DOCTYPE html><title>A page</title><ul>{}</ul>{}",
        item.repeat(500),
        script.repeat(300)
    );
    vec![page.into_bytes(); 20]
}

/// Receives tokens, and drops them.
struct Dropped;

impl TokenSink for Dropped {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        black_box(token);
        TokenSinkResult::Continue
    }
}

/// Reads the tokens of a page by html5ever. Without a tree builder the bodies of scripts and styles are read as markup.
fn tokenize(text: &str) {
    let tokenizer = Tokenizer::new(Dropped, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    while tokenizer.feed(&input) != TokenizerResult::Done {}
    tokenizer.end();
}

fn stages(criterion: &mut Criterion) {
    for name in ["wcxb-dev", "cleaneval-dev"] {
        let pages = real_pages(&format!("pages/{name}.warc.gz")).unwrap_or_else(generated_pages);
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        group.throughput(Throughput::Bytes(
            pages.iter().map(|page| page.len() as u64).sum(),
        ));
        group.bench_function("decode", |bencher| {
            bencher.iter(|| {
                pages
                    .iter()
                    .map(|page| decode_body(page, None).len())
                    .sum::<usize>()
            });
        });
        let texts: Vec<_> = pages.iter().map(|page| decode_body(page, None)).collect();
        for (name, builder) in [
            ("tree", TreeBuilder::Gleaner),
            ("tree by html5ever", TreeBuilder::Html5ever),
        ] {
            let mut html = HtmlParser::new(TreeLimits::default()).with(builder);
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    for text in &texts {
                        black_box(html.parse_str(text));
                    }
                });
            });
        }
        group.bench_function("tokens by html5ever", |bencher| {
            bencher.iter(|| texts.iter().for_each(|text| tokenize(text)));
        });
        let mut parsers: Vec<HtmlParser> = texts
            .iter()
            .map(|_| HtmlParser::new(TreeLimits::default()))
            .collect();
        let trees: Vec<_> = parsers
            .iter_mut()
            .zip(&texts)
            .map(|(html, text)| html.parse_str(text))
            .collect();
        let mut builder = PageBuilder::new(PageConfig::default());
        group.bench_function("blocks", |bencher| {
            bencher.iter(|| {
                trees
                    .iter()
                    .map(|tree| builder.build(tree).blocks.len())
                    .sum::<usize>()
            });
        });
        let mut parser = Parser::new(PageConfig::default());
        group.bench_function("all", |bencher| {
            bencher.iter(|| {
                for page in &pages {
                    black_box(parser.parse(page, None)).expect("pages are text");
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
