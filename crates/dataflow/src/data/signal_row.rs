//! The row of `signals` of a document.

use std::ops::Range;

use gleaner_corpus::{DocumentRow, PiiSpan, Real, Share, SignalRow};
use gleaner_curate::{
    C4Signals, Languages, LineSignals, Measurer, PersonalCounts, PersonalSpan, Signals, WdsSignals, c4, dclm,
    fineweb, fineweb_c4, fineweb2, gopher, personal_data,
};

use crate::data::characters::in_characters;

/// Measures the text of a document. The places of personal data are in the row on request.
pub(crate) fn signal_row(
    document: &DocumentRow,
    languages: &Languages,
    measurer: &mut Measurer,
    has_spans: bool,
) -> SignalRow {
    let language = languages.language();
    let signals = measurer.measure(&document.text, &language);
    let first = languages.languages.first();
    let named = |rule: Option<&'static str>| rule.map(str::to_owned);
    let row = with_c4(&signals.c4, &signals.fineweb_c4, of_text(&signals));
    let row = with_wds(&signals.wds, with_lines(&signals.lines, row));
    let found = personal_data(&document.text);
    let row = with_personal_data(&found, with_languages(languages, row));
    SignalRow {
        row_id: document.row_id.clone(),
        url: document.url.clone(),
        pii_spans: has_spans.then(|| pii_spans(&document.text, &found)),
        gopher: named(gopher(&signals)),
        c4: named(c4(&signals)),
        fineweb_c4: named(fineweb_c4(&signals)),
        fineweb: named(fineweb(&signals)),
        fineweb2: named(fineweb2(&signals, &language)),
        dclm: named(dclm(&signals)),
        wds: Real(
            signals
                .wds
                .score(first.map_or(0.0, |first| f64::from(first.share))),
        ),
        ..row
    }
}

fn with_languages(found: &Languages, row: SignalRow) -> SignalRow {
    let (languages, shares) = found
        .languages
        .iter()
        .map(|found| (found.language.to_string(), Share(found.share)))
        .unzip();
    SignalRow {
        languages,
        language_shares: shares,
        ..row
    }
}

fn pii_spans(text: &str, found: &[PersonalSpan]) -> Vec<PiiSpan> {
    let spans: Vec<Range<usize>> = found.iter().map(|found| found.start..found.end).collect();
    let spans = found.iter().zip(in_characters(text, &spans));
    let spans = spans.map(|(found, span)| PiiSpan {
        kind: found.kind.name().into(),
        start: span.start,
        end: span.end,
    });
    spans.collect()
}

fn with_personal_data(found: &[PersonalSpan], row: SignalRow) -> SignalRow {
    let counts = PersonalCounts::of(found);
    SignalRow {
        email_addresses: counts.emails,
        ip_addresses: counts.ip_addresses,
        phone_numbers: counts.phones,
        ibans: counts.ibans,
        payment_cards: counts.payment_cards,
        ..row
    }
}

/// The measures of Gopher and FineWeb.
fn of_text(signals: &Signals) -> SignalRow {
    let [top_2_gram, top_3_gram, top_4_gram] = signals.top_ngrams.map(Real);
    let [five, six, seven, eight, nine, ten] = signals.duplicate_ngrams.map(Real);
    SignalRow {
        characters: signals.characters,
        tokens: signals.tokens,
        words: signals.words,
        mean_word_length: Real(signals.mean_word_length),
        hashes: Real(signals.hashes),
        ellipses: Real(signals.ellipses),
        bullet_lines: Real(signals.bullet_lines),
        ellipsis_lines: Real(signals.ellipsis_lines),
        alphabetic_tokens: Real(signals.alphabetic_tokens),
        gopher_stop_words: signals.gopher_stop_words,
        stop_words: signals.stop_words,
        duplicate_paragraphs: Real(signals.duplicate_paragraphs),
        duplicate_paragraph_characters: Real(signals.duplicate_paragraph_characters),
        duplicate_lines: Real(signals.duplicate_lines),
        duplicate_line_characters: Real(signals.duplicate_line_characters),
        top_2_gram,
        top_3_gram,
        top_4_gram,
        duplicate_5_grams: five,
        duplicate_6_grams: six,
        duplicate_7_grams: seven,
        duplicate_8_grams: eight,
        duplicate_9_grams: nine,
        duplicate_10_grams: ten,
        punctuated_lines: Real(signals.punctuated_lines),
        short_lines: Real(signals.short_lines),
        repeated_characters: Real(signals.repeated_characters),
        newlines: Real(signals.newlines),
        long_lines: signals.long_lines,
        ..SignalRow::default()
    }
}

