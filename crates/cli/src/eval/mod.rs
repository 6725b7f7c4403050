//! `gleaner eval`: labels and texts against gold.

mod ablation;
mod agreement;
mod method;
mod posts;
mod report;
mod side_by_side;
mod sites;
mod tables;
mod templates;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use gleaner_features::{Extractor, Module};
use gleaner_gold::GoldPage;
use gleaner_training::{
    PageRow, Prepared, Sample, Scored, SeenPages, SetScores, Validation, calibrate_by_others, convention,
    cross_validate, score,
};
use serde::Serialize;

use self::ablation::Ablation;
pub(crate) use self::tables::short_text;
use self::tables::{lcs_text, seen_text, set_text};
use crate::args::{Eval, EvalWhat, Measure, Method, StructuredData};
use crate::inputs::gold::reader;
use crate::inputs::output::check_output;
use crate::model;
use crate::result_pages::{TreeScores, check_terms, read_terms, terms_without_use};
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console};
use crate::train::read_model_job;

/// All that was found out.
#[derive(Serialize)]
pub(crate) struct Results<'a> {
    scored: String,
    sets: Vec<SetScores>,
    pages: Vec<PageRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ablation: Option<Ablation>,
    #[serde(flatten)]
    seen: Option<SeenPages>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<TreeScores>,
}

/// Scores a model, or the models of a cross-validation.
pub(crate) fn run(arguments: &Eval, signals: Signals<'_>) -> Result<Outcome> {
    match &arguments.what {
        Some(EvalWhat::Templates(arguments)) => return templates::run(arguments),
        Some(EvalWhat::Posts(arguments)) => return posts::run(arguments),
        Some(EvalWhat::Sites(arguments)) => return sites::run(arguments),
        Some(EvalWhat::Agreement(arguments)) => return agreement::run(arguments),
        None => {}
    }
    let reader = reader(arguments.workers);
    let files = &arguments.sets.gold;
    if let Some(report) = &arguments.report {
        let read = files.iter().chain(&arguments.cross_validate);
        check_output(report, read.map(PathBuf::as_path))?;
    }
    if arguments.method != Method::Model {
        let labelled = method::run(arguments)?;
        let (scored, elements) = (labelled.scored(), labelled.elements.clone());
        let beside = Beside {
            elements,
            seen: labelled.seen,
            ..Beside::default()
        };
        return print(arguments, labelled.name.clone(), &scored, beside);
    }
    match &arguments.cross_validate {
        Some(path) => {
            let mut job = read_model_job(path)?;
            let folds = arguments.folds;
            let stop = signals.stop()?;
            let validation = Validation {
                folds,
                reader,
                convention: arguments.convention.name(),
                stop: &stop,
            };
            validation
                .check(&job)
                .with_context(|| format!("--convention does not fit {}", path.display()))?;
            job.training.decoder = job.training.decoder.favoring(arguments.decision.favor);
            if !job.features.has(Module::Query) {
                terms_without_use(&arguments.query, &format!("the model of {}", path.display()))?;
            }
            let terms = read_terms(&arguments.query)?;
            let extractor = Extractor::new(job.features.clone())?;
            let mut samples = reader.prepare_with_terms(files, &extractor, terms)?;
            leave_out(&mut samples, arguments)?;
            let mut scored = cross_validate(&job, &samples, validation, &mut |done| {
                console::say(&format!("fold {done} of {folds} is done"));
            })?;
            if job.confidence.folds > 0 {
                calibrate_by_others(&mut scored, folds);
            }
            let ablate = |by| ablation::ablate(by, &job, &samples, &scored, validation);
            let ablation = arguments.ablate.map(ablate).transpose()?;
            let by = arguments.convention.suffix();
            let name = format!("{}, {folds}-fold cross-validation{by}", path.display());
            // What a fold is scored by has not seen it.
            let beside = Beside {
                ablation,
                ..Beside::default()
            };
            print(arguments, name, &scored, beside)
        }
        None => {
            if arguments.convention.name() == Some(convention::GOLD) {
                bail!(
                    "--convention gold needs --cross-validate, whose job has the convention of each gold file: name a \
                     convention of the model"
                );
            }
            let chosen =
                model::choose_deciding_by(&arguments.model, &arguments.decision, &arguments.convention)?;
            check_terms(&arguments.query, &chosen)?;
            let terms = read_terms(&arguments.query)?;
            let mut samples = reader.prepare_with_terms(files, &chosen.model.extractor()?, terms)?;
            leave_out(&mut samples, arguments)?;
            let scored = score(samples.iter(), &chosen.model, 0);
            let by = arguments.convention.suffix();
            let name = format!("model {}{by}", chosen.identity);
            let beside = Beside {
                seen: Some(SeenPages::new(
                    "model",
                    chosen.model.training_pages(),
                    samples.iter().map(|sample| sample.digest),
                )),
                ..Beside::default()
            };
            print(arguments, name, &scored, beside)
        }
    }
}

