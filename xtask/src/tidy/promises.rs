//! `docs/PROMISES.md`: each row has words of a page and the tests that prove them, and each
//! sentence of "What counts" in `SECURITY.md` has a row.

use super::source::{Finding, Source};

const TABLE: &str = "docs/PROMISES.md";
const SECURITY: &str = "SECURITY.md";
/// The part of it whose sentences are all promises.
const PROMISES: &str = "## What counts";

/// A row of a table, with the page that its section is about.
struct Promise<'a> {
    line: usize,
    page: String,
    words: String,
    tests: Vec<&'a str>,
}

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let Some(table) = sources.iter().find(|source| source.path == TABLE) else { return Vec::new() };
    let text_of = |path: &str| sources.iter().find(|source| source.path == path).map(|source| &*source.text);
    let promises = promises(table);
    let mut findings = Vec::new();
    for promise in &promises {
        let page = text_of(&promise.page).map(plain).unwrap_or_default();
        if !page.contains(&promise.words) {
            let message = format!("{} does not say: {}", promise.page, promise.words);
            findings.push(table.finding(promise.line, message));
        }
        if promise.tests.is_empty() {
            findings.push(table.finding(promise.line, "a promise without a test"));
        }
        let missing = promise.tests.iter().filter(|test| !is_there(test, text_of));
        findings.extend(missing.map(|test| table.finding(promise.line, format!("no such test: {test}"))));
    }
    let said = text_of(SECURITY).map(sentences).unwrap_or_default();
    let is_shown = |sentence: &String| promises.iter().any(|promise| promise.words == *sentence);
    let open = said.into_iter().filter(|sentence| !is_shown(sentence));
    findings.extend(open.map(|sentence| table.finding(1, format!("no row for a promise: {sentence}"))));
    findings
}

fn promises(table: &Source) -> Vec<Promise<'_>> {
    let (mut page, mut rows) = (String::new(), Vec::new());
    for (number, line) in table.lines() {
        if let Some((_, target)) = line.strip_prefix("## ").and_then(|title| title.split_once("](")) {
            let target = target.trim_end_matches(')');
            page = target.strip_prefix("../").map_or_else(|| format!("docs/{target}"), str::to_owned);
        }
        let cells = line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |")?.rsplit_once(" | "));
        let Some((words, tests)) = cells.filter(|(words, _)| *words != "promise") else { continue };
        let tests = tests.split('`').skip(1).step_by(2).collect();
        rows.push(Promise { line: number, page: page.clone(), words: words.to_owned(), tests });
    }
    rows
}

/// Whether a test `path::name` is a function of the file, whose path begins at `crates` or at the
/// root.
fn is_there<'a>(test: &str, text_of: impl Fn(&str) -> Option<&'a str>) -> bool {
    let Some((path, name)) = test.rsplit_once("::") else { return false };
    let source = text_of(&format!("crates/{path}")).or_else(|| text_of(path));
    source.is_some_and(|source| source.contains(&format!("fn {name}(")))
}

/// The sentences of the promises, without the words in bold before them.
fn sentences(security: &str) -> Vec<String> {
    let part = security.split_once(PROMISES).map_or("", |(_, rest)| rest);
    let part = part.split("\n## ").next().unwrap_or_default();
    let bullets = part.split("\n- **").skip(1).filter_map(|bullet| bullet.split_once(".** "));
    let bullets = bullets.map(|(_, sentences)| plain(sentences));
    let each = |bullet: String| -> Vec<String> {
        let sentences = bullet.trim().trim_end_matches('.').split(". ");
        sentences.map(|sentence| format!("{sentence}.")).collect()
    };
    bullets.flat_map(each).collect()
}

/// The words of a page as one line: links by their text alone, cells of a row with colons between.
fn plain(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        words.push_str(before);
        let target = link.split_once("](").and_then(|(name, after)| Some((name, after.split_once(')')?.1)));
        if let Some((name, after)) = target.filter(|(name, _)| !name.contains(['[', ']'])) {
            words.push_str(name);
            rest = after;
        } else {
            words.push('[');
            rest = link;
        }
    }
    words.push_str(rest);
    words.replace(" | ", ": ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{check, sentences};
    use crate::tidy::source::Source;

    const PAGE: &str =
        "# S\n\n## What counts\n\n- **A.** It is [so](x.md)\n  here. It stays.\n\n## Next\n\n- **B.** No.\n";

    fn found(rows: &str) -> Vec<String> {
        let table = format!("# T\n\n## [S](../SECURITY.md)\n\n| promise | tests |\n|---|---|\n{rows}");
        let sources = [
            Source::new("docs/PROMISES.md", table),
            Source::new("SECURITY.md", PAGE),
            Source::new("crates/a/src/lib.rs", "async fn it_is_so() {}\n"),
        ];
        check(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_sentence_of_what_counts_is_a_promise() {
        assert_eq!(sentences(PAGE), ["It is so here.", "It stays."]);
    }

    #[test]
    fn a_row_needs_words_of_its_page_and_a_test_that_is_there() {
        let good = "| It is so here. | `a/src/lib.rs::it_is_so` |\n| It stays. | `crates/a/src/lib.rs::it_is_so` |\n";
        assert_eq!(found(good), [""; 0]);
        for (row, words) in [
            ("| It is so there. | `a/src/lib.rs::it_is_so` |\n", "does not say"),
            ("| It stays. | `a/src/lib.rs::it_is` |\n", "no such test"),
            ("| It stays. | `b/src/lib.rs::it_is_so` |\n", "no such test"),
            ("| It stays. | later |\n", "without a test"),
        ] {
            let found = found(&format!("{good}{row}"));
            assert!(found.len() == 1 && found[0].contains(words), "{row}: {found:?}");
        }
    }

    #[test]
    fn a_sentence_without_a_row_is_found() {
        let found = found("| It is so here. | `a/src/lib.rs::it_is_so` |\n");
        assert!(found.len() == 1 && found[0].contains("It stays."), "{found:?}");
    }
}
