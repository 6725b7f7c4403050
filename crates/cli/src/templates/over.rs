//! What of a page is mined: its text, or its HTML as it is.

use std::borrow::Cow;

use anyhow::Result;
use gleaner_html::decode_body;
use gleaner_page::Parser;

use crate::args::Over;

/// The text of a page, or of a plain text, that templates are mined and matched over.
pub(crate) fn text_of<'a>(
    over: Over,
    parser: &mut Parser,
    is_text: bool,
    body: &'a [u8],
    content_type: Option<&str>,
) -> Result<Cow<'a, str>> {
    match over {
        Over::Html => Ok(decode_body(body, content_type)),
        Over::Text => {
            let page = match is_text {
                true => parser.parse_text(body, content_type)?,
                false => parser.parse(body, content_type)?,
            };
            let mut text = String::with_capacity(page.text.len() + page.blocks.len());
            for block in &page.blocks {
                text.push_str(page.text(block));
                text.push('\n');
            }
            Ok(text.into())
        }
    }
}
