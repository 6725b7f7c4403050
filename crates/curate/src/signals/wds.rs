//! The measures of HPLT's Web Docs Scorer.

use super::line::Line;

/// What HPLT's Web Docs Scorer (WDS) measures of a text: de Gibert et al. 2024 and the description of its version of 2025. A
/// segment is a line that is not empty. Alphabetic characters are letters and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WdsSignals {
    /// Alphabetic characters.
    pub alphabetic: u32,
    /// How often `http` and `www` occur.
    pub urls: u32,
    /// Numeric characters divided by alphabetic ones.
    pub numbers: f64,
    /// Marks of punctuation divided by alphabetic characters.
    pub punctuation: f64,
    /// Characters that are neither alphabetic nor numeric, punctuation or white space, divided by alphabetic ones.
    pub singular: f64,
    /// Numeric characters in segments that have more than one for ten alphabetic ones.
    pub dense_numbers: u32,
    /// Singular characters in segments that have more than one for ten alphabetic ones.
    pub dense_singular: u32,
    /// The share of alphabetic characters in segments with at most one mark of punctuation for 200 of them.
    pub unpunctuated: f64,
    /// Segments of four characters and more that occur more than once, divided by all of these.
    pub repeated_segments: f64,
    /// Segments with at least 250 alphabetic characters.
    pub long_segments: u32,
    /// The alphabetic characters of the longest segment.
    pub longest_segment: u32,
    /// The mean of the alphabetic characters of the segments with more than 625; 0 without such.
    pub great_segments: f64,
    /// The coefficient of variation of the alphabetic characters of segments, of which at most 250 count. 0 without segments.
    pub segment_variation: f64,
    /// Segments.
    pub segments: u32,
}

const LONG: u32 = 250;
const GREAT: f64 = 625.0;
const GREATEST: f64 = 1000.0;

impl WdsSignals {
    /// The score, from 0 to 1, with the limits that WDS has for Spanish, in place of limits for each language, and without the
    /// measure of compression. The language score is the share of the text that is in its first language.
    pub fn score(&self, language_score: f64) -> f64 {
        let long = (f64::from(self.long_segments) * 0.1).min(1.0);
        let great = match self.longest_segment {
            longest if f64::from(longest) >= GREATEST => 1.0,
            _ => on(self.great_segments, &[(GREAT, 0.0), (GREATEST, 1.0)]),
        };
        let basic = language_score * 0.8 + long * 0.1 + great * 0.1;
        basic * penalty(&self.penalties())
    }

    fn penalties(&self) -> [f64; 6] {
        let urls = f64::from(self.urls) * 2400.0 / f64::from(self.alphabetic.max(1));
        let numbers = on(100.0 * self.numbers, &[(1.0, 1.0), (30.0, 0.0)]);
        let dense_numbers = on(f64::from(self.dense_numbers), &[(50.0, 1.0), (500.0, 0.0)]);
        let few_or_many = [(0.3, 0.0), (0.5, 0.5), (0.9, 1.0), (2.5, 1.0), (25.0, 0.0)];
        let unpunctuated = [(0.5, 1.0), (20.0, 0.6), (40.0, 0.0)];
        let singular = [(1.0, 1.0), (2.0, 0.7), (6.0, 0.5), (10.0, 0.0)];
        let variation = on(self.segment_variation, &[(0.0, 0.5), (0.6, 1.0)]);
        [
            on(urls, &[(3.0, 1.0), (10.0, 0.0)]),
            numbers * dense_numbers,
            on(100.0 * self.punctuation, &few_or_many).min(on(100.0 * self.unpunctuated, &unpunctuated)),
            on(100.0 * self.singular, &singular)
                * on(f64::from(self.dense_singular), &[(30.0, 1.0), (150.0, 0.0)]),
            1.0 - self.repeated_segments,
            if self.segments < 5 { 1.0 } else { variation },
        ]
    }
}

