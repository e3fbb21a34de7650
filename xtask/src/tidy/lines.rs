//! Rules about the lines of a file.

use super::source::{Finding, Source};

/// A file that outgrew its one subject is to be split.
const LINES_MAX: usize = 300;
/// Comments wrap where a reader's eye still finds the next line.
const COLUMNS_MAX: usize = 100;
const FENCE: &str = "```";
/// What begins a comment, by the extension of the file.
const COMMENTS: &[(&str, &str)] = &[("rs", "//"), ("sql", "--"), ("lua", "--")];
/// Notes to oneself that were not meant to stay. Written in two halves, as the folders are, so that
/// this file passes its own rules.
const MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
/// What git writes around the two sides of a conflict. The line between them is also a heading of
/// Markdown.
const CONFLICTS: &[&str] = &[concat!("<<<<", "<<< "), concat!("||||", "||| "), concat!(">>>>", ">>> ")];
/// A path of one machine means nothing on another.
const FOLDERS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let (mut findings, mut fence) = (Vec::new(), Fence::default());
    for (number, line) in source.lines() {
        // All of them are asked, since two remember what they have seen.
        let told =
            [of_text(line), of_comment(source, line, &mut fence), of_program(source, line, &mut fence)];
        findings.extend(told.into_iter().flatten().map(|message| source.finding(number, message)));
    }
    let count = source.lines().count();
    if source.has_extension("rs") && count > LINES_MAX {
        let message = format!("the file has {count} lines; split it at {LINES_MAX}");
        findings.push(source.finding(LINES_MAX + 1, message));
    }
    if !source.text.is_empty() && !source.text.ends_with('\n') {
        findings.push(source.finding(count, "no newline at the end of the file"));
    }
    findings
}

/// Whether the lines are a block of code, in a comment or on a page.
#[derive(Default)]
struct Fence {
    is_code: bool,
    is_rust: bool,
}

fn of_text(line: &str) -> Option<String> {
    if line.ends_with(char::is_whitespace) {
        return Some("whitespace at the end of the line".to_owned());
    }
    if CONFLICTS.iter().any(|mark| line.starts_with(mark)) {
        return Some("a merge left its conflict".to_owned());
    }
    if let Some(mark) = MARKS.iter().find(|mark| has_word(line, mark)) {
        return Some(format!("`{mark}` is left"));
    }
    let starts_path = |(start, _)| {
        // After a name, as in a relative path or a link, the folder belongs to another path.
        !line[..start].ends_with(|last: char| last.is_alphanumeric() || "_-.}>".contains(last))
    };
    let folder = FOLDERS.iter().find(|folder| line.match_indices(**folder).any(starts_path))?;
    Some(format!("a path under {folder} exists on one machine only"))
}

/// A part of a longer name is another word.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(start, _)| {
        !line[..start].ends_with(is_part) && !line[start + word.len()..].starts_with(is_part)
    })
}

fn of_comment(source: &Source, line: &str, fence: &mut Fence) -> Option<String> {
    let (_, mark) = COMMENTS.iter().find(|(extension, _)| source.has_extension(extension))?;
    let Some(text) = line.trim_start().strip_prefix(mark) else {
        // A block of code may begin by an attribute, which decides whether it is run.
        fence.is_code = line.contains("cfg_attr(") && line.contains(FENCE);
        return None;
    };
    let text = text.trim_start_matches(['/', '!']).trim();
    fence.is_code ^= text.starts_with(FENCE);
    // A row of a table, the target of a link, and a single long word, such as an address.
    let cannot_wrap =
        text.starts_with('|') || text.starts_with('[') && text.contains("]: ") || !text.contains(' ');
    let is_wide = !fence.is_code && !cannot_wrap && line.chars().count() > COLUMNS_MAX;
    is_wide.then(|| format!("a comment wraps at {COLUMNS_MAX} columns"))
}

