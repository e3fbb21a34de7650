//! Running a transaction until nobody moved what it rests on.

use crate::{kv::Kv, store_clock::StoreClock, transaction::Transaction};
use async_trait::async_trait;
use queue_core::{Error, ErrorKind, Result, Stamped};

/// How often a transaction is run before `Conflict` is answered. The writers of one handle take turns, so each round is
/// lost to a write of another process, which made progress with it.
const ATTEMPTS_MAX: usize = 64;

/// One verb as one transaction. It may be run several times, so it changes nothing outside.
#[async_trait]
pub(crate) trait Verb: Sync {
    /// Its name in errors.
    const NAME: &'static str;
    /// What it answers.
    type Answer: Send;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt>;
}

/// Why a transaction does not go on.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Somebody wrote what it read: run it again.
    Moved,
    /// It failed.
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Runs a verb, again while others are faster.
pub(crate) async fn run<V: Verb>(kv: &dyn Kv, clock: &StoreClock, verb: &V) -> Result<Stamped<V::Answer>> {
    for _ in 0..ATTEMPTS_MAX {
        match once(kv, clock, verb).await {
            Ok(answer) => return Ok(answer),
            Err(Halt::Failed(error)) => return Err(error),
            Err(Halt::Moved) => {}
        }
    }
    Err(Error::new(ErrorKind::Conflict, V::NAME, "other writers were faster each time; try again later"))
}

async fn once<V: Verb>(kv: &dyn Kv, clock: &StoreClock, verb: &V) -> Result<Stamped<V::Answer>, Halt> {
    let mut transaction = Transaction::begin(kv, clock).await?;
    let value = verb.attempt(&mut transaction).await?;
    let moment = transaction.moment();
    transaction.commit().await?;
    clock.tell(moment);
    Ok(Stamped::at(moment, value))
}
