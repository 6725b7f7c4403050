//! Search, filters, orders and cursors beside the twin.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::client::{Client, path};
use crate::made::{self, Made, Rows, made};
use crate::twin::{Parameters, counts, number, sort, wanted};

/// A corpus that is served, and its rows.
pub(crate) struct Served {
    pub(crate) client: Client,
    pub(crate) rows: Rows,
    _made: Made,
}

pub(crate) fn served() -> Served {
    let rows = made::rows(7, 300);
    let made = made(&rows);
    Served {
        client: Client::start(Some(made.open()), None),
        rows,
        _made: made,
    }
}

/// All pages of a list, by their cursors.
fn all(client: &Client, of: &str, parameters: &Parameters, list: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut parameters = parameters.clone();
    loop {
        let answer = client.get(&path(of, &parameters));
        found.extend(answer[list].as_array().unwrap().iter().cloned());
        assert_eq!(
            answer.get("complete").unwrap_or(&Value::Bool(true)),
            &Value::Bool(true)
        );
        let Some(next) = answer["next"].as_str() else {
            return found;
        };
        parameters.retain(|(name, _)| name != "cursor");
        parameters.push(("cursor".to_owned(), next.to_owned()));
    }
}

fn ids(documents: &[Value]) -> Vec<&str> {
    documents
        .iter()
        .map(|document| document["row_id"].as_str().unwrap())
        .collect()
}

