//! Faults of single calls of a store.

use queue_core::{Error, ErrorKind, Result};
use std::{future::Future, time::Duration};
use tokio::time::sleep;

/// The fault of one call of the store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// No fault.
    None,
    /// The call is refused, and certainly had no effect.
    Refuse(ErrorKind),
    /// The call takes effect, and its answer is lost.
    LoseReply,
    /// The call is never answered, and has no effect.
    Hang,
    /// The call takes effect at once, and is answered later.
    Late(Duration),
    /// The call panics, as a bug of the store would.
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
