//! Sitemaps (sitemaps.org): lists of a site's pages, and lists of such lists.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::Event;

/// The most addresses of a sitemap, and the most bytes of it, as the protocol has them.
const MOST_ADDRESSES: usize = 50_000;
const MOST_BYTES: u64 = 50 << 20;
/// The longest address that is read.
const ADDRESS_BYTES: usize = 4096;

/// The addresses of a sitemap, as they are written; `None` if the body is no sitemap. Damage ends it.
pub(crate) fn sitemap(body: &[u8]) -> Option<Vec<String>> {
    if !body.starts_with(b"\x1f\x8b") {
        return read(body);
    }
    let mut text = Vec::new();
    // Damage cuts it.
    let _cut = MultiGzDecoder::new(body).take(MOST_BYTES).read_to_end(&mut text);
    read(&text)
}

fn read(body: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(body);
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}').trim_start());
    reader.config_mut().check_end_names = false;
    if !has_root(&mut reader) {
        return None;
    }
    let mut addresses = Vec::new();
    let mut address: Option<String> = None;
    while addresses.len() < MOST_ADDRESSES {
        match reader.read_event() {
            // (Addresses of pictures have a prefix, which local names lack.)
            Ok(Event::Start(start)) => address = (start.name().as_ref() == b"loc").then(String::new),
            Ok(Event::End(_)) => {
                let found = address.take().map(|found| found.trim().to_owned());
                addresses.extend(found.filter(|found| !found.is_empty()));
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(event) => {
                if let Some(address) = address.as_mut().filter(|found| found.len() < ADDRESS_BYTES) {
                    add_text(&event, address);
                }
            }
        }
    }
    Some(addresses)
}

/// Reads up to the root element. Returns whether it is that of a sitemap.
fn has_root(reader: &mut Reader<&[u8]>) -> bool {
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                return matches!(start.local_name().as_ref(), b"urlset" | b"sitemapindex");
            }
            Ok(Event::Eof | Event::Empty(_) | Event::End(_)) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

fn add_text(event: &Event<'_>, address: &mut String) {
    match event {
        Event::Text(text) => address.push_str(&text.decode().unwrap_or_default()),
        Event::CData(text) => address.push_str(&text.decode().unwrap_or_default()),
        Event::GeneralRef(name) => {
            if let Ok(Some(letter)) = name.resolve_char_ref() {
                address.push(letter);
            } else if let Some(text) = name.decode().ok().as_deref().and_then(resolve_xml_entity) {
                address.push_str(text);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const MAP: &str = "\u{feff}<?xml version='1.0' encoding='UTF-8'?><!-- a -->
        <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
        <url><loc> http://a.example/?b=1&amp;c=&#x32; </loc><image:loc>http://a.example/i.png</image:loc></url>
        <url><loc><![CDATA[http://a.example/d]]></loc><lastmod>2024-01-01</lastmod></url></urlset>";

    #[test]
    fn addresses_are_read_as_xml() {
        let addresses = ["http://a.example/?b=1&c=2", "http://a.example/d"];
        assert_eq!(sitemap(MAP.as_bytes()).unwrap(), addresses);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(MAP.as_bytes()).unwrap();
        assert_eq!(sitemap(&gzip.finish().unwrap()).unwrap(), addresses);
    }

    #[test]
    fn other_texts_are_no_sitemaps() {
        for other in [
            "",
            "<html><loc>a</loc>",
            "text",
            "<rss><channel/></rss>",
            "\u{1f}\u{8b}x",
        ] {
            assert_eq!(sitemap(other.as_bytes()), None, "{other}");
        }
        let cut = "<sitemapindex><sitemap><loc>http://a.example/1.xml</loc></sitemap><sitemap><loc>http";
        assert_eq!(sitemap(cut.as_bytes()).unwrap(), ["http://a.example/1.xml"]);
    }
}
