//! CHANGELOG.md groups its lines by what one does with the library, not by kinds of change.
//!
//! The file merges by union, so a branch that was begun while another grouping stood can bring its
//! lines back; this rule finds them.

use super::source::{Finding, Source};

const KINDS: &[&str] = &["Unreleased", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    if source.path != "CHANGELOG.md" {
        return Vec::new();
    }
    let by_kind = source.lines().filter(|(_, line)| is_by_kind(line));
    by_kind.map(|(number, line)| source.finding(number, message(line))).collect()
}

fn is_by_kind(line: &str) -> bool {
    line.starts_with('#') && KINDS.contains(&line.trim_start_matches('#').trim())
}

fn message(line: &str) -> String {
    format!("`{line}`: a line stands in the group of what one does with it, such as `### Enqueue`")
}

#[cfg(test)]
mod tests {
    use super::{Source, check};

    #[test]
    fn groups_are_subjects_and_not_kinds_of_change() {
        let found = check(&Source::new("CHANGELOG.md", "## 0.1.0\n\n### Enqueue\n\n### Added\n"));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [5]);
        assert_eq!(check(&Source::new("docs/RELEASING.md", "### Added\n")), []);
    }
}
