//! The life of a job in the log of a program: its first attempt fails, the second completes it, and
//! every line says whose it is.
//!
//! `cargo run -p log-of-a-job`. Time is paused, so that the wait before the second attempt takes
//! none.

use queue::{
    MemoryStorage, Queue, Traced, WorkerId,
    worker::{JobError, TokioClock},
};
use std::{error::Error, sync::Arc, time::Duration};
use tracing::{Instrument, Level, info, info_span};

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    // Times and colours are left out here so that each run prints the same.
    tracing_subscriber::fmt().with_max_level(Level::DEBUG).with_ansi(false).without_time().init();

    let store = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
    let mails: Queue<String> = Queue::new(Arc::new(Traced::new(store)), "mails")?;
    order(&mails).instrument(info_span!("order", number = 31)).await?;

    let worker = mails.work_with(|to, job| async move {
        info!(to, "connecting");
        tokio::time::sleep(Duration::from_millis(120)).await;
        if job.attempt() == 1 {
            return Err(JobError::named("Smtp", "421 try again later"));
        }
        info!("sent");
        Ok(())
    });
    worker.id(WorkerId::new("host-1")?).concurrency(4).prefetch(0).until_empty().build()?.run().await;
    Ok(())
}

async fn order(mails: &Queue<String>) -> queue::Result<()> {
    let accepted = mails.enqueue("welcome-31", "ada@example.org".to_owned()).await?;
    info!(job = %accepted.id(), "a welcome is under way");
    Ok(())
}
