//! The commands on the pages: the command of today takes each of them.

use std::{
    fs,
    path::{Path, PathBuf},
};

const SHELL: &str = "```sh";
const SHELL_END: &str = "```";

#[test]
fn every_command_on_a_page_is_one_that_the_command_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package is inside the project");
    let pages = pages(&root.join("docs")).into_iter().chain([root.join("README.md")]);
    let (mut checked, mut refused) = (0, Vec::new());
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page is UTF-8");
        for words in shell_lines(&text).iter().flat_map(|line| commands(line)) {
            checked += 1;
            if let Err(error) = queue_cli::check_arguments(&words) {
                refused.push(format!("{}: {words:?}: {error}", page.display()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(checked > 60, "only {checked} commands were found");
}

#[test]
fn commands_are_found_behind_pipes_and_before_remarks() {
    let line = "cat ids | queue enqueue 'a b' --lines - > log && queue list --tag \"x y\"   # all of them";
    let found = commands(line);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], ["queue", "enqueue", "a b", "--lines", "-"]);
    assert_eq!(found[1], ["queue", "list", "--tag", "x y"]);
    assert_eq!(commands("QUEUE_NAME=a queue stats; sqlite3 queue.db"), [["queue", "stats"]]);
}

fn pages(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory of the project");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let pages = paths.flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] });
    pages.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The lines of all blocks for a shell; one that ends in a backslash goes on with the next.
fn shell_lines(page: &str) -> Vec<String> {
    let mut lines = page.lines();
    let mut found: Vec<String> = Vec::new();
    while lines.any(|line| line == SHELL) {
        let mut goes_on = false;
        for line in lines.by_ref().take_while(|line| *line != SHELL_END) {
            let (text, next) = line.strip_suffix('\\').map_or((line, false), |text| (text, true));
            match found.last_mut().filter(|_| goes_on) {
                Some(last) => last.push_str(text),
                None => found.push(text.to_owned()),
            }
            goes_on = next;
        }
    }
    found
}

/// The words of each call of `queue` on a line. What a shell would compute is not looked at.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut calls = vec![Vec::new()];
    for word in words(line) {
        match &*word {
            "#" => break,
            "|" | "&&" | "||" | "&" => calls.push(Vec::new()),
            _ => {
                let ends = word.ends_with(';');
                calls.last_mut().expect("there is one").push(word.trim_end_matches(';').to_owned());
                if ends {
                    calls.push(Vec::new());
                }
            }
        }
    }
    calls.into_iter().filter_map(|call| called(&call)).collect()
}

/// The call without what stands before it and without where its output goes.
fn called(call: &[String]) -> Option<Vec<String>> {
    let begin = call.iter().position(|word| !word.contains('='))?;
    let is_ours = call[begin] == "queue" && !call.iter().any(|word| word.contains("$("));
    let redirected = |word: &String| word.starts_with(['<', '>']) || word.starts_with("2>");
    let words = call[begin..].iter().take_while(|word| !redirected(word)).cloned();
    is_ours.then(|| words.collect())
}

/// Words as a shell divides them, with quotes and without escapes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}
