//! Whether a DOCTYPE puts the page into quirks mode, in which a table may stand in a paragraph.

/// Public identifiers that begin so are of quirks mode, HTML standard 13.2.6.4.1: one a line.
const PREFIXES: &str = include_str!("quirks.txt");

/// Public identifiers of quirks mode as a whole.
const WHOLE: [&str; 3] = [
    "-//w3o//dtd w3 html strict 3.0//en//",
    "-/w3c/dtd html 4.0 transitional/en",
    "html",
];

/// Public identifiers that are of quirks mode when there is no system identifier.
const WITHOUT_SYSTEM: [&str; 2] = [
    "-//w3c//dtd html 4.01 frameset//",
    "-//w3c//dtd html 4.01 transitional//",
];

const QUIRKY_SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// Whether a DOCTYPE is of quirks mode. `content` is what stands between `<!DOCTYPE` and `>`.
pub(crate) fn is_quirky(content: &str) -> bool {
    let Some((name, public, system)) = read(content) else {
        return true;
    };
    let starts = |prefix: &str| public.is_some_and(|id| begins(id, prefix));
    !name.eq_ignore_ascii_case("html")
        || PREFIXES.lines().any(starts)
        || WHOLE
            .iter()
            .any(|id| public.is_some_and(|public| public.eq_ignore_ascii_case(id)))
        || system.is_some_and(|id| id.eq_ignore_ascii_case(QUIRKY_SYSTEM))
        || (system.is_none() && WITHOUT_SYSTEM.into_iter().any(starts))
}

fn begins(text: &str, prefix: &str) -> bool {
    text.as_bytes()
        .get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches(['\t', '\n', '\x0c', '\r', ' '])
}

type Doctype<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

/// Name, public and system identifier; nothing if the DOCTYPE is broken.
fn read(content: &str) -> Option<Doctype<'_>> {
    let content = skip_space(content);
    let end = content
        .find(['\t', '\n', '\x0c', '\r', ' '])
        .unwrap_or(content.len());
    let (name, rest) = content.split_at(end);
    let rest = skip_space(rest);
    if name.is_empty() {
        return None;
    }
    if rest.is_empty() {
        return Some((name, None, None));
    }
    if begins(rest, "system") {
        let (system, _) = quoted(&rest[6..])?;
        return Some((name, None, Some(system)));
    }
    if !begins(rest, "public") {
        return None;
    }
    let (public, rest) = quoted(&rest[6..])?;
    if skip_space(rest).is_empty() {
        return Some((name, Some(public), None));
    }
    let (system, _) = quoted(rest)?;
    Some((name, Some(public), Some(system)))
}

/// A quoted string and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = skip_space(text);
    let quote = text
        .chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''))?;
    text[1..].split_once(quote)
}
