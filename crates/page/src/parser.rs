//! Parse a body, lay its tree out.

use gleaner_html::{HtmlParser, PageError, ParsedHtml, PlainText, TreeLimits, read_text};

use crate::blocks::{DeleteList, Source, WalkScratch, delete_list, lay_out};
use crate::{Page, PageConfig, Truncation, Unit, plain, wet};

/// Reads pages one after the other and keeps its memory between them.
#[derive(Debug)]
pub struct Parser {
    limits: TreeLimits,
    html: HtmlParser,
    builder: PageBuilder,
}

impl Parser {
    /// A parser of the given configuration.
    pub fn new(config: PageConfig) -> Parser {
        let limits = config.limits.of_tree();
        Parser {
            html: HtmlParser::new(limits.clone()).with(config.parser),
            limits,
            builder: PageBuilder::new(config),
        }
    }

    /// Reads an HTML body. `content_type` is the value of the HTTP header of that name.
    ///
    /// # Errors
    ///
    /// Only for a body that is no text at all. What is over a limit is cut off, with a flag in
    /// [`Page::truncated`].
    pub fn parse(&mut self, body: &[u8], content_type: Option<&str>) -> Result<&Page, PageError> {
        let parsed = self.html.parse(body, content_type)?;
        Ok(self.builder.build(&parsed))
    }

    /// Reads a plain text, such as a WET record: a line is a block. The text stands in a `<pre>`.
    ///
    /// # Errors
    ///
    /// As [`Parser::parse`].
    pub fn parse_text(&mut self, body: &[u8], content_type: Option<&str>) -> Result<&Page, PageError> {
        let text = read_text(body, content_type, &self.limits)?;
        Ok(self.builder.build_plain(&text))
    }

    /// The page that was read last.
    pub fn page(&self) -> &Page {
        &self.builder.page
    }
}

/// Lays trees out, one after the other, and keeps its memory between them. [`Parser`] has one; by itself it is for code that
/// has a tree already.
#[derive(Debug)]
pub struct PageBuilder {
    config: PageConfig,
    delete: DeleteList,
    scratch: WalkScratch,
    page: Page,
}

impl PageBuilder {
    /// A builder of the given configuration.
    pub fn new(config: PageConfig) -> PageBuilder {
        PageBuilder {
            delete: delete_list(&config),
            config,
            scratch: WalkScratch::default(),
            page: Page::default(),
        }
    }

    /// Lays the tree of a page out.
    ///
    /// ```
    /// use gleaner_html::{HtmlParser, TreeLimits};
    /// use gleaner_page::{PageBuilder, PageConfig};
    ///
    /// let mut parser = HtmlParser::new(TreeLimits::default());
    /// let html = parser.parse_str("<p>One <b>line</b><br>and another");
    /// let mut builder = PageBuilder::new(PageConfig::default());
    /// assert_eq!(builder.build(&html).blocks.len(), 2);
    /// ```
    pub fn build(&mut self, html: &ParsedHtml<'_, '_>) -> &Page {
        self.page.clear();
        self.page.charset = html.charset();
        self.page.truncated = Truncation::from(html.truncated);
        self.page.steps = html.steps;
        let tree = html.tree();
        if self.config.unit == Unit::Text {
            plain::read(&wet::text(tree), &self.config.limits, &mut self.page);
            return &self.page;
        }
        let source = Source {
            tree,
            delete: &self.delete,
            config: &self.config,
        };
        lay_out(&source, &mut self.scratch, &mut self.page);
        &self.page
    }

    /// Makes a page of a plain text.
    fn build_plain(&mut self, text: &PlainText<'_>) -> &Page {
        self.page.clear();
        self.page.charset = text.charset;
        self.page.truncated.bytes = text.is_cut;
        plain::read(&text.text, &self.config.limits, &mut self.page);
        &self.page
    }
}
