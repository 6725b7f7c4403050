//! The kind of a page as a person would call it, told from cues of the whole page.
//!
//! In: [`PageCues`]. Out: a kind and its probability, by softmax regression on what the codes of the cues reach: a page whose
//! code of a cue is 3 has the weights of 1, 2 and 3. So a weight is learned from all pages that reach it, and rare codes
//! take after their neighbours. The weights are a text, which people can read: see [`PageKinds::to_text`].

use std::fmt::Write;

use gleaner_crf::LANES;
use gleaner_features::{MOST_CUE, PageCues};

use crate::Error;
use crate::content::softmax;

/// How many weights a cue has for each kind: of the codes from one on.
pub(crate) const STEPS: usize = MOST_CUE as usize;

/// What a page is of that no kind is likely for.
pub const OTHER_KIND: &str = "other";
/// A kind is likely from this probability on.
const LIKELY: f64 = 1.0 / 3.0;

/// The weights of all kinds, then zeros.
type Row = [f32; LANES];

/// What tells the kind of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageKinds {
    kinds: Vec<String>,
    bias: Row,
    /// Cue by cue, [`STEPS`] rows.
    weights: Vec<Row>,
}

impl PageKinds {
    /// From the weights of the cues, cue by cue and step by step, and last the bias: of each a number for each kind.
    pub(crate) fn new(kinds: &[String], weights: &[f64]) -> PageKinds {
        let mut rows: Vec<Row> = weights.chunks(kinds.len()).map(row).collect();
        PageKinds {
            kinds: kinds.to_vec(),
            bias: rows.pop().unwrap_or_default(),
            weights: rows,
        }
    }

    /// The names of the kinds.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// The most probable kind of a page with these codes of its cues, and its probability; where that is less than a third,
    /// the kind is [`OTHER_KIND`]. Nothing without cues.
    pub fn tell(&self, cues: &PageCues) -> Option<(&str, f32)> {
        if cues.codes().is_empty() {
            return None;
        }
        let mut scores = self.bias.map(f64::from);
        for (rows, &code) in self.weights.chunks(STEPS).zip(cues.codes()) {
            for row in &rows[..usize::from(code)] {
                scores
                    .iter_mut()
                    .zip(row)
                    .for_each(|(score, &weight)| *score += f64::from(weight));
            }
        }
        let probabilities = softmax(&scores[..self.kinds.len()]);
        let kinds = self.kinds.iter().zip(probabilities);
        let (kind, probability) = kinds.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let kind = if probability < LIKELY { OTHER_KIND } else { kind };
        Some((kind, probability as f32))
    }

    /// The weights as a table, columns apart by tabs: the cue, the code from which a weight counts, and the weight for each
    /// kind. The first row is the bias. Rows of zeros are left out.
    pub fn to_text(&self) -> String {
        let mut text = format!("cue\tcode\t{}\n", self.kinds.join("\t"));
        self.write_row(&mut text, "bias", 0, &self.bias);
        for (cue, rows) in PageCues::names().iter().zip(self.weights.chunks(STEPS)) {
            for (step, row) in rows.iter().enumerate() {
                self.write_row(&mut text, cue, step + 1, row);
            }
        }
        text
    }

    fn write_row(&self, text: &mut String, cue: &str, code: usize, row: &Row) {
        let weights: Vec<String> = row[..self.kinds.len()]
            .iter()
            .map(|weight| format!("{weight:.3}"))
            .collect();
        if code == 0
            || weights
                .iter()
                .any(|weight| !["0.000", "-0.000"].contains(&&**weight))
        {
            writeln!(text, "{cue}\t{code}\t{}", weights.join("\t")).expect("texts can be written to");
        }
    }

