//! Which program makes a site.

use gleaner_html::{Attr, Tag};
use gleaner_page::Page;

use crate::glob::Glob;
use crate::marks::Bits;

/// How a platform is recognised.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: String,
    /// What its pages have in `<meta name="generator">`.
    pub(crate) generator: Vec<Glob>,
    /// A test that one of the page's elements passes.
    pub(crate) mark: Option<u8>,
}

/// The platform of a page: the one it names, else the one whose marks it has.
pub(crate) fn recognise<'r>(signatures: &'r [Signature], page: &Page, marks: &[Bits]) -> Option<&'r str> {
    let generators = generators(page);
    let is_named = |signature: &&Signature| {
        let fits = |text: &String| signature.generator.iter().any(|glob| glob.fits(text));
        generators.iter().any(fits)
    };
    let all = marks.iter().fold(0, |all, bits| all | bits);
    let looks = |signature: &&Signature| signature.mark.is_some_and(|test| all & (1 << test) != 0);
    let found = signatures
        .iter()
        .find(is_named)
        .or_else(|| signatures.iter().find(looks));
    found.map(|signature| signature.name.as_str())
}

/// The program that the page names as its generator, in lower case.
fn generators(page: &Page) -> Vec<String> {
    let metas = page
        .elements
        .iter()
        .enumerate()
        .filter(|(_, element)| element.tag == Tag::Meta);
    let named = metas.filter(|&(at, _)| {
        page.attribute(at as u32, Attr::Name)
            .is_some_and(|name| name.trim().eq_ignore_ascii_case("generator"))
    });
    let contents = named.filter_map(|(at, _)| page.attribute(at as u32, Attr::Content));
    contents.map(|text| text.trim().to_ascii_lowercase()).collect()
}
