//! Text files of one regular expression a line, and of one mutable pattern a line.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_template::{Applier, MineConfig, Miner, SiteTemplate, TokenConfig};

use crate::terminal::plain;

/// A line of a file that is no comment: its number from 1 on, and what stands on it.
type Line = (usize, String);

/// The lines of a file, but for empty ones and those that begin with `#`.
fn lines(file: &Path) -> Result<Vec<Line>> {
    let bytes = std::fs::read(file).with_context(|| format!("could not read {}", file.display()))?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
            bail!("{}, line {line}: not UTF-8", file.display())
        }
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().map(str::to_owned).enumerate();
    Ok(lines
        .map(|(place, line)| (place + 1, line))
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .collect())
}

/// Expressions to apply. Each is checked by itself, so that an error has its line.
pub(super) fn read(file: &Path) -> Result<Vec<String>> {
    let tokens = TokenConfig::default();
    let checked = lines(file)?.into_iter().map(|(number, line)| {
        Applier::of([line.as_str()], &tokens)
            .with_context(|| format!("{}, line {number}", file.display()))?;
        Ok(line)
    });
    let expressions = checked.collect::<Result<Vec<_>>>()?;
    if expressions.is_empty() {
        bail!("{} has no expression: write one per line", file.display());
    }
    Ok(expressions)
}

/// Mutable patterns, each checked with the tokens of a job.
pub(super) fn read_patterns(file: &Path, tokens: &TokenConfig) -> Result<Vec<String>> {
    let checked = lines(file)?.into_iter().map(|(number, line)| {
        let config = MineConfig {
            tokens: TokenConfig {
                patterns: vec![line.clone()],
                ..tokens.clone()
            },
            ..MineConfig::default()
        };
        Miner::new(config).with_context(|| format!("{}, line {number}", file.display()))?;
        Ok(line)
    });
    checked.collect()
}

/// Sites as such a file; where there are several, with a comment before each.
pub(super) fn written(sites: &[SiteTemplate], top: Option<usize>) -> String {
    let mut text = String::new();
    for site in sites {
        if sites.len() > 1 {
            text += &format!(
                "# {}: {} pages mined, {} expressions\n",
                plain::line(&site.site),
                site.sampled_pages,
                site.expressions.len()
            );
        }
        for expression in site.expressions.iter().take(top.unwrap_or(usize::MAX)) {
            text += &line(&expression.expression);
            text.push('\n');
        }
    }
    text
}

/// An expression on a line that is read as one. Those that were mined are already.
fn line(expression: &str) -> String {
    let line = expression.replace('\n', r"\n").replace('\r', r"\r");
    match line.chars().next() {
        Some('#') => format!(r"\{line}"),
        Some(' ') if line.trim().is_empty() => format!(r"\x20{}", &line[1..]),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &[u8]) -> Result<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("e.txt");
        std::fs::write(&file, text).unwrap();
        read(&file)
    }

    fn problem(text: &[u8]) -> String {
        let error = read_text(text).unwrap_err();
        let sentence: Vec<String> = error.chain().map(ToString::to_string).collect();
        sentence.join(": ")
    }

    #[test]
    fn comments_and_empty_lines_are_no_expressions() {
        let read = read_text(b"\xef\xbb\xbf# a site\r\n\r\nread more\r\n\\# a\n[ ]\n").unwrap();
        assert_eq!(read, ["read more", r"\# a", "[ ]"]);
    }

    #[test]
    fn errors_name_the_line() {
        assert!(
            problem(b"a\n\nb(\n").ends_with("e.txt, line 3: 'b(' is no regular expression: unclosed group")
        );
        assert!(problem(b"a\n\xff").ends_with("e.txt, line 2: not UTF-8"));
        assert!(problem(b"# a\n").ends_with("e.txt has no expression: write one per line"));
    }

    #[test]
    fn any_expression_is_a_line() {
        for (expression, written) in [("#a", r"\#a"), ("a\nb", r"a\nb"), ("  ", r"\x20 "), (" a", " a")] {
            assert_eq!(line(expression), written);
            assert_eq!(read_text(line(expression).as_bytes()).unwrap(), [written]);
        }
    }
}
