//! Files of cases: sections that begin with `#name`, cases that begin with `#data`.

/// One case.
pub(crate) struct Case<'a> {
    pub(crate) data: &'a [u8],
    sections: Vec<(&'a str, &'a [u8])>,
}

impl<'a> Case<'a> {
    /// What stands in a section, without its last newline.
    pub(crate) fn section(&self, name: &str) -> Option<&'a [u8]> {
        let found = self.sections.iter().find(|(found, _)| *found == name)?;
        Some(found.1)
    }
}

/// Lines that begin a section.
const SECTIONS: [&str; 8] = [
    "#data",
    "#errors",
    "#new-errors",
    "#document-fragment",
    "#script-off",
    "#script-on",
    "#document",
    "#encoding",
];

/// The cases of a file.
pub(crate) fn cases(file: &[u8]) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in file.split_inclusive(|&byte| byte == b'\n') {
        let found = SECTIONS
            .iter()
            .find(|name| line.trim_ascii_end() == name.as_bytes());
        if let Some(name) = found {
            close(&mut cases, open, file, at);
            open = Some((name, at + line.len()));
        }
        at += line.len();
    }
    close(&mut cases, open, file, at);
    cases
}

fn close<'a>(cases: &mut Vec<Case<'a>>, open: Option<(&'a str, usize)>, file: &'a [u8], end: usize) {
    let Some((name, start)) = open else { return };
    let text = &file[start..end.max(start)];
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    if name == "#data" {
        cases.push(Case {
            data: text,
            sections: Vec::new(),
        });
    } else if let Some(case) = cases.last_mut() {
        case.sections.push((name, text));
    }
}
