//! Several filters on the command line, as for other tests: a trial runs if its name contains any
//! of them.

use libtest_mimic::{Arguments, Trial};

/// Options whose value is the next argument, unless an equals sign joins the two.
const WITH_VALUE: [&str; 6] = ["--test-threads", "--logfile", "--skip", "--color", "--format", "-Z"];

/// The arguments of a test binary.
pub(super) struct CommandLine {
    pub(super) arguments: Arguments,
    /// Filters, if there are several: `libtest-mimic` itself handles a single one.
    filters: Vec<String>,
}

impl CommandLine {
    /// Reads the arguments, the first of which is the name of the program. As in
    /// [`Arguments::from_iter`], a wrong argument or a request for help ends the program.
    pub(super) fn parse(arguments: impl Iterator<Item = String>) -> Self {
        let (mut options, filters) = split(arguments);
        match <[String; 1]>::try_from(filters) {
            Ok([filter]) => {
                options.extend(["--".to_owned(), filter]);
                Self { arguments: Arguments::from_iter(options), filters: Vec::new() }
            }
            Err(filters) => Self { arguments: Arguments::from_iter(options), filters },
        }
    }

    /// Keeps the trials that match any of several filters; all of them unless there are several.
    pub(super) fn select(&self, mut trials: Vec<Trial>) -> Vec<Trial> {
        trials.retain(|trial| self.filters.is_empty() || self.filters.iter().any(|f| self.names(f, trial)));
        trials
    }

    /// Compares as `libtest-mimic` does: with the name alone, or with its kind in front, as
    /// `--list` shows it.
    fn names(&self, filter: &str, trial: &Trial) -> bool {
        let shown = format!("[{}] {}", trial.kind(), trial.name());
        if self.arguments.exact { trial.name() == filter || shown == filter } else { shown.contains(filter) }
    }
}

/// Splits the arguments into options and filters.
fn split(arguments: impl Iterator<Item = String>) -> (Vec<String>, Vec<String>) {
    let (mut options, mut filters) = (Vec::new(), Vec::new());
    let mut arguments = arguments;
    options.extend(arguments.next());
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            filters.extend(arguments.by_ref());
        } else if !argument.starts_with('-') {
            filters.push(argument);
        } else {
            let value = WITH_VALUE.contains(&argument.as_str()).then(|| arguments.next()).flatten();
            options.push(argument);
            options.extend(value);
        }
    }
    (options, filters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(line: &str) -> Vec<String> {
        let line = CommandLine::parse(format!("program {line}").split_whitespace().map(str::to_owned));
        let trials = ["claim::a", "claim::ab", "settle::a", "fencing::b"];
        let trials = trials.map(|name| Trial::test(name, || Ok(())).with_kind("I3")).into();
        let mut trials = line.select(trials);
        trials.retain(|trial| !line.arguments.is_filtered_out(trial));
        trials.iter().map(|trial| trial.name().to_owned()).collect()
    }

    #[test]
    fn a_trial_runs_if_any_of_the_filters_names_it() {
        assert_eq!(selected("").len(), 4);
        assert_eq!(selected("claim"), ["claim::a", "claim::ab"]);
        assert_eq!(selected("settle claim"), ["claim::a", "claim::ab", "settle::a"]);
        assert_eq!(selected("settle -- fencing"), ["settle::a", "fencing::b"]);
        assert_eq!(selected("[I3] nothing").len(), 4);
    }

    #[test]
    fn options_among_several_filters_mean_what_they_do_alone() {
        assert_eq!(selected("--exact claim::a fencing::b"), ["claim::a", "fencing::b"]);
        assert_eq!(selected("claim --test-threads 2 settle --skip ab"), ["claim::a", "settle::a"]);
        assert_eq!(selected("--test-threads=2 claim --nocapture settle -q").len(), 3);
    }
}
