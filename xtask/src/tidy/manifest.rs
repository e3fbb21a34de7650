//! What the manifest of each crate must say.

use super::entries::{is_manifest, section};
use super::finding::Finding;
use super::source::Source;

/// A line that must stand in a section. The value is free where it ends in `=`.
struct Required {
    section: &'static str,
    line: &'static str,
    why: &'static str,
}

const PUBLISHED: &[Required] = &[
    Required { section: "package", line: "description=", why: "the registry shows it" },
    Required { section: "package", line: "license.workspace=true", why: "all crates have one licence" },
    Required { section: "package", line: "readme.workspace=true", why: "the registry shows it" },
    Required { section: "package", line: "keywords.workspace=true", why: "people search by them" },
    Required { section: "package", line: "categories=", why: "the registry sorts by them" },
    Required { section: "package", line: "exclude.workspace=true", why: "tests need what a package lacks" },
    LINTS,
];
const UNPUBLISHED: &[Required] =
    &[Required { section: "package", line: "publish=false", why: "only crates/ is published" }, LINTS];
const LINTS: Required =
    Required { section: "lints", line: "workspace=true", why: "all crates obey the same lints" };

/// Outside the workspace, so that there is nothing to inherit.
const OUTSIDE: &[Required] =
    &[Required { section: "package", line: "publish=false", why: "only crates/ is published" }];

/// The root has no package of its own, so it is left out.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let required = match source.path.as_str() {
        path if !is_manifest(path) || path == "Cargo.toml" => return Vec::new(),
        path if path.starts_with("crates/") => PUBLISHED,
        path if path.starts_with("benches/peers/") => OUTSIDE,
        _ => UNPUBLISHED,
    };
    let lines = lines_in_sections(source);
    let missing = required.iter().filter(|wanted| !lines.iter().any(|line| matches(wanted, line)));
    missing.map(|wanted| source.finding(1, message(wanted))).collect()
}

fn message(wanted: &Required) -> String {
    format!("[{}] lacks `{}`: {}", wanted.section, wanted.line.replace('=', " = ").trim_end(), wanted.why)
}

/// Pairs of section and line, the line without its blanks.
fn lines_in_sections(source: &Source) -> Vec<(&str, String)> {
    let mut current = "";
    let mut lines = Vec::new();
    for (_, line) in source.lines() {
        match section(line) {
            Some(name) => current = name,
            None => lines.push((current, line.split_whitespace().collect())),
        }
    }
    lines
}

fn matches(wanted: &Required, (section, line): &(&str, String)) -> bool {
    let line_matches = if wanted.line.ends_with('=') {
        line.strip_prefix(wanted.line).is_some_and(|value| value.len() > "\"\"".len())
    } else {
        line == wanted.line
    };
    *section == wanted.section && line_matches
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::source::Source;

    const GOOD: &str = "[package]\nname = \"a\"\ndescription = \"does a\"\nlicense.workspace = true\nreadme.workspace = true\n\
        keywords.workspace = true\ncategories = [\"asynchronous\"]\nexclude.workspace = true\n\n[lints]\nworkspace = true\n";

    #[test]
    fn a_complete_manifest_passes() {
        assert_eq!(check(&Source::new("crates/a/Cargo.toml", GOOD)), []);
    }

    #[test]
    fn each_missing_line_is_found() {
        for line in [
            "description = \"does a\"\n",
            "license.workspace = true\n",
            "readme.workspace = true\n",
            "keywords.workspace = true\n",
            "categories = [\"asynchronous\"]\n",
            "exclude.workspace = true\n",
            "\n[lints]\nworkspace = true\n",
        ] {
            let found = check(&Source::new("crates/a/Cargo.toml", GOOD.replace(line, "")));
            assert_eq!(found.len(), 1, "without {line:?}: {found:?}");
        }
    }

    #[test]
    fn an_empty_description_or_a_wrong_section_fails() {
        assert_eq!(check(&Source::new("crates/a/Cargo.toml", GOOD.replace("does a", ""))).len(), 1);
        assert_eq!(check(&Source::new("crates/a/Cargo.toml", GOOD.replace("[lints]", "[other]"))).len(), 1);
    }

    #[test]
    fn packages_outside_crates_are_not_published() {
        let good = "[package]\npublish = false\n[lints]\nworkspace = true\n";
        assert_eq!(check(&Source::new("tests/Cargo.toml", good)), []);
        assert_eq!(check(&Source::new("tests/Cargo.toml", good.replace("false", "true"))).len(), 1);
    }

    #[test]
    fn packages_outside_the_workspace_inherit_nothing() {
        let package = |publish| format!("[package]\npublish = {publish}\n[workspace]\n");
        assert_eq!(check(&Source::new("benches/peers/a/Cargo.toml", package(false))), []);
        assert_eq!(check(&Source::new("benches/peers/a/Cargo.toml", package(true))).len(), 1);
    }

    #[test]
    fn the_root_is_left_out() {
        assert_eq!(check(&Source::new("Cargo.toml", "[workspace]\n")), []);
    }
}
