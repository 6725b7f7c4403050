//! Which options have no effect, command by command.

use super::given::Given;

/// Options that have no effect where something holds.
pub(super) struct Rule {
    /// By the names that clap has for them.
    pub(super) options: &'static [&'static str],
    pub(super) when: fn(&Given<'_>) -> bool,
    /// Goes on after "--option has no effect": the reason and the mend. Names in braces stand for options.
    pub(super) why: &'static str,
}

/// The rules of a command.
pub(super) fn rules(command: &[&str]) -> &'static [Rule] {
    match command {
        ["build"] => BUILD,
        ["run"] => RUN,
        ["clean"] => CLEAN,
        ["features"] => FEATURES,
        ["train"] => TRAIN,
        ["eval"] => EVAL,
        ["eval", "posts"] => EVAL_POSTS,
        ["eval", "sites"] => EVAL_SITES,
        ["eval", "agreement"] => EVAL_AGREEMENT,
        ["annotate"] => ANNOTATE,
        ["align"] => ALIGN,
        ["templates", "mine"] => TEMPLATES_MINE,
        ["templates", "show"] => TEMPLATES_SHOW,
        _ => &[],
    }
}

const BUILD: &[Rule] = &[
    Rule {
        options: &["model"],
        when: by_density,
        why: "with {method} density, which looks at the density of text alone: leave it out, or choose another {method}",
    },
    Rule {
        options: &["query", "no_query"],
        when: |given| !given.is("method", "tree"),
        why: "without {method} tree, which alone looks for the terms of a query: choose that, or leave it out",
    },
    Rule {
        options: &["favor"],
        when: without_model,
        why: "with {method} density or tree, since only models decide by it: leave it out, or leave out {method}",
    },
    Rule {
        options: &["site_sample"],
        when: without_model,
        why: "with {method} density or tree, which label each page by itself: leave it out, or leave out {method}",
    },
    Rule {
        options: &["site_sample"],
        when: |given| given.has("no_site_evidence"),
        why: "with {no_site_evidence}, which takes no evidence of sites: leave one of the two out",
    },
    Rule {
        options: &["shingle", "bands", "band_rows", "verify_duplicates"],
        when: |given| given.has("no_clusters"),
        why: "with {no_clusters}, which finds no duplicates: leave one of the two out",
    },
    Rule {
        options: &["links", "images"],
        when: |given| !given.has("markdown"),
        why: "without {markdown}, which alone has them: add {markdown}, or leave it out",
    },
    Rule {
        options: &["process", "secret_file", "connect_timeout", "peer_timeout"],
        when: |given| !given.has("hosts"),
        why: "without {hosts}, which names the processes that build together: add {hosts}, or leave it out",
    },
    Rule {
        options: &["log_level"],
        when: |given| !given.has("log"),
        why: "without {log}, whose events it selects: add {log}, or leave it out",
    },
    Rule {
        options: &["base_url"],
        when: |given| !given.values("inputs").any(|input| input.starts_with('@')),
        why: "without an @LIST file among the inputs: name one, or leave it out",
    },
];

const RUN: &[Rule] = &[Rule {
    options: &["force"],
    when: |given| given.has("show"),
    why: "with {show}, which only prints the job: leave one of the two out",
}];

const CLEAN: &[Rule] = &[
    Rule {
        options: &["force"],
        when: |given| !given.has("out"),
        why: "without {out}, since no file is written: add {out}, or leave it out",
    },
    Rule {
        options: &["links", "images"],
        when: |given| !given.is("format", "markdown") && !given.is("format", "md"),
        why: "without {format} markdown, which alone has them: add that, or leave it out",
    },
    Rule {
        options: &["model", "query", "no_query"],
        when: by_density,
        why: "with {method} density, which looks at the density of text alone: leave it out, or choose another {method}",
    },
    Rule {
        options: &["favor"],
        when: without_model,
        why: "with {method} density or tree, since only models decide by it: leave it out, or leave out {method}",
    },
    Rule {
        options: &["method"],
        when: |given| without_model(given) && given.values("content_type").any(|value| is_plain_text(&value)),
        why: "with {content_type} text/plain: plain texts are labelled by a model of texts with any method; leave it out",
    },
    Rule {
        options: &["parser"],
        when: |given| given.values("content_type").any(|value| is_plain_text(&value)),
        why: "with {content_type} text/plain, since a plain text is no HTML: leave it out",
    },
    Rule {
        options: &["structured_data"],
        when: |given| given.values("content_type").any(|value| is_plain_text(&value)),
        why: "with {content_type} text/plain, since a plain text has no structured data: leave it out",
    },
    Rule {
        options: &["no_title"],
        when: |given| given.values("content_type").any(|value| is_plain_text(&value)),
        why: "with {content_type} text/plain, since a plain text has no title: leave it out",
    },
];

