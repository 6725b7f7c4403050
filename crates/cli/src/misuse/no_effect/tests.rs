use clap::CommandFactory;

use super::*;
use crate::args::Command;

/// The error of a command line; nothing where all of it has an effect.
fn refused(line: &str) -> Option<String> {
    let arguments = ["gleaner"].into_iter().chain(line.split(' '));
    match Command::command().try_get_matches_from(arguments) {
        Ok(matches) => check(&matches, &typed).err().map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    }
}

/// Command lines, and the option that has no effect in each.
const REFUSED: &[(&str, &str)] = &[
    ("build a -o b --images inline", "--images"),
    ("build a -o b --links inline", "--links"),
    ("clean a --images inline", "--images"),
    ("build a -o b --method density --model m", "--model"),
    ("build a -o b --method density --query q", "--query"),
    ("build a -o b --query q", "--query"),
    ("build a -o b --no-query", "--no-query"),
    ("build a -o b --method tree --model t --favor recall", "--favor"),
    (
        "build a -o b --method tree --model t --site-sample 9",
        "--site-sample",
    ),
    ("build a -o b --no-templates --site-sample 9", "--site-sample"),
    ("build a -o b --no-clusters --shingle 9", "--shingle"),
    ("build a -o b --block-languages", "--block-languages"),
    ("build a -o b --no-signals --url-list a=b", "--url-list"),
    ("verify a --url-list a=b", "--url-list"),
    ("verify a --language-model m", "--language-model"),
    ("build a -o b --no-clusters --bands 9", "--bands"),
    ("build a -o b --no-clusters --band-rows 9", "--band-rows"),
    (
        "build a -o b --no-clusters --verify-duplicates .8",
        "--verify-duplicates",
    ),
    ("build a -o b --no-signals --pii-spans", "--pii-spans"),
    ("build a -o b --process 1", "--process"),
    ("build a -o b --secret-file s", "--secret-file"),
    ("build a -o b --connect-timeout 9", "--connect-timeout"),
    ("build a -o b --peer-timeout 9", "--peer-timeout"),
    ("build a -o b --log-level debug", "--log-level"),
    ("build a b/@c -o b --base-url https://a.example/", "--base-url"),
    ("add a b --base-url https://a.example/", "--base-url"),
    (
        "optout a --robots b --agents c --base-url https://a.example/",
        "--base-url",
    ),
    ("verify a --against b --base-url https://a.example/", "--base-url"),
    ("verify a --memory 1GiB", "--memory"),
    ("verify a --model m", "--model"),
    ("run job.toml --show --force", "--force"),
    ("run --schema --out a", "--out"),
    ("run --schema --blocks", "--blocks"),
    ("clean --method density --model nosuch", "--model"),
    ("clean --method density --favor recall", "--favor"),
    ("clean --method density --query q", "--query"),
    ("clean --method density --no-query", "--no-query"),
    ("clean --method tree --model t --favor recall", "--favor"),
    ("clean --content-type text/plain --method density", "--method"),
    ("clean --content-type text/plain --parser html5ever", "--parser"),
    (
        "clean --content-type text/plain --method tree --model t",
        "--method",
    ),
    (
        "clean --content-type TEXT/plain;charset=utf-8 --structured-data fallback",
        "--structured-data",
    ),
    ("clean --content-type text/plain --no-title", "--no-title"),
    ("train job.toml --seed 2", "--seed"),
    ("train job.toml --page-type forum", "--page-type"),
    ("train job.toml --confidence 0.1", "--confidence"),
    ("train job.toml --min-leaf 9", "--min-leaf"),
    ("train job.toml --json", "--json"),
    ("train job.toml --query q", "--query"),
    ("train job.toml --no-query", "--no-query"),
    ("train --tree a.ARFF --query q", "--query"),
    ("train --tree a.arff --page-type forum", "--page-type"),
    ("eval a --folds 3", "--folds"),
    ("eval a --method tree --model t --folds 3", "--folds"),
    ("eval a --ablate modules", "--ablate"),
    ("eval a --worst 3", "--worst"),
    ("eval a --measure lcs --json", "--measure"),
    ("eval a --cross-validate job.toml --model m", "--model"),
    (
        "eval a --cross-validate job.toml --method tree",
        "--cross-validate",
    ),
    (
        "eval a --cross-validate job.toml --method density",
        "--cross-validate",
    ),
    ("eval a --method density --model m", "--model"),
    ("eval a --method density --query q", "--query"),
    ("eval a --method density --no-query", "--no-query"),
    ("eval a --method density --folds 3", "--folds"),
    ("eval a --method density --favor recall", "--favor"),
    ("eval a --method tree --convention dragnet", "--convention"),
    (
        "eval a --method tree --structured-data fallback",
        "--structured-data",
    ),
    ("eval posts a --misses --json", "--misses"),
    ("eval sites a --structured-data fallback", "--structured-data"),
    ("eval agreement a b --json --worst 3", "--worst"),
    ("annotate a -o b --blind --convention dragnet", "--convention"),
    ("serve --annotations b", "--annotations"),
    ("serve a --annotator b", "--annotator"),
    ("serve --input b", "--input"),
    ("align a --annotations b --scores", "--scores"),
    ("align a --annotations b --format cleaneval", "--format"),
    ("align a --out b", "--out"),
    ("clean a --force", "--force"),
    ("templates mine a --force", "--force"),
    ("templates show --top 3", "--top"),
    ("export a --recipe r --dry-run --format parquet", "--format"),
    ("export a --recipe r --sql --out o", "--out"),
    ("export a --recipe r --sql --json", "--json"),
    ("export --schema --recipe r", "--recipe"),
];

