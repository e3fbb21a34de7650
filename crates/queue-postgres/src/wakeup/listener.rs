//! The task that listens: it sends the hub the hints of what other handles wrote, probes its
//! connection, and replaces the connection when a probe does not come back.

use super::{
    audience::Audience,
    message::{NotificationLine, parse, probe},
    runtime_hints::follow,
};
use crate::{
    call::call,
    connection::{ASK_MAX, connect_within, limit_silence},
    error::unreachable,
    handle::HandleState,
    verbs::PostgresNotify,
};
use queue_core::Result;
use queue_store::Hub;
use sqlx::{
    PgPool,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until},
};
use tracing::debug;

/// The pause before a lost connection is replaced; it doubles up to the other.
const RETRY_MIN: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(5);
/// How long a new connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What listens for the subscribers of one runtime.
pub(super) struct Listener {
    pub(super) handle: Arc<HandleState>,
    pub(super) hub: Arc<Hub>,
    pub(super) audience: Arc<Audience>,
    /// Stands in its probes, since the probes of the handle's other runtimes arrive here too.
    pub(super) origin: String,
}

impl Listener {
    /// Listens until the task is aborted, or until the first connection fails, which goes to
    /// `started`.
    pub(super) async fn run(self, started: watch::Sender<Option<Result<()>>>) {
        let mut listener = match connect(&self.handle).await {
            Ok(listener) => listener,
            Err(error) => {
                return drop(started.send(Some(Err(error))));
            }
        };
        // Each subscriber of every change asks for it itself, once this listens.
        let mut is_told = true;
        self.audience.set_connected(true);
        drop(started.send(Some(Ok(()))));
        loop {
            self.listen(&mut listener, &mut is_told).await;
            // The old connection is closed before the new one is made, so that no two are open at
            // once.
            drop(listener);
            self.audience.set_connected(false);
            self.handle.connection_lost();
            debug!("the connection that listens is lost; another is made");
            listener = reconnect(&self.handle).await;
            self.audience.set_connected(true);
            debug!("another connection listens; what was said in between is read again");
            // Notifications sent meanwhile had no receiver, and the request for every change may
            // have run out.
            is_told = self.follow().await;
            self.hub.missed();
        }
    }

    /// Listens until the connection is lost, or until a probe has not come back when the next one
    /// is due. `is_told` says whether other handles were asked to tell of every change of the
    /// followed queues.
    async fn listen(&self, listener: &mut PgListener, is_told: &mut bool) {
        let interval = self.handle.options.probe_interval;
        let mut sent = 0;
        let mut heard = 0;
        let mut next_probe = Instant::now() + interval;
        loop {
            tokio::select! {
                received = listener.try_recv() => match received {
                    Ok(Some(notification)) => {
                        heard = self.tell(notification.payload()).unwrap_or(heard);
                    }
                    Ok(None) | Err(_) => return,
                },
                () = sleep_until(next_probe) => {
                    if heard < sent {
                        return;
                    }
                    // A probe that cannot be sent says nothing about this connection; the next one
                    // may.
                    if self.send_probe(sent + 1).await.is_ok() {
                        sent += 1;
                    }
                    let was_told = std::mem::replace(is_told, self.follow().await);
                    if *is_told && !was_told {
                        self.hub.missed();
                    }
                    next_probe = Instant::now() + interval;
                }
            }
        }
    }

    /// Asks other handles to tell of every change of the followed queues. Answers whether they
    /// will.
    async fn follow(&self) -> bool {
        follow(&self.handle, &self.audience.followed()).await.is_ok()
    }

    /// Sends a probe through the server, so that it comes back by the connection that listens.
    async fn send_probe(&self, number: u64) -> Result<()> {
        call(&self.handle, &PostgresNotify(probe(&self.origin, number))).await
    }

    /// Sends the hints to the subscribers of this runtime, and answers the number of a probe that
    /// came back.
    fn tell(&self, payload: &str) -> Option<u64> {
        let (origin, lines) = parse(payload);
        let is_own = origin == self.handle.origin;
        let mut returned = None;
        for line in lines {
            match line {
                NotificationLine::Probe(number) if origin == self.origin => returned = Some(number),
                // This handle woke its own sleepers, and the callers that wait for a job, when it
                // had written: see `HandleState::publish`.
                NotificationLine::Wake(queue) if !is_own => {
                    if let Some(name) = self.audience.name(queue) {
                        self.hub.wake(&name);
                    }
                }
                NotificationLine::Changed(queue, change) => {
                    if let Some(name) = self.audience.name(queue) {
                        if !is_own {
                            self.hub.ended(&name, &change);
                        }
                        self.hub.followed(&name, &change);
                    }
                }
                NotificationLine::Probe(_) | NotificationLine::Wake(_) => {}
            }
        }
        returned
    }
}

async fn reconnect(handle: &HandleState) -> PgListener {
    let mut pause = RETRY_MIN;
    loop {
        sleep(pause).await;
        match connect(handle).await {
            Ok(listener) => return listener,
            // The error names the place, and no password.
            Err(error) => debug!(%error, "no connection to listen on yet"),
        }
        pause = RETRY_MAX.min(pause * 2);
    }
}

/// Makes a connection outside the pools, since it is busy for ever.
async fn connect(handle: &HandleState) -> Result<PgListener> {
    let options = handle.pools.connect_options(&handle.options);
    let error = match connect_with(handle, options.clone()).await {
        Ok(listener) => return Ok(listener),
        // The driver's pool went on trying and kept the server's answer to itself, so the server is
        // asked directly.
        Err(sqlx::Error::PoolTimedOut) => connect_within(ASK_MAX, &options).await.err(),
        Err(error) => Some(error),
    };
    let error = error.unwrap_or(sqlx::Error::PoolTimedOut);
    Err(unreachable("subscribe", &options, Arc::new(error)))
}

async fn connect_with(handle: &HandleState, options: PgConnectOptions) -> sqlx::Result<PgListener> {
    let silence = handle.options.silence_max();
    let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(CONNECT_TIMEOUT);
    let pool: PgPool = pool
        .after_connect(move |connection, _| Box::pin(async move { limit_silence(connection, silence).await }))
        .connect_lazy_with(options);
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    listener.listen(&handle.channel).await?;
    Ok(listener)
}
