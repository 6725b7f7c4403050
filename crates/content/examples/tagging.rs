//! How fast pages are tagged and a training iterates, on one thread, beside the crate crfs:
//!
//!     cargo run --release -p gleaner-content --example tagging -- [--columns FILE] [MODEL.gcrf CRAWL.warc.gz]
//!
//! On columns of the size of Victor's (47 of 12 codes at five offsets, five labels), made by a
//! formula; and with MODEL on the pages of CRAWL, with all of the model's features. `--columns`
//! writes the made columns to a file, for `benches/crfsuite.py`. Times are CPU time, but for the tagging of real pages:
//! each of them is parsed, measured and tagged, as in a build, several times, and its least time counts, so that other
//! programs on the machine are hardly seen.

#![expect(clippy::print_stdout, reason = "an example's output")]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use gleaner_columns::Columns;
use gleaner_content::{BlockSize, FeatureSpace, LabelledPage, Model, Tagger, TrainConfig, train};
use gleaner_page::Parser;
use gleaner_testing::columns::items;
use gleaner_warc::{Options, ReadSource, Reader, Step, http};
use synthetic::Shape;

const SHAPE: Shape = Shape {
    pages: 500,
    blocks: 120,
    columns: 47,
    cardinality: 12,
    run: 1,
};

/// Pages for crfs, which takes a hundred times as long.
const FEW: usize = 50;

/// Iterations of a training that is timed.
const ITERATIONS: usize = 20;

/// How often all made pages are tagged.
const ROUNDS: u32 = 20;

/// How often real pages are tagged.
const PASSES: usize = 5;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    let pages = synthetic::pages(&SHAPE, 1);
    if arguments.next_if(|argument| argument == "--columns").is_some() {
        write_columns(
            &pages,
            Path::new(&arguments.next().ok_or("--columns needs a file")?),
        )?;
    }
    ours(&pages)?;
    theirs(&pages[..FEW])?;
    if let Some(model) = arguments.next() {
        let crawl = arguments.next().ok_or("which WARC file, for the model?")?;
        real(&Model::load(Path::new(&model))?, &crawl)?;
    }
    Ok(())
}

fn say(program: &str, task: &str, blocks: usize, seconds: f64) {
    let rate = blocks as f64 / seconds / 1e6;
    println!("{program}\t{task}\t{blocks} blocks\t{seconds:.4} s\t{rate:.3} million blocks a second");
}

fn ours(pages: &[LabelledPage]) -> Outcome<()> {
    let config = TrainConfig::default();
    let (model, seconds) = trained(&synthetic::space(&SHAPE), pages, &config)?;
    let blocks = pages.iter().map(|(page, _)| page.rows()).sum();
    say("gleaner", "train, an iteration", blocks, seconds);
    let columns: Vec<&Columns> = pages.iter().map(|(page, _)| page).collect();
    say("gleaner", "tag", blocks, tag(&model, &columns)?);
    Ok(())
}

/// A model, and the time of an iteration of its training.
fn trained(space: &FeatureSpace, pages: &[LabelledPage], config: &TrainConfig) -> Outcome<(Model, f64)> {
    let config = TrainConfig {
        threads: 1,
        max_iterations: ITERATIONS,
        epsilon: 0.0,
        period: 0,
        ..config.clone()
    };
    let (mut first, mut last) = (None, None);
    let model = train(space, pages, &config, &mut |progress| {
        last = Some((progress.evaluations, cpu_seconds().unwrap_or(f64::NAN)));
        first = first.or(last);
        ControlFlow::Continue(())
    })?;
    let ((before, start), (after, end)) = first.zip(last).ok_or("no iteration")?;
    Ok((model, (end - start) / (after - before) as f64))
}

fn tag(model: &Model, pages: &[&Columns]) -> Outcome<f64> {
    let mut tagger = Tagger::new(model);
    let start = cpu_seconds()?;
    for _ in 0..ROUNDS {
        for page in pages {
            black_box(tagger.tag(page));
        }
    }
    Ok((cpu_seconds()? - start) / f64::from(ROUNDS))
}

