//! One automaton for all expressions of a site: Aho-Corasick over numbers of tokens.
//!
//! A token of a page can be several symbols at once: itself and all patterns that match it. The automaton is therefore in
//! several states at once: for each choice of symbols the longest prefix of an expression that the last tokens spell. Mostly
//! there is one.

use rustc_hash::FxHashMap;

/// The state before anything was read.
const ROOT: u32 = 0;

const NONE: u32 = u32::MAX;

/// The largest number of states at once; beyond it the shortest prefixes are dropped.
const MAX_STATES: usize = 256;

/// The strings of a site as an automaton.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    edges: FxHashMap<(u32, u32), u32>,
    /// By state: the state of its longest proper suffix.
    fail: Vec<u32>,
    /// By state: its symbols.
    depth: Vec<u32>,
    /// By state: the length of the longest string that ends in it, 0 for none.
    longest: Vec<u32>,
    /// By state: the string that it spells as a whole, [`NONE`] for none.
    string: Vec<u32>,
}

impl Automaton {
    pub(crate) fn new(strings: &[Vec<u32>]) -> Automaton {
        let mut automaton = Automaton {
            edges: FxHashMap::default(),
            fail: vec![ROOT],
            depth: vec![0],
            longest: vec![0],
            string: vec![NONE],
        };
        for (number, string) in strings.iter().enumerate() {
            automaton.add(string, number as u32);
        }
        automaton.link();
        automaton
    }

    fn add(&mut self, string: &[u32], number: u32) {
        let mut state = ROOT;
        for &symbol in string {
            let new = self.fail.len() as u32;
            let next = *self.edges.entry((state, symbol)).or_insert(new);
            if next == new {
                self.fail.push(ROOT);
                self.depth.push(self.depth[state as usize] + 1);
                self.longest.push(0);
                self.string.push(NONE);
            }
            state = next;
        }
        self.longest[state as usize] = string.len() as u32;
        self.string[state as usize] = number;
    }

    /// Finds the suffixes, shorter strings first.
    fn link(&mut self) {
        let mut edges: Vec<(u32, u32, u32)> = self
            .edges
            .iter()
            .map(|(&(from, symbol), &to)| (from, symbol, to))
            .collect();
        edges.sort_unstable_by_key(|&(from, _, to)| (self.depth[from as usize], to));
        for (from, symbol, to) in edges {
            if from != ROOT {
                self.fail[to as usize] = self.next(self.fail[from as usize], symbol);
            }
            let suffix = self.fail[to as usize] as usize;
            self.longest[to as usize] = self.longest[to as usize].max(self.longest[suffix]);
        }
    }

    fn next(&self, mut state: u32, symbol: u32) -> u32 {
        loop {
            if let Some(&next) = self.edges.get(&(state, symbol)) {
                return next;
            }
            if state == ROOT {
                return ROOT;
            }
            state = self.fail[state as usize];
        }
    }
}

/// The states of an automaton in one text.
#[derive(Debug)]
pub(crate) struct AutomatonRun<'a> {
    automaton: &'a Automaton,
    states: Vec<u32>,
    spare: Vec<u32>,
}

impl<'a> AutomatonRun<'a> {
    pub(crate) fn new(automaton: &'a Automaton) -> AutomatonRun<'a> {
        AutomatonRun {
            automaton,
            states: vec![ROOT],
            spare: Vec::new(),
        }
    }

    /// Reads a token that is any of these symbols. Returns the number of tokens of the longest string that ends here, 0 for
    /// none.
    pub(crate) fn read(&mut self, symbols: &[u32]) -> u32 {
        let AutomatonRun {
            automaton,
            states,
            spare,
        } = self;
        spare.clear();
        for &state in &*states {
            for &symbol in symbols {
                let next = automaton.next(state, symbol);
                if next != ROOT && !spare.contains(&next) {
                    spare.push(next);
                }
            }
        }
        if spare.len() > MAX_STATES {
            spare.sort_unstable_by_key(|&state| std::cmp::Reverse(automaton.depth[state as usize]));
            spare.truncate(MAX_STATES);
        }
        let longest = spare.iter().map(|&state| automaton.longest[state as usize]).max();
        if spare.is_empty() {
            spare.push(ROOT);
        }
        std::mem::swap(states, spare);
        longest.unwrap_or_default()
    }

    /// Calls back with the strings that end with the last token: number and length.
    pub(crate) fn each_ending(&self, mut give: impl FnMut(usize, usize)) {
        let automaton = self.automaton;
        for &state in &self.states {
            let mut state = state as usize;
            // Behind a state without a string that ends there are none.
            while automaton.longest[state] > 0 {
                if automaton.string[state] != NONE {
                    give(automaton.string[state] as usize, automaton.depth[state] as usize);
                }
                state = automaton.fail[state] as usize;
            }
        }
    }
}
