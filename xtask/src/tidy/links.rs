//! Relative links in Markdown lead to files that a clone has.
//!
//! Anchors are not followed, and neither are links to other sites: a check must not depend on the
//! network.

use super::finding::Finding;
use super::source::{Source, Tree};

pub(super) fn check(source: &Source, tree: &Tree) -> Vec<Finding> {
    if !source.has_extension("md") {
        return Vec::new();
    }
    let mut in_fence = false;
    let mut findings = Vec::new();
    for (number, line) in source.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence {
            let dead = targets(&without_code(line))
                .into_iter()
                .filter(|target| !leads_to_file(source, target, tree));
            findings.extend(dead.map(|target| source.finding(number, format!("no such file: {target}"))));
        }
    }
    findings
}

fn leads_to_file(source: &Source, target: &str, tree: &Tree) -> bool {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
    is_elsewhere || path.is_empty() || resolve(&source.path, path).is_some_and(|path| tree.has(&path))
}

/// The path from the root, or nothing where the link leaves the work tree.
fn resolve(from: &str, link: &str) -> Option<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let start = if link.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = start.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Targets of `[text](target "title")`, and of `[name]: target` at the start of a line.
fn targets(line: &str) -> Vec<String> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let definition = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    let bare = |target: &str| target.trim().trim_matches(['<', '>']).to_owned();
    inline.chain(definition).map(bare).collect()
}

/// What stands between backticks is an example, not a link.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::finding::Finding;
    use crate::tidy::source::{Source, Tree};

    fn findings(path: &str, text: &str) -> Vec<Finding> {
        let tree = Tree::of(&["README.md", "docs/GUIDE.md", "docs/adr/0001-start.md"]);
        check(&Source::new(path, text), &tree)
    }

    #[test]
    fn links_to_files_and_folders_pass() {
        for link in
            ["GUIDE.md", "./GUIDE.md#top", "adr", "adr/", "../README.md", "/README.md", "adr/0001-start.md"]
        {
            assert_eq!(findings("docs/GUIDE.md", &format!("see [it]({link}) there\n")), [], "{link}");
        }
    }

    #[test]
    fn dead_links_fail() {
        for link in ["MISSING.md", "../GUIDE.md", "../../README.md", "adr/0002.md#x", "<MISSING.md>"] {
            let found = findings("docs/GUIDE.md", &format!("first\n[a](GUIDE.md) [b]({link} \"title\")\n"));
            assert!(found.len() == 1 && found[0].line == 2, "{link}: {found:?}");
        }
    }

    #[test]
    fn definitions_are_links_too() {
        assert_eq!(findings("README.md", "[guide]: docs/GUIDE.md\n"), []);
        assert_eq!(findings("README.md", "[guide]: GUIDE.md\n").len(), 1);
    }

    #[test]
    fn other_sites_anchors_and_code_are_left_alone() {
        let text = "[a](https://example.com/x.md) [b](#part) [c](mailto:a@example.com) `[d](x.md)`\n\
            ```\n[e](x.md)\n```\n";
        assert_eq!(findings("README.md", text), []);
        assert_eq!(findings("notes.txt", "[a](x.md)\n"), []);
    }

    #[test]
    fn a_link_after_a_code_block_is_checked() {
        assert_eq!(findings("README.md", "```\n```\n[e](x.md)\n").len(), 1);
    }
}
