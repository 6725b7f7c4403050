//! Rule files: what in the tree of a page is a post, its text, its title, its date.
//!
//! A rule is a path of steps. A step goes from an element to others (its children, all below it,
//! the siblings before it, itself) and keeps those with a certain name and a certain attribute.
//! The first rule that leads anywhere counts, and the first element that it leads to.

use std::path::Path;

use gleaner_html::{Attr, Tag};
use serde::Deserialize;

use crate::Error;
use crate::glob::Glob;
use crate::platform::Signature;

/// A rule file, ready to be used.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What the rules are called.
    pub name: String,
    /// Posts and their parts are looked for where the rules name none, too.
    pub(crate) structure: bool,
    /// Rules by their part, in the order in which they are tried.
    pub(crate) parts: [Vec<Rule>; RulePart::COUNT],
    pub(crate) platforms: Vec<Signature>,
    /// The tests of all steps; a step names its test by its place here.
    pub(crate) tests: Vec<Test>,
}

/// What rules are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum RulePart {
    Post,
    Text,
    TextLike,
    Title,
    Date,
    Author,
    Skip,
    AuthorBox,
    Apart,
    Heading,
    Comment,
    CommentAuthor,
    CommentDate,
    CommentText,
}

/// A path from one element to others.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) steps: Vec<RuleStep>,
}

/// From an element to others that pass a test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleStep {
    pub(crate) axis: Axis,
    pub(crate) test: u8,
}

/// Where a step leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Axis {
    /// The element.
    #[default]
    Itself,
    /// Its children.
    Child,
    /// All below it, in document order.
    Within,
    /// Its siblings before it, the nearest first.
    Before,
}

/// A test of an element.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// Its name is one of these; any name where there is none.
    pub(crate) tags: Vec<Tag>,
    /// One of these attributes fits, a bit each.
    pub(crate) attributes: u64,
    /// One of these patterns, where there are any.
    pub(crate) like: Vec<Glob>,
    /// The pattern has to fit the whole value, not one of its words.
    pub(crate) whole: bool,
}

impl RulePart {
    pub(crate) const COUNT: usize = 14;
    const ALL: [(RulePart, &'static str); RulePart::COUNT] = [
        (RulePart::Post, "post"),
        (RulePart::Text, "text"),
        (RulePart::TextLike, "text-like"),
        (RulePart::Title, "title"),
        (RulePart::Date, "date"),
        (RulePart::Author, "author"),
        (RulePart::Skip, "skip"),
        (RulePart::AuthorBox, "author-box"),
        (RulePart::Apart, "apart"),
        (RulePart::Heading, "heading"),
        (RulePart::Comment, "comment"),
        (RulePart::CommentAuthor, "comment-author"),
        (RulePart::CommentDate, "comment-date"),
        (RulePart::CommentText, "comment-text"),
    ];
}

/// Different tests that a rule file may have: a bit each.
pub(crate) const MOST_TESTS: usize = 128;

impl Rules {
    /// The rules of the paper, as printed.
    pub fn blogbuster() -> Rules {
        Rules::built_in("rules/blogbuster.toml", include_str!("../rules/blogbuster.toml"))
    }

    /// The rules that are used by default.
    pub fn default_rules() -> Rules {
        Rules::built_in("rules/default.toml", include_str!("../rules/default.toml"))
    }

    fn built_in(name: &str, text: &str) -> Rules {
        Rules::parse(Path::new(name), text).expect("the tests read the rule files that are built in")
    }