fn with_c4(strict: &C4Signals, any_end: &C4Signals, row: SignalRow) -> SignalRow {
    SignalRow {
        c4_long_word_lines: strict.long_word_lines,
        c4_unpunctuated_lines: strict.unpunctuated_lines,
        c4_few_word_lines: strict.few_word_lines,
        c4_javascript_lines: strict.javascript_lines,
        c4_policy_lines: strict.policy_lines,
        c4_kept_lines: strict.kept_lines,
        c4_kept_characters: strict.kept_characters,
        c4_sentences: strict.sentences,
        c4_lorem_ipsum: strict.has_lorem_ipsum,
        c4_curly_bracket: strict.has_curly_bracket,
        fineweb_c4_kept_lines: any_end.kept_lines,
        fineweb_c4_kept_characters: any_end.kept_characters,
        fineweb_c4_sentences: any_end.sentences,
        ..row
    }
}

fn with_lines(lines: &LineSignals, row: SignalRow) -> SignalRow {
    SignalRow {
        uppercase_lines: lines.uppercase,
        numeric_lines: lines.numeric,
        counter_lines: lines.counter,
        one_word_lines: lines.one_word,
        button_lines: lines.button,
        removed_line_words: Real(lines.words),
        ..row
    }
}

fn with_wds(wds: &WdsSignals, row: SignalRow) -> SignalRow {
    SignalRow {
        wds_alphabetic: wds.alphabetic,
        wds_urls: wds.urls,
        wds_numbers: Real(wds.numbers),
        wds_punctuation: Real(wds.punctuation),
        wds_singular: Real(wds.singular),
        wds_dense_numbers: wds.dense_numbers,
        wds_dense_singular: wds.dense_singular,
        wds_unpunctuated: Real(wds.unpunctuated),
        wds_repeated_segments: Real(wds.repeated_segments),
        wds_long_segments: wds.long_segments,
        wds_longest_segment: wds.longest_segment,
        wds_great_segments: Real(wds.great_segments),
        wds_segment_variation: Real(wds.segment_variation),
        wds_segments: wds.segments,
        ..row
    }
}

#[cfg(test)]
mod tests {
    use gleaner_curate::LanguageIdentifier;

    use super::*;

    #[test]
    fn a_row_has_the_measures_of_its_text() {
        let sentence =
            "The boats leave the harbour at seven, and they come back with herring when the tide is high.";
        let document = DocumentRow {
            row_id: "a".to_owned(),
            text: format!("{sentence}\n{sentence}\nWrité to anna@example.org"),
            ..DocumentRow::default()
        };
        let languages = LanguageIdentifier::default().identify(&document.text, None);
        let row = |has_spans| signal_row(&document, &languages, &mut Measurer::default(), has_spans);
        assert_eq!(row(false).pii_spans, None);
        let row = row(true);
        let span = &row.pii_spans.unwrap_or_default()[0];
        let text = document.text.chars().skip(span.start as usize);
        let text: String = text.take((span.end - span.start) as usize).collect();
        assert_eq!((&*span.kind, &*text), ("email", "anna@example.org"));
        assert_eq!(
            (&*row.row_id, &*row.languages),
            ("a", &["eng_Latn".to_owned()][..])
        );
        assert_eq!((row.words, row.c4_kept_lines, row.email_addresses), (40, 2, 1));
        assert_eq!(row.duplicate_lines, Real(1.0 / 3.0));
        assert_eq!(
            (row.gopher.as_deref(), row.c4.as_deref()),
            (Some("duplicate_lines"), Some("sentences"))
        );
        assert!(
            row.wds > Real(0.0) && row.wds_segments == 3,
            "{}",
            row.wds_segments
        );
    }
}
