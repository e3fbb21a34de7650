//! Weaves what the compiler needs and no reader does into the programs of a page. Shared by the
//! build of the guide and by `cargo xtask pages`.
//!
//! A program on a page is what a reader needs of it. What the compiler needs beside that stands in
//! a comment of the page, which no reader sees, directly in front of the program: lines of code,
//! `... 3` for the next three lines of the program, and `...` for the rest.

const COMMENT: &str = "<!-- doctest";
const COMMENT_END: &str = "-->";
const CODE: &str = "```rust";
const CODE_END: &str = "```";
const VISIBLE: &str = "...";

/// The page with whole programs. A comment that does not fit its program makes one that does not
/// compile.
pub(crate) fn compiled(page: &str) -> String {
    let mut lines = page.lines();
    let mut out = Vec::new();
    while let Some(line) = lines.next() {
        if line != COMMENT {
            out.push(line);
            continue;
        }
        let hidden: Vec<&str> = lines.by_ref().take_while(|line| *line != COMMENT_END).collect();
        let fence = lines.next().expect("a program follows");
        assert!(fence.starts_with(CODE), "a program follows: {fence}");
        let visible: Vec<&str> = lines.by_ref().take_while(|line| *line != CODE_END).collect();
        out.push(fence);
        out.extend(woven(&hidden, &visible));
        out.push(CODE_END);
    }
    out.join("\n")
}

/// The program, with the lines of the comment where they belong.
fn woven<'page>(hidden: &[&'page str], mut visible: &[&'page str]) -> Vec<&'page str> {
    let mut out = Vec::new();
    for line in hidden {
        let Some(count) = line.strip_prefix(VISIBLE) else {
            out.push(*line);
            continue;
        };
        let count = match count.trim() {
            "" => visible.len(),
            count => count.parse().expect("a number of lines"),
        };
        let (now, later) = visible.split_at(count);
        out.extend(now);
        visible = later;
    }
    assert!(visible.is_empty(), "lines that the comment leaves out: {visible:?}");
    out
}
