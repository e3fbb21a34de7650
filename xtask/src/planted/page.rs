//! A page of `docs/testing` that has the table of one part, as the part last printed it.

use std::fs;

use anyhow::{Context, Result};

use crate::repo::Repo;

pub(super) struct Page {
    /// The name of the part, which is also that of the page.
    part: &'static str,
    title: &'static str,
}

pub(super) const STORES: Page = Page { part: "stores", title: "Planted defects of stores" };
pub(super) const SCHEDULES: Page = Page { part: "schedules", title: "Planted mistakes in schedules" };
pub(super) const BATCHES: Page = Page { part: "batches", title: "Planted mistakes in batches" };
pub(super) const PARTITIONS: Page = Page { part: "partitions", title: "Planted mistakes about partitions" };
pub(super) const PARTITIONS_OF_POSTGRES: Page =
    Page { part: "partitions-of-postgres", title: "Planted mistakes about partitions on Postgres" };
pub(super) const PARTITIONS_OF_REDIS: Page =
    Page { part: "partitions-of-redis", title: "Planted mistakes about partitions on Redis" };
pub(super) const TERMS: Page = Page { part: "terms", title: "Planted mistakes about terms" };

impl Page {
    /// Puts the rows of a Markdown table in the place of the former ones. Other lines are left out.
    pub(super) fn write(&self, repo: &Repo, printed: &str) -> Result<()> {
        let path = repo.root().join(format!("docs/testing/planted-{}.md", self.part));
        fs::write(&path, self.text(printed)).with_context(|| format!("cannot write {}", path.display()))?;
        println!("written: {}", path.display());
        Ok(())
    }

    fn text(&self, printed: &str) -> String {
        let Self { part, title } = self;
        let rows = printed.lines().filter(|line| line.starts_with('|')).map(|row| format!("{row}\n"));
        format!(
            "# {title}\n\nWritten by `cargo xtask planted {part}`. [Planted defects](../history/planted.md) says what \
            is planted and what the columns mean.\n\n{}",
            rows.collect::<String>()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::STORES;

    #[test]
    fn a_page_has_the_rows_and_nothing_else_that_was_printed() {
        let text = STORES.text("warning: slow\n| defect | caught by |\n|---|---|\n| a | `b` |\ndone\n");
        assert!(text.starts_with("# Planted defects of stores\n\nWritten by `cargo xtask planted stores`. "));
        assert!(text.ends_with("mean.\n\n| defect | caught by |\n|---|---|\n| a | `b` |\n"), "{text}");
    }
}
