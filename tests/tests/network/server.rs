//! The URL of a test server from the environment, or the reason to skip the test.

use std::env;

const SKIP: &str = "QUEUE_TEST_SKIP";

/// The URL of a test server, by its name and its variable, or `None` if it is to be skipped.
///
/// # Panics
///
/// If the variable is missing: a missing server is no reason to skip a test.
pub(crate) fn url(name: &str, variable: &str) -> Option<String> {
    let skipped = env::var(SKIP).unwrap_or_default();
    match env::var(variable) {
        Ok(url) if !url.is_empty() => Some(url),
        _ if skipped.split(',').any(|skipped| skipped.trim() == name) => {
            println!("skipped: {SKIP} names {name}");
            None
        }
        _ => panic!(
            "{variable} is not set: run this with `cargo xtask services run {name}`, or set {SKIP}={name}"
        ),
    }
}
