//! The pages that readers follow.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::page::{Page, page};
use crate::repo::Repo;

/// Folders of pages; deeper ones, such as decisions and listings, contain no programs to try.
const FOLDERS: [&str; 5] = ["docs", "docs/faces", "docs/observability", "docs/stores", "docs/tasks"];

/// The pages with programs, in the order of their paths.
pub(super) fn pages(repo: &Repo) -> Result<Vec<Page>> {
    let mut paths = vec!["README.md".to_owned()];
    for folder in FOLDERS {
        let entries =
            fs::read_dir(repo.root().join(folder)).with_context(|| format!("cannot read {folder}"))?;
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                paths.push(format!("{folder}/{name}"));
            }
        }
    }
    paths.sort();
    let mut pages = Vec::new();
    for path in paths {
        let text =
            fs::read_to_string(repo.root().join(&path)).with_context(|| format!("cannot read {path}"))?;
        pages.extend(page(&path, &text));
    }
    Ok(pages)
}
