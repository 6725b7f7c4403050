//! The format: annotations to lines and back.

use std::fmt::Write;

use gleaner_content::Label;

use super::{AnnotatedBlock, Annotation, By, Decision, Fault, Header};

const MAGIC: &str = "gleaner annotations ";
const VERSION: u64 = 1;
const UNDECIDED: &str = "undecided";
const UNMATCHED: &str = "unmatched";

impl Annotation {
    /// Reads the text of an annotation file.
    ///
    /// # Errors
    /// The first line that cannot be understood, counted from one, and what is wrong with it.
    ///
    /// ```
    /// let text = "gleaner annotations 1\nurl: http://a.example/\n\nparagraph\thand\thtml/body/p\tSome text.\n";
    /// let annotation = gleaner_gold::Annotation::parse(text).unwrap();
    /// assert_eq!(annotation.blocks[0].text, "Some text.");
    /// assert_eq!(annotation.to_text(), text);
    /// ```
    pub fn parse(text: &str) -> Result<Annotation, (usize, Fault)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text
            .split('\n')
            .map(|line| line.strip_suffix('\r').unwrap_or(line));
        check_version(lines.next().unwrap_or_default()).map_err(|fault| (1, fault))?;
        let mut reading = AnnotationReader::default();
        for (index, line) in lines.enumerate() {
            reading.line(line).map_err(|fault| (index + 2, fault))?;
        }
        Ok(reading.end())
    }

    /// The text of the annotation file.
    pub fn to_text(&self) -> String {
        let mut out = format!("{MAGIC}{VERSION}\n");
        write_header(&mut out, &self.header);
        out.push('\n');
        self.blocks.iter().for_each(|block| write_block(&mut out, block));
        if !self.unmatched.is_empty() {
            out.push_str("\nunmatched\n");
            self.unmatched
                .iter()
                .for_each(|block| write_block(&mut out, block));
        }
        write_comments(&mut out, &self.comments);
        out
    }
}

fn check_version(line: &str) -> Result<(), Fault> {
    let version = line.strip_prefix(MAGIC).and_then(|rest| rest.trim().parse().ok());
    match version {
        Some(VERSION) => Ok(()),
        Some(version) => Err(Fault::Newer(version)),
        None => Err(Fault::NoAnnotations),
    }
}

/// An annotation on its way in.
#[derive(Default)]
struct AnnotationReader {
    annotation: Annotation,
    part: FilePart,
    comments: Vec<String>,
}

#[derive(Default, PartialEq)]
enum FilePart {
    #[default]
    Header,
    Blocks,
    Unmatched,
}

impl AnnotationReader {
    fn line(&mut self, line: &str) -> Result<(), Fault> {
        if let Some(comment) = line.strip_prefix('#') {
            self.comments.push(comment.to_owned());
        } else if line.trim().is_empty() {
            self.empty_line();
        } else if self.part == FilePart::Header {
            self.annotation.header.comments.append(&mut self.comments);
            self.annotation.header.read(line)?;
        } else if line.trim_end() == UNMATCHED {
            self.part = FilePart::Unmatched;
        } else {
            let block = AnnotatedBlock {
                comments: std::mem::take(&mut self.comments),
                ..read_block(line)?
            };
            match self.part {
                FilePart::Unmatched => self.annotation.unmatched.push(block),
                _ => self.annotation.blocks.push(block),
            }
        }
        Ok(())
    }

    /// The first one ends the header.
    fn empty_line(&mut self) {
        if self.part == FilePart::Header {
            self.annotation.header.comments.append(&mut self.comments);
            self.part = FilePart::Blocks;
        }
    }

    fn end(mut self) -> Annotation {
        let last = match self.part {
            FilePart::Header => &mut self.annotation.header.comments,
            _ => &mut self.annotation.comments,
        };
        last.append(&mut self.comments);
        self.annotation
    }
}

impl Header {
    fn read(&mut self, line: &str) -> Result<(), Fault> {
        let Some((name, value)) = line.split_once(':') else {
            return Err(Fault::Field(line.chars().take(60).collect()));
        };
        let (name, value) = (name.trim(), unescape(value.trim())?);
        match name {
            "url" => self.url = value,
            "record" => self.record_id = gleaner_warc::record_id(&value).into_owned(),
            "digest" => self.digest = value,
            "source" => self.source = value,
            "offset" => self.offset = Some(value.parse().map_err(|_| Fault::Offset(value))?),
            "annotator" => self.annotator = value,
            "date" => self.date = value,
            "suggestions" => self.suggestions = value,
            _ => self.more.push((unescape(name)?, value)),
        }
        Ok(())
    }
}