/// The same in crfs: trainings of two lengths, whose difference is that of their iterations.
fn theirs(pages: &[LabelledPage]) -> Outcome<()> {
    let chains: Vec<_> = pages.iter().map(|(page, _)| items(page)).collect();
    let blocks = chains.iter().map(Vec::len).sum();
    let path = std::env::temp_dir().join(format!("gleaner-speed-{}.crfsuite", std::process::id()));
    let mut times = Vec::new();
    for iterations in [2, 2 + ITERATIONS] {
        let mut trainer = crfs::Trainer::lbfgs()
            .with_max_iterations(iterations)?
            .with_epsilon(1e-15)?;
        for (chain, (_, gold)) in chains.iter().zip(pages) {
            let gold: Vec<&str> = gold.iter().map(|label| label.name()).collect();
            trainer.append(chain, &gold)?;
        }
        let start = cpu_seconds()?;
        trainer.train(&path)?;
        times.push(cpu_seconds()? - start);
    }
    say(
        "crfs",
        "train, an iteration",
        blocks,
        (times[1] - times[0]) / ITERATIONS as f64,
    );
    let bytes = std::fs::read(&path)?;
    std::fs::remove_file(&path)?;
    let model = crfs::Model::new(&bytes)?;
    let tagger = model.tagger()?;
    let start = cpu_seconds()?;
    for chain in &chains {
        black_box(tagger.tag(chain)?);
    }
    say("crfs", "tag", blocks, cpu_seconds()? - start);
    Ok(())
}

/// Tags real pages with a model of all features, and trains on the predicted labels.
fn real(model: &Model, crawl: &str) -> Outcome<()> {
    let (mut pages, mut least) = (Vec::new(), Vec::new());
    for pass in 0..PASSES {
        let mut times = Vec::new();
        each_page(model, crawl, |columns, time| {
            times.push(time);
            if pass == 0 {
                pages.push(columns.clone());
            }
        })?;
        least.resize(times.len(), Duration::MAX);
        for (least, time) in least.iter_mut().zip(times) {
            *least = time.min(*least);
        }
    }
    let blocks = pages.iter().map(Columns::rows).sum();
    let count = model.space().columns.len();
    say(
        "gleaner",
        &format!("tag, {count} columns of real pages"),
        blocks,
        least.iter().sum::<Duration>().as_secs_f64(),
    );
    let mut tagger = Tagger::new(model);
    let labelled = |page: Columns| {
        let labels = tagger.tag(&page).labels.to_vec();
        (page, labels)
    };
    let pages: Vec<LabelledPage> = pages.into_iter().map(labelled).collect();
    let config = TrainConfig {
        l2: 200.0,
        template: model.template().clone(),
        ..TrainConfig::default()
    };
    let (_, seconds) = trained(model.space(), &pages, &config)?;
    say(
        "gleaner",
        &format!("train, an iteration, {count} columns of real pages"),
        blocks,
        seconds,
    );
    Ok(())
}

/// Calls for each page of a crawl, with its columns and how long it took to tag them.
fn each_page(model: &Model, crawl: &str, mut each: impl FnMut(&Columns, Duration)) -> Outcome<()> {
    let (mut extractor, mut tagger) = (model.extractor()?, Tagger::new(model));
    let mut parser = Parser::new(extractor.config().page.clone());
    let source = ReadSource::new(File::open(crawl)?);
    let mut reader = Reader::new(source, crawl.to_owned(), Options::default());
    let (mut scratch, mut columns) = (http::Scratch::default(), Columns::default());
    loop {
        let record = match reader.step()? {
            Step::Record(record) if record.is_http() => record,
            Step::End => return Ok(()),
            _ => continue,
        };
        let message = http::parse(record.content, &mut scratch, &http::Limits::default())?;
        let kind = message.headers.get("content-type").map(String::from_utf8_lossy);
        let page = parser.parse(message.body, kind.as_deref())?;
        extractor.extract(page, record.target_uri, &mut columns);
        let sizes: Vec<BlockSize> = extractor.word_counts().map(size).collect();
        let start = Instant::now();
        black_box(tagger.tag_blocks(&columns, sizes));
        each(&columns, start.elapsed());
    }
}

fn size(words: u32) -> BlockSize {
    BlockSize {
        words,
        with_before: false,
    }
}

/// Number of pages and columns; for each page the number of its blocks, column by column a byte a
/// block, and the number of the label of each. Numbers are u32, little-endian.
fn write_columns(pages: &[LabelledPage], path: &Path) -> Outcome<()> {
    let mut out = Vec::new();
    let number = |out: &mut Vec<u8>, number: usize| out.extend((number as u32).to_le_bytes());
    number(&mut out, pages.len());
    number(&mut out, SHAPE.columns);
    for (page, gold) in pages {
        number(&mut out, page.rows());
        (0..page.columns()).for_each(|column| out.extend(page.column(column)));
        out.extend(gold.iter().map(|&label| label as u8));
    }
    Ok(std::fs::write(path, out)?)
}

/// The CPU time of this thread. (The system may count in steps of some milliseconds.)
fn cpu_seconds() -> Outcome<f64> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(line.split(' ').next().unwrap_or_default().parse::<f64>()? / 1e9)
}
