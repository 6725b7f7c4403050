//! Back to the pages: what was counted, and what it makes of the labeller's scores, a block each.

use std::sync::Arc;

use gleaner_template::evidence::{Evidence, EvidenceConfig, PageKind, PathSums, adjust};
use gleaner_template::{Applier, CleanConfig, share_within};
use rustc_hash::FxHashMap;
use timely::dataflow::Scope;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::probe::Handle;

use super::group::{Group, Pass, Places, Texts, of_units};
use super::pool::add;
use crate::Epoch;
use crate::answer::Answer;
use crate::job::Job;
use crate::message::Scored;
use crate::notes::{Note, of_site};
use crate::staged::lines;
use crate::staging::pack;

/// Writes the answers to pages, unit by unit.
pub(crate) fn answer(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let config = EvidenceConfig::default();
    let mine = Arc::clone(job);
    let mut bytes = Vec::new();
    of_units(
        scope,
        job,
        group,
        Pass::Answer,
        move |group, number, unit, _: &mut Vec<()>| {
            let (older, pages) = (group.older(), group.pages());
            let (texts, places) = (group.texts(), group.places());
            let appliers = group.appliers(&mine)?;
            bytes.clear();
            group.notes(unit, |note| {
                if let Some(&pages) = pages.get(&note.site_key()) {
                    let site = Site {
                        pages,
                        texts: &texts,
                        places: &places,
                        config: &config,
                        counts: !older.contains(&(number, note.entry)),
                    };
                    let mut answer = page(&note, &site);
                    if let Some(applier) = appliers.of(&note.site).filter(|_| mine.blocks) {
                        match group.stage().page(unit.place(note.staged)) {
                            Ok(page) => answer.coverage = coverage(&page, applier),
                            Err(error) => mine.fail(error),
                        }
                    }
                    pack(&answer, &mut bytes);
                }
            })?;
            if !bytes.is_empty() {
                unit.answer(group.stage().staging.append(group.file(), &bytes)?);
            }
            Ok(())
        },
    )
    .probe_with(done);
}

/// What is known of a page's site.
struct Site<'a> {
    pages: u32,
    texts: &'a Texts<'a>,
    places: &'a Places<'a>,
    config: &'a EvidenceConfig,
    /// Whether the page is among those that were counted.
    counts: bool,
}

/// What the site says of a page.
fn page(note: &Note, site: &Site<'_>) -> Answer {
    let key = note.site_key();
    let of_text = |text: Option<u128>| text.map_or(0, |text| site.texts.pages(of_site(key, text)));
    let evidence = evidence(note, site);
    let kind = match note.is_listing {
        true => PageKind::Listing,
        false => PageKind::Single,
    };
    Answer {
        entry: note.entry,
        site_pages: site.pages,
        pages: note
            .page
            .blocks
            .iter()
            .map(|block| of_text(block.fingerprint))
            .collect(),
        logits: match evidence.pages > site.config.least_pages {
            true => adjust(&note.page, &evidence, kind, site.config),
            false => Vec::new(),
        },
        coverage: Vec::new(),
    }
}

/// The share of each block that expressions match.
fn coverage(page: &Scored, applier: &Applier) -> Vec<f32> {
    let text = lines(page);
    let removed = applier.removed(&text, &CleanConfig::default());
    if removed.is_empty() {
        return Vec::new();
    }
    let mut start = 0;
    let blocks = page.blocks.iter().map(|block| {
        let piece = start..start + block.len();
        start = piece.end + 1;
        share_within(&text, piece, &removed)
    });
    blocks.collect()
}

/// What is known of the site, the page itself among its pages: also of a capture that does not count.
fn evidence(note: &Note, site: &Site<'_>) -> Evidence {
    let key = note.site_key();
    let more = u32::from(!site.counts);
    let mut paths: FxHashMap<u64, PathSums> = FxHashMap::default();
    for block in &note.page.blocks {
        let sums = || site.places.sums((key, block.key));
        paths.entry(block.key).or_insert_with(sums);
    }
    if more > 0 {
        add(note, more, site.texts, |key, sums| {
            *paths.entry(key).or_default() += sums
        });
    }
    let mut texts: Vec<u128> = note
        .page
        .blocks
        .iter()
        .filter_map(|block| block.fingerprint)
        .collect();
    texts.sort_unstable();
    texts.dedup();
    let with_pages = |text| (text, site.texts.pages(of_site(key, text)) + more);
    let mut paths: Vec<(u64, PathSums)> = paths.into_iter().collect();
    paths.sort_unstable_by_key(|(key, _)| *key);
    Evidence {
        pages: site.pages + more,
        texts: texts.into_iter().map(with_pages).collect(),
        paths,
    }
}
