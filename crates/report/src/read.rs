//! Reads a corpus and counts what is in it.

use gleaner_corpus::{Corpus, VersionTables};
use gleaner_curate::Allowed;
use gleaner_export::{
    Column, Error, PageFiles, PersonalAction, Recipe, Selection, Test, Value, Work, count as count_funnel,
};
use gleaner_store::Output;

use crate::histogram::Line;
use crate::measures::{Measure, confidence, measures};
use crate::numbers::{Change, RecipeFunnel, Report};
use crate::pages::{PageTally, Plan, count, groups, years};
use crate::rule_sets::add_line;
use crate::tables::Tables;

/// What a report is of.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The corpus, as it was named.
    pub corpus: String,
    /// The number of its version; none for the current one.
    pub version: Option<u64>,
    /// Recipes whose filters are counted, by name.
    pub recipes: Vec<(String, Recipe)>,
    /// What the change did that made the version.
    pub change: Option<Change>,
}

/// Counts what is in a corpus. Waits for the store.
///
/// # Errors
/// The corpus is not complete or has no such version, a recipe needs a table that it lacks, or a file cannot be read.
pub fn read(output: &Output, request: Request, work: &Work) -> Result<Report, Error> {
    let version = Corpus::version_tables(output, request.version)?;
    let tables = Tables {
        output,
        version: &version,
        work,
    };
    let mut duplicates = tables.duplicates()?;
    let plan = plan(
        &version,
        duplicates.largest.iter().map(|cluster| cluster.survivor.clone()),
    );
    let side_by_side = plan.has_signals.then_some("signals");
    let files = PageFiles::new(output, &version, side_by_side)?;
    let pages = count(&files, &plan, work)?;
    for cluster in &mut duplicates.largest {
        cluster.url = pages.urls.get(&cluster.survivor).cloned().unwrap_or_default();
    }
    let histograms = plan.measures.iter().zip(pages.measures.clone());
    Ok(Report {
        corpus: request.corpus,
        corpus_version: version.version,
        gleaner: env!("CARGO_PKG_VERSION").to_owned(),
        totals: pages.totals,
        sites: tables.sites()?,
        rejects: tables.rejects()?,
        rights: tables.rights(pages.totals.documents)?,
        duplicates,
        measures: histograms
            .map(|(measure, tally)| {
                let limits = lines(measure, &pages, &request.recipes);
                tally.histogram(measure.column.path(), measure.title, &measure.scale, limits)
            })
            .collect(),
        rule_sets: plan.has_signals.then(|| pages.rules.fails()),
        recipes: funnels(output, &version, request.recipes, work)?,
        change: request.change,
        confidence: {
            let Measure { column, title, scale } = &plan.confidence;
            pages
                .confidence
                .histogram(column.path(), title, scale, Vec::new())
        },
        crawls: groups(pages.crawls),
        languages: groups(pages.languages),
        page_kinds: groups(pages.page_kinds),
        text_sources: groups(pages.text_sources),
        published: years(pages.published),
        crawled: years(pages.crawled),
    })
}

fn plan(version: &VersionTables, wanted: impl Iterator<Item = String>) -> Plan {
    let has_signals = version.files.contains_key("signals");
    let mut wanted: Vec<String> = wanted.collect();
    wanted.sort_unstable();
    Plan {
        measures: measures(has_signals),
        confidence: confidence(),
        has_signals,
        wanted,
    }
}

/// The limits that rule sets and recipes have for a measure.
fn lines(measure: &Measure, pages: &PageTally, recipes: &[(String, Recipe)]) -> Vec<Line> {
    let mut lines = match measure.column.table {
        "signals" => pages.rules.lines(measure.column.name),
        _ => Vec::new(),
    };
    for (name, recipe) in recipes {
        for limit in limits_of(recipe, &measure.column) {
            add_line(&mut lines, limit, format!("recipe {name}"));
        }
    }
    lines
}

/// The limits that filters of a recipe have for a column, those for languages without their own.
fn limits_of(recipe: &Recipe, column: &Column) -> Vec<Allowed> {
    let conditions = recipe.filters.iter().filter_map(|filter| match &filter.test {
        Test::Page(conditions) => Some(conditions),
        Test::Cluster(_) | Test::Rows { .. } => None,
    });
    let own = conditions
        .flatten()
        .filter(|condition| condition.column == *column);
    let number = |value: Option<&Value<'static>>| match value? {
        Value::Whole(number) => Some(*number as f64),
        // With the digits of its own precision.
        Value::Share(share) => share.to_string().parse().ok(),
        Value::Real(number) => Some(*number),
        _ => None,
    };
    let limits = own.flat_map(|condition| {
        let least = condition
            .min
            .as_ref()
            .and_then(|limit| number(limit.default.as_ref()));
        let most = condition
            .max
            .as_ref()
            .and_then(|limit| number(limit.default.as_ref()));
        [least.map(Allowed::AtLeast), most.map(Allowed::AtMost)]
    });
    limits.flatten().collect()
}

/// What recipes leave out.
fn funnels(
    output: &Output,
    version: &VersionTables,
    recipes: Vec<(String, Recipe)>,
    work: &Work,
) -> Result<Vec<RecipeFunnel>, Error> {
    let funnel = |(name, recipe): (String, Recipe)| {
        // Masks leave out nothing, and all texts would be read for them.
        let is_masked = recipe.personal.action == PersonalAction::Mask;
        let recipe = recipe.with_personal(is_masked.then_some(PersonalAction::Keep));
        let selection = Selection::open(output, Some(version.version), &recipe, work)?;
        Ok(RecipeFunnel {
            recipe: name,
            description: recipe.description,
            funnel: count_funnel(&selection)?,
        })
    };
    recipes.into_iter().map(funnel).collect()
}
