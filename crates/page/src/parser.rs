//! The stages in a row: decode, build the tree, lay it out.

use crate::arena::Arena;
use crate::blocks::{DeleteList, Scratch, Source, delete_list, lay_out};
use crate::builder::{Builder, State};
use crate::charset::{decode, decode_again, decode_text};
use crate::error::{refuse_binary, refuse_known};
use crate::streamed::put_in_place;
use crate::tokenizer::tokenize;
use crate::{Limits, Page, PageConfig, PageError, Truncation, Unit, plain, terminals, wet};

/// Reads pages one after the other and keeps its memory between them.
#[derive(Debug)]
pub struct Parser {
    config: PageConfig,
    delete: DeleteList,
    arena: Arena,
    state: State,
    scratch: Scratch,
    page: Page,
}

impl Parser {
    /// A parser of the given configuration.
    pub fn new(config: PageConfig) -> Parser {
        let delete = delete_list(&config);
        Parser {
            config,
            delete,
            arena: Arena::default(),
            state: State::default(),
            scratch: Scratch::default(),
            page: Page::default(),
        }
    }

    /// Reads an HTML body. `content_type` is the value of the HTTP header of that name.
    ///
    /// # Errors
    ///
    /// Only for a body that is no text at all. What is over a limit is cut off, with a flag in
    /// [`Page::truncated`].
    pub fn parse(&mut self, body: &[u8], content_type: Option<&str>) -> Result<&Page, PageError> {
        refuse_known(body)?;
        let cut = self.begin(body);
        let mut decoded = decode(cut, content_type);
        refuse_binary(&decoded.text, decoded.charset)?;
        let is_xml = content_type.is_some_and(is_xml);
        let mut flags = self.tree(&decoded.text, is_xml);
        if let Some(again) = decode_again(cut, &decoded, &self.arena) {
            decoded = again;
            flags = self.tree(&decoded.text, is_xml);
        }
        self.page.charset = decoded.charset.name();
        self.page.truncated = Truncation {
            bytes: cut.len() < body.len(),
            ..flags
        };
        if self.config.unit == Unit::Text {
            let text = wet::text(&self.arena, &decoded.text);
            plain::read(&text, &self.config.limits, &mut self.page);
            return Ok(&self.page);
        }
        terminals::draw(&mut self.arena, &decoded.text);
        let source = Source {
            arena: &self.arena,
            text: &decoded.text,
            delete: &self.delete,
            config: &self.config,
        };
        lay_out(&source, &mut self.scratch, &mut self.page);
        Ok(&self.page)
    }

    /// Reads a plain text, such as a WET record: a line is a block. The text stands in a `<pre>`.
    ///
    /// # Errors
    ///
    /// As [`Parser::parse`].
    pub fn parse_text(&mut self, body: &[u8], content_type: Option<&str>) -> Result<&Page, PageError> {
        refuse_known(body)?;
        let cut = self.begin(body);
        let decoded = decode_text(cut, content_type);
        refuse_binary(&decoded.text, decoded.charset)?;
        self.page.charset = decoded.charset.name();
        self.page.truncated.bytes = cut.len() < body.len();
        plain::read(&decoded.text, &self.config.limits, &mut self.page);
        Ok(&self.page)
    }

    /// The page that was read last.
    pub fn page(&self) -> &Page {
        &self.page
    }

    fn tree(&mut self, text: &str, is_xml: bool) -> Truncation {
        let limits = &self.config.limits;
        let builder = Builder::new(&mut self.arena, text, &mut self.state, limits).of_xml(is_xml);
        let (mut truncated, steps) = tokenize(builder, limits);
        let moving = put_in_place(&mut self.arena, text, &self.state.placeholders, limits);
        truncated.steps |= moving.is_over();
        self.page.steps = self.page.steps.max(steps).max(moving.taken());
        truncated
    }

    /// Empties the page and cuts the body to what may be read.
    fn begin<'b>(&mut self, body: &'b [u8]) -> &'b [u8] {
        self.page.clear();
        &body[..body.len().min(self.config.limits.bytes).min(Limits::MOST_BYTES)]
    }
}

/// Whether a `Content-Type` is of XML: `application/xhtml+xml`, `text/xml`. All else is read as HTML alone.
fn is_xml(content_type: &str) -> bool {
    let media = content_type.split([';', ',']).next().unwrap_or_default().trim();
    let end = media
        .len()
        .checked_sub(3)
        .and_then(|at| media.split_at_checked(at));
    end.is_some_and(|(before, end)| end.eq_ignore_ascii_case("xml") && before.ends_with(['/', '+']))
}
