//! Numbers counted by bins, each with the filters that find its documents: a bar and a search are of the same numbers, as they are written.

use std::collections::BTreeMap;

use gleaner_report::Scale;
use serde::Serialize;

/// Parameters of a request, and their values.
pub(crate) type FilterMap = BTreeMap<String, String>;

/// Documents with numbers from one to another. Numbers below 0 and zeros have bins of their own, if there are any.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Bin {
    /// None where there is no begin.
    from: Option<f64>,
    /// None where there is no end.
    to: Option<f64>,
    count: u64,
    /// What finds these documents, and no others.
    filters: FilterMap,
}

/// Counts of numbers on a scale.
#[derive(Clone, Debug)]
pub(crate) struct Bins<'s> {
    scale: &'s Scale,
    missing: u64,
    negative: u64,
    zero: u64,
    counts: Vec<u64>,
}

impl<'s> Bins<'s> {
    pub(crate) fn new(scale: &'s Scale) -> Bins<'s> {
        Bins {
            scale,
            missing: 0,
            negative: 0,
            zero: 0,
            counts: vec![0; scale.bins()],
        }
    }

    /// Counts a document.
    pub(crate) fn count(&mut self, number: Option<f64>) {
        match number {
            None => self.missing += 1,
            Some(0.0) => self.zero += 1,
            Some(..0.0) => self.negative += 1,
            Some(number) => {
                // Numbers outside of the edges are in the first or the last bin.
                let edges = self.scale.edges();
                let before = edges.partition_point(|edge| *edge <= number).saturating_sub(1);
                self.counts[before.min(self.scale.bins() - 1)] += 1;
            }
        }
    }

    /// Adds what was counted elsewhere.
    pub(crate) fn add(&mut self, other: &Bins<'_>) {
        self.missing += other.missing;
        self.negative += other.negative;
        self.zero += other.zero;
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            *own += other;
        }
    }

    /// Documents without a number.
    pub(crate) fn missing(&self) -> u64 {
        self.missing
    }

    /// The bins of a column.
    pub(crate) fn of(&self, column: &str) -> Vec<Bin> {
        let bin = |from, to, count, filters: &[(&str, f64)]| Bin {
            from,
            to,
            count,
            filters: filters
                .iter()
                .map(|(test, limit)| (format!("{test}.{column}"), limit.to_string()))
                .collect(),
        };
        let negative = bin(None, Some(0.0), self.negative, &[("below", 0.0)]);
        let zero = bin(Some(0.0), Some(0.0), self.zero, &[("min", 0.0), ("max", 0.0)]);
        let mut bins: Vec<Bin> = [negative, zero].into_iter().filter(|bin| bin.count > 0).collect();
        let edges = self.scale.edges();
        let last = self.counts.len() - 1;
        for (number, count) in self.counts.iter().enumerate() {
            let (from, to) = (edges[number], edges.get(number + 1).copied());
            let begin = if number == 0 {
                ("above", 0.0)
            } else {
                ("min", from)
            };
            let filters = match to.filter(|_| number < last) {
                Some(to) => vec![begin, ("below", to)],
                None => vec![begin],
            };
            bins.push(bin(Some(from), to, *count, &filters));
        }
        bins
    }
}
