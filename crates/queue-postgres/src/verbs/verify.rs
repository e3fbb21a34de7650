use crate::{fault::Fault, session::Session, verb::Verb};
use sqlx::Row;

/// Compares every table with every other.
#[derive(Debug)]
pub(crate) struct Verify;

impl Verb for Verify {
    type Answer = Vec<String>;

    const NAME: &'static str = "verify";
    const WRITES: bool = false;
    const TAKES_LONG: bool = true;

    async fn run(&self, session: &mut Session<'_>) -> Result<Vec<String>, Fault> {
        let shared = session.shared;
        let rows = session.read(&shared.statements.verify, |query| query).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?)
    }
}
