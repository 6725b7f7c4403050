//! A score a label, padded to a fixed number of lanes so that the compiler keeps it in registers.

/// Labels are padded to this many.
pub const LANES: usize = 8;

/// The score of a lane that stands for no label: its probability is zero beside any real score.
pub(crate) const NO_LABEL: f32 = -1e30;

/// A score a label. Aligned, so that a row never straddles two cache lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Row(pub [f32; LANES]);

impl Row {
    /// Zero for the first `labels` lanes, -1e30 for the others.
    pub fn empty(labels: usize) -> Row {
        Row(std::array::from_fn(
            |lane| if lane < labels { 0.0 } else { NO_LABEL },
        ))
    }

    /// The scores of one attribute, padded with zeros.
    pub fn padded(weights: &[f32]) -> Row {
        Row(std::array::from_fn(|lane| {
            weights.get(lane).copied().unwrap_or(0.0)
        }))
    }

    /// The largest lane.
    #[inline(always)]
    pub fn max(&self) -> f32 {
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        let halves: [f32; 4] = std::array::from_fn(|lane| larger(self.0[lane], self.0[lane + 4]));
        larger(larger(halves[0], halves[2]), larger(halves[1], halves[3]))
    }

    /// Adds lane by lane.
    #[inline(always)]
    pub fn add(&mut self, other: &Row) {
        for lane in 0..LANES {
            self.0[lane] += other.0[lane];
        }
    }
}

/// The place of the largest value, the first of equal ones.
pub fn argmax(values: &[f32]) -> usize {
    let mut best = 0;
    for (place, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = place;
        }
    }
    best
}
