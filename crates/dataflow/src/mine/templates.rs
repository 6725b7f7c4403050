//! The expressions of sites, mined from samples of their pages.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use gleaner_template::{Applier, Page, SiteTemplate, TokenConfig, drop_common};
use serde::{Deserialize, Serialize};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::Scope;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::Operator;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::generic::operator::source;
use timely::dataflow::operators::probe::Handle;

use super::group::{Group, Pass, of_units};
use crate::Epoch;
use crate::error::Error;
use crate::job::Job;
use crate::mining;
use crate::staged::lines;
use crate::staging::Extent;

/// A page of the sample of its site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Sampled {
    key: u64,
    /// Unit and entry, for keys that are the same.
    capture: (u32, u32),
    staged: Extent,
}

/// The sample of a site of so many pages.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub(super) pages: u64,
    sampled: Vec<Sampled>,
}

/// Brings together the sample of each site of the group.
pub(crate) fn sample(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let sampled = of_units(scope, job, group, Pass::Sample, |group, number, unit, found| {
        let captures = group.captures();
        group.counted(number, unit, |noted| {
            let note = &noted.note;
            let pages = captures.site(noted).map_or(0, |site| u64::from(site.all));
            let sampled = Sampled {
                key: note.url,
                capture: (number, note.entry),
                staged: unit.place(note.staged),
            };
            found.push((note.site.to_owned(), (pages, sampled)));
            Ok(())
        })
    });
    let group = Arc::clone(group);
    let by_site = Exchange::new(|(site, _): &(String, (u64, Sampled))| crate::notes::site_key(site));
    sampled
        .unary_frontier::<CapacityContainerBuilder<Vec<()>>, _, _, _>(
            by_site,
            "sample",
            move |capability, _| {
                let mut held = Some(capability);
                let mut sites: BTreeMap<String, Sample> = BTreeMap::new();
                move |(input, frontier), _| {
                    input.for_each_time(|_, batches| {
                        for (site, (pages, sampled)) in batches.flat_map(|batch| batch.drain(..)) {
                            let sample = sites.entry(site).or_default();
                            sample.pages = pages;
                            sample.sampled.push(sampled);
                        }
                    });
                    if !frontier.is_empty() || held.take().is_none() {
                        return;
                    }
                    group.add_samples(std::mem::take(&mut sites));
                }
            },
        )
        .probe_with(done);
}

/// Mines each site of the group from its sample. Workers take sites as they get free, the largest first.
pub(crate) fn templates(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let (job, group) = (Arc::clone(job), Arc::clone(group));
    source::<_, CapacityContainerBuilder<Vec<()>>, _, _>(scope, "templates", |capability, info| {
        let activator = scope.activator_for(info.address);
        let mut held = Some(capability);
        move |_| {
            if held.is_none() {
                return;
            }
            let Some((site, sample, number)) = group.take_sample().filter(|_| !job.is_stopped()) else {
                return held = None;
            };
            match mine(&job, &group, &site, sample) {
                Ok(template) => group.add_template(template),
                Err(error) => job.fail(error),
            }
            group.mined_site(&job, number);
            activator.activate();
        }
    })
    .probe_with(done);
}

/// The expressions of a site.
fn mine(job: &Job, group: &Group, site: &str, mut sample: Sample) -> Result<SiteTemplate, Error> {
    sample.sampled.sort_unstable();
    let mut pages: Vec<(String, String)> = Vec::new();
    let mut bytes = 0;
    let config = job.mining.miner.config();
    for sampled in sample.sampled {
        // More than that would not be read.
        if bytes > config.limits.site_tokens * LONGEST_TOKEN {
            break;
        }
        let page = group.stage().page(sampled.staged)?;
        let text = lines(&page);
        bytes += text.len();
        pages.push((page.document.url, text));
    }
    let pages: Vec<Page<'_>> = pages.iter().map(|(url, text)| Page { url, text }).collect();
    let mut template = job.mining.miner.mine(site, &pages);
    template.pages = sample.pages;
    Ok(template)
}

/// Bytes that tokens seldom have on the average.
const LONGEST_TOKEN: usize = 16;

/// What is known of the expressions of a group: as rows of their tables, and to be applied.
#[derive(Debug)]
pub(crate) struct Appliers {
    tokens: TokenConfig,
    by_site: BTreeMap<String, (SiteTemplate, OnceLock<Applier>)>,
}

impl Appliers {
    /// Takes away what many sites of the group share, stages the rows of the tables, and keeps what is left
    /// if the blocks table is to tell what it matches.
    pub(crate) fn new(job: &Job, group: &Group, mut templates: Vec<SiteTemplate>) -> Result<Appliers, Error> {
        let config = job.mining.miner.config();
        templates.sort_by(|one, other| one.site.cmp(&other.site));
        drop_common(&mut templates, config.many_sites);
        if let Some(rows) = mining::stage(&group.stage().staging, group.file(), &templates)? {
            group.set_rows(rows);
        }
        templates.retain(|template| job.blocks && !template.expressions.is_empty());
        let by_site = templates
            .into_iter()
            .map(|template| (template.site.clone(), (template, OnceLock::new())));
        Ok(Appliers {
            tokens: config.tokens.clone(),
            by_site: by_site.collect(),
        })
    }

    /// The expressions of a site, made ready by the first worker that comes to one of its pages.
    pub(crate) fn of(&self, site: &str) -> Option<&Applier> {
        let (template, applier) = self.by_site.get(site)?;
        let ready = || Applier::new(template, &self.tokens).expect("they were mined with these settings");
        Some(applier.get_or_init(ready))
    }
}
