//! ai.txt of Spawning: which media of a site may be in data sets for training, in the format of robots.txt
//! (site.spawning.ai/spawning-ai-txt).

use robotxt::Robots;
use url::Url;

use super::robots_txt::Groups;
use super::row::{FoundIn, Permission, RightsRow, RightsSignal, shortened};
use crate::Agents;
use crate::robots::prepared;

/// An ai.txt.
#[derive(Clone, Debug)]
pub(super) struct AiTxt {
    groups: Groups,
}

impl AiTxt {
    /// Reads a file. `None` if it has no rule.
    pub(super) fn parse(body: &[u8], agents: &Agents) -> Option<AiTxt> {
        let groups = Groups::parse(&prepared(body), agents);
        let has_rules = groups.rules().any(|rule| !rule.robots.rules().is_empty());
        has_rules.then_some(AiTxt { groups })
    }

    /// The rows of the site.
    pub(super) fn rows(&self) -> Vec<RightsRow> {
        let own = self.groups.rules().filter(|rule| !rule.robots.rules().is_empty());
        let rows = own.map(|rule| {
            let extent = rule.extent();
            let train = match extent {
                "allow" => Permission::Allowed,
                "disallow" => Permission::Forbidden,
                _ => Permission::Unknown,
            };
            let row = RightsRow::new(RightsSignal::AiTxt, extent, "", FoundIn::AiTxt);
            RightsRow {
                agents: rule.agents,
                ..row.meaning((Permission::Unknown, train))
            }
        });
        rows.collect()
    }

    /// The rows of a page: the rules that match it.
    pub(super) fn rows_of(&self, url: &Url) -> Vec<RightsRow> {
        let path = with_extension(url.path());
        let deciding = |robots: &Robots| {
            let rule = robots.matching_rule(&path)?;
            Some((rule.is_allow(), rule.pattern().to_owned()))
        };
        let rows = self.groups.rules().filter_map(|rule| {
            let (is_allowed, pattern) = deciding(rule.robots)?;
            let (value, train) = match is_allowed {
                true => ("allow", Permission::Allowed),
                false => ("disallow", Permission::Forbidden),
            };
            let stated = format!(
                "{}: {}",
                if is_allowed { "Allow" } else { "Disallow" },
                shortened(&pattern)
            );
            let row = RightsRow::new(RightsSignal::AiTxt, value, &stated, FoundIn::AiTxt);
            Some(RightsRow {
                agents: rule.agents,
                ..row.meaning((Permission::Unknown, train))
            })
        });
        rows.collect()
    }
}

/// A path with the extension of pages where it has none: rules of an ai.txt are about extensions (`Disallow: *.html`).
fn with_extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name {
        "" => format!("{path}index.html"),
        name if name.contains('.') => path.to_owned(),
        _ => format!("{path}.html"),
    }
}
