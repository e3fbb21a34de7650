//! The help of the command: its commands in groups, and an example below each.
//!
//! The arguments themselves are in `args` and beside each command. Their help and the manual pages
//! are made of one [`command`], so that both say the same.

mod examples;
mod groups;
pub(crate) mod manual;

use crate::args::Cli;
use clap::{Command, CommandFactory};

pub(crate) use examples::example;

/// The command line with everything that its help shows.
pub(crate) fn command() -> Command {
    let command = groups::in_groups(Cli::command());
    let name = command.get_name().to_owned();
    command.mut_subcommands(|subcommand| with_example(subcommand, &name))
}

/// Puts the example of a command, and of those below it, behind the rest of its help.
fn with_example(command: Command, above: &str) -> Command {
    let path = format!("{above} {}", command.get_name());
    let command = match (example(&path), command.get_after_help()) {
        (None, _) => command,
        (Some(example), None) => command.after_help(format!("Example:\n  {example}")),
        (Some(example), Some(notes)) => {
            let help = format!("{notes}\n\nExample:\n  {example}");
            command.after_help(help)
        }
    };
    command.mut_subcommands(|subcommand| with_example(subcommand, &path))
}

#[cfg(test)]
mod tests {
    use super::{command, example};
    use crate::check_arguments;
    use clap::Command;

    /// The paths of all commands that do something themselves.
    fn paths(command: &Command, above: &str) -> Vec<String> {
        let of = |subcommand: &Command| {
            let path = format!("{above} {}", subcommand.get_name());
            if subcommand.has_subcommands() { paths(subcommand, &path) } else { vec![path] }
        };
        command.get_subcommands().flat_map(of).collect()
    }

    #[test]
    fn every_command_has_an_example_of_itself_that_it_takes() {
        let command = command();
        for path in paths(&command, "queue") {
            let example = example(&path).unwrap_or_else(|| panic!("{path} has no example"));
            assert!(example.starts_with(&path), "{example} is no example of {path}");
            let words = words(example);
            check_arguments(&words).unwrap_or_else(|error| panic!("{example}: {error}"));
        }
    }

    #[test]
    fn the_help_of_a_command_ends_with_its_example() {
        let mut command = command();
        let enqueue = command.find_subcommand_mut("enqueue").expect("it is there");
        let help = enqueue.render_help().to_string();
        assert!(help.contains("--ids fresh turns this\noff.\n\nExample:\n  queue enqueue "), "{help}");
    }

    /// The words that a shell would make of an example: quotes hold spaces together, and what
    /// follows `>` or `|` is not the command's.
    fn words(example: &str) -> Vec<String> {
        let end = example.find(" > ").or_else(|| example.find(" | ")).unwrap_or(example.len());
        let (mut words, mut is_quoted) = (vec![String::new()], false);
        for it in example[..end].chars() {
            match it {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                _ => words.last_mut().expect("there is one").push(it),
            }
        }
        words
    }
}
