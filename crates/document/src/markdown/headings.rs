//! The levels of headings.

use gleaner_content::Label;

use crate::Piece;
use crate::structure::Structure;

/// Levels follow the ranks of a page, moved so that its main heading has the first one.
#[derive(Debug)]
pub(super) struct Headings {
    /// What is taken from each rank.
    moved: u8,
    /// The level of the last heading with a rank; 0 before the first.
    last: u8,
    /// Whether a heading was written.
    has_first: bool,
    /// Whether the first heading of the page is its main one.
    is_first_main: bool,
}

impl Headings {
    /// The headings among the blocks of a page, behind the main one if that is known: the one with this block.
    ///
    /// Else, where the page shows none of the first rank, its first heading is the main one if no other has its rank; if others
    /// have, they are sections of a page whose main heading is not among them.
    pub(super) fn new(structure: &Structure, blocks: &[Piece<'_>], main: Option<usize>) -> Headings {
        let kept = blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| block.label == Label::Header);
        let ranks: Vec<u8> = kept.map(|(at, _)| structure.place(at).rank).collect();
        let highest = ranks.iter().copied().filter(|&rank| rank > 0).min().unwrap_or(2);
        if let Some(main) = main {
            return Headings::behind(structure.place(main).rank, highest);
        }
        let is_alone = ranks.iter().filter(|&&rank| rank == highest).count() == 1;
        let is_first_main =
            highest > 1 && (ranks.first() == Some(&0) || (is_alone && ranks.first() == Some(&highest)));
        let is_of_rank = is_first_main && ranks.first() == Some(&highest);
        Headings {
            moved: match highest {
                1 => 0,
                highest if is_of_rank => highest - 1,
                highest => highest - 2,
            },
            last: 0,
            has_first: false,
            is_first_main,
        }
    }

    /// The headings behind the main one, of its rank and of their highest one.
    fn behind(main: u8, highest: u8) -> Headings {
        Headings {
            moved: match highest {
                1 => 0,
                highest if main > 0 && highest > main => main - 1,
                highest => highest - 2,
            },
            last: 1,
            has_first: true,
            is_first_main: false,
        }
    }

    /// The level of the next heading, which has this rank. One without a rank stands below the last one that has one.
    pub(super) fn level(&mut self, rank: Option<u8>) -> usize {
        let is_first = !std::mem::replace(&mut self.has_first, true);
        let level = match rank {
            _ if is_first && self.is_first_main => 1,
            Some(rank) => rank.saturating_sub(self.moved).clamp(1, 6),
            None if self.last == 0 => 2,
            None => (self.last + 1).min(6),
        };
        if rank.is_some() || is_first {
            self.last = level;
        }
        usize::from(level)
    }
}
