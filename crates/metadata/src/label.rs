//! What a date is said to be of: words beside it such as `Updated` or `First published`.

use crate::date::Dates;

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
    deadline event starts$ start_date starting begins$ ends$ joined member since$ comment comments reply replies related next$ abgerufen besucht consulté \
    visitado zuletzt_besucht letzter_aufruf veranstaltung termin veranstaltungs copyleft évènement événement evento etkinlik событие мероприятие \
    閲覧 イベント 開催 活动 活動 이벤트 댓글 评论 評論 コメント kommentar commentaire comentario commento комментар yorum đã_xem";

/// Letters of words before a date that are looked at, and behind it.
const BEFORE: usize = 60;
const BEHIND: usize = 24;
/// What ends what is said of a date.
const SEPARATORS: [char; 6] = ['|', '·', '•', '/', '–', '—'];

/// What some words say of a date.
pub(crate) fn of_words(text: &str) -> Option<Label> {
    let low = text.to_lowercase();
    let last = |list: &str| {
        list.split_ascii_whitespace()
            .filter_map(|stem| place(&low, stem))
            .max()
    };
    let (published, updated) = (last(PUBLISHED), last(UPDATED));
    match (published, updated) {
        (_, Some(updated)) if published.is_none_or(|published| published < updated) => Some(Label::Updated),
        (Some(_), _) => Some(Label::Published),
        _ => last(OTHER).map(|_| Label::Other),
    }
}

/// The last place in a text where a word begins with a stem, or is one that ends with `$`. Scripts without spaces have stems
/// anywhere.
fn place(text: &str, stem: &str) -> Option<usize> {
    let (stem, is_whole) = match stem.strip_suffix('$') {
        Some(word) => (word, true),
        None => (stem, false),
    };
    let is_dense = stem.starts_with(|letter: char| letter >= '\u{e00}' || !letter.is_alphabetic());
    let own = |text: &str, stem: &str| {
        let fits = |&(at, _): &(usize, &str)| {
            let begins = is_dense || !text[..at].ends_with(char::is_alphanumeric);
            begins && !(is_whole && text[at + stem.len()..].starts_with(char::is_alphanumeric))
        };
        text.match_indices(stem).filter(fits).last().map(|(at, _)| at)
    };
    match stem.contains('_') {
        true => own(text, &stem.replace('_', " ")),
        false => own(text, stem),
    }
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

/// What the words before a date say, as far as they are of it.
pub(crate) fn of_words_before(text: &str) -> Option<Label> {
    let text = text.rsplit(SEPARATORS).next().unwrap_or_default();
    let from = text.char_indices().rev().take(BEFORE).last();
    of_words(from.map_or("", |(from, _)| &text[from..]))
}

/// What the words behind a date say, as far as they are of it.
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

    fn labels(line: &str) -> Vec<Option<Label>> {
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
            assert_eq!(labels(line), wanted, "{line}");
        }
    }
}
