//! Sites that are made up.
//!
//! A site is a number of clean texts that have nothing to do with each other, with six pieces of
//! template around and in them. Every piece has mutable parts: dates, counts, times, addresses. The
//! menu and the imprint are on every page, each of the others on three pages in four.

use std::ops::Range;

const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A clean text with template in it.
#[derive(Clone, Debug)]
pub(crate) struct Injected {
    pub(crate) url: String,
    pub(crate) text: String,
    /// The template, in order, as ranges of bytes.
    pub(crate) injected: Vec<Range<usize>>,
}

/// Clean texts as the pages of a site with a template of its own.
pub(crate) fn site(texts: &[String], seed: u64) -> Vec<Injected> {
    let mut random = Random(seed);
    let skin = Skin::new(&mut random);
    let page = |(number, text): (usize, &String)| {
        let url = format!("http://{}.example/{number}", skin.name.to_lowercase());
        skin.page(url, text, &mut random)
    };
    texts.iter().enumerate().map(page).collect()
}

/// What is the same on all pages of a site.
struct Skin {
    name: String,
    menu: Vec<String>,
    aside: Vec<String>,
    /// Whether the menu is on one line.
    in_a_line: bool,
}

/// Words of menus and sidebars.
const WORDS: [&str; 40] = [
    "Home",
    "About",
    "us",
    "Contact",
    "Archive",
    "News",
    "Products",
    "Support",
    "Community",
    "Download",
    "Blog",
    "Events",
    "Press",
    "Jobs",
    "Help",
    "Forum",
    "Search",
    "Login",
    "Register",
    "Gallery",
    "Shop",
    "Cart",
    "Terms",
    "Privacy",
    "Sitemap",
    "Travel",
    "Sports",
    "Weather",
    "Video",
    "Music",
    "Books",
    "Science",
    "Health",
    "Money",
    "Local",
    "World",
    "Opinion",
    "Style",
    "Food",
    "Arts",
];

impl Skin {
    fn new(random: &mut Random) -> Skin {
        let mut items = |least: usize, most: usize| -> Vec<String> {
            let count = random.between(least, most);
            (0..count)
                .map(|_| {
                    let words = random.between(1, 2);
                    (0..words)
                        .map(|_| random.of(&WORDS))
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect()
        };
        let (menu, aside) = (items(5, 14), items(4, 12));
        Skin {
            name: format!("{}{}", random.of(&WORDS), random.between(100, 999)),
            menu,
            aside,
            in_a_line: random.one_in(2),
        }
    }

    /// A page: the pieces of the template around a text, and one between two of its lines.
    fn page(&self, url: String, text: &str, random: &mut Random) -> Injected {
        let mut page = Injected {
            url,
            text: String::new(),
            injected: Vec::new(),
        };
        page.inject(&self.header(random));
        let lines: Vec<&str> = text.lines().collect();
        let middle = random.between(1, lines.len().max(2) - 1).min(lines.len());
        if !random.one_in(4) {
            page.inject(&self.byline(random));
        }
        page.keep(&lines[..middle]);
        if !random.one_in(4) {
            page.inject(&self.share(random));
        }
        page.keep(&lines[middle..]);
        if !random.one_in(4) {
            page.inject(&self.comments(random));
        }
        if !random.one_in(4) {
            page.inject(&self.sidebar(random));
        }
        page.inject(&self.footer(random));
        page
    }

    fn header(&self, random: &mut Random) -> String {
        let between = if self.in_a_line { " | " } else { "\n" };
        format!("{} {}\n{}", self.name, random.date(), self.menu.join(between))
    }

    fn byline(&self, random: &mut Random) -> String {
        format!(
            "Posted on {} at {} in {} | {} comments",
            random.date(),
            random.time(),
            self.name,
            random.between(0, 300)
        )
    }

    fn share(&self, random: &mut Random) -> String {
        format!(
            "Share this page | {} people like {} | Email a friend",
            random.between(2, 9000),
            self.name
        )
    }

    fn comments(&self, random: &mut Random) -> String {
        format!(
            "{} responses so far to this entry on {}\nYou can leave a response, or write to desk{}@{}.example",
            random.between(0, 99),
            self.name,
            random.between(1, 99),
            self.name.to_lowercase()
        )
    }

    fn sidebar(&self, random: &mut Random) -> String {
        let mut text = format!("More from {}", self.name);
        for item in &self.aside {
            text += &format!("\n{item} ({})", random.between(1, 500));
        }
        text
    }

    fn footer(&self, random: &mut Random) -> String {
        format!(
            "Copyright {} {} and its contributors. All rights reserved.\nThis page was made in {}.{:03} seconds, \
             last changed {} {}",
            random.between(1998, 2026),
            self.name,
            random.between(0, 3),
            random.between(0, 999),
            random.date(),
            random.time()
        )
    }
}

impl Injected {
    fn inject(&mut self, piece: &str) {
        let start = self.text.len();
        self.text.push_str(piece);
        self.injected.push(start..self.text.len());
        self.text.push('\n');
    }

    fn keep(&mut self, lines: &[&str]) {
        for line in lines {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

/// Numbers that look random (SplitMix64), the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn between(&mut self, least: usize, most: usize) -> usize {
        least + (self.next() % (most - least + 1) as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.between(1, count) == 1
    }

    fn of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.between(0, words.len() - 1)]
    }

    fn date(&mut self) -> String {
        let day = WEEKDAYS[self.between(0, 6)];
        let month = MONTHS[self.between(0, 11)];
        format!(
            "{day}, {month} {}, {}",
            self.between(1, 28),
            self.between(1999, 2026)
        )
    }

    fn time(&mut self) -> String {
        format!("{}:{:02}", self.between(0, 23), self.between(0, 59))
    }
}

/// Texts of one source are not left side by side.
pub(crate) fn shuffle(texts: &mut [String], seed: u64) {
    let mut random = Random(seed);
    for last in (1..texts.len()).rev() {
        texts.swap(last, random.between(0, last));
    }
}

/// Clean texts of made-up sentences: common words, as they repeat in every text, and rare ones.
pub(crate) fn sentences(count: usize, seed: u64) -> Vec<String> {
    const COMMON: [&str; 24] = [
        "the",
        "of",
        "and",
        "to",
        "a",
        "in",
        "is",
        "that",
        "it",
        "was",
        "for",
        "on",
        "as",
        "with",
        "he",
        "be",
        "at",
        "by",
        "which",
        "not",
        "from",
        "as much as",
        "one of the",
        "it is a",
    ];
    let mut random = Random(seed);
    let word = |random: &mut Random| match random.one_in(2) {
        true => random.of(&COMMON).to_owned(),
        false => {
            // Of many words a few are frequent, as in a language.
            let (a, b) = (random.between(0, 70), random.between(0, 70));
            format!("word{}", a * b)
        }
    };
    (0..count)
        .map(|_| {
            let lines = random.between(4, 12);
            let mut line = || {
                let words = random.between(8, 60);
                (0..words)
                    .map(|_| word(&mut random))
                    .collect::<Vec<_>>()
                    .join(" ")
                    + ".\n"
            };
            (0..lines).map(|_| line()).collect()
        })
        .collect()
}
