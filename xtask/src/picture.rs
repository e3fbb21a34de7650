//! Pictures of a terminal for the docs: text, with ANSI colours if it has any, as SVG.
//!
//! What a command prints on a terminal comes in on standard input. The words and signs by
//! which `queue doctor` and `queue top --once` grade are coloured here, since they have no colours.

use anstyle_svg::Term;
use anyhow::{Context, Result, ensure};
use std::{fs, io::Read, path::Path};

/// More does not fit on a page.
const LINES_MAX: usize = 60;
/// Where a longer line goes on with the next one.
const COLUMNS: usize = 110;
/// How far that one is indented: as the advice of a finding.
const INDENT: &str = "         ";
/// The words at the beginning of a line that are coloured, with the colour of each.
const GRADES: [(&str, &str); 8] = [
    ("broken ", "\x1b[1;91m"),
    ("warning ", "\x1b[1;93m"),
    ("fine ", "\x1b[92m"),
    ("$ ", "\x1b[1;96m"),
    ("✕ ", "\x1b[1;91m"),
    ("! ", "\x1b[1;93m"),
    ("  ! ", "\x1b[1;93m"),
    ("✓ ", "\x1b[92m"),
];
const PLAIN: &str = "\x1b[0m";

pub(crate) fn run(to: &Path) -> Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("standard input has no text")?;
    let lines = text.lines().count();
    ensure!((1..=LINES_MAX).contains(&lines), "{lines} lines; a picture has 1 to {LINES_MAX}");
    fs::write(to, svg(&text)).with_context(|| format!("cannot write {}", to.display()))
}

fn svg(text: &str) -> String {
    let coloured: Vec<String> = text.lines().flat_map(folded).map(|line| coloured(&line)).collect();
    let drawn = Term::new().render_svg(&coloured.join("\n"));
    // Lines without an end in blanks, as in all files of the project.
    drawn.lines().map(str::trim_end).fold(String::new(), |all, line| all + line + "\n")
}

/// The line as several that fit, divided at blanks.
fn folded(line: &str) -> Vec<String> {
    let (mut lines, mut rest) = (Vec::new(), line.trim_end().to_owned());
    while rest.chars().count() > COLUMNS {
        let end = rest.char_indices().nth(COLUMNS).map_or(rest.len(), |(at, _)| at);
        let blank = rest[..end].rfind(' ').filter(|at| !rest[..*at].trim().is_empty());
        let (line, next) = rest.split_at(blank.unwrap_or(end));
        let next = format!("{INDENT}{}", next.trim_start());
        lines.push(line.to_owned());
        rest = next;
    }
    lines.push(rest);
    lines
}

/// The line with its first word in the colour of its grade.
fn coloured(line: &str) -> String {
    let grade = GRADES.iter().find_map(|(word, colour)| Some((word, colour, line.strip_prefix(word)?)));
    match grade {
        Some((word, colour, rest)) => format!("{colour}{word}{PLAIN}{rest}"),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::svg;

    #[test]
    fn grades_are_coloured_and_what_looks_like_markup_is_text() {
        let drawn =
            svg("$ queue doctor\r\nbroken   store-opens: <a & b>\r\n         do: nothing broken \r\n");
        assert!(drawn.contains("&lt;a &amp; b&gt;"), "{drawn}");
        assert_eq!(drawn.matches(">broken ").count(), 1, "{drawn}");
        assert!(drawn.contains("bright-red"), "{drawn}");
        let folded = super::folded(&"four ".repeat(30));
        assert_eq!((folded.len(), folded[1].find("four")), (2, Some(super::INDENT.len())));
        assert!(!drawn.contains('\r') && drawn.lines().all(|line| line == line.trim_end()));
    }
}
