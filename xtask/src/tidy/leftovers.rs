//! Notes to oneself that were not meant to stay.

use super::finding::Finding;
use super::source::Source;

// Written in two halves, so that this file passes its own rule.
const MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const MACROS: &[&str] = &[concat!("dbg", "!"), concat!("todo", "!"), concat!("unimplemented", "!")];

/// Marks are searched in every file, macros in Rust alone.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let macros = if source.has_extension("rs") { MACROS } else { &[] };
    let words: Vec<&str> = MARKS.iter().chain(macros).copied().collect();
    let on_line =
        |(number, line)| find(line, &words).map(|word| source.finding(number, format!("`{word}` is left")));
    source.lines().filter_map(on_line).collect()
}

fn find<'a>(line: &str, words: &[&'a str]) -> Option<&'a str> {
    words.iter().copied().find(|word| has_word(line, word))
}

/// A part of a longer name is another word.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(start, _)| {
        let after = &line[start + word.len()..];
        !line[..start].ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::{MACROS, MARKS, check};
    use crate::tidy::source::Source;

    #[test]
    fn each_mark_fails_in_every_file() {
        for mark in MARKS {
            for path in ["a.rs", "a.md", "a.sql"] {
                let found = check(&Source::new(path, format!("fine\n-- {mark}: later\n")));
                assert!(found.len() == 1 && found[0].line == 2, "{mark} in {path}: {found:?}");
            }
        }
    }

    #[test]
    fn each_macro_fails_in_rust_alone() {
        for name in MACROS {
            assert_eq!(check(&Source::new("a.rs", format!("    {name}(x);\n"))).len(), 1, "{name}");
            assert_eq!(check(&Source::new("a.md", format!("the {name} macro\n"))), [], "{name}");
        }
    }

    #[test]
    fn a_longer_word_is_not_a_mark() {
        let text = format!("let {}_LIST = my_{}(1);\n", MARKS[0], MACROS[0]);
        assert_eq!(check(&Source::new("a.rs", text)), []);
    }
}
