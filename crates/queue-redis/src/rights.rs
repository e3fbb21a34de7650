//! What a user may do, as the server's access control lists have it.

use queue_core::Error;

/// Where it stands what a user needs.
pub(crate) const ADVICE: &str = "this user may not do that; docs/stores/redis.md has the line that gives a user what it needs, under Rights";

/// Says which commands of its scripts a user may not run.
pub(crate) fn lacking(commands: &[String]) -> Error {
    Error::invalid("open", format!("{ADVICE} (it may not run {})", commands.join(", ")))
}
