//! Back to the pages: what was counted, and what it makes of the labeller's scores, a block each.

use std::sync::Arc;

use gleaner_site::{Evidence, EvidenceConfig, NO_TEXT, PageKind, PageNotes, adjust};
use gleaner_template::{Applier, CleanConfig, share_within};
use timely::dataflow::Scope;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::probe::Handle;

use super::group::{Group, Pass, Places, of_units};
use crate::Epoch;
use crate::answer::{Answer, AnswerBuffer};
use crate::error::Error;
use crate::job::Job;
use crate::message::Scored;
use crate::notes::Noted;
use crate::staged::lines;

/// Writes the answers to pages, unit by unit.
pub(crate) fn answer(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let config = EvidenceConfig::default();
    let mine = Arc::clone(job);
    let (mut answers, mut notes) = (AnswerBuffer::default(), PageNotes::default());
    of_units(
        scope,
        job,
        group,
        Pass::Answer,
        move |group, number, unit, _: &mut Vec<()>| {
            let captures = group.captures();
            let (texts, places) = (group.texts(), group.places());
            let appliers = group.appliers(&mine)?;
            let counts = group.take_counts(number);
            let mut rest = &*counts;
            let write = |answers: &mut AnswerBuffer| -> Result<(), Error> {
                let written = answers.write(&group.stage().staging, group.file())?;
                written.into_iter().for_each(|extent| unit.answer(extent));
                Ok(())
            };
            group.notes(unit, |noted| {
                let Some(sample) = captures.site(noted) else {
                    return Ok(());
                };
                let note = &noted.note;
                let site = Site {
                    pages: sample.pages,
                    places: &places,
                    config: &config,
                    counts: captures.counts(number, noted, sample),
                };
                noted.read(&mut notes)?;
                let counted = match site.counts {
                    true => taken(&mut rest, noted.text_count())?,
                    false => noted.texts().map(|text| texts.pages(text, false)).collect(),
                };
                let mut answer = page(noted, &notes, counted, &site);
                if let Some(applier) = appliers.of(note.site) {
                    let page = group.stage().page(unit.place(note.staged))?;
                    answer.coverage = coverage(&page, applier);
                }
                match answers.push(&answer) {
                    true => write(&mut answers),
                    false => Ok(()),
                }
            })?;
            write(&mut answers)
        },
    )
    .probe_with(done);
}

/// What is known of a page's site.
struct Site<'a> {
    /// The pages of its sample.
    pages: u32,
    places: &'a Places<'a>,
    config: &'a EvidenceConfig,
    /// Whether the page is among those that were counted.
    counts: bool,
}

/// Takes so many numbers off others, which are in the order of the notes.
fn taken(rest: &mut &[u32], count: usize) -> Result<Vec<u32>, Error> {
    let (own, others) = rest.split_at_checked(count).ok_or(Error::Damaged)?;
    *rest = others;
    Ok(own.to_vec())
}

/// What the site says of a page, given how many of its pages have each text.
fn page(noted: &Noted<'_>, notes: &PageNotes, counted: Vec<u32>, site: &Site<'_>) -> Answer {
    let kind = match noted.note.is_listing {
        true => PageKind::Listing,
        false => PageKind::Single,
    };
    let pages = notes.blocks.iter().map(|block| match block.text {
        NO_TEXT => 0,
        text => counted[text as usize],
    });
    let mut answer = Answer {
        entry: noted.note.entry,
        site_pages: site.pages,
        pages: pages.collect(),
        ..Answer::default()
    };
    let evidence = evidence(noted.site, notes, counted, site);
    if evidence.others() >= site.config.min_pages {
        answer.logits = moved(notes, adjust(notes, &evidence, kind, site.config));
    }
    answer
}

/// The logits that are others than they were; the rest as no numbers, none if there is nothing else.
fn moved(notes: &PageNotes, mut logits: Vec<f32>) -> Vec<f32> {
    let mut is_any = false;
    for (after, before) in logits.iter_mut().zip(&notes.logits) {
        match after == before {
            true => *after = f32::NAN,
            false => is_any = true,
        }
    }
    if !is_any {
        logits.clear();
    }
    logits
}

/// The share of each block that expressions match.
fn coverage(page: &Scored, applier: &Applier) -> Vec<f32> {
    let text = lines(page);
    let removed = applier.removed(&text, &CleanConfig::default());
    if removed.is_empty() {
        return Vec::new();
    }
    let mut start = 0;
    let blocks = page.blocks.layout.texts().map(|block| {
        let piece = start..start + block.len();
        start = piece.end + 1;
        share_within(&text, piece, &removed)
    });
    blocks.collect()
}

/// What is known of the site, given how many of its pages that count have each text.
fn evidence(key: u64, page: &PageNotes, counted: Vec<u32>, site: &Site<'_>) -> Evidence {
    let places = page.places.iter().map(|&place| site.places.sums((key, place)));
    Evidence {
        pages: site.pages,
        has_page: site.counts,
        texts: counted,
        places: places.collect(),
    }
}