/// Command lines of which everything has an effect, or does no harm.
const TAKEN: &[&str] = &[
    "build a -o b --method density --favor balanced",
    "clean --method density --favor balanced",
    "clean --format markdown --links inline --images inline",
    "build a -o b --markdown --links inline --images inline",
    "eval a --method tree --model t --convention auto",
    "build a -o b --method density --parser html5ever --no-title",
    "clean --method density --parser html5ever --content-type text/html",
    "eval a --report r --worst 20 --folds 5 --structured-data off",
    "build a -o b --method tree --model t --query q --no-templates --structured-data fallback --text-model m --posts",
    "build a -o b --method tree --model t --no-query --blocks",
    "build a -o b --method density --site domain --structured-data fallback",
    "build a -o b --no-site-evidence --site domain --workers 2 --strict --force --json",
    "build a -o b --site-sample 9 --phase read",
    "build a -o b --no-clusters --repeats 3",
    "build a -o b --repeats 0",
    "build a -o b --shingle 4 --bands 20 --band-rows 5 --verify-duplicates .8",
    "build a -o b --crawl c --posts --blocks --no-signals --no-rights",
    "build a -o b --url-list a=b --url-list a=c --language-model m --blocks --block-languages",
    "build a -o b --language-model m --no-signals",
    "build a -o b --agents GPTBot --pii-spans",
    "build a -o b --hosts h --process 1 --secret-file s --connect-timeout 9 --peer-timeout 9",
    "build a -o b --log json --log-level debug --status --metrics 127.0.0.1:1",
    "build a @b -o b --base-url https://a.example/ --store-retries 3 --store-timeout 3 --store-pause 3",
    "verify a --units 3 --against b @c --base-url u --memory 1GiB --model m --text-model t --language-model l --url-list a=b -w 2 --json --store-retries 1 \
     --store-timeout 1 --store-pause 1 --log text --log-level info --metrics 127.0.0.1:1 --status",
    "verify a --all-units --against b",
    "run job.toml --show --out a --workers 2",
    "run --schema --workers 2",
    "clean --method model --model m --favor recall --structured-data fallback --query q",
    "clean --method tree --model t --query q --structured-data fallback --url u",
    "clean --method density --structured-data fallback --url u --content-type text/html",
    "posts a --url u --rules r --format json",
    "features a --set hidden-web --query q",
    "features a --set hidden-web --no-query",
    "train job.toml g --out m --workers 2",
    "train job.toml --record-pages m",
    "train --tree a --query q --page-type forum --seed 2 --workers 2",
    "train --tree a.arff --no-query --seed 2 --workers 2 --confidence 0.1 --min-leaf 9 --json",
    "eval a --cross-validate job.toml --folds 3 --ablate modules --query q --convention gold --favor recall --json",
    "eval a --method model --cross-validate job.toml",
    "eval a --method tree --folds 3 --query q --measure lcs",
    "eval a --method tree --model t --report r --worst 3",
    "eval a --method density --workers 2 --page-type forum --json --no-title",
    "eval templates a --clean --json",
    "eval posts a --misses",
    "eval sites a --favor recall --samples 3 --titles --no-title --json",
    "eval agreement a b --worst 3",
    "annotate a -o b --blind --order uncertain --convention dragnet --model m",
    "explain a b --input c --model m --text-model t --json",
    "explain a b --html",
    "serve -p 0 --workers 2 --max-body 1MB --timeout 9 --model m --text-model t --convention dragnet",
    "serve a --annotations b --annotator c --port 80",
    "serve a --input b c",
    "align a --page p --annotations b",
    "align a --format cleaneval --out b",
    "clean a --out b --force",
    "templates show --format regex --top 3",
    "templates show --json --top 3",
    "templates mine a --patterns p --no-default-patterns",
    "templates apply a b --over html",
    "templates mine a --out b --force --json",
    "templates mine a --over html --site-sample 9 --token a --workers 2",
    "templates show a --top 3",
    "templates apply a b --gap 3 --site s --json",
    "model show a --json",
    "model diff a --json",
    "vacuum a --keep-versions 2 --logs --dry-run",
    "add a @b --crawl c --base-url u --keep-versions 2 -w 2 --memory 4GiB --json --model m --text-model t \
     --store-retries 1 --store-timeout 1 --store-pause 1 --log text --log-level info --metrics \
     127.0.0.1:1 --status",
    "remove a --input i --crawl c --site s --domain d --url u --url-prefix p --record r --text-digest t \
     --list l --reason x --keep-versions 2 -w 2 --memory 4GiB --json --model m --text-model t \
     --store-retries 1 --store-timeout 1 --store-pause 1 --log text --log-level info --metrics \
     127.0.0.1:1 --status",
    "takedown a --input i --crawl c --site s --domain d --url u --url-prefix p --record r --text-digest t \
     --list l --reason x --receipt r --for-later-archives --keep-versions 2 -w 2 --memory 4GiB --json --model m --text-model t \
     --store-retries 1 --store-timeout 1 --store-pause 1 --log text --log-level info --metrics \
     127.0.0.1:1 --status",
    "restore a r1 @b --reason x --base-url u --keep-versions 2 -w 2 --memory 4GiB --json --model m \
     --text-model t --store-retries 1 --store-timeout 1 --store-pause 1 --log text --log-level info \
     --metrics 127.0.0.1:1 --status",
    "optout a --robots b @c --agents d --base-url u --keep-versions 2 -w 2 --memory 4GiB --json --model m \
     --text-model t --store-retries 1 --store-timeout 1 --store-pause 1 --log text --log-level info \
     --metrics 127.0.0.1:1 --status",
    "relabel a @b --favor recall --no-title true --reason x --base-url u --keep-versions 2 -w 2 --memory \
     4GiB --json --model m --text-model t --store-retries 1 --store-timeout 1 --store-pause 1 --log text \
     --log-level info --metrics 127.0.0.1:1 --status",
    "report a -o b --recipe c --recipe d --corpus-version 2 --workers 1",
    "export a --recipe r --out o --format parquet --shard-size 1MB --pii keep --corpus-version 1 -w 2 --json",
    "export a --recipe r --sql=spark --pii drop --corpus-version 2",
    "export a --recipe r --dry-run --json -w 2",
    "crawl https://a.example/ -o b.warc.gz --contact me@a.example --since c.warc.gz --file-size 1GB --build d --json",
    "crawl - -o b.warc.gz --contact me@a.example --scope domain --include x --exclude y --depth 3 --types text/html --no-sitemaps",
    "crawl - -o b.warc.gz --contact me@a.example --delay 2 --max-delay 9 --connections 5 --connections-per-host 2 --retries 1 --resolve a.example=127.0.0.1",
    "crawl - -o b.warc.gz --contact me@a.example --max-pages 9 --max-pages-per-host 3 --max-bytes 1GB --max-time 60 --max-page-size 1MB --max-page-time 9 --max-variants 5 --max-redirects 3",
    "render a.warc.gz -o b.warc.gz --all --limit 9 --browser c --tabs 2 --virtual-seconds 5 --page-timeout 9 --max-page 1MB --page-memory 500MB --json",
];

