//! Each third-party dependency says what it is for.
//!
//! The reason stands once, in the root's `[workspace.dependencies]`. A crate that inherits needs no
//! second one; a crate that asks for its own version does. This reads lines, not TOML, since a TOML
//! reader drops comments.

use super::finding::Finding;
use super::source::Source;

pub(super) fn check(source: &Source) -> Vec<Finding> {
    if !is_manifest(&source.path) {
        return Vec::new();
    }
    let mut in_dependencies = false;
    let mut findings = Vec::new();
    for (number, line) in source.lines() {
        if let Some(section) = section(line) {
            in_dependencies = section.ends_with("dependencies");
            findings.extend(
                split_table(section).then(|| source.finding(number, "write the dependency as one line")),
            );
        } else if in_dependencies && lacks_reason(line) {
            findings.push(source.finding(number, "say in a comment at the end of the line what it is for"));
        }
    }
    findings
}

pub(super) fn is_manifest(path: &str) -> bool {
    path == "Cargo.toml" || path.ends_with("/Cargo.toml")
}

/// The name between the brackets of a header such as `[dev-dependencies]`.
pub(super) fn section(line: &str) -> Option<&str> {
    let name = code(line).trim().strip_prefix('[')?.strip_suffix(']')?;
    name.trim_matches(['[', ']']).trim().into()
}

/// True for `[dependencies.serde]`, which has no line that a reason could stand on.
fn split_table(section: &str) -> bool {
    section.rsplit_once('.').is_some_and(|(table, _)| table.ends_with("dependencies"))
}

fn lacks_reason(line: &str) -> bool {
    let entry = code(line);
    entry.contains('=') && !is_inherited(entry) && !is_path(entry) && comment(line).is_none_or(str::is_empty)
}

fn is_inherited(entry: &str) -> bool {
    let compact: String = entry.split_whitespace().collect();
    compact.contains("workspace=true")
}

fn is_path(entry: &str) -> bool {
    let compact: String = entry.split_whitespace().collect();
    compact.contains("{path=") || compact.contains(",path=")
}

fn code(line: &str) -> &str {
    comment_start(line).map_or(line, |start| &line[..start])
}

fn comment(line: &str) -> Option<&str> {
    comment_start(line).map(|start| line[start + 1..].trim())
}

/// Where the comment starts: the first `#` outside a string.
fn comment_start(line: &str) -> Option<usize> {
    let mut in_string = false;
    line.char_indices().find_map(|(index, character)| {
        in_string ^= character == '"';
        (character == '#' && !in_string).then_some(index)
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::source::Source;

    #[test]
    fn an_entry_with_a_reason_passes() {
        let text = "[workspace.dependencies]\n# all of them\nserde = \"1\" # typed payloads\n\
            queue = { version = \"1\", path = \"crates/queue\" }\n\n[package]\nname = \"x\"\n";
        assert_eq!(check(&Source::new("Cargo.toml", text)), []);
    }

    #[test]
    fn an_entry_without_a_reason_fails() {
        for entry in [
            "serde = \"1\"",
            "serde = \"1\" #",
            "a = { git = \"x#y\" }",
            "a = { version = \"1\", features = [\"path\"] }",
        ] {
            let found = check(&Source::new("Cargo.toml", format!("[workspace.dependencies]\n{entry}\n")));
            assert!(found.len() == 1 && found[0].line == 2, "{entry}: {found:?}");
        }
    }

    #[test]
    fn a_crate_inherits_the_reason() {
        for kind in
            ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"]
        {
            let good = format!(
                "[{kind}]\nserde.workspace = true\ntokio = {{ workspace = true, features = [\"rt\"] }}\n"
            );
            assert_eq!(check(&Source::new("crates/a/Cargo.toml", good)), [], "{kind}");
            let bad = format!("[{kind}]\nserde = \"1\"\n");
            assert_eq!(check(&Source::new("crates/a/Cargo.toml", bad)).len(), 1, "{kind}");
        }
    }

    #[test]
    fn a_table_of_its_own_fails() {
        let text = "[dependencies.serde]\nversion = \"1\"\n";
        assert_eq!(check(&Source::new("crates/a/Cargo.toml", text)).len(), 1);
    }

    #[test]
    fn other_files_and_sections_are_left_alone() {
        assert_eq!(check(&Source::new("deny.toml", "[dependencies]\nx = \"1\"\n")), []);
        assert_eq!(check(&Source::new("Cargo.toml", "[features]\nx = [\"dep:y\"]\n")), []);
    }
}
