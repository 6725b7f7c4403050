//! Sentences of the command, as a caller in Python reads them.

use crate::run::settings::{Setting, ValueKind, build_settings, export_settings};

/// A sentence with the names of options as keywords: `--force` is `force=True`, `--bands <N>` is `bands`.
pub(super) fn in_python(sentence: &str) -> String {
    let settings: Vec<Setting> = build_settings().chain(export_settings()).collect();
    let mut text = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(place) = rest.find("--") {
        let (before, option) = rest.split_at(place);
        text += before;
        let begins = before.is_empty() && text.is_empty() || before.ends_with([' ', '\'', '(', '`', '\n']);
        let found = begins.then(|| written(option, &settings)).flatten();
        let (word, length) = found.unwrap_or_else(|| ("--".to_owned(), 2));
        text += &word;
        rest = &option[length..];
    }
    text += rest;
    text.replace("the same command", "the same call")
}

/// An option at the beginning of a text as a keyword, and the length of what it stands for.
fn written(text: &str, settings: &[Setting]) -> Option<(String, usize)> {
    let is_of_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let name = text.get(2..)?;
    let name = &name[..name.find(|letter| !is_of_name(letter)).unwrap_or(name.len())];
    let option = format!("--{name}");
    let keyword = name.replace('-', "_");
    let setting = settings.iter().find(|setting| setting.flag() == option)?;
    match setting.kind {
        ValueKind::Flag => Some((format!("{keyword}=True"), option.len())),
        _ => Some((keyword, option.len() + placeholder(&text[option.len()..]))),
    }
}

/// The length of ` <N>` or ` FILE` at the beginning of a text, 0 where there is neither.
fn placeholder(text: &str) -> usize {
    let Some(value) = text.strip_prefix([' ', '=']) else {
        return 0;
    };
    let is_capital = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    let inner = value.strip_prefix('<').unwrap_or(value);
    let capitals = inner.find(|letter| !is_capital(letter)).unwrap_or(inner.len());
    match (capitals, inner.as_bytes().get(capitals)) {
        (1.., Some(b'>')) if inner.len() < value.len() => capitals + 3,
        (1.., after) if inner.len() == value.len() && !after.is_some_and(u8::is_ascii_lowercase) => {
            capitals + 1
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::in_python;

    #[test]
    fn options_are_keywords() {
        for (sentence, python) in [
            (
                "use --force to build it again",
                "use force=True to build it again",
            ),
            (
                "the argument '--no-clusters' cannot be used with '--bands <N>'",
                "the argument 'no_clusters=True' cannot be used with 'bands'",
            ),
            ("give --secret-file FILE (`x y`)", "give secret_file (`x y`)"),
            (
                "with --method density, which uses no model",
                "with method density, which uses no model",
            ),
            ("--strict: 1 damaged place", "strict=True: 1 damaged place"),
            (
                "run the same command again, or with --allow-missing to complete it",
                "run the same call again, or with allow_missing=True to complete it",
            ),
            (
                "could not read 'a--force/x --nosuch'",
                "could not read 'a--force/x --nosuch'",
            ),
            ("--", "--"),
        ] {
            assert_eq!(in_python(sentence), python);
        }
    }
}
