//! Options that have no effect with the value of another one are refused. Options that exclude or need another one
//! whatever its value are refused by clap; those that depend on a model or a tree by the command that reads it.

#[cfg(test)]
mod tests;

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

use crate::args::Command;

struct Rule {
    commands: &'static [&'static str],
    /// By their names in clap.
    options: &'static [&'static str],
    when: fn(&GivenOptions<'_>) -> bool,
    /// Follows "--option has no effect": the reason and the remedy.
    why: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        commands: &["build", "clean", "eval"],
        options: &["model"],
        when: by_density,
        why: "with --method density, which uses no model: leave it out, or choose another --method",
    },
    Rule {
        commands: &["clean", "eval"],
        options: &["query", "no_query"],
        when: by_density,
        why: "with --method density, which uses no query terms: leave it out, or choose another --method",
    },
    Rule {
        commands: &["build"],
        options: &["query", "no_query"],
        when: |given| !given.is("method", "tree") && !given.has("spec"),
        why: "without --method tree, which alone uses query terms: choose that, or leave it out",
    },
    Rule {
        commands: &["build", "clean"],
        options: &["favor", "site_sample"],
        when: without_model,
        why: "with --method density or tree, which use neither a model nor site evidence: leave it out, or leave out --method",
    },
    Rule {
        commands: &["eval"],
        options: &["favor", "convention", "structured_data", "cross_validate"],
        when: without_model,
        why: "with --method density or tree, which score no model: leave it out (--method tree without --model \
              cross-validates)",
    },
    Rule {
        commands: &["build", "add", "restore", "relabel"],
        options: &["base_url"],
        when: |given| !given.values("inputs").any(|input| input.starts_with('@')),
        why: "without an @LIST file among the inputs: name one, or leave it out",
    },
    Rule {
        commands: &["optout"],
        options: &["base_url"],
        when: |given| !given.values("robots").any(|input| input.starts_with('@')),
        why: "without an @LIST file among the archives of --robots: name one, or leave it out",
    },
    Rule {
        commands: &["verify"],
        options: &["base_url"],
        when: |given| !given.values("against").any(|input| input.starts_with('@')),
        why: "without an @LIST file among the inputs of --against: name one, or leave it out",
    },
    Rule {
        commands: &["verify"],
        options: &["memory", "model"],
        when: |given| !given.has("against"),
        why: "without --against, which builds units again: add that, or leave it out",
    },
    Rule {
        commands: &["clean"],
        options: &["links", "images"],
        when: |given| !given.is("format", "markdown") && !given.is("format", "md"),
        why: "without --format markdown: add that, or leave it out",
    },
    Rule {
        commands: &["clean"],
        options: &["method"],
        when: |given| without_model(given) && of_plain_text(given),
        why: "with --content-type text/plain: a model of texts labels plain texts; leave it out",
    },
    Rule {
        commands: &["clean"],
        options: &["parser", "structured_data", "no_title"],
        when: of_plain_text,
        why: "with --content-type text/plain, since a plain text is not HTML: leave it out",
    },
    Rule {
        commands: &["features"],
        options: &["query", "no_query"],
        when: |given| !given.is("set", "hidden-web"),
        why: "with this --set, which has no columns of a query: leave it out, or use --set hidden-web",
    },
    Rule {
        commands: &["features"],
        options: &["job", "model"],
        when: |given| given.is("set", "hidden-web"),
        why: "with --set hidden-web, which has no steps of values: leave it out, or use --set victor",
    },
    Rule {
        commands: &["features"],
        options: &["format"],
        when: |given| given.is("set", "hidden-web") && given.is("format", "crf"),
        why: "as crf with --set hidden-web, whose rows are no sequence: use --format arff or parquet, or --set victor",
    },
    Rule {
        commands: &["train"],
        options: &["query", "no_query"],
        when: |given| !given.has("tree"),
        why: "without --tree, since the job file has the settings of a model: add --tree, or leave it out",
    },
    Rule {
        commands: &["train"],
        options: &["page_type", "query"],
        when: |given| {
            given
                .values("job")
                .any(|job| job.to_lowercase().ends_with(".arff"))
        },
        why: "on an ARFF file, which is a table of elements already: give gold files, or leave it out",
    },
    Rule {
        commands: &["eval"],
        options: &["folds"],
        when: |given| !given.has("cross_validate") && (given.has("model") || !given.is("method", "tree")),
        why: "without --cross-validate, since nothing is trained: add --cross-validate, or leave it out",
    },
    Rule {
        commands: &["sites"],
        options: &["structured_data"],
        when: |_| true,
        why: "here, because the scores count visible text only: leave it out",
    },
    Rule {
        commands: &["annotate"],
        options: &["convention"],
        when: |given| given.has("blind") && !given.is("order", "uncertain"),
        why: "with --blind, which shows no suggestions: leave one of the two out",
    },
    Rule {
        commands: &["serve"],
        options: &["annotations"],
        when: |given| !given.has("inputs"),
        why: "without pages to label: name files, or leave it out",
    },
    Rule {
        commands: &["serve"],
        options: &["input"],
        when: |given| !given.has("inputs"),
        why: "without a corpus, whose archives it names: name one, or leave it out",
    },
    Rule {
        commands: &["align"],
        options: &["out"],
        when: |given| !given.is("format", "cleaneval"),
        why: "without --format cleaneval, since a list is printed: add that, or leave it out",
    },
    Rule {
        commands: &["show"],
        options: &["top"],
        when: |given| !given.has("site") && !given.has("json") && given.is("format", "text"),
        why: "without a SITE, since only the names of sites are listed: name a site, or leave it out",
    },
];

