//! The task that owns the connection for hints: it subscribes, probes, and connects again.

use super::{
    channels::{SharedChannels, Topic},
    feeder::Feeder,
    message::pass_on,
};
use crate::{
    error::{Phase, explain, unreachable},
    handle::HandleState,
    known_queues::KnownQueue,
    link::{Dial, Listen},
};
use queue_core::Result;
use queue_store::Hub;
use redis::{PushKind, RedisResult, aio::MultiplexedConnection};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep, sleep_until},
};
use tracing::debug;

/// How often channels without listeners are let go.
const SWEEP_EVERY: Duration = Duration::from_secs(20);
/// How often the connection is probed: a working one may be silent for long.
const PROBE_EVERY: Duration = Duration::from_secs(5);
const RECONNECT_MIN: Duration = Duration::from_millis(20);
const RECONNECT_MAX: Duration = Duration::from_secs(2);

/// A request to listen to a channel. The subscriber holds the reply as long as it wants to listen.
#[derive(Debug)]
pub(super) struct Subscribe {
    pub(super) queue: Arc<KnownQueue>,
    pub(super) topic: Topic,
    pub(super) reply: oneshot::Sender<Result<Arc<()>>>,
}

/// The task that owns the connection.
pub(super) struct Listener {
    dial: Dial,
    feeder: Feeder,
    hub: Arc<Hub>,
    channels: SharedChannels,
}

/// A connection that passes hints on, and the receiver of its end.
struct HintConnection {
    connection: MultiplexedConnection,
    end: mpsc::UnboundedReceiver<()>,
}

/// Why listening on one connection ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListenEnd {
    Closed,
    Broken,
}

impl Listener {
    pub(super) fn new(dial: Dial, handle: Arc<HandleState>, hub: Arc<Hub>, channels: SharedChannels) -> Self {
        let feeder = Feeder::new(handle, hub.clone(), channels.clone());
        Self { dial, feeder, hub, channels }
    }

    /// Listens until the handle is closed, on one connection after the other.
    pub(super) async fn run(self, mut inbox: mpsc::Receiver<Subscribe>) {
        let mut pause = RECONNECT_MIN;
        loop {
            match self.connect().await {
                Ok(hints) => {
                    pause = RECONNECT_MIN;
                    // Messages that were published in between are lost.
                    self.hub.missed();
                    let ended = tokio::select! {
                        ended = self.listen(hints, &mut inbox) => ended,
                        never = self.feeder.keep_asking() => match never {},
                    };
                    if ended == ListenEnd::Closed {
                        return;
                    }
                    debug!("the connection that listens is lost; another is made");
                }
                Err(error) => {
                    // What the driver says may quote the server, so it is left to the error of a
                    // call.
                    debug!(kind = ?error.kind(), "no connection to listen on yet");
                    while let Ok(request) = inbox.try_recv() {
                        let error = unreachable("subscribe", &self.dial.endpoint, error.clone());
                        drop(request.reply.send(Err(error)));
                    }
                    sleep(pause).await;
                    pause = RECONNECT_MAX.min(pause * 2);
                }
            }
        }
    }

    /// Makes a connection that listens to every channel of the one before it.
    async fn connect(&self) -> RedisResult<HintConnection> {
        let (ended, end) = mpsc::unbounded_channel();
        let mut connection = self.dial.connect(Some(self.passing_on(ended))).await?;
        let names = self.channels.lock().names();
        if !names.is_empty() {
            connection.subscribe(names).await?;
        }
        Ok(HintConnection { connection, end })
    }

    /// Hints go straight to the subscribers, without a detour over this task.
    fn passing_on(&self, ended: mpsc::UnboundedSender<()>) -> Listen {
        let (hub, channels) = (self.hub.clone(), self.channels.clone());
        Box::new(move |push| {
            if push.kind == PushKind::Disconnection {
                // A connection that was given up has no listener.
                let _given_up = ended.send(());
            } else {
                pass_on(&hub, &channels.lock(), &push);
            }
            Ok(())
        })
    }

    async fn listen(&self, mut hints: HintConnection, inbox: &mut mpsc::Receiver<Subscribe>) -> ListenEnd {
        let (mut sweep, mut probe) = (Instant::now() + SWEEP_EVERY, Instant::now() + PROBE_EVERY);
        loop {
            tokio::select! {
                _ = hints.end.recv() => return ListenEnd::Broken,
                request = inbox.recv() => match request {
                    Some(request) => if self.hear(&mut hints, request).await == Err(ListenEnd::Broken) {
                        return ListenEnd::Broken;
                    },
                    None => return ListenEnd::Closed,
                },
                () = sleep_until(probe) => {
                    // A connection that is lost in silence says nothing by itself.
                    let answer: RedisResult<String> = redis::cmd("PING").query_async(&mut hints.connection).await;
                    if answer.is_err() {
                        return ListenEnd::Broken;
                    }
                    probe = Instant::now() + PROBE_EVERY;
                },
                () = sleep_until(sweep) => {
                    if self.sweep(&mut hints).await.is_err() {
                        return ListenEnd::Broken;
                    }
                    sweep = Instant::now() + SWEEP_EVERY;
                }
            }
        }
    }

    /// Answers a request once the server sends what is published from then on.
    async fn hear(&self, hints: &mut HintConnection, request: Subscribe) -> Result<(), ListenEnd> {
        let Subscribe { queue, topic, reply } = request;
        let (name, is_new) = self.channels.lock().find(&queue, topic);
        if is_new && let Err(error) = hints.connection.subscribe(&name).await {
            drop(reply.send(Err(explain("subscribe", Phase::Connecting, error))));
            return Err(ListenEnd::Broken);
        }
        let user = self.channels.lock().join(name, queue, topic);
        drop(reply.send(Ok(user)));
        Ok(())
    }

    async fn sweep(&self, hints: &mut HintConnection) -> RedisResult<()> {
        let unheard = self.channels.lock().sweep();
        if unheard.is_empty() { Ok(()) } else { hints.connection.unsubscribe(unheard).await }
    }
}
