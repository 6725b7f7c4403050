//! Runs of tokens that a text repeats.
//!
//! Each run of n tokens gets a number, equal for equal runs, from the numbers of the two runs of n - 1 tokens that it consists of
//! (Karp, Miller and Rosenberg 1972). A run that occurs twice consists of runs that occur twice, and most runs of two tokens occur
//! once: so little is left to do for longer ones.

use super::table::Table;
use super::tokens::Tokens;

/// The longest runs.
const LONGEST: usize = 10;

/// Runs of two, three and four tokens: the share of the characters that the most frequent one has.
const TOP: std::ops::RangeInclusive<usize> = 2..=4;

/// Characters in repeated runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Repeated {
    /// For two, three and four tokens: the characters of the most frequent run, with spaces between its tokens, times the
    /// number of its places. Of several, the first in the text. None if there are fewer tokens.
    pub(super) top: [Option<u64>; 3],
    /// For five to ten tokens: the characters of runs that were there before, without spaces. After such a run the next one
    /// begins behind it.
    pub(super) duplicate: [u64; 6],
}

/// The memory of [`Ngrams::repeated`].
#[derive(Debug, Default)]
pub(super) struct Ngrams {
    table: Table,
    /// Where runs begin that occur more than once, in order, with their numbers; and the same for runs of one token more.
    runs: Vec<Run>,
    longer: Vec<Run>,
    counts: Vec<u32>,
    /// Before each token, the characters of all tokens.
    characters: Vec<u32>,
    seen: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    at: u32,
    number: u32,
}

impl Ngrams {
    pub(super) fn repeated(&mut self, tokens: &Tokens) -> Repeated {
        self.begin(tokens);
        let mut repeated = Repeated::default();
        for length in 2..=LONGEST {
            self.lengthen();
            if TOP.contains(&length) {
                repeated.top[length - 2] = self.top(length);
            }
            self.keep_repeated();
            if length > *TOP.end() {
                repeated.duplicate[length - 5] = self.duplicate(length);
            }
        }
        repeated
    }

    /// The runs of one token.
    fn begin(&mut self, tokens: &Tokens) {
        self.characters.clear();
        self.runs.clear();
        let mut characters = 0;
        for (at, kind) in tokens.kinds.iter().enumerate() {
            let distinct = &tokens.distinct[*kind as usize];
            self.characters.push(characters);
            characters += distinct.characters;
            if distinct.count > 1 {
                self.runs.push(Run {
                    at: at as u32,
                    number: *kind,
                });
            }
        }
        self.characters.push(characters);
    }

    /// From the repeated runs of a length to runs of one token more that may be repeated.
    fn lengthen(&mut self) {
        self.table.clear(self.runs.len());
        self.longer.clear();
        self.counts.clear();
        for pair in self.runs.array_windows() {
            let [one, next] = pair;
            if next.at != one.at + 1 {
                continue;
            }
            let (number, is_new) = self
                .table
                .number(u64::from(one.number) << 32 | u64::from(next.number));
            if is_new {
                self.counts.push(0);
            }
            self.counts[number as usize] += 1;
            self.longer.push(Run { at: one.at, number });
        }
        std::mem::swap(&mut self.runs, &mut self.longer);
    }

    /// Leaves out the runs that occur once.
    fn keep_repeated(&mut self) {
        self.runs.retain(|run| self.counts[run.number as usize] > 1);
    }

    fn top(&self, length: usize) -> Option<u64> {
        let tokens = self.characters.len() - 1;
        if tokens < length {
            return None;
        }
        let most = self.counts.iter().copied().max().unwrap_or(0);
        // Numbers are in the order of the first places. If all runs occur once, the first of all is the first in the text.
        let at = match self
            .runs
            .iter()
            .find(|run| most > 1 && self.counts[run.number as usize] == most)
        {
            Some(run) => run.at as usize,
            None => 0,
        };
        let characters = u64::from(self.characters_of(at, length)) + length as u64 - 1;
        Some(characters * u64::from(most.max(1)))
    }

    fn duplicate(&mut self, length: usize) -> u64 {
        self.seen.clear();
        self.seen.resize(self.counts.len(), false);
        let (mut characters, mut next) = (0, 0);
        for run in &self.runs {
            if run.at < next {
                continue;
            }
            if std::mem::replace(&mut self.seen[run.number as usize], true) {
                characters += u64::from(self.characters_of(run.at as usize, length));
                next = run.at + length as u32;
            }
        }
        characters
    }

    fn characters_of(&self, at: usize, length: usize) -> u32 {
        self.characters[at + length] - self.characters[at]
    }
}
