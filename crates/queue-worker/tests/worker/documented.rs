//! The page on the tests of the worker has every file of tests, and names only tests that exist.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

#[test]
fn every_test_on_the_page_exists() {
    let page = page();
    let tests: BTreeSet<String> = files().iter().flat_map(|path| tests_of(path)).collect();
    let named: Vec<&str> =
        page.split('`').filter(|word| word.contains("::") && !word.contains(' ')).collect();
    assert!(named.len() > 80, "only {} tests are named", named.len());
    let missing: Vec<_> =
        named.into_iter().filter(|name| !tests.contains(*name) && *name != "file::test").collect();
    assert!(missing.is_empty(), "named and not there: {missing:#?}");
}

#[test]
fn every_file_of_tests_is_on_the_page() {
    let page = page();
    let with_tests = files().into_iter().filter(|path| !tests_of(path).is_empty());
    let missing: Vec<_> = with_tests.filter(|path| !page.contains(&format!("`{}`", subject(path)))).collect();
    assert!(missing.is_empty(), "not on the page: {missing:#?}");
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/testing/worker.md");
    fs::read_to_string(path).expect("the page is part of the project")
}

/// The files of this program and of that of the runtime, without this one.
fn files() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = ["worker", "runtime"].into_iter().flat_map(|folder| files_in(&tests.join(folder)));
    files.filter(|path| !path.ends_with("documented.rs")).collect()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder of tests").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect()
}

/// The name of the file, or of the folder that it is the root of.
fn subject(path: &Path) -> String {
    let named = if path.ends_with("mod.rs") { path.parent().expect("a folder") } else { path };
    named.file_stem().expect("a name").to_string_lossy().into_owned()
}

/// `file::test` for every test of a file.
fn tests_of(path: &Path) -> Vec<String> {
    let source = fs::read_to_string(path).expect("readable");
    let names = source.split("#[t").skip(1).filter_map(name_after_attribute);
    names.map(|name| format!("{}::{name}", subject(path))).collect()
}

fn name_after_attribute(source: &str) -> Option<String> {
    let (attribute, rest) = source.split_once('\n')?;
    let is_test = attribute.starts_with("est]") || attribute.starts_with("okio::test");
    let name = rest.trim_start().trim_start_matches("async ").strip_prefix("fn ")?;
    is_test.then(|| name.split('(').next().unwrap_or_default().to_owned())
}
