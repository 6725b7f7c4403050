//! Columns, rejects and clusters.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::search::{Served, served};

#[test]
fn columns_are_those_that_filters_and_histograms_know() {
    let Served { client, .. } = &served();
    let answer = client.get("/api/columns");
    let columns = answer["columns"].as_array().unwrap();
    let kind = |name: &str| {
        let column = columns.iter().find(|column| column["name"] == name);
        column.map(|column| column["kind"].as_str().unwrap())
    };
    assert_eq!(kind("word_count"), Some("number"));
    assert_eq!(kind("published"), Some("category"));
    assert_eq!(kind("http_status"), Some("category"));
    assert_eq!(kind("signals.words"), Some("number"));
    assert_eq!(kind("rights.train"), Some("category"));
    assert_eq!(
        (kind("text"), kind("row_id"), kind("signals.url")),
        (None, None, None)
    );
    for column in columns {
        let name = column["name"].as_str().unwrap();
        assert!(column["comment"].as_str().unwrap().ends_with('.'));
        let histogram = client.get(&format!("/api/histogram?column={name}"));
        assert_eq!(
            (&histogram["column"], &histogram["rows"]),
            (&column["name"], &Value::from(300))
        );
        assert_eq!(histogram["bins"].is_array(), column["kind"] == "number", "{name}");
        let least = format!(
            "/api/documents?limit=1&{}.{name}=0",
            if column["kind"] == "number" { "min" } else { "is" }
        );
        client.get(&least);
    }
}

#[test]
fn limits_of_rule_sets_stand_beside_the_bins() {
    let Served { client, .. } = &served();
    let limits = client.get("/api/histogram?column=signals.words")["limits"].clone();
    let gopher = limits
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["of"][0] == "Gopher")
        .unwrap();
    assert_eq!(
        (&gopher["limit"], &gopher["allowed"]),
        (&Value::from(50.0), &Value::from("at least 50"))
    );
    assert_eq!(
        client.get("/api/histogram?column=word_count")["limits"],
        Value::Array(Vec::new())
    );
}

#[test]
fn rejects_are_counted_and_listed_by_reason() {
    let Served { client, rows, .. } = &served();
    let answer = client.get("/api/rejects?limit=1");
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    rows.rejects
        .iter()
        .for_each(|row| *counts.entry(&row.reason).or_default() += 1);
    let reasons = answer["reasons"].as_array().unwrap();
    let listed = reasons
        .iter()
        .map(|own| (own["reason"].as_str().unwrap(), own["count"].as_u64().unwrap()));
    assert_eq!(listed.collect::<BTreeMap<_, _>>(), counts);
    assert!(reasons.is_sorted_by(|one, other| one["count"].as_u64() >= other["count"].as_u64()));
    for reason in [None, Some("status")] {
        let query = reason.map_or(String::new(), |reason| format!("&reason={reason}"));
        let mut found = Vec::new();
        let mut cursor = String::new();
        loop {
            let answer = client.get(&format!("/api/rejects?limit=47{query}{cursor}"));
            found.extend(
                answer["rejects"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| row["detail"].clone()),
            );
            let Some(next) = answer["next"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        let own = rows
            .rejects
            .iter()
            .filter(|row| reason.is_none_or(|reason| row.reason == reason));
        assert_eq!(
            found,
            own.map(|row| Value::from(&*row.detail)).collect::<Vec<_>>()
        );
    }
}

#[test]
fn clusters_are_listed_with_their_documents_and_differences() {
    let Served { client, rows, .. } = &served();
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let answer = client.get(&format!("/api/clusters?limit=13{cursor}"));
        found.extend(answer["clusters"].as_array().unwrap().iter().cloned());
        let Some(next) = answer["next"].as_str() else {
            break;
        };
        cursor = format!("&cursor={next}");
    }
    let survivors = rows.duplicates.iter().filter(|row| row.survivor);
    let mut expected: Vec<_> = survivors.map(|row| (row.cluster_size, &*row.cluster)).collect();
    expected.sort_by(|one, other| (other.0, one.1).cmp(&(one.0, other.1)));
    let listed: Vec<_> = found
        .iter()
        .map(|own| (own["size"].as_u64().unwrap(), own["cluster"].as_str().unwrap()))
        .collect();
    assert_eq!(listed, expected);
    let document = |id: &str| &rows.documents.iter().find(|(_, own)| own.row_id == id).unwrap().1;
    for cluster in &found[..20] {
        let id = cluster["cluster"].as_str().unwrap();
        assert_eq!(cluster["url"], *document(id).url);
        let answer = client.get(&format!("/api/clusters/{id}"));
        let members = answer["members"].as_array().unwrap();
        assert_eq!(
            (members.len() as u64, &members[0]["survivor"]),
            (cluster["size"].as_u64().unwrap(), &Value::Bool(true))
        );
        assert!(members[0]["diff"].is_null());
        for member in &members[1..] {
            let parts = member["diff"].as_array().unwrap();
            let without = |op: &str| -> String {
                parts
                    .iter()
                    .filter(|part| part["op"] != op)
                    .map(|part| part["text"].as_str().unwrap())
                    .collect()
            };
            let own = document(member["row_id"].as_str().unwrap());
            assert_eq!(
                (without("only_there"), without("only_here")),
                (own.text.clone(), document(id).text.clone())
            );
        }
        let (first, rest) = (
            client.get(&format!("/api/clusters/{id}?limit=1")),
            members[1..].to_vec(),
        );
        let next = first["next"].as_str().unwrap();
        assert_eq!(
            client.get(&format!("/api/clusters/{id}?cursor={next}"))["members"],
            Value::Array(rest)
        );
    }
}