/// A filter with one of some values.
fn filter(name: &'static str, values: &'static [&'static str]) -> BoxedStrategy<(String, String)> {
    select(values)
        .prop_map(move |value| (name.to_owned(), value.to_owned()))
        .boxed()
}

fn filters() -> impl Strategy<Value = Parameters> {
    let one = prop_oneof![
        filter(
            "q",
            &[
                "tide",
                "tide*",
                "*IDE",
                "*id*",
                "STRASSE",
                "straße hafen",
                "σΑς",
                "東",
                "rust",
                "rus",
                "e",
                "the of diary 1980",
                "none",
                ".",
                "*",
                "\"the tide\"",
                "\"of the-tide ",
                "hafen \"東京 of\"1980",
                "\"ust语言\""
            ]
        ),
        filter(
            "url",
            &[
                "https://sea.example/",
                "https://www.sea.example/Tides/",
                "http://",
                "sea",
                "Tides",
                "ü",
                "/1"
            ]
        ),
        filter("site", &["sea.example", "a.test", "c.test"]),
        filter("kind", &["article", "blog", "none"]),
        filter("language", &["deu", "eng", "fra"]),
        filter("survivor", &["true", "false"]),
        filter("min_words", &["0", "20", "1000"]),
        filter("max_words", &["0", "5"]),
        filter("min_confidence", &["0", "0.65", "0.58", "1"]),
        filter("max.confidence", &["0.29", "0.57"]),
        filter("min.word_count", &["12", "30.5"]),
        filter("above.word_count", &["0", "12"]),
        filter("below.word_count", &["10.5", "20"]),
        filter("above.confidence", &["0.29", "0.58", "1"]),
        filter("below.confidence", &["0.29", "0.58", "0"]),
        filter("is.page_kind", &["article"]),
        filter("is.http_status", &["200", "404"]),
        filter("is.signals.gopher", &["word-count"]),
        filter("is.signals.languages", &["deu_Latn", "eng_Latn"]),
        filter("min.signals.words", &["1500"]),
        filter("below.signals.mean_word_length", &["0", "8.5"]),
        filter("is.rights.train", &["forbidden", "unknown"]),
    ];
    prop::collection::vec(one, 0..4).prop_map(|mut all| {
        all.sort();
        all.dedup_by(|one, other| one.0 == other.0);
        all
    })
}

fn check_documents(
    served: &Served,
    filters: &Parameters,
    order: &str,
    limit: &str,
) -> Result<(), TestCaseError> {
    let mut expected = wanted(&served.rows, filters);
    // (A page of one row is a request.)
    prop_assume!(limit != "1" || expected.len() < 12);
    sort(&served.rows, &mut expected, order);
    let mut parameters = filters.clone();
    parameters.push(("sort".to_owned(), order.to_owned()));
    parameters.push(("limit".to_owned(), limit.to_owned()));
    let found = all(&served.client, "/api/documents", &parameters, "documents");
    let expected: Vec<&str> = expected
        .iter()
        .map(|page| &*served.rows.documents[*page].1.row_id)
        .collect();
    prop_assert_eq!(ids(&found), expected);
    Ok(())
}

fn check_histograms(served: &Served, filters: &Parameters) -> Result<(), TestCaseError> {
    let pages = wanted(&served.rows, filters);
    let histogram = |column: &str| {
        let mut parameters = filters.clone();
        parameters.push(("column".to_owned(), column.to_owned()));
        served.client.get(&path("/api/histogram", &parameters))
    };
    let categories = |column: &str, values: &dyn Fn(usize) -> Vec<String>| {
        let answer = histogram(column);
        let named = answer["values"].as_array().unwrap().iter();
        let named: BTreeMap<String, u64> = named
            .map(|own| {
                (
                    own["value"].as_str().unwrap().to_owned(),
                    own["count"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            named,
            counts(pages.iter().flat_map(|page| values(*page))),
            "{column}"
        );
        let missing = pages.iter().filter(|page| values(**page).is_empty()).count();
        assert_eq!(
            (answer["rows"].as_u64(), answer["missing"].as_u64()),
            (Some(pages.len() as u64), Some(missing as u64)),
            "{column}"
        );
        assert_eq!(answer["others"], 0);
    };
    categories("site", &|page| vec![served.rows.documents[page].1.site.clone()]);
    categories("page_kind", &|page| {
        served.rows.documents[page].1.page_kind.iter().cloned().collect()
    });
    categories("signals.languages", &|page| {
        let mut own = served.rows.signals[page].languages.clone();
        own.sort();
        own.dedup();
        own
    });
    categories("rights.train", &|page| {
        let id = &served.rows.documents[page].1.row_id;
        let own = served
            .rows
            .rights
            .iter()
            .filter(|row| row.row_id == *id)
            .map(|row| row.train.to_string());
        own.collect::<BTreeSet<_>>().into_iter().collect()
    });
    for column in NUMBERS {
        let answer = histogram(column);
        let bins = answer["bins"].as_array().unwrap();
        let sum: u64 = bins.iter().map(|bin| bin["count"].as_u64().unwrap()).sum();
        let has = |page: &&usize| {
            let (document, signals) = (&served.rows.documents[**page].1, &served.rows.signals[**page]);
            number(column, document, signals).is_some()
        };
        prop_assert_eq!(sum, pages.iter().filter(has).count() as u64, "{}", column);
        prop_assert_eq!(answer["missing"].as_u64(), Some(pages.len() as u64 - sum));
    }
    Ok(())
}

const NUMBERS: [&str; 6] = [
    "word_count",
    "confidence",
    "signals.words",
    "signals.mean_word_length",
    "signals.alphabetic_tokens",
    "signals.top_2_gram",
];

/// A bar, or a name, is found again by its filters, and by nothing less.
fn check_bar(served: &Served, filters: &Parameters, column: &str, bar: usize) -> Result<(), TestCaseError> {
    let mut parameters = filters.clone();
    parameters.push(("column".to_owned(), column.to_owned()));
    let answer = served.client.get(&path("/api/histogram", &parameters));
    let bars = ["bins", "values"].iter().find_map(|name| answer[name].as_array());
    let Some(bar) = bars.and_then(|bars| bars.get(bar % bars.len().max(1))) else {
        return Ok(());
    };
    let own = bar["filters"].as_object().unwrap();
    let own = own
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
    let with_own: Parameters = filters.iter().cloned().chain(own).collect();
    let expected = wanted(&served.rows, &with_own).len();
    prop_assert_eq!(bar["count"].as_u64(), Some(expected as u64), "{}", bar);
    let counted = served.client.get(&path("/api/count", &with_own));
    prop_assert_eq!(counted, json!({"count": expected, "complete": true}));
    let found = all(&served.client, "/api/documents", &with_own, "documents");
    prop_assert_eq!(found.len(), expected);
    Ok(())
}

#[test]
fn documents_are_those_of_the_twin() {
    let served = served();
    proptest!(ProptestConfig::with_cases(32), |(
        filters in filters(),
        order in select(&["url", "words", "-words", "confidence", "-confidence", "date", "-date"]),
        limit in select(&["1", "3", "50", "200"]),
    )| {
        check_documents(&served, &filters, order, limit)?;
    });
}

#[test]
fn histograms_are_those_of_the_twin() {
    let served = served();
    proptest!(ProptestConfig::with_cases(32), |(filters in filters())| {
        check_histograms(&served, &filters)?;
    });
}

#[test]
fn each_bar_is_found_by_its_filters() {
    let served = served();
    let of_names = [
        "site",
        "page_kind",
        "http_status",
        "crawl_date",
        "signals.gopher",
        "signals.languages",
        "rights.train",
    ];
    let columns: Vec<&str> = NUMBERS.into_iter().chain(of_names).collect();
    proptest!(ProptestConfig::with_cases(64), |(
        filters in filters(),
        column in select(columns.clone()),
        bar in 0..60_usize,
    )| {
        check_bar(&served, &filters, column, bar)?;
    });
    // (The made numbers have some of all kinds of bins.)
    let bins = |column: &str| served.client.get(&format!("/api/histogram?column={column}"))["bins"].clone();
    let filters = |bin: &Value| bin["filters"].clone();
    let lengths = bins("signals.mean_word_length");
    assert_eq!(
        filters(&lengths[0]),
        json!({"below.signals.mean_word_length": "0"})
    );
    let zero = json!({"min.signals.mean_word_length": "0", "max.signals.mean_word_length": "0"});
    assert_eq!(filters(&lengths[1]), zero);
    let first = json!({"above.signals.mean_word_length": "0", "below.signals.mean_word_length": "0.5"});
    assert_eq!(filters(&lengths[2]), first);
    let grams = bins("signals.top_2_gram");
    let third = json!({"min.signals.top_2_gram": "0.02", "below.signals.top_2_gram": "0.03"});
    assert_eq!(filters(&grams[3]), third);
    let last = bins("signals.alphabetic_tokens")
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(filters(&last), json!({"min.signals.alphabetic_tokens": "0.98"}));
    assert!(last["count"].as_u64().unwrap() > 20, "{last}");
}

#[test]
fn a_document_of_a_list_has_what_the_table_has() {
    let Served { client, rows, .. } = &served();
    let answer = client.get("/api/documents?limit=200");
    assert_eq!(answer["total"], 300);
    for found in answer["documents"].as_array().unwrap() {
        let id = found["row_id"].as_str().unwrap();
        let (_, document) = rows
            .documents
            .iter()
            .find(|(_, document)| document.row_id == id)
            .unwrap();
        assert_eq!(found["url"], *document.url);
        assert_eq!(found["title"].as_str(), document.title.as_deref());
        assert_eq!(found["page_kind"].as_str(), document.page_kind.as_deref());
        assert_eq!(found["word_count"], document.word_count);
        let confidence = document.confidence.map(|share| share.0);
        assert_eq!(found["confidence"].as_f64().map(|share| share as f32), confidence);
        let cluster = rows.duplicates.iter().find(|row| row.row_id == id);
        assert_eq!(
            found["cluster_size"].as_u64(),
            cluster.map(|row| row.cluster_size)
        );
        assert!(found["snippet"].is_null());
    }
    let found = client.get("/api/documents?q=STRASSE%20hafen&limit=5");
    assert_eq!(found["documents"].as_array().unwrap().len(), 0);
    let found = client.get("/api/documents?q=hafen&limit=5");
    for found in found["documents"].as_array().unwrap() {
        assert_eq!(found["snippet"][1].as_str().unwrap().to_lowercase(), "hafen");
    }
}

#[test]
fn all_of_one_document_is_there() {
    let Served { client, rows, .. } = &served();
    let (_, document) = &rows.documents[133];
    let id = &document.row_id;
    let answer = client.get(&format!("/api/documents/{id}"));
    assert_eq!(answer["document"]["text"], *document.text);
    assert_eq!(answer["document"]["charset"], "UTF-8");
    assert_eq!(answer["signals"]["words"], rows.signals[133].words);
    let rights: Vec<_> = rows.rights.iter().filter(|row| row.row_id == *id).collect();
    let is_forbidden = rights.iter().any(|row| row.train == "forbidden");
    match rights.is_empty() {
        true => assert!(answer["rights"].is_null()),
        false => {
            assert_eq!(
                answer["rights"]["signals"].as_array().unwrap().len(),
                rights.len()
            );
            assert_eq!(
                answer["rights"]["train"],
                if is_forbidden { "forbidden" } else { "allowed" }
            );
        }
    }
    let blocks = answer["blocks"].as_array().unwrap();
    let texts: Vec<&str> = blocks
        .iter()
        .map(|block| block["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, document.text.lines().collect::<Vec<_>>());
    for (number, block) in blocks.iter().enumerate() {
        assert_eq!(
            (&block["kept"], &block["probability"]),
            (&Value::Bool(number == 0), &Value::from(0.65))
        );
    }
    assert_eq!(answer["posts"], Value::Array(Vec::new()));
    assert_eq!(
        client.get(&format!("/api/documents/{id}/explain"))["row_id"],
        **id
    );
    assert_eq!(
        client.get(&format!("/api/documents/{id}/html"))["why"],
        "no archive was named"
    );
}

#[test]
fn what_is_wrong_is_said() {
    let Served { client, rows, .. } = &served();
    let refused = |path: &str, status: u16, part: &str| {
        let sentence = client.refused(path, status);
        assert!(sentence.contains(part), "{path}: {sentence}");
    };
    let none = "f".repeat(32);
    refused("/api/documents/nothing", 404, "there is no document 'nothing'");
    refused(
        &format!("/api/documents/{none}"),
        404,
        "the corpus may have been changed since it was listed",
    );
    refused(
        "/api/documents/..%2F..%2Fgleaner.json",
        404,
        "a row id has 32 hexadecimal digits",
    );
    refused("/api/documents/%FF/html", 400, "");
    refused("/api/documents/a/explain", 404, "there is no document 'a'");
    let id = &rows.documents[0].1.row_id;
    refused(
        &format!("/api/documents/{}", id.to_uppercase()),
        404,
        "a row id has 32 hexadecimal digits in lower case",
    );
    refused(
        "/api/documents/00000000000000000000000000000000/explain",
        404,
        "there is no such row",
    );
    refused(&format!("/api/clusters/{none}"), 404, "there is no cluster");
    refused("/api/clusters/a", 404, "there is no cluster 'a'");
    refused("/api/documents?langauge=deu", 400, "did you mean 'language'?");
    refused(
        "/api/documents?min.word-count=1",
        400,
        "did you mean 'word_count'?",
    );
    refused(
        "/api/documents?is.word_count=1",
        400,
        "test it with min.word_count",
    );
    refused("/api/documents?min.site=1", 400, "test it with is.site");
    refused(
        "/api/documents?min_words=many",
        400,
        "min_words is a whole number",
    );
    refused("/api/count?max_words=1.5", 400, "max_words is a whole number");
    refused("/api/count?sort=words", 400, "there is no parameter 'sort'");
    refused("/api/documents?q=a&q=b", 400, "'q' is given twice");
    refused("/api/documents?survivor=1", 400, "survivor is true or false");
    refused(
        "/api/documents?sort=size",
        400,
        "sort is one of url, words, -words, confidence, -confidence, date, -date",
    );
    refused("/api/documents?limit=1000", 400, "from 1 to 200");
    refused("/api/documents?cursor=abc", 400, "the cursor is none");
    refused("/api/histogram", 400, "/api/columns lists the names");
    refused("/api/histogram?column=text", 400, "there is no column 'text'");
    refused("/api/rejects?reason=statu", 400, "did you mean 'status'?");
    for path in [
        "/api/columns",
        &format!("/api/documents/{id}"),
        &format!("/api/documents/{id}/explain"),
        &format!("/api/documents/{id}/html"),
        "/api/session",
        "/api/pages/0",
    ] {
        refused(
            &format!("{path}?verbose=1"),
            400,
            &format!("there is no parameter 'verbose': {path} takes none"),
        );
    }
    let alone = Client::start(None, None);
    assert!(alone.refused("/api/documents", 404).contains("no corpus is open"));
    assert!(alone.refused("/api/pages", 404).contains("no pages to label"));
}

#[test]
fn a_cursor_is_of_its_own_list() {
    let Served { client, .. } = &served();
    let next = |path: &str| client.get(path)["next"].as_str().unwrap().to_owned();
    let of_another = "the cursor is of another list, or of other filters or another order";
    let words = next("/api/documents?sort=words&is.page_kind=article");
    for path in [
        "/api/documents?is.page_kind=article",
        "/api/documents?sort=words",
        "/api/documents?sort=words&is.page_kind=blog",
        "/api/documents?sort=-words&is.page_kind=article",
        "/api/clusters?limit=50",
        "/api/rejects?limit=50",
    ] {
        let sentence = client.refused(&format!("{path}&cursor={words}"), 400);
        assert!(sentence.starts_with(of_another), "{path}: {sentence}");
    }
    // Each part of a list may have another length.
    client.get(&format!(
        "/api/documents?is.page_kind=article&sort=words&limit=7&cursor={words}"
    ));
    let clusters = client.get("/api/clusters")["clusters"].clone();
    let [one, other] = [0, 1].map(|number| clusters[number]["cluster"].as_str().unwrap());
    let members = next(&format!("/api/clusters/{one}?limit=1"));
    let sentence = client.refused(&format!("/api/clusters/{other}?cursor={members}"), 400);
    assert!(sentence.starts_with(of_another), "{sentence}");
}

#[test]
fn a_corpus_that_is_changed_or_removed_meanwhile_is_no_fault_of_the_program() {
    let rows = made::rows(3, 60);
    let made = made(&rows);
    let client = Client::start(Some(made.open()), None);
    let id = &rows.documents[0].1.row_id;
    let paths = [
        "/api/documents",
        "/api/count?min_words=1",
        "/api/histogram?column=word_count",
        &format!("/api/documents/{id}"),
    ];
    for path in paths {
        client.get(path);
    }
    let folder = made.folder.path();
    std::fs::rename(folder.join("documents"), folder.join("elsewhere")).unwrap();
    for path in paths {
        let sentence = client.refused(path, 409);
        assert!(
            sentence.starts_with("the corpus was changed while it was read, '")
                && sentence.contains("documents"),
            "{path}: {sentence}"
        );
    }
    std::fs::rename(folder.join("elsewhere"), folder.join("documents")).unwrap();
    client.get("/api/documents");
    // While it is built again, what is read by the newest version alone has to wait.
    let marker = folder.join("gleaner.json");
    let complete = std::fs::read_to_string(&marker).unwrap();
    std::fs::write(&marker, complete.replace("\"complete\"", "\"building\"")).unwrap();
    client.get("/api/documents");
    let sentence = client.refused(paths[3], 409);
    assert!(sentence.contains("is not complete"), "{sentence}");
    std::fs::remove_file(marker).unwrap();
    let html = format!("/api/documents/{id}/html");
    for path in paths.into_iter().chain(["/api/session", "/api/columns", &html]) {
        let sentence = client.refused(path, 404);
        assert!(sentence.contains("is gone: build it again"), "{path}: {sentence}");
    }
}

#[test]
fn a_newer_version_is_shown_and_cursors_go_on_in_it() {
    let mut rows = made::rows(11, 120);
    let made = made(&rows);
    let client = Client::start(Some(made.open()), None);
    assert_eq!(client.get("/api/session")["corpus"]["documents"], 120);
    let first = client.get("/api/documents?limit=50");
    let shown: Vec<String> = ids(first["documents"].as_array().unwrap())
        .into_iter()
        .map(str::to_owned)
        .collect();
    // Every third document is gone, the last of the answer among them.
    let keep = |number: usize| (number + 1) % 3 != 50 % 3;
    let mut number = 0..;
    rows.documents.retain(|_| keep(number.next().unwrap()));
    let mut number = 0..;
    rows.signals.retain(|_| keep(number.next().unwrap()));
    rows.duplicates.clear();
    made::write(made.folder.path(), &rows);
    let next = first["next"].as_str().unwrap();
    let rest = all(
        &client,
        "/api/documents",
        &vec![("cursor".to_owned(), next.to_owned())],
        "documents",
    );
    let left: Vec<&str> = rows
        .documents
        .iter()
        .map(|(_, document)| &*document.row_id)
        .collect();
    let place = left
        .iter()
        .filter(|id| shown.iter().any(|own| own == **id))
        .count();
    assert!(!left.contains(&&*shown[49]));
    assert_eq!(ids(&rest), left[place..]);
    assert_eq!(client.get("/api/session")["corpus"]["documents"], left.len());
}
