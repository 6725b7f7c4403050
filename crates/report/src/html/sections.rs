//! The sections of a report.

use gleaner_corpus::enumerations::{Meaning, PAGE_KINDS, REJECT_REASONS, RIGHTS_SIGNALS, TEXT_SOURCES};
use gleaner_document::html::escape;
use gleaner_export::{Count, Funnel};

use super::Section;
use super::charts::{histogram, years};
use super::table::{Cell, Table};
use crate::numbers::{
    Change, Duplicates, Group, NamesChange, Permissions, RecipeFunnel, Reject, Report, Rights, RuleSetFails,
    Site,
};
use crate::rule_sets::title;
use crate::words::{counted, grouped, percent};

/// Languages that are listed.
const LANGUAGES: usize = 30;

/// Archives and rules that are named.
const NAMED: usize = 20;

pub(crate) fn all(report: &Report) -> Vec<Section> {
    let section = |id, title, body| Section { id, title, body };
    let mut sections = vec![
        section("sites", "Sites", sites(report)),
        section("languages", "Languages and kinds of pages", languages(report)),
        section("years", "Years", all_years(report)),
        section("words", "Words kept and dropped, confidence", words(report)),
        section("rejects", "Rejects", rejects(&report.rejects)),
        section(
            "duplicates",
            "Duplicates",
            duplicates(&report.duplicates, report.totals.documents),
        ),
    ];
    if let Some(found) = &report.rights {
        sections.push(section(
            "rights",
            "Rights",
            rights(found, report.totals.documents),
        ));
    }
    sections.push(section("measures", "Measures of texts", measures(report)));
    if let Some(sets) = &report.rule_sets {
        sections.push(section(
            "rules",
            "Rule sets",
            rule_sets(sets, report.totals.documents),
        ));
    }
    if !report.recipes.is_empty() {
        sections.push(section(
            "recipes",
            "Recipes",
            report.recipes.iter().map(recipe).collect(),
        ));
    }
    if let Some(change) = &report.change {
        sections.push(section(
            "change",
            "What the last change did",
            self::change(change),
        ));
    }
    sections
}

fn sites(report: &Report) -> String {
    let list = |caption: &str, sites: &[Site], size: fn(&Site) -> u64| {
        let mut table = Table::new(caption, "Site");
        let most = sites.iter().map(size).max().unwrap_or(0);
        for site in sites {
            table.row(
                &site.site,
                [
                    ("", Cell::Bar(size(site), 0, most)),
                    ("Documents", Cell::count(site.documents)),
                    ("Words kept", Cell::count(site.kept_words)),
                    ("Words dropped", Cell::WideNumber(grouped(site.dropped_words))),
                ],
            );
        }
        table.html()
    };
    let of_first: u64 = report
        .sites
        .most_documents
        .iter()
        .map(|site| site.documents)
        .sum();
    format!(
        "<p>{}. The first {} by documents have {} of the documents.</p>\n<div class=\"pair\"><div>\n{}</div><div>\n{}</div></div>\n",
        counted(report.sites.count, "site"),
        report.sites.most_documents.len(),
        percent(of_first, report.totals.documents),
        list(
            "Sites with the most documents",
            &report.sites.most_documents,
            |site| site.documents
        ),
        list("Sites with the most words", &report.sites.most_words, |site| site
            .kept_words)
    )
}

/// Groups of documents as a table with bars; of more than can be listed the rest together.
fn groups(caption: &str, first: &str, none: &str, groups: &[Group], meanings: &[Meaning]) -> String {
    let all: u64 = groups.iter().map(|group| group.count.documents).sum();
    let most = groups
        .iter()
        .map(|group| group.count.documents)
        .max()
        .unwrap_or(0);
    let mut table = Table::new(caption, first);
    let mut row = |name: &str, count: Count| {
        table.row(
            name,
            [
                ("", Cell::Bar(count.documents, 0, most)),
                ("Documents", Cell::count(count.documents)),
                ("Share", Cell::Number(percent(count.documents, all))),
                ("Words", Cell::count(count.words)),
            ],
        );
    };
    let (listed, rest) = groups.split_at(groups.len().min(LANGUAGES));
    for group in listed {
        row(group.name.as_deref().unwrap_or(none), group.count);
    }
    if !rest.is_empty() {
        let sum = rest.iter().fold(Count::default(), |sum, group| Count {
            documents: sum.documents + group.count.documents,
            words: sum.words + group.count.words,
        });
        row(&format!("{} others", rest.len()), sum);
    }
    let listed = |meaning: &&Meaning| {
        groups
            .iter()
            .any(|group| group.name.as_deref() == Some(meaning.name))
    };
    table.html() + &explained(meanings.iter().filter(listed))
}

