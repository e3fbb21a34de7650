//! Reports the outcome of a change to many jobs.

use crate::{
    exit::{CliError, Exit},
    output::plural,
    session::Session,
};
use queue::BulkChange;
use serde_json::{Map, json};

/// Prints how many jobs were changed, with the `done` count under a field of this name, and fails
/// if some could not be changed because of an error.
pub(crate) fn tell(word: &str, field: &str, change: BulkChange, session: &Session) -> Result<Exit, CliError> {
    let object = || {
        let counts = [(field, change.done), ("skipped", change.skipped), ("failed", change.failed)];
        Map::from_iter(counts.map(|(name, count)| (name.to_owned(), json!(count)))).into()
    };
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
