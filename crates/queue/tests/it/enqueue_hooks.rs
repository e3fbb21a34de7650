//! Hooks that change or refuse jobs before they are enqueued.

use crate::support::{SECOND, memory};
use queue::{Certainty, ErrorKind, JobOptions, Queue, queue_core::NewJob};
use std::error::Error as _;

#[derive(Debug, thiserror::Error)]
#[error("nobody is called {0}")]
struct NoTenant(String);

/// Refuses jobs without a tenant, and raises the priority of one tenant's jobs.
fn tenants(job: &mut NewJob) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let Some((tenant, _)) = job.id.as_str().split_once('/') else {
        return Err(NoTenant(job.id.as_str().to_owned()).into());
    };
    if tenant == "acme" {
        job.priority = -7;
    }
    Ok(())
}

fn queue() -> Queue<String> {
    let hurried = |queue: &queue::QueueName, job: &mut NewJob| {
        assert_eq!(queue.as_str(), "texts");
        job.priority *= 2;
        Ok(())
    };
    let builder = Queue::builder(memory(), "texts").before_enqueue(|_, job| tenants(job));
    builder.before_enqueue(hurried).build().expect("valid")
}

#[tokio::test(start_paused = true)]
async fn hooks_change_jobs_in_the_order_of_adding_whichever_way_they_are_enqueued() {
    let queue = queue();
    let text = String::new;
    queue.enqueue("acme/one", text()).await.unwrap();
    queue.enqueue_with("acme/with", text(), JobOptions::new().priority(3)).await.unwrap();
    queue.enqueue_many([("acme/many", text())], JobOptions::new()).await.unwrap();
    let followed = queue.new_job("acme/new", &text(), &JobOptions::new()).unwrap();
    assert_eq!(followed.priority, -14);
    queue.enqueue_and_wait("acme/wait", text(), SECOND).await.unwrap_err();
    for way in ["one", "with", "many", "wait"] {
        let status = queue.status(&*format!("acme/{way}")).await.unwrap().unwrap();
        assert_eq!(status.meta.priority, -14, "{way}");
    }
    queue.enqueue("other/one", text()).await.unwrap();
    assert_eq!(queue.status("other/one").await.unwrap().unwrap().meta.priority, 0);
}

#[tokio::test(start_paused = true)]
async fn what_a_hook_refuses_is_not_stored_and_says_why() {
    let queue = queue();
    let error = queue.enqueue("ada", String::new()).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied));
    assert!(error.message().contains("nobody is called ada"), "{error}");
    assert!(error.source().unwrap().is::<NoTenant>(), "{error:?}");

    let jobs = [("acme/one", String::new()), ("ada", String::new())];
    queue.enqueue_many(jobs, JobOptions::new()).await.unwrap_err();
    assert_eq!(queue.counts().await.unwrap().total(), 0, "of many, all or none");
}
