//! What a user selects: archives, and pages by their names.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use gleaner_corpus::{Crawl, Selector, SelectorKind};
use gleaner_dataflow::InputLine;
use std::collections::HashSet;

use super::Changed;
use crate::args::Selectors;
use crate::corpus::names::archive_name;

/// Archives, by crawl: its name is empty where it has none.
pub(super) type ArchivesByCrawl = BTreeMap<String, HashSet<String>>;

/// What is selected.
#[derive(Default)]
pub(super) struct Selected {
    /// Archives, as they were typed.
    inputs: Vec<String>,
    crawls: Vec<Crawl>,
    pub(super) selectors: Vec<Selector>,
    /// The selectors, as they were typed.
    pub(super) typed: Vec<String>,
    /// How many of them are options; the others are lines of lists.
    options: usize,
    /// The files of lists.
    lists: Vec<String>,
}

impl Selected {
    pub(super) fn of(typed: &Selectors) -> Result<Selected> {
        let kinds = [
            (SelectorKind::Site, "--site", &typed.site),
            (SelectorKind::Domain, "--domain", &typed.domain),
            (SelectorKind::Url, "--url", &typed.url),
            (SelectorKind::Prefix, "--url-prefix", &typed.url_prefix),
            (SelectorKind::Record, "--record", &typed.record),
            (SelectorKind::Text, "--text-digest", &typed.text_digest),
        ];
        let each = || {
            let kinds = kinds.into_iter();
            kinds.flat_map(|(kind, option, texts)| texts.iter().map(move |text| (kind, option, text)))
        };
        let selectors = each().map(|(kind, _, text)| Selector::new(kind, text));
        let mut selectors = selectors.collect::<Result<Vec<_>, _>>()?;
        let mut words: Vec<String> = each()
            .map(|(_, option, text)| format!("{option} {text}"))
            .collect();
        let lists: Vec<String> = typed.list.iter().map(|list| list.display().to_string()).collect();
        let options = words.len();
        for (list, name) in typed.list.iter().zip(&lists) {
            let text =
                std::fs::read_to_string(list).with_context(|| format!("could not read the list {name}"))?;
            selectors.extend(Selector::parse_list(name, &text)?);
            let is_selector = |line: &&str| Selector::parse_line(line).is_ok_and(|found| found.is_some());
            let lines = text.trim_start_matches('\u{feff}').lines().filter(is_selector);
            words.extend(lines.map(|line| format!("{name}: {}", line.trim())));
        }
        let selected = Selected {
            inputs: typed.input.clone(),
            crawls: typed.crawl.clone(),
            selectors,
            typed: words,
            options,
            lists,
        };
        if selected.names().next().is_none() {
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
                    changed.lines.first().map_or_else(String::new, archive_name)
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
                let known = changed.lines.iter().filter_map(|line| line.crawl.as_ref());
                let known: BTreeSet<&str> = known.map(Crawl::as_str).collect();
                let known: Vec<&str> = known.into_iter().collect();
                match known.as_slice() {
                    [] => bail!("the corpus has no crawl '{crawl}': it was built without --crawl"),
                    known => bail!(
                        "the corpus has no crawl '{crawl}': its crawls are {}",
                        known.join(", ")
                    ),
                }
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

    /// What is selected, as it was typed: of lists their files alone.
    pub(super) fn words(&self) -> impl Iterator<Item = String> {
        let lists = self.lists.iter().map(|list| format!("--list {list}"));
        let options = self.typed[..self.options].iter().cloned();
        self.archive_words().chain(options).chain(lists)
    }

    /// All that is selected: the same selections have the same names.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.archive_words()
            .chain(self.selectors.iter().map(Selector::name))
    }

    fn archive_words(&self) -> impl Iterator<Item = String> {
        let inputs = self.inputs.iter().map(|input| format!("--input {input}"));
        let crawls = self.crawls.iter().map(|crawl| format!("--crawl {crawl}"));
        inputs.chain(crawls)
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
