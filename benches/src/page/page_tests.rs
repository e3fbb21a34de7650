//! The test that the committed page follows from the committed results.

use super::{Places, write};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("benches lies one folder below the root").to_owned()
}

/// No figure is typed: what is committed follows from the results that are committed.
#[test]
fn the_committed_page_is_the_one_that_the_committed_results_give() {
    let fresh = tempfile::tempdir().expect("a folder");
    let places = Places {
        results: root().join("benches/results"),
        before: Some(root().join("benches/results/before")),
        template: root().join("benches/BENCHMARKS.md.in"),
        page: fresh.path().join("BENCHMARKS.md"),
    };
    write(&places).expect("the page can be written");
    let read = |path: &Path| fs::read_to_string(path).expect("a page");
    assert!(
        read(&root().join("docs/BENCHMARKS.md")) == read(&places.page),
        "the page is not what the results give: run `cargo xtask bench page`"
    );
}
