//! Comments wrap where a reader's eye still finds the next line.

use super::finding::Finding;
use super::source::Source;

const COLUMNS_MAX: usize = 100;

/// What begins a comment, by the extension of the file. A longer mark comes before a shorter one
/// that it begins with.
const MARKS: &[(&str, &[&str])] = &[("rs", &["///", "//!", "//"]), ("sql", &["--"]), ("lua", &["--"])];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let marks = MARKS.iter().find(|(extension, _)| source.has_extension(extension)).map(|(_, marks)| *marks);
    let mut is_code = false;
    let mut findings = Vec::new();
    for (number, line) in source.lines() {
        let Some(text) = comment(line, marks.unwrap_or_default()) else {
            // A block of code may begin by an attribute, which decides whether it is run.
            is_code = line.contains("cfg_attr(") && line.contains("```");
            continue;
        };
        if text.starts_with("```") {
            is_code = !is_code;
        }
        if !is_code && !cannot_wrap(text) && line.chars().count() > COLUMNS_MAX {
            findings.push(source.finding(number, format!("a comment wraps at {COLUMNS_MAX} columns")));
        }
    }
    findings
}

fn comment<'a>(line: &'a str, marks: &[&str]) -> Option<&'a str> {
    let line = line.trim_start();
    marks.iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim)
}

/// A row of a table, the target of a link, and a single long word, such as an address.
fn cannot_wrap(text: &str) -> bool {
    text.starts_with('|') || text.starts_with('[') && text.contains("]: ") || !text.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS_MAX, check};
    use crate::tidy::source::Source;

    fn found(path: &str, begin: &str) -> usize {
        check(&Source::new(path, format!("{begin}{}\n", "word ".repeat(COLUMNS_MAX / 5)))).len()
    }

    #[test]
    fn a_long_comment_fails_in_each_language() {
        for (path, mark) in
            [("a.rs", "// "), ("a.rs", "    /// "), ("a.rs", "//! - "), ("a.sql", "-- "), ("a.lua", "-- ")]
        {
            assert_eq!(found(path, mark), 1, "{path}: {mark}");
        }
    }

    #[test]
    fn code_tables_links_and_other_files_may_be_wider() {
        for (path, begin) in [
            ("a.rs", "let x = \""),
            ("a.rs", "//! | a | "),
            ("a.rs", "//! [`a`]: "),
            ("a.md", "-- "),
            ("a.rs", "/// ```\n/// "),
            ("a.rs", "#[cfg_attr(a, doc = \"```\")]\n/// "),
        ] {
            assert_eq!(found(path, begin), 0, "{path}: {begin}");
        }
        assert_eq!(found("a.rs", "/// ```\n/// x\n/// ```\n/// "), 1, "the code has ended");
    }

    #[test]
    fn a_comment_at_the_limit_passes() {
        let fits = format!("// {} x\n", "x".repeat(COLUMNS_MAX - 5));
        assert_eq!(check(&Source::new("a.rs", fits)), []);
    }
}
