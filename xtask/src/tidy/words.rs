//! Stilted words in the comments of Rust, counted by crate. The limit of a crate only goes down.
//!
//! A sentence that begins with `whoever` or says that something `is told` hides its subject, and a
//! reader has to read it twice. The list names what such sentences had in common here; the model
//! codebases have under 0.1 of these words in 1,000. Code between backticks, blocks of code, and
//! comments that follow code on their line do not count.

use std::collections::BTreeMap;

use super::limits::LIMITS;
use super::source::{Finding, Source};

const FENCE: &str = "```";
/// Words and phrases, in lower case. A phrase may go over the end of a line. One string, since
/// rustfmt would give each of them a line.
const STILTED: &str = "whoever, whomever, whatever, whosoever, nobody, somebody, anybody, everybody, \
    those of, tells, telling, told, hear, hears, heard, anew, is gone, are gone, was gone, were gone, \
    be gone, has gone, all the same, aloud, in vain, to be had, for want of, becomes of, became of, mend, \
    mends, mended, lend, lends, lent, likewise, innocent, lest, thereby, wherefrom, thereof, whence, \
    by and by, in earnest, but for, without a word";

/// What the comments of one crate, or of one other folder of the root, say.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) words: usize,
    /// One for each stilted word, with the word as its message.
    pub(super) stilted: Vec<Finding>,
}

impl Counted {
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
    fn per_thousand(&self) -> f64 {
        1000.0 * self.stilted.len() as f64 / self.words.max(1) as f64
    }
}

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let counted = count(sources);
    let compared = LIMITS.iter().flat_map(|(name, limit)| compare(name, *limit, counted.get(name)));
    let is_listed = |name: &str| LIMITS.iter().any(|(listed, _)| *listed == name);
    let others = counted.iter().filter(|(name, _)| !is_listed(name));
    compared.chain(others.flat_map(|(name, counted)| compare(name, 0, Some(counted)))).collect()
}

/// The lines of the table that `cargo xtask words` prints, or of the places in one crate.
pub(super) fn show(sources: &[Source], name: Option<&str>) -> Vec<String> {
    let counted = count(sources);
    if let Some(name) = name {
        return counted
            .get(name)
            .iter()
            .flat_map(|counted| &counted.stilted)
            .map(ToString::to_string)
            .collect();
    }
    let title = format!("{:16} {:>7} {:>7} {:>9}", "comments of", "words", "stilted", "per 1,000");
    let rows = counted.iter().map(|(name, counted)| {
        let (words, stilted) = (counted.words, counted.stilted.len());
        format!("{name:16} {words:>7} {stilted:>7} {:>9.1}", counted.per_thousand())
    });
    std::iter::once(title).chain(rows).collect()
}

fn compare(name: &str, limit: usize, counted: Option<&Counted>) -> Vec<Finding> {
    let stilted = counted.map_or(&[][..], |counted| &counted.stilted);
    let table = Source::new("xtask/src/tidy/limits.rs", "");
    let count = stilted.len();
    if count < limit {
        return vec![table.finding(1, format!("{name}: lower the limit to {count}"))];
    }
    if count == limit {
        return Vec::new();
    }
    let sum = format!("{name}: {count} stilted words, and the limit is {limit}; write one of these plainly");
    stilted.iter().cloned().chain([table.finding(1, sum)]).collect()
}

fn count(sources: &[Source]) -> BTreeMap<&str, Counted> {
    let mut by_crate: BTreeMap<&str, Counted> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.has_extension("rs")) {
        let counted = by_crate.entry(crate_of(&source.path)).or_default();
        for comment in comments(source) {
            counted.words += comment.len();
            counted.stilted.extend(stilted(source, &comment));
        }
    }
    by_crate
}

/// A crate by its name; of all that is not published, the folder of the root.
fn crate_of(path: &str) -> &str {
    let path = path.strip_prefix("crates/").unwrap_or(path);
    path.split('/').next().unwrap_or(path)
}

