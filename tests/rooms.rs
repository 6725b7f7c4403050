//! Which folder of a crate may use which, and no circles of files: by the `use` lines of the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

/// The files of a crate by module path, with the names that each imports. `pub use` forwards, and does not count.
struct Sources {
    uses: BTreeMap<String, Vec<String>>,
}

impl Sources {
    fn read(name: &str) -> Sources {
        let mut sources = Sources {
            uses: BTreeMap::new(),
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("crates")
            .join(name)
            .join("src");
        sources.add(&folder, "crate");
        sources
    }

    fn add(&mut self, folder: &Path, module: &str) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let stem = path.file_stem().unwrap().to_str().unwrap();
            match (path.is_dir(), stem) {
                (_, "tests") => {}
                (true, _) => self.add(&path, &format!("{module}::{stem}")),
                (false, "lib" | "mod") => self.add_file(&path, module.to_owned()),
                (false, _) => self.add_file(&path, format!("{module}::{stem}")),
            }
        }
    }

    fn add_file(&mut self, path: &Path, module: String) {
        let text = fs::read_to_string(path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines = Regex::new(r"(?ms)^ *use ([^;]*);").unwrap();
        let outer = |module: &str| -> String {
            let outer = module.rsplit_once("::");
            outer.map_or("crate", |(outer, _)| outer).to_owned()
        };
        let mut used = Vec::new();
        for line in lines.captures_iter(text) {
            let tree: String = line[1].split_whitespace().collect::<Vec<_>>().join(" ");
            let (first, rest) = tree.split_once("::").unwrap_or((&tree, ""));
            let tree = match (first, rest.strip_prefix("super::")) {
                ("crate", _) => tree,
                ("self", _) => format!("{module}::{rest}"),
                ("super", Some(rest)) => format!("{}::{rest}", outer(&outer(&module))),
                ("super", None) => format!("{}::{rest}", outer(&module)),
                // A submodule, or another crate.
                _ => format!("{module}::{tree}"),
            };
            // A module and its own submodules are one.
            let others = names("", &tree).into_iter();
            used.extend(others.filter(|name| !name.starts_with(&format!("{module}::"))));
        }
        self.uses.insert(module, used);
    }

    /// The module that a name is imported from.
    fn module(&self, name: &str) -> String {
        let mut place = name;
        while let Some((outer, _)) = place.rsplit_once("::")
            && !self.uses.contains_key(place)
        {
            place = outer;
        }
        place.to_owned()
    }

    fn arrows(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let modules = |used: &Vec<String>| used.iter().map(|name| self.module(name)).collect();
        let arrows = self
            .uses
            .iter()
            .map(|(from, used)| (from.as_str(), modules(used)));
        arrows.collect()
    }

    /// The circles of files, each once.
    fn circles(&self) -> BTreeSet<Vec<String>> {
        let arrows = self.arrows();
        let reached = |from: &str| {
            let (mut reached, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
            while let Some(module) = open.pop() {
                let next = arrows[module.as_str()].iter().filter(|next| **next != module);
                open.extend(next.filter(|next| reached.insert((*next).clone())).cloned());
            }
            reached
        };
        let reached: BTreeMap<&str, BTreeSet<String>> =
            arrows.keys().map(|from| (*from, reached(from))).collect();
        let both = |one: &str, other: &str| reached[one].contains(other) && reached[other].contains(one);
        let circle = |one: &&str| -> Vec<String> {
            let circle = reached[*one].iter().filter(|other| both(one, other));
            circle.cloned().collect()
        };
        let circles = reached.keys().map(circle);
        circles.filter(|circle| circle.len() > 1).collect()
    }
}

/// The names of a tree of imports.
fn names(before: &str, tree: &str) -> Vec<String> {
    let Some((path, inner)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap().trim();
        let name = name.trim_end_matches("::self").trim_end_matches("::*");
        return vec![format!("{before}{name}")];
    };
    let (mut depth, mut items) = (0, vec![String::new()]);
    for letter in inner.trim_end().trim_end_matches('}').chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        match letter {
            ',' if depth == 0 => items.push(String::new()),
            _ => items.last_mut().unwrap().push(letter),
        }
    }
    let items = items
        .iter()
        .map(|item| item.trim())
        .filter(|item| !item.is_empty());
    let before = format!("{before}{}", path.trim());
    let own = |item: &str| match item {
        "self" => vec![before.trim_end_matches("::").to_owned()],
        item => names(&before, item),
    };
    items.flat_map(own).collect()
}

