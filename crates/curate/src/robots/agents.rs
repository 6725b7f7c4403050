//! The crawlers whose rules count, from a file.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::{fs, io};

use serde::Deserialize;

use super::lines::is_product;

/// The names of crawlers, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agents(Vec<String>);

/// Why a file of agents cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadAgents {
    /// It cannot be read.
    #[error("could not read '{0}': {1}")]
    Read(String, #[source] io::Error),
    /// It is no such file.
    #[error("could not read '{0}': {1}: write agents = [\"GPTBot\", ...], a list of names")]
    Format(String, String),
    /// It has no name.
    #[error("'{0}' names no agent: write agents = [\"GPTBot\", ...]")]
    Empty(String),
    /// A name that no agent can have.
    #[error(
        "'{0}' has the agent '{1}': write the name by which a robots.txt addresses it, of letters, digits, '-', '_' and '.', such as GPTBot"
    )]
    Name(String, String),
}

/// The list of the repository.
const BUILT_IN: &str = include_str!("../../../../jobs/agents.toml");

impl Default for Agents {
    /// Those of `jobs/agents.toml`: crawlers that collect pages to train language models, or for answers of these.
    fn default() -> Agents {
        Agents::parse("jobs/agents.toml", BUILT_IN).expect("a test reads the list")
    }
}

/// Names with commas between them, as [`FromStr`] reads them.
impl fmt::Display for Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

/// A file, which has the extension `toml` or a folder before its name; else names with commas between them.
///
/// ```
/// use gleaner_curate::Agents;
///
/// let agents: Agents = "GPTBot,CCBot".parse()?;
/// assert_eq!(agents.to_string(), "CCBot,GPTBot");
/// # Ok::<(), gleaner_curate::BadAgents>(())
/// ```
impl FromStr for Agents {
    type Err = BadAgents;

    fn from_str(text: &str) -> Result<Agents, BadAgents> {
        let path = Path::new(text);
        let is_file = text.contains(['/', std::path::MAIN_SEPARATOR])
            || path.extension().is_some_and(|extension| extension == "toml");
        match is_file {
            true => Agents::read(path),
            false => Agents::of_names(
                "--agents",
                text.split(',').map(|name| name.trim().to_owned()).collect(),
            ),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    agents: Vec<String>,
}

impl Agents {
    /// Reads a file such as `jobs/agents.toml`.
    ///
    /// # Errors
    /// It cannot be read, is no such file, or names no agent.
    pub fn read(path: &Path) -> Result<Agents, BadAgents> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| BadAgents::Read(name.clone(), error))?;
        Agents::parse(&name, &text)
    }

    /// Reads the text of a file of this name.
    ///
    /// # Errors
    /// It is no such file, or names no agent.
    pub fn parse(name: &str, text: &str) -> Result<Agents, BadAgents> {
        let bad = |error: toml::de::Error| {
            let line = text[..error.span().map_or(0, |span| span.start)]
                .matches('\n')
                .count()
                + 1;
            BadAgents::Format(name.to_owned(), format!("{} in line {line}", error.message()))
        };
        Agents::of_names(name, toml::from_str::<File>(text).map_err(bad)?.agents)
    }

    /// Of these names, which a file or an option with this name has.
    fn of_names(name: &str, mut agents: Vec<String>) -> Result<Agents, BadAgents> {
        if let Some(wrong) = agents
            .iter()
            .find(|agent| agent.is_empty() || !agent.bytes().all(is_product))
        {
            return Err(BadAgents::Name(name.to_owned(), wrong.clone()));
        }
        // Lists that differ in order and case are one: rules have the same bytes.
        agents.sort_by_key(|agent| agent.to_ascii_lowercase());
        agents.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
        match agents.is_empty() {
            true => Err(BadAgents::Empty(name.to_owned())),
            false => Ok(Agents(agents)),
        }
    }

    /// The names.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}
