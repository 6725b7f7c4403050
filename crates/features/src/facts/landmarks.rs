//! Elements and ARIA roles that say what a part of the page is for.

use gleaner_html::Tag;
use gleaner_page::Page;

use super::Facts;

/// A part of a page, by the bit it has in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Landmark {
    Main,
    Article,
    Aside,
    Nav,
    Footer,
    Header,
    Section,
    Form,
    Table,
    Figure,
    Blockquote,
    Button,
    List,
    Item,
    Dialog,
    Details,
    Pre,
    Address,
    Time,
    Caption,
    Label,
    Cell,
    Definition,
    Code,
}

impl Landmark {
    pub(super) fn bit(self) -> u32 {
        1 << self as u32
    }

    /// The bit of an element's name, zero for most.
    pub(super) fn of_tag(tag: Tag) -> u32 {
        let landmark = match tag {
            Tag::Main => Landmark::Main,
            Tag::Article => Landmark::Article,
            Tag::Aside => Landmark::Aside,
            Tag::Nav => Landmark::Nav,
            Tag::Footer => Landmark::Footer,
            Tag::Header => Landmark::Header,
            Tag::Section => Landmark::Section,
            Tag::Form | Tag::Search => Landmark::Form,
            Tag::Table => Landmark::Table,
            Tag::Figure => Landmark::Figure,
            Tag::Blockquote => Landmark::Blockquote,
            Tag::Button => Landmark::Button,
            Tag::Ul | Tag::Ol | Tag::Menu => Landmark::List,
            Tag::Li => Landmark::Item,
            Tag::Dialog => Landmark::Dialog,
            Tag::Details | Tag::Summary => Landmark::Details,
            Tag::Pre => Landmark::Pre,
            Tag::Address => Landmark::Address,
            Tag::Time => Landmark::Time,
            Tag::Figcaption | Tag::Caption => Landmark::Caption,
            Tag::Label => Landmark::Label,
            Tag::Td | Tag::Th => Landmark::Cell,
            Tag::Dl | Tag::Dt | Tag::Dd => Landmark::Definition,
            Tag::Code => Landmark::Code,
            _ => return 0,
        };
        landmark.bit()
    }

    /// The bit of an ARIA role, zero for most.
    pub(super) fn of_role(role: &str) -> u32 {
        let landmark = match role.trim() {
            "main" => Landmark::Main,
            "article" => Landmark::Article,
            "complementary" => Landmark::Aside,
            "navigation" | "menu" | "menubar" => Landmark::Nav,
            "contentinfo" => Landmark::Footer,
            "banner" => Landmark::Header,
            "region" => Landmark::Section,
            "search" | "form" => Landmark::Form,
            "table" | "grid" => Landmark::Table,
            "figure" => Landmark::Figure,
            "button" | "tab" => Landmark::Button,
            "list" => Landmark::List,
            "listitem" => Landmark::Item,
            "dialog" | "alertdialog" => Landmark::Dialog,
            _ => return 0,
        };
        landmark.bit()
    }
}

impl Facts {
    /// Gives each block the parts of the page it is in.
    pub(super) fn measure_landmarks(&mut self, page: &Page) {
        self.find_largest_article();
        for (block, measured) in page.blocks.iter().zip(&mut self.blocks) {
            let inner = page.runs(block).first().map_or(block.element, |run| run.element);
            let [own, parent, above, _] = measured.up;
            let near = [inner, own, parent, above];
            measured.landmarks_near = near
                .iter()
                .fold(0, |bits, &up| bits | self.elements[up as usize].landmarks);
            measured.landmarks = self.elements[inner as usize].landmarks_around;
            measured.in_article = super::density::levels_below(page, own, self.document.article);
            measured.in_main = super::density::levels_below(page, own, self.document.main);
        }
    }

    fn find_largest_article(&mut self) {
        let (mut most, document) = (0, &mut self.document);
        (document.article, document.main) = (gleaner_html::NONE, self.main);
        for &article in &self.articles {
            let words = self.sums[article as usize].words;
            if words > most {
                (most, document.article) = (words, article);
            }
        }
    }
}
