//! The rows of `signals`. How comments become those of columns: see [`rows`](crate::rows).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::table::{group, table};
use crate::{Real, Share};

table! {
    /// Measures of the text of a page, without a judgement, and by which rule each rule set of other corpora would leave it out. Each
    /// row is of a document. Tokens are the words of UAX #29, and each other character that is no white space. Shares are from 0
    /// to 1, and 0 for 0 / 0. The table is not written with `--no-signals`.
    #[derive(Default)]
    SignalRow, SignalColumns, "signals", WithSignals {
        /// The `row_id` of the page in documents.
        row_id: String => Key,
        /// The URL of the page, the same as in documents.
        url: String => Key,
        /// At most three languages of the text, the first one first: codes of ISO 639-3 and ISO 15924, such as `por_Latn`.
        languages: Vec<String> => Dictionary,
        /// The share of the text that is in each of these languages; by `--language-model` the probability of each.
        language_shares: Vec<Share> => Plain,
        /// The names of the lists that the URL is on (`--url-list`), in the order of their bytes. Empty if it is on none.
        url_lists: Vec<String> => Dictionary,
        /// The first rule of Gopher that the text fails: first those on repetition, then those on quality (Rae et al. 2021, appendix
        /// A1.1). They are for English. Null if it fails none.
        gopher: Option<String> => Dictionary,
        /// The first rule of C4 for texts that the text fails, after its rules for lines (Raffel et al. 2020, section 2.2). Null if it
        /// fails none.
        c4: Option<String> => Dictionary,
        /// As `c4`, where lines may end without a mark of punctuation: the rules of FineWeb (Penedo et al. 2024). Null if it
        /// fails none.
        fineweb_c4: Option<String> => Dictionary,
        /// The first of FineWeb's own rules that the text fails. FineWeb also has those of `gopher` and `fineweb_c4`. Null if it
        /// fails none.
        fineweb: Option<String> => Dictionary,
        /// The first rule of FineWeb-2 that the text fails, with the limits of its language (Penedo et al. 2025). `language` if the
        /// language has no limits. Null if it fails none.
        fineweb2: Option<String> => Dictionary,
        /// `lines` if lines that RefinedWeb and DCLM leave out have more than a twentieth of the words. Else null.
        dclm: Option<String> => Dictionary,
        /// The number of characters (Unicode code points) in the text.
        characters: u32 => Plain,
        /// The number of tokens in the text.
        tokens: u32 => Plain,
        /// Tokens that are more than punctuation. Gopher: 50 to 100,000.
        words: u32 => Plain,
        /// Characters of the words divided by words. Gopher: 3 to 10.
        mean_word_length: Real => Plain,
        /// The number of `#` divided by the number of tokens. Gopher: at most 0.1.
        hashes: Real => Dictionary,
        /// The number of `...` and `…` divided by the number of tokens. Gopher: at most 0.1.
        ellipses: Real => Dictionary,
        /// The share of lines that begin with `•` or `-` after white space. Gopher: at most 0.9.
        bullet_lines: Real => Dictionary,
        /// The share of lines that end with `...` or `…` before white space. Gopher: at most 0.3.
        ellipsis_lines: Real => Dictionary,
        /// The share of tokens with a letter. Gopher: at least 0.8.
        alphabetic_tokens: Real => Plain,
        /// How often the words of Gopher's list occur, as written: `the`, `be`, `to`, `of`, `and`, `that`, `have`, `with`. Gopher: at
        /// least 2.
        gopher_stop_words: u32 => Plain,
        /// How often the stop words of the text's language occur, as written. Null if there is no list for the language.
        stop_words: Option<u32> => Plain,
        /// Paragraphs (between empty lines) that were there before, divided by paragraphs. Gopher: at most 0.3.
        duplicate_paragraphs: Real => Dictionary,
        /// Their characters divided by all. Gopher: at most 0.2.
        duplicate_paragraph_characters: Real => Dictionary,
        /// Lines that were there before, divided by lines; empty lines count for neither. Gopher: at most 0.3.
        duplicate_lines: Real => Dictionary,
        /// Their characters divided by all. Gopher: at most 0.2.
        duplicate_line_characters: Real => Dictionary,
        /// The characters of the most frequent two tokens in a row, with the space between them, times their places, divided by all
        /// characters. Gopher: at most 0.2.
        top_2_gram: Real => Plain,
        /// As `top_2_gram`, for three tokens in a row. Gopher: at most 0.18.
        top_3_gram: Real => Plain,
        /// As `top_2_gram`, for four tokens in a row. Gopher: at most 0.16.
        top_4_gram: Real => Plain,
        /// The characters of five tokens in a row that were there before, each character once and without spaces, divided by all.
        /// Gopher: at most 0.15.
        duplicate_5_grams: Real => Dictionary,
        /// As `duplicate_5_grams`, for six tokens in a row. Gopher: at most 0.14.
        duplicate_6_grams: Real => Dictionary,
        /// As `duplicate_5_grams`, for seven tokens in a row. Gopher: at most 0.13.
        duplicate_7_grams: Real => Dictionary,
        /// As `duplicate_5_grams`, for eight tokens in a row. Gopher: at most 0.12.
        duplicate_8_grams: Real => Dictionary,
        /// As `duplicate_5_grams`, for nine tokens in a row. Gopher: at most 0.11.
        duplicate_9_grams: Real => Dictionary,
        /// As `duplicate_5_grams`, for ten tokens in a row. Gopher: at most 0.1.
        duplicate_10_grams: Real => Dictionary,
        /// The share of lines, with empty ones, that end with `.`, `'`, `"`, `!` or `?`. FineWeb: more than 0.12.
        punctuated_lines: Real => Plain,
        /// The share of lines, with empty ones, of at most 30 characters. FineWeb: less than 0.67.
        short_lines: Real => Plain,
        /// Characters of lines that were there before and have more than white space, divided by characters without line feeds.
        /// FineWeb: less than 0.01.
        repeated_characters: Real => Dictionary,
        /// Line feeds divided by tokens. FineWeb: at most 0.3.
        newlines: Real => Plain,
        /// Lines of at least 200 characters. mC4 (Xue et al. 2021): at least 3.
        long_lines: u32 => Plain,
        /// Lines that C4 leaves out: a word (between white space) has more than 1,000 characters.
        c4_long_word_lines: u32 => Dictionary,
        /// Lines that C4 leaves out: they end otherwise than with `.`, `?`, `!`, `"` or `'`, or with `...`. Empty lines are among them.
        c4_unpunctuated_lines: u32 => Plain,
        /// Lines that C4 leaves out: they have fewer than 3 words.
        c4_few_word_lines: u32 => Dictionary,
        /// Lines that C4 leaves out because the word `javascript` is in them.
        c4_javascript_lines: u32 => Dictionary,
        /// Lines that C4 leaves out: they speak of cookies, privacy or terms of use.
        c4_policy_lines: u32 => Dictionary,
        /// The number of lines that C4 keeps.
        c4_kept_lines: u32 => Plain,
        /// Characters of the lines that C4 keeps.
        c4_kept_characters: u32 => Plain,
        /// Sentences of the lines that C4 keeps. C4: at least 5.
        c4_sentences: u32 => Plain,
        /// Whether a line that the rules for lines keep has `lorem ipsum`.
        c4_lorem_ipsum: bool => Plain,
        /// Whether a line that the rules for lines keep has `{`.
        c4_curly_bracket: bool => Plain,
        /// Lines that are kept by the rules of `fineweb_c4`.
        fineweb_c4_kept_lines: u32 => Plain,
        /// The number of characters of these lines.
        fineweb_c4_kept_characters: u32 => Plain,
        /// The number of sentences of these lines. FineWeb: at least 5.
        fineweb_c4_sentences: u32 => Plain,
        /// Lines of which more than half of the characters are capital letters (RefinedWeb, Penedo et al. 2023, appendix G.2).
        uppercase_lines: u32 => Dictionary,
        /// The number of lines that are ASCII digits alone.
        numeric_lines: u32 => Dictionary,
        /// Lines that are a counter: a number and `likes`, `shares`, `comments` or the like, such as `1.2k views`.
        counter_lines: u32 => Dictionary,
        /// Lines of one word, or of white space alone.
        one_word_lines: u32 => Dictionary,
        /// Lines of at most 10 words that are the label of a button: they begin with `sign-in`, end with `read more...`, or have `items
        /// in cart`.
        button_lines: u32 => Dictionary,
        /// Words of these five kinds of lines, divided by all words. RefinedWeb and DCLM: at most 0.05.
        removed_line_words: Real => Dictionary,
        /// E-mail addresses in the text, of domains of the public suffix list.
        email_addresses: u32 => Dictionary,
        /// Public IP addresses in the text, of version 4 or 6.
        ip_addresses: u32 => Dictionary,
        /// What looks like a telephone number, by patterns of several countries: some are other numbers, and others are missed.
        phone_numbers: u32 => Dictionary,
        /// International Bank Account Numbers with a right checksum.
        ibans: u32 => Dictionary,
        /// Numbers of payment cards with a right checksum.
        payment_cards: u32 => Dictionary,
        /// The places of these five kinds in `text` of documents, in their order. Null without `--pii-spans`.
        pii_spans: Option<Vec<PiiSpan>> => Plain,
        /// The score of HPLT's Web Docs Scorer, from 0 to 1, with its limits for Spanish in all languages, and without its measure of
        /// compression.
        wds: Real => Plain,
        /// The number of alphabetic characters.
        wds_alphabetic: u32 => Plain,
        /// The number of places with `http` or `www`.
        wds_urls: u32 => Dictionary,
        /// Numeric characters divided by alphabetic ones.
        wds_numbers: Real => Plain,
        /// Marks of punctuation divided by alphabetic characters.
        wds_punctuation: Real => Plain,
        /// Characters that are neither alphabetic nor numeric, punctuation or white space, divided by alphabetic ones.
        wds_singular: Real => Plain,
        /// Numeric characters in segments (lines) that have more than one for ten alphabetic ones.
        wds_dense_numbers: u32 => Plain,
        /// As `wds_dense_numbers`, of the characters of `wds_singular`.
        wds_dense_singular: u32 => Plain,
        /// The share of alphabetic characters in segments with at most one mark of punctuation for 200 of them.
        wds_unpunctuated: Real => Plain,
        /// Segments of four characters and more that occur more than once, divided by all of these.
        wds_repeated_segments: Real => Dictionary,
        /// Segments with at least 250 alphabetic characters.
        wds_long_segments: u32 => Dictionary,
        /// The alphabetic characters of the longest segment.
        wds_longest_segment: u32 => Plain,
        /// The mean of the alphabetic characters of the segments with more than 625; 0 without such.
        wds_great_segments: Real => Plain,
        /// The coefficient of variation of the alphabetic characters of segments, of which at most 250 count. 0 without segments.
        wds_segment_variation: Real => Plain,
        /// The number of segments (lines with text).
        wds_segments: u32 => Plain,
    }
}

group! {
    /// A place of a text with personal data.
    PiiSpan {
        /// The kind of the data that is there: `email`, `ip_address`, `phone`, `iban` or `payment_card`.
        kind: Cow<'static, str>,
        /// Characters (Unicode code points) of the text before it.
        start: u32,
        /// Characters of the text up to its end.
        end: u32,
    }
}
