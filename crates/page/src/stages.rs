//! The stages of [`Parser::parse`](crate::Parser::parse) one by one, for the benches.

use crate::arena::Arena;
use crate::blocks::{DeleteList, Scratch, Source, delete_list, lay_out};
use crate::builder::{Builder, State};
use crate::tokenizer::tokenize;
use crate::{Page, PageConfig};

/// Decodes a body; borrowed where it is UTF-8.
pub fn decode(body: &[u8]) -> std::borrow::Cow<'_, str> {
    crate::charset::decode(body, None).text
}

/// A tree and what is needed to build it and to lay it out.
#[derive(Debug)]
pub struct Stages {
    config: PageConfig,
    delete: DeleteList,
    arena: Arena,
    state: State,
    scratch: Scratch,
    page: Page,
}

impl Default for Stages {
    fn default() -> Stages {
        let config = PageConfig::default();
        Stages {
            delete: delete_list(&config),
            config,
            arena: Arena::default(),
            state: State::default(),
            scratch: Scratch::default(),
            page: Page::default(),
        }
    }
}

impl Stages {
    /// Builds the tree; returns how many nodes it has.
    pub fn tree(&mut self, text: &str) -> usize {
        let builder = Builder::new(&mut self.arena, text, &mut self.state, &self.config.limits);
        tokenize(builder, &self.config.limits);
        self.arena.nodes.len()
    }

    /// Cuts the tree built last, of the same text, into blocks; returns how many there are.
    pub fn blocks(&mut self, text: &str) -> usize {
        self.page.clear();
        let source = Source {
            arena: &self.arena,
            text,
            delete: &self.delete,
            config: &self.config,
        };
        lay_out(&source, &mut self.scratch, &mut self.page);
        self.page.blocks.len()
    }
}
