//! Back to the pages: what was counted, a block each.

use std::sync::Arc;

use timely::dataflow::Scope;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::probe::Handle;

use super::group::{Group, Pass, of_units};
use crate::Epoch;
use crate::answer::Answer;
use crate::job::Job;
use crate::notes::{Note, of_site};
use crate::staging::pack;

/// Writes the answers to pages, unit by unit.
pub(crate) fn answer(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let worker = scope.index();
    let mut bytes = Vec::new();
    of_units(
        scope,
        job,
        group,
        Pass::Answer,
        move |group, _, unit, _: &mut Vec<()>| {
            let (pages, texts) = (group.pages(), group.texts());
            bytes.clear();
            group.notes(unit, |note| {
                if pages.contains_key(&note.site_key()) {
                    pack(&page(&note, |text| texts.pages(text)), &mut bytes);
                }
            })?;
            if !bytes.is_empty() {
                unit.answer(group.stage().staging.append(worker, &bytes)?);
            }
            Ok(())
        },
    )
    .probe_with(done);
}

fn page(note: &Note, pages: impl Fn(u128) -> u32) -> Answer {
    let site = note.site_key();
    let of_text = |text: Option<u128>| text.map_or(0, |text| pages(of_site(site, text)));
    Answer {
        entry: note.entry,
        pages: note
            .blocks
            .iter()
            .map(|block| of_text(block.fingerprint))
            .collect(),
    }
}
