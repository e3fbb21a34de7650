//! Whitespace that shows up in diffs and nowhere else.

use super::finding::Finding;
use super::source::Source;

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        source.lines().filter_map(|(number, line)| of_line(source, number, line)).collect();
    if !source.text.is_empty() && !source.text.ends_with('\n') {
        findings.push(source.finding(source.lines().count(), "no newline at the end of the file"));
    }
    findings
}

fn of_line(source: &Source, number: usize, line: &str) -> Option<Finding> {
    if line.ends_with(char::is_whitespace) {
        return Some(source.finding(number, "whitespace at the end of the line"));
    }
    (source.has_extension("rs") && line.contains('\t'))
        .then(|| source.finding(number, "a tab; indent with spaces"))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::source::Source;

    #[test]
    fn clean_and_empty_files_pass() {
        assert_eq!(check(&Source::new("a.rs", "fn a() {}\n\n// b\n")), []);
        assert_eq!(check(&Source::new("a.rs", "")), []);
    }

    #[test]
    fn blanks_and_carriage_returns_at_the_end_of_a_line_fail() {
        for text in ["a\nb \n", "a\nb\t\n", "a\nb\r\n"] {
            let found = check(&Source::new("a.md", text));
            assert!(found.len() == 1 && found[0].line == 2, "{text:?}: {found:?}");
        }
    }

    #[test]
    fn a_tab_fails_in_rust_alone() {
        assert_eq!(check(&Source::new("a.rs", "\tx\n")).len(), 1);
        assert_eq!(check(&Source::new("Makefile", "\tx\n")), []);
    }

    #[test]
    fn a_missing_final_newline_fails() {
        let found = check(&Source::new("a.toml", "a\nb"));
        assert!(found.len() == 1 && found[0].line == 2, "{found:?}");
    }
}
