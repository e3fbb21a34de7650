//! A page as `cargo xtask pages` sees it: the dependencies that it names, and its programs.

use super::weave::compiled;

const SHELL: &str = "```sh";
const CODE: &str = "```rust";
const END: &str = "```";
const ADD: &str = "cargo add ";
/// Marks a program that is `no_run` for rustdoc only, since it leaves files where it runs.
const EMPTY_DIRECTORY: &str = "empty_directory";
/// Crates that only hidden lines need, which readers need not add: the text that shows the need,
/// and the `cargo add`.
const HIDDEN: [(&str, &str); 2] =
    [("tempfile::", "--dev tempfile"), ("start_paused", "--dev tokio --features test-util")];

/// A page with programs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Its path below the root, such as `docs/tasks/retry.md`.
    pub(super) path: String,
    /// The arguments of each `cargo add` that it gives to readers, in order.
    pub(super) adds: Vec<String>,
    pub(super) programs: Vec<Program>,
}

/// A program of a page, as the compiler gets it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// One that no other program has: that of its page, and its number there.
    pub(super) name: String,
    /// Whether it never ends, or needs something of its reader's.
    pub(super) no_run: bool,
    pub(super) text: String,
}

/// The page, if it has programs.
pub(super) fn page(path: &str, text: &str) -> Option<Page> {
    let woven = compiled(text);
    let programs = programs(&slug(path), &woven);
    if programs.is_empty() {
        return None;
    }
    let mut adds = adds(text);
    if adds.is_empty() {
        return Some(Page { path: path.to_owned(), adds, programs });
    }
    let shown = text_of_readers(text);
    for (sign, add) in HIDDEN {
        if !shown.contains(sign) && programs.iter().any(|program| program.text.contains(sign)) {
            adds.push(add.to_owned());
        }
    }
    Some(Page { path: path.to_owned(), adds, programs })
}

/// The page without its comments.
fn text_of_readers(text: &str) -> String {
    let mut rest = text;
    let mut shown = String::new();
    while let Some((before, after)) = rest.split_once("<!--") {
        shown.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    shown + rest
}

/// The arguments of `cargo add` in the shell commands of a page, without remarks.
fn adds(text: &str) -> Vec<String> {
    let mut in_shell = false;
    let mut adds = Vec::new();
    for line in text.lines() {
        if line.starts_with(END) {
            in_shell = !in_shell && line.starts_with(SHELL);
        } else if in_shell {
            let command = line.split(" #").next().unwrap_or(line);
            adds.extend(
                command.split("&&").filter_map(|command| command.trim().strip_prefix(ADD)).map(str::to_owned),
            );
        }
    }
    adds
}

/// A path as a name.
pub(super) fn slug(path: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    path.trim_end_matches(".md").chars().map(letter).collect()
}

fn programs(page: &str, woven: &str) -> Vec<Program> {
    let mut programs = Vec::new();
    let mut lines = woven.lines();
    while let Some(line) = lines.next() {
        let Some(attributes) = line.strip_prefix(CODE) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != END).collect();
        if ["ignore", "compile_fail"].iter().any(|attribute| attributes.contains(attribute)) {
            continue;
        }
        let no_run = attributes.contains("no_run") && !attributes.contains(EMPTY_DIRECTORY);
        let name = format!("{page}_{}", programs.len() + 1);
        programs.push(Program { name, no_run, text: whole(&body.join("\n")) });
    }
    programs
}

/// The program as a file: a body without `main` gets one around it, as in rustdoc.
fn whole(body: &str) -> String {
    if has_main(body) {
        return format!("#![allow(unused)]\n{body}\n");
    }
    format!("#![allow(unused)]\nfn main() {{\n{body}\n}}\n")
}

/// Whether the body has a `main` at the top level; one inside a block does not count. Braces in
/// texts come in pairs.
fn has_main(body: &str) -> bool {
    let mut depth = 0_usize;
    body.lines().any(|line| {
        let is_main = depth == 0 && line.contains("fn main(");
        depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
        is_main
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Title\n\n```sh\ncargo add queue-jobs --features a,b   # a remark\ncargo add x && cargo add y\nls\n```\n\n\
        Not `cargo add z`.\n\n<!-- doctest\n... 1\nfn main() {\n...\n}\n-->\n```rust\nuse a;\na::b();\n```\n\n\
        ```rust,no_run\nlet c;\n```\n\n```rust,ignore\n?\n```\n";

    #[test]
    fn a_page_has_its_dependencies_and_whole_programs() {
        let page = page("docs/A-B.md", PAGE).expect("it has programs");
        assert_eq!(page.programs[1].name, "docs_a_b_2");
        assert_eq!(page.adds, ["queue-jobs --features a,b", "x", "y"]);
        let texts: Vec<_> =
            page.programs.iter().map(|program| (program.no_run, program.text.as_str())).collect();
        let first = "#![allow(unused)]\nuse a;\nfn main() {\na::b();\n}\n";
        let second = "#![allow(unused)]\nfn main() {\nlet c;\n}\n";
        assert_eq!(texts, [(false, first), (true, second)]);
    }

    #[test]
    fn a_main_within_a_block_is_not_that_of_the_program() {
        assert!(has_main("use a;\nfn b() {\n}\nasync fn main() {\n}"));
        assert!(!has_main("#[cfg(unix)] {\nfn main() {\n}\nmain() }"));
    }

    #[test]
    fn a_program_for_an_empty_directory_is_run_in_one() {
        let page = page("a.md", "```rust,no_run,empty_directory\na();\n```\n").expect("a program");
        assert!(!page.programs[0].no_run);
    }

    #[test]
    fn a_page_without_programs_is_none() {
        assert_eq!(page("a.md", "# Title\n\n```sh\ncargo add x\n```\n"), None);
    }

    #[test]
    fn what_only_hidden_lines_need_is_added_for_them_and_what_readers_see_is_not() {
        let hidden =
            "```sh\ncargo add x\n```\n<!-- doctest\ntempfile::tempdir();\n...\n-->\n```rust\na();\n```\n";
        assert_eq!(page("a.md", hidden).expect("a program").adds, ["x", "--dev tempfile"]);
        let seen = "```sh\ncargo add x\n```\n```rust\ntempfile::tempdir();\n```\n";
        assert_eq!(page("a.md", seen).expect("a program").adds, ["x"]);
    }
}
