//! `gleaner serve`: the local web page and its HTTP API.

mod corpus;

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use gleaner_annotate::SessionConfig;
use gleaner_content::Model;
use gleaner_serve::{Limits, OpenCorpus, PagesToLabel, Server, Settings};
use gleaner_store::Place;

use crate::args::Serve;
use crate::model::{self, Chosen, Models};
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console};
use crate::{annotate, export};

/// `gleaner serve`.
pub(crate) fn run(arguments: &Serve, signals: Signals<'_>) -> Result<Outcome> {
    check(arguments)?;
    let models = Models::choose(&arguments.model, arguments.text_model.as_deref())?;
    let chosen = model::judging_by(models.pages.clone(), &arguments.convention)?;
    let texts = Arc::clone(&models.texts.model);
    let (corpus, to_label) = match corpus_among(&arguments.inputs)? {
        Some(name) => (Some(corpus::open(name, arguments, models)?), None),
        None if arguments.inputs.is_empty() => (None, None),
        None => (None, Some(to_label(arguments, &chosen)?)),
    };
    let server = Server::bind(settings(arguments, &chosen, texts, corpus, to_label)?)?;
    let stop = signals.stop()?;
    let url = server.url();
    console::say(&format!("serving {url} (stop with Ctrl-C)"));
    console::out(&format!("{url}\n"))?;
    server.run(&stop);
    Ok(Outcome::Done)
}

fn settings(
    arguments: &Serve,
    chosen: &Chosen,
    texts: Arc<Model>,
    corpus: Option<OpenCorpus>,
    to_label: Option<PagesToLabel>,
) -> Result<Settings> {
    Ok(Settings {
        port: arguments.port,
        limits: Limits {
            workers: export::workers(arguments.workers),
            body_bytes: usize::try_from(arguments.max_body)
                .context("--max-body is more than this machine can hold")?,
            timeout: arguments.timeout,
        },
        model: Arc::clone(&chosen.model),
        text_model: texts,
        model_name: chosen.identity.clone() + &arguments.convention.suffix(),
        corpus,
        to_label,
    })
}

/// Refuses options that have no effect on what is served.
fn check(arguments: &Serve) -> Result<()> {
    let has_corpus = arguments.inputs.iter().any(|input| is_corpus(input));
    if !arguments.input.is_empty() && !has_corpus {
        bail!(
            "--input names the archives of a corpus, and no corpus is named: gleaner serve CORPUS --input ..."
        );
    }
    if arguments.annotations.is_some() && (has_corpus || arguments.inputs.is_empty()) {
        bail!(
            "--annotations saves labels of pages, and no pages are named: gleaner serve FILE... --annotations ..."
        );
    }
    Ok(())
}

/// The corpus among the inputs, if there is one.
fn corpus_among(inputs: &[String]) -> Result<Option<&str>> {
    let Some(corpus) = inputs.iter().find(|input| is_corpus(input)) else {
        return Ok(None);
    };
    if inputs.len() > 1 {
        bail!("'{corpus}' is a corpus: serve it alone, and other pages with another command and --port");
    }
    Ok(Some(corpus))
}

/// Whether an input is a corpus: a folder with a marker, or any place elsewhere, since only local files can be labelled.
fn is_corpus(input: &str) -> bool {
    match Place::parse(input) {
        Ok(Place::Local(folder)) => folder.join("gleaner.json").is_file(),
        Ok(_) => true,
        Err(_) => false,
    }
}

fn to_label(arguments: &Serve, chosen: &Chosen) -> Result<PagesToLabel> {
    Ok(PagesToLabel {
        session: SessionConfig {
            files: annotate::files(&arguments.inputs)?,
            out: arguments.annotations.clone().unwrap_or_default(),
            page: None,
            uncertain_first: false,
            blind: false,
            model_name: chosen.identity.clone() + &arguments.convention.suffix(),
            annotator: arguments.annotator.clone().unwrap_or_else(annotate::user),
        },
        model: Arc::clone(&chosen.model),
        annotations: arguments.annotations.clone(),
    })
}
