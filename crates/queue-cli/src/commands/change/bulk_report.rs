//! Reports the outcome of a change to many jobs.

use crate::{
    exit::{CliError, Exit},
    output::plural,
    session::Session,
};
use queue::BulkChange;
use serde_json::json;

/// Prints how many jobs were changed, and fails
/// if some could not be changed because of an error.
pub(crate) fn tell(word: &str, change: BulkChange, session: &Session) -> Result<Exit, CliError> {
    let object = || json!({"removed": change.done, "skipped": change.skipped, "failed": change.failed});
    session.out.answer(|| words(word, &change), object)?;
    match change.error {
        None => Ok(Exit::Ok),
        Some(error) => {
            let failed = plural(change.failed, "job", "jobs");
            Err(CliError::from(error).context(format!("{failed} not changed; run it again")))
        }
    }
}

fn words(word: &str, change: &BulkChange) -> String {
    let done = plural(change.done, "job", "jobs");
    let skipped = match change.skipped {
        0 => String::new(),
        skipped => format!(", left {skipped} as they were"),
    };
    format!("{word} {done}{skipped}")
}
