//! What is read of a long text.

/// A text of more bytes than this is read in pieces, which have as many together.
pub(super) const SAMPLE: usize = 640;

/// A text with fewer letters is in no language: single words are in many.
pub(super) const MIN_LETTERS: usize = 12;

/// The pieces of a long text.
const PIECES: usize = 4;

/// A text, or pieces of it at even distances, each from a white space on and with a line of its own.
pub(super) fn sample<'a>(text: &'a str, buffer: &'a mut String) -> &'a str {
    if text.len() <= SAMPLE {
        return text;
    }
    buffer.clear();
    let length = SAMPLE / PIECES;
    for piece in 0..PIECES {
        let start = text.floor_char_boundary(piece * (text.len() - length) / (PIECES - 1));
        let end = text.floor_char_boundary(start + length);
        let piece = &text[start..end];
        // A piece begins within a word, but for the first one.
        let word = if start == 0 {
            None
        } else {
            piece.find(char::is_whitespace)
        };
        buffer.push_str(&piece[word.unwrap_or(0)..]);
        buffer.push('\n');
    }
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_read_from_its_beginning_to_its_end() {
        let text: String = (0..5000).map(|number| format!("w{number} ")).collect();
        let mut buffer = String::new();
        let sample = sample(&text, &mut buffer);
        assert!(sample.len() <= SAMPLE + PIECES && sample.len() > SAMPLE * 9 / 10);
        assert!(
            sample.starts_with("w0 ") && sample.ends_with("w4999 \n"),
            "{sample}"
        );
        assert!(sample.split_whitespace().all(|word| word.starts_with('w')));
    }

    #[test]
    fn a_text_without_spaces_is_cut_between_characters() {
        let text = "港".repeat(1000);
        let mut buffer = String::new();
        assert_eq!(sample(&text, &mut buffer).lines().count(), PIECES);
        assert_eq!(sample("short", &mut String::new()), "short");
    }
}
