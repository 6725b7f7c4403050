//! A score a label, padded to a fixed number of lanes so that the compiler keeps it in registers.

/// Labels are padded to this many.
pub(crate) const LANES: usize = 8;

/// The score of a lane that stands for no label: its probability is zero beside any real score.
pub(crate) const NO_LABEL: f32 = -1e30;

/// A score a label. Aligned, so that a row never straddles two cache lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Row(pub(crate) [f32; LANES]);

impl Row {
    /// Zero for the first `labels` lanes, [`NO_LABEL`] for the others.
    pub(crate) fn empty(labels: usize) -> Row {
        Row(std::array::from_fn(
            |lane| if lane < labels { 0.0 } else { NO_LABEL },
        ))
    }

    /// The scores of one attribute, padded with zeros.
    pub(crate) fn padded(weights: &[f32]) -> Row {
        Row(std::array::from_fn(|lane| {
            weights.get(lane).copied().unwrap_or(0.0)
        }))
    }

    /// Adds lane by lane.
    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Row) {
        for (sum, value) in self.0.iter_mut().zip(&other.0) {
            *sum += value;
        }
    }
}