fn read_block(line: &str) -> Result<AnnotatedBlock, Fault> {
    let fields: Vec<&str> = line.splitn(4, '\t').collect();
    let [label, by, path, text] = fields[..] else {
        return Err(Fault::Fields(fields.len()));
    };
    Ok(AnnotatedBlock {
        decision: read_decision(label.trim(), by.trim())?,
        path: unescape(path)?,
        text: unescape(text)?,
        comments: Vec::new(),
    })
}

fn read_decision(label: &str, by: &str) -> Result<Option<Decision>, Fault> {
    if label == UNDECIDED {
        return match by {
            "-" | "" => Ok(None),
            by => Err(Fault::Undecided(by.to_owned())),
        };
    }
    let named = |wanted: &&Label| {
        let name = wanted.name();
        label.eq_ignore_ascii_case(name) || label.eq_ignore_ascii_case(&name[..1])
    };
    let known = Label::ALL.iter().find(named);
    let label = *known.ok_or_else(|| Fault::Label(label.chars().take(60).collect()))?;
    let by = match by {
        // A user who edits the file writes a label over `undecided` and leaves the rest.
        "-" | "" => By::Hand,
        by => *By::ALL
            .iter()
            .find(|known| known.name() == by)
            .ok_or_else(|| Fault::By(by.chars().take(60).collect()))?,
    };
    Ok(Some(Decision { label, by }))
}

fn write_header(out: &mut String, header: &Header) {
    write_comments(out, &header.comments);
    let offset = header.offset.map(|offset| offset.to_string()).unwrap_or_default();
    let fields = [
        ("url", &header.url),
        ("record", &header.record_id),
        ("digest", &header.digest),
        ("source", &header.source),
        ("offset", &offset),
        ("annotator", &header.annotator),
        ("date", &header.date),
        ("suggestions", &header.suggestions),
    ];
    let more = header.more.iter().map(|(name, value)| (name.as_str(), value));
    for (name, value) in fields
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .chain(more)
    {
        out.push_str(name);
        out.push_str(": ");
        escape(out, value);
        out.push('\n');
    }
}

fn write_block(out: &mut String, block: &AnnotatedBlock) {
    write_comments(out, &block.comments);
    let (label, by) = match block.decision {
        Some(decision) => (decision.label.name(), decision.by.name()),
        None => (UNDECIDED, "-"),
    };
    for field in [label, "\t", by, "\t"] {
        out.push_str(field);
    }
    escape(out, &block.path);
    out.push('\t');
    escape(out, &block.text);
    out.push('\n');
}

fn write_comments(out: &mut String, comments: &[String]) {
    for comment in comments {
        out.push('#');
        out.push_str(comment);
        out.push('\n');
    }
}

/// Writes a text so that it stays on its line, looks the same in every editor, and keeps the white
/// space at its ends.
fn escape(out: &mut String, text: &str) {
    let inner = text.trim();
    let start = text.len() - text.trim_start().len();
    for (at, c) in text.char_indices() {
        let at_end = inner.is_empty() || at < start || at >= start + inner.len();
        match c {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if at_end || is_invisible(c) => {
                write!(out, "\\u{{{:x}}}", u32::from(c)).expect("a string takes all that is written to it");
            }
            c => out.push(c),
        }
    }
}

