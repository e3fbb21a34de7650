//! Enqueues a job by hand.

use crate::{
    answer::{self, Answer},
    pages::{JOB_FIELDS, job_form_again},
    problem::Result,
    visit::{Fields, Visit},
    words::{Document, WrongField},
};
use queue_core::{Enqueued, NewJob};
use queue_http::checked_job_document;

/// `POST /enqueue`
pub(crate) async fn enqueue(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    let job = match checked(&visit) {
        Ok(job) => job,
        Err(wrong) => return job_form_again(&visit, wrong),
    };
    let id = job.id.clone();
    let record = visit.begin("enqueue", queue.as_str(), format!("job {id}")).await?;
    let stored = visit.storage().enqueue(&queue, vec![vec![job]]).await;
    let outcome = stored.as_ref().ok().and_then(|stored| stored.value.iter().flatten().next());
    let taken = match outcome {
        Some(Enqueued::Duplicate { state, .. }) => Some(state.as_str()),
        Some(Enqueued::Completed { .. }) => Some("completed"),
        _ => None,
    };
    let told = match (&stored, taken) {
        (Err(_), _) => "the store refused",
        (_, Some(_)) => "the id is taken",
        _ => "queued",
    };
    visit.end(record, told).await;
    drop(stored?);
    if let Some(state) = taken {
        let words = format!("a job has this id already, and it is {state}");
        return job_form_again(&visit, WrongField::new("id", words));
    }
    let pairs = [("queue", queue.as_str()), ("id", id.as_str()), ("did", "enqueued")];
    Ok(answer::see(&visit.link("job", &pairs)))
}

fn checked(visit: &Visit) -> Result<NewJob, WrongField> {
    let document = document(&visit.form)?;
    let limits = visit.storage().capabilities().limits;
    let checked =
        checked_job_document(document.json().as_bytes(), &*visit.app.ids, &limits, &visit.app.limits);
    checked.map_err(|refused| WrongField::of_answer(&refused.to_string(), &JOB_FIELDS))
}

fn document(form: &Fields) -> Result<Document, WrongField> {
    let mut document = Document::rest(form)?;
    document.text(form, "id");
    document.text(form, "kind");
    document.words(form, "tags");
    document.number(form, "priority")?;
    document.seconds(form, "delay_ms")?;
    document.payload(form)?;
    Ok(document)
}