/// What names mean.
fn explained<'m>(meanings: impl Iterator<Item = &'m Meaning>) -> String {
    let items =
        meanings.map(|meaning| format!("<li>{}: {}</li>\n", escape(meaning.name), escape(meaning.meaning)));
    let items: String = items.collect();
    match items.is_empty() {
        true => items,
        false => format!("<details><summary>What the names mean</summary>\n<ul>\n{items}</ul></details>\n"),
    }
}

fn languages(report: &Report) -> String {
    let crawls = match report.crawls.is_empty() {
        true => String::new(),
        false => groups("Documents by crawl", "Crawl", "", &report.crawls, &[]),
    };
    format!(
        "<div class=\"pair\"><div>\n{}</div><div>\n{}{}{crawls}</div></div>\n",
        groups("Documents by language", "Language", "", &report.languages, &[]),
        groups(
            "Documents by kind of page",
            "Kind",
            "not known",
            &report.page_kinds,
            PAGE_KINDS
        ),
        groups(
            "Documents by source of the text",
            "Source",
            "",
            &report.text_sources,
            TEXT_SOURCES
        )
    )
}

fn all_years(report: &Report) -> String {
    format!(
        "<div class=\"cards\">\n{}{}</div>\n",
        years("Documents by year of publication", &report.published),
        years("Documents by year of capture", &report.crawled)
    )
}

fn words(report: &Report) -> String {
    let totals = &report.totals;
    let all = totals.kept_words + totals.dropped_words;
    let mut table = Table::new("Words of all pages", "Words");
    for (name, words, is_kept) in [
        ("kept", totals.kept_words, true),
        ("dropped", totals.dropped_words, false),
    ] {
        let bar = if is_kept {
            Cell::Bar(words, 0, all)
        } else {
            Cell::Bar(0, words, all)
        };
        table.row(
            name,
            [
                ("", bar),
                ("Words", Cell::count(words)),
                ("Share", Cell::Number(percent(words, all))),
            ],
        );
    }
    format!(
        "<div class=\"pair\"><div>\n{}</div>\n{}</div>\n",
        table.html(),
        histogram(&report.confidence)
    )
}

fn rejects(rejects: &[Reject]) -> String {
    let all: u64 = rejects.iter().map(|reject| reject.rejects).sum();
    let most = rejects.iter().map(|reject| reject.rejects).max().unwrap_or(0);
    let mut table = Table::new("Records that became no document, by reason", "Reason");
    for reject in rejects {
        table.row(
            &reject.reason,
            [
                ("", Cell::Bar(reject.rejects, 0, most)),
                ("Stage", Cell::Text(reject.stage.clone())),
                ("Rejects", Cell::count(reject.rejects)),
                ("Share", Cell::Number(percent(reject.rejects, all))),
            ],
        );
    }
    let listed = |meaning: &&Meaning| rejects.iter().any(|reject| reject.reason == meaning.name);
    table.html() + &explained(REJECT_REASONS.iter().filter(listed))
}

fn duplicates(found: &Duplicates, documents: u64) -> String {
    let mut html = format!(
        "<p>{} in {}: {} ({} of the documents) are copies of another document, {} of them with all of its words.</p>\n",
        counted(found.documents, "document"),
        counted(found.clusters, "cluster"),
        grouped(found.copies),
        percent(found.copies, documents),
        grouped(found.equal_copies)
    );
    let most = found.sizes.iter().map(|class| class.documents).max().unwrap_or(0);
    let mut sizes = Table::new("Clusters by size", "Documents in the cluster");
    for class in found.sizes.iter().filter(|class| class.clusters > 0) {
        let name = match class.to {
            Some(to) if to == class.from => grouped(to),
            Some(to) => format!("{} to {}", grouped(class.from), grouped(to)),
            None => format!("{} and more", grouped(class.from)),
        };
        sizes.row(
            &name,
            [
                ("", Cell::Bar(class.documents, 0, most)),
                ("Clusters", Cell::count(class.clusters)),
                ("Documents", Cell::count(class.documents)),
            ],
        );
    }
    let mut largest = Table::new("Largest clusters", "Document that survives");
    for cluster in &found.largest {
        let name = if cluster.url.is_empty() {
            &cluster.survivor
        } else {
            &cluster.url
        };
        largest.row(name, [("Documents", Cell::count(cluster.documents))]);
    }
    html += &format!(
        "<div class=\"pair\"><div>\n{}</div><div>\n{}</div></div>\n",
        sizes.html(),
        largest.html()
    );
    html
}

