//! Keys by their names.

use serde_json::{Value, json};

/// Names, their code on Windows, and the text that they type.
const NAMED: [(&str, u32, &str); 14] = [
    ("Enter", 13, "\r"),
    ("Tab", 9, ""),
    ("Escape", 27, ""),
    ("Backspace", 8, ""),
    ("Delete", 46, ""),
    ("Space", 32, " "),
    ("ArrowLeft", 37, ""),
    ("ArrowUp", 38, ""),
    ("ArrowRight", 39, ""),
    ("ArrowDown", 40, ""),
    ("PageUp", 33, ""),
    ("PageDown", 34, ""),
    ("End", 35, ""),
    ("Home", 36, ""),
];

/// The bits of modifiers.
const MODIFIERS: [(&str, u32); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

/// A key with its modifiers.
#[derive(Debug)]
pub(super) struct Key {
    key: String,
    code: String,
    windows_code: u32,
    text: String,
    modifiers: u32,
}

impl Key {
    /// The key of that name: `a`, `Enter`, `Control+Enter`.
    pub(super) fn named(name: &str) -> Option<Key> {
        // (The plus is a key, too.)
        let end = name.char_indices().last()?.0;
        let split = name[..end].rfind('+');
        let (before, last) = split.map_or(("", name), |at| (&name[..at], &name[at + 1..]));
        let mut modifiers = 0;
        for modifier in before.split('+').filter(|modifier| !modifier.is_empty()) {
            modifiers |= MODIFIERS.iter().find(|(known, _)| *known == modifier)?.1;
        }
        let mut key = Key::alone(last)?;
        // With these, a key is a command and types nothing.
        if modifiers & 7 != 0 {
            key.text.clear();
        }
        Some(Key { modifiers, ..key })
    }

    fn alone(name: &str) -> Option<Key> {
        if let Some(&(known, windows_code, text)) = NAMED.iter().find(|(known, ..)| *known == name) {
            let key = if known == "Space" { " " } else { known };
            return Some(Key {
                key: key.to_owned(),
                code: known.to_owned(),
                windows_code,
                text: text.to_owned(),
                modifiers: 0,
            });
        }
        let mut letters = name.chars();
        let (letter, rest) = (letters.next()?, letters.next());
        let upper = letter.to_ascii_uppercase();
        let code = match letter {
            'a'..='z' | 'A'..='Z' => format!("Key{upper}"),
            '0'..='9' => format!("Digit{letter}"),
            _ => String::new(),
        };
        let is_known = letter.is_ascii_alphanumeric();
        rest.is_none().then(|| Key {
            key: name.to_owned(),
            code,
            windows_code: if is_known { u32::from(upper) } else { 0 },
            text: name.to_owned(),
            modifiers: 0,
        })
    }

    /// The parameters of `Input.dispatchKeyEvent`.
    pub(super) fn event(&self, kind: &str) -> Value {
        let mut event = json!({
            "type": kind, "key": self.key, "code": self.code, "modifiers": self.modifiers,
            "windowsVirtualKeyCode": self.windows_code,
        });
        if kind == "keyDown" && !self.text.is_empty() {
            event["text"] = Value::from(self.text.as_str());
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names_and_modifiers() {
        let shown = |name: &str| {
            Key::named(name).map(|key| (key.key, key.code, key.windows_code, key.text, key.modifiers))
        };
        let key = |key: &str, code: &str, windows, text: &str, modifiers| {
            Some((
                key.to_owned(),
                code.to_owned(),
                windows,
                text.to_owned(),
                modifiers,
            ))
        };
        assert_eq!(shown("a"), key("a", "KeyA", 65, "a", 0));
        assert_eq!(shown("Control+a"), key("a", "KeyA", 65, "", 2));
        assert_eq!(shown("Shift+Tab"), key("Tab", "Tab", 9, "", 8));
        assert_eq!(shown("+"), key("+", "", 0, "+", 0));
        assert_eq!(shown("Alt++"), key("+", "", 0, "", 1));
        assert_eq!(shown("Space"), key(" ", "Space", 32, " ", 0));
        for none in ["", "ab", "Hyper+a", "Escap"] {
            assert_eq!(shown(none), None, "{none}");
        }
    }
}
