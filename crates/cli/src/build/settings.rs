//! From the options of a build to the settings of the dataflow and to the identity of the corpus.

use gleaner_corpus::{Crawl, Identity, Inputs};
use gleaner_dataflow::plan::PlanSizes;
use gleaner_dataflow::{BuildConfig, DuplicateConfig, SignatureConfig, VERSIONS};
use gleaner_document::built_in;
use gleaner_html::TreeBuilder;
use gleaner_page::Limits;
use gleaner_posts::Rules;
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use super::allocator;
use super::setup::Models;
use crate::args::{Build, ImageStyle, LinkStyle, MILLION, StructuredData, markdown_options};

pub(crate) fn set(config: &mut BuildConfig, arguments: &Build) {
    let (limits, decision) = (&arguments.limits, &arguments.decision);
    let markdown = markdown_options(arguments.links, arguments.images);
    config.templates = arguments.uses_sites();
    config.allow_missing = arguments.allow_missing;
    config.memory = arguments.memory.memory;
    if config.memory.is_some() {
        allocator::give_back_soon();
    }
    config.blocks = arguments.blocks;
    config.block_languages = arguments.block_languages;
    config.markdown = arguments.markdown.then_some(markdown);
    config.without_title = decision.no_title;
    config.signals = !arguments.no_signals;
    config.pii_spans = arguments.pii_spans;
    config.rights = arguments.rights();
    config.posts = arguments.posts.then(Rules::default_rules);
    config.last = arguments.phase.unwrap_or_default();
    config.site = arguments.site;
    if let Some(pages) = arguments.site_sample {
        config.site_sample = pages as usize;
    }
    config.duplicates = duplicates(arguments);
    config.repeats = (arguments.repeats > 0).then_some(arguments.repeats);
    config.structured_data = decision.structured_data == StructuredData::Fallback;
    config.limits = Limits {
        bytes: (limits.max_page as usize) << 20,
        steps: limits.max_steps * MILLION,
        ..Limits::default()
    };
    config.record_bytes = (limits.max_record as usize) << 20;
    config.parser = arguments.parser.parser;
    config.sizes = sizes(arguments);
    config.chunk_size = arguments.pages_of_chunk();
    config.keeps_state = !arguments.no_state;
    config.limit = arguments.limit;
}

/// The part size, or sizes that follow from the input.
pub(super) fn sizes(arguments: &Build) -> PlanSizes {
    arguments
        .part_size
        .map_or_else(PlanSizes::default, PlanSizes::parts_of)
}

/// All that the rows of the tables depend on. A folder with another identity is not mixed up with this corpus.
pub(crate) fn identity(arguments: &Build, inputs: &Inputs, models: &Models) -> Identity {
    let (limits, decision) = (&arguments.limits, &arguments.decision);
    let kinds = xxh3_64(built_in::KINDS.as_bytes());
    let sample = arguments.site_sample.map(|pages| pages.to_string());
    let versions: Map<String, Value> = VERSIONS
        .map(|(name, number)| (name.to_owned(), number.into()))
        .into_iter()
        .collect();
    let options = [
        ("versions", Value::Object(versions).to_string()),
        ("text-model", models.texts.identity.clone()),
        ("page-kinds", format!("{kinds:016x}")),
        ("blocks", arguments.blocks.to_string()),
        ("posts", arguments.posts.to_string()),
        ("no-site-evidence", (!arguments.uses_sites()).to_string()),
        ("site-sample", sample.unwrap_or_else(|| "default".to_owned())),
        ("site", arguments.site.to_string()),
        ("favor", decision.favor.to_string()),
        ("structured-data", decision.structured_data.to_string()),
        ("max-record", limits.max_record.to_string()),
        ("max-page", limits.max_page.to_string()),
        ("max-steps", limits.max_steps.to_string()),
        ("repeats", arguments.repeats.to_string()),
        ("chunk-size", arguments.pages_of_chunk().to_string()),
    ];
    let of_clusters = [
        ("shingle", arguments.shingle.to_string()),
        ("bands", arguments.bands.to_string()),
        ("band-rows", arguments.band_rows.to_string()),
    ];
    let of_clusters = of_clusters.into_iter().filter(|_| !arguments.no_clusters);
    let least = arguments.verify_duplicates.map(|least| least.to_string());
    // Options that came later are left out where they have their default.
    let parser = Some(arguments.parser.parser).filter(|parser| *parser != TreeBuilder::default());
    let inline = |is_inline: bool| is_inline.then(|| "inline".to_owned());
    let later = [
        (
            "block-languages",
            arguments.block_languages.then(|| true.to_string()),
        ),
        ("no-signals", arguments.no_signals.then(|| true.to_string())),
        ("pii-spans", arguments.pii_spans.then(|| true.to_string())),
        ("no-rights", arguments.no_rights.then(|| true.to_string())),
        ("agents", arguments.rights().map(|agents| agents.to_string())),
        ("no-clusters", arguments.no_clusters.then(|| true.to_string())),
        ("verify-duplicates", least),
        ("no-state", arguments.no_state.then(|| true.to_string())),
        ("markdown", arguments.markdown.then(|| true.to_string())),
        ("links", inline(arguments.links == LinkStyle::Inline)),
        ("images", inline(arguments.images == ImageStyle::Inline)),
        ("no-title", decision.no_title.then(|| true.to_string())),
        ("limit", arguments.limit.map(|limit| limit.to_string())),
        ("parser", parser.map(|parser| parser.to_string())),
        (Crawl::COLUMN, arguments.crawl.as_ref().map(ToString::to_string)),
    ];
    let later = later.into_iter().chain(models.curation.identity());
    let later = later.filter_map(|(name, value)| Some((name, value?)));
    let options = options.into_iter().chain(of_clusters).chain(later);
    Identity {
        inputs: inputs.clone(),
        model: models.pages.identity.clone(),
        options: options.map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

fn duplicates(arguments: &Build) -> Option<DuplicateConfig> {
    let signatures = SignatureConfig {
        shingle: arguments.shingle as usize,
        bands: arguments.bands as usize,
        rows: arguments.band_rows as usize,
    };
    let config = DuplicateConfig {
        signatures,
        verify: arguments.verify_duplicates.map(|least| least as f32),
    };
    (!arguments.no_clusters).then_some(config)
}
