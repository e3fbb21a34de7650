//! What the library says when a user lacks a right on the server.

use queue_core::Error;

/// The advice that names where the needed rights are listed.
pub(crate) const ADVICE: &str = "this user may not do that; docs/stores/redis.md has the line that gives a user what it needs, under Rights";

/// Says which commands of its scripts a user may not run.
pub(crate) fn lacking(commands: &[String]) -> Error {
    Error::invalid("open", format!("{ADVICE} (it may not run {})", commands.join(", ")))
}
