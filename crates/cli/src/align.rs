//! `gleaner align`: the labels that gold text gives to the blocks of its page.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use gleaner_annotate::Notes;
use gleaner_document::{Decision, PageReader};
use gleaner_gold::annotation::{self, AnnotatedBlock, By, Header};
use gleaner_gold::{Folder, GoldPage, cleaneval_text, page_name};
use gleaner_page::{Page, PageConfig};
use gleaner_training::{Body, Prepared, Sample, Scored, SetScores, archive_beside};

use crate::args::{Align, AlignFormat, ModelChoice};
use crate::eval::short_text;
use crate::inputs::gold::reader;
use crate::model;
use crate::terminal::{Outcome, console};

/// Prints the labels that gold text gives to blocks, or only what they would score; or writes them
/// down to be corrected.
pub(crate) fn run(arguments: &Align) -> Result<Outcome> {
    if let Some(folder) = &arguments.annotations {
        return write_annotations(arguments, folder);
    }
    let config = page_config()?;
    let gold = reader(None);
    let samples = gold.load_bodies(&arguments.sets.gold, || {
        let mut reader = PageReader::without_features(config.clone());
        move |body: &Body| gold.align(&mut reader, body, None)
    })?;
    let samples: Vec<_> = samples
        .into_iter()
        .filter(|sample| is_chosen(arguments, &sample.gold))
        .collect();
    check_some(arguments, &samples)?;
    if arguments.scores {
        let scored: Vec<_> = samples
            .iter()
            .map(|sample| Scored::new(sample, Decision::certain(sample.value.labels.clone()), 0))
            .collect();
        for (set, path) in arguments.sets.gold.iter().enumerate() {
            console::out(&short_text(&SetScores::new(path, set, &scored)))?;
        }
        return Ok(Outcome::Done);
    }
    match (arguments.format, &arguments.out) {
        (AlignFormat::Cleaneval, out) => write_cleaneval(&samples, out.as_deref())?,
        (AlignFormat::List, Some(_)) => {
            bail!("--out needs --format cleaneval: a list is printed to standard output")
        }
        (AlignFormat::List, None) => samples
            .iter()
            .try_for_each(|sample| console::out(&listing(sample)))?,
    }
    Ok(Outcome::Done)
}

/// How the built-in model cuts pages into blocks, and so `train`, `eval` and `annotate`, too.
fn page_config() -> Result<PageConfig> {
    let chosen = model::choose(&ModelChoice { model: None })?;
    Ok(chosen.model.extractor()?.config().page.clone())
}

fn is_chosen(arguments: &Align, gold: &GoldPage) -> bool {
    let wanted = arguments.page.as_deref();
    wanted.is_none_or(|page| gold.url == page || gold.record_id == gleaner_warc::record_id(page))
}

fn check_some<T>(arguments: &Align, samples: &[Sample<T>]) -> Result<()> {
    if samples.is_empty() {
        match &arguments.page {
            Some(page) => bail!("no page '{page}' in the gold files: give a URL or a record id"),
            None => bail!("the gold files have no page"),
        }
    }
    Ok(())
}

fn write_annotations(arguments: &Align, folder: &Path) -> Result<Outcome> {
    let sources = arguments.sets.gold.iter().map(|gold| Sources::of(gold));
    let sources: Vec<Sources> = sources.collect::<Result<_>>()?;
    let mut samples = reader(None).load(&arguments.sets.gold, &page_config()?, || {
        |page: &Page, gold: &GoldPage| aligned_blocks(page, gold)
    })?;
    samples.retain(|sample| is_chosen(arguments, &sample.gold));
    check_some(arguments, &samples)?;
    let mut notes = Notes::open(folder)?;
    let (mut written, pages) = (0, samples.len());
    for sample in samples {
        let header = Header {
            url: sample.gold.url.clone(),
            record_id: sample.gold.record_id.clone(),
            ..Header::default()
        };
        let source = sources[sample.set].of_page(&sample.gold);
        written += usize::from(notes.add(source, header, sample.value)?);
    }
    console::say(&format!(
        "{written} annotation files written to {}; {} existed already",
        folder.display(),
        pages - written
    ));
    Ok(Outcome::Done)
}

