//! Names that some layer of some store could misinterpret.

use queue_core::NAME_BYTES_MAX;

const TEXTS: &[&str] = &[
    "'",
    "\"",
    "`",
    "''",
    "\\",
    "\\\\'",
    "%",
    "%s",
    "%%",
    "_",
    "*",
    "?",
    "{",
    "}",
    "{}",
    "{a}b",
    "[a-z]",
    "$1",
    "?1",
    ":a",
    "@a",
    ";",
    "'; DROP TABLE job; --",
    "\" OR 1=1 --",
    "$(rm -rf ~)",
    "`id`",
    "|",
    "&",
    "<a href=x>",
    "&amp;",
    "../../etc/passwd",
    "/",
    "C:\\x",
    "a:b",
    "a:b:c",
    ":",
    "::",
    "a::b",
    "a|b",
    "a,b",
    "a\u{a0}b",
    " ",
    "  ",
    " a",
    "a ",
    "-",
    "--",
    "-1",
    "+1",
    "null",
    "NULL",
    "true",
    "undefined",
    "NaN",
    "\u{FEFF}bom",
    "\u{200B}",
    "a\u{200D}b",
    "\u{202E}abc",
    "e\u{301}",
    "\u{E9}",
    "\u{1F600}",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
    "\u{65E5}\u{672C}\u{8A9E}",
    "\u{5E9}\u{5DC}\u{5D5}\u{5DD}",
    "\u{645}\u{631}\u{62D}\u{628}\u{627}",
    "\u{FFFD}",
    "\u{10FFFF}",
    "\u{E000}",
    "\u{DF}",
    "\u{130}",
    "\u{131}",
    "\u{17F}",
    "\u{212A}",
];

/// All hostile names, and the longest names.
pub(crate) fn hostile() -> Vec<String> {
    TEXTS.iter().map(|text| (*text).to_owned()).chain(longest()).collect()
}

/// Names of 255 bytes, in characters of one to four bytes.
pub(crate) fn longest() -> Vec<String> {
    let fill = |piece: &str| {
        let mut text = piece.repeat(NAME_BYTES_MAX / piece.len());
        text.push_str(&"x".repeat(NAME_BYTES_MAX - text.len()));
        text
    };
    ["a", "\u{E9}", "\u{65E5}", "\u{1F600}", "e\u{301}", "\u{5E9}", "'", "\\", "%"].map(fill).into()
}
