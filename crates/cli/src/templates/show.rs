//! `gleaner templates show`: a site's histogram, its cut-off, and its strongest expressions.

use std::io::IsTerminal;

use anyhow::{Result, bail};
use gleaner_template::{BINS, Expression, SiteTemplate};

use super::{expressions, mine, table};
use crate::args::{Over, ShowFormat, ShowTemplates};
use crate::terminal::table::plain;
use crate::terminal::{Outcome, console};

/// Rows of the drawing.
const HEIGHT: usize = 10;

/// How many characters of an expression are shown.
const WIDTH: usize = 300;

/// Expressions of a site that are shown as text, unless more are asked for.
const TOP: usize = 20;

pub(crate) fn run(arguments: &ShowTemplates) -> Result<Outcome> {
    let mined = table::read(&arguments.templates, arguments.site.as_deref())?;
    let format = match arguments.json {
        true => ShowFormat::Json,
        false => arguments.format,
    };
    let colour = console::colours(std::io::stdout().is_terminal());
    let top = arguments.top;
    match (format, &arguments.site) {
        (ShowFormat::Json, _) => console::out(&json(mined.sites, top)?)?,
        (ShowFormat::Regex, _) => {
            console::out(&expressions::written(&mined.sites, top))?;
            if mined.over == Over::Html {
                console::say("these expressions were mined from HTML: apply them with --over html");
            }
        }
        (ShowFormat::Text, None) if top.is_some() => {
            bail!("--top has no effect on the list of sites: name a site, or use --format regex")
        }
        (ShowFormat::Text, None) => console::out(&mine::summary(&mined.sites))?,
        (ShowFormat::Text, Some(_)) => {
            let sites = mined.sites.iter();
            let shown: String = sites
                .map(|site| shown(site, top.unwrap_or(TOP), colour))
                .collect();
            console::out_drawn(&shown)?;
        }
    }
    Ok(Outcome::Done)
}

fn json(mut sites: Vec<SiteTemplate>, top: Option<usize>) -> Result<String> {
    for site in &mut sites {
        site.expressions.truncate(top.unwrap_or(usize::MAX));
    }
    Ok(serde_json::to_string_pretty(&sites)? + "\n")
}

fn shown(site: &SiteTemplate, top: usize, colour: bool) -> String {
    let mut text = format!(
        "{}\n{} pages mined, {} tokens\n\n",
        plain(&site.site, 200),
        console::grouped(u64::from(site.sampled_pages)),
        console::grouped(site.sampled_tokens),
    );
    // A table of expressions alone has no histogram.
    if !site.histogram.bins.is_empty() {
        text += &drawing(site, colour);
        text += &format!(
            "cut-off: bin {}, {} pages of {}; energy {:.0}, centres {} and {}\n\n",
            site.cut_off.bin,
            site.cutoff_pages,
            site.sampled_pages,
            site.cut_off.energy,
            centre(site.cut_off.below),
            centre(site.cut_off.above),
        );
    }
    text += &format!(
        "{} expressions, the first {} (\\s is written for [\\t-\\r ]; --format regex prints them as they are):\n",
        console::grouped(site.expressions.len() as u64),
        top.min(site.expressions.len())
    );
    for expression in site.expressions.iter().take(top) {
        text += &line(expression, site.sampled_pages);
    }
    text
}

fn centre(centre: Option<f64>) -> String {
    centre.map_or_else(|| "-".to_owned(), |bin| format!("{bin:.1}"))
}

fn line(expression: &Expression, pages: u32) -> String {
    let share = 100.0 * f64::from(expression.pages) / f64::from(pages.max(1));
    format!(
        "  {share:3.0}%  {:6} times  {:4} tokens  {}\n",
        expression.occurrences,
        expression.tokens,
        plain(&expression.expression.replace(r"[\t-\r ]", r"\s"), WIDTH)
    )
}

/// The histogram: strings (a row is a power of some number, as there are many on few pages) over
/// pages, a column a bin, and a mark under the cut-off.
fn drawing(site: &SiteTemplate, colour: bool) -> String {
    let bins = &site.histogram.bins;
    let most = bins.iter().copied().max().unwrap_or_default();
    let height = |count: u64| match count {
        0 => 0,
        count => {
            let share = (1.0 + count as f64).ln() / (1.0 + most as f64).ln();
            ((share * (8 * HEIGHT) as f64).round() as usize).max(1)
        }
    };
    let mut text = String::new();
    for row in (0..HEIGHT).rev() {
        let label = ((1.0 + most as f64).ln() * (row + 1) as f64 / HEIGHT as f64).exp() - 1.0;
        text += &format!("{:>9} │", console::grouped(label.round() as u64));
        let cells: Vec<char> = bins.iter().map(|&count| cell(height(count), row)).collect();
        let cut = site.cut_off.bin.min(cells.len());
        let (below, above): (String, String) = (cells[..cut].iter().collect(), cells[cut..].iter().collect());
        text += below.as_str();
        text += &coloured(&above, colour);
        text = text.trim_end().to_owned();
        text.push('\n');
    }
    text += &format!("{:>9} └{}\n", "strings", "─".repeat(BINS));
    text += &format!(
        "{:>9}  {}{}\n",
        "",
        " ".repeat(site.cut_off.bin),
        coloured("▲ cut-off", colour)
    );
    text += &format!("{:>9}  0%{:>width$}\n", "pages", "100%", width = BINS - 2);
    text
}

fn coloured(text: &str, colour: bool) -> String {
    match colour {
        true => format!("\x1b[33m{text}\x1b[0m"),
        false => text.to_owned(),
    }
}

/// The part of a bar, in eighths of a row, that is in a row.
fn cell(height: usize, row: usize) -> char {
    const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    EIGHTHS[height.saturating_sub(8 * row).min(8)]
}

#[cfg(test)]
mod tests {
    use gleaner_template::Histogram;

    use super::*;

    fn site() -> SiteTemplate {
        let mut histogram = Histogram::new(200);
        for (bin, count) in [(3, 5000), (10, 40), (90, 3), (99, 20)] {
            histogram.bins[bin] = count;
        }
        SiteTemplate {
            site: "a.example".into(),
            sampled_pages: 200,
            sampled_tokens: 12_345,
            cut_off: histogram.cut_off(),
            histogram,
            cutoff_pages: 96,
            expressions: vec![Expression {
                expression: "([\\t-\\r ]+|^)read[\\t-\\r ]+more\u{1b}([\\t-\\r ]+|$)".into(),
                pages: 150,
                occurrences: 400,
                tokens: 2,
                example: "http://a.example/1".into(),
            }],
        }
    }

    #[test]
    fn the_drawing_marks_the_cut_off_and_keeps_the_terminal_whole() {
        let site = site();
        let text = shown(&site, 10, false);
        assert!(!text.contains('\x1b'), "{text}");
        let mark = text.lines().find(|line| line.contains('▲')).unwrap();
        assert_eq!(
            mark.chars().position(|letter| letter == '▲'),
            Some(11 + site.cut_off.bin)
        );
        assert!(
            text.contains(" 75%     400 times     2 tokens  (\\s+|^)read"),
            "{text}"
        );
        let bottom = text.lines().find(|line| line.starts_with("        1 │")).unwrap();
        let drawn: Vec<usize> = bottom
            .chars()
            .skip(11)
            .enumerate()
            .filter(|(_, cell)| *cell != ' ')
            .map(|(bin, _)| bin)
            .collect();
        assert_eq!(drawn, [3, 10, 90, 99], "{text}");
        assert!(drawing(&site, true).contains("\x1b[33m▲ cut-off\x1b[0m"));
    }
}
