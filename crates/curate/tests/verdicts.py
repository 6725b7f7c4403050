"""Verdicts of DataTrove's filters: `verdicts.py FILE [SETTINGS]`.

FILE has a line with lists of stop words by language, and a line for each text: text, language, tokens, number of sentences of each
line. SETTINGS are those of FineWeb-2, a line a language; without them the verdict of FineWeb-2 is not given for other languages
than English. Prints a line of JSON for each text: for each set of rules the name that our crate has for the rule, or null.
"""

import json
import sys

from datatrove.data import Document
from datatrove.pipeline.filters import C4QualityFilter, FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter

RULES = {
    "dup_para_frac": "duplicate_paragraphs",
    "dup_para_char_frac": "duplicate_paragraph_characters",
    "dup_line_frac": "duplicate_lines",
    "dup_line_char_frac": "duplicate_line_characters",
    **{f"top_{n}_gram": f"top_{n}_gram" for n in (2, 3, 4)},
    **{f"duplicated_{n}_n_grams": f"duplicate_{n}_grams" for n in range(5, 11)},
    "gopher_short_doc": "words",
    "gopher_long_doc": "words",
    "gopher_below_avg_threshold": "mean_word_length",
    "gopher_above_avg_threshold": "mean_word_length",
    "gopher_too_many_hashes": "hashes",
    "gopher_too_many_ellipsis": "ellipses",
    "gopher_too_many_bullets": "bullet_lines",
    "gopher_too_many_end_ellipsis": "ellipsis_lines",
    "gopher_below_alpha_threshold": "alphabetic_tokens",
    "gopher_enough_stop_words": "stop_words",
    "lorem_ipsum": "has_lorem_ipsum",
    "curly_bracket": "has_curly_bracket",
    "too_few_sentences": "sentences",
    "line_punct_ratio": "punctuated_lines",
    "short_line_ratio": "short_lines",
    "char_dup_ratio": "repeated_characters",
    "list_ratio": "newlines",
}

WITHOUT_SPACES = ("Hani", "Jpan", "Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Lana")


class Ours:
    """A tokenizer that knows the text that is asked about."""

    def word_tokenize(self, text):
        return self.tokens

    def sent_tokenize(self, line):
        return [line] * self.sentences[line]


OURS = Ours()


def with_ours(kind, **settings):
    made = kind(**settings)
    made.tokenizer = OURS
    return made


def verdict(filters, text):
    for one in filters:
        result = one.filter(Document(text=text, id=""))
        if result is not True:
            return RULES[result[1]]
    return None


def fineweb2(settings, language, stop_words):
    """The filters of FineWeb-2 for a language."""
    limits = {name: settings[name] for name in ("dup_line_frac", "top_n_grams", "dup_n_grams") if name in settings}
    lines = {name: settings[name] for name in ("line_punct_thr", "new_line_ratio") if name in settings}
    names = ("max_avg_word_length", "min_avg_word_length", "max_non_alpha_words_ratio")
    words = {name: settings[name] for name in names if name in settings}
    if language.endswith(WITHOUT_SPACES):
        words["min_avg_word_length"] = 0
    words["min_stop_words"] = 2 if stop_words is None or stop_words else 0
    return [
        with_ours(GopherRepetitionFilter, dup_para_frac=0, dup_line_char_frac=0, dup_para_char_frac=0, **limits),
        with_ours(FineWebQualityFilter, short_line_thr=999, char_duplicates_ratio=0.1, **lines),
        with_ours(GopherQualityFilter, stop_words=stop_words, **words),
    ]


def main():
    settings = {}
    for path in sys.argv[2:]:
        for line in open(path, encoding="utf-8"):
            row = json.loads(line)
            settings[row["language"]] = row
    gopher = [with_ours(GopherRepetitionFilter), with_ours(GopherQualityFilter)]
    c4 = [with_ours(C4QualityFilter)]
    fineweb_c4 = [with_ours(C4QualityFilter, filter_no_terminal_punct=False)]
    fineweb = [with_ours(FineWebQualityFilter)]
    languages = {"eng_Latn": fineweb2({}, "eng_Latn", None)}
    lines = open(sys.argv[1], encoding="utf-8")
    lists = json.loads(next(lines))
    for line in lines:
        row = json.loads(line)
        text, language = row["text"], row["language"]
        OURS.tokens, OURS.sentences = row["tokens"], row["sentences"]
        if language not in languages and language in settings:
            languages[language] = fineweb2(settings[language], language, lists[language[:3]] or [])
        other = verdict(languages[language], text) if language in languages else "language"
        verdicts = {
            "gopher": verdict(gopher, text),
            "c4": verdict(c4, text),
            "fineweb_c4": verdict(fineweb_c4, text),
            "fineweb": verdict(fineweb, text),
            "fineweb2": other,
            "fineweb2_english": verdict(languages["eng_Latn"], text),
        }
        print(json.dumps(verdicts))


main()
