//! Programs on pages are what readers see: lines that rustdoc hides would be shown to them.

use super::finding::Finding;
use super::source::Source;

const FENCE: &str = "```";

/// Only pages: in the comments of Rust code rustdoc does hide them.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    if !source.has_extension("md") {
        return Vec::new();
    }
    let mut in_rust = false;
    let mut findings = Vec::new();
    for (number, line) in source.lines() {
        if line.starts_with(FENCE) {
            in_rust = !in_rust && line.starts_with("```rust");
        } else if in_rust && (line.trim() == "#" || line.trim_start().starts_with("# ")) {
            findings
                .push(source.finding(number, "a hidden line that readers see; see examples/guide/weave.rs"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::source::Source;

    #[test]
    fn a_hidden_line_of_a_program_fails() {
        for line in ["# fn main() {}", "#", "    # break;"] {
            let found = check(&Source::new("a.md", format!("```rust\n{line}\n```\n")));
            assert_eq!(found.len(), 1, "{line}");
        }
    }

    #[test]
    fn titles_other_languages_attributes_and_rust_files_pass() {
        let page = "# Title\n\n```sh\n# comment\n```\n\n```rust\n#[test]\nfn a() {}\n```\n\n# Another\n";
        assert_eq!(check(&Source::new("a.md", page)), []);
        assert_eq!(check(&Source::new("a.rs", "```rust\n# x\n```\n")), []);
    }
}
