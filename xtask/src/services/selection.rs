//! Which servers to start: what was asked for and what that needs, less what the environment skips
//! or already has.

use std::env;

use anyhow::{Context, Result, bail};

use super::ALL;
use super::server::Server;

const SKIP: &str = "QUEUE_TEST_SKIP";

pub(super) fn from_environment(names: &[&str]) -> Result<Vec<&'static dyn Server>> {
    let skip = env::var(SKIP).unwrap_or_default();
    let skipped: Vec<&str> = skip.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    select(names, &skipped, |variable| env::var_os(variable).is_some_and(|url| !url.is_empty()))
}

/// Where a server is that runs already.
pub(super) fn url_from_environment(name: &str) -> Result<String> {
    let server = ALL.iter().find(|server| server.name() == name).context("no such server")?;
    env::var(server.variable())
        .with_context(|| format!("{name} does not run, and {} is not set", server.variable()))
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
    let asked_for = ALL.iter().copied().filter(|server| names.contains(&server.name()));
    let asked_for: Vec<_> = asked_for.filter(|server| is_to_start(*server, skipped, &is_set)).collect();
    let needed: Vec<_> = asked_for.iter().filter_map(|server| server.needs()).collect();
    let is_wanted = |server: &&dyn Server| {
        asked_for.iter().any(|other| other.name() == server.name())
            || needed.contains(&server.name()) && !is_set(server.variable())
    };
    Ok(ALL.iter().copied().filter(is_wanted).collect())
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
    if let Some(needed) = server.needs().filter(|needed| skipped.contains(needed)) {
        eprintln!("{name}: not started, as {SKIP} names {needed}, which it needs");
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
    fn what_is_needed_comes_first_and_once() {
        assert_eq!(selected(&["pgbouncer"], &[], &[]), ["postgres", "pgbouncer"]);
        assert_eq!(selected(&["pgbouncer", "postgres"], &[], &[]), ["postgres", "pgbouncer"]);
        assert_eq!(selected(&["pgbouncer"], &[], &["QUEUE_TEST_POSTGRES_URL"]), ["pgbouncer"]);
        assert_eq!(selected(&["pgbouncer"], &[], &["QUEUE_TEST_PGBOUNCER_URL"]), Vec::<&str>::new());
        assert_eq!(selected(&["pgbouncer", "redis"], &["postgres"], &[]), ["redis"]);
    }

    #[test]
    fn unknown_names_are_errors() {
        for (names, skipped) in [(vec!["rediss"], vec![]), (vec!["redis"], vec!["postgress"])] {
            let answer = select(&names, &skipped, |_| false);
            assert!(answer.is_err(), "{names:?} {skipped:?}");
        }
    }
}
