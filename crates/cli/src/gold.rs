//! `gleaner train`, `gleaner eval` and `gleaner align`: what is done with gold text.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use gleaner_crf::{FeatureSpace, Label, Model, Piece, Tagger, TrainConfig, assemble, train as train_crf};
use gleaner_features::{Columns, Extractor, unspaced_words, words};
use gleaner_gold::{GoldPage, PageScore, Summary, align as align_gold};
use gleaner_page::{Page, PageConfig};
use serde::Serialize;

use crate::args::{Align, Eval, Train};
use crate::gold_pages::{Sample, load};
use crate::train_job::TrainJob;
use crate::{Outcome, console, model};

/// A page ready to be learned from and to be scored.
struct Prepared {
    columns: Columns,
    labels: Vec<Label>,
    texts: Vec<String>,
    /// Which blocks are the next line of preformatted text.
    next_line: Vec<bool>,
}

impl Prepared {
    fn new(page: &Page, columns: Columns, labels: Vec<Label>) -> Prepared {
        let texts = page
            .blocks
            .iter()
            .map(|block| page.text(block).to_owned())
            .collect();
        let next_line = (0..page.blocks.len())
            .map(|block| page.is_next_line(block))
            .collect();
        Prepared {
            columns,
            labels,
            texts,
            next_line,
        }
    }

    /// The text of the blocks that labels keep.
    fn kept(&self, labels: &[Label]) -> String {
        let blocks = self.texts.iter().zip(labels).zip(&self.next_line);
        assemble(blocks.map(|((text, &label), &next_line)| Piece {
            text,
            label,
            next_line,
        }))
    }
}

/// Trains a model as a job file says.
pub(crate) fn train(arguments: &Train) -> Result<Outcome> {
    let job = TrainJob::read(&arguments.job)?;
    let Some(out) = arguments.out.clone().or(job.out.clone()) else {
        bail!(
            "{} does not say where the model goes: add out = \"NAME.gcrf\", or --out",
            arguments.job.display()
        );
    };
    let files = job.gold_files(&arguments.gold, &arguments.job)?;
    let workers = threads(arguments.workers);
    let extractor = Extractor::new(job.features.clone())?;
    let samples = prepare(&files, &extractor, workers)?;
    let blocks: usize = samples.iter().map(|sample| sample.value.labels.len()).sum();
    console::say(&format!(
        "{} pages, {} blocks",
        console::grouped(samples.len() as u64),
        console::grouped(blocks as u64)
    ));
    let pages: Vec<_> = samples
        .into_iter()
        .map(|sample| (sample.value.columns, sample.value.labels))
        .collect();
    let mut trained = fit(&job, &pages, workers, true)?;
    trained.set_card(toml::to_string(&job.card).context("the card cannot be written")?);
    trained.save(&out)?;
    console::say(&format!(
        "{}: {} weights",
        out.display(),
        console::grouped(trained.nonzero() as u64)
    ));
    Ok(Outcome::Done)
}

fn fit(job: &TrainJob, pages: &[(Columns, Vec<Label>)], workers: usize, tell: bool) -> Result<Model> {
    let config = TrainConfig {
        threads: workers,
        ..job.training.clone()
    };
    let space = FeatureSpace::of(&job.features);
    let trained = train_crf(&space, pages, &config, &mut |progress| {
        if tell && progress.iteration % 10 == 0 {
            console::say(&format!(
                "iteration {:4}  objective {:.1}  gradient {:.2}  {}",
                progress.iteration,
                progress.objective,
                progress.gradient_norm,
                console::seconds(progress.elapsed),
            ));
        }
        ControlFlow::Continue(())
    })?;
    Ok(trained)
}

/// Reads, measures and aligns all pages.
fn prepare(files: &[PathBuf], extractor: &Extractor, workers: usize) -> Result<Vec<Sample<Prepared>>> {
    load(files, &extractor.config().page, workers, || {
        let mut extractor = extractor.clone();
        move |page: &Page, gold: &GoldPage| {
            let mut columns = Columns::default();
            extractor.extract(page, &gold.url, &mut columns);
            let labels = align_gold(page, &gold.text, gold.segments().as_deref());
            Prepared::new(page, columns, labels)
        }
    })
}

