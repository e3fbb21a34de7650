//! Prints the payload of each job of a queue of a service, until Ctrl-C.
//!
//! ```sh
//! queue serve --create --store sqlite:jobs.db --no-auth &
//! cargo run -p queue-service --example service_worker -- http://127.0.0.1:8080 mail
//! ```

use queue_core::QueueName;
use queue_remote::RemoteOptions;
use queue_service::ServiceWorker;
use queue_worker::{Router, shutdown_signal};
use std::{env, error::Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [url, queue] = args.as_slice() else {
        return Err("usage: service_worker <URL[?token-file=FILE]> <QUEUE>".into());
    };
    let router = Router::new(()).fallback(|payload: serde_json::Value, job| async move {
        println!("{} attempt {}: {payload}", job.meta().id, job.attempt());
        Ok(())
    });
    let worker = ServiceWorker::builder(RemoteOptions::new(url)?, QueueName::new(queue)?, router)
        .on_event(|event| eprintln!("{event:?}"))
        .build()
        .await?;
    let report = worker.run_until(shutdown_signal()).await?;
    println!("completed {} jobs", report.completed);
    Ok(())
}