/// The words of each comment, with their lines.
fn comments(source: &Source) -> Vec<Vec<(usize, String)>> {
    let (mut comments, mut is_code) = (vec![Vec::new()], false);
    for (number, line) in source.lines() {
        let Some(text) = line.trim_start().strip_prefix("//") else {
            is_code = false;
            comments.push(Vec::new());
            continue;
        };
        let text = text.trim_start_matches(['/', '!']).trim();
        is_code ^= text.starts_with(FENCE);
        if let (false, false, Some(comment)) = (is_code, text.starts_with(FENCE), comments.last_mut()) {
            comment.extend(words(text).map(|word| (number, word)));
        }
    }
    comments
}

/// The words of a line without what stands between backticks, which is code.
fn words(text: &str) -> impl Iterator<Item = String> {
    let prose = text.split('`').step_by(2);
    let words = prose.flat_map(|part| part.split(|letter: char| !letter.is_alphanumeric() && letter != '\''));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn stilted_words() -> impl Iterator<Item = &'static str> {
    STILTED.split(", ")
}

fn stilted(source: &Source, comment: &[(usize, String)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, (line, _)) in comment.iter().enumerate() {
        let begins = |phrase: &&str| {
            let mut rest = comment[place..].iter();
            phrase.split(' ').all(|part| rest.next().is_some_and(|(_, word)| word == part))
        };
        findings.extend(stilted_words().find(begins).map(|phrase| source.finding(*line, phrase)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{comments, compare, count, show, stilted_words};
    use crate::tidy::source::Source;

    fn stilted(text: &str) -> Vec<String> {
        let sources = [Source::new("crates/a/src/lib.rs", text)];
        count(&sources)["a"].stilted.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_stilted_word_is_found_in_every_kind_of_comment() {
        for word in stilted_words() {
            for mark in ["//", "    ///", "//!"] {
                let found = stilted(&format!("fn a() {{}}\n{mark} One ({word}) two.\n"));
                assert_eq!(found, [format!("crates/a/src/lib.rs:2: {word}")], "{mark}");
            }
        }
        assert_eq!(stilted("// Whoever reads it.\n").len(), 1, "a capital letter");
        assert_eq!(stilted("// It is\n/// gone.\n"), ["crates/a/src/lib.rs:1: is gone"]);
    }

    #[test]
    fn a_part_of_a_word_code_and_another_comment_do_not_count() {
        for text in [
            "// foretold, `nobody`, that\nfn of() {}\n// of",
            "let whoever = \"nobody // anew\";",
            "/// ```\n/// // whoever\n/// ```\n",
            "/// `Told` is those\nstruct A;\n",
        ] {
            assert_eq!(stilted(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn words_of_comments_alone_are_counted() {
        let source =
            Source::new("a.rs", "//! Two words.\n\nfn a() {}\n/// `code` don't\n// ```\n// x\n// ```\n");
        assert_eq!(comments(&source).iter().map(Vec::len).sum::<usize>(), 3);
    }

    #[test]
    fn a_limit_is_what_a_crate_has() {
        let sources =
            [Source::new("crates/a/b.rs", "// nobody\n// somebody\n"), Source::new("xtask/c.rs", "")];
        let counted = count(&sources);
        let found = |limit| -> Vec<String> {
            compare("a", limit, counted.get("a")).iter().map(ToString::to_string).collect()
        };
        assert_eq!(found(2), [""; 0]);
        assert_eq!(found(3), ["xtask/src/tidy/limits.rs:1: a: lower the limit to 2"]);
        assert_eq!(found(1)[..2], ["crates/a/b.rs:1: nobody", "crates/a/b.rs:2: somebody"]);
        assert!(found(1)[2].contains("the limit is 1"), "{:?}", found(1));
        assert_eq!(compare("left", 1, None).len(), 1, "a crate that was removed");
        assert_eq!(show(&sources, Some("a")), ["crates/a/b.rs:1: nobody", "crates/a/b.rs:2: somebody"]);
        assert!(show(&sources, None)[1].ends_with("1000.0"), "{:?}", show(&sources, None));
    }
}
