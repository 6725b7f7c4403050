//! Where a crawl begins: URLs on the command line, in files or on standard input.

use std::io::Read;
use std::path::Path;

use url::Url;

use crate::address::{page_url, typed_url};
use crate::sitemap::sitemap;

/// Seeds that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadSeeds {
    /// A file cannot be read.
    #[error("could not read '{0}': {1}")]
    Read(String, #[source] std::io::Error),
    /// A word is none.
    #[error("{0}")]
    Word(String),
    /// A line of a file is none.
    #[error("line {1} of '{0}': {2}")]
    Line(String, usize, String),
    /// There is none.
    #[error("the seeds have no URL: name one, or a file with one in each line")]
    None,
}

/// Reads seeds: URLs; files with a URL in each line, or sitemaps; and `-` for standard input. Empty lines and those that begin
/// with `#` are left out, and so is what was named before.
///
/// # Errors
/// A file cannot be read, or something is no URL of `http` or `https`; or there is none.
pub fn read_seeds(words: &[String], stdin: &mut dyn Read) -> Result<Vec<Url>, BadSeeds> {
    let mut seeds = Vec::new();
    for word in words {
        let mut body = Vec::new();
        let read = match word.as_str() {
            "-" => stdin.read_to_end(&mut body).map(drop),
            word if !word.contains("://") && Path::new(word).exists() => {
                std::fs::read(word).map(|bytes| body = bytes)
            }
            word => {
                seeds.push(typed_url(word).map_err(BadSeeds::Word)?);
                continue;
            }
        };
        read.map_err(|error| BadSeeds::Read(word.clone(), error))?;
        add_lines(word, &body, &mut seeds)?;
    }
    let mut known = rustc_hash::FxHashSet::default();
    seeds.retain(|seed: &Url| known.insert(seed.as_str().to_owned()));
    match seeds.is_empty() {
        true => Err(BadSeeds::None),
        false => Ok(seeds),
    }
}

fn add_lines(name: &str, body: &[u8], seeds: &mut Vec<Url>) -> Result<(), BadSeeds> {
    if let Some(addresses) = sitemap(body) {
        let urls = addresses.iter().filter_map(|address| Url::parse(address).ok());
        seeds.extend(urls.filter_map(page_url));
        return Ok(());
    }
    let text = String::from_utf8_lossy(body);
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            let seed = typed_url(line);
            seeds.push(seed.map_err(|error| BadSeeds::Line(name.to_owned(), number + 1, error))?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str], stdin: &str) -> Result<Vec<String>, String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        read_seeds(&words, &mut stdin.as_bytes())
            .map(|seeds| seeds.iter().map(Url::to_string).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn seeds_are_urls_lines_and_sitemaps() {
        let lines = "\u{feff}# mine\n http://b.example \r\n\nhttp://a.example/\n";
        assert_eq!(
            read(&["http://a.example", "-"], lines).unwrap(),
            ["http://a.example/", "http://b.example/"]
        );
        let map = "<urlset><url><loc>http://c.example/1</loc></url></urlset>";
        assert_eq!(read(&["-"], map).unwrap(), ["http://c.example/1"]);
    }

    #[test]
    fn what_is_no_seed_has_its_place() {
        let error = read(&["-"], "http://a.example/\nb.example\n").unwrap_err();
        assert_eq!(
            error,
            "line 2 of '-': 'b.example' is no URL and no file: write the scheme too, as in https://b.example"
        );
        assert!(
            read(&["nothing.txt"], "")
                .unwrap_err()
                .starts_with("'nothing.txt' is no URL and no file")
        );
        assert!(read(&["-"], "\n").unwrap_err().contains("no URL"));
    }
}
