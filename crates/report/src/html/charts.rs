//! Charts of columns: histograms and years.

use gleaner_document::html::escape;

use super::table::{Cell, Table};
use crate::histogram::{Bin, Histogram};
use crate::numbers::Year;
use crate::words::{counted, number, percent};

/// About the width of a card on all screens, so that the letters of a chart are as large as those beside it.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 168.0;
const LEFT: f64 = 8.0;
const RIGHT: f64 = 352.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 146.0;
/// Letters of lines that are nearer than this stand in two rows.
const NEAR: f64 = 10.0;

/// Years that are drawn.
const YEARS: i32 = 30;

/// Years that are drawn at least, with empty ones.
const FEWEST_YEARS: i32 = 10;

/// A chart of columns. Places are from 0 to 1.
struct Chart {
    label: String,
    columns: Vec<Column>,
    ticks: Vec<(f64, String)>,
    /// Each has the letter of its number.
    lines: Vec<f64>,
}

struct Column {
    from: f64,
    to: f64,
    documents: u64,
    title: String,
}

/// A histogram with its limits, and its numbers below it.
pub(crate) fn histogram(histogram: &Histogram) -> String {
    let all =
        histogram.zero + histogram.missing + histogram.bins.iter().map(|bin| bin.documents).sum::<u64>();
    let place = places(histogram);
    let column = |(number_of, bin): (usize, &Bin)| Column {
        from: place(bin.from),
        to: bin.to.map_or(1.0, &place),
        documents: bin.documents,
        title: format!(
            "{}: {}",
            range(bin, number_of + 1 == histogram.bins.len()),
            counted(bin.documents, "document")
        ),
    };
    let limits = histogram.limits.iter();
    let chart = Chart {
        label: format!("Histogram: {}; the table below has its numbers", histogram.title),
        columns: histogram.bins.iter().enumerate().map(column).collect(),
        ticks: ticks(histogram)
            .into_iter()
            .map(|value| (place(value), short(value)))
            .collect(),
        lines: limits
            .clone()
            .map(|line| place(line.limit).clamp(0.0, 1.0))
            .collect(),
    };
    let mut notes = String::new();
    for (documents, what) in [(histogram.zero, "the value 0"), (histogram.missing, "no value")] {
        if documents > 0 {
            let share = percent(documents, all);
            notes += &format!(
                "<p>{} ({share}) with {what}: not drawn</p>\n",
                counted(documents, "document")
            );
        }
    }
    let legend: String = limits
        .map(|line| {
            format!(
                "<li>{}: {}</li>\n",
                escape(&line.allowed),
                escape(&line.of.join(", "))
            )
        })
        .collect();
    let legend = if legend.is_empty() {
        legend
    } else {
        format!("<ol>\n{legend}</ol>\n")
    };
    figure(&histogram.title, &chart, &(notes + &legend), numbers(histogram))
}

/// Documents by year, and their numbers below.
pub(crate) fn years(title: &str, years: &[Year]) -> String {
    let known: Vec<(i32, u64)> = years
        .iter()
        .filter_map(|year| Some((year.year?, year.count.documents)))
        .collect();
    if known.is_empty() {
        return format!("<p class=\"note\">{title}: none.</p>\n");
    }
    let last = known.last().map_or(0, |(year, _)| *year);
    let first = known.first().map_or(0, |(year, _)| {
        (*year).clamp(last - YEARS + 1, last - FEWEST_YEARS + 1)
    });
    let count = f64::from(last - first + 1);
    let place = |year: i32| f64::from(year - first) / count;
    let is_earlier = |year: &&Year| year.year.is_some_and(|year| year < first);
    let earlier: u64 = years
        .iter()
        .filter(is_earlier)
        .map(|year| year.count.documents)
        .sum();
    let drawn = known.iter().filter(|(year, _)| *year >= first);
    let chart = Chart {
        label: format!("{title}; the table below has its numbers"),
        columns: drawn
            .map(|(year, documents)| Column {
                from: place(*year),
                to: place(*year + 1),
                documents: *documents,
                title: format!("{year}: {}", counted(*documents, "document")),
            })
            .collect(),
        ticks: year_ticks(first, last)
            .map(|year| (place(year) + 0.5 / count, year.to_string()))
            .collect(),
        lines: Vec::new(),
    };
    let mut table = Table::new(&format!("{title}, in numbers"), "Year");
    for year in years
        .iter()
        .filter(|year| year.year.is_none_or(|year| year >= first))
    {
        let name = year.year.map_or("not stated".to_owned(), |year| year.to_string());
        table.row(
            &name,
            [
                ("Documents", Cell::count(year.count.documents)),
                ("Words", Cell::count(year.count.words)),
            ],
        );
    }
    if earlier > 0 {
        table.row(
            &format!("before {first}"),
            [
                ("Documents", Cell::count(earlier)),
                (
                    "Words",
                    Cell::count(years.iter().filter(is_earlier).map(|year| year.count.words).sum()),
                ),
            ],
        );
    }
    let mut notes = String::new();
    let without: u64 = years
        .iter()
        .filter(|year| year.year.is_none())
        .map(|year| year.count.documents)
        .sum();
    for (documents, what) in [
        (earlier, format!("before {first}")),
        (without, "without a year".to_owned()),
    ] {
        if documents > 0 {
            notes += &format!("<p>{} {what}: not drawn</p>\n", counted(documents, "document"));
        }
    }
    figure(title, &chart, &notes, table)
}