#[test]
fn options_without_effect_are_refused_in_a_sentence_that_names_them() {
    for (line, option) in REFUSED {
        let error = refused(line).unwrap_or_else(|| panic!("{line} is taken"));
        let is_of_clap = error.contains("cannot be used with") || error.contains("were not provided");
        assert!(
            error.starts_with(&format!("{option} has no effect ")) || is_of_clap,
            "{line}: {error}"
        );
    }
}

#[test]
fn options_with_an_effect_are_taken() {
    for line in TAKEN {
        assert_eq!(refused(line), None, "{line}");
    }
}

/// Each option of each command stands in a line above: who adds one decides where it has no effect.
#[test]
fn no_option_is_forgotten() {
    let mut forgotten = Vec::new();
    let mut open = vec![(String::new(), Command::command())];
    while let Some((path, command)) = open.pop() {
        let lines = || {
            let all = REFUSED.iter().map(|(line, _)| *line).chain(TAKEN.iter().copied());
            all.filter(|line| line.starts_with(path.trim_start()))
        };
        for option in command.get_arguments().filter(|option| !option.is_positional()) {
            let Some(long) = option
                .get_long()
                .filter(|long| !["help", "version"].contains(long))
            else {
                continue;
            };
            let is_there = lines().any(|line| {
                let short = option.get_short().map(|short| format!("-{short}"));
                line.split(' ')
                    .any(|word| word == format!("--{long}") || Some(word) == short.as_deref())
            });
            // (An option of `run` is one of `build`; limits of pages and tables that are asked for always have an effect.)
            if !is_there && path != " run" && !ALWAYS.contains(&long) {
                forgotten.push(format!("gleaner{path} --{long}"));
            }
        }
        open.extend(
            command
                .get_subcommands()
                .map(|inner| (format!("{path} {}", inner.get_name()), inner.clone())),
        );
    }
    assert!(forgotten.is_empty(), "{forgotten:#?}");
}

/// Options that have an effect beside all others.
const ALWAYS: &[&str] = &[
    "allow-missing",
    "digest",
    "dry-run",
    "limit",
    "annotator",
    "blocks",
    "markdown",
    "evidence",
    "format",
    "gold",
    "job",
    "kind",
    "max-page",
    "max-record",
    "max-steps",
    "memory",
    "min-pages",
    "model",
    "out",
    "part-size",
    "chunk-size",
    "no-state",
    "pattern",
    "posts",
    "spec",
    "render",
    "rules",
    "schema",
    "structured-data",
    "templates",
    "text-model",
    "language-model",
    "url-list",
    "benchmarks",
    "workers",
    "json",
    "convention",
    "favor",
    "page",
];
