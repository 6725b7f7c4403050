//! Scores of the methods that are no model: what they keep against gold text.

use std::path::PathBuf;

use anyhow::Result;
use gleaner_content::Label;
use gleaner_document::{Decision, PageReader};
use gleaner_gold::GoldPage;
use gleaner_page::Page;
use gleaner_results::{
    CLASSES, Confusion, PageElements, Scores, SiteTerms, TreeJudge, density_labels, page_config,
};
use gleaner_training::{
    Body, Prepared, Sample, Scored, SeenPages, divide, host_key, name_kinds, query_of_gold,
};

use crate::args::{Eval, Method};
use crate::inputs::gold::reader;
use crate::result_pages::{SavedTree, TreeScores, read_terms};
use crate::terminal::console;

/// A page, and its result by a method.
type Judged<T> = (Sample<Prepared>, T);

/// Pages with the labels that a method gave to them, and the fold that each was in.
pub(super) struct Labelled {
    /// What was scored.
    pub(super) name: String,
    pub(super) elements: Option<TreeScores>,
    /// How many of the pages a saved tree was trained on.
    pub(super) seen: Option<SeenPages>,
    pages: Vec<Judged<(Vec<Label>, u16)>>,
}

impl Labelled {
    pub(super) fn scored(&self) -> Vec<Scored<'_>> {
        self.pages
            .iter()
            .map(|(sample, (labels, fold))| {
                let mut decision = Decision::certain(labels.clone());
                sample.value.decide_heading(&mut decision);
                Scored::new(sample, decision, *fold)
            })
            .collect()
    }
}

/// Labels all pages by the method asked for, which is none of a model.
pub(super) fn run(arguments: &Eval) -> Result<Labelled> {
    match (arguments.method, &arguments.model.model) {
        (Method::Tree, None) => by_trees_of_folds(arguments),
        (Method::Tree, Some(_)) => by_one_tree(arguments),
        (Method::Density | Method::Model, _) => {
            let pages = read(arguments, || {
                |page: &Page, _: &GoldPage| (density_labels(page), 0)
            })?;
            Ok(Labelled {
                name: "text density".to_owned(),
                elements: None,
                seen: None,
                pages,
            })
        }
    }
}

fn by_one_tree(arguments: &Eval) -> Result<Labelled> {
    let tree = SavedTree::of_choice(&arguments.model, &arguments.query)?.judge;
    let terms = terms(arguments)?;
    let judge = |page: &Page, gold: &GoldPage| elements(page, gold, &terms);
    let pages = read(arguments, || judge)?;
    let seen = SeenPages::new(
        "tree",
        tree.training_pages(),
        pages.iter().map(|(sample, _)| sample.digest),
    );
    let mut confusion = Confusion::default();
    let label = |(sample, elements): Judged<PageElements>| {
        tree.count(&elements, &mut confusion);
        (sample, (tree.labels(&elements), 0))
    };
    Ok(Labelled {
        name: "a decision tree".to_owned(),
        seen: Some(seen),
        pages: pages.into_iter().map(label).collect(),
        elements: Some(element_scores(confusion)),
    })
}

/// Each fold by a tree that has learned from the others. Pages of one host are in one fold.
fn by_trees_of_folds(arguments: &Eval) -> Result<Labelled> {
    let terms = terms(arguments)?;
    let judge = |page: &Page, gold: &GoldPage| elements(page, gold, &terms);
    let pages = read(arguments, || judge)?;
    let folds = divide(
        pages.iter().map(|(sample, _)| &sample.gold),
        host_key,
        arguments.folds,
        &console::say,
    )?;
    let mut confusion = Confusion::default();
    let mut labels: Vec<Vec<Label>> = vec![Vec::new(); pages.len()];
    for held_out in 0..arguments.folds {
        if !folds.contains(&held_out) {
            continue;
        }
        let others = pages.iter().zip(&folds).filter(|(_, fold)| **fold != held_out);
        let tree = TreeJudge::train(others.map(|((_, elements), _)| elements))?;
        for (at, (_, elements)) in pages.iter().enumerate().filter(|(at, _)| folds[*at] == held_out) {
            labels[at] = tree.labels(elements);
            tree.count(elements, &mut confusion);
        }
    }
    let judged = pages.into_iter().zip(labels).zip(folds);
    Ok(Labelled {
        name: format!("decision trees, {}-fold cross-validation", arguments.folds),
        elements: Some(element_scores(confusion)),
        // What a fold is scored by has not seen it.
        seen: None,
        pages: judged
            .map(|(((sample, _), labels), fold)| (sample, (labels, fold)))
            .collect(),
    })
}

fn elements(page: &Page, gold: &GoldPage, terms: &SiteTerms) -> PageElements {
    let mut elements = PageElements::new(page, &query_of_gold(terms, gold));
    elements.classify(page, &gold.labels(page));
    elements
}

fn element_scores(confusion: Confusion) -> TreeScores {
    let confusion = confusion.map(Vec::from).into();
    TreeScores::new(CLASSES, &Scores { confusion })
}

/// What was searched for, with the forms of all of a site's pages.
fn terms(arguments: &Eval) -> Result<SiteTerms> {
    let mut terms = read_terms(&arguments.query)?;
    reader(arguments.workers).gather_terms(&mut terms, &arguments.sets.gold)?;
    Ok(terms)
}

fn read<T: Send, J>(arguments: &Eval, judge: impl Fn() -> J + Sync) -> Result<Vec<Judged<T>>>
where
    J: FnMut(&Page, &GoldPage) -> T,
{
    let files: &[PathBuf] = &arguments.sets.gold;
    let gold = reader(arguments.workers);
    let samples = gold.load_bodies(files, || {
        let mut judge = judge();
        let mut reader = PageReader::without_features(page_config());
        move |body: &Body| {
            let prepared = gold.align(&mut reader, body, None);
            let empty = Page::default();
            // A body that is no page leaves the reader with the one before.
            let page = match prepared.page.layout.is_empty() {
                true => &empty,
                false => reader.page(),
            };
            let judged = judge(page, &body.gold);
            (prepared, judged)
        }
    })?;
    let wanted = samples.into_iter().filter(|sample| arguments.wants(&sample.gold));
    let mut judged: Vec<Judged<T>> = wanted.map(Sample::split).collect();
    arguments.check_some(judged.len())?;
    for (sample, _) in &mut judged {
        sample.value.without_title = arguments.decision.no_title;
    }
    name_kinds(judged.iter_mut().map(|(sample, _)| sample), files);
    Ok(judged)
}
