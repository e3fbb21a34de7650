//! The form that makes a schedule, or changes one.

use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::{Fields, Frame, Visit},
    words::{Document, WrongField},
};
use askama::Template;
use http::StatusCode;
use queue::schedules::ScheduleStatus;
use queue_http::Scope;

/// The fields of the form that `/v1` checks.
pub(crate) const SCHEDULE_FIELDS: [&str; 8] =
    ["cron", "zone", "every_ms", "at", "kind", "payload", "missed", "overlap"];
/// What of a schedule that is shown is put again.
const PUT: [&str; 11] = [
    "cron",
    "zone",
    "every_ms",
    "at",
    "missed",
    "grace_ms",
    "catch_up",
    "overlap",
    "jitter_ms",
    "spread_ms",
    "job",
];

#[derive(Template)]
#[template(path = "new_schedule.html")]
struct NewSchedulePage {
    frame: Frame,
    queue: String,
    form: ScheduleForm,
    /// It changes the schedule of this name.
    is_edit: bool,
    /// A program sets it back at its next start.
    is_declared: bool,
    wrong: Option<WrongField>,
}

/// What the form has in its fields.
#[derive(Clone, Debug, Default)]
struct ScheduleForm {
    name: String,
    cron: String,
    zone: String,
    every: String,
    at: String,
    kind: String,
    payload: String,
    content_type: String,
    missed: String,
    overlap: String,
    rest: String,
}

/// `GET /new-schedule`
pub(crate) async fn new_schedule(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    visit.check(Scope::Operate)?;
    answer::page(&NewSchedulePage {
        frame: visit.frame("Add a schedule"),
        queue: queue.to_string(),
        form: ScheduleForm { content_type: "application/json".to_owned(), ..ScheduleForm::default() },
        is_edit: false,
        is_declared: false,
        wrong: None,
    })
}

/// `POST /edit-schedule`: the form with what a schedule is. It shows the payload of its jobs, so it
/// leaves a record.
pub(crate) async fn edit_schedule(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    visit.check(Scope::Operate)?;
    visit.check(Scope::Produce)?;
    let name = visit.form.get("name").unwrap_or_default();
    let record = visit.begin("open payload", queue.as_str(), format!("schedule {name}, to edit it")).await?;
    let found = visit.client(&queue)?.schedules().get(name).await;
    visit.end(record, if matches!(found, Ok(Some(_))) { "shown" } else { "not shown" }).await;
    let missing = || WebProblem::not_found(format!("There is no schedule “{name}” in the queue “{queue}”."));
    let status = found?.ok_or_else(missing)?;
    answer::page(&NewSchedulePage {
        frame: visit.frame("Edit a schedule"),
        queue: queue.to_string(),
        form: ScheduleForm::of(&status),
        is_edit: true,
        is_declared: status.spec().declared,
        wrong: None,
    })
}

/// The form again, with what is wrong by its field.
pub(crate) fn schedule_form_again(visit: &Visit, wrong: WrongField) -> Result<Answer> {
    let is_edit = visit.form.get("edit").is_some();
    let page = NewSchedulePage {
        frame: visit.frame(if is_edit { "Edit a schedule" } else { "Add a schedule" }),
        queue: visit.open_queue()?.to_string(),
        form: ScheduleForm::sent(&visit.form),
        is_edit,
        is_declared: false,
        wrong: Some(wrong),
    };
    answer::page_with(StatusCode::BAD_REQUEST, &page)
}

impl ScheduleForm {
    fn sent(form: &Fields) -> Self {
        let field = |name: &str| form.get(name).unwrap_or_default().to_owned();
        Self {
            name: field("name"),
            cron: field("cron"),
            zone: field("zone"),
            every: field("every_ms"),
            at: field("at"),
            kind: field("kind"),
            payload: field("payload"),
            content_type: field("content_type"),
            missed: field("missed"),
            overlap: field("overlap"),
            rest: field("rest"),
        }
    }

    fn of(status: &ScheduleStatus) -> Self {
        let mut shown = Document::of(&status.whole_view(true));
        shown.keep(&PUT);
        let mut job = shown.take_object("job");
        // A payload that is no JSON stays among the other options.
        let payload = job.take_raw("payload").unwrap_or_default();
        let seconds = |millis: String| millis.parse::<f64>().map(|millis| (millis / 1e3).to_string());
        let mut taken = |name: &str| shown.take(name).unwrap_or_default();
        let form = Self {
            name: status.name().to_owned(),
            cron: taken("cron"),
            zone: taken("zone"),
            every: seconds(taken("every_ms")).unwrap_or_default(),
            at: serde_json::from_str::<Vec<String>>(&taken("at")).unwrap_or_default().join("\n"),
            kind: job.take("kind").unwrap_or_default(),
            payload,
            content_type: String::new(),
            missed: taken("missed"),
            overlap: taken("overlap"),
            rest: String::new(),
        };
        shown.set("job", &job);
        Self { rest: shown.lines(), ..form }
    }
}