/// Scores a model, or the models of a cross-validation.
pub(crate) fn eval(arguments: &Eval) -> Result<Outcome> {
    let workers = threads(arguments.workers);
    let files = &arguments.sets.gold;
    let scored = match &arguments.cross_validate {
        Some(path) => cross_validate(&TrainJob::read(path)?, files, arguments.folds, workers)?,
        None => {
            let chosen = model::choose(&arguments.model)?;
            let samples = prepare(files, &chosen.model.extractor()?, workers)?;
            score(samples.iter(), &chosen.model)
        }
    };
    let tables: Vec<SetScores> = files
        .iter()
        .enumerate()
        .map(|(set, path)| SetScores::new(path, set, &scored))
        .collect();
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&tables)? + "\n",
        false => tables.iter().map(SetScores::table).collect::<Vec<_>>().join("\n"),
    };
    console::out(&text)?;
    Ok(Outcome::Done)
}

/// A page's scores.
struct Scored {
    set: usize,
    gold: GoldPage,
    words: PageScore,
    oracle: PageScore,
    keep_all: PageScore,
    /// Blocks whose label is right; whose side (content or noise) is right; all.
    blocks: (usize, usize, usize),
}

fn score<'a>(samples: impl Iterator<Item = &'a Sample<Prepared>>, model: &Model) -> Vec<Scored> {
    let mut tagger = Tagger::new(model);
    samples
        .map(|sample| {
            let texts = sample.value.texts.iter();
            let counts = texts.map(|text| words(text).count() as u32 + unspaced_words(text));
            score_page(sample, tagger.tag_words(&sample.value.columns, counts).labels)
        })
        .collect()
}

fn score_page(sample: &Sample<Prepared>, labels: &[Label]) -> Scored {
    let Prepared {
        labels: gold, texts, ..
    } = &sample.value;
    let scored = |labels: &[Label]| PageScore::new(&sample.value.kept(labels), &sample.gold);
    let pairs = || labels.iter().zip(gold);
    let right = pairs().filter(|(ours, gold)| ours == gold).count();
    let side = pairs()
        .filter(|(ours, gold)| ours.is_content() == gold.is_content())
        .count();
    Scored {
        set: sample.set,
        gold: sample.gold.clone(),
        words: scored(labels),
        oracle: scored(gold),
        keep_all: scored(&vec![Label::Paragraph; texts.len()]),
        blocks: (right, side, labels.len()),
    }
}

/// Each fold scored by a model trained on the others.
fn cross_validate(job: &TrainJob, files: &[PathBuf], folds: u16, workers: usize) -> Result<Vec<Scored>> {
    let samples = prepare(files, &Extractor::new(job.features.clone())?, workers)?;
    let fold_of = |sample: &Sample<Prepared>| fold(&sample.gold.url, folds);
    let mut scored = Vec::new();
    for held_out in 0..folds {
        let others = samples.iter().filter(|sample| fold_of(sample) != held_out);
        let pages: Vec<_> = others
            .map(|sample| (sample.value.columns.clone(), sample.value.labels.clone()))
            .collect();
        let trained = fit(job, &pages, workers, false)?;
        scored.extend(score(
            samples.iter().filter(|sample| fold_of(sample) == held_out),
            &trained,
        ));
        console::say(&format!("fold {} of {folds} is done", held_out + 1));
    }
    Ok(scored)
}

/// The fold of a page by its host, the same in every run. A host under the reserved domain
/// `example` stands for one that is not known: such a page goes by its whole URL.
fn fold(url: &str, folds: u16) -> u16 {
    let host = url.split_once("://").map_or(url, |(_, rest)| {
        rest.split(['/', '?', '#']).next().unwrap_or(rest)
    });
    let key = if host.ends_with(".example") { url } else { host };
    (xxhash_rust::xxh3::xxh3_64(key.as_bytes()) % u64::from(folds)) as u16
}

/// The means of a gold file's pages.
#[derive(Serialize)]
struct SetScores {
    set: String,
    all: Summary,
    by_page_type: BTreeMap<String, Summary>,
    oracle: Summary,
    keep_all: Summary,
    /// Share of blocks with the gold's label.
    label_accuracy: f64,
    /// Share of blocks on the gold's side: content or noise.
    content_accuracy: f64,
}

