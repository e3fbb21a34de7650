//! The replacement of the section names in a template by the sections.

use anyhow::{bail, ensure};

/// Puts each section where its name stands, alone on a line in double braces. A name without a
/// section is an error, and so is a section that no line asks for.
pub(super) fn fill(template: &str, sections: &[(String, String)]) -> anyhow::Result<String> {
    let mut page = String::new();
    let mut used = Vec::new();
    for line in template.lines() {
        match line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
            None => page.push_str(line),
            Some(name) => {
                let Some((name, text)) = sections.iter().find(|(known, _)| *known == name) else {
                    bail!("the template asks for {name:?}, and there is no such section");
                };
                page.push_str(if text.is_empty() { "Not measured yet." } else { text.trim_end() });
                used.push(name.as_str());
            }
        }
        page.push('\n');
    }
    let unused: Vec<_> =
        sections.iter().map(|(name, _)| name.as_str()).filter(|name| !used.contains(name)).collect();
    ensure!(unused.is_empty(), "the template does not ask for {unused:?}");
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::fill;

    fn x(text: &str) -> [(String, String); 1] {
        [("x".to_owned(), text.to_owned())]
    }

    #[test]
    fn a_section_stands_where_its_name_stood() {
        let page = fill("a\n{{x}}\nb\n", &x("1\n2\n")).expect("it fits");
        assert_eq!(page, "a\n1\n2\nb\n");
        assert_eq!(fill("{{x}}", &x("")).expect("it fits"), "Not measured yet.\n");
    }

    #[test]
    fn what_is_unknown_or_left_over_is_an_error() {
        fill("{{y}}\n{{x}}\n", &x("")).expect_err("there is no y");
        fill("a\n", &x("")).expect_err("nobody asks for x");
    }
}
