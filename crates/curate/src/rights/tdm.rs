//! The TDM Reservation Protocol: final report of the W3C's community group, 10 May 2024.

use robotxt::Robots;
use serde_json::Value;
use url::{Position, Url};

use super::row::{FoundIn, Permission, RightsRow, RightsSignal, shortened};

/// Maximum bytes of a tdmrep.json; a longer one is not read.
const BYTES: usize = 1 << 20;
/// Maximum rules that are read.
const RULES: usize = 1000;

/// The row of `tdm-reservation` (section "tdm-reservation"): `1` reserves the rights that training needs, `0` does not; any
/// other value counts as none.
pub(super) fn reservation(value: &str, found: FoundIn) -> RightsRow {
    let first = value.split(',').next().unwrap_or_default().trim();
    let train = match first {
        "0" => Permission::Allowed,
        "1" => Permission::Forbidden,
        _ => Permission::Unknown,
    };
    let row = RightsRow::new(
        RightsSignal::TdmReservation,
        shortened(first),
        value.trim(),
        found,
    );
    row.meaning((Permission::Unknown, train))
}

/// The row of `tdm-policy`, an address that may be relative.
pub(super) fn policy(value: &str, base: Option<&Url>, found: FoundIn) -> RightsRow {
    let value = value.trim();
    RightsRow::new(
        RightsSignal::TdmPolicy,
        super::absolute(value, base),
        value,
        found,
    )
}

/// The rules of a tdmrep.json (section "TDM File on the Origin Server").
#[derive(Clone, Debug, Default)]
pub(super) struct TdmRep {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    location: String,
    /// What decides whether a path is of the location.
    matcher: Robots,
    reservation: String,
    policy: Option<String>,
}

impl TdmRep {
    /// Reads a file: an array of rules, or one rule alone. `None` if it is no such file, or has no rule.
    pub(super) fn parse(body: &[u8]) -> Option<TdmRep> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        if body.len() > BYTES {
            return None;
        }
        let text = String::from_utf8_lossy(body);
        let values = match serde_json::from_str(&text).ok()? {
            Value::Array(values) => values,
            value => vec![value],
        };
        let rules: Vec<Rule> = values.iter().filter_map(Rule::of).take(RULES).collect();
        (!rules.is_empty()).then_some(TdmRep { rules })
    }

    /// The rows of all rules.
    pub(super) fn rows(&self, base: Option<&Url>) -> Vec<RightsRow> {
        self.rules.iter().flat_map(|rule| rule.rows(base)).collect()
    }

    /// The rows of the rule for a page: the first that matches.
    pub(super) fn rows_of(&self, url: &Url) -> Vec<RightsRow> {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let mut rules = self.rules.iter();
        let rule = rules.find(|rule| rule.matcher.matching_rule(path).is_some());
        rule.map_or_else(Vec::new, |rule| rule.rows(Some(url)))
    }
}

impl Rule {
    /// A rule has a location and a reservation.
    fn of(value: &Value) -> Option<Rule> {
        let location = value.get("location")?.as_str()?.trim();
        let reservation = match value.get("tdm-reservation")? {
            Value::Number(number) => number.as_f64().map(|number| number.to_string())?,
            Value::String(text) => text.trim().to_owned(),
            _ => return None,
        };
        let policy = value.get("tdm-policy").and_then(Value::as_str);
        Some(Rule {
            location: location.to_owned(),
            matcher: super::robots_txt::pattern(&path_of(location)),
            reservation,
            policy: policy.map(str::to_owned),
        })
    }

    fn rows(&self, base: Option<&Url>) -> Vec<RightsRow> {
        let at = |row: RightsRow| {
            let stated = format!("{} {}", shortened(&self.location), row.stated);
            RightsRow {
                stated: shortened(&stated).to_owned(),
                ..row
            }
        };
        let reservation = at(reservation(&self.reservation, FoundIn::TdmRep));
        // Where nothing is reserved, a policy is not to be read.
        let policy = self.policy.as_deref().filter(|_| reservation.value == "1");
        let policy = policy.map(|policy| at(self::policy(policy, base, FoundIn::TdmRep)));
        [Some(reservation), policy].into_iter().flatten().collect()
    }
}

/// The path of a location, which some files give as a whole address.
fn path_of(location: &str) -> String {
    let is_address = location.starts_with("http://") || location.starts_with("https://");
    let url = Url::parse(location).ok().filter(|_| is_address);
    url.map_or_else(
        || location.to_owned(),
        |url| url[Position::BeforePath..Position::AfterQuery].to_owned(),
    )
}
