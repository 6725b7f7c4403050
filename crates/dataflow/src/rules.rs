//! What is left out of a corpus: its rules, as the steps of a build ask them.

use gleaner_corpus::{ArchiveRules, BadRules, Rule, RuleCapture, Rules, text_digest};

use crate::data::key::KeyParts;
use crate::data::key::KeyRange;
use crate::data::staged_page::StagedPage;

/// The rules of one archive.
#[derive(Clone, Debug)]
pub(crate) struct RulesOfArchive {
    rules: Rules,
    of_archive: ArchiveRules,
}

impl RulesOfArchive {
    /// Of some rules those that apply to an archive that came in this version.
    pub(crate) fn new(rules: &Rules, since: u64) -> RulesOfArchive {
        RulesOfArchive {
            of_archive: rules.for_archive(since),
            rules: rules.clone(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.of_archive.is_empty()
    }

    /// The first rule that leaves out a capture by its names; none as long as an earlier one may leave it out by its texts, which are
    /// not known yet.
    pub(crate) fn by_names(&self, capture: &RuleCapture<'_>) -> Option<&str> {
        let first = self.of_archive.leaves_out(capture);
        first
            .filter(|&rule| !self.of_archive.needs_text_before(rule))
            .and_then(|rule| self.rules.id(rule))
    }

    /// Whether texts have to be known.
    pub(crate) fn needs_texts(&self) -> bool {
        self.of_archive.needs_text()
    }

    /// The first rule that leaves out a capture; `texts` are those of its blocks, if it is a page.
    pub(crate) fn by_texts<'t>(
        &self,
        capture: &RuleCapture<'_>,
        texts: Option<impl Iterator<Item = &'t str>>,
    ) -> Option<&str> {
        let names = self.of_archive.leaves_out(capture);
        let digest = texts.filter(|_| self.needs_texts()).map(text_digest);
        let text = digest.and_then(|digest| self.of_archive.leaves_out_text(&digest));
        self.rules.id(names.into_iter().chain(text).min()?)
    }
}

/// What becomes of a capture that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate<'r> {
    Taken,
    /// By the rule with this identifier.
    LeftOut(&'r str),
    /// It is in the corpus: its archive is read again for what older rules left out.
    Present,
}

/// What decides about the captures of an archive that is read.
#[derive(Clone, Debug)]
pub(crate) struct ReadRules {
    pub(crate) now: RulesOfArchive,
    /// The rules before, if the archive is read again.
    pub(crate) before: Option<RulesOfArchive>,
}

impl ReadRules {
    /// What becomes of a capture, as far as its names decide that.
    pub(crate) fn by_names(&self, capture: &RuleCapture<'_>) -> Option<Fate<'_>> {
        if let Some(rule) = self.now.by_names(capture) {
            return Some(Fate::LeftOut(rule));
        }
        (!self.needs_texts()).then(|| self.taken(|before| before.by_names(capture)))
    }

    fn needs_texts(&self) -> bool {
        self.now.needs_texts() || self.before.as_ref().is_some_and(RulesOfArchive::needs_texts)
    }

    /// What becomes of a capture; `texts` are those of its blocks, if it is a page.
    pub(crate) fn by_texts<'t>(
        &self,
        capture: &RuleCapture<'_>,
        texts: Option<impl Iterator<Item = &'t str> + Clone>,
    ) -> Fate<'_> {
        match self.now.by_texts(capture, texts.clone()) {
            Some(rule) => Fate::LeftOut(rule),
            None => self.taken(|before| before.by_texts(capture, texts)),
        }
    }

    /// What no rule leaves out is taken, unless it is in the corpus.
    fn taken<'r>(&'r self, left_out: impl FnOnce(&'r RulesOfArchive) -> Option<&'r str>) -> Fate<'r> {
        match &self.before {
            Some(before) if left_out(before).is_none() => Fate::Present,
            _ => Fate::Taken,
        }
    }
}

/// The rules that a change brings, for the archives that are there.
#[derive(Clone, Debug)]
pub(crate) struct NewRules {
    rules: RulesOfArchive,
    ranges: Option<Vec<KeyRange>>,
}

impl NewRules {
    /// Rules for archives of this version and before. They leave out captures with SURTs of these ranges alone, if there are some.
    pub(crate) fn new(
        rules: Vec<Rule>,
        version: u64,
        ranges: Option<Vec<KeyRange>>,
    ) -> Result<NewRules, BadRules> {
        Ok(NewRules {
            rules: RulesOfArchive::new(&Rules::new(rules)?, version),
            ranges,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(crate) fn needs_texts(&self) -> bool {
        self.rules.needs_texts()
    }

    /// The identifier of the first rule that leaves out a record by its names.
    pub(crate) fn by_names(&self, parts: &KeyParts<'_>) -> Option<&str> {
        self.rules.by_names(&parts.names())
    }

    /// The same where it is known what the record is.
    pub(crate) fn by_texts(&self, parts: &KeyParts<'_>, staged: &StagedPage) -> Option<&str> {
        let texts = match staged {
            StagedPage::Page(page) => Some(page.blocks.layout.texts()),
            StagedPage::Reject(_) | StagedPage::SiteFile(_) | StagedPage::DrawnMark(_) => None,
        };
        self.rules.by_texts(&parts.names(), texts)
    }

    /// The SURTs that they can leave out, without the names of crawls; none where it may be any.
    pub(crate) fn ranges(&self) -> Option<&[KeyRange]> {
        self.ranges.as_deref()
    }
}

impl KeyParts<'_> {
    /// The names of a record.
    pub(crate) fn names(&self) -> RuleCapture<'_> {
        RuleCapture {
            url: self.url,
            surt: self.surt,
            record_id: self.record,
            drawn_from: self.drawn_from,
        }
    }
}
