//! Labels of dates: words beside them such as `Updated` or `First published`.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::date::{AskLanguage, Dates, Partial, read, read_all};

/// What a date is of, by the words beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// The first publication.
    Published,
    /// A change.
    Updated,
    /// Something else: an event, a copyright, a visit.
    Other,
}

/// Beginnings of words for a first publication, in lower case. Those of scripts without spaces may stand anywhere.
const PUBLISHED: &str = "publish publié publie publicad publicat publicer publicēt pubblic published posted created written released \
    erschien veröffentl erstellt geschrieb geplaatst gepost gepubliceerd skriv skrev publiser julkais opublik dodano zveřejn vydán vložen napsan \
    zverejnen publikov опубл публик размещ добавл написа создан оприлюдн објав objavlj közzét megjelen yayın yazıl diterbit diposting ditulis đăng \
    公開 投稿 掲載 発行 作成 发布 發布 发表 發表 刊登 張貼 게시 등록 작성 입력 نشر كتب انتشار منتشر פורסם נכתב प्रकाशित প্রকাশ δημοσί δημοσι αναρτ เผยแพร่ โพสต์ апублік ilmus paskelbt";

/// Those for a change.
const UPDATED: &str = "updat modif revis edited reviewed amended changed aktualis aktualiz geändert bearbeitet überarb stand$ \
    mis_à_jour mise_à_jour actuali atualiz alterad editad aggiorn bijgewerkt gewijzigd uppdater ändrad opdater oppdater endret \
    päivit muokat zaktualiz edytow upraven změněn upravené frissít módosít обновл измен отредакт правк редакт оновл змінен актуализ \
    ажурир ažurir izmijenj posodobl actualitz güncel düzenle diperbarui dikemas cập_nhật sửa 更新 改訂 修正 修订 修訂 编辑于 編輯於 수정 업데이트 갱신 تحديث \
    تعديل بروزرسانی به‌روز بروز ویرایش עודכן עדכון अपडेट अद्यतन अद्ययावत আপডেট হালনাগাদ ενημέρωσ ενημερώ τροποπ แก้ไข อัปเดต อัพเดต uuendat muudet atjaunin \
    atnaujin uppfært абноўл last_change last_changed lastmod";

/// Those for something else.
const OTHER: &str = "© copyright accessed retrieved visited viewed archived deploy built generated born died expires expir valid until \
    deadline event begins$ ends$ joined member since$ comment comments reply replies related next$ abgerufen besucht consulté \
    visitado zuletzt_besucht letzter_aufruf veranstaltung termin veranstaltungs copyleft évènement événement evento etkinlik событие мероприятие \
    閲覧 イベント 開催 活动 活動 이벤트 댓글 评论 評論 コメント kommentar commentaire comentario commento комментар yorum đã_xem";

/// Letters of words before a date that are looked at, and behind it.
const BEFORE: usize = 60;
const BEHIND: usize = 24;
/// Characters of a line that is a label of the next line.
pub(crate) const LONGEST_LABEL: usize = 30;
/// What ends the label of a date.
const SEPARATORS: [char; 6] = ['|', '·', '•', '/', '–', '—'];

/// The beginning of a word, with its label.
struct Stem {
    label: Label,
    /// It is a whole word.
    is_whole: bool,
    /// It may stand within a word: scripts without spaces have it anywhere.
    is_dense: bool,
}

/// The stems, and what finds them.
static STEMS: LazyLock<(AhoCorasick, Vec<Stem>)> = LazyLock::new(|| {
    let lists = [
        (PUBLISHED, Label::Published),
        (UPDATED, Label::Updated),
        (OTHER, Label::Other),
    ];
    let all = lists
        .iter()
        .flat_map(|(list, label)| list.split_ascii_whitespace().map(|stem| (stem, *label)));
    let (texts, stems) = all
        .map(|(text, label)| {
            let stem = Stem {
                label,
                is_whole: text.ends_with('$'),
                is_dense: text.starts_with(|letter: char| letter >= '\u{e00}' || !letter.is_alphabetic()),
            };
            (text.trim_end_matches('$').replace('_', " "), stem)
        })
        .unzip::<_, _, Vec<String>, Vec<Stem>>();
    let finder = AhoCorasick::new(texts).expect("the stems are few and short");
    (finder, stems)
});

/// The label in some words: the last one of a publication or a change, else that of something else.
fn of_words(text: &str) -> Option<Label> {
    let mut found = None;
    for label in labels(&text.to_lowercase()) {
        if label != Label::Other || found.is_none() {
            found = Some(label);
        }
    }
    found
}

/// Whether a text has a word for a publication or a change.
pub(crate) fn has_label(text: &str) -> bool {
    labels(&text.to_lowercase()).any(|label| label != Label::Other)
}

/// The labels in a text in lower case, in their order.
fn labels(low: &str) -> impl Iterator<Item = Label> {
    let (finder, stems) = &*STEMS;
    finder.find_overlapping_iter(low).filter_map(|place| {
        let stem = &stems[place.pattern().as_usize()];
        let begins = stem.is_dense || !low[..place.start()].ends_with(char::is_alphanumeric);
        let ends = !stem.is_whole || !low[place.end()..].starts_with(char::is_alphanumeric);
        (begins && ends).then_some(stem.label)
    })
}

