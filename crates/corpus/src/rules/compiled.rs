//! Rules in the form in which captures are tested.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, OnceLock};

use gleaner_curate::Robots;

use super::name::{Digest, Digester, RuleCapture, SelectorKind};
use super::rule::{BadRules, Matcher, Names, RobotsMatcher, Rule, sorted};

/// The rules of a corpus, compiled. A copy shares what it was compiled to: 21 to 42 bytes a name.
///
/// ```
/// use gleaner_corpus::{Matcher, Rule, RuleCapture, RuleKind, Rules, Selector, SelectorKind, surt};
///
/// let domain = Selector::new(SelectorKind::Domain, "example.org")?;
/// let rule = Rule {
///     id: Rule::id(1),
///     kind: RuleKind::Takedown,
///     matcher: Matcher::names(RuleKind::Takedown, [&domain]),
///     since: 3,
///     until: None,
///     reason: "request 7".to_owned(),
///     source: None,
/// };
/// let rules = Rules::new(vec![rule])?.for_archive(4);
/// let leaves_out = |url: &str| {
///     rules.leaves_out(&RuleCapture { url, surt: &surt(url), record_id: "", drawn_from: "" })
/// };
/// assert_eq!(leaves_out("https://www.example.org:8080/a"), Some(0));
/// assert_eq!(leaves_out("https://badexample.org/a"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules(Arc<Compiled>);

/// The rules that apply to the archives of a version.
#[derive(Clone, Debug)]
pub struct ArchiveRules {
    compiled: Arc<Compiled>,
    since: u64,
    /// The kinds of names that are in a rule that applies, as bits.
    kinds: u8,
}

#[derive(Debug, Default)]
struct Compiled {
    digester: Digester,
    rules: Vec<CompiledRule>,
    /// The first rule that has a name.
    first: Table<u32>,
    /// All others that have it, in their order.
    others: Table<Vec<u32>>,
    /// The kinds of names, each with the last version of archives to which a rule with one applies.
    kinds: BTreeMap<SelectorKind, u64>,
}

#[derive(Debug)]
struct CompiledRule {
    id: String,
    /// The last version of archives to which it applies.
    until: u64,
    has_texts: bool,
    /// What it forbids, if it is a robots.txt: only of what has its names.
    robots: Option<LazyRobots>,
}

/// A robots.txt that is read when the first page of its host comes.
#[derive(Debug)]
struct LazyRobots {
    matcher: RobotsMatcher,
    robots: OnceLock<Robots>,
}

impl LazyRobots {
    fn allows(&self, url: &str) -> bool {
        let read = || Robots::new(self.matcher.body.as_bytes(), &self.matcher.agents);
        self.robots.get_or_init(read).allows(url)
    }
}

type Table<V> = HashMap<Digest, V, BuildHasherDefault<DigestHasher>>;

/// Gives the hash that a digest has already.
#[derive(Debug, Default)]
struct DigestHasher(u64);

impl Hasher for DigestHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.rotate_left(7) ^ number;
    }
}

impl Rules {
    /// Compiles rules.
    ///
    /// # Errors
    /// Two have the same id, or one has an id or a name of another form.
    pub fn new(rules: Vec<Rule>) -> Result<Rules, BadRules> {
        let mut compiled = Compiled::default();
        for (_, rule) in sorted(rules)? {
            compiled.add(rule)?;
        }
        Ok(Rules(Arc::new(compiled)))
    }

    /// The rules for archives that came in this version.
    pub fn for_archive(&self, since: u64) -> ArchiveRules {
        let kinds = self.0.kinds.iter().filter(|(_, until)| since <= **until);
        ArchiveRules {
            kinds: kinds.map(|(kind, _)| kind.bit()).sum(),
            since,
            compiled: Arc::clone(&self.0),
        }
    }

    /// The number of rules.
    pub fn len(&self) -> usize {
        self.0.rules.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.rules.is_empty()
    }

    /// The id of the rule with this index, in the order of ids.
    pub fn id(&self, index: usize) -> Option<&str> {
        self.0.rules.get(index).map(|rule| rule.id.as_str())
    }
}

