//! Makes a schedule, or changes one.

use crate::{
    answer::{self, Answer},
    pages::{SCHEDULE_FIELDS, schedule_form_again},
    problem::Result,
    visit::{Fields, Visit},
    words::{Document, WrongField},
};
use queue::schedules::{Put, ScheduleSpec};
use queue_core::ErrorKind;
use queue_http::{Scope, checked_schedule_document};

/// `POST /put-schedule`
pub(crate) async fn put_schedule(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    // A schedule enqueues jobs and is changed, which are two scopes.
    visit.check(Scope::Operate)?;
    let name = visit.form.get("name").unwrap_or_default().trim().to_owned();
    let spec = match checked(&visit, &name) {
        Ok(found) => found,
        Err(wrong) => return schedule_form_again(&visit, wrong),
    };
    let schedules = visit.client(&queue)?.schedules();
    if visit.form.get("edit").is_none() && !name.is_empty() && schedules.get(&name).await?.is_some() {
        let words = "there is a schedule of this name already; edit that one";
        return schedule_form_again(&visit, WrongField::new("name", words));
    }
    let record = visit.begin("put schedule", queue.as_str(), format!("schedule {name}")).await?;
    let put = schedules.put_spec(spec).await;
    let told = match &put {
        Ok(Put::Created) => "made",
        Ok(Put::Unchanged) => "unchanged",
        Ok(_) => "changed",
        Err(_) => "refused",
    };
    visit.end(record, told).await;
    match put {
        Err(error) if error.kind() == ErrorKind::Invalid => {
            let field = if error.message().contains("name") { "name" } else { "rest" };
            schedule_form_again(&visit, WrongField::new(field, error.message()))
        }
        put => {
            let did = if put? == Put::Unchanged { "unchanged" } else { "schedule-put" };
            Ok(answer::see(&visit.link("schedules", &[("queue", queue.as_str()), ("did", did)])))
        }
    }
}

fn checked(visit: &Visit, name: &str) -> Result<ScheduleSpec, WrongField> {
    let document = document(&visit.form)?;
    let limits = visit.storage().capabilities().limits;
    let (ids, service) = (&*visit.app.ids, &visit.app.limits);
    let checked = checked_schedule_document(name, document.json().as_bytes(), ids, &limits, service);
    checked.map_err(|refused| WrongField::of_answer(&refused.to_string(), &SCHEDULE_FIELDS))
}

fn document(form: &Fields) -> Result<Document, WrongField> {
    let mut document = Document::rest(form)?;
    let mut job = document.take_object("job");
    job.text(form, "kind");
    job.payload(form)?;
    document.set("job", &job);
    for name in ["cron", "zone", "missed", "overlap"] {
        document.text(form, name);
    }
    document.seconds(form, "every_ms")?;
    if let Some(lines) = form.get("at") {
        let moments: Vec<&str> = lines.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        document.set("at", &moments);
    }
    Ok(document)
}
