//! The line that is completed, as a script passes it on.

use std::{
    env,
    ffi::{OsStr, OsString},
};

/// The position of the word under the cursor; without it this is the last word.
const INDEX: &str = "_CLAP_COMPLETE_INDEX";
/// bash makes words of their own of these.
const BREAKS: [char; 2] = [':', '='];

/// The words, the name of the program first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) words: Vec<OsString>,
    /// Which word is completed.
    pub(super) index: usize,
    /// What of this word stands before the part that bash replaces.
    pub(super) prefix: String,
}

impl Line {
    /// The line in the arguments of this process.
    pub(super) fn of_arguments() -> Self {
        let words = env::args_os().skip_while(|word| word != "--").skip(1).collect();
        Self::of_bash(words)
    }

    /// Puts words together again that bash has cut at each `:` and `=`. Other shells cut none, and
    /// none of theirs is such a character alone.
    pub(super) fn of_bash(cut: Vec<OsString>) -> Self {
        let given = env::var(INDEX).ok().and_then(|index| index.parse().ok());
        let index = given.unwrap_or(cut.len().saturating_sub(1));
        Self::joined(cut, index)
    }

    fn joined(cut: Vec<OsString>, cursor: usize) -> Self {
        let mut line = Self { words: Vec::new(), index: 0, prefix: String::new() };
        let mut goes_on = false;
        for (position, piece) in cut.into_iter().enumerate() {
            let is_break = is_break(&piece);
            match line.words.last_mut().filter(|_| position > 1 && (goes_on || is_break)) {
                Some(word) => {
                    if position == cursor {
                        line.prefix = word.to_string_lossy().into_owned();
                    }
                    word.push(&piece);
                }
                None => line.words.push(piece),
            }
            if position == cursor {
                line.index = line.words.len() - 1;
            }
            goes_on = is_break;
        }
        line
    }

    /// The words before the one that is completed, without the quotes around them.
    pub(super) fn before(&self) -> Vec<OsString> {
        self.words.iter().take(self.index).map(|word| unquoted(word)).collect()
    }
}

fn is_break(piece: &OsStr) -> bool {
    piece.to_str().is_some_and(|text| !text.is_empty() && text.chars().all(|it| BREAKS.contains(&it)))
}

fn unquoted(word: &OsStr) -> OsString {
    let inner = |quote: char| word.to_str()?.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\''].into_iter().find_map(inner).map_or_else(|| word.to_owned(), OsString::from)
}

#[cfg(test)]
mod tests {
    use super::Line;
    use std::ffi::OsString;

    fn joined(cut: &[&str], cursor: usize) -> (Vec<String>, usize, String) {
        let line = Line::joined(cut.iter().map(OsString::from).collect(), cursor);
        (
            line.words.into_iter().map(|word| word.into_string().expect("text")).collect(),
            line.index,
            line.prefix,
        )
    }

    #[test]
    fn words_that_bash_has_cut_are_whole_again() {
        let cut = ["queue", "list", "--store", "=", "sqlite", ":", "a.db", "--kind", "e"];
        let (words, index, prefix) = joined(&cut, 8);
        assert_eq!(words, ["queue", "list", "--store=sqlite:a.db", "--kind", "e"]);
        assert_eq!((index, prefix.as_str()), (4, ""));
    }

    #[test]
    fn what_bash_keeps_of_a_word_is_known() {
        let (words, index, prefix) = joined(&["queue", "list", "--queue", "=", "app", ":", "ma"], 6);
        assert_eq!(words, ["queue", "list", "--queue=app:ma"]);
        assert_eq!((index, prefix.as_str()), (2, "--queue=app:"));
    }

    #[test]
    fn a_line_without_such_characters_stays() {
        let (words, index, prefix) = joined(&["queue", "list", "--kind", ""], 3);
        assert_eq!((words.len(), index, prefix.as_str()), (4, 3, ""));
        assert_eq!(joined(&[], 0).0, Vec::<String>::new());
    }

    #[test]
    fn words_before_the_cursor_lose_their_quotes() {
        let cut = ["queue", "--store", "'sqlite:a.db?x=1'", "\"b", "--kind", "e"].map(OsString::from);
        let before = Line::joined(cut.into(), 5).before();
        assert_eq!(before, ["queue", "--store", "sqlite:a.db?x=1", "\"b", "--kind"]);
    }
}
