//! The form that enqueues a job by hand, empty or with what another job carries.

use super::whole;
use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::{Fields, Frame, Visit},
    words::{Document, WrongField},
};
use askama::Template;
use http::StatusCode;
use queue_core::NewJob;
use queue_http::Scope;
use queue_view::{JobReading, ScheduledJobView};

/// The fields of the form that `/v1` checks.
pub(crate) const JOB_FIELDS: [&str; 6] = ["id", "kind", "payload", "tags", "priority", "delay_ms"];

#[derive(Template)]
#[template(path = "new_job.html")]
struct NewJobPage {
    frame: Frame,
    queue: String,
    form: JobForm,
    /// The job whose copy it is.
    from: Option<String>,
    wrong: Option<WrongField>,
}

/// What the form has in its fields.
#[derive(Clone, Debug, Default)]
struct JobForm {
    id: String,
    kind: String,
    payload: String,
    content_type: String,
    tags: String,
    priority: String,
    delay: String,
    rest: String,
}

/// `GET /new-job`
pub(crate) async fn new_job(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    let form = JobForm { content_type: "application/json".to_owned(), ..JobForm::default() };
    answer::page(&NewJobPage {
        frame: visit.frame("Enqueue a job"),
        queue: queue.to_string(),
        form,
        from: None,
        wrong: None,
    })
}

/// `POST /edit-job`: the form with what a job carries. It shows the payload with its secrets, so it
/// leaves a record.
pub(crate) async fn edit_job(visit: Visit) -> Result<Answer> {
    let (queue, id) = (visit.open_queue()?, visit.job_id()?);
    visit.check(Scope::Produce)?;
    let record = visit.begin("open payload", queue.as_str(), format!("job {id}, to edit it")).await?;
    let found = whole(&visit).await.and_then(|reading| JobForm::of(&reading));
    visit.end(record, if found.is_ok() { "shown" } else { "not shown" }).await;
    answer::page(&NewJobPage {
        frame: visit.frame("Edit and run again"),
        queue: queue.to_string(),
        form: found?,
        from: Some(id.to_string()),
        wrong: None,
    })
}

/// The form again, with what is wrong by its field.
pub(crate) fn job_form_again(visit: &Visit, wrong: WrongField) -> Result<Answer> {
    let frame = visit.frame("Enqueue a job");
    let queue = visit.open_queue()?.to_string();
    let from = visit.form.get("from").map(str::to_owned);
    let page = NewJobPage { frame, queue, form: JobForm::sent(&visit.form), from, wrong: Some(wrong) };
    answer::page_with(StatusCode::BAD_REQUEST, &page)
}

impl JobForm {
    fn sent(form: &Fields) -> Self {
        let field = |name: &str| form.get(name).unwrap_or_default().to_owned();
        Self {
            id: field("id"),
            kind: field("kind"),
            payload: field("payload"),
            content_type: field("content_type"),
            tags: field("tags"),
            priority: field("priority"),
            delay: field("delay_ms"),
            rest: field("rest"),
        }
    }

    /// What a job was enqueued with. Its id is left out, since the job has it.
    fn of(reading: &JobReading) -> Result<Self> {
        let body = reading.body.as_ref().ok_or_else(|| WebProblem::not_found("The job has no payload."))?;
        let payload = std::str::from_utf8(&body.payload.bytes);
        let payload =
            payload.map_err(|_| WebProblem::invalid("A payload that is no text cannot be edited here."))?;
        let new = NewJob::of(&reading.meta, body);
        let mut rest = Document::of(&ScheduledJobView::of(&new, true));
        for part in ["payload", "payload_base64", "content_type", "kind", "tags", "priority", "delay_ms"] {
            rest.take(part);
        }
        let tags: Vec<&str> = reading.meta.tags.iter().map(queue_core::Tag::as_str).collect();
        Ok(Self {
            id: String::new(),
            kind: reading.meta.kind.to_string(),
            payload: payload.to_owned(),
            content_type: body.payload.content_type.to_string(),
            tags: tags.join(", "),
            priority: reading.meta.priority.to_string(),
            delay: String::new(),
            rest: rest.lines(),
        })
    }
}
