//! The page on the tests of the worker names only tests that exist.

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_test_on_the_page_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = here.join("../../docs/testing/worker.md");
    let page = fs::read_to_string(path).expect("the page is part of the project");
    let tests: BTreeSet<String> =
        ["worker", "runtime"].iter().flat_map(|folder| tests_in(&here.join("tests").join(folder))).collect();
    let named: Vec<&str> =
        page.split('`').filter(|word| word.contains("::") && !word.contains(' ')).collect();
    assert!(named.len() > 80, "only {} tests are named", named.len());
    let missing: Vec<_> =
        named.into_iter().filter(|name| !tests.contains(*name) && *name != "file::test").collect();
    assert!(missing.is_empty(), "named and not there: {missing:#?}");
}

/// `file::test` for every test in a folder and those below it.
fn tests_in(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).expect("a folder of tests").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { tests_in(&path) } else { tests_of(&path) }).collect()
}

fn tests_of(path: &Path) -> Vec<String> {
    let file = path.file_stem().expect("a name").to_string_lossy();
    let source = fs::read_to_string(path).expect("readable");
    let names = source.split("#[t").skip(1).filter_map(name_after_attribute);
    names.map(|name| format!("{file}::{name}")).collect()
}

fn name_after_attribute(source: &str) -> Option<String> {
    let (attribute, rest) = source.split_once('\n')?;
    let is_test = attribute.starts_with("est]") || attribute.starts_with("okio::test");
    let name = rest.trim_start().trim_start_matches("async ").strip_prefix("fn ")?;
    is_test.then(|| name.split('(').next().unwrap_or_default().to_owned())
}
