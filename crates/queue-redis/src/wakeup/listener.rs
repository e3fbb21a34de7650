use super::{
    channels::{SharedChannels, Topic},
    feeder::Feeder,
    message::pass_on,
};
use crate::{
    error::{Phase, explain, unreachable},
    known::KnownQueue,
    link::{Dial, Listen},
    session::Session,
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

/// How often channels that nobody hears any more are let go.
const SWEEP_EVERY: Duration = Duration::from_secs(20);
/// A connection may say nothing for long, so it is asked whether it still works.
const PROBE_EVERY: Duration = Duration::from_secs(5);
const RECONNECT_MIN: Duration = Duration::from_millis(20);
const RECONNECT_MAX: Duration = Duration::from_secs(2);

/// Somebody wants to hear a channel; the answer is held as long as it is heard.
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

/// A connection that passes on what it hears, and word of its end.
struct Ear {
    connection: MultiplexedConnection,
    end: mpsc::UnboundedReceiver<()>,
}

/// Why listening on one connection ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Closed,
    Broken,
}

impl Listener {
    pub(super) fn new(dial: Dial, session: Arc<Session>, hub: Arc<Hub>, channels: SharedChannels) -> Self {
        let feeder = Feeder::new(session, hub.clone(), channels.clone());
        Self { dial, feeder, hub, channels }
    }

    /// Listens until the handle is closed, on one connection after the other.
    pub(super) async fn run(self, mut inbox: mpsc::Receiver<Subscribe>) {
        let mut pause = RECONNECT_MIN;
        loop {
            match self.connect().await {
                Ok(ear) => {
                    pause = RECONNECT_MIN;
                    // What was published in between is lost.
                    self.hub.missed();
                    let ended = tokio::select! {
                        ended = self.listen(ear, &mut inbox) => ended,
                        never = self.feeder.keep_asking() => match never {},
                    };
                    if ended == Ended::Closed {
                        return;
                    }
                    debug!("the connection that listens is lost; another is made");
                }
                Err(error) => {
                    // What the driver says may quote the server, so it is left to the error of a call.
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

    /// A connection that hears everything that the one before it heard.
    async fn connect(&self) -> RedisResult<Ear> {
        let (ended, end) = mpsc::unbounded_channel();
        let mut connection = self.dial.connect(Some(self.passing_on(ended))).await?;
        let names = self.channels.lock().names();
        if !names.is_empty() {
            connection.subscribe(names).await?;
        }
        Ok(Ear { connection, end })
    }

    /// Hints go to those who wait for them without the detour over this task.
    fn passing_on(&self, ended: mpsc::UnboundedSender<()>) -> Listen {
        let (hub, channels) = (self.hub.clone(), self.channels.clone());
        Box::new(move |push| {
            if push.kind == PushKind::Disconnection {
                // Nobody listens to a connection that was given up.
                let _given_up = ended.send(());
            } else {
                pass_on(&hub, &channels.lock(), &push);
            }
            Ok(())
        })
    }

    async fn listen(&self, mut ear: Ear, inbox: &mut mpsc::Receiver<Subscribe>) -> Ended {
        let (mut sweep, mut probe) = (Instant::now() + SWEEP_EVERY, Instant::now() + PROBE_EVERY);
        loop {
            tokio::select! {
                _ = ear.end.recv() => return Ended::Broken,
                request = inbox.recv() => match request {
                    Some(request) => if self.hear(&mut ear, request).await == Err(Ended::Broken) {
                        return Ended::Broken;
                    },
                    None => return Ended::Closed,
                },
                () = sleep_until(probe) => {
                    let answer: RedisResult<String> = redis::cmd("PING").query_async(&mut ear.connection).await;
                    if answer.is_err() {
                        return Ended::Broken;
                    }
                    probe = Instant::now() + PROBE_EVERY;
                },
                () = sleep_until(sweep) => {
                    if self.sweep(&mut ear).await.is_err() {
                        return Ended::Broken;
                    }
                    sweep = Instant::now() + SWEEP_EVERY;
                }
            }
        }
    }

    /// Answers when everything is heard that is published from then on.
    async fn hear(&self, ear: &mut Ear, request: Subscribe) -> Result<(), Ended> {
        let Subscribe { queue, topic, reply } = request;
        let (name, is_new) = self.channels.lock().find(&queue, topic);
        if is_new && let Err(error) = ear.connection.subscribe(&name).await {
            drop(reply.send(Err(explain("subscribe", Phase::Connecting, error))));
            return Err(Ended::Broken);
        }
        let user = self.channels.lock().join(name, queue, topic);
        drop(reply.send(Ok(user)));
        Ok(())
    }

    async fn sweep(&self, ear: &mut Ear) -> RedisResult<()> {
        let unheard = self.channels.lock().sweep();
        if unheard.is_empty() { Ok(()) } else { ear.connection.unsubscribe(unheard).await }
    }
}