/// The date of first publication in a text: the first that has that label, else the first that has none;
/// where it has no whole date, one without its year or its day. A date of a change or of something else is none.
///
/// ```
/// use gleaner_metadata::date::{Day, Partial};
/// use gleaner_metadata::published_in;
///
/// let day = |text| published_in(text, &|| None).and_then(Partial::whole);
/// assert_eq!(day("Updated 6 May 2024, first published 4 March 2021"), Day::new(2021, 3, 4));
/// assert_eq!(day("Updated 6 May 2024"), None);
/// ```
pub fn published_in(text: &str, language: AskLanguage<'_>) -> Option<Partial> {
    let dates = read_all(text, language);
    if dates.found.is_empty() {
        return read(text, language);
    }
    let labels = of_dates(&dates);
    let first = |wanted: Option<Label>| {
        let mut own = dates.found.iter().zip(&labels);
        own.find(|(_, label)| **label == wanted)
            .map(|(found, _)| found.date)
    };
    first(Some(Label::Published)).or_else(|| first(None))
}

/// The label of each date of a line. Words stand before their dates, as in most languages, or all of them behind, as in
/// Japanese and Turkish.
pub(crate) fn of_dates(dates: &Dates) -> Vec<Option<Label>> {
    let text = dates.text.as_str();
    let starts = dates
        .found
        .iter()
        .map(|found| found.place.start)
        .chain([text.len()]);
    let ends = [0]
        .into_iter()
        .chain(dates.found.iter().map(|found| found.place.end));
    let gaps: Vec<&str> = ends
        .zip(starts)
        .map(|(from, to)| text.get(from..to).unwrap_or_default())
        .collect();
    let (first, last) = (gaps[0], gaps[gaps.len() - 1]);
    let is_behind = of_words_before(first).is_none() && of_words_behind(last).is_some();
    match is_behind {
        true => gaps[1..].iter().map(|gap| of_words_behind(gap)).collect(),
        false => gaps[..gaps.len() - 1]
            .iter()
            .map(|gap| of_words_before(gap))
            .collect(),
    }
}

/// The label in the words before a date.
pub(crate) fn of_words_before(text: &str) -> Option<Label> {
    let text = text.rsplit(SEPARATORS).next().unwrap_or_default();
    let from = text.char_indices().rev().take(BEFORE).last();
    of_words(from.map_or("", |(from, _)| &text[from..]))
}

/// Whether a line is the label of a day of publication in the next line.
pub(crate) fn is_publication_label(line: &str) -> bool {
    line.chars().count() <= LONGEST_LABEL && of_words_before(line) == Some(Label::Published)
}

/// The label in the words behind a date.
fn of_words_behind(text: &str) -> Option<Label> {
    let text = text
        .trim_start_matches([' ', ',', '(', '（'])
        .split(SEPARATORS)
        .next()
        .unwrap_or_default();
    let to = text.char_indices().nth(BEHIND).map_or(text.len(), |(to, _)| to);
    of_words(&text[..to]).filter(|label| *label != Label::Other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::read_all;

    fn labels_of(line: &str) -> Vec<Option<Label>> {
        of_dates(&read_all(line, &|| None))
    }

    #[test]
    fn dates_are_labelled_by_the_words_beside_them() {
        use Label::{Other, Published, Updated};
        for (line, wanted) in [
            (
                "Updated 6 May 2024 · First published 4 March 2021",
                vec![Some(Updated), Some(Published)],
            ),
            ("4 March 2021 (updated 6 May 2024)", vec![None, Some(Updated)]),
            ("4 March 2021", vec![None]),
            (
                "2021年3月4日 公開 / 2024年5月6日 更新",
                vec![Some(Published), Some(Updated)],
            ),
            (
                "公開日：2021年3月4日 最終更新日：2024年5月6日",
                vec![Some(Published), Some(Updated)],
            ),
            ("6 Mayıs 2024 tarihinde güncellendi", vec![Some(Updated)]),
            ("Zuletzt aktualisiert am 6. Mai 2024", vec![Some(Updated)]),
            ("Stand: 6. Mai 2024", vec![Some(Updated)]),
            (
                "Publié le 4 mars 2021 à 10h, mis à jour le 6 mai 2024",
                vec![Some(Published), Some(Updated)],
            ),
            ("Обновлено 6 мая 2024", vec![Some(Updated)]),
            ("Опубликовано: 4 марта 2021", vec![Some(Published)]),
            ("© Lark Hill. Last deployed 2025-02-03", vec![Some(Other)]),
            (
                "Geschrieben am Samstag, 7. Februar 2009 um 21:13 Uhr",
                vec![Some(Published)],
            ),
            ("Retrieved 4 March 2021", vec![Some(Other)]),
            ("3 comments · 4 March 2021 · 5 comments", vec![None]),
            ("Posted in Events on 4 March 2021", vec![Some(Published)]),
            ("Standard 4 March 2021", vec![None]),
        ] {
            assert_eq!(labels_of(line), wanted, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_has_a_label_for_each_date(line in "\\PC{0,60}|((Updated|公開|4 May 2021|2021-03-04|·|/| )){0,12}") {
            let dates = read_all(&line, &|| None);
            proptest::prop_assert_eq!(of_dates(&dates).len(), dates.found.len());
        }
    }
}
