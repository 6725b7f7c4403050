//! Letters, signs and functions by their names in LaTeX.

/// The name of a letter or a sign, without its backslash.
pub(super) fn of_sign(letter: char) -> Option<&'static str> {
    let at = SIGNS.binary_search_by_key(&letter, |&(sign, _)| sign).ok()?;
    Some(SIGNS[at].1)
}

/// Whether LaTeX has a command for a function of this name.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.binary_search(&name).is_ok()
}

/// Whether this is the name of a command that draws a part of a formula, by itself or of what follows it.
pub(super) fn is_command(name: &str) -> bool {
    is_function(name)
        || STRUCTURES.binary_search(&name).is_ok()
        || name.len() > 1 && SIGNS.iter().any(|(_, own)| *own == name)
}

/// Whether a command is an operator whose limits stand above and below it.
pub(super) fn has_limits(command: &str) -> bool {
    const BRACES: [&str; 2] = ["overbrace{", "underbrace{"];
    LIMITED.contains(&command) || BRACES.iter().any(|brace| command.starts_with(brace))
}

/// What an accent above a base is: the command for one letter, and for more.
pub(super) fn of_accent(sign: char) -> Option<[&'static str; 2]> {
    Some(match sign {
        '^' | '\u{2c6}' | '\u{302}' => ["hat", "widehat"],
        '~' | '\u{2dc}' | '\u{303}' | '\u{223c}' => ["tilde", "widetilde"],
        '\u{af}' | '\u{2c9}' | '\u{304}' => ["bar", "overline"],
        '\u{203e}' | '\u{2015}' | '\u{305}' | '_' | '-' | '\u{2212}' | '\u{2013}' | '\u{2014}' => {
            ["overline"; 2]
        }
        '\u{2192}' | '\u{20d7}' | '\u{21c0}' | '\u{27f6}' => ["vec", "overrightarrow"],
        '\u{2190}' | '\u{20d6}' => ["overleftarrow"; 2],
        '\u{2194}' => ["overleftrightarrow"; 2],
        '.' | '\u{2d9}' | '\u{307}' => ["dot"; 2],
        '\u{a8}' | '\u{308}' => ["ddot"; 2],
        '\u{20db}' => ["dddot"; 2],
        '\u{2c7}' | '\u{30c}' => ["check"; 2],
        '\u{2d8}' | '\u{306}' => ["breve"; 2],
        '\u{b4}' | '\u{301}' => ["acute"; 2],
        '`' | '\u{300}' => ["grave"; 2],
        '\u{2da}' | '\u{30a}' => ["mathring"; 2],
        '\u{23de}' => ["overbrace"; 2],
        _ => return None,
    })
}

/// What a sign below a base is.
pub(super) fn of_sign_below(sign: char) -> Option<&'static str> {
    Some(match sign {
        '_' | '\u{af}' | '\u{203e}' | '\u{2015}' | '\u{332}' | '\u{2212}' | '-' => "underline",
        '\u{2192}' => "underrightarrow",
        '\u{2190}' => "underleftarrow",
        '\u{23df}' => "underbrace",
        _ => return None,
    })
}

/// The command of a value of `mathvariant`, and of one for words; empty for letters as they are set without one.
pub(super) fn of_variant(variant: &str) -> Option<[&'static str; 2]> {
    Some(match variant {
        "normal" => ["mathrm", "text"],
        "italic" => ["mathit", "textit"],
        "bold" => ["mathbf", "textbf"],
        "bold-italic" | "bold-sans-serif" | "sans-serif-bold-italic" => ["boldsymbol", "textbf"],
        "double-struck" => ["mathbb", "text"],
        "script" | "bold-script" => ["mathcal", "text"],
        "fraktur" | "bold-fraktur" => ["mathfrak", "text"],
        "sans-serif" | "sans-serif-italic" => ["mathsf", "textsf"],
        "monospace" => ["mathtt", "texttt"],
        _ => return None,
    })
}