/// Years that are named below the columns.
fn year_ticks(first: i32, last: i32) -> impl Iterator<Item = i32> {
    let step = [1, 2, 5, 10]
        .into_iter()
        .find(|step| (last - first) / step < 7)
        .unwrap_or(10);
    (first..=last).filter(move |year| year.rem_euclid(step) == 0 || first == last)
}

fn figure(title: &str, chart: &Chart, notes: &str, table: Table) -> String {
    format!(
        "<figure>\n<figcaption>{}</figcaption>\n{}{notes}<details><summary>Numbers</summary>\n{}</details>\n</figure>\n",
        escape(title),
        chart.svg(),
        table.html()
    )
}

/// Where values stand, from 0 to 1; an open bin has the width of the one before it.
fn places(histogram: &Histogram) -> impl Fn(f64) -> f64 {
    let is_logarithmic = histogram.is_logarithmic;
    let scaled = move |value: f64| {
        if is_logarithmic {
            value.max(f64::MIN_POSITIVE).ln()
        } else {
            value
        }
    };
    let first = histogram.bins.first().map_or(0.0, |bin| scaled(bin.from));
    let last = histogram
        .bins
        .last()
        .map_or(1.0, |bin| scaled(bin.to.unwrap_or(bin.from)));
    let open = match histogram.bins.as_slice() {
        [.., before, Bin { to: None, .. }] => last - scaled(before.from),
        _ => 0.0,
    };
    move |value| (scaled(value) - first) / (last + open - first)
}

/// A value in few letters: `10k`.
fn short(value: f64) -> String {
    match value {
        1e6.. => format!("{}M", number(value / 1e6)),
        1e3.. => format!("{}k", number(value / 1e3)),
        _ => number(value),
    }
}

/// Values that are named below the columns.
fn ticks(histogram: &Histogram) -> Vec<f64> {
    let edges = histogram
        .bins
        .iter()
        .flat_map(|bin| [Some(bin.from), bin.to])
        .flatten();
    let mut edges: Vec<f64> = edges.collect();
    edges.dedup();
    if histogram.is_logarithmic {
        edges.retain(|edge| (edge.log10() - edge.log10().round()).abs() < 1e-9);
        return edges;
    }
    let steps = edges.len().saturating_sub(1);
    let step = [steps / 4, steps / 5]
        .into_iter()
        .find(|step| steps.is_multiple_of(*step.max(&1)))
        .unwrap_or(steps)
        .max(1);
    edges.into_iter().step_by(step).collect()
}

/// The values of a bin.
fn range(bin: &Bin, is_last: bool) -> String {
    match bin.to {
        Some(to) if bin.from == 0.0 => format!("more than 0, less than {}", number(to)),
        Some(to) if is_last => format!("{} to {}", number(bin.from), number(to)),
        Some(to) => format!("{} to less than {}", number(bin.from), number(to)),
        None => format!("{} and more", number(bin.from)),
    }
}

fn numbers(histogram: &Histogram) -> Table {
    let mut table = Table::new(&format!("{}, in numbers", histogram.title), "Value");
    let mut row = |name: &str, documents: u64| {
        if documents > 0 {
            table.row(name, [("Documents", Cell::count(documents))]);
        }
    };
    row("none", histogram.missing);
    row("0", histogram.zero);
    for (place, bin) in histogram.bins.iter().enumerate() {
        row(&range(bin, place + 1 == histogram.bins.len()), bin.documents);
    }
    table
}

impl Chart {
    fn svg(&self) -> String {
        let most = self
            .columns
            .iter()
            .map(|column| column.documents)
            .max()
            .unwrap_or(0);
        let x = |place: f64| LEFT + place * (RIGHT - LEFT);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n<text x=\"{LEFT}\" y=\"11\">up to {}</text>\n",
            escape(&self.label),
            counted(most, "document")
        );
        for column in self.columns.iter().filter(|column| column.documents > 0) {
            let height = (column.documents as f64 / most as f64 * (BOTTOM - TOP)).max(1.0);
            let width = (x(column.to) - x(column.from) - 1.0).max(1.0);
            svg += &format!(
                "<rect class=\"b\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{}</title></rect>\n",
                x(column.from),
                BOTTOM - height,
                escape(&column.title)
            );
        }
        svg += &format!("<path class=\"axis\" d=\"M{LEFT} {BOTTOM}H{RIGHT}\"/>\n");
        for (place, label) in &self.ticks {
            let anchor = match place {
                ..0.05 => "start",
                0.95.. => "end",
                _ => "middle",
            };
            svg += &format!(
                "<text x=\"{:.1}\" y=\"161\" text-anchor=\"{anchor}\">{label}</text>\n",
                x(*place)
            );
        }
        svg + &self.lines_svg() + "</svg>\n"
    }

    fn lines_svg(&self) -> String {
        let mut svg = String::new();
        let mut rows = [f64::NEG_INFINITY; 2];
        for (place, letter) in self.lines.iter().zip('a'..='z') {
            let x = LEFT + place * (RIGHT - LEFT);
            let row = rows.iter().position(|last| x - last >= NEAR).unwrap_or(1);
            rows[row] = x;
            let y = 31.0 - 10.0 * row as f64;
            svg += &format!(
                "<path class=\"l\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/><text class=\"t\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{letter}</text>\n"
            );
        }
        svg
    }
}
