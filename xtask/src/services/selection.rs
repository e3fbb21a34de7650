//! Which servers to start: what was asked for and what that needs, less what the environment skips
//! or already has.

use std::env;

use anyhow::{Context, Result, bail};

use super::server::Server;
use super::table::SERVERS;

const SKIP: &str = "QUEUE_TEST_SKIP";

pub(super) fn from_environment(names: &[&str]) -> Result<Vec<&'static Server>> {
    let skip = env::var(SKIP).unwrap_or_default();
    let skipped: Vec<&str> = skip.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    select(names, &skipped, |variable| env::var_os(variable).is_some_and(|url| !url.is_empty()))
}

/// Where a server is that runs already.
pub(super) fn url_from_environment(name: &str) -> Result<String> {
    let variable = SERVERS.iter().find(|server| server.name == name).context("no such server")?.variable();
    env::var(&variable).with_context(|| format!("{name} does not run, and {variable} is not set"))
}

/// A misspelt name is an error: tests that silently lack their server look green.
fn select(names: &[&str], skipped: &[&str], is_set: impl Fn(&str) -> bool) -> Result<Vec<&'static Server>> {
    let is_known = |name: &str| SERVERS.iter().any(|server| server.name == name);
    if let Some(unknown) = names.iter().chain(skipped).find(|name| !is_known(name)) {
        bail!("no server is called {unknown:?}");
    }
    let asked_for = SERVERS.iter().filter(|server| names.contains(&server.name));
    let asked_for: Vec<_> = asked_for.filter(|server| is_to_start(server, skipped, &is_set)).collect();
    let is_wanted = |server: &&Server| {
        asked_for.iter().any(|other| other.name == server.name)
            || asked_for.iter().any(|other| other.needs == Some(server.name)) && !is_set(&server.variable())
    };
    Ok(SERVERS.iter().filter(is_wanted).collect())
}

fn is_to_start(server: &Server, skipped: &[&str], is_set: impl Fn(&str) -> bool) -> bool {
    let (name, variable) = (server.name, server.variable());
    let reason = if skipped.contains(&name) {
        format!("{SKIP} names it")
    } else if let Some(needed) = server.needs.filter(|needed| skipped.contains(needed)) {
        format!("{SKIP} names {needed}, which it needs")
    } else if is_set(&variable) {
        format!("{variable} is set")
    } else {
        return true;
    };
    eprintln!("{name}: not started, as {reason}");
    false
}

#[cfg(test)]
mod tests {
    use super::select;

    fn selected(names: &[&str], skipped: &[&str], set: &[&str]) -> Vec<&'static str> {
        let servers = select(names, skipped, |variable| set.contains(&variable)).expect("known names");
        servers.iter().map(|server| server.name).collect()
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
