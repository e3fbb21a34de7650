//! The task that listens: it tells the hub what other handles wrote, asks its connection for signs of life, and gets a new
//! one when there are none.

use super::{
    message::{Line, parse, probe},
    wakeups::{Audience, follow},
};
use crate::{
    connect::{connect_within, limit_silence},
    error::unreachable,
    pool::ASK_MAX,
    shared::Shared,
    verbs::Notify,
};
use queue_core::Result;
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

/// Listens until it is aborted, or until the first connection fails, which `started` is told. One that is not the first follows
/// another that heard until some time ago.
pub(super) async fn run(
    shared: Arc<Shared>,
    audience: Arc<Audience>,
    started: watch::Sender<Option<Result<()>>>,
    is_first: bool,
) {
    let mut listener = match connect(&shared).await {
        Ok(listener) => listener,
        Err(error) => {
            return drop(started.send(Some(Err(error))));
        }
    };
    let mut is_told = is_first || follow(&shared, &audience.followed()).await.is_ok();
    if !is_first {
        shared.hub.missed();
    }
    drop(started.send(Some(Ok(()))));
    loop {
        listen(&shared, &audience, &mut listener, &mut is_told).await;
        // The old connection goes first, so that no two are open at once.
        drop(listener);
        shared.lose();
        debug!("the connection that listens is lost; another is made");
        listener = reconnect(&shared).await;
        debug!("another connection listens; what was said in between is read again");
        // What was said meanwhile was said to nobody, and the request to say everything may have run out.
        is_told = follow(&shared, &audience.followed()).await.is_ok();
        shared.hub.missed();
    }
}

async fn reconnect(shared: &Shared) -> PgListener {
    let mut pause = RETRY_MIN;
    loop {
        sleep(pause).await;
        match connect(shared).await {
            Ok(listener) => return listener,
            // The error names the place, and no password.
            Err(error) => debug!(%error, "no connection to listen on yet"),
        }
        pause = RETRY_MAX.min(pause * 2);
    }
}

/// A connection outside the pool, since it is busy for ever.
async fn connect(shared: &Shared) -> Result<PgListener> {
    let options = shared.server.pools.connect_options(&shared.options);
    let error = match connect_with(shared, options.clone()).await {
        Ok(listener) => return Ok(listener),
        // The driver's pool went on trying, and kept to itself what it was told.
        Err(sqlx::Error::PoolTimedOut) => connect_within(ASK_MAX, &options).await.err(),
        Err(error) => Some(error),
    };
    let error = error.unwrap_or(sqlx::Error::PoolTimedOut);
    Err(unreachable("subscribe", &options, Arc::new(error)))
}

async fn connect_with(shared: &Shared, options: PgConnectOptions) -> sqlx::Result<PgListener> {
    let silence = shared.options.silence_max();
    let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(CONNECT_TIMEOUT);
    let pool: PgPool = pool
        .after_connect(move |connection, _| Box::pin(async move { limit_silence(connection, silence).await }))
        .connect_lazy_with(options);
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    listener.listen(&shared.server.channel).await?;
    Ok(listener)
}

/// Hears until the connection is lost, or gave no sign of life between two probes. `is_told` is whether others were asked to
/// tell of every change of the queues that are followed.
async fn listen(shared: &Shared, audience: &Audience, listener: &mut PgListener, is_told: &mut bool) {
    let interval = shared.options.probe_interval;
    let (mut sent, mut heard) = (0, 0);
    let mut next_probe = Instant::now() + interval;
    loop {
        tokio::select! {
            received = listener.try_recv() => match received {
                Ok(Some(notification)) => heard = tell(shared, audience, notification.payload()).unwrap_or(heard),
                Ok(None) | Err(_) => return,
            },
            () = sleep_until(next_probe) => {
                if heard < sent {
                    return;
                }
                // A probe that cannot be sent says nothing about this connection; the next one may.
                if send_probe(shared, sent + 1).await.is_ok() {
                    sent += 1;
                }
                let was_told = std::mem::replace(is_told, follow(shared, &audience.followed()).await.is_ok());
                if *is_told && !was_told {
                    shared.hub.missed();
                }
                next_probe = Instant::now() + interval;
            }
        }
    }
}

/// Sends a probe through the server, so that it comes back by the connection in question.
async fn send_probe(shared: &Shared, number: u64) -> Result<()> {
    shared.call(&Notify(probe(&shared.origin, number))).await
}

/// Tells the subscribers of this process. Answers the number of a probe that came back.
fn tell(shared: &Shared, audience: &Audience, payload: &str) -> Option<u64> {
    let (origin, lines) = parse(payload);
    let is_own = origin == shared.origin;
    let mut returned = None;
    for line in lines {
        match line {
            Line::Probe(number) if is_own => returned = Some(number),
            // This handle woke its own subscribers when it had written, and told those who wait for
            // a job.
            Line::Wake(queue) if !is_own => {
                if let Some(name) = audience.name(queue) {
                    shared.hub.wake(&name);
                }
            }
            Line::Changed(queue, change) => {
                if let Some(name) = audience.name(queue) {
                    if !is_own {
                        shared.hub.ended(&name, &change);
                    }
                    shared.hub.followed(&name, &change);
                }
            }
            Line::Probe(_) | Line::Wake(_) => {}
        }
    }
    returned
}
