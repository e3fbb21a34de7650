//! The manual pages: sections in the order in which `man-pages(7)` has them, what an option takes
//! in the synopsis, and an example on each page.

use super::example;
use crate::args::Cli;
use clap::{Command, CommandFactory};
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};
use std::{fs, io, path::Path};

/// What the pages are of, as the foot of each says.
const MANUAL: &str = "Queue Manual";
const FIRST: &str = "queue";
/// How the part of the help about exit codes begins.
const CODES: &str = "Exit codes:\n";

/// Writes a page for each command into a directory, which it makes if it is missing.
pub(crate) fn write_to(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    write(&command, FIRST, directory)
}

fn write(command: &Command, path: &str, directory: &Path) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write(subcommand, &format!("{path} {}", subcommand.get_name()), directory)?;
    }
    let name = path.replace(' ', "-");
    fs::write(directory.join(format!("{name}.1")), page(command, path)?)
}

fn page(command: &Command, path: &str) -> io::Result<Vec<u8>> {
    let version = command.get_version().unwrap_or_default();
    let man = Man::new(command.clone()).source(format!("{FIRST} {version}")).manual(MANUAL);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    section("SYNOPSIS", &synopsis(command), &mut page)?;
    man.render_description_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    man.render_options_section(&mut page)?;
    let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    match notes.strip_prefix(CODES) {
        Some(codes) => section("EXIT STATUS", codes, &mut page)?,
        None if notes.is_empty() => {}
        None => section("NOTES", &notes, &mut page)?,
    }
    if let Some(example) = example(path) {
        section("EXAMPLES", example, &mut page)?;
    }
    if path != FIRST {
        section("SEE ALSO", "queue(1), of which EXIT STATUS holds for this command too", &mut page)?;
    }
    Ok(page)
}

/// How the command is called, with what its options take.
fn synopsis(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage:").trim().to_owned()
}

/// A section that keeps each line of the text apart, and wraps long ones.
fn section(title: &str, text: &str, page: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for line in text.trim_end().lines() {
        roff.text([roman(line)]).control("br", []);
    }
    roff.to_writer(page)
}

#[cfg(test)]
mod tests {
    use super::write_to;
    use std::fs;

    #[test]
    fn sections_stand_in_the_order_in_which_people_look_for_them() {
        let directory = tempfile::tempdir().unwrap();
        write_to(directory.path()).unwrap();
        let page = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
        let sections = |page: &str| -> Vec<String> {
            page.lines().filter_map(|line| line.strip_prefix(".SH ")).map(|it| it.replace('"', "")).collect()
        };
        let list = page("queue-list.1");
        let of_list = [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "OPTIONS",
            "WHICH JOBS",
            "GLOBAL OPTIONS",
            "NOTES",
            "EXAMPLES",
            "SEE ALSO",
        ];
        assert_eq!(sections(&list), of_list);
        let of_all =
            ["NAME", "SYNOPSIS", "DESCRIPTION", "SUBCOMMANDS", "OPTIONS", "GLOBAL OPTIONS", "EXIT STATUS"];
        assert_eq!(sections(&page("queue.1")), of_all);
        assert!(page("queue-batch-add.1").contains("queue batch add import\\-7"), "it has an example");
    }

    #[test]
    fn pages_say_what_an_option_takes_and_what_it_is_otherwise() {
        let directory = tempfile::tempdir().unwrap();
        write_to(directory.path()).unwrap();
        let page = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
        let list = page("queue-list.1");
        assert!(list.contains("queue list [OPTIONS]"), "{list}");
        for value in ["due", "parked", "cancelled"] {
            assert!(list.contains(value), "--state takes {value}");
        }
        assert!(list.contains("[default: 50]"), "{list}");
    }
}
