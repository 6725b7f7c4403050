//! Why the blocks of a page are kept or dropped, by the page alone.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use gleaner_content::{Because, FeatureNames, Label, Reasons, rounded};
use gleaner_document::{Content, MarkdownOptions, ScoredPage, built_in};
use gleaner_metadata::Metadata;
use gleaner_site::KindShares;
use serde::Serialize;
use utoipa::ToSchema;

use super::BODY;
use super::query::{PageParams, Params};
use super::request::{SentPage, no_page};
use super::schema;
use crate::Error;
use crate::context::Shared;
use crate::error::ErrorBody;
use crate::worker::Worker;

/// A page, its text, and its blocks with the reasons why they are kept or dropped.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExplainedPage {
    /// Its URL; empty where it is not known
    url: String,
    /// The charset of its bytes
    charset: &'static str,
    /// Limits that were met
    truncated: Vec<&'static str>,
    /// Its most probable kind
    kind: Option<Kind>,
    /// All kinds, the most probable first
    kinds: Vec<Kind>,
    /// The word F1 that the model expects of the text
    confidence: Option<f64>,
    /// Blocks of a larger probability are kept; none where the page is expected to have too few words of content
    threshold: Option<f64>,
    /// Where the text is from
    text_source: &'static str,
    /// The kept text
    text: String,
    /// The kept text as Markdown
    markdown: String,
    metadata: StatedFacts,
    /// What the features measure that are named
    definitions: BTreeMap<String, String>,
    blocks: Vec<ExplainedBlock>,
}

/// A kind of pages.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Kind {
    name: &'static str,
    probability: f64,
}

/// What a page states about itself.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatedFacts {
    title: Option<String>,
    authors: Vec<String>,
    /// Year, month and day
    published: Option<String>,
    language: Option<String>,
}

/// A block, and why it is kept or dropped.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExplainedBlock {
    /// Its number, from 0
    block: usize,
    /// Its text, white space collapsed
    text: String,
    /// Its text as it is written, where that is not the same: lines with indentation
    written: Option<String>,
    /// The names of the elements around it
    path: String,
    label: &'static str,
    /// The probability of the label
    confidence: f64,
    /// That it is content
    probability: f64,
    /// The probability of each label
    #[schema(value_type = BTreeMap<String, f64>)]
    labels: BTreeMap<&'static str, f64>,
    kept: bool,
    /// What decided: the probability, the number of words on the page, or that it is the main heading
    #[schema(value_type = String)]
    because: Because,
    /// What the log odds of content are made of
    #[schema(value_type = schema::Reasons)]
    reasons: Reasons,
}

/// Why the blocks of a page are kept or dropped, as `gleaner explain` shows it for pages of a corpus
#[utoipa::path(
    post,
    path = "/explain",
    tag = "page",
    params(PageParams),
    request_body(content((String = "text/html"), (String = "application/xhtml+xml"), (String = "text/plain")), description = BODY),
    responses(
        (status = 200, description = "The page with its blocks", body = ExplainedPage),
        (status = "4XX", description = "The request is refused", body = ErrorBody),
        (status = "5XX", description = "The service is busy, or failed", body = ErrorBody),
    )
)]
pub(crate) async fn explain(
    State(context): State<Shared>,
    Params(PageParams { url }): Params<PageParams>,
    page: SentPage,
) -> Result<Json<ExplainedPage>, Error> {
    let found = context
        .pool
        .run(move |worker| of_page(worker, &page, &url))
        .await?;
    Ok(Json(found))
}

fn of_page(worker: &mut Worker, sent: &SentPage, url: &str) -> Result<ExplainedPage, Error> {
    let cleaner = &mut worker.with_kinds;
    let read = cleaner
        .read(&sent.body, &sent.origin(url))
        .map_err(|error| no_page(&error))?;
    let model = worker.models.of(read.is_text);
    let names = FeatureNames::of(model);
    let reasons = cleaner.explain(&read).unwrap_or_default();
    let reasons: Vec<Reasons> = reasons.iter().map(|block| names.reasons(block)).collect();
    let marginals = cleaner.tag(&read).marginals.to_vec();
    let ScoredPage { facts, blocks } = cleaner.score(read);
    let threshold = cleaner.threshold(&blocks, None);
    let content = cleaner.decide(blocks, None);
    let page = cleaner.page();
    let kind = facts.kind().map(|(name, share)| Kind::new(name, share));
    let definitions = names.definitions(&reasons);
    let judged = Judged {
        content: &content,
        threshold,
    };
    let labels = |block: usize| {
        let named = model.labels().as_slice().iter().zip(&marginals[block]);
        named
            .map(|(label, &probability)| (label.name(), rounded(probability)))
            .collect()
    };
    let explained = page.blocks.iter().zip(reasons).enumerate();
    let explained = explained.map(|(at, (block, reasons))| ExplainedBlock {
        path: page.tag_path(block),
        labels: labels(at),
        ..judged.block(at, reasons)
    });
    Ok(ExplainedPage {
        url: url.to_owned(),
        charset: facts.charset,
        truncated: facts.truncated.names().collect(),
        kind,
        kinds: kinds(facts.kinds.as_ref()),
        confidence: content.confidence.map(|share| rounded(f64::from(share))),
        threshold: threshold
            .filter(|most| most.is_finite())
            .map(|most| rounded(f64::from(most))),
        text_source: content.source(),
        markdown: content.markdown_of(page, url, MarkdownOptions::default()),
        metadata: StatedFacts::of(&facts.metadata),
        definitions,
        blocks: explained.collect(),
        text: content.text,
    })
}

/// The kinds of pages with these probabilities, the most probable first.
fn kinds(shares: Option<&KindShares>) -> Vec<Kind> {
    let names = built_in::page_kinds().kinds().iter();
    let shares = shares.into_iter().flatten();
    let mut kinds: Vec<Kind> = names
        .zip(shares)
        .map(|(name, &share)| Kind::new(name, share))
        .collect();
    kinds.sort_by(|one, other| other.probability.total_cmp(&one.probability));
    kinds
}

impl Kind {
    fn new(name: &'static str, share: f32) -> Kind {
        Kind {
            name,
            probability: rounded(f64::from(share)),
        }
    }
}

impl StatedFacts {
    fn of(found: &Metadata<'_>) -> StatedFacts {
        StatedFacts {
            title: found.title.as_deref().map(str::to_owned),
            authors: found.authors.clone(),
            published: found.published.map(|published| published.day.to_string()),
            language: found.language.as_deref().map(str::to_owned),
        }
    }
}

/// A page that is decided.
struct Judged<'a> {
    content: &'a Content,
    threshold: Option<f32>,
}

impl Judged<'_> {
    fn block(&self, block: usize, reasons: Reasons) -> ExplainedBlock {
        let Content { decision, layout, .. } = self.content;
        let (text, written) = (layout.text(block), layout.written(block));
        let (label, probability): (Label, f32) = (decision.labels[block], decision.content[block]);
        ExplainedBlock {
            block,
            text: text.to_owned(),
            written: (written != text).then(|| written.to_owned()),
            path: String::new(),
            label: label.name(),
            confidence: rounded(f64::from(decision.confidence[block])),
            probability: rounded(f64::from(probability)),
            labels: BTreeMap::new(),
            kept: label.is_content(),
            because: Because::of(label.is_content(), probability, self.threshold),
            reasons,
        }
    }
}