fn rights(found: &Rights, documents: u64) -> String {
    let mut uses = Table::new("Documents by what their signals together say", "Use");
    for (name, permissions) in [("search index", found.index), ("training", found.train)] {
        let Permissions {
            allowed,
            forbidden,
            unknown,
        } = permissions;
        uses.row(
            name,
            [
                ("", Cell::Bar(allowed, forbidden, documents)),
                ("Allowed", Cell::count(allowed)),
                ("Forbidden", Cell::count(forbidden)),
                ("Not stated", Cell::count(unknown)),
            ],
        );
    }
    let mut signals = Table::new("Documents by signal", "Signal");
    for signal in &found.signals {
        signals.row(
            &signal.signal,
            [
                ("", Cell::Bar(signal.documents, 0, found.documents)),
                ("Documents", Cell::count(signal.documents)),
                ("Forbids the index", Cell::count(signal.forbid_index)),
                ("Forbids training", Cell::count(signal.forbid_train)),
            ],
        );
    }
    let listed = |meaning: &&Meaning| found.signals.iter().any(|signal| signal.signal == meaning.name);
    format!(
        "<p>{} ({}) with a signal about rights. Blue: allowed. Orange: forbidden.</p>\n<div class=\"pair\"><div>\n{}</div><div>\n{}{}</div></div>\n",
        counted(found.documents, "document"),
        percent(found.documents, documents),
        uses.html(),
        signals.html(),
        explained(RIGHTS_SIGNALS.iter().filter(listed))
    )
}

fn measures(report: &Report) -> String {
    let mut html = String::from(
        "<p>Lines are limits of rule sets and of the recipes below; the list under a chart has them by letter. \
         FineWeb-2 has limits for each language: those of the most frequent one are drawn.</p>\n",
    );
    if report.rule_sets.is_none() {
        html = "<p class=\"note\">The corpus has no table of signals: it was built with --no-signals.</p>\n"
            .to_owned();
    }
    let charts: String = report.measures.iter().map(histogram).collect();
    html + &format!("<div class=\"cards\">\n{charts}</div>\n")
}

fn rule_sets(sets: &[RuleSetFails], documents: u64) -> String {
    let mut html = String::from(
        "<p>How many documents each rule leaves out: as the first that a document fails, and whatever other rules it fails. \
         FineWeb consists of Gopher, its rules of C4, and its own.</p>\n",
    );
    let mut all = Table::new("Documents that fail a rule set", "Rule set");
    for set in sets {
        all.row(
            title(&set.rule_set),
            [
                (
                    "",
                    Cell::Bar(documents.saturating_sub(set.documents), set.documents, documents),
                ),
                ("Fail", Cell::count(set.documents)),
                ("Share", Cell::Number(percent(set.documents, documents))),
            ],
        );
    }
    html += &all.html();
    html += "<div class=\"pair\">\n";
    for set in sets {
        html += &format!("<div>\n{}</div>\n", rules(set, documents));
    }
    html + "</div>\n"
}

fn rules(set: &RuleSetFails, documents: u64) -> String {
    let limits = set
        .language
        .as_ref()
        .map(|language| format!(", with the limits of {language}"));
    let caption = format!(
        "{}: documents by rule{}",
        title(&set.rule_set),
        limits.unwrap_or_default()
    );
    let mut table = Table::new(&caption, "Rule");
    for rule in &set.rules {
        let all = rule.all.map_or("not measured".to_owned(), grouped);
        table.row(
            &rule.rule,
            [
                ("", Cell::Bar(0, rule.all.unwrap_or(rule.first), documents)),
                ("Allowed", Cell::Text(rule.allowed.clone())),
                ("First", Cell::count(rule.first)),
                ("All", Cell::Number(all)),
            ],
        );
    }
    table.html()
}

