//! A handle's side of its writing thread: starts it, sends calls to it, and closes it.

use super::{Committer, Inbox, PendingCall, Verb};
use crate::Mailbox;
use queue_core::{Error, ErrorKind, Result};
use std::fmt;
use tokio::sync::{mpsc, oneshot, watch};

/// Calls that may wait for the thread; further callers wait for room.
const WAITING_MAX: usize = 1_024;

/// A handle's end of its writing thread.
///
/// Closing it refuses further calls, finishes what was sent, and ends the thread; so does dropping
/// it, which waits for that.
pub struct Writer<C: Committer>(Mailbox<PendingCall<C>>);

impl<C: Committer> fmt::Debug for Writer<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}

impl<C: Committer> Writer<C> {
    /// Starts a thread of this name, which opens the store itself, since even that is no work for
    /// an async thread; it says how that went, and then [serves](Inbox::serve).
    ///
    /// # Errors
    /// The errors of `main`, and `Unavailable` if the system starts no thread. After a dropped
    /// future the thread finds out that it has no caller, and should end then.
    pub async fn start<T: Send + 'static>(
        name: &str,
        main: impl FnOnce(Inbox<C>, oneshot::Sender<Result<T>>) + Send + 'static,
    ) -> Result<(Self, T)> {
        let (work, calls) = mpsc::channel(WAITING_MAX);
        let (ending, ended) = watch::channel(());
        let (opened, answer) = oneshot::channel();
        let main = move || {
            main(Inbox::new(calls), opened);
            drop(ending);
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(main).map_err(|error| {
            Error::new(ErrorKind::Unavailable, "open", "no thread can be started").with_source(error)
        })?;
        let writer = Self(Mailbox::new(work, ended, vec![thread]));
        let opened = answer.await.unwrap_or_else(|_| Err(Error::unanswered("open")))?;
        Ok((writer, opened))
    }

    /// Sends a verb and waits for its durable answer.
    ///
    /// # Errors
    /// `Closed` once closed, and the error of the verb's transaction. Dropping the future leaves
    /// the verb to finish on its own; then see [`Verb::unheard`].
    pub async fn call<V: Verb<C>>(&self, verb: V) -> Result<V::Answer> {
        let (reply, answer) = oneshot::channel();
        self.0.send(V::NAME, PendingCall::new(verb, reply)).await?;
        let mut listener = CallReply::<C, V> { writer: self, answer };
        (&mut listener.answer).await.unwrap_or_else(|_| Err(Error::unanswered(V::NAME)))
    }

    /// Sends a verb without a caller that waits, if there is room: for what will be sent again
    /// anyway.
    pub fn nudge<V: Verb<C>>(&self, verb: V) {
        let (reply, _) = oneshot::channel();
        self.0.try_send(PendingCall::new(verb, reply));
    }

    /// Finishes what was sent, and ends the thread.
    pub async fn close(&self) {
        self.0.close().await;
    }

    /// True once closed.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

/// The caller that waits for an answer. An answer that came, and that the caller did not look at,
/// counts as not received.
struct CallReply<'a, C: Committer, V: Verb<C>> {
    writer: &'a Writer<C>,
    answer: oneshot::Receiver<Result<V::Answer>>,
}

impl<C: Committer, V: Verb<C>> Drop for CallReply<'_, C, V> {
    fn drop(&mut self) {
        self.answer.close();
        if let Ok(Ok(answer)) = self.answer.try_recv()
            && let Some(next) = V::unheard(answer)
        {
            self.writer.0.try_send(next);
        }
    }
}
