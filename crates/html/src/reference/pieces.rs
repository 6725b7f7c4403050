//! Pages of the pieces that are hard.

use proptest::prelude::*;

/// Pieces out of which pages are put together; every rule of the standard that moves nodes, changes
/// the tokenizer's state or depends on what is open is met by some row of them.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "<p>", "</p>", "<div>", "</div>", "<div class=a id='b'>", "<span>", "</span>", "text", " ", "\n",
    "a b", "<b>", "</b>", "<i>", "</i>", "<a href=x>", "<a>", "</a>", "<font color=red>", "<font>",
    "</font>", "<b class=x>", "<b onclick=y>", "<b class=x id=y>", "<b id=y class=x>", "<nobr>", "</nobr>",
    "<em>", "</em>", "<code>", "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "</th>",
    "<tbody>", "</tbody>", "<thead>", "</thead>", "<tfoot>", "<caption>", "</caption>", "<colgroup>",
    "</colgroup>", "<col>", "</col>", "<ul>", "</ul>", "<ol>", "<li>", "</li>", "<dl>", "<dt>", "</dt>",
    "<dd>", "</dd>", "<h1>", "</h1>", "<h2>", "</h3>", "<form>", "</form>", "<button>", "</button>",
    "<input>", "<input type=hidden>", "<input type=HIDDEN value=1>", "<select>", "</select>", "<option>",
    "</option>", "<optgroup>", "</optgroup>", "<hr>", "<br>", "</br>", "<br/>", "<textarea>",
    "</textarea>", "<textarea>\n", "<title>", "</title>", "<title>a&amp;b</title>", "<script>",
    "</script>", "<script>x<y</script>", "<script><!--", "<script><!--<script>", "-->", "<!--", "--!>",
    "<!-->", "<!--->", "</ script>", "</script ", "</SCRIPT\n>", "</script/>",
    "<script type=application/ld+json>{}</script>", "<style>", "</style>", "<style>a>b{}</style>", "<xmp>",
    "</xmp>", "<iframe>", "</iframe>", "<noembed>", "<noframes>", "</noframes>", "<noscript>",
    "</noscript>", "<plaintext>", "<pre>", "<pre>\n", "<pre>\r\n", "</pre>", "<listing>", "\r", "\r\n",
    "<svg>", "</svg>", "<svg/>", "<math>", "</math>", "<mi>", "</mi>", "<mo>", "<mtext>", "<mglyph>",
    "<malignmark/>", "<annotation>", "<annotation-xml>", "<annotation-xml encoding=text/html>",
    "<annotation-xml encoding='application/XHTML+xml'>", "</annotation-xml>", "<foreignObject>",
    "</foreignobject>", "<desc>", "</desc>", "<g>", "</g>", "<g title=x />", "<g xml:lang=en>", "<p xml:lang=en>", "<path d=M0>", "<![CDATA[",
    "]]>", "<![CDATA[a<b]]>", "<template>", "</template>", "<frameset>", "</frameset>", "<frame>",
    "<html lang=en>", "<html class=q>", "</html>", "<head>", "</head>", "<body>", "<body class=z>",
    "</body>", "<meta charset=utf-8>", "<meta name=a content='b'>", "<link rel=x>", "<base href=y>",
    "<basefont>", "<bgsound>", "<object>", "</object>", "<applet>", "</applet>", "<marquee>", "</marquee>",
    "<ruby>", "</ruby>", "<rb>", "<rt>", "<rp>", "<rtc>", "</rt>", "<img alt='a&lt;b'>", "<img src=a/b/>",
    "<image>", "</image>", "<keygen>", "<isindex>", "<wbr>", "<embed>", "<area>", "<param>", "<source>",
    "<my-element>", "</my-element>", "<MY-ELEMENT>", "<other>", "</other>", "<video>", "<section>",
    "</section>", "<article>", "<main>", "<nav>", "<address>", "</address>", "<details>", "<summary>",
    "<dialog>", "<menu>", "<search>", "<center>", "<blockquote>", "<fieldset>", "<figure>",
    "<!DOCTYPE html>", "<!doctype html public '-//W3C//DTD HTML 3.2//EN'>",
    "<!DOCTYPE html SYSTEM \"about:legacy-compat\">", "<!DOCTYPE>",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "&amp;", "&", "&lt", "&notit;", "&notin;",
    "&#x80;", "&#0;", "&#xD800;", "&#99999999999;", "&#x", "&#13;", "&#10;", "&nbsp", "&NotEqualTilde;",
    "&copy2", "&copy=", "<div title='a&copy=b&copyc&copy;d&amp;'>", "<div title=\"x\r\ny\">",
    "<div title=a&lt>", "<div =x=y>", "<div a=1 A=2 class=1 CLASS=2>", "<div\u{0}x>", "<di\u{0}v>",
    "<div title='\u{0}'>", "\u{0}", "<", "</", "<!", "<?", "<?php echo '>' ?>", "</>", "</ x>", "<3",
    "<div", "<div class", "<div class=", "<div class='", "<div class=\"x\"id=y>", "<div/class=x/id=y/>",
    "<div class = x>", ">", "=", "'", "\"", "/", "/>", "é", "\u{3000}", "<é>", "<a é=x>", "ſ", "<ſcript>",
    "<\u{212a}eygen>", "<!-", "<!x>", "--", "-", "!", "x",
];

pub(crate) fn pages() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES);
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}