/// Controls, line ends of Unicode, and marks that turn the direction of what follows them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn unescape(text: &str) -> Result<String, Fault> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (c, length) = escaped(rest).ok_or_else(|| Fault::Escape(rest.chars().take(10).collect()))?;
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The character of an escape after its backslash, and the length of the escape.
fn escaped(rest: &str) -> Option<(char, usize)> {
    match rest.chars().next()? {
        '\\' => Some(('\\', 1)),
        't' => Some(('\t', 1)),
        'n' => Some(('\n', 1)),
        'r' => Some(('\r', 1)),
        'u' => {
            let (digits, _) = rest.strip_prefix("u{")?.split_once('}')?;
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            Some((c, digits.len() + 3))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGE: &str = "gleaner annotations 1\n\
        # saved by hand\n\
        url: http://tides.example/\n\
        record: <urn:uuid:1>\n\
        offset: 12\n\
        reviewed: yes\n\
        \n\
        # the title\n\
        header\thand\thtml/body/h1\tTides\n\
        undecided\t-\thtml/body/p\tA tab\\there\n\
        \n\
        unmatched\n\
        list\taccepted\thtml/body/li\tOnce\n\
        # the end\n";

    #[test]
    fn what_is_read_is_written() {
        let annotation = Annotation::parse(PAGE).unwrap();
        assert_eq!(annotation.to_text(), PAGE);
        assert_eq!(annotation.header.offset, Some(12));
        assert_eq!(
            annotation.header.more,
            [("reviewed".to_owned(), "yes".to_owned())]
        );
        assert_eq!(annotation.blocks[0].comments, [" the title"]);
        assert_eq!(annotation.blocks[1].text, "A tab\there");
        assert_eq!(annotation.undecided(), 1);
        assert_eq!(
            annotation.unmatched[0].decision.map(|decision| decision.by),
            Some(By::Accepted)
        );
    }

    #[test]
    fn hands_may_be_brief_and_editors_may_be_from_elsewhere() {
        let text = "\u{feff}gleaner annotations 1\r\n\r\np\t-\thtml\tOne\r\nOther\thand\thtml\tTwo";
        let annotation = Annotation::parse(text).unwrap();
        let decisions: Vec<_> = annotation
            .blocks
            .iter()
            .filter_map(|block| block.decision)
            .collect();
        let by_hand = |label| Decision { label, by: By::Hand };
        assert_eq!(decisions, [by_hand(Label::Paragraph), by_hand(Label::Other)]);
        assert_eq!(annotation.blocks[0].text, "One");
    }

    #[test]
    fn a_bad_line_is_named_with_its_mend() {
        let fault = |text: &str| Annotation::parse(text).unwrap_err();
        let block = |line: &str| {
            let (number, fault) = fault(&format!("gleaner annotations 1\n\n{line}\n"));
            assert_eq!(number, 3);
            fault.to_string()
        };
        assert_eq!(fault("").0, 1);
        assert!(
            fault("gleaner annotations 2")
                .1
                .to_string()
                .contains("update gleaner")
        );
        assert!(
            fault("gleaner annotations 1\nhello")
                .1
                .to_string()
                .contains("no field of the header")
        );
        assert!(
            fault("gleaner annotations 1\noffset: x")
                .1
                .to_string()
                .contains("no number")
        );
        assert!(block("paragraph\thand\tp").contains("3 of the four are here"));
        assert!(block("text\thand\tp\tx").contains("there is no label \"text\": use header,"));
        assert!(block("list\tme\tp\tx").contains("not \"me\""));
        assert!(block("undecided\thand\tp\tx").contains("give its label, or write - for hand"));
        assert!(block("list\thand\tp\tC:\\dir").contains("write \\\\ for the character itself"));
        assert!(block("list\thand\tp\t\\u{d800}").contains("\\u{HEX}"));
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["[ -~\t\r\n\\\\#]{0,12}", "\\PC{0,12}", any::<String>()]
    }

    fn comments() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[ -~é]{0,8}", 0..2)
    }

    fn block() -> impl Strategy<Value = AnnotatedBlock> {
        let decision = (
            prop::sample::select(&Label::ALL[..]),
            prop::sample::select(&By::ALL[..]),
        )
            .prop_map(|(label, by)| Decision { label, by });
        (prop::option::of(decision), text(), text(), comments()).prop_map(
            |(decision, path, text, comments)| AnnotatedBlock {
                decision,
                path,
                text,
                comments,
            },
        )
    }

    fn header() -> impl Strategy<Value = Header> {
        let more = prop::collection::vec(("[a-z]{9,12}", text()), 0..3);
        (
            prop::array::uniform7(text()),
            any::<Option<u64>>(),
            more,
            comments(),
        )
            .prop_map(
                |([url, record, digest, source, annotator, date, suggestions], offset, more, comments)| {
                    Header {
                        url,
                        record_id: gleaner_warc::record_id(&record).into_owned(),
                        digest,
                        source,
                        offset,
                        annotator,
                        date,
                        suggestions,
                        more: more
                            .into_iter()
                            .filter(|(name, _)| name != "annotator" && name != "suggestions")
                            .collect(),
                        comments,
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn any_annotation_survives_a_round_trip(
            header in header(),
            blocks in prop::collection::vec(block(), 0..6),
            unmatched in prop::collection::vec(block(), 0..3),
            comments in comments(),
        ) {
            let annotation = Annotation { header, blocks, unmatched, comments };
            let text = annotation.to_text();
            prop_assert_eq!(Annotation::parse(&text), Ok(annotation));
            // Editors that strip white space at the ends of lines do no harm.
            let line_ends = text.lines().filter(|line| !line.starts_with('#'));
            prop_assert!(line_ends.clone().all(|line| line.ends_with('\t') || line.trim_end().len() == line.len() || line.ends_with(": ")));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*", lines in prop::collection::vec("\\PC{0,20}", 0..5)) {
            drop(Annotation::parse(&text));
            drop(Annotation::parse(&format!("gleaner annotations 1\n\n{}", lines.join("\t"))));
        }
    }
}
