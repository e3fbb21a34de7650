//! What the manifest of each crate must say, and that each third-party dependency says what it is
//! for.
//!
//! The reason stands once, in the root's `[workspace.dependencies]`. A crate that inherits needs no
//! second one; a crate that asks for its own version does. This reads lines, since a TOML reader
//! drops comments.

use super::source::{Finding, Source};

const LINTS: (&str, &str) = ("[lints]\nworkspace = true", "all crates obey the same lints");
/// How a line begins, and why it must be there.
const PUBLISHED: &[(&str, &str)] = &[
    ("version.workspace = true", "all crates have one version"),
    ("edition.workspace = true", "all crates have one edition"),
    ("rust-version", "cargo chooses versions by it"),
    ("description = \"", "the registry shows it"),
    ("license.workspace = true", "all crates have one licence"),
    ("readme.workspace = true", "the registry shows it"),
    ("keywords.workspace = true", "people search by them"),
    ("categories = [\"", "the registry sorts by them"),
    ("exclude.workspace = true", "tests need what a package lacks"),
    ("[package.metadata.docs.rs]\nall-features = true", "docs.rs shows what a feature adds"),
    LINTS,
];
const UNPUBLISHED: &[(&str, &str)] = &[("publish = false", "only crates/ is published"), LINTS];

/// Outside the workspace, so that there is nothing to inherit.
const OUTSIDE: &[(&str, &str)] = &[("publish = false", "only crates/ is published")];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let required = match source.path.as_str() {
        "Cargo.toml" => &[],
        path if !path.ends_with("/Cargo.toml") => return Vec::new(),
        path if path.starts_with("crates/") => PUBLISHED,
        path if path.starts_with("benches/peers/") => OUTSIDE,
        _ => UNPUBLISHED,
    };
    let missing = required.iter().filter(|(line, _)| !source.text.contains(&format!("\n{line}")));
    let mut findings: Vec<Finding> =
        missing.map(|(line, why)| source.finding(1, format!("lacks `{line}`: {why}"))).collect();
    let mut in_dependencies = false;
    for (number, line) in source.lines() {
        let entry = line.split(" #").next().unwrap_or(line).trim();
        if let Some(section) = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            in_dependencies = section.ends_with("dependencies");
            if section.rsplit_once('.').is_some_and(|(table, _)| table.ends_with("dependencies")) {
                findings.push(source.finding(number, "write the dependency as one line"));
            }
        } else if in_dependencies && lacks_reason(line) {
            findings.push(source.finding(number, "say in a comment at the end of the line what it is for"));
        }
    }
    findings
}

fn lacks_reason(line: &str) -> bool {
    let compact: String = line.split_whitespace().collect();
    let is_ours = ["workspace=true", "{path=", ",path="].iter().any(|part| compact.contains(part));
    !line.starts_with('#') && line.contains('=') && !is_ours && !line.contains(" # ")
}

#[cfg(test)]
mod tests {
    use super::{PUBLISHED, UNPUBLISHED, check};
    use crate::tidy::source::Source;

    fn found(path: &str, text: &str) -> usize {
        check(&Source::new(path, text)).len()
    }

    #[test]
    fn each_missing_line_is_found() {
        for (path, required) in [("crates/a/Cargo.toml", PUBLISHED), ("tests/Cargo.toml", UNPUBLISHED)] {
            let lines: Vec<_> = required.iter().map(|(line, _)| *line).collect();
            let text = format!("[package]\n{}\n", lines.join("\n"));
            assert_eq!(found(path, &text), 0);
            for line in lines {
                assert_eq!(found(path, &text.replace(line, "")), 1, "without {line:?}");
            }
        }
        assert_eq!(found("deny.toml", ""), 0);
    }

    #[test]
    fn an_entry_without_a_reason_fails() {
        for entry in
            ["serde = \"1\"", "serde = \"1\" #", "a = { git = \"x#y\" }", "a = { features = [\"path\"] }"]
        {
            assert_eq!(found("Cargo.toml", &format!("[workspace.dependencies]\n{entry}\n")), 1, "{entry}");
        }
        let text = "[workspace.dependencies]\n# all of them\nserde = \"1\" # typed payloads\n\
            queue = { version = \"1\", path = \"crates/queue\" }\n\n[package]\nname = \"x\"\n";
        assert_eq!(found("Cargo.toml", text), 0);
        assert_eq!(found("Cargo.toml", "[dependencies.serde]\nversion.workspace = true\n"), 1);
    }

    #[test]
    fn a_crate_inherits_the_reason() {
        for kind in
            ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"]
        {
            let of = |entry| format!("\npublish = false\n[lints]\nworkspace = true\n[{kind}]\n{entry}\n");
            let inherits = of("serde.workspace = true\ntokio = { workspace = true, features = [\"rt\"] }");
            assert_eq!(
                (found("a/Cargo.toml", &inherits), found("a/Cargo.toml", &of("serde = \"1\""))),
                (0, 1)
            );
        }
    }

    #[test]
    fn packages_outside_the_workspace_inherit_nothing() {
        let package = |publish| format!("[package]\npublish = {publish}\n\n[workspace]\n");
        assert_eq!(found("benches/peers/a/Cargo.toml", &package(false)), 0);
        assert_eq!(found("benches/peers/a/Cargo.toml", &package(true)), 1);
    }
}
