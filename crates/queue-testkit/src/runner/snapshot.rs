//! The committed list of cases: a case that a store stops running shows up as a changed line.

use crate::cases::{Case, Need};
use libtest_mimic::{Failed, Trial};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

const BLESS: &str = "QUEUE_TESTKIT_BLESS";
const HEADER: &str =
    "# What the conformance suite does with this store. Written by the suite with QUEUE_TESTKIT_BLESS=1.\n";

/// Compares the list with the file, or writes the file if the environment asks for that.
pub(super) fn trial(path: PathBuf, cases: &[(&Case, Option<Need>)]) -> Trial {
    let listing = listing(cases);
    Trial::test("suite::the_snapshot_lists_what_runs", move || {
        if env::var_os(BLESS).is_some_and(|value| value == "1") {
            return fs::write(&path, &listing).map_err(Failed::from);
        }
        compare(&committed(&path)?, &listing)
    })
}

fn listing(cases: &[(&Case, Option<Need>)]) -> String {
    let line = |(case, lacking): &(&Case, Option<Need>)| match lacking {
        None => format!("run     {}\n", case.full_name()),
        Some(need) => format!("ignored {} ({need})\n", case.full_name()),
    };
    let mut lines: Vec<String> = cases.iter().map(line).collect();
    lines.sort();
    HEADER.to_owned() + &lines.concat()
}

/// The list as it was last written. A new store has none, and all of its lines would say nothing.
fn committed(path: &Path) -> Result<String, Failed> {
    fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!(
            "there is no list of cases yet at {}; run this once with {BLESS}=1 to write it, and commit it",
            path.display()
        )
        .into(),
        _ => format!("the list of cases at {} cannot be read: {error}", path.display()).into(),
    })
}

/// Names the lines that differ, and no others.
fn compare(committed: &str, present: &str) -> Result<(), Failed> {
    if committed == present {
        return Ok(());
    }
    let mut message = format!("the list of cases has changed; {BLESS}=1 writes the new one");
    for (mark, these, those) in [('-', committed, present), ('+', present, committed)] {
        for line in these.lines().filter(|line| !those.lines().any(|other| other == *line)) {
            message.extend(['\n', mark, ' ']);
            message.push_str(line);
        }
    }
    Err(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_case_is_named() {
        let failed = compare("run     a::b\nrun     a::c\n", "run     a::b\nignored a::c (pause)\n");
        let message = failed.expect_err("they differ").message().expect("a message").to_owned();
        assert!(message.ends_with("- run     a::c\n+ ignored a::c (pause)"), "{message}");
    }

    #[test]
    fn a_list_that_was_never_written_is_asked_for_in_one_line() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("conformance.snapshot");
        let failed = committed(&path).expect_err("there is no file");
        let message = failed.message().expect("a message").to_owned();
        assert!(message.contains("QUEUE_TESTKIT_BLESS=1") && !message.contains('\n'), "{message}");
        fs::write(&path, "run     a::b\n").expect("it is written");
        assert!(committed(&path).is_ok_and(|list| list == "run     a::b\n"));
    }

    #[test]
    fn the_same_list_passes() {
        let cases: Vec<_> = crate::cases::all().map(|case| (case, None)).collect();
        let listing = listing(&cases);
        assert!(compare(&listing, &listing).is_ok());
        assert!(compare("", &listing).is_err());
    }
}