    /// Reads a rule file.
    ///
    /// # Errors
    /// When it cannot be read, or is not a rule file.
    pub fn read(path: &Path) -> Result<Rules, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read(path.to_owned(), source))?;
        Rules::parse(path, &text)
    }

    /// Reads the text of a rule file; the path is for errors.
    ///
    /// # Errors
    /// When it is not a rule file.
    pub fn parse(path: &Path, text: &str) -> Result<Rules, Error> {
        let file: File =
            toml::from_str(text).map_err(|source| Error::Syntax(path.to_owned(), Box::new(source)))?;
        let mut rules = Rules {
            name: file.name,
            structure: file.structure,
            parts: Default::default(),
            platforms: Vec::new(),
            tests: Vec::new(),
        };
        let parts = [
            file.post,
            file.text,
            file.text_like,
            file.title,
            file.date,
            file.author,
            file.skip,
            file.author_box,
            file.apart,
            file.heading,
            file.comment,
            file.comment_author,
            file.comment_date,
            file.comment_text,
        ];
        for ((part, name), given) in RulePart::ALL.into_iter().zip(parts) {
            for (number, rule) in given.iter().enumerate() {
                let place = format!("{name} rule {}", number + 1);
                let rule = rules.rule(path, &place, rule)?;
                rules.parts[part as usize].push(rule);
            }
        }
        for platform in file.platform {
            let place = format!("platform {}", platform.name);
            let mark = platform
                .mark
                .map(|mark| rules.step(path, &place, &mark))
                .transpose()?;
            rules.platforms.push(Signature {
                generator: platform.generator.iter().map(|text| Glob::new(text)).collect(),
                mark: mark.map(|step| step.test),
                name: platform.name,
            });
        }
        match rules.tests.len() {
            count if count > MOST_TESTS => Err(Error::TooMany {
                path: path.to_owned(),
                count,
                most: MOST_TESTS,
            }),
            _ => Ok(rules),
        }
    }

    /// The rules of a part.
    pub(crate) fn of(&self, part: RulePart) -> &[Rule] {
        &self.parts[part as usize]
    }

    fn rule(&mut self, path: &Path, place: &str, rule: &RuleFields) -> Result<Rule, Error> {
        if rule.steps.is_empty() {
            return Err(Error::Empty(path.to_owned(), place.to_owned()));
        }
        let steps = rule.steps.iter().map(|step| self.step(path, place, step));
        Ok(Rule {
            steps: steps.collect::<Result<_, _>>()?,
        })
    }

    fn step(&mut self, path: &Path, place: &str, step: &StepFields) -> Result<RuleStep, Error> {
        let unknown = |kind, name: &String| Error::Name {
            path: path.to_owned(),
            place: place.to_owned(),
            kind,
            name: name.clone(),
        };
        let tags = step.tags.iter().map(|name| match Tag::from_name(name) {
            Tag::Other => Err(unknown("element", name)),
            tag => Ok(tag),
        });
        let tags = tags.collect::<Result<_, _>>()?;
        let mut attributes = 0;
        for name in &step.attributes {
            attributes |= match name.as_str() {
                "*" => u64::MAX,
                name_text => match Attr::from_name(name_text) {
                    Some(attribute) => 1u64 << attribute as u8,
                    None => return Err(unknown("attribute that is kept", name)),
                },
            };
        }
        self.tests.push(Test {
            tags,
            attributes,
            like: step.like.iter().map(|text| Glob::new(text)).collect(),
            whole: step.whole,
        });
        // Too many rules are an error after all are read.
        let test = (self.tests.len() - 1).min(u8::MAX as usize) as u8;
        Ok(RuleStep {
            axis: step.axis,
            test,
        })
    }
}

/// A rule file as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    name: String,
    #[serde(default)]
    structure: bool,
    #[serde(default)]
    post: Vec<RuleFields>,
    #[serde(default)]
    text: Vec<RuleFields>,
    #[serde(default)]
    text_like: Vec<RuleFields>,
    #[serde(default)]
    title: Vec<RuleFields>,
    #[serde(default)]
    date: Vec<RuleFields>,
    #[serde(default)]
    author: Vec<RuleFields>,
    #[serde(default)]
    skip: Vec<RuleFields>,
    #[serde(default)]
    author_box: Vec<RuleFields>,
    #[serde(default)]
    apart: Vec<RuleFields>,
    #[serde(default)]
    heading: Vec<RuleFields>,
    #[serde(default)]
    comment: Vec<RuleFields>,
    #[serde(default)]
    comment_author: Vec<RuleFields>,
    #[serde(default)]
    comment_date: Vec<RuleFields>,
    #[serde(default)]
    comment_text: Vec<RuleFields>,
    #[serde(default)]
    platform: Vec<PlatformFields>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFields {
    steps: Vec<StepFields>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFields {
    #[serde(default)]
    axis: Axis,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default = "class_and_id")]
    attributes: Vec<String>,
    #[serde(default)]
    like: Vec<String>,
    #[serde(default)]
    whole: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlatformFields {
    name: String,
    #[serde(default)]
    generator: Vec<String>,
    mark: Option<StepFields>,
}

fn class_and_id() -> Vec<String> {
    vec!["class".to_owned(), "id".to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Rules, String> {
        Rules::parse(Path::new("own.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn the_rule_files_that_are_built_in_can_be_read() {
        assert_eq!(Rules::blogbuster().of(RulePart::Title).len(), 4);
        assert!(Rules::default_rules().platforms.len() > 10);
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_place() {
        let step = |step: &str| format!("name = \"own\"\n[[title]]\nsteps = [{step}]\n");
        let cases = [
            (
                step("{ tags = [\"dvi\"] }"),
                "own.toml: title rule 1: there is no element 'dvi'",
            ),
            (
                step("{ attributes = [\"onclick\"] }"),
                "own.toml: title rule 1: there is no attribute that is kept 'onclick'",
            ),
            (step(""), "own.toml: title rule 1 has no steps"),
            (step("{ tag = \"p\" }"), "unknown field `tag`"),
            (
                format!("name = \"own\"\n{}", "[[skip]]\nsteps = [{}]\n".repeat(200)),
                "own.toml has 200 steps; 128 are the most",
            ),
        ];
        for (text, sentence) in cases {
            let error = parse(&text).unwrap_err();
            assert!(error.contains(sentence), "{error}");
        }
    }
}
