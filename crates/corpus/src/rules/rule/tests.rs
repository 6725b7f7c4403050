use super::*;

fn rule(number: u64, kind: RuleKind, selectors: &[&str]) -> Rule {
    let selectors = Selector::parse_list("", &selectors.join("\n")).unwrap();
    Rule {
        id: Rule::id(number),
        kind,
        matcher: Matcher::names(kind, &selectors),
        since: 3,
        until: (kind == RuleKind::Remove).then_some(3),
        reason: "request".to_owned(),
        source: None,
    }
}

#[test]
fn rules_are_lines_in_one_form() {
    let remove = rule(
        2,
        RuleKind::Remove,
        &["b.example", "https://a.example/b", "a.example"],
    );
    let takedown = rule(10, RuleKind::Takedown, &["b.example", "record <urn:uuid:1>"]);
    let file = rules_file(vec![takedown.clone(), remove.clone()]).unwrap();
    let text = String::from_utf8(file.clone()).unwrap();
    let (first, second) = text.trim_end().split_once('\n').unwrap();
    assert_eq!(
        first,
        r#"{"id":"r2","kind":"remove","matcher":{"names":{"hashed":false,"names":["domain:example,a","domain:example,b","url:example,a):/b"]}},"since":3,"until":3,"reason":"request"}"#
    );
    assert_eq!(
        second,
        r#"{"id":"r10","kind":"takedown","matcher":{"names":{"hashed":true,"names":["domain:8ee4b55d5e4fd010eeeba4d7265111ab","record:cdf7a286372550ca162d23a7b325f6ef"]}},"since":3,"reason":"request"}"#
    );
    let digest = blake3::derive_key("gleaner: names in rules, version 1", b"domain:example,b");
    assert!(second.contains(&blake3::Hash::from(digest).to_string()[..32]));
    let read = read_rules(&file).unwrap();
    assert_eq!(read, [remove, takedown]);
    assert_eq!(rules_file(read).unwrap(), file);
    assert_eq!(rules_file(Vec::new()).unwrap(), b"");
    assert_eq!(read_rules(b"").unwrap(), []);
}

#[test]
fn damaged_rules_are_refused() {
    let line = |rule: Rule| rules_file(vec![rule]).unwrap();
    let mut file = line(rule(1, RuleKind::Remove, &["a.example"]));
    file.extend_from_slice(b"{\"id\":\"r2\"}\n");
    let message = read_rules(&file).unwrap_err().to_string();
    assert!(
        message.starts_with("line 2 of the rules is damaged (missing field `kind`"),
        "{message}"
    );
    for id in ["2", "r", "r02", "r-1", "R2", ""] {
        let rule = Rule {
            id: id.to_owned(),
            ..rule(1, RuleKind::Remove, &[])
        };
        assert_eq!(rules_file(vec![rule]), Err(BadRules::Id(id.to_owned())));
    }
    let twice = vec![rule(1, RuleKind::Remove, &[]), rule(1, RuleKind::Optout, &[])];
    assert_eq!(rules_file(twice), Err(BadRules::Twice("r1".to_owned())));
}
