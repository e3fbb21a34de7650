//! A path of one machine means nothing on another.

use super::finding::Finding;
use super::source::Source;

// Written in two halves, so that this file passes its own rule.
const FOLDERS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let message = |folder| format!("a path under {folder} exists on one machine only");
    let on_line = |(number, line)| find(line).map(|folder| source.finding(number, message(folder)));
    source.lines().filter_map(on_line).collect()
}

fn find(line: &str) -> Option<&'static str> {
    FOLDERS
        .iter()
        .copied()
        .find(|folder| line.match_indices(folder).any(|(start, _)| starts_a_path(&line[..start])))
}

/// After a name, as in a relative path or a link, the folder is somebody else's.
fn starts_a_path(before: &str) -> bool {
    !before.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '-' | '.' | '}' | '>'))
}

#[cfg(test)]
mod tests {
    use super::{FOLDERS, check};
    use crate::tidy::source::Source;

    #[test]
    fn a_path_of_this_machine_fails() {
        for folder in FOLDERS {
            for line in
                [format!("{folder}me\n"), format!("see `{folder}me`\n"), format!("p = \"{folder}me\"\n")]
            {
                assert_eq!(check(&Source::new("a.md", line.as_str())).len(), 1, "{line}");
            }
        }
    }

    #[test]
    fn a_part_of_a_longer_path_passes() {
        for folder in FOLDERS {
            for before in ["src", "..", "https://example.com", "$HOME", "${HOME}", "<root>"] {
                assert_eq!(
                    check(&Source::new("a.md", format!("{before}{folder}me\n"))),
                    [],
                    "{before}{folder}"
                );
            }
        }
    }
}
