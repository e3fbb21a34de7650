//! The list of commands in the help, in groups by what one wants to do.

use clap::Command;
use std::fmt::Write as _;

/// A heading and its commands.
type Group = (&'static str, &'static [&'static str]);

/// Every command stands in one group; a command that the program is built without is left out.
pub(super) const GROUPS: &[Group] = &[
    ("Enqueue and work", &["enqueue", "work", "wait", "result", "batch", "schedule", "lead"]),
    ("Look at jobs", &["list", "status", "show", "errors", "events"]),
    ("Look at queues and workers", &["queues", "stats", "partitions", "workers", "top"]),
    ("Change one job", &["cancel", "promote", "amend", "redrive", "delete"]),
    ("Change many jobs", &["bulk", "operations", "prune"]),
    ("Steer queues and workers", &["pause", "resume", "limits", "drain"]),
    ("Serve other programs", &["serve", "token"]),
    ("Care for a store", &["doctor", "verify", "fsck", "dump", "copy", "migrate"]),
    ("For the shell", &["completions", "man", "help"]),
];
/// What clap shows in place of the list, which it has no groups for.
const BEFORE: &str = "{about-with-newline}\n{usage-heading} {usage}\n";
const AFTER: &str = "\n{options-heading}\n{options}{after-help}";
const HELP: &str = "Print this message or the help of a command";

/// The command whose help has its list in groups, with an example of how one begins.
pub(super) fn in_groups(command: Command) -> Command {
    let header = *command.get_styles().get_header();
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut list = String::new();
    for (heading, names) in GROUPS {
        // Writing to a string does not fail.
        let _ = write!(list, "\n{header}{heading}:{header:#}\n");
        for name in *names {
            if let Some(about) = about(&command, name) {
                let _ = writeln!(list, "  {name:width$}  {about}");
            }
        }
    }
    let options = AFTER.replace("{options-heading}", &format!("{header}Options:{header:#}"));
    command.help_template(format!("{BEFORE}{list}{options}"))
}

/// The first line of its help; `None` if there is no such command.
fn about(command: &Command, name: &str) -> Option<String> {
    if name == "help" {
        return Some(HELP.to_owned());
    }
    Some(command.find_subcommand(name)?.get_about()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, in_groups};
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        grouped.retain(|name| *name != "help" && (*name != "top" || cfg!(feature = "top")));
        all.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn the_help_shows_groups_options_and_exit_codes() {
        let help = in_groups(Cli::command()).render_long_help().to_string();
        for part in
            ["\nLook at jobs:\n  list         List jobs\n", "\nOptions:\n", "--store <URL>", "\nExit codes:"]
        {
            assert!(help.contains(part), "{part:?} is not in {help}");
        }
    }
}