/// A letter that Unicode has once more in another form: the letter, and the value of `mathvariant` that it has.
pub(super) fn plain_letter(letter: char) -> Option<(char, &'static str)> {
    /// The alphabets of the block for mathematics, in its order.
    const ALPHABETS: [&str; 13] = [
        "bold",
        "",
        "bold-italic",
        "script",
        "bold-script",
        "fraktur",
        "double-struck",
        "bold-fraktur",
        "sans-serif",
        "bold-sans-serif",
        "sans-serif-italic",
        "sans-serif-bold-italic",
        "monospace",
    ];
    const GREEK: [&str; 5] = ["bold", "", "bold-italic", "bold-sans-serif", "bold-italic"];
    const DIGITS: [&str; 5] = [
        "bold",
        "double-struck",
        "sans-serif",
        "bold-sans-serif",
        "monospace",
    ];
    let code = letter as u32;
    let (first, step, base) = match code {
        0x1d400..0x1d6a4 => (0x1d400, 52, u32::from('A')),
        0x1d6a8..0x1d7ca => (0x1d6a8, 58, 0x391),
        0x1d7ce..0x1d800 => (0x1d7ce, 10, u32::from('0')),
        _ => return letterlike(letter),
    };
    let (alphabet, at) = ((code - first) / step, (code - first) % step);
    let variants: &[&str] = match step {
        52 => &ALPHABETS,
        58 => &GREEK,
        _ => &DIGITS,
    };
    let plain = match (step, at) {
        (52, 26..) => u32::from('a') + at - 26,
        // Nabla stands between the two cases, and other forms of letters behind them.
        (58, 25) => 0x2207,
        (58, 26..51) => 0x3b1 + at - 26,
        (58, 51..) => [0x2202, 0x3f5, 0x3d1, 0x3f0, 0x3d5, 0x3f1, 0x3d6][at as usize - 51],
        _ => base + at,
    };
    Some((char::from_u32(plain)?, variants[alphabet as usize]))
}

/// The letters that stood in Unicode before its block for mathematics.
fn letterlike(letter: char) -> Option<(char, &'static str)> {
    Some(match letter {
        '\u{2102}' => ('C', "double-struck"),
        '\u{210d}' => ('H', "double-struck"),
        '\u{2115}' => ('N', "double-struck"),
        '\u{2119}' => ('P', "double-struck"),
        '\u{211a}' => ('Q', "double-struck"),
        '\u{211d}' => ('R', "double-struck"),
        '\u{2124}' => ('Z', "double-struck"),
        '\u{210a}' => ('g', "script"),
        '\u{210b}' => ('H', "script"),
        '\u{2110}' => ('I', "script"),
        '\u{2112}' => ('L', "script"),
        '\u{211b}' => ('R', "script"),
        '\u{212c}' => ('B', "script"),
        '\u{212f}' => ('e', "script"),
        '\u{2130}' => ('E', "script"),
        '\u{2131}' => ('F', "script"),
        '\u{2133}' => ('M', "script"),
        '\u{2134}' => ('o', "script"),
        '\u{210c}' => ('H', "fraktur"),
        '\u{2128}' => ('Z', "fraktur"),
        '\u{212d}' => ('C', "fraktur"),
        _ => return None,
    })
}

/// Commands of functions, sorted.
const FUNCTIONS: [&str; 32] = [
    "Pr", "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
    "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec",
    "sin", "sinh", "sup", "tan", "tanh",
];

