//! Faults of single calls of a store.

use queue_core::{Error, ErrorKind, Result};
use std::{future::Future, time::Duration};
use tokio::time::sleep;

/// What happens to one call of the store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// Nothing goes wrong.
    None,
    /// It is refused and certainly did not happen.
    Refuse(ErrorKind),
    /// It happens, and nobody hears of it.
    LoseReply,
    /// It is never answered, and does not happen.
    Hang,
    /// It happens at once and is answered later.
    Late(Duration),
    /// The store has a bug.
    Panic,
}

impl Fault {
    pub(crate) async fn around<T>(self, call: impl Future<Output = Result<T>>) -> Result<T> {
        match self {
            Self::None => call.await,
            Self::Refuse(kind) => Err(Error::new(kind, "probe", "the test refuses")),
            Self::LoseReply => {
                call.await?;
                Err(Error::new(ErrorKind::Unavailable, "probe", "the reply was lost").unknown())
            }
            Self::Hang => std::future::pending().await,
            Self::Late(wait) => {
                let answer = call.await;
                sleep(wait).await;
                answer
            }
            Self::Panic => panic!("the test wants a bug in the store"),
        }
    }
}
