use queue_core::{ContentType, IdSource, Kind, NewJob, Payload, QueueName, Retention};

pub(super) fn queue() -> QueueName {
    QueueName::from_static("bench")
}

/// A job with a generated id and about 100 bytes of JSON.
pub(super) fn job(ids: &dyn IdSource, number: usize, retention: Retention) -> NewJob {
    let payload = format!(
        r#"{{"to":"ada-{number}@example.org","subject":"Welcome aboard","template":"welcome","locale":"en","n":{number}}}"#
    );
    let payload = Payload::new(payload, ContentType::from_static("application/json"));
    NewJob::new(ids.next_id(), Kind::from_static("email"), payload).with_retention(retention)
}