/// Commands that give a formula its form, sorted.
const STRUCTURES: [&str; 48] = [
    "bar",
    "begin",
    "big",
    "bigg",
    "binom",
    "boldsymbol",
    "boxed",
    "cfrac",
    "dbinom",
    "ddot",
    "dfrac",
    "displaystyle",
    "dot",
    "dots",
    "epsilon",
    "frac",
    "geq",
    "hat",
    "left",
    "leq",
    "limits",
    "mathbb",
    "mathbf",
    "mathcal",
    "mathfrak",
    "mathit",
    "mathop",
    "mathrm",
    "mathsf",
    "neq",
    "operatorname",
    "overbrace",
    "overline",
    "overset",
    "qquad",
    "quad",
    "right",
    "rightarrow",
    "sqrt",
    "stackrel",
    "text",
    "tfrac",
    "tilde",
    "underbrace",
    "underline",
    "underset",
    "vec",
    "widehat",
];

/// Commands of operators whose limits stand above and below them.
const LIMITED: [&str; 26] = [
    "Pr",
    "bigcap",
    "bigcup",
    "bigodot",
    "bigoplus",
    "bigotimes",
    "bigsqcup",
    "biguplus",
    "bigvee",
    "bigwedge",
    "coprod",
    "det",
    "gcd",
    "iiint",
    "iint",
    "inf",
    "int",
    "lim",
    "liminf",
    "limsup",
    "max",
    "min",
    "oint",
    "prod",
    "sum",
    "sup",
];