/// The value at a place of a line through points.
fn on(at: f64, points: &[(f64, f64)]) -> f64 {
    let next = points.partition_point(|point| point.0 <= at);
    match (next.checked_sub(1).map(|before| points[before]), points.get(next)) {
        (Some((from, one)), Some((to, other))) => one + (other - one) * (at - from) / (to - from),
        (Some((_, value)), None) | (None, Some(&(_, value))) => value,
        (None, None) => 0.0,
    }
}

/// A geometric mean in which small values have more weight: each has the exponent x^-2.9, divided by the sum of these, and by 3.
fn penalty(scores: &[f64]) -> f64 {
    const WEIGHT: f64 = -2.9;
    if scores.iter().any(|score| *score <= 0.0) {
        return 0.0;
    }
    let sum: f64 = scores.iter().map(|score| score.powf(WEIGHT)).sum();
    scores
        .iter()
        .map(|score| score.powf(score.powf(WEIGHT) / sum / 3.0))
        .product()
}

/// The sums of the segments that were added.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wds {
    signals: WdsSignals,
    numeric: u32,
    punctuation: u32,
    singular: u32,
    unpunctuated: u32,
    great: (u32, u64),
    capped: (u64, u64),
}

impl Wds {
    /// Adds a line that is not empty.
    pub(super) fn add(&mut self, line: &Line<'_>) {
        let signals = &mut self.signals;
        signals.segments += 1;
        signals.alphabetic += line.alphabetic;
        self.numeric += line.numeric;
        self.punctuation += line.punctuation;
        self.singular += line.singular;
        if 10 * line.numeric > line.alphabetic {
            signals.dense_numbers += line.numeric;
        }
        if 10 * line.singular > line.alphabetic {
            signals.dense_singular += line.singular;
        }
        if 200 * line.punctuation <= line.alphabetic {
            self.unpunctuated += line.alphabetic;
        }
        signals.long_segments += u32::from(line.alphabetic >= LONG);
        signals.longest_segment = signals.longest_segment.max(line.alphabetic);
        if f64::from(line.alphabetic) > GREAT {
            self.great.0 += 1;
            self.great.1 += u64::from(line.alphabetic);
        }
        let capped = u64::from(line.alphabetic.min(LONG));
        self.capped.0 += capped;
        self.capped.1 += capped * capped;
    }

    /// The measures. Of segments of four characters and more, some occur more than once.
    pub(super) fn signals(self, urls: u32, repeated: u32, countable: u32) -> WdsSignals {
        let ratio = |count: u32| share(f64::from(count), f64::from(self.signals.alphabetic));
        WdsSignals {
            urls,
            numbers: ratio(self.numeric),
            punctuation: ratio(self.punctuation),
            singular: ratio(self.singular),
            unpunctuated: ratio(self.unpunctuated),
            repeated_segments: share(f64::from(repeated), f64::from(countable)),
            great_segments: share(self.great.1 as f64, f64::from(self.great.0)),
            segment_variation: variation(self.capped, f64::from(self.signals.segments)),
            ..self.signals
        }
    }
}

/// Standard deviation divided by mean, from the sums of values and squares.
fn variation((sum, squares): (u64, u64), count: f64) -> f64 {
    let mean = share(sum as f64, count);
    let variance = share(squares as f64, count) - mean * mean;
    share(variance.max(0.0).sqrt(), mean)
}

/// A ratio, and 0 for 0 / 0.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_on_lines() {
        let points = [(1.0, 1.0), (3.0, 0.5), (4.0, 0.0)];
        for (at, value) in [
            (0.0, 1.0),
            (1.0, 1.0),
            (2.0, 0.75),
            (3.0, 0.5),
            (3.5, 0.25),
            (9.0, 0.0),
        ] {
            assert_eq!(on(at, &points), value, "{at}");
        }
    }

    #[test]
    fn one_low_score_weighs_most() {
        assert_eq!(penalty(&[1.0; 6]), 1.0);
        assert_eq!(penalty(&[1.0, 1.0, 0.0]), 0.0);
        let one = penalty(&[1.0, 1.0, 1.0, 0.5]);
        assert!(one < 0.85 && one > 0.5 && penalty(&[0.9; 4]) > one, "{one}");
    }
}
