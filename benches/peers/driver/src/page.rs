//! The figures of `docs/COMPARISON.md`, between two marks; the text around them is written by hand.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::catalog::Store;
use crate::measure::StoreRun;
use crate::plan::Plan;
use crate::table;

const BEGIN: &str = "<!-- figures: written by `cargo xtask peers` -->\n";
const END: &str = "<!-- end of figures -->\n";

pub(crate) fn write(plan: &Plan) -> Result<()> {
    let figures = figures(&plan.results)?;
    let page = if plan.keeps_text { filled(&read(&plan.page)?, &figures)? } else { figures };
    fs::write(&plan.page, page).with_context(|| format!("cannot write {}", plan.page.display()))
}

/// The sections of the stores that have been measured.
fn figures(results: &Path) -> Result<String> {
    let mut sections = Vec::new();
    for store in Store::ALL {
        let file = results.join(format!("{store}.json"));
        if file.exists() {
            let run: StoreRun = serde_json::from_str(&read(&file)?)
                .with_context(|| format!("{} is not of this version", file.display()))?;
            sections.push(table::section(&run));
        }
    }
    if sections.is_empty() {
        sections.push("Not measured yet.\n".to_owned());
    }
    Ok(sections.join("\n"))
}

fn filled(page: &str, figures: &str) -> Result<String> {
    let (before, rest) = page.split_once(BEGIN).context("the page has no mark where figures begin")?;
    let (_, after) = rest.split_once(END).context("the page has no mark where figures end")?;
    Ok(format!("{before}{BEGIN}\n{figures}\n{END}{after}"))
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, figures, filled};
    use crate::root;

    #[test]
    fn the_text_around_the_figures_stays() {
        let page = format!("a\n{BEGIN}old\n{END}b\n");
        assert_eq!(filled(&page, "new\n").expect("it has marks"), format!("a\n{BEGIN}\nnew\n\n{END}b\n"));
        filled("a\n", "new\n").expect_err("it has no marks");
    }

    #[test]
    fn the_page_shows_what_was_measured() {
        let page = std::fs::read_to_string(root().join("docs/COMPARISON.md")).expect("the page");
        let figures = figures(&root().join("benches/peers/results")).expect("results");
        let made = filled(&page, &figures).expect("it has marks");
        assert!(made == page, "the figures differ from benches/peers/results: cargo xtask peers page");
    }
}