/// Letters and signs, sorted.
const SIGNS: &[(char, &str)] = &[
    ('#', "#"),
    ('$', "$"),
    ('%', "%"),
    ('&', "&"),
    ('\\', "backslash"),
    ('_', "_"),
    ('{', "{"),
    ('}', "}"),
    ('~', "sim"),
    ('\u{a7}', "S"),
    ('\u{ac}', "neg"),
    ('\u{b1}', "pm"),
    ('\u{b5}', "mu"),
    ('\u{b6}', "P"),
    ('\u{b7}', "cdot"),
    ('\u{d7}', "times"),
    ('\u{f7}', "div"),
    ('\u{131}', "imath"),
    ('\u{237}', "jmath"),
    ('\u{393}', "Gamma"),
    ('\u{394}', "Delta"),
    ('\u{398}', "Theta"),
    ('\u{39b}', "Lambda"),
    ('\u{39e}', "Xi"),
    ('\u{3a0}', "Pi"),
    ('\u{3a3}', "Sigma"),
    ('\u{3a5}', "Upsilon"),
    ('\u{3a6}', "Phi"),
    ('\u{3a8}', "Psi"),
    ('\u{3a9}', "Omega"),
    ('\u{3b1}', "alpha"),
    ('\u{3b2}', "beta"),
    ('\u{3b3}', "gamma"),
    ('\u{3b4}', "delta"),
    ('\u{3b5}', "varepsilon"),
    ('\u{3b6}', "zeta"),
    ('\u{3b7}', "eta"),
    ('\u{3b8}', "theta"),
    ('\u{3b9}', "iota"),
    ('\u{3ba}', "kappa"),
    ('\u{3bb}', "lambda"),
    ('\u{3bc}', "mu"),
    ('\u{3bd}', "nu"),
    ('\u{3be}', "xi"),
    ('\u{3c0}', "pi"),
    ('\u{3c1}', "rho"),
    ('\u{3c2}', "varsigma"),
    ('\u{3c3}', "sigma"),
    ('\u{3c4}', "tau"),
    ('\u{3c5}', "upsilon"),
    ('\u{3c6}', "varphi"),
    ('\u{3c7}', "chi"),
    ('\u{3c8}', "psi"),
    ('\u{3c9}', "omega"),
    ('\u{3d1}', "vartheta"),
    ('\u{3d5}', "phi"),
    ('\u{3d6}', "varpi"),
    ('\u{3f0}', "varkappa"),
    ('\u{3f1}', "varrho"),
    ('\u{3f5}', "epsilon"),
    ('\u{2016}', "|"),
    ('\u{2020}', "dagger"),
    ('\u{2021}', "ddagger"),
    ('\u{2022}', "bullet"),
    ('\u{2026}', "ldots"),
    ('\u{2032}', "prime"),
    ('\u{210f}', "hbar"),
    ('\u{2111}', "Im"),
    ('\u{2113}', "ell"),
    ('\u{2118}', "wp"),
    ('\u{211c}', "Re"),
    ('\u{2126}', "Omega"),
    ('\u{2127}', "mho"),
    ('\u{2135}', "aleph"),
    ('\u{2136}', "beth"),
    ('\u{2190}', "leftarrow"),
    ('\u{2191}', "uparrow"),
    ('\u{2192}', "to"),
    ('\u{2193}', "downarrow"),
    ('\u{2194}', "leftrightarrow"),
    ('\u{2195}', "updownarrow"),
    ('\u{2196}', "nwarrow"),
    ('\u{2197}', "nearrow"),
    ('\u{2198}', "searrow"),
    ('\u{2199}', "swarrow"),
    ('\u{21a6}', "mapsto"),
    ('\u{21a9}', "hookleftarrow"),
    ('\u{21aa}', "hookrightarrow"),
    ('\u{21bc}', "leftharpoonup"),
    ('\u{21bd}', "leftharpoondown"),
    ('\u{21c0}', "rightharpoonup"),
    ('\u{21c1}', "rightharpoondown"),
    ('\u{21cc}', "rightleftharpoons"),
    ('\u{21d0}', "Leftarrow"),
    ('\u{21d1}', "Uparrow"),
    ('\u{21d2}', "Rightarrow"),
    ('\u{21d3}', "Downarrow"),
    ('\u{21d4}', "Leftrightarrow"),
    ('\u{2200}', "forall"),
    ('\u{2201}', "complement"),
    ('\u{2202}', "partial"),
    ('\u{2203}', "exists"),
    ('\u{2204}', "nexists"),
    ('\u{2205}', "emptyset"),
    ('\u{2206}', "Delta"),
    ('\u{2207}', "nabla"),
    ('\u{2208}', "in"),
    ('\u{2209}', "notin"),
    ('\u{220b}', "ni"),
    ('\u{220e}', "blacksquare"),
    ('\u{220f}', "prod"),
    ('\u{2210}', "coprod"),
    ('\u{2211}', "sum"),
    ('\u{2213}', "mp"),
    ('\u{2216}', "setminus"),
    ('\u{2217}', "ast"),
    ('\u{2218}', "circ"),
    ('\u{2219}', "bullet"),
    ('\u{221a}', "surd"),
    ('\u{221d}', "propto"),
    ('\u{221e}', "infty"),
    ('\u{2220}', "angle"),
    ('\u{2223}', "mid"),
    ('\u{2224}', "nmid"),
    ('\u{2225}', "parallel"),
    ('\u{2226}', "nparallel"),
    ('\u{2227}', "wedge"),
    ('\u{2228}', "vee"),
    ('\u{2229}', "cap"),
    ('\u{222a}', "cup"),
    ('\u{222b}', "int"),
    ('\u{222c}', "iint"),
    ('\u{222d}', "iiint"),
    ('\u{222e}', "oint"),
    ('\u{2234}', "therefore"),
    ('\u{2235}', "because"),
    ('\u{223c}', "sim"),
    ('\u{2243}', "simeq"),
    ('\u{2245}', "cong"),
    ('\u{2248}', "approx"),
    ('\u{224d}', "asymp"),
    ('\u{2250}', "doteq"),
    ('\u{225c}', "triangleq"),
    ('\u{2260}', "ne"),
    ('\u{2261}', "equiv"),
    ('\u{2264}', "le"),
    ('\u{2265}', "ge"),
    ('\u{2266}', "leqq"),
    ('\u{2267}', "geqq"),
    ('\u{226a}', "ll"),
    ('\u{226b}', "gg"),
    ('\u{2272}', "lesssim"),
    ('\u{2273}', "gtrsim"),
    ('\u{227a}', "prec"),
    ('\u{227b}', "succ"),
    ('\u{2282}', "subset"),
    ('\u{2283}', "supset"),
    ('\u{2284}', "not\\subset"),
    ('\u{2286}', "subseteq"),
    ('\u{2287}', "supseteq"),
    ('\u{2288}', "nsubseteq"),
    ('\u{228a}', "subsetneq"),
    ('\u{228e}', "uplus"),
    ('\u{2291}', "sqsubseteq"),
    ('\u{2292}', "sqsupseteq"),
    ('\u{2293}', "sqcap"),
    ('\u{2294}', "sqcup"),
    ('\u{2295}', "oplus"),
    ('\u{2296}', "ominus"),
    ('\u{2297}', "otimes"),
    ('\u{2299}', "odot"),
    ('\u{22a2}', "vdash"),
    ('\u{22a3}', "dashv"),
    ('\u{22a4}', "top"),
    ('\u{22a5}', "perp"),
    ('\u{22a8}', "models"),
    ('\u{22c0}', "bigwedge"),
    ('\u{22c1}', "bigvee"),
    ('\u{22c2}', "bigcap"),
    ('\u{22c3}', "bigcup"),
    ('\u{22c4}', "diamond"),
    ('\u{22c5}', "cdot"),
    ('\u{22c6}', "star"),
    ('\u{22c9}', "ltimes"),
    ('\u{22ca}', "rtimes"),
    ('\u{22ee}', "vdots"),
    ('\u{22ef}', "cdots"),
    ('\u{22f1}', "ddots"),
    ('\u{2308}', "lceil"),
    ('\u{2309}', "rceil"),
    ('\u{230a}', "lfloor"),
    ('\u{230b}', "rfloor"),
    ('\u{25a1}', "square"),
    ('\u{25b3}', "triangle"),
    ('\u{25b9}', "triangleright"),
    ('\u{25c3}', "triangleleft"),
    ('\u{25ef}', "bigcirc"),
    ('\u{266d}', "flat"),
    ('\u{266e}', "natural"),
    ('\u{266f}', "sharp"),
    ('\u{27e8}', "langle"),
    ('\u{27e9}', "rangle"),
    ('\u{27f5}', "longleftarrow"),
    ('\u{27f6}', "longrightarrow"),
    ('\u{27f7}', "longleftrightarrow"),
    ('\u{27f8}', "Longleftarrow"),
    ('\u{27f9}', "Longrightarrow"),
    ('\u{27fa}', "Longleftrightarrow"),
    ('\u{27fc}', "longmapsto"),
    ('\u{2a00}', "bigodot"),
    ('\u{2a01}', "bigoplus"),
    ('\u{2a02}', "bigotimes"),
    ('\u{2a04}', "biguplus"),
    ('\u{2a06}', "bigsqcup"),
    ('\u{2a7d}', "leqslant"),
    ('\u{2a7e}', "geqslant"),
    ('\u{2aaf}', "preceq"),
    ('\u{2ab0}', "succeq"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(STRUCTURES.is_sorted_by(|one, next| one < next));
        assert!(SIGNS.is_sorted_by(|one, next| one.0 < next.0));
        assert!(FUNCTIONS.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn letters_of_mathematics_are_letters_in_a_form() {
        for (letter, plain) in [
            ('\u{1d400}', ('A', "bold")),
            ('\u{1d44e}', ('a', "")),
            ('\u{1d538}', ('A', "double-struck")),
            ('\u{1d69a}', ('q', "monospace")),
            ('\u{1d6c2}', ('\u{3b1}', "bold")),
            ('\u{1d6c1}', ('\u{2207}', "bold")),
            ('\u{1d71b}', ('\u{3d6}', "")),
            ('\u{1d7d9}', ('1', "double-struck")),
            ('\u{211d}', ('R', "double-struck")),
        ] {
            assert_eq!(plain_letter(letter), Some(plain), "{letter}");
        }
        assert_eq!(plain_letter('x'), None);
    }
}
