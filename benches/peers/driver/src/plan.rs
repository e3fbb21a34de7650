//! How often each measurement is made, and where the figures go.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::machine;
use crate::words::Words;

const ROUNDS: u32 = 3;

pub(crate) struct Plan {
    /// The root of the work tree.
    pub(crate) root: PathBuf,
    /// Where the peers are.
    pub(crate) folder: PathBuf,
    pub(crate) rounds: u32,
    pub(crate) is_quick: bool,
    /// One file for each store.
    pub(crate) results: PathBuf,
    pub(crate) page: PathBuf,
    /// Of the machine when it all began.
    pub(crate) load: String,
    /// Whether the page has text around the figures, which stays.
    pub(crate) keeps_text: bool,
    /// Stores that are files, and what the peers said on standard error.
    pub(crate) scratch: PathBuf,
}

impl Plan {
    /// Only whole stores go to the page: one column must not stand beside another that was measured
    /// at another time.
    pub(crate) fn of(root: &Path, words: &Words) -> Self {
        let is_quick = words.is_quick;
        let keeps_text = !is_quick && (words.is_page_alone || words.names_whole_stores());
        let folder = root.join("benches/peers");
        let scratch = folder.join("target/measured");
        let (results, page) = if keeps_text {
            (folder.join("results"), root.join("docs/COMPARISON.md"))
        } else {
            (scratch.join("results"), scratch.join("COMPARISON.md"))
        };
        let rounds = if is_quick { 1 } else { ROUNDS };
        let (root, load) = (root.to_owned(), machine::load());
        Self { root, folder, rounds, is_quick, results, page, load, keeps_text, scratch }
    }

    /// Results of an earlier look are removed, and the results of the page are replaced one by one.
    pub(crate) fn prepare(&self) -> Result<()> {
        if !self.keeps_text && self.results.exists() {
            fs::remove_dir_all(&self.results)
                .with_context(|| format!("cannot remove {}", self.results.display()))?;
        }
        for folder in [&self.results, &self.scratch] {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;
    use crate::words::Words;

    fn page(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let plan = Plan::of("".as_ref(), &Words::parse(&words).expect("known words"));
        plan.page.display().to_string()
    }

    #[test]
    fn only_whole_stores_go_to_the_page() {
        for words in [vec![], vec!["redis"], vec!["page"]] {
            assert!(page(&words).ends_with("docs/COMPARISON.md"), "{words:?}");
        }
        for words in [vec!["drain"], vec!["redis", "bullmq"], vec!["--quick", "redis"]] {
            assert!(page(&words).ends_with("measured/COMPARISON.md"), "{words:?}");
        }
    }
}
