//! The code blocks of the documentation's pages about stores, read so that tests can run them.

use std::fs;

/// The text of a page of the guide.
fn page(name: &str) -> String {
    let path = format!("{}/../docs/stores/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The code blocks of a language under a heading, each as it can be copied.
pub(crate) fn blocks(name: &str, heading: &str, language: &str) -> Vec<String> {
    let page = page(name);
    let section = page.split("\n## ").find(|section| section.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("{name} has no heading {heading:?}"));
    let parts = section.split("\n```").collect::<Vec<_>>();
    let blocks: Vec<String> = parts
        .iter()
        .filter_map(|part| part.strip_prefix(language)?.strip_prefix('\n'))
        .map(|block| block.trim_end().to_owned())
        .collect();
    assert!(!blocks.is_empty(), "{name} has no block of {language} under {heading:?}");
    blocks
}
