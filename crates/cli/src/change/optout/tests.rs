use gleaner_curate::RobotsRecord;

use super::*;

const FORBIDS: &str = "user-agent: *\ndisallow: /a/\n";
const FORBIDS_MORE: &str = "user-agent: *\ndisallow: /\n";

fn agents(names: &[&str]) -> Agents {
    Agents::parse("", &format!("agents = {names:?}")).unwrap()
}

/// The numbers of the rules that are made, and that end, where a host has this robots.txt.
fn wished(rules: &[Rule], names: &[&str], time: i64, body: &str) -> (usize, Vec<usize>) {
    let mut newest = NewestRobots::new(agents(names));
    newest.add(
        "a.example",
        Some(time),
        &format!("<urn:{time}>"),
        200,
        body.as_bytes(),
    );
    let mut wishes = Wishes::new(rules);
    wishes.take(newest, &agents(names));
    (wishes.made.len(), wishes.ended)
}

fn rule(names: &[&str], time: i64, body: &str, until: Option<u64>) -> Rule {
    let record = RobotsRecord {
        time: Some(time),
        record_id: format!("<urn:{time}>"),
        body: Some(body.to_owned()),
    };
    let matcher = RobotsMatcher::new("a.example", &agents(names), record).unwrap();
    Rule {
        id: Rule::id(1),
        kind: RuleKind::Optout,
        matcher: Matcher::Robots(matcher),
        since: 2,
        until,
        reason: REASON.to_owned(),
        source: None,
    }
}

#[test]
fn newer_robots_take_the_place_of_older_ones() {
    let open = [rule(&["ant", "bee"], 5, FORBIDS, None)];
    let wished_of = |names: &[&str], time, body| wished(&open, names, time, body);
    let same = &["ant", "bee"];
    assert_eq!(wished_of(same, 6, FORBIDS_MORE), (1, vec![0]));
    assert_eq!(wished_of(same, 6, ""), (0, vec![0]));
    // It is as it was, older, or the same.
    assert_eq!(wished_of(same, 6, FORBIDS), (0, vec![]));
    assert_eq!(wished_of(same, 4, FORBIDS_MORE), (0, vec![]));
    assert_eq!(wished_of(same, 5, FORBIDS), (0, vec![]));
    // Other agents: a rule ends only where all of its agents are asked for.
    assert_eq!(wished_of(&["ant", "bee", "cow"], 5, FORBIDS), (1, vec![0]));
    assert_eq!(wished_of(&["ant", "bee", "cow"], 4, FORBIDS), (1, vec![]));
    assert_eq!(wished_of(&["ant"], 6, ""), (0, vec![]));
    assert_eq!(wished_of(&["ant"], 6, FORBIDS_MORE), (1, vec![]));
}

#[test]
fn a_rule_that_has_ended_does_not_come_back() {
    let ended = [rule(&["ant"], 5, FORBIDS, Some(3))];
    assert_eq!(wished(&ended, &["ant"], 5, FORBIDS), (0, vec![]));
    assert_eq!(wished(&ended, &["ant"], 6, FORBIDS), (1, vec![]));
    assert_eq!(wished(&ended, &["ant"], 6, ""), (0, vec![]));
}
