//! The histogram of strings by the pages they are on, and its cut-off (steps 8 and 9).

use serde::{Deserialize, Serialize};

/// Bins of a histogram.
pub const BINS: usize = 100;

/// Numbers of maximal strings by their share of the pages, from few pages (bin 0) to all (bin 99).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Strings by bin.
    pub bins: Vec<u64>,
    /// Pages of the site that were mined.
    pub pages: u32,
}

/// The cut-off where templates begin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CutOff {
    /// The first bin of templates, b_c.
    pub bin: usize,
    /// E(b_c) of equation 3.1.
    pub energy: f64,
    /// x, the mean bin of the strings below; none without such strings.
    pub below: Option<f64>,
    /// y, the mean bin of the strings above; none without such strings.
    pub above: Option<f64>,
}

impl Histogram {
    /// An empty histogram of a site of `pages` pages.
    pub fn new(pages: u32) -> Histogram {
        Histogram {
            bins: vec![0; BINS],
            pages,
        }
    }

    /// Counts a string that is on `pages` pages.
    pub fn add(&mut self, pages: u32) {
        let bin = self.bin(pages);
        self.bins[bin] += 1;
    }

    /// The bin of a string on `pages` pages; a string on all pages is in the last.
    pub fn bin(&self, pages: u32) -> usize {
        let bin = u64::from(pages) * BINS as u64 / u64::from(self.pages.max(1));
        (bin as usize).min(BINS - 1)
    }

    /// The smallest number of pages of a string in `bin` or above.
    pub fn pages_of(&self, bin: usize) -> u32 {
        (bin as u64 * u64::from(self.pages)).div_ceil(BINS as u64) as u32
    }

    /// The bin that minimises equation 3.1, by trying all:
    ///
    /// E(b) = sum over i < b of (i - x)^2 h_i + sum over i >= b of (i - y)^2 h_i,  b = (x + y) / 2
    ///
    /// The centres x and y that minimise it for a given b are the means of both sides. The bins of
    /// a gap between the sides have the same energy; the one next to (x + y) / 2 is taken. Without
    /// strings on both sides of any bin all strings are on equally many pages, and above.
    pub fn cut_off(&self) -> CutOff {
        let first = self.bins.iter().position(|&count| count > 0).unwrap_or_default();
        let mut best = self.split(first);
        for bin in first + 1..BINS {
            let split = self.split(bin);
            if split.has_both() && (!best.has_both() || split.order() < best.order()) {
                best = split;
            }
        }
        best
    }

    fn split(&self, bin: usize) -> CutOff {
        let (below, above) = (self.side(0..bin), self.side(bin..BINS));
        CutOff {
            bin,
            energy: below.energy + above.energy,
            below: below.mean,
            above: above.mean,
        }
    }

    fn side(&self, bins: std::ops::Range<usize>) -> Side {
        let of = |power: i32| -> f64 {
            let terms = bins
                .clone()
                .map(|bin| (bin as f64).powi(power) * self.bins[bin] as f64);
            terms.sum()
        };
        let (count, sum, squares) = (of(0), of(1), of(2));
        let mean = (count > 0.0).then(|| sum / count);
        Side {
            mean,
            energy: mean.map_or(0.0, |mean| (squares - sum * mean).max(0.0)),
        }
    }
}

struct Side {
    mean: Option<f64>,
    energy: f64,
}

impl CutOff {
    fn has_both(&self) -> bool {
        self.below.is_some() && self.above.is_some()
    }

    /// (x + y) / 2, if there are strings on both sides.
    pub fn middle(&self) -> Option<f64> {
        Some((self.below? + self.above?) / 2.0)
    }

    /// Smaller is better: energy first, then nearness to the middle of both centres. Energies that
    /// differ by rounding alone are the same.
    fn order(&self) -> (u64, u64) {
        let off = self
            .middle()
            .map_or(0.0, |middle| (self.bin as f64 - middle).abs());
        ((self.energy * 1e3).round() as u64, (off * 1e6) as u64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn histogram(bins: &[(usize, u64)]) -> Histogram {
        let mut histogram = Histogram::new(200);
        for &(bin, count) in bins {
            histogram.bins[bin] = count;
        }
        histogram
    }

    /// The shape of figure 3.2: a power law, and a mode at the right.
    #[test]
    fn the_cut_off_is_where_the_eye_puts_it() {
        let mut bins: Vec<(usize, u64)> = (1..70).map(|bin| (bin, 5000 / (bin * bin) as u64)).collect();
        bins.extend((85..100).map(|bin| (bin, 60)));
        let cut_off = histogram(&bins).cut_off();
        assert!((25..80).contains(&cut_off.bin), "{cut_off:?}");
        assert!((cut_off.middle().unwrap() - cut_off.bin as f64).abs() <= 1.0);
    }

    #[test]
    fn a_gap_is_cut_in_its_middle() {
        let cut_off = histogram(&[(10, 7), (90, 7)]).cut_off();
        assert_eq!(
            (cut_off.bin, cut_off.below, cut_off.above),
            (50, Some(10.0), Some(90.0))
        );
        assert_eq!(cut_off.energy, 0.0);
    }

    #[test]
    fn strings_on_equally_many_pages_are_all_above() {
        assert_eq!(histogram(&[(99, 5)]).cut_off().bin, 99);
        assert_eq!(histogram(&[]).cut_off().bin, 0);
    }

    #[test]
    fn bins_and_pages_belong_together() {
        for pages in [1, 3, 12, 50, 99, 100, 101, 512, 9795] {
            let histogram = Histogram::new(pages);
            for bin in 0..BINS {
                let least = histogram.pages_of(bin);
                assert!(least > pages || histogram.bin(least) >= bin);
                assert!(least == 0 || histogram.bin(least - 1) < bin.max(1));
            }
        }
    }

    proptest! {
        /// The energy is the one of the formula, and no other bin with strings on both sides has less.
        #[test]
        fn no_bin_has_less_energy(bins in prop::collection::vec((0usize..BINS, 1u64..1000), 2..20)) {
            let histogram = histogram(&bins);
            let energy = |bin: usize| {
                let side = |bins: std::ops::Range<usize>| {
                    let weights: Vec<(f64, f64)> = bins.map(|i| (i as f64, histogram.bins[i] as f64)).collect();
                    let count: f64 = weights.iter().map(|(_, count)| count).sum();
                    let mean = weights.iter().map(|(i, count)| i * count).sum::<f64>() / count;
                    (count > 0.0).then(|| weights.iter().map(|(i, count)| (i - mean).powi(2) * count).sum::<f64>())
                };
                side(0..bin).zip(side(bin..BINS)).map(|(below, above)| below + above)
            };
            let cut_off = histogram.cut_off();
            let least = (0..BINS).filter_map(energy).fold(f64::INFINITY, f64::min);
            if least.is_finite() {
                prop_assert!((cut_off.energy - least).abs() <= 1e-2 + 1e-9 * least, "{:?} {}", cut_off, least);
                // b_c = (x + y) / 2, as nearly as whole bins and bins without strings allow.
                let middle = cut_off.middle().unwrap();
                let between = cut_off.bin.min(middle.ceil() as usize)..cut_off.bin.max(middle.ceil() as usize);
                prop_assert!(between.clone().all(|bin| histogram.bins[bin] == 0) , "{:?}", cut_off);
            }
        }
    }
}