const FEATURES: &[Rule] = &[
    Rule {
        options: &["query", "no_query"],
        when: |given| !given.is("set", "hidden-web"),
        why: "with this {set}, which has no columns of a query: leave it out, or use {set} hidden-web",
    },
    Rule {
        options: &["job", "model"],
        when: |given| given.is("set", "hidden-web"),
        why: "with {set} hidden-web, which has no steps of values: leave it out, or use {set} victor",
    },
    Rule {
        options: &["format"],
        when: |given| given.is("set", "hidden-web") && given.is("format", "crf"),
        why: "as crf with {set} hidden-web, whose rows are no sequence: use {format} arff or parquet, or {set} victor",
    },
];

const TRAIN: &[Rule] = &[
    Rule {
        options: &[
            "page_type",
            "seed",
            "confidence",
            "min_leaf",
            "json",
            "query",
            "no_query",
        ],
        when: |given| !given.has("tree"),
        why: "without {tree}, since the job file has the settings of a model: add {tree}, or leave it out",
    },
    Rule {
        options: &["page_type", "query"],
        when: |given| {
            given
                .values("job")
                .any(|job| job.to_lowercase().ends_with(".arff"))
        },
        why: "on an ARFF file, which is a table of elements already: give gold files, or leave it out",
    },
];

const EVAL: &[Rule] = &[
    Rule {
        options: &["model", "query", "no_query"],
        when: by_density,
        why: "with {method} density, which looks at the density of text alone: leave it out, or choose another {method}",
    },
    Rule {
        options: &["favor", "convention", "structured_data"],
        when: without_model,
        why: "with {method} density or tree, since only models are scored with it: leave it out, or leave out {method}",
    },
    Rule {
        options: &["cross_validate"],
        when: without_model,
        why: "with {method} density or tree, since it trains models: leave it out; {method} tree without {model} trains trees fold by \
              fold",
    },
    Rule {
        options: &["model"],
        when: |given| given.has("cross_validate"),
        why: "with {cross_validate}, which trains a model for each fold: leave one of the two out",
    },
    Rule {
        options: &["folds"],
        when: |given| !(given.has("cross_validate") || given.is("method", "tree") && !given.has("model")),
        why: "without {cross_validate}, since nothing is trained: add {cross_validate}, or leave it out",
    },
    Rule {
        options: &["ablate"],
        when: |given| !given.has("cross_validate"),
        why: "without {cross_validate}, which trains the models that lack a column: add {cross_validate}, or leave it out",
    },
    Rule {
        options: &["worst"],
        when: |given| !given.has("report"),
        why: "without {report}, which shows these pages: add {report}, or leave it out",
    },
    Rule {
        options: &["measure"],
        when: |given| given.has("json"),
        why: "with {json}, which prints all measures: leave one of the two out",
    },
];

const EVAL_POSTS: &[Rule] = &[Rule {
    options: &["misses"],
    when: |given| given.has("json"),
    why: "with {json}, which prints scores alone: leave one of the two out",
}];

const EVAL_SITES: &[Rule] = &[Rule {
    options: &["structured_data"],
    when: |_| true,
    why: "here, because the scores count visible text only: leave it out",
}];

const EVAL_AGREEMENT: &[Rule] = &[Rule {
    options: &["worst"],
    when: |given| given.has("json"),
    why: "with {json}, which prints all pages: leave one of the two out",
}];

const ANNOTATE: &[Rule] = &[Rule {
    options: &["convention"],
    when: |given| given.has("blind") && !given.is("order", "uncertain"),
    why: "with {blind}, which shows no suggestions: leave one of the two out",
}];

const ALIGN: &[Rule] = &[
    Rule {
        options: &["scores", "format"],
        when: |given| given.has("annotations"),
        why: "with {annotations}, which writes files instead of printing: leave one of the two out",
    },
    Rule {
        options: &["out"],
        when: |given| !given.is("format", "cleaneval"),
        why: "without {format} cleaneval, since a list is printed: add that, or leave it out",
    },
];

const TEMPLATES_MINE: &[Rule] = &[Rule {
    options: &["force"],
    when: |given| !given.has("out"),
    why: "without {out}, since nothing is written: add {out}, or leave it out",
}];

const TEMPLATES_SHOW: &[Rule] = &[Rule {
    options: &["top"],
    when: |given| !given.has("site") && !given.has("json") && given.is("format", "text"),
    why: "without a SITE, since only the names of sites are listed: name a site, or leave it out",
}];

/// Whether density alone tells content.
fn by_density(given: &Given<'_>) -> bool {
    given.is("method", "density")
}

/// Whether no model tells content.
fn without_model(given: &Given<'_>) -> bool {
    by_density(given) || given.is("method", "tree")
}

/// Whether a content type is that of plain texts.
fn is_plain_text(content_type: &str) -> bool {
    let media = content_type.split(';').next().unwrap_or_default();
    media.trim().eq_ignore_ascii_case("text/plain")
}