/// Where the pages of a gold set are.
enum Sources {
    Archive(PathBuf),
    Files(Folder),
}

impl Sources {
    fn of(gold: &Path) -> Result<Sources> {
        Ok(match gold.is_dir() {
            true => Sources::Files(Folder::read(gold)?),
            false => Sources::Archive(archive_beside(gold)?),
        })
    }

    fn of_page(&self, gold: &GoldPage) -> &Path {
        match self {
            Sources::Archive(path) => path,
            Sources::Files(folder) => {
                let pair = folder
                    .pairs
                    .iter()
                    .find(|pair| gold.page_id.as_ref() == Some(&pair.name));
                pair.map_or(Path::new(""), |pair| &pair.page)
            }
        }
    }
}

fn aligned_blocks(page: &Page, gold: &GoldPage) -> Vec<AnnotatedBlock> {
    let by = By::Aligned;
    let block = |(block, label)| AnnotatedBlock {
        decision: Some(annotation::Decision { label, by }),
        path: page.tag_path(block),
        text: page.text(block).to_owned(),
        comments: Vec::new(),
    };
    page.blocks.iter().zip(gold.labels(page)).map(block).collect()
}

fn listing(sample: &Sample<Prepared>) -> String {
    let mut text = format!("# {}\n", sample.gold.url);
    for (label, block) in sample.value.labels.iter().zip(sample.value.page.layout.texts()) {
        text.push_str(label.name());
        text.push('\t');
        text.push_str(block);
        text.push('\n');
    }
    text.push('\n');
    text
}

/// Prints the text of a page with CleanEval's tags, or writes a file for each page.
fn write_cleaneval(samples: &[Sample<Prepared>], folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder else {
        if let [_, _, ..] = samples {
            bail!(
                "{} pages are too many for one text: --out FOLDER writes a file for each, --page chooses one",
                samples.len()
            );
        }
        let texts = samples.iter().map(cleaneval_of);
        return Ok(texts.into_iter().try_for_each(|text| console::out(&text))?);
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("could not make the folder {}", folder.display()))?;
    for sample in samples {
        let path = folder.join(format!("{}.txt", name_of(&sample.gold)));
        // An existing gold text is never overwritten.
        File::create_new(&path)
            .and_then(|mut file| file.write_all(cleaneval_of(sample).as_bytes()))
            .map_err(|error| not_written(&path, error))?;
    }
    console::say(&format!(
        "{} gold texts written to {}",
        console::grouped(samples.len() as u64),
        folder.display()
    ));
    Ok(())
}

fn not_written(path: &Path, error: io::Error) -> anyhow::Error {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            anyhow!("{path} exists already: remove it, or name another folder with --out")
        }
        _ => anyhow::Error::new(error).context(format!("could not write {path}")),
    }
}

fn cleaneval_of(sample: &Sample<Prepared>) -> String {
    let url = Some(&*sample.gold.url).filter(|url| url.contains("://"));
    cleaneval_text(url.unwrap_or_default(), sample.value.pieces(&sample.value.labels))
}

/// What the gold text of a page is called: as its file, where it has one, else by its name in the gold set, else by its
/// record or address.
fn name_of(gold: &GoldPage) -> String {
    let source = gold.annotation.as_ref().map(|own| own.header.source.as_str());
    let file = source.and_then(|source| page_name(source.rsplit(['/', '\\']).next()?));
    let others = [
        gold.page_id.as_deref(),
        Some(gold.record_id.trim_matches(['<', '>'])),
        Some(&gold.url),
    ];
    let name = file.or_else(|| others.into_iter().flatten().find(|name| !name.is_empty()));
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let plain = |letter| if is_plain(letter) { letter } else { '-' };
    let name: String = name
        .unwrap_or("page")
        .chars()
        .map(plain)
        .take(LONGEST_NAME)
        .collect();
    name.trim_start_matches('.').to_owned()
}

/// Letters of a file's name.
const LONGEST_NAME: usize = 100;
