//! Labels of dates: words beside them such as `Updated` or `First published`.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::date::{AskLanguage, Dates, Partial, read, read_all};

/// What a date is of, by the words beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Published,
    Updated,
    /// The time in which something can be done or takes place.
    Term,
    /// Something else: an event, a copyright, a visit.
    Other,
}

impl Label {
    /// Whether it is neither a first publication nor a change.
    fn is_of_other(self) -> bool {
        matches!(self, Label::Term | Label::Other)
    }
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
const OTHER: &str = "© copyright accessed retrieved visited viewed archived deploy built generated born died \
    event joined member since$ comment comments reply replies related next$ abgerufen besucht consulté \
    visitado zuletzt_besucht letzter_aufruf veranstaltung termin veranstaltungs copyleft évènement événement evento etkinlik событие мероприятие \
    閲覧 イベント 開催 活动 活動 이벤트 댓글 评论 評論 コメント kommentar commentaire comentario commento комментар yorum đã_xem 发布会 發布會 発表会";

/// Those for the time in which something can be done or takes place. (Names of what can be done, such as `Applications`, are
/// names of categories, too.)
const TERMS: &str = "expires expir valid until begins$ ends$ due$ deadline cutoff closing$ closes$ closing_date close_on ends_on no_later_than register_by apply_by apply_before rsvp on_sale \
    last_day last_date save_the_date starts$ opens$ takes_place runs_through on_view submit$ submit_your join_us sign_up applications_close registration: applications: when: \
    frist anmeldeschluss anmeldefrist bewerbungsschluss bewerbungsfrist meldeschluss meldefrist antragsfrist einsendeschluss abgabe fällig \
    spätestens gültig bis$ beginn$ beginnt$ wann: date_limite échéance clôture dernier_délai jusqu avant_le au_plus_tard quand: quand_: \
    fecha_límite data_límit data_limite límite$ limite$ plazo prazo vence vencimento vencimiento caduca cierre hasta$ último_día último_dia \
    cuándo: até$ encerra quando: scadenz scade$ entro$ fino_al termine_ultimo fins_al termini$ \
    uiterlijk aanmelden_voor inschrijven_voor sluitingsdatum tot_en_met geldig_tot wanneer: sista_dag sista_ansök sista_anmäl anmälan_senast senast_den ansök_senast anmäl_dig gäller_till \
    utgår när: ansøgningsfrist tilmeldingsfrist tilmelding_senest senest_den søknadsfrist påmeldingsfrist påmelding_innen innen_den søk_innen udløb utløp når: määräaika hakuaika \
    viimeistään voimassa päättyy milloin: do_dnia zapisy_do rejestracja_do zgłoszenia_do ważne_do ważny_do ważna_do upływa kiedy: termín uzávěrk uzávierk \
    přihlášky_do nejpozději najneskôr platnost kdy: rok_za prijave_do határid jelentkezési érvényes lejár mikor: termen_limit termenul \
    până_la valabil când: срок дедлайн до$ действует действит истекает приём_заявок прием_заявок крайн когда: термін кінцев коли: краен кога: \
    προθεσμ έως μέχρι λήγει λήξη πότε: son_başvuru son_tarih son_gün son_kayıt son_teslim bitiş ne_zaman: batas tenggat hingga sampai \
    paling_lambat kapan: hạn đăng_ký đến_ngày الموعد آخر_موعد حتى ينتهي مهلت ثبت_نام ثبت‌نام מועד_אחרון עד$ अंतिम_ति अंतिम_ता หมดเขต ปิดรับ \
    สิ้นสุด ภายใน 締切 締め切 〆切 期限 応募 申込 申し込み 受付 投稿締 公開予定 截止 截至 截稿 报名 報名 有效期 마감 기한 접수 등록_마감 등록마감 등록_기간";

/// What stands behind the last day of such a time.
const UNTIL: [&str; 12] = [
    "deadline",
    "まで",
    "迄",
    "締切",
    "締め切",
    "〆切",
    "期限",
    "截止",
    "截止日期",
    "까지",
    "마감",
    " kadar",
];

/// Maximum letters of words examined before a date, and behind it.
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
        (TERMS, Label::Term),
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
        if !label.is_of_other() || found.is_none() {
            found = Some(label);
        }
    }
    found
}

/// Whether a text has a word for a publication or a change.
pub(crate) fn has_label(text: &str) -> bool {
    labels(&text.to_lowercase()).any(|label| !label.is_of_other())
}

/// The labels in a text in lower case, in their order.
fn labels(low: &str) -> impl Iterator<Item = Label> {
    let (finder, stems) = &*STEMS;
    let whole = finder.find_overlapping_iter(low).filter_map(|place| {
        let stem = &stems[place.pattern().as_usize()];
        let begins = stem.is_dense || !low[..place.start()].ends_with(char::is_alphanumeric);
        let ends = !stem.is_whole || !low[place.end()..].starts_with(char::is_alphanumeric);
        (begins && ends).then_some((place.start(), stem.label))
    });
    // Of stems that begin in one place the longest counts, which is found last: `đăng ký` is no `đăng`.
    let mut found: Vec<(usize, Label)> = Vec::new();
    for (start, label) in whole {
        found.retain(|(other, _)| *other != start);
        found.push((start, label));
    }
    found.into_iter().map(|(_, label)| label)
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
        false => gaps
            .windows(2)
            .map(|gaps| of_words_before(gaps[0]).or_else(|| is_until(gaps[1]).then_some(Label::Term)))
            .collect(),
    }
}

/// Whether the words behind a date make it the end of a time.
fn is_until(text: &str) -> bool {
    let to = text.char_indices().nth(BEHIND).map_or(text.len(), |(to, _)| to);
    let near = text[..to].split(SEPARATORS).next().unwrap_or_default();
    !near.is_empty() && UNTIL.iter().any(|word| near.to_lowercase().contains(word))
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
    of_words(&text[..to]).filter(|label| !label.is_of_other())
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
        use Label::{Other, Published, Term, Updated};
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
            ("Due 4 March 2021", vec![Some(Term)]),
            ("Registration until 4 March 2021", vec![Some(Term)]),
            ("Anmeldung bis 4. März 2021", vec![Some(Term)]),
            ("Date limite : 4 mars 2021", vec![Some(Term)]),
            ("Inscripciones hasta el 4 de marzo de 2021", vec![Some(Term)]),
            ("Заявки до 4 марта 2021", vec![Some(Term)]),
            ("応募締切：2021年3月4日", vec![Some(Term)]),
            ("2021年3月4日まで", vec![Some(Term)]),
            ("2021년 3월 4일까지", vec![Some(Term)]),
            ("Hạn đăng ký: 4/3/2021", vec![Some(Term)]),
            ("Đăng ngày 4/3/2021", vec![Some(Published)]),
            ("发布会：2021年3月4日", vec![Some(Other)]),
            ("When: 4 March 2021", vec![Some(Term)]),
            ("Apple, 4 March 2021", vec![None]),
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
