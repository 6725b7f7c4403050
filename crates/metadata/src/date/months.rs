//! The names of the months.

/// Each month's names and short forms in lower case, with the endings that they have in dates.
/// Where two languages give one name to different months (listopad is October in Zagreb and
/// November in Prague), the one with more speakers has it.
const NAMES: [&str; 12] = [
    "january jan januar jänner jän janvier janv enero ene janeiro gennaio gen januari tammikuu tammikuuta \
     stycznia styczeń sty ledna leden led január januára января январь янв січня січень січ януари ян \
     ιανουαρίου ιανουάριος ιαν ocak oca ianuarie ian gener يناير جانفي ينایر ינואר בינואר มกราคม \
     ม.ค siječnja sij sausio जनवरी janeiru",
    "february feb februar feber février fevrier févr fév febrero fevereiro fev febbraio februari helmikuu \
     helmikuuta lutego luty lut února únor úno február februára февраля февраль фев февр лютого лютий лют \
     февруари φεβρουαρίου φεβρουάριος φεβ şubat şub február febr februarie febrer فبراير فيفري פברואר \
     בפברואר กุมภาพันธ์ ก.พ veljače velj vasario फ़रवरी फरवरी",
    "march mar märz mär mrz mars marzo março marco maart mrt maaliskuu maaliskuuta marca marzec března \
     březen bře marec марта март мар березня березень бер март μαρτίου μάρτιος μαρ mart március \
     márc martie març مارس מרץ במרץ มีนาคม มี.ค maret ožujka ožu kovo marts मार्च",
    "april apr avril avr abril abr aprile huhtikuu huhtikuuta kwietnia kwiecień kwi dubna duben dub apríl \
     apríla апреля апрель апр квітня квітень кві април απριλίου απρίλιος απρ nisan nis április ápr aprilie \
     أبريل ابريل إبريل أفريل אפריל באפריל เมษายน เม.ย travnja tra balandžio अप्रैल",
    "may mai mayo maio maggio mag mei maj toukokuu toukokuuta maja května květen kvě máj mája мая май \
     травня травень тра май μαΐου μάιος μαϊ mayıs május máj maig مايو ماي מאי במאי พฤษภาคม พ.ค svibnja svi \
     gegužės मई",
    "june jun juni juin junio junho giugno giu kesäkuu kesäkuuta czerwca czerwiec cze června červen čvn \
     jún júna июня июнь июн червня червень чер юни ιουνίου ιούνιος ιουν haziran haz június jún iunie \
     juny يونيو يونيه جوان יוני ביוני มิถุนายน มิ.ย lipnja birželio जून",
    "july jul juli juillet juil julio julho luglio lug heinäkuu heinäkuuta lipca lipiec lip července \
     červenec čvc júl júla июля июль июл липня липень лип юли ιουλίου ιούλιος ιουλ temmuz tem július júl \
     iulie juliol يوليو يوليه جويلية יולי ביולי กรกฎาคม ก.ค srpnja liepos जुलाई",
    "august aug août aout agosto ago augusti augustus elokuu elokuuta sierpnia sierpień sie srpna srpen \
     srp augusta августа август авг серпня серпень сер αυγούστου αύγουστος αυγ ağustos ağu augusztus \
     agost أغسطس اغسطس أوت אוגוסט באוגוסט สิงหาคม ส.ค agustus kolovoza kol rugpjūčio अगस्त",
    "september sep sept septembre septiembre setiembre setembro set settembre syyskuu syyskuuta września \
     wrzesień wrz září zář septembra сентября сентябрь сен сент вересня вересень вер септември \
     σεπτεμβρίου σεπτέμβριος σεπ eylül eyl szeptember szept septembrie setembre سبتمبر ספטמבר בספטמבר \
     กันยายน ก.ย rujna ruj rugsėjo सितंबर",
    "october oct oktober okt octobre octubre outubro out ottobre ott lokakuu lokakuuta października \
     październik paź října říjen říj október októbra октября октябрь окт жовтня жовтень жов октомври \
     οκτωβρίου οκτώβριος οκτ ekim eki október octombrie أكتوبر اكتوبر אוקטובר באוקטובר ตุลาคม ต.ค spalio \
     अक्टूबर",
    "november nov novembre noviembre novembro marraskuu marraskuuta listopada listopad lis listopadu \
     lis novembra ноября ноябрь ноя нояб листопада листопад лис ноември νοεμβρίου νοέμβριος νοε kasım kas \
     noiembrie noi نوفمبر נובמבר בנובמבר พฤศจิกายน พ.ย studenoga studenog nopember lapkričio नवंबर",
    "december dec dez dezember décembre decembre déc diciembre dic dezembro dicembre joulukuu joulukuuta \
     grudnia grudzień gru prosince prosinec pro decembra декабря декабрь дек грудня грудень гру декември \
     δεκεμβρίου δεκέμβριος δεκ aralık ara decembrie desembre des ديسمبر דצמבר בדצמבר ธันวาคม ธ.ค prosinca \
     gruodžio desember दिसंबर",
];

/// The month of a word in lower case.
pub(super) fn month(word: &str) -> Option<u8> {
    let number = NAMES
        .iter()
        .position(|names| names.split_ascii_whitespace().any(|name| name == word))?;
    Some(number as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_of_two_months() {
        for (number, names) in NAMES.iter().enumerate() {
            for name in names.split_ascii_whitespace() {
                assert_eq!(month(name), Some(number as u8 + 1), "{name}");
            }
        }
    }
}