/// Fails where a folder uses one that is not in its list. Files beside `lib.rs` are folders of one file.
fn check_rooms(name: &str, rooms: &[(&str, &str)]) {
    let sources = Sources::read(name);
    let room = |module: &str| module.split("::").nth(1).unwrap_or("lib").to_owned();
    let mut wrong = BTreeSet::new();
    for (from, used) in sources.arrows() {
        let own = room(from);
        let allowed = rooms.iter().find(|(room, _)| *room == own);
        let allowed = allowed.unwrap_or_else(|| panic!("{name}: no list for {own}")).1;
        let is_allowed = |room: &str| room == own || allowed.split(' ').any(|name| name == room);
        let used = used.iter().filter(|used| !is_allowed(&room(used)));
        wrong.extend(used.map(|used| format!("{from} uses {used}")));
    }
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
}

#[test]
fn folders_of_cli_use_only_those_in_their_lists() {
    check_rooms("cli", CLI);
}

#[test]
fn folders_of_dataflow_use_only_those_in_their_lists() {
    check_rooms("dataflow", DATAFLOW);
}

#[test]
fn files_use_each_other_in_no_circles() {
    let crates = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap();
    for name in crates.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        let max = match name.as_str() {
            "dataflow" | "cli" | "training" | "store" | "corpus" | "features" => 0,
            _ => 3,
        };
        let circles = Sources::read(&name).circles();
        let large: Vec<_> = circles.iter().filter(|circle| circle.len() > max).collect();
        assert!(large.is_empty(), "{name}: {large:#?}");
    }
}

/// Commands use what is below them, and other commands only where they are listed.
const CLI: &[(&str, &str)] = &[
    ("terminal", ""),
    ("args", ""),
    ("inputs", "terminal"),
    ("misuse", "args terminal"),
    ("model", "args terminal"),
    ("corpus", "args terminal"),
    ("result_pages", "args inputs model terminal"),
    ("train", "args inputs result_pages terminal"),
    ("features", "args inputs model result_pages terminal train"),
    ("templates", "args corpus inputs terminal"),
    ("posts", "args inputs terminal"),
    ("clean", "args inputs model result_pages terminal"),
    (
        "eval",
        "args inputs model posts result_pages templates terminal train",
    ),
    ("align", "args eval inputs model terminal"),
    ("annotate", "args inputs model terminal"),
    ("build", "args corpus inputs model result_pages terminal"),
    ("verify", "args build corpus inputs terminal"),
    ("change", "args build corpus inputs terminal"),
    ("explain", "args build inputs model terminal"),
    ("export", "args terminal"),
    ("crawl", "args build run terminal"),
    ("render", "args inputs terminal"),
    ("report", "args corpus export inputs terminal"),
    ("run", "args build misuse terminal"),
    ("serve", "annotate args explain export inputs model terminal"),
    ("shell", "args misuse terminal"),
    ("library", "args build corpus export misuse run terminal verify"),
    ("lib", ""),
];

/// The steps read, sort and label do not use each other; `run` has them done.
const DATAFLOW: &[(&str, &str)] = &[
    ("epoch", ""),
    ("error", ""),
    ("memory", ""),
    ("data", "epoch error memory"),
    ("watch", "epoch"),
    ("work", "data epoch error memory watch"),
    ("staging", "error"),
    ("sorted_runs", "data error staging"),
    ("rules", "data"),
    ("plan", "data epoch rules sorted_runs"),
    ("whole", "data epoch error memory sorted_runs"),
    ("settings", "data epoch"),
    ("change", "data epoch error rules sorted_runs staging state"),
    ("state", "change data epoch error plan sorted_runs staging work"),
    ("sort", "epoch error plan sorted_runs state watch work"),
    (
        "read",
        "data epoch error memory plan rules settings sorted_runs staging state watch work",
    ),
    (
        "label",
        "change data epoch error plan settings sorted_runs staging state watch work",
    ),
    (
        "outline",
        "change data error label memory plan read sorted_runs staging state watch whole",
    ),
    (
        "run",
        "change data epoch error label memory outline plan read settings sort staging state watch whole work",
    ),
    ("against", "change data error plan sorted_runs staging"),
    ("explain", "data error label sorted_runs staging state"),
    ("versions", ""),
    ("lib", ""),
];