    /// Reads a table.
    ///
    /// # Errors
    /// A line is no row of such a table, or its cue is none of this program; the error names the line.
    pub fn from_text(text: &str) -> Result<PageKinds, Error> {
        let wrong = |line: usize, what: &str| Error::Description(format!("line {}: {what}", line + 1));
        let mut lines = text.lines().enumerate();
        let heads = lines
            .next()
            .and_then(|(_, line)| line.strip_prefix("cue\tcode\t"));
        let kinds: Vec<String> = heads.unwrap_or_default().split('\t').map(str::to_owned).collect();
        if heads.is_none() || kinds.len() > LANES {
            return Err(wrong(0, "no head of a table of page kinds"));
        }
        let names = PageCues::names();
        let mut found = PageKinds {
            kinds,
            bias: Row::default(),
            weights: vec![Row::default(); names.len() * STEPS],
        };
        for (number, line) in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let numbers: Result<Vec<f64>, _> = fields.iter().skip(2).map(|field| field.parse()).collect();
            let numbers = numbers.map_err(|error| wrong(number, &error.to_string()))?;
            let code = fields.get(1).and_then(|code| code.parse::<usize>().ok());
            let cue = names.iter().position(|name| name == fields[0]);
            let is_whole =
                numbers.len() == found.kinds.len() && numbers.iter().all(|number| number.is_finite());
            match (cue, code) {
                _ if !is_whole => return Err(wrong(number, "not a number for each kind")),
                (Some(cue), Some(code @ 1..=STEPS)) => found.weights[cue * STEPS + code - 1] = row(&numbers),
                (None, Some(0)) if fields[0] == "bias" => found.bias = row(&numbers),
                _ => {
                    return Err(wrong(
                        number,
                        "no cue that this program knows, or no code of it: train the kinds again",
                    ));
                }
            }
        }
        Ok(found)
    }
}

fn row(numbers: &[f64]) -> Row {
    std::array::from_fn(|kind| numbers.get(kind).map_or(0.0, |&number| number as f32))
}

#[cfg(test)]
mod tests {
    use gleaner_columns::Columns;
    use gleaner_features::{Extractor, FeatureConfig};
    use gleaner_page::Parser;

    use super::*;

    fn cues(html: &str) -> PageCues {
        let mut parser = Parser::new(Default::default());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut extractor = Extractor::new(FeatureConfig::default()).unwrap();
        let mut cues = PageCues::default();
        extractor.extract(page, "http://a.example/", &mut Columns::default());
        extractor.page_cues(page, "http://a.example/", &mut cues);
        cues
    }

    fn table() -> PageKinds {
        PageKinds::from_text(
            "cue\tcode\tarticle\tproduct\nbias\t0\t1\t0\nword.cart\t1\t0\t2.5\nword.cart\t2\t-0.5\t0\n",
        )
        .unwrap()
    }

    #[test]
    fn weights_count_from_their_codes_on() {
        let table = table();
        let (kind, plain) = table.tell(&cues("<p>Nothing to sell")).unwrap();
        assert_eq!((kind, plain), ("article", sigmoid(1.0)));
        let once = table.tell(&cues("<p>Add to cart")).unwrap();
        assert_eq!(once, ("product", sigmoid(1.5)));
        let twice = table.tell(&cues("<p>Add to cart<p>Checkout")).unwrap();
        assert_eq!(twice, ("product", sigmoid(2.0)));
        assert_eq!(table.tell(&PageCues::default()), None);
    }

    #[test]
    fn where_no_kind_is_likely_it_is_another() {
        let table = PageKinds::from_text("cue\tcode\ta\tb\tc\td\nbias\t0\t0.1\t0\t0\t0\n").unwrap();
        assert_eq!(table.tell(&cues("<p>Anything")).unwrap().0, OTHER_KIND);
    }

    fn sigmoid(x: f64) -> f32 {
        (1.0 / (1.0 + (-x).exp())) as f32
    }

    #[test]
    fn tables_are_written_as_they_were_read_and_errors_name_the_line() {
        let table = table();
        assert_eq!(PageKinds::from_text(&table.to_text()).unwrap(), table);
        for (text, line) in [
            ("", "line 1"),
            ("cue\tcode\ta\nbias\t0\tx\n", "line 2"),
            ("cue\tcode\ta\nbias\t0\t1\t2\n", "line 2"),
            ("cue\tcode\ta\nbias\t0\t1\nno.cue\t1\t1\n", "line 3"),
            ("cue\tcode\ta\nbias\t0\t1\nword.cart\t9\t1\n", "line 3"),
        ] {
            let error = PageKinds::from_text(text).unwrap_err().to_string();
            assert!(error.contains(line), "{error}");
        }
    }
}