fn recipe(recipe: &RecipeFunnel) -> String {
    let funnel = &recipe.funnel;
    let mut html = format!("<h3>{}</h3>\n", escape(&recipe.recipe));
    if let Some(description) = &recipe.description {
        html += &format!("<p>{}</p>\n", escape(description));
    }
    html += &format!(
        "<p>{} of {} ({}) are selected, with {} of the words. Blue: left. Orange: left out by the filter.</p>\n",
        grouped(funnel.written.documents),
        counted(funnel.read.documents, "document"),
        percent(funnel.written.documents, funnel.read.documents),
        percent(funnel.written.words, funnel.read.words)
    );
    html += &steps(funnel, &recipe.recipe);
    for step in funnel.steps.iter().filter(|step| !step.examples.is_empty()) {
        html += &format!(
            "<details><summary>Examples: left out by {}</summary>\n<ul>\n",
            escape(&step.name)
        );
        for url in &step.examples {
            html += &format!("<li><code dir=\"auto\">{}</code></li>\n", escape(url));
        }
        html += "</ul></details>\n";
    }
    html
}

fn steps(funnel: &Funnel, name: &str) -> String {
    let mut table = Table::new(&format!("The filters of {name}, in their order"), "Filter");
    let whole = funnel.read.documents;
    let mut row = |name: &str, removed: Count, left: Count| {
        table.row(
            name,
            [
                ("", Cell::Bar(left.documents, removed.documents, whole)),
                ("Left out", Cell::count(removed.documents)),
                ("Left", Cell::count(left.documents)),
                ("Left, share", Cell::Number(percent(left.documents, whole))),
                ("Words left out", Cell::WideNumber(grouped(removed.words))),
                ("Words left", Cell::WideNumber(grouped(left.words))),
            ],
        );
    };
    row("corpus", Count::default(), funnel.read);
    for (step, left) in funnel.steps.iter().zip(funnel.left()) {
        row(&step.name, step.removed, left);
    }
    table.html()
}

fn change(change: &Change) -> String {
    let mut html = format!(
        "<p>From version {} to {}: <code>{}</code>",
        change.from,
        change.to,
        escape(&change.command)
    );
    for detail in [&change.time, &change.reason].into_iter().flatten() {
        html += &format!(", {}", escape(detail));
    }
    html += "</p>\n";
    let mut rows = Table::new("Rows of tables", "Table");
    for (name, [before, after]) in &change.rows {
        let count = |rows: &Option<u64>| Cell::Number(rows.map_or("no table".to_owned(), grouped));
        let [old, new] = [before, after].map(|rows| rows.unwrap_or_default());
        let difference = match new.checked_sub(old) {
            Some(0) => "0".to_owned(),
            Some(more) => format!("+{}", grouped(more)),
            None => format!("-{}", grouped(old - new)),
        };
        rows.row(
            name,
            [
                ("Before", count(before)),
                ("After", count(after)),
                ("Difference", Cell::Number(difference)),
            ],
        );
    }
    html += &rows.html();
    html + &names("Archives", change.archives.as_ref()) + &names("Rules", change.rules.as_ref())
}

fn names(what: &str, change: Option<&NamesChange>) -> String {
    let Some(NamesChange {
        added,
        removed,
        changed,
    }) = change
    else {
        return format!(
            "<p class=\"note\">{what}: not known, because the files of the version before are deleted.</p>\n"
        );
    };
    let mut html = String::new();
    for (how, names) in [("added", added), ("removed", removed), ("changed", changed)] {
        if names.is_empty() {
            continue;
        }
        html += &format!("<h3>{what} {how}: {}</h3>\n<ul>\n", grouped(names.len() as u64));
        for name in names.iter().take(NAMED) {
            html += &format!("<li><code dir=\"auto\">{}</code></li>\n", escape(name));
        }
        if let Some(more @ 1..) = names.len().checked_sub(NAMED) {
            html += &format!("<li>and {} more</li>\n", grouped(more as u64));
        }
        html += "</ul>\n";
    }
    match html.is_empty() {
        true => format!("<p>{what}: the same.</p>\n"),
        false => html,
    }
}
