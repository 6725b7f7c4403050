//! Templates whose content belongs somewhere else on the page.

use crate::Attr;
use crate::arena::Arena;
use crate::streamed::is_placeholder;

/// The templates of a page that stand for content of the page, in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    /// Those that stand for parts of the page that come later, see [`crate::streamed`].
    pub(crate) placeholders: Vec<u32>,
    /// Those that are the content of the element around them, see [`crate::shadow`].
    pub(crate) shadow_roots: Vec<u32>,
}

impl Templates {
    /// Keeps a new template if it is of one of these sorts.
    pub(crate) fn note(&mut self, arena: &Arena, source: &str, template: u32) {
        let value = |name| arena.attribute(source, template, name);
        if value(Attr::Id).is_some_and(is_placeholder) {
            self.placeholders.push(template);
        }
        let is_mode = |mode: &str| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed");
        if value(Attr::Shadowrootmode).is_some_and(is_mode) {
            self.shadow_roots.push(template);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.placeholders.clear();
        self.shadow_roots.clear();
    }
}