/// Refuses the first option that has no effect. `name` returns the name of an option in messages, by its name in clap.
///
/// # Errors
/// An option has no effect.
pub(crate) fn check(matches: &ArgMatches, name: &dyn Fn(&str) -> String) -> Result<()> {
    let root = Command::command();
    let (mut command, mut matches) = (&root, matches);
    while let Some((subcommand, inner)) = matches.subcommand() {
        matches = inner;
        command = command.find_subcommand(subcommand).unwrap_or(command);
    }
    let given = GivenOptions { command, matches };
    for rule in RULES
        .iter()
        .filter(|rule| rule.commands.contains(&command.get_name()))
    {
        let option = rule.options.iter().find(|option| given.has(option));
        if let Some(option) = option.filter(|_| (rule.when)(&given)) {
            bail!("{} has no effect {}", name(option), rule.why);
        }
    }
    Ok(())
}

/// An option as it is typed: `--part-size`.
pub(crate) fn typed(option: &str) -> String {
    format!("--{}", option.replace('_', "-"))
}

/// The arguments of a command.
struct GivenOptions<'a> {
    command: &'a clap::Command,
    matches: &'a ArgMatches,
}

impl GivenOptions<'_> {
    /// Whether an option was typed with another value than its default.
    fn has(&self, option: &str) -> bool {
        let mut options = self.command.get_arguments();
        let Some(known) = options.find(|known| known.get_id() == option) else {
            return false;
        };
        let default = known.get_default_values().iter();
        let default: Vec<String> = default
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        let is_default = !default.is_empty() && self.values(option).eq(default);
        self.matches.value_source(option) == Some(ValueSource::CommandLine) && !is_default
    }

    /// Whether an option has this value, typed or by default.
    fn is(&self, option: &str, value: &str) -> bool {
        self.values(option).any(|given| given == value)
    }

    /// The values of an option, typed or by default.
    fn values(&self, option: &str) -> impl Iterator<Item = String> {
        let values = self.matches.get_raw(option).into_iter().flatten();
        values.map(|value| value.to_string_lossy().into_owned())
    }
}

fn by_density(given: &GivenOptions<'_>) -> bool {
    given.is("method", "density")
}

fn without_model(given: &GivenOptions<'_>) -> bool {
    by_density(given) || given.is("method", "tree")
}

fn of_plain_text(given: &GivenOptions<'_>) -> bool {
    given.values("content_type").any(|value| {
        let media = value.split(';').next().unwrap_or_default();
        media.trim().eq_ignore_ascii_case("text/plain")
    })
}
