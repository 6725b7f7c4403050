//! The header `Link` (RFC 8288, section 3), as far as licences need it.

/// Maximum links of one header.
const LINKS: usize = 100;

/// A link about the page itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeaderLink<'a> {
    pub(super) target: &'a str,
    /// The relations, unchanged.
    pub(super) relations: String,
    /// The media type of the target.
    pub(super) media_type: String,
}

/// The links of a header that are about the page: not those with an `anchor`.
pub(super) fn links(mut rest: &str) -> Vec<HeaderLink<'_>> {
    let mut links = Vec::new();
    while links.len() < LINKS
        && let Some(start) = rest.find('<')
        && let Some(length) = rest[start..].find('>')
    {
        let target = rest[start + 1..start + length].trim();
        let mut link = HeaderLink {
            target,
            relations: String::new(),
            media_type: String::new(),
        };
        let (has_anchor, end) = parameters(&rest[start + length + 1..], &mut link);
        rest = &rest[start + length + 1 + end..];
        if !has_anchor {
            links.push(link);
        }
    }
    links
}

/// Reads the parameters of a link, up to the comma behind them. Returns whether there is an `anchor`, and where they end. Of
/// several values of a parameter the first counts.
fn parameters(text: &str, link: &mut HeaderLink<'_>) -> (bool, usize) {
    let (mut at, mut has_anchor) = (0, false);
    while let Some(rest) = text.get(at..).filter(|rest| rest.trim_start().starts_with(';')) {
        at += rest.len() - rest.trim_start().len() + 1;
        let (name, value, length) = parameter(&text[at..]);
        at += length;
        let place = match name.to_ascii_lowercase().as_str() {
            "rel" => &mut link.relations,
            "type" => &mut link.media_type,
            "anchor" => {
                has_anchor = true;
                continue;
            }
            _ => continue,
        };
        if place.is_empty() {
            *place = value;
        }
    }
    (has_anchor, at)
}

/// A parameter at the beginning of a text: its name, its value without quotation marks, and its length.
fn parameter(text: &str) -> (&str, String, usize) {
    let end = text.find(['=', ';', ',']).unwrap_or(text.len());
    let name = text[..end].trim();
    if !text[end..].starts_with('=') {
        return (name, String::new(), end);
    }
    let after = &text[end + 1..];
    let start = end + 1 + after.len() - after.trim_start().len();
    let Some(quoted) = text[start..].strip_prefix('"') else {
        let length = text[start..].find([';', ',']).unwrap_or(text.len() - start);
        return (
            name,
            text[start..start + length].trim().to_owned(),
            start + length,
        );
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, letter) in quoted.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => {
                is_escaped = true;
                continue;
            }
            '"' => return (name, value, start + 1 + at + 1),
            _ => {}
        }
        value.push(letter);
    }
    (name, value, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_with_quoted_and_bare_parameters() {
        let seen = |text| -> Vec<(String, String, String)> {
            let links = links(text).into_iter();
            links
                .map(|link| (link.target.to_owned(), link.relations, link.media_type))
                .collect()
        };
        let link = |target: &str, rel: &str, kind: &str| (target.to_owned(), rel.to_owned(), kind.to_owned());
        assert_eq!(
            seen(
                "<https://a.example/l.xml>; rel=\"license\"; type=\"application/rsl+xml\", </style.css>;rel=preload; as=style"
            ),
            [
                link("https://a.example/l.xml", "license", "application/rsl+xml"),
                link("/style.css", "preload", ""),
            ]
        );
        assert_eq!(
            seen("< /a,b > ; title=\"x, <y>; \\\" z\" ; REL = license ; rel=next,<c>;rel=x;crossorigin"),
            [link("/a,b", "license", ""), link("c", "x", "")]
        );
        assert_eq!(seen("<a>;anchor=\"#b\";rel=license,<b>"), [link("b", "", "")]);
        for text in ["", "a", "<a", "rel=license", "<a>;rel=\"license"] {
            assert!(seen(text).len() <= 1, "{text}");
        }
    }
}