/// Programs on pages are what readers see, also the lines that rustdoc hides in comments.
fn of_program(source: &Source, line: &str, fence: &mut Fence) -> Option<String> {
    if !source.has_extension("md") {
        return None;
    }
    if line.starts_with(FENCE) {
        fence.is_rust = !fence.is_rust && line.starts_with("```rust");
    }
    let is_hidden = line.trim() == "#" || line.trim_start().starts_with("# ");
    let message = "a hidden line that readers see; see examples/guide/weave.rs";
    (fence.is_rust && is_hidden).then(|| message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS_MAX, CONFLICTS, FOLDERS, LINES_MAX, MARKS, check};
    use crate::tidy::source::Source;

    fn found(path: &str, text: &str) -> Vec<usize> {
        check(&Source::new(path, text)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn whitespace_at_the_end_and_a_missing_newline_fail() {
        for text in ["a\nb \n", "a\nb\t\n", "a\nb\r\n", "a\nb"] {
            assert_eq!(found("a.toml", text), [2], "{text:?}");
        }
        assert_eq!(found("a.rs", "fn a() {}\n\n// b\n"), [0; 0]);
        assert_eq!(found("a.rs", ""), [0; 0]);
    }

    #[test]
    fn only_rust_is_measured() {
        let long = "x\n".repeat(LINES_MAX + 1);
        assert_eq!((found("a.rs", &long), found("a.md", &long)), (vec![LINES_MAX + 1], vec![]));
        assert_eq!(found("a.rs", &"x\n".repeat(LINES_MAX)), [0; 0]);
    }

    #[test]
    fn each_mark_fails_in_every_file_and_a_longer_word_is_none() {
        for mark in MARKS {
            assert_eq!(found("a.sql", &format!("fine\n-- {mark}: later\n")), [2], "{mark}");
            assert_eq!(found("a.rs", &format!("let {mark}_LIST = 1;\n")), [0; 0], "{mark}");
        }
    }

    #[test]
    fn each_mark_of_a_conflict_fails_at_the_begin_of_a_line_alone() {
        for mark in CONFLICTS {
            assert_eq!(found("a.md", &format!("one\n{mark}HEAD\n")), [2], "{mark}");
            assert_eq!(found("a.md", &format!("git writes `{mark}HEAD`\n")), [0; 0], "{mark}");
        }
        assert_eq!(found("a.md", "Title\n=======\n"), [0; 0]);
    }

    #[test]
    fn a_path_of_this_machine_fails_and_a_part_of_a_longer_path_passes() {
        for folder in FOLDERS {
            for before in ["", "see `", "p = \""] {
                assert_eq!(found("a.md", &format!("{before}{folder}me\n")), [1], "{before}{folder}");
            }
            for before in ["src", "..", "https://example.com", "$HOME", "${HOME}", "<root>"] {
                assert_eq!(found("a.md", &format!("{before}{folder}me\n")), [0; 0], "{before}{folder}");
            }
        }
    }

    fn wide(path: &str, begin: &str) -> usize {
        found(path, &format!("{begin}{}end\n", "word ".repeat(COLUMNS_MAX / 5))).len()
    }

    #[test]
    fn a_long_comment_fails_in_each_language() {
        for (path, mark) in
            [("a.rs", "// "), ("a.rs", "    /// "), ("a.rs", "//! - "), ("a.sql", "-- "), ("a.lua", "-- ")]
        {
            assert_eq!(wide(path, mark), 1, "{path}: {mark}");
        }
        assert_eq!(wide("a.rs", "/// ```\n/// x\n/// ```\n/// "), 1, "the code has ended");
        assert_eq!(found("a.rs", &format!("// {} x\n", "x".repeat(COLUMNS_MAX - 5))), [0; 0], "it fits");
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
            assert_eq!(wide(path, begin), 0, "{path}: {begin}");
        }
    }

    #[test]
    fn a_hidden_line_of_a_program_fails() {
        for line in ["# fn main() {}", "#", "    # break;"] {
            assert_eq!(found("a.md", &format!("```rust\n{line}\n```\n")), [2], "{line}");
        }
        let page = "# Title\n\n```sh\n# comment\n```\n\n```rust\n#[test]\nfn a() {}\n```\n\n# Another\n";
        assert_eq!((found("a.md", page), found("a.rs", "```rust\n# x\n```\n")), (vec![], vec![]));
    }
}
