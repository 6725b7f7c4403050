//! Ablation: what each feature is worth, by doing without it (Victor thesis, chapter 6).

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, bail};
use gleaner_columns::ColumnInfo;
use gleaner_content::ContentColumns;
use gleaner_crf::TemplateConfig;
use gleaner_features::{FeatureConfig, Module};
use gleaner_training::{Measures, Prepared, Sample, Scored, TrainJob, Validation, cross_validate};
use serde::Serialize;

use crate::args::Ablate;
use crate::terminal::console;

/// The measures over all pages with all features, and without some.
#[derive(Serialize)]
pub(crate) struct Ablation {
    /// What is left out at a time.
    pub(super) by: String,
    pub(super) baseline: Measures,
    pub(super) rows: Vec<Without>,
}

#[derive(Serialize)]
pub(crate) struct Without {
    /// The module or column that was left out.
    pub(super) without: String,
    pub(super) columns: usize,
    pub(super) measures: Measures,
}

/// Columns that are left out together.
struct Group {
    name: String,
    columns: Vec<String>,
}

/// Cross-validates again without each module or column in turn. The pages are measured once: what
/// is left out has no weights.
pub(super) fn ablate(
    by: Ablate,
    job: &TrainJob,
    samples: &[Sample<Prepared>],
    baseline: &[Scored<'_>],
    validation: Validation<'_>,
) -> Result<Ablation> {
    let groups = groups(by, &job.features);
    if groups.len() < 2 {
        bail!("the job has only one module or column: nothing can be left out");
    }
    let started = Instant::now();
    let mut rows = Vec::new();
    for (done, group) in groups.iter().enumerate() {
        let mut job = job.clone();
        let columns = job.features.columns();
        job.training.template = without(&job.training.template, &columns, group);
        if let Some(content) = &mut job.content
            && let Some(own) = &mut content.columns
        {
            *own = content_without(own, &columns, group);
        }
        let scored = cross_validate(&job, samples, validation, &mut |_| {})?;
        rows.push(Without {
            without: group.name.clone(),
            columns: group.columns.len(),
            measures: Measures::new(&scored.iter().collect::<Vec<_>>()),
        });
        let left = started.elapsed() / (done as u32 + 1) * (groups.len() - done - 1) as u32;
        console::say(&format!(
            "without {} ({} of {}), {} left",
            group.name,
            done + 1,
            groups.len(),
            console::seconds(left)
        ));
    }
    Ok(Ablation {
        by: by.to_string(),
        baseline: Measures::new(&baseline.iter().collect::<Vec<_>>()),
        rows,
    })
}

fn groups(by: Ablate, features: &FeatureConfig) -> Vec<Group> {
    let names = |features: &FeatureConfig| features.columns().into_iter().map(|column| column.name);
    let module = |module: Module| {
        let alone = FeatureConfig {
            modules: vec![module],
            ..features.clone()
        };
        Group {
            name: module.to_string(),
            columns: names(&alone).collect(),
        }
    };
    match by {
        Ablate::Modules => features.modules.iter().copied().map(module).collect(),
        Ablate::Columns => names(features)
            .map(|name| Group {
                columns: vec![name.clone()],
                name,
            })
            .collect(),
    }
}

/// The template without some columns: each other column by its whole name, so that no shorter
/// name decides about it.
fn without(template: &TemplateConfig, columns: &[ColumnInfo], group: &Group) -> TemplateConfig {
    let offsets = |name: &String| match group.columns.contains(name) {
        true => Vec::new(),
        false => offsets_of(template, name),
    };
    TemplateConfig {
        offsets: columns
            .iter()
            .map(|column| (column.name.clone(), offsets(&column.name)))
            .collect::<BTreeMap<_, _>>(),
        ..template.clone()
    }
}

fn content_without(own: &ContentColumns, columns: &[ColumnInfo], group: &Group) -> ContentColumns {
    let is_left = |name: &String| !group.columns.contains(name) && *longest(own, name).unwrap_or(&false);
    columns
        .iter()
        .map(|column| (column.name.clone(), is_left(&column.name)))
        .collect()
}

fn offsets_of(template: &TemplateConfig, name: &str) -> Vec<i32> {
    longest(&template.offsets, name).cloned().unwrap_or_default()
}

/// The value of the longest key that a name begins with.
fn longest<'a, T>(of: &'a BTreeMap<String, T>, name: &str) -> Option<&'a T> {
    let fitting = of.iter().filter(|(key, _)| name.starts_with(key.as_str()));
    fitting.max_by_key(|(key, _)| key.len()).map(|(_, said)| said)
}

#[cfg(test)]
mod tests {
    use gleaner_content::FeatureSpace;
    use gleaner_crf::Template;

    use super::*;

    fn template(text: &str) -> TemplateConfig {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn columns_left_out_are_not_used_for_content() {
        let features = FeatureConfig::from_toml("modules = ['split', 'bullet']").unwrap();
        let groups = groups(Ablate::Columns, &features);
        let group = groups.iter().find(|group| group.name == "bullet").unwrap();
        let own = [("", true), ("split.", false), ("split.p", true)];
        let own = own.map(|(name, is_one)| (name.to_owned(), is_one)).into();
        let content = content_without(&own, &features.columns(), group);
        let used = content.iter().filter(|(_, is_one)| **is_one);
        assert_eq!(
            used.map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["split.p"]
        );
    }

    #[test]
    fn what_is_left_out_has_no_attributes() {
        let features = FeatureConfig::from_toml("modules = ['split', 'bullet']").unwrap();
        let space = FeatureSpace::of(&features);
        let config = template("[offsets]\n'' = [0]\n'split.' = [-1, 0]\n'split.p' = [-2]");
        let compile = |config: &TemplateConfig| Template::compile(config, &space.columns).unwrap();
        let attributes = |config: &TemplateConfig| compile(config).attributes();
        let codes = |name: &str| {
            let column = space.columns.iter().find(|column| column.name == name).unwrap();
            usize::from(column.cardinality)
        };
        let all = attributes(&config);
        let groups = groups(Ablate::Columns, &features);
        let left = |name: &str| {
            let group = groups.iter().find(|group| group.name == name).unwrap();
            attributes(&without(&config, &space.columns, group))
        };
        assert_eq!(left("split.hr"), all - 2 * codes("split.hr"));
        assert_eq!(left("bullet"), all - codes("bullet"));
        assert_eq!(left("split.p"), all - codes("split.p"));
    }

    #[test]
    fn modules_are_groups_by_the_names_of_job_files() {
        let features = FeatureConfig::from_toml("modules = ['split', 'position']").unwrap();
        let groups = groups(Ablate::Modules, &features);
        let made: Vec<_> = groups
            .iter()
            .map(|group| (group.name.as_str(), group.columns.len()))
            .collect();
        assert_eq!(made, [("split", 5), ("position", 1)]);
    }
}