impl ArchiveRules {
    /// Whether no rule applies.
    pub fn is_empty(&self) -> bool {
        self.kinds == 0
    }

    /// The first rule, in the order of ids, that leaves a capture out by its URL or record: its index in [`Rules`].
    pub fn leaves_out(&self, capture: &RuleCapture<'_>) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let mut first = None;
        let compiled = &*self.compiled;
        compiled.digester.capture(self.kinds, capture, |digest| {
            let found = compiled
                .rules_with(digest)
                .find(|&rule| self.applies(rule) && compiled.forbids(rule, capture.url));
            first = first.into_iter().chain(found).min();
        });
        first.map(|rule| rule as usize)
    }

    /// Whether a rule names texts, so that pages have to be read for [`ArchiveRules::leaves_out_text`].
    pub fn needs_text(&self) -> bool {
        self.kinds & SelectorKind::Text.bit() != 0
    }

    /// Whether a rule before this one names texts: a capture that [`ArchiveRules::leaves_out`] gives to a rule may be left out by
    /// an earlier rule by its text.
    pub fn needs_text_before(&self, index: usize) -> bool {
        let mut before = self.compiled.rules.iter().take(index);
        self.needs_text() && before.any(|rule| rule.has_texts && self.since <= rule.until)
    }

    /// The first rule that leaves a page out by the [`text_digest`](crate::text_digest) of its texts: its index in [`Rules`].
    pub fn leaves_out_text(&self, digest: &str) -> Option<usize> {
        if !self.needs_text() {
            return None;
        }
        let digest = self.compiled.digester.of(SelectorKind::Text, digest);
        let found = self.compiled.rules_with(digest).find(|&rule| self.applies(rule));
        found.map(|rule| rule as usize)
    }

    fn applies(&self, rule: u32) -> bool {
        self.since <= self.compiled.rules[rule as usize].until
    }
}

impl Compiled {
    fn add(&mut self, rule: Rule) -> Result<(), BadRules> {
        let index = u32::try_from(self.rules.len()).expect("rules are fewer than their bytes");
        let mut compiled = CompiledRule {
            until: rule.until.unwrap_or(u64::MAX),
            id: rule.id,
            has_texts: false,
            robots: None,
        };
        match rule.matcher {
            Matcher::Names(names) => self.add_names(&names, index, &mut compiled)?,
            Matcher::Robots(matcher) => {
                let site = self.digester.of(SelectorKind::Site, &matcher.host);
                self.add_name(SelectorKind::Site, site, index, compiled.until);
                compiled.robots = Some(LazyRobots {
                    matcher,
                    robots: OnceLock::new(),
                });
            }
        }
        self.rules.push(compiled);
        Ok(())
    }

    fn add_names(&mut self, names: &Names, index: u32, rule: &mut CompiledRule) -> Result<(), BadRules> {
        self.first.reserve(names.names.len());
        for name in &names.names {
            let bad = || BadRules::Name(rule.id.clone(), name.clone());
            let (kind, digest) = names.digest(&self.digester, name).ok_or_else(bad)?;
            rule.has_texts |= kind == SelectorKind::Text;
            self.add_name(kind, digest, index, rule.until);
        }
        Ok(())
    }

    fn add_name(&mut self, kind: SelectorKind, digest: Digest, rule: u32, until: u64) {
        let last = self.kinds.entry(kind).or_default();
        *last = until.max(*last);
        let first = *self.first.entry(digest).or_insert(rule);
        if first != rule {
            self.others.entry(digest).or_default().push(rule);
        }
    }

    /// Whether a rule that has a name of a page leaves it out: a robots.txt allows others.
    fn forbids(&self, rule: u32, url: &str) -> bool {
        let robots = self.rules[rule as usize].robots.as_ref();
        robots.is_none_or(|robots| !robots.allows(url))
    }

    /// The rules that have a name, in their order.
    fn rules_with(&self, digest: Digest) -> impl Iterator<Item = u32> {
        let first = self.first.get(&digest);
        let others = first.and_then(|_| self.others.get(&digest));
        first.into_iter().chain(others.into_iter().flatten()).copied()
    }
}

#[cfg(test)]
mod tests;
