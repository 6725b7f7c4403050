//! Lines of Markdown in quotations, lists and footnotes.

/// Maximum depth of quotations and lists within each other: each adds to all lines in it.
const MOST_NESTED: usize = 12;

/// Maximum number of an item: CommonMark allows nine digits.
const LARGEST_NUMBER: i64 = 999_999_999;

/// Blocks of Markdown, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Lines {
    out: String,
    /// What stands before lines, from the outermost to the innermost.
    prefixes: Vec<Prefix>,
    /// The lists that are open.
    lists: Vec<List>,
    /// The sign of the list that ended last, and in how many prefixes it stood, if no block stands behind it.
    ended: Option<(usize, char)>,
    /// Whether the next block follows without an empty line.
    is_tight: bool,
}

/// What a quotation, an item or a footnote puts before its lines.
#[derive(Debug)]
struct Prefix {
    /// Before the first line; none where that is written.
    first: Option<String>,
    /// Before the others.
    rest: String,
    is_item: bool,
}

#[derive(Debug)]
struct List {
    /// What stands before an item, behind its number if it has one.
    sign: char,
    has_numbers: bool,
    has_items: bool,
    /// Whether its first item may follow a paragraph without an empty line.
    may_follow: bool,
    /// How many prefixes there are around it.
    depth: usize,
}

impl Lines {
    pub(super) fn open_quote(&mut self) {
        self.open("> ".to_owned(), "> ".to_owned(), false);
    }

    pub(super) fn close_quote(&mut self) {
        self.close();
    }

    /// A list begins, whose items have numbers or none.
    pub(super) fn open_list(&mut self, has_numbers: bool) {
        let signs = if has_numbers { ['.', ')'] } else { ['-', '*'] };
        // Two lists with one sign would be one list.
        let is_behind_same = self.ended == Some((self.prefixes.len(), signs[0]));
        self.lists.push(List {
            sign: signs[usize::from(is_behind_same)],
            has_numbers,
            has_items: false,
            depth: self.prefixes.len(),
            may_follow: self
                .prefixes
                .last()
                .is_some_and(|last| last.is_item && last.first.is_none()),
        });
    }

    pub(super) fn close_list(&mut self) {
        if let Some(list) = self.lists.pop() {
            self.ended = Some((self.prefixes.len(), list.sign));
        }
        self.is_tight = false;
    }

    pub(super) fn open_item(&mut self, number: i64) {
        let is_written = self.prefixes.len() < MOST_NESTED;
        let Some(list) = self.lists.last_mut() else { return };
        // In a paragraph no number but 1 begins a list.
        let may_follow = list.may_follow && (!list.has_numbers || number == 1);
        let may_be_tight = std::mem::replace(&mut list.has_items, true) || may_follow;
        let marker = match list.has_numbers {
            true => format!("{}{} ", number.clamp(0, LARGEST_NUMBER), list.sign),
            false => format!("{} ", list.sign),
        };
        // At the beginning of another item it stands in the line of that.
        let begins_item = self
            .prefixes
            .last()
            .is_some_and(|last| last.is_item && last.first.is_some());
        if !begins_item {
            self.is_tight = may_be_tight && is_written;
        }
        let rest = " ".repeat(marker.len());
        self.open(marker, rest, true);
    }

    /// A footnote begins. It stands in no list: what follows it in its own list begins a new one.
    pub(super) fn open_note(&mut self, label: &str) {
        self.begin_new_list();
        self.open(format!("[^{label}]: "), "    ".to_owned(), true);
    }

    pub(super) fn close_item(&mut self) {
        self.close();
    }

    fn open(&mut self, first: String, rest: String, is_item: bool) {
        let is_written = self.prefixes.len() < MOST_NESTED;
        self.prefixes.push(match is_written {
            true => Prefix {
                first: Some(first),
                rest,
                is_item,
            },
            false => Prefix {
                first: None,
                rest: String::new(),
                is_item: false,
            },
        });
    }

    fn close(&mut self) {
        self.prefixes.pop();
        self.is_tight = false;
    }

    /// The next item has an empty line before it.
    fn begin_new_list(&mut self) {
        if let Some(list) = self.lists.last_mut() {
            list.has_items = false;
            list.may_follow = false;
        }
    }

    /// Writes a block, an empty line before it. Between two items it stands in neither, and ends their list.
    pub(super) fn put(&mut self, block: &str) {
        if block.is_empty() {
            return;
        }
        if self
            .lists
            .last()
            .is_some_and(|list| list.depth == self.prefixes.len())
        {
            self.begin_new_list();
        }
        if !self.out.is_empty() && !std::mem::take(&mut self.is_tight) {
            self.empty_line();
        }
        self.is_tight = false;
        self.ended = None;
        for line in block.split('\n') {
            self.line(line);
        }
    }

    /// An empty line in what is open around the block before and the next one.
    fn empty_line(&mut self) {
        let written = self.prefixes.iter().take_while(|prefix| prefix.first.is_none());
        let prefix: String = written.map(|prefix| prefix.rest.as_str()).collect();
        self.out.push_str(prefix.trim_end());
        self.out.push('\n');
    }

    fn line(&mut self, line: &str) {
        let start = self.out.len();
        for prefix in &mut self.prefixes {
            match prefix.first.take() {
                Some(first) => self.out.push_str(&first),
                None => self.out.push_str(&prefix.rest),
            }
        }
        self.out.push_str(line);
        if line.is_empty() {
            let end = start + self.out[start..].trim_end().len();
            self.out.truncate(end);
        }
        self.out.push('\n');
    }

    /// All that was written.
    pub(super) fn end(self) -> String {
        self.out
    }
}