/// Leaves out pages that are not asked for, the texts of structured data, and the main headings.
fn leave_out(samples: &mut Vec<Sample<Prepared>>, arguments: &Eval) -> Result<()> {
    samples.retain(|sample| arguments.wants(&sample.gold));
    arguments.check_some(samples.len())?;
    for sample in samples {
        sample.value.without_title = arguments.decision.no_title;
        if arguments.decision.structured_data == StructuredData::Off {
            sample.value.structured = None;
        }
    }
    Ok(())
}

#[derive(Default)]
struct Beside {
    ablation: Option<Ablation>,
    elements: Option<TreeScores>,
    seen: Option<SeenPages>,
}

fn print(arguments: &Eval, name: String, scored: &[Scored<'_>], beside: Beside) -> Result<Outcome> {
    let files = arguments.sets.gold.iter().enumerate();
    let results = Results {
        scored: name,
        sets: files
            .filter(|(set, _)| scored.iter().any(|page| page.sample.set == *set))
            .map(|(set, path)| SetScores::new(path, set, scored))
            .collect(),
        pages: scored.iter().map(PageRow::new).collect(),
        ablation: beside.ablation,
        seen: beside.seen,
        elements: beside.elements,
    };
    if let Some(path) = &arguments.report {
        let report = report::render(&results, scored, arguments.worst);
        std::fs::write(path, report).with_context(|| format!("could not write {}", path.display()))?;
        console::say(&format!("wrote the report to {}", path.display()));
    }
    console::out_as(arguments.json, &results, || match arguments.measure {
        Measure::Lcs => results.lcs_text() + &results.seen_text(),
        Measure::Words => results.text() + &results.seen_text(),
    })?;
    Ok(Outcome::Done)
}

impl Eval {
    fn wants(&self, gold: &GoldPage) -> bool {
        let kind = gold.page_type.as_ref();
        self.page_type.is_empty() || kind.is_some_and(|kind| self.page_type.contains(kind))
    }

    /// # Errors
    /// No page is left of the types that are asked for.
    fn check_some(&self, left: usize) -> Result<()> {
        if left == 0 && !self.page_type.is_empty() {
            bail!("no page has the page_type {}", self.page_type.join(" or "));
        }
        Ok(())
    }
}

impl Results<'_> {
    /// Of the scores of texts only those by the longest common subsequence.
    fn lcs_text(&self) -> String {
        let sets = self.sets.iter().map(lcs_text);
        sets.chain(self.elements_text().map(|text| "\n".to_owned() + &text))
            .collect()
    }

    /// How many pages the model was trained on, in a line of its own.
    fn seen_text(&self) -> String {
        let line = |seen: &SeenPages| format!("\n{}\n", seen_text(seen));
        self.seen.as_ref().map(line).unwrap_or_default()
    }

    fn text(&self) -> String {
        let sets = self.sets.iter().map(set_text);
        let ablation = self.ablation.iter().map(Ablation::text);
        let tables = sets.chain(ablation).chain(self.elements_text());
        tables.collect::<Vec<_>>().join("\n")
    }

    fn elements_text(&self) -> Option<String> {
        let scores = self.elements.as_ref()?;
        Some(format!("elements with text: {}", scores.text()))
    }
}
