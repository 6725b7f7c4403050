//! The insertion modes other than "in body", HTML standard 13.2.6.4.

use super::stack::{BODY_CONTEXT, CELL, FOSTERS, IMPLIED_THOROUGHLY, ROW_CONTEXT, TABLE_SCOPE};
use super::{Builder, Mode};
use crate::Tag;
use crate::Tag::*;
use crate::arena::Text;
use crate::attributes::is_space;
use crate::shadow::is_shadow_root;
use crate::token::{Characters, Content, Key, StartTag};
use crate::{Attr, NONE};

impl Builder<'_> {
    pub(super) fn start(&mut self, start: &StartTag) -> Content {
        if self.is_foreign_for_start(start) {
            return self.start_in_foreign(start);
        }
        self.start_in_mode(start)
    }

    pub(super) fn end(&mut self, tag: Tag, key: Key) {
        if self.is_in_foreign_content() {
            return self.end_in_foreign(tag, key);
        }
        self.end_in_mode(tag, key);
    }

    /// Continues with a start tag in another mode.
    fn restart(&mut self, mode: Mode, start: &StartTag) -> Content {
        self.mode = mode;
        self.start(start)
    }

    fn reend(&mut self, mode: Mode, tag: Tag, key: Key) {
        self.mode = mode;
        self.end(tag, key);
    }

    pub(super) fn start_in_mode(&mut self, start: &StartTag) -> Content {
        match self.mode {
            Mode::Initial => {
                self.quirks = true;
                self.restart(Mode::BeforeHtml, start)
            }
            Mode::BeforeHtml => self.start_before_html(start),
            Mode::BeforeHead => self.start_before_head(start),
            Mode::InHead => self.start_in_head(start),
            Mode::InHeadNoscript => self.start_in_head_noscript(start),
            Mode::AfterHead => self.start_after_head(start),
            Mode::InBody => self.start_in_body(start),
            Mode::InTable | Mode::InTableText => self.start_in_table(start),
            Mode::InCaption => self.start_in_caption(start),
            Mode::InColumnGroup => self.start_in_column_group(start),
            Mode::InTableBody => self.start_in_table_body(start),
            Mode::InRow => self.start_in_row(start),
            Mode::InCell => self.start_in_cell(start),
            Mode::InTemplate => self.start_in_template(start),
            Mode::AfterBody | Mode::AfterAfterBody => match start.tag {
                Html => self.start_in_body(start),
                _ => self.restart(Mode::InBody, start),
            },
            Mode::InFrameset => self.start_in_frameset(start),
            Mode::AfterFrameset | Mode::AfterAfterFrameset => match start.tag {
                Html => self.start_in_body(start),
                Noframes => self.start_in_head(start),
                _ => Content::Markup,
            },
        }
    }

    pub(super) fn end_in_mode(&mut self, tag: Tag, key: Key) {
        match self.mode {
            Mode::Initial => {
                self.quirks = true;
                self.reend(Mode::BeforeHtml, tag, key);
            }
            Mode::BeforeHtml => {
                if matches!(tag, Head | Body | Html | Br) {
                    self.insert_root(0..0);
                    self.reend(Mode::BeforeHead, tag, key);
                }
            }
            Mode::BeforeHead => {
                if matches!(tag, Head | Body | Html | Br) {
                    self.head = self.insert_implied(Head);
                    self.reend(Mode::InHead, tag, key);
                }
            }
            Mode::InHead => self.end_in_head(tag, key),
            Mode::InHeadNoscript => match tag {
                Noscript => {
                    self.state.stack.pop();
                    self.mode = Mode::InHead;
                }
                Br => {
                    self.state.stack.pop();
                    self.reend(Mode::InHead, tag, key);
                }
                _ => {}
            },
            Mode::AfterHead => match tag {
                Template => self.end_in_head(tag, key),
                Body | Html | Br => {
                    self.insert_implied(Body);
                    self.reend(Mode::InBody, tag, key);
                }
                _ => {}
            },
            Mode::InBody => self.end_in_body(tag, key),
            Mode::InTable | Mode::InTableText => self.end_in_table(tag, key),
            Mode::InCaption => self.end_in_caption(tag, key),
            Mode::InColumnGroup => self.end_in_column_group(tag, key),
            Mode::InTableBody => self.end_in_table_body(tag, key),
            Mode::InRow => self.end_in_row(tag, key),
            Mode::InCell => self.end_in_cell(tag, key),
            Mode::InTemplate => {
                if tag == Template {
                    self.end_in_head(tag, key);
                }
            }
            Mode::AfterBody => match tag {
                Html => self.mode = Mode::AfterAfterBody,
                _ => self.reend(Mode::InBody, tag, key),
            },
            Mode::AfterAfterBody => self.reend(Mode::InBody, tag, key),
            Mode::InFrameset => {
                if tag == Frameset && self.state.stack.len() > 1 {
                    self.state.stack.pop();
                    if self.state.stack.top().tag != Frameset {
                        self.mode = Mode::AfterFrameset;
                    }
                }
            }
            Mode::AfterFrameset => {
                if tag == Html {
                    self.mode = Mode::AfterAfterFrameset;
                }
            }
            Mode::AfterAfterFrameset => {}
        }
    }

    fn start_before_html(&mut self, start: &StartTag) -> Content {
        if start.tag == Html {
            self.insert_root(start.attributes.0..start.attributes.1);
            self.mode = Mode::BeforeHead;
            return Content::Markup;
        }
        self.insert_root(0..0);
        self.restart(Mode::BeforeHead, start)
    }

    fn start_before_head(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Html => self.start_in_body(start),
            Head => {
                self.head = self.insert_html(start, true);
                self.mode = Mode::InHead;
                Content::Markup
            }
            _ => {
                self.head = self.insert_implied(Head);
                self.restart(Mode::InHead, start)
            }
        }
    }

    /// "In head", whose rules other modes use for the elements of a head.
    pub(super) fn start_in_head(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Html => self.start_in_body(start),
            Base | Basefont | Bgsound | Link | Meta => self.insert_void(start),
            Title => self.insert_raw(start, Content::Rcdata),
            Noframes | Style => self.insert_raw(start, Content::Rawtext),
            Script => self.insert_raw(start, Content::Script),
            Noscript => {
                self.insert_html(start, true);
                self.mode = Mode::InHeadNoscript;
                Content::Markup
            }
            Template => {
                self.state.formatting.push(super::Entry::Marker);
                self.frameset_ok = false;
                self.mode = Mode::InTemplate;
                self.state.template_modes.push(Mode::InTemplate);
                let node = self.insert_html(start, true);
                if is_shadow_root(self.arena, self.source, node) {
                    self.state.shadow_roots.push(node);
                }
                Content::Markup
            }
            Head => Content::Markup,
            _ => {
                self.state.stack.pop();
                self.restart(Mode::AfterHead, start)
            }
        }
    }

    pub(super) fn insert_void(&mut self, start: &StartTag) -> Content {
        self.insert_html(start, false);
        Content::Markup
    }

    pub(super) fn insert_raw(&mut self, start: &StartTag, content: Content) -> Content {
        self.insert_html(start, true);
        content
    }

    pub(super) fn end_in_head(&mut self, tag: Tag, key: Key) {
        match tag {
            Head => {
                self.state.stack.pop();
                self.mode = Mode::AfterHead;
            }
            Body | Html | Br => {
                self.state.stack.pop();
                self.reend(Mode::AfterHead, tag, key);
            }
            Template if self.state.stack.has(Template) => {
                self.state
                    .stack
                    .pop_while(|open| open.bits & IMPLIED_THOROUGHLY != 0);
                self.state.stack.pop_until(Template);
                self.clear_formatting_to_marker();
                self.state.template_modes.pop();
                self.reset_mode();
            }
            _ => {}
        }
    }

    fn start_in_head_noscript(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Html => self.start_in_body(start),
            Basefont | Bgsound | Link | Meta | Noframes | Style => self.start_in_head(start),
            Head | Noscript => Content::Markup,
            _ => {
                self.state.stack.pop();
                self.restart(Mode::InHead, start)
            }
        }
    }

    fn start_after_head(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Html => self.start_in_body(start),
            Body => {
                self.insert_html(start, true);
                self.frameset_ok = false;
                self.mode = Mode::InBody;
                Content::Markup
            }
            Frameset => {
                self.insert_html(start, true);
                self.mode = Mode::InFrameset;
                Content::Markup
            }
            Base | Basefont | Bgsound | Link | Meta | Noframes | Script | Style | Template | Title => {
                let head = super::OpenElement::html(self.head, Head, Key::from_tag(Head));
                self.state.stack.push(head);
                let content = self.start_in_head(start);
                if let Some(index) = self.state.stack.position(self.head) {
                    self.state.stack.remove(index);
                }
                content
            }
            Head => Content::Markup,
            _ => {
                self.insert_implied(Body);
                self.restart(Mode::InBody, start)
            }
        }
    }

    fn start_in_table(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Caption => {
                self.state.stack.pop_to(TABLE_SCOPE);
                self.state.formatting.push(super::Entry::Marker);
                self.insert_into(start, Mode::InCaption)
            }
            Colgroup => {
                self.state.stack.pop_to(TABLE_SCOPE);
                self.insert_into(start, Mode::InColumnGroup)
            }
            Col => {
                self.state.stack.pop_to(TABLE_SCOPE);
                self.insert_implied(Colgroup);
                self.restart(Mode::InColumnGroup, start)
            }
            Tbody | Tfoot | Thead => {
                self.state.stack.pop_to(TABLE_SCOPE);
                self.insert_into(start, Mode::InTableBody)
            }
            Td | Th | Tr => {
                self.state.stack.pop_to(TABLE_SCOPE);
                self.insert_implied(Tbody);
                self.restart(Mode::InTableBody, start)
            }
            Table => {
                if self.state.stack.in_scope(Table, TABLE_SCOPE) {
                    self.state.stack.pop_until(Table);
                    self.reset_mode();
                    return self.start(start);
                }
                Content::Markup
            }
            Style | Script | Template => self.start_in_head(start),
            Input if self.is_hidden_input(start) => self.insert_void(start),
            Form => {
                if !self.state.stack.has(Template) && self.form == NONE {
                    self.form = self.insert_html(start, false);
                }
                Content::Markup
            }
            _ => self.start_fostered(start),
        }
    }

    fn insert_into(&mut self, start: &StartTag, mode: Mode) -> Content {
        self.insert_html(start, true);
        self.mode = mode;
        Content::Markup
    }

    fn is_hidden_input(&self, start: &StartTag) -> bool {
        self.start_attribute(start, Attr::Type)
            .is_some_and(|value| value.eq_ignore_ascii_case("hidden"))
    }

    fn start_attribute(&self, start: &StartTag, name: Attr) -> std::option::Option<&str> {
        let own = &self.arena.attributes[start.attributes.0 as usize..start.attributes.1 as usize];
        let found: &(Attr, Text) = own.iter().find(|(attribute, _)| *attribute == name)?;
        Some(self.arena.value(self.source, &found.1))
    }

    pub(super) fn is_visible_input(&self, start: &StartTag) -> bool {
        !self.is_hidden_input(start)
    }

    /// What does not belong into a table goes before it.
    fn start_fostered(&mut self, start: &StartTag) -> Content {
        self.foster = true;
        let content = self.start_in_body(start);
        self.foster = false;
        content
    }

    fn end_in_table(&mut self, tag: Tag, key: Key) {
        match tag {
            Table => {
                if self.state.stack.in_scope(Table, TABLE_SCOPE) {
                    self.state.stack.pop_until(Table);
                    self.reset_mode();
                }
            }
            Body | Caption | Col | Colgroup | Html | Tbody | Td | Tfoot | Th | Thead | Tr => {}
            Template => self.end_in_head(tag, key),
            _ => {
                self.foster = true;
                self.end_in_body(tag, key);
                self.foster = false;
            }
        }
    }

    fn start_in_caption(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Caption | Col | Colgroup | Tbody | Td | Tfoot | Th | Thead | Tr => {
                if self.close_caption() {
                    return self.restart(Mode::InTable, start);
                }
                Content::Markup
            }
            _ => self.start_in_body(start),
        }
    }

    fn close_caption(&mut self) -> bool {
        if !self.state.stack.in_scope(Caption, TABLE_SCOPE) {
            return false;
        }
        self.state.stack.imply_ends(Tag::Other);
        self.state.stack.pop_until(Caption);
        self.clear_formatting_to_marker();
        true
    }

    fn end_in_caption(&mut self, tag: Tag, key: Key) {
        match tag {
            Caption => {
                if self.close_caption() {
                    self.mode = Mode::InTable;
                }
            }
            Table => {
                if self.close_caption() {
                    self.reend(Mode::InTable, tag, key);
                }
            }
            Body | Col | Colgroup | Html | Tbody | Td | Tfoot | Th | Thead | Tr => {}
            _ => self.end_in_body(tag, key),
        }
    }

    fn start_in_column_group(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Html => self.start_in_body(start),
            Col => self.insert_void(start),
            Template => self.start_in_head(start),
            _ if self.close_column_group() => self.start(start),
            _ => Content::Markup,
        }
    }

    fn close_column_group(&mut self) -> bool {
        let open = self.state.stack.top().tag == Colgroup;
        if open {
            self.state.stack.pop();
            self.mode = Mode::InTable;
        }
        open
    }

    fn end_in_column_group(&mut self, tag: Tag, key: Key) {
        match tag {
            Colgroup => {
                self.close_column_group();
            }
            Col => {}
            Template => self.end_in_head(tag, key),
            _ => {
                if self.close_column_group() {
                    self.end(tag, key);
                }
            }
        }
    }

    fn start_in_table_body(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Tr => {
                self.state.stack.pop_to(BODY_CONTEXT);
                self.insert_into(start, Mode::InRow)
            }
            Td | Th => {
                self.state.stack.pop_to(BODY_CONTEXT);
                self.insert_implied(Tr);
                self.restart(Mode::InRow, start)
            }
            Caption | Col | Colgroup | Tbody | Tfoot | Thead => {
                if self.close_table_body() {
                    return self.restart(Mode::InTable, start);
                }
                Content::Markup
            }
            _ => self.start_in_table(start),
        }
    }

    fn close_table_body(&mut self) -> bool {
        let found = |open: &super::OpenElement| matches!(open.tag, Table | Tbody | Tfoot) && open.is_html();
        let in_scope = self.state.stack.finds(TABLE_SCOPE, found);
        if in_scope {
            self.state.stack.pop_to(BODY_CONTEXT);
            self.state.stack.pop();
        }
        in_scope
    }

    fn end_in_table_body(&mut self, tag: Tag, key: Key) {
        match tag {
            Tbody | Tfoot | Thead => {
                if self.state.stack.in_scope(tag, TABLE_SCOPE) {
                    self.state.stack.pop_to(BODY_CONTEXT);
                    self.state.stack.pop();
                    self.mode = Mode::InTable;
                }
            }
            Table => {
                if self.close_table_body() {
                    self.reend(Mode::InTable, tag, key);
                }
            }
            Body | Caption | Col | Colgroup | Html | Td | Th | Tr => {}
            _ => self.end_in_table(tag, key),
        }
    }

    fn start_in_row(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Td | Th => {
                self.state.stack.pop_to(ROW_CONTEXT);
                self.insert_html(start, true);
                self.mode = Mode::InCell;
                self.state.formatting.push(super::Entry::Marker);
                Content::Markup
            }
            Caption | Col | Colgroup | Tbody | Tfoot | Thead | Tr => {
                if self.close_row() {
                    return self.start(start);
                }
                Content::Markup
            }
            _ => self.start_in_table(start),
        }
    }

    fn close_row(&mut self) -> bool {
        let in_scope = self.state.stack.in_scope(Tr, TABLE_SCOPE);
        if in_scope {
            self.state.stack.pop_to(ROW_CONTEXT);
            self.state.stack.pop();
            self.mode = Mode::InTableBody;
        }
        in_scope
    }

    fn end_in_row(&mut self, tag: Tag, key: Key) {
        match tag {
            Tr => {
                self.close_row();
            }
            Table => {
                if self.close_row() {
                    self.end(tag, key);
                }
            }
            Tbody | Tfoot | Thead => {
                if self.state.stack.in_scope(tag, TABLE_SCOPE) && self.close_row() {
                    self.end(tag, key);
                }
            }
            Body | Caption | Col | Colgroup | Html | Td | Th => {}
            _ => self.end_in_table(tag, key),
        }
    }

    fn start_in_cell(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Caption | Col | Colgroup | Tbody | Td | Tfoot | Th | Thead | Tr => {
                if !self.state.stack.finds(TABLE_SCOPE, |open| open.bits & CELL != 0) {
                    return Content::Markup;
                }
                self.close_cell();
                self.start(start)
            }
            _ => self.start_in_body(start),
        }
    }

    fn close_cell(&mut self) {
        self.state.stack.imply_ends(Tag::Other);
        self.state.stack.pop_through(|open| open.bits & CELL != 0);
        self.clear_formatting_to_marker();
        self.mode = Mode::InRow;
    }

    fn end_in_cell(&mut self, tag: Tag, key: Key) {
        match tag {
            Td | Th => {
                if self.state.stack.in_scope(tag, TABLE_SCOPE) {
                    self.state.stack.imply_ends(Tag::Other);
                    self.state.stack.pop_until(tag);
                    self.clear_formatting_to_marker();
                    self.mode = Mode::InRow;
                }
            }
            Body | Caption | Col | Colgroup | Html => {}
            Table | Tbody | Tfoot | Thead | Tr => {
                if self.state.stack.in_scope(tag, TABLE_SCOPE) {
                    self.close_cell();
                    self.end(tag, key);
                }
            }
            _ => self.end_in_body(tag, key),
        }
    }

    fn start_in_template(&mut self, start: &StartTag) -> Content {
        let mode = match start.tag {
            Base | Basefont | Bgsound | Link | Meta | Noframes | Script | Style | Template | Title => {
                return self.start_in_head(start);
            }
            Caption | Colgroup | Tbody | Tfoot | Thead => Mode::InTable,
            Col => Mode::InColumnGroup,
            Tr => Mode::InTableBody,
            Td | Th => Mode::InRow,
            _ => Mode::InBody,
        };
        self.state.template_modes.pop();
        self.state.template_modes.push(mode);
        self.restart(mode, start)
    }

    fn start_in_frameset(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Html => self.start_in_body(start),
            Frameset => {
                self.insert_html(start, true);
                Content::Markup
            }
            Frame => self.insert_void(start),
            Noframes => self.start_in_head(start),
            _ => Content::Markup,
        }
    }

    /// "Reset the insertion mode appropriately".
    pub(super) fn reset_mode(&mut self) {
        let all = self.state.stack.len();
        self.state.stack.look(all);
        for (index, open) in self.state.stack.iter().enumerate().rev() {
            if !open.is_html() {
                continue;
            }
            self.mode = match open.tag {
                Td | Th if index > 0 => Mode::InCell,
                Tr => Mode::InRow,
                Tbody | Thead | Tfoot => Mode::InTableBody,
                Caption => Mode::InCaption,
                Colgroup => Mode::InColumnGroup,
                Table => Mode::InTable,
                Template => self.state.template_modes.last().copied().unwrap_or(Mode::InBody),
                Head if index > 0 => Mode::InHead,
                Body => Mode::InBody,
                Frameset => Mode::InFrameset,
                Html if self.head == NONE => Mode::BeforeHead,
                Html => Mode::AfterHead,
                _ => continue,
            };
            return;
        }
        self.mode = Mode::InBody;
    }

    pub(super) fn text(&mut self, text: Characters) {
        if self.is_foreign_for_text() {
            return self.text_in_foreign(text);
        }
        match self.mode {
            Mode::InBody | Mode::InCaption | Mode::InCell | Mode::InTemplate => self.text_in_body(text),
            Mode::InTable | Mode::InTableBody | Mode::InRow => self.text_in_table(text),
            Mode::InTableText => self.state.table_text.push(text),
            Mode::InFrameset | Mode::AfterFrameset => self.spaces_of(text, Builder::append_text),
            Mode::AfterAfterFrameset => self.spaces_of(text, Builder::text_in_body),
            Mode::InColumnGroup if self.state.stack.top().tag != Colgroup => {
                self.spaces_of(text, Builder::append_text);
            }
            _ => self.text_between(text),
        }
    }

    /// Text in a mode in which white space is one thing and anything else leads to another mode.
    fn text_between(&mut self, text: Characters) {
        let middle = text.start + self.leading_space(text);
        let space = Characters { end: middle, ..text };
        let rest = Characters {
            start: middle,
            ..text
        };
        if space.start < space.end {
            match self.mode {
                Mode::InHead | Mode::InHeadNoscript | Mode::AfterHead | Mode::InColumnGroup => {
                    self.append_text(space);
                }
                Mode::AfterBody | Mode::AfterAfterBody => self.text_in_body(space),
                _ => {}
            }
        }
        if rest.start < rest.end {
            self.leave_mode();
            self.text(rest);
        }
    }

    /// What a mode does that has no use for text: it makes what is missing and continues in the next.
    fn leave_mode(&mut self) {
        self.mode = match self.mode {
            Mode::Initial => {
                self.quirks = true;
                Mode::BeforeHtml
            }
            Mode::BeforeHtml => {
                self.insert_root(0..0);
                Mode::BeforeHead
            }
            Mode::BeforeHead => {
                self.head = self.insert_implied(Head);
                Mode::InHead
            }
            Mode::InHead => {
                self.state.stack.pop();
                Mode::AfterHead
            }
            Mode::InHeadNoscript => {
                self.state.stack.pop();
                Mode::InHead
            }
            Mode::AfterHead => {
                self.insert_implied(Body);
                Mode::InBody
            }
            Mode::InColumnGroup => {
                self.state.stack.pop();
                Mode::InTable
            }
            _ => Mode::InBody,
        };
    }

    /// Handles each run of white space in a text and drops the rest.
    fn spaces_of(&mut self, text: Characters, mut handle: impl FnMut(&mut Self, Characters)) {
        let mut start = text.start;
        while start < text.end {
            let rest = Characters { start, ..text };
            let middle = start + self.leading_space(rest);
            if middle > start {
                handle(self, Characters { end: middle, ..rest });
            }
            let bytes = self.bytes(Characters {
                start: middle,
                ..text
            });
            let until = bytes
                .iter()
                .position(|&byte| is_space(byte))
                .unwrap_or(bytes.len());
            start = middle + until as u32;
        }
    }

    pub(super) fn has_visible(&self, text: Characters) -> bool {
        self.bytes(text).iter().any(|&byte| !is_space(byte))
    }

    fn text_in_table(&mut self, text: Characters) {
        if self.state.stack.top().bits & FOSTERS != 0 {
            self.before_table_text = self.mode;
            self.mode = Mode::InTableText;
            self.state.table_text.push(text);
        } else {
            self.fostered_text(text);
        }
    }

    fn fostered_text(&mut self, text: Characters) {
        self.foster = true;
        self.text_in_body(text);
        self.foster = false;
    }

    /// Ends the mode "in table text": white space stays in the table, other text goes before it.
    #[inline]
    pub(super) fn flush_table_text(&mut self) {
        if self.mode == Mode::InTableText {
            self.end_table_text();
        }
    }

    fn end_table_text(&mut self) {
        self.mode = self.before_table_text;
        let mut pending = std::mem::take(&mut self.state.table_text);
        let visible = pending.iter().any(|&text| self.has_visible(text));
        for text in pending.drain(..) {
            if visible {
                self.fostered_text(text);
            } else {
                self.append_text(text);
            }
        }
        self.state.table_text = pending;
    }

    pub(super) fn nul_in_mode(&mut self) {
        if self.is_foreign_for_text() {
            let start = self.arena.pool.len() as u32;
            self.arena.pool.push('\u{fffd}');
            return self.append_text(Characters {
                pool: true,
                start,
                end: start + 3,
            });
        }
        while matches!(
            self.mode,
            Mode::Initial
                | Mode::BeforeHtml
                | Mode::BeforeHead
                | Mode::InHead
                | Mode::InHeadNoscript
                | Mode::AfterHead
                | Mode::AfterBody
                | Mode::AfterAfterBody
        ) {
            self.leave_mode();
        }
        if self.mode == Mode::InColumnGroup {
            self.close_column_group();
        }
    }

    pub(super) fn eof(&mut self) {
        loop {
            match self.mode {
                Mode::Initial
                | Mode::BeforeHtml
                | Mode::BeforeHead
                | Mode::InHead
                | Mode::InHeadNoscript
                | Mode::AfterHead => self.leave_mode(),
                Mode::AfterBody
                | Mode::InFrameset
                | Mode::AfterFrameset
                | Mode::AfterAfterBody
                | Mode::AfterAfterFrameset => return,
                _ if !self.state.stack.has(Template) => return,
                _ => {
                    self.state.stack.pop_until(Template);
                    self.clear_formatting_to_marker();
                    self.state.template_modes.pop();
                    self.reset_mode();
                }
            }
        }
    }
}
