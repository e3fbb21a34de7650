//! The task that reads one stream of the server, and connects again.

use super::{
    Frames, PULSE, SILENT_MAX,
    runtime_hints::{Key, Streams, let_go},
};
use crate::{client::ListenedBody, contract::Topic, handle::RemoteHandle};
use http_body_util::BodyExt;
use queue_core::{Error, Hint};
use queue_store::{Hub, News};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use tracing::debug;

const RECONNECT_MIN: Duration = Duration::from_millis(20);
const RECONNECT_MAX: Duration = Duration::from_secs(2);
/// The pieces of a stream after which its reader looks whether the stream has a subscriber. A piece
/// comes at least every ten seconds.
const PIECES_MAX: usize = 64;

/// How far a stream has come, for those who wait for it.
#[derive(Clone, Debug)]
pub(super) enum ListenState {
    Connecting,
    /// Hints come of all that happens from now on.
    Open,
    Failed(Error),
}

/// The reader of one stream.
pub(super) struct Listener {
    pub(super) key: Key,
    pub(super) handle: Arc<RemoteHandle>,
    pub(super) hub: Arc<Hub>,
    pub(super) streams: Streams,
    pub(super) state: watch::Sender<ListenState>,
}

/// Why the reading of one connection ended.
enum ListenEnd {
    Unheard,
    Lost,
}

impl Listener {
    /// Reads until it has no subscriber any more, on one connection after the other.
    pub(super) async fn run(self) {
        let mut pause = RECONNECT_MIN;
        // Whether something may have happened without a hint to its subscribers.
        let mut is_behind = false;
        loop {
            match self.handle.listen(&self.key).await {
                Ok(body) => {
                    pause = RECONNECT_MIN;
                    self.state.send_replace(ListenState::Open);
                    if std::mem::replace(&mut is_behind, true) {
                        self.tell_behind();
                    }
                    match self.read(body).await {
                        ListenEnd::Unheard => return,
                        ListenEnd::Lost => debug!("a stream of hints is lost; another is made"),
                    }
                    self.state.send_replace(ListenState::Connecting);
                }
                Err(error) => {
                    debug!(kind = ?error.kind(), "no stream of hints yet");
                    self.state.send_replace(ListenState::Failed(error));
                    if let_go(&self.streams, &self.key) {
                        return;
                    }
                }
            }
            sleep(pause).await;
            pause = RECONNECT_MAX.min(pause * 2);
        }
    }

    async fn read(&self, mut body: ListenedBody) -> ListenEnd {
        let mut frames = Frames::default();
        loop {
            for _ in 0..PIECES_MAX {
                let Ok(Some(Ok(piece))) = timeout(SILENT_MAX, body.frame()).await else {
                    return ListenEnd::Lost;
                };
                let Some(data) = piece.data_ref() else { continue };
                frames.push(data);
                if self.pass_on_all(&mut frames).is_err() {
                    return ListenEnd::Lost;
                }
                // A pulse alone: nothing happens, so there is time to look.
                if data.len() == PULSE.len() {
                    break;
                }
            }
            if let_go(&self.streams, &self.key) {
                return ListenEnd::Unheard;
            }
        }
    }

    fn pass_on_all(&self, frames: &mut Frames) -> Result<(), queue_core::wire::Malformed> {
        while let Some(hint) = frames.next()? {
            self.pass_on(hint);
        }
        Ok(())
    }

    fn pass_on(&self, hint: Hint) {
        let (queue, topic) = &self.key;
        match (topic, hint) {
            (Topic::Wake, _) => self.hub.wake(queue),
            (Topic::Ends, Hint::Job(change)) => self.hub.ended(queue, &change),
            (Topic::Ends, Hint::Completed(job)) => self.hub.ended_with(queue, &job),
            (Topic::All, Hint::Job(change)) => self.hub.followed(queue, &change),
            (Topic::All, Hint::Completed(job)) => self.hub.followed(queue, &job.change()),
            (Topic::Ends | Topic::All, Hint::Missed) => drop(self.hub.tell(queue, News::Changed)),
            (Topic::Ends | Topic::All, Hint::Wake) => {}
        }
    }

    /// Subscribers to other topics get the hint too, which costs them a look.
    fn tell_behind(&self) {
        let news = if self.key.1 == Topic::Wake { News::Wakes } else { News::Changed };
        self.hub.tell(&self.key.0, news);
    }
}