impl SetScores {
    fn new(path: &std::path::Path, set: usize, scored: &[Scored]) -> SetScores {
        let own: Vec<&Scored> = scored.iter().filter(|page| page.set == set).collect();
        let sum = |of: fn(&(usize, usize, usize)) -> usize| {
            own.iter().map(|page| of(&page.blocks)).sum::<usize>() as f64
        };
        let blocks = sum(|blocks| blocks.2).max(1.0);
        SetScores {
            set: path.file_name().map_or_else(String::new, |name| {
                name.to_string_lossy().replace(".gold.jsonl", "")
            }),
            all: Summary::of(own.iter().map(|page| &page.words)),
            by_page_type: Summary::by_type(own.iter().map(|page| (&page.gold, &page.words))),
            oracle: Summary::of(own.iter().map(|page| &page.oracle)),
            keep_all: Summary::of(own.iter().map(|page| &page.keep_all)),
            label_accuracy: sum(|blocks| blocks.0) / blocks,
            content_accuracy: sum(|blocks| blocks.1) / blocks,
        }
    }

    fn table(&self) -> String {
        let mut lines = vec![row(&self.set, &self.all)];
        lines.extend(
            self.by_page_type
                .iter()
                .filter(|(name, _)| !name.is_empty())
                .map(|(name, scores)| row(&format!("  {name}"), scores)),
        );
        lines.push(row("  (gold's blocks)", &self.oracle));
        lines.push(row("  (everything)", &self.keep_all));
        lines.push(format!(
            "  labels right {:.4}, content or noise right {:.4}\n",
            self.label_accuracy, self.content_accuracy
        ));
        lines.join("\n")
    }
}

fn row(name: &str, scores: &Summary) -> String {
    let share = |name: &str, value: Option<f64>| {
        value
            .map(|value| format!("  {name} {value:.4}"))
            .unwrap_or_default()
    };
    let words = &scores.words;
    format!(
        "{name:18} {:5} pages  P {:.4}  R {:.4}  F1 {:.4}{}{}",
        scores.pages,
        words.precision,
        words.recall,
        words.f1,
        share("with", scores.with),
        share("without", scores.without)
    )
}

/// Prints the labels that gold text gives to blocks, or only what they would score.
pub(crate) fn align(arguments: &Align) -> Result<Outcome> {
    let chosen = |gold: &GoldPage| {
        let id = arguments
            .page
            .as_deref()
            .map(|page| page.trim_matches(['<', '>']));
        id.is_none_or(|id| gold.url == id || gold.bare_record_id() == id)
    };
    let samples = load(
        &arguments.sets.gold,
        &PageConfig::default(),
        threads(None),
        || {
            |page: &Page, gold: &GoldPage| {
                let labels = align_gold(page, &gold.text, gold.segments().as_deref());
                Prepared::new(page, Columns::default(), labels)
            }
        },
    )?;
    let samples: Vec<_> = samples
        .into_iter()
        .filter(|sample| chosen(&sample.gold))
        .collect();
    if samples.is_empty() {
        bail!(
            "no page of the gold files is {}",
            arguments.page.as_deref().unwrap_or("there")
        );
    }
    if arguments.scores {
        let scored: Vec<_> = samples
            .iter()
            .map(|sample| score_page(sample, &sample.value.labels))
            .collect();
        for (set, path) in arguments.sets.gold.iter().enumerate() {
            console::out(&SetScores::new(path, set, &scored).table())?;
        }
        return Ok(Outcome::Done);
    }
    for sample in &samples {
        console::out(&listing(sample))?;
    }
    Ok(Outcome::Done)
}

fn listing(sample: &Sample<Prepared>) -> String {
    let mut text = format!("# {}\n", sample.gold.url);
    for (label, block) in sample.value.labels.iter().zip(&sample.value.texts) {
        text.push_str(label.name());
        text.push('\t');
        text.push_str(block);
        text.push('\n');
    }
    text.push('\n');
    text
}

fn threads(given: Option<u16>) -> usize {
    given.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    )
}
