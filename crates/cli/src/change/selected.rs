//! What a user selects: archives, and pages by their names.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use gleaner_corpus::{Crawl, Selector, SelectorKind};
use gleaner_dataflow::InputLine;
use std::collections::HashSet;

use super::Changed;
use crate::args::Selectors;

/// Archives, by crawl: its name is empty where it has none.
pub(super) type ArchivesByCrawl = BTreeMap<String, HashSet<String>>;

/// What is selected.
#[derive(Default)]
pub(super) struct Selected {
    /// Archives, as they were typed.
    inputs: Vec<String>,
    crawls: Vec<Crawl>,
    pub(super) selectors: Vec<Selector>,
}

impl Selected {
    pub(super) fn of(typed: &Selectors) -> Result<Selected> {
        let kinds = [
            (SelectorKind::Site, &typed.site),
            (SelectorKind::Domain, &typed.domain),
            (SelectorKind::Url, &typed.url),
            (SelectorKind::Prefix, &typed.url_prefix),
            (SelectorKind::Record, &typed.record),
            (SelectorKind::Text, &typed.text_digest),
        ];
        let each = kinds
            .into_iter()
            .flat_map(|(kind, texts)| texts.iter().map(move |text| Selector::new(kind, text)));
        let mut selectors = each.collect::<Result<Vec<_>, _>>()?;
        for list in &typed.list {
            let name = list.display().to_string();
            let text =
                std::fs::read_to_string(list).with_context(|| format!("could not read the list {name}"))?;
            selectors.extend(Selector::parse_list(&name, &text)?);
        }
        let selected = Selected {
            inputs: typed.input.clone(),
            crawls: typed.crawl.clone(),
            selectors,
        };
        if selected.words().next().is_none() {
            bail!("the lists have no selectors, so there is nothing to remove");
        }
        Ok(selected)
    }

    /// The archives that are selected.
    pub(super) fn archives(&self, changed: &Changed) -> Result<ArchivesByCrawl> {
        let mut found = ArchivesByCrawl::new();
        let mut add = |line: &InputLine| {
            let crawl = line.crawl.as_ref().map_or("", Crawl::as_str);
            found
                .entry(crawl.to_owned())
                .or_default()
                .insert(line.read.name.clone());
        };
        for typed in &self.inputs {
            let lines: Vec<&InputLine> = archives_named(&changed.lines, typed);
            match lines.as_slice() {
                [] => bail!(
                    "the corpus has no archive '{typed}': `gleaner log CORPUS --spec` lists their names, such as '{}'",
                    changed.lines.first().map_or("", |line| &line.read.name)
                ),
                [line] => add(line),
                [line, ..] => bail!(
                    "several crawls have an archive '{}': write the crawl before it, such as '{}/{}'",
                    line.read.name,
                    line.crawl.as_ref().map_or("", Crawl::as_str),
                    line.read.name
                ),
            }
        }
        for crawl in &self.crawls {
            let mut lines = changed
                .lines
                .iter()
                .filter(|line| line.crawl.as_ref() == Some(crawl))
                .peekable();
            if lines.peek().is_none() {
                bail!("the corpus has no crawl '{crawl}'");
            }
            lines.for_each(&mut add);
        }
        Ok(found)
    }

    /// The SURTs that pages which are selected can have; none where it may be any.
    pub(super) fn ranges(&self) -> Option<Vec<std::ops::Range<Vec<u8>>>> {
        let each: Option<Vec<_>> = self.selectors.iter().map(Selector::ranges).collect();
        each.map(|ranges| ranges.concat())
    }

    /// What is selected, in words.
    pub(super) fn words(&self) -> impl Iterator<Item = String> {
        let inputs = self.inputs.iter().map(|input| format!("--input {input}"));
        let crawls = self.crawls.iter().map(|crawl| format!("--crawl {crawl}"));
        inputs
            .chain(crawls)
            .chain(self.selectors.iter().map(Selector::name))
    }
}

/// The archives that a user may mean: by name; by name with the crawl before it; or by a path that ends with the name.
fn archives_named<'l>(lines: &'l [InputLine], typed: &str) -> Vec<&'l InputLine> {
    let is = |line: &&InputLine| line.read.name == typed;
    let with_crawl = |line: &&InputLine| {
        let rest = line
            .crawl
            .as_ref()
            .and_then(|crawl| typed.strip_prefix(crawl.as_str()));
        rest.and_then(|rest| rest.strip_prefix('/')) == Some(&line.read.name)
    };
    let ends = |line: &&InputLine| {
        let before = typed.strip_suffix(&*line.read.name);
        before.is_some_and(|before| before.ends_with('/'))
    };
    let tries: [&dyn Fn(&&InputLine) -> bool; 3] = [&is, &with_crawl, &ends];
    let mut found = tries
        .into_iter()
        .map(|is_meant| lines.iter().filter(is_meant).collect::<Vec<_>>());
    found.find(|found| !found.is_empty()).unwrap_or_default()
}
