//! A file that outgrew its one subject is to be split.

use super::finding::Finding;
use super::source::Source;

const LINES_MAX: usize = 300;

/// Files that may be longer, each with the reason.
const EXEMPT: &[(&str, &str)] = &[];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    check_against(source, EXEMPT)
}

fn check_against(source: &Source, exempt: &[(&str, &str)]) -> Vec<Finding> {
    let count = source.lines().count();
    let is_exempt = exempt.iter().any(|(path, _)| *path == source.path);
    if !source.has_extension("rs") || is_exempt || count <= LINES_MAX {
        return Vec::new();
    }
    vec![source.finding(LINES_MAX + 1, format!("the file has {count} lines; split it at {LINES_MAX}"))]
}

#[cfg(test)]
mod tests {
    use super::{LINES_MAX, check, check_against};
    use crate::tidy::source::Source;

    #[test]
    fn a_file_at_the_limit_passes() {
        assert_eq!(check(&Source::new("a.rs", "x\n".repeat(LINES_MAX))), []);
    }

    #[test]
    fn a_file_past_the_limit_fails() {
        let found = check(&Source::new("a.rs", "x\n".repeat(LINES_MAX + 1)));
        assert!(found.len() == 1 && found[0].message.contains("301 lines"), "{found:?}");
    }

    #[test]
    fn only_rust_is_measured_and_an_exempt_file_may_be_long() {
        assert_eq!(check(&Source::new("a.md", "x\n".repeat(LINES_MAX + 1))), []);
        let long = Source::new("a.rs", "x\n".repeat(LINES_MAX + 1));
        assert_eq!(check_against(&long, &[("a.rs", "a table")]), []);
        assert_eq!(check_against(&long, &[("b.rs", "a table")]).len(), 1);
    }
}
