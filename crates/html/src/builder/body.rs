//! The insertion mode "in body", HTML standard 13.2.6.4.7.

use super::stack::{BUTTON_SCOPE, HEADING, LIST_SCOPE, SCOPE, SPECIAL};
use super::{Builder, Entry, Mode};
use crate::NONE;
use crate::NodeKind;
use crate::Tag;
use crate::Tag::*;
use crate::token::{Characters, Content, Key, Special, StartTag};

impl Builder<'_> {
    pub(super) fn text_in_body(&mut self, text: Characters) {
        self.reconstruct_formatting();
        if self.frameset_ok && self.has_visible(text) {
            self.frameset_ok = false;
        }
        self.append_text(text);
    }

    pub(super) fn start_in_body(&mut self, start: &StartTag) -> Content {
        match start.tag {
            Html => self.start_html_again(start),
            Base | Basefont | Bgsound | Link | Meta | Noframes | Script | Style | Template | Title => {
                return self.start_in_head(start);
            }
            Body => self.start_body_again(start),
            Frameset => self.start_frameset(start),
            Address | Article | Aside | Blockquote | Center | Details | Dialog | Dir | Div | Dl
            | Fieldset | Figcaption | Figure | Footer | Header | Hgroup | Main | Menu | Nav | Ol | P
            | Search | Section | Summary | Ul => {
                self.close_p();
                self.insert_html(start, true);
            }
            H1 | H2 | H3 | H4 | H5 | H6 => {
                self.close_p();
                if self.state.stack.top().bits & HEADING != 0 {
                    self.state.stack.pop();
                }
                self.insert_html(start, true);
            }
            Pre | Listing => {
                self.close_p();
                self.insert_html(start, true);
                self.skip_newline = true;
                self.frameset_ok = false;
            }
            Form => self.start_form(start),
            Li => self.start_item(start, &[Li]),
            Dd | Dt => self.start_item(start, &[Dd, Dt]),
            Plaintext => {
                self.close_p();
                return self.insert_raw(start, Content::Plaintext);
            }
            Button => {
                if self.state.stack.in_scope(Button, SCOPE) {
                    self.state.stack.imply_ends(Other);
                    self.state.stack.pop_until(Button);
                }
                self.insert_visible(start);
            }
            A => {
                self.end_active_link();
                self.reconstruct_formatting();
                self.insert_formatting(start);
            }
            B | Big | Code | Em | Font | I | S | Small | Strike | Strong | Tt | U => {
                self.reconstruct_formatting();
                self.insert_formatting(start);
            }
            Nobr => self.start_nobr(start),
            Applet | Marquee | Object => {
                self.insert_visible(start);
                self.state.formatting.push(Entry::Marker);
            }
            Table => {
                if !self.quirks {
                    self.close_p();
                }
                self.insert_html(start, true);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            Area | Br | Embed | Img | Keygen | Wbr => self.insert_visible_void(start),
            Image => self.insert_visible_void(&StartTag {
                tag: Img,
                key: Key::from_tag(Img),
                ..*start
            }),
            Input => self.start_input(start),
            Param | Source | Track => return self.insert_void(start),
            Hr => {
                self.close_p();
                if self.state.stack.in_scope(Select, SCOPE) {
                    self.state.stack.imply_ends(Other);
                }
                self.insert_html(start, false);
                self.frameset_ok = false;
            }
            Textarea => {
                self.skip_newline = true;
                self.frameset_ok = false;
                return self.insert_raw(start, Content::Rcdata);
            }
            Xmp => {
                self.close_p();
                self.reconstruct_formatting();
                self.frameset_ok = false;
                return self.insert_raw(start, Content::Rawtext);
            }
            Iframe => {
                self.frameset_ok = false;
                return self.insert_raw(start, Content::Rawtext);
            }
            Noembed => return self.insert_raw(start, Content::Rawtext),
            Select => self.start_select(start),
            Option => self.start_option(start, Optgroup),
            Optgroup => self.start_option(start, Other),
            Rb | Rtc => self.start_ruby(start, Other),
            Rp | Rt => self.start_ruby(start, Rtc),
            Math => {
                self.reconstruct_formatting();
                return self.insert_foreign(start, NodeKind::Math);
            }
            Svg => {
                self.reconstruct_formatting();
                return self.insert_foreign(start, NodeKind::Svg);
            }
            Caption | Col | Colgroup | Frame | Head | Tbody | Td | Tfoot | Th | Thead | Tr => {}
            _ => {
                self.reconstruct_formatting();
                self.insert_html(start, true);
            }
        }
        Content::Markup
    }

    /// Closes a paragraph that is open in button scope.
    fn close_p(&mut self) {
        if self.p_in_scope() {
            self.state.stack.imply_ends(P);
            self.state.stack.pop_until(P);
        }
    }

    fn p_in_scope(&mut self) -> bool {
        self.state.stack.in_scope(P, SCOPE | BUTTON_SCOPE)
    }

    fn insert_visible(&mut self, start: &StartTag) {
        self.reconstruct_formatting();
        self.insert_html(start, true);
        self.frameset_ok = false;
    }

    fn insert_visible_void(&mut self, start: &StartTag) {
        self.reconstruct_formatting();
        self.insert_html(start, false);
        self.frameset_ok = false;
    }

    fn start_html_again(&mut self, start: &StartTag) {
        if !self.state.stack.has(Template) {
            let html = self.state.stack[0].node;
            self.arena
                .add_missing_attributes(html, start.attributes.0..start.attributes.1);
        }
    }

    /// The body, if it is where it should be: second on the stack.
    fn body(&self) -> std::option::Option<u32> {
        self.state
            .stack
            .get(1)
            .filter(|open| open.tag == Body && open.is_html())
            .map(|open| open.node)
    }

    fn start_body_again(&mut self, start: &StartTag) {
        if let Some(body) = self.body()
            && !self.state.stack.has(Template)
        {
            self.frameset_ok = false;
            self.arena
                .add_missing_attributes(body, start.attributes.0..start.attributes.1);
        }
    }

    fn start_frameset(&mut self, start: &StartTag) {
        if let Some(body) = self.body()
            && self.frameset_ok
        {
            self.arena.detach(body);
            self.state.stack.truncate(1);
            self.insert_html(start, true);
            self.mode = Mode::InFrameset;
        }
    }

    fn start_form(&mut self, start: &StartTag) {
        let in_template = self.state.stack.has(Template);
        if self.form != NONE && !in_template {
            return;
        }
        self.close_p();
        let form = self.insert_html(start, true);
        if !in_template {
            self.form = form;
        }
    }

    /// `<li>`, `<dd>`, `<dt>`: closes the one before.
    fn start_item(&mut self, start: &StartTag, closes: &[Tag]) {
        self.frameset_ok = false;
        let stack = &mut self.state.stack;
        let found = stack.iter().rposition(|open| {
            let closed = closes.contains(&open.tag);
            closed || (open.bits & SPECIAL != 0 && !matches!(open.tag, Address | Div | P))
        });
        stack.look(stack.len() - found.unwrap_or(0));
        let tag = found.map(|index| stack[index].tag);
        if let Some(tag) = tag.filter(|tag| closes.contains(tag)) {
            self.state.stack.imply_ends(tag);
            self.state.stack.pop_until(tag);
        }
        self.close_p();
        self.insert_html(start, true);
    }

    fn start_nobr(&mut self, start: &StartTag) {
        self.reconstruct_formatting();
        if self.state.stack.in_scope(Nobr, SCOPE) {
            self.adoption_agency(Nobr);
            self.reconstruct_formatting();
        }
        self.insert_formatting(start);
    }

    fn start_input(&mut self, start: &StartTag) {
        if self.state.stack.in_scope(Select, SCOPE) {
            self.state.stack.pop_until(Select);
        }
        self.reconstruct_formatting();
        self.insert_html(start, false);
        if self.is_visible_input(start) {
            self.frameset_ok = false;
        }
    }

    fn start_select(&mut self, start: &StartTag) {
        if self.state.stack.in_scope(Select, SCOPE) {
            self.state.stack.pop_until(Select);
        } else {
            self.insert_visible(start);
        }
    }

    fn start_option(&mut self, start: &StartTag, stays_open: Tag) {
        if self.state.stack.in_scope(Select, SCOPE) {
            self.state.stack.imply_ends(stays_open);
        } else if self.state.stack.top().tag == Option {
            self.state.stack.pop();
        }
        self.reconstruct_formatting();
        self.insert_html(start, true);
    }

    fn start_ruby(&mut self, start: &StartTag, stays_open: Tag) {
        if self.state.stack.in_scope(Ruby, SCOPE) {
            self.state.stack.imply_ends(stays_open);
        }
        self.insert_html(start, true);
    }

    pub(super) fn end_in_body(&mut self, tag: Tag, key: Key) {
        match tag {
            Template => self.end_in_head(tag, key),
            Body => {
                if self.state.stack.in_scope(Body, SCOPE) {
                    self.mode = Mode::AfterBody;
                }
            }
            Html => {
                if self.state.stack.in_scope(Body, SCOPE) {
                    self.mode = Mode::AfterBody;
                    self.end(tag, key);
                }
            }
            Address | Article | Aside | Blockquote | Button | Center | Details | Dialog | Dir | Div | Dl
            | Fieldset | Figcaption | Figure | Footer | Header | Hgroup | Listing | Main | Menu | Nav
            | Ol | Pre | Search | Section | Select | Summary | Ul => {
                self.close_in_scope(tag, SCOPE);
            }
            Form => self.end_form(),
            P => {
                if !self.p_in_scope() {
                    self.insert_implied(P);
                }
                self.state.stack.imply_ends(P);
                self.state.stack.pop_until(P);
            }
            Li => {
                self.close_item(tag, SCOPE | LIST_SCOPE);
            }
            Dd | Dt => {
                self.close_item(tag, SCOPE);
            }
            H1 | H2 | H3 | H4 | H5 | H6 => {
                if self.state.stack.finds(SCOPE, |open| open.bits & HEADING != 0) {
                    self.state.stack.imply_ends(Other);
                    self.state.stack.pop_through(|open| open.bits & HEADING != 0);
                }
            }
            A | B | Big | Code | Em | Font | I | Nobr | S | Small | Strike | Strong | Tt | U => {
                self.adoption_agency(tag);
            }
            Applet | Marquee | Object => {
                if self.close_in_scope(tag, SCOPE) {
                    self.clear_formatting_to_marker();
                }
            }
            Br => {
                let start = StartTag {
                    tag,
                    key,
                    self_closing: false,
                    attributes: (0, 0),
                    source: (0, 0),
                    special: Special::None,
                };
                self.insert_visible_void(&start);
            }
            _ => self.any_other_end_tag(key),
        }
    }

    fn close_in_scope(&mut self, tag: Tag, bounds: super::stack::Bits) -> bool {
        let open = self.state.stack.in_scope(tag, bounds);
        if open {
            self.state.stack.imply_ends(Other);
            self.state.stack.pop_until(tag);
        }
        open
    }

    fn close_item(&mut self, tag: Tag, bounds: super::stack::Bits) {
        if self.state.stack.in_scope(tag, bounds) {
            self.state.stack.imply_ends(tag);
            self.state.stack.pop_until(tag);
        }
    }

    fn end_form(&mut self) {
        if self.state.stack.has(Template) {
            self.close_in_scope(Form, SCOPE);
            return;
        }
        let form = std::mem::replace(&mut self.form, NONE);
        if form == NONE || !self.state.stack.finds(SCOPE, |open| open.node == form) {
            return;
        }
        self.state.stack.imply_ends(Other);
        if let Some(index) = self.state.stack.position(form) {
            self.state.stack.remove(index);
        }
    }

    pub(super) fn any_other_end_tag(&mut self, key: Key) {
        for index in (0..self.state.stack.len()).rev() {
            let open = self.state.stack[index];
            self.state.stack.look(1);
            if open.key == key && open.is_html() {
                self.imply_ends_except_key(key);
                return self.state.stack.truncate(index);
            }
            if open.bits & SPECIAL != 0 {
                return;
            }
        }
    }

    fn imply_ends_except_key(&mut self, key: Key) {
        self.state
            .stack
            .pop_while(|open| open.bits & super::stack::IMPLIED != 0 && open.key != key);
    }
}
