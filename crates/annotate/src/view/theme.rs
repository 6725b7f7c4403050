//! Styles of the screen. Colours repeat what words and marks show, so that the screen is complete without them.

use gleaner_content::Label;
use gleaner_gold::annotation::{By, Decision};
use ratatui_core::style::{Color, Modifier, Style};

/// The looks of a screen, with colours or without.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    colour: bool,
}

impl Theme {
    pub(super) fn new(colour: bool) -> Theme {
        Theme { colour }
    }

    fn coloured(self, colour: Color) -> Style {
        match self.colour {
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }

    pub(super) fn label(self, label: Label) -> Style {
        self.coloured(match label {
            Label::Header => Color::Yellow,
            Label::Paragraph => Color::Green,
            Label::List => Color::Cyan,
            Label::Continuation => Color::Blue,
            Label::Other => Color::Red,
        })
    }

    /// The text of a block that is, or would be, this.
    pub(super) fn text(self, label: Option<Label>) -> Style {
        match label {
            Some(Label::Other) => self.faint(),
            Some(Label::Header) => Style::new().add_modifier(Modifier::BOLD),
            _ => Style::new(),
        }
    }

    pub(super) fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(super) fn found(self) -> Style {
        self.coloured(Color::Magenta).add_modifier(Modifier::UNDERLINED)
    }

    pub(super) fn error(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }
}

/// A label in five letters at most.
pub(super) fn short(label: Label) -> &'static str {
    match label {
        Label::Header => "head",
        Label::Paragraph => "para",
        Label::List => "list",
        Label::Continuation => "cont",
        Label::Other => "other",
    }
}

/// What is put behind a label that no hand has chosen.
pub(super) fn mark(decision: Decision) -> &'static str {
    match decision.by {
        By::Hand => "",
        By::Accepted => "+",
        By::Aligned => "~",
    }
}
