//! Which servers to start: what was asked for, less what the environment skips or already has.

use std::env;

use anyhow::{Result, bail};

use super::ALL;
use super::server::Server;

const SKIP: &str = "QUEUE_TEST_SKIP";

pub(super) fn from_environment(names: &[String]) -> Result<Vec<&'static dyn Server>> {
    let skip = env::var(SKIP).unwrap_or_default();
    let skipped: Vec<&str> = skip.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    select(&names, &skipped, |variable| env::var_os(variable).is_some_and(|url| !url.is_empty()))
}

/// A misspelt name is an error: tests that silently lack their server look green.
fn select(
    names: &[&str],
    skipped: &[&str],
    is_set: impl Fn(&str) -> bool,
) -> Result<Vec<&'static dyn Server>> {
    if let Some(unknown) = names.iter().chain(skipped).find(|name| !is_known(name)) {
        bail!("no server is called {unknown:?}");
    }
    let wanted = ALL.iter().copied().filter(|server| names.contains(&server.name()));
    Ok(wanted.filter(|server| is_to_start(*server, skipped, &is_set)).collect())
}

fn is_known(name: &str) -> bool {
    ALL.iter().any(|server| server.name() == name)
}

fn is_to_start(server: &dyn Server, skipped: &[&str], is_set: impl Fn(&str) -> bool) -> bool {
    let (name, variable) = (server.name(), server.variable());
    if skipped.contains(&name) {
        eprintln!("{name}: not started, as {SKIP} names it");
        return false;
    }
    if is_set(variable) {
        eprintln!("{name}: not started, as {variable} is set");
        return false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::select;

    fn selected(names: &[&str], skipped: &[&str], set: &[&str]) -> Vec<&'static str> {
        let servers = select(names, skipped, |variable| set.contains(&variable)).expect("known names");
        servers.iter().map(|server| server.name()).collect()
    }

    #[test]
    fn what_is_asked_for_is_started() {
        assert_eq!(selected(&["redis"], &[], &[]), ["redis"]);
        assert_eq!(selected(&["redis", "postgres"], &[], &[]), ["postgres", "redis"]);
        assert_eq!(selected(&[], &[], &[]), Vec::<&str>::new());
    }

    #[test]
    fn what_is_skipped_or_given_is_not_started() {
        assert_eq!(selected(&["redis", "postgres"], &["redis"], &[]), ["postgres"]);
        assert_eq!(selected(&["redis", "postgres"], &[], &["QUEUE_TEST_POSTGRES_URL"]), ["redis"]);
    }

    #[test]
    fn unknown_names_are_errors() {
        for (names, skipped) in [(vec!["rediss"], vec![]), (vec!["redis"], vec!["postgress"])] {
            let answer = select(&names, &skipped, |_| false);
            assert!(answer.is_err(), "{names:?} {skipped:?}");
        }
    }
}
