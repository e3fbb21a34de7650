//! Opening what a job carries: on its page, and as a file.

use crate::{
    answer::{self, Answer},
    pages::{PartName, opened, whole},
    problem::{Result, WebProblem},
    visit::Visit,
};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header::CONTENT_DISPOSITION};

/// `POST /reveal`: the page of a job with what it carries.
pub(crate) async fn reveal(visit: Visit) -> Result<Answer> {
    let (queue, id) = (visit.queue()?, visit.job_id()?);
    let record = visit.begin("open payload", queue.as_str(), format!("job {id}")).await?;
    let shown = opened(&visit).await;
    visit.end(record, if shown.is_ok() { "shown" } else { "not found" }).await;
    shown
}

/// `POST /download`: a part of what a job carries as a file, byte for byte.
pub(crate) async fn download(visit: Visit) -> Result<Answer> {
    let (queue, id) = (visit.queue()?, visit.job_id()?);
    let name = visit.required("part")?;
    let part = PartName::ALL.into_iter().find(|part| part.name() == name);
    let part = part.ok_or_else(|| WebProblem::invalid("A job has no such part."))?;
    let subject = format!("{name} of job {id}");
    let record = visit.begin("download", queue.as_str(), subject).await?;
    let found = bytes(&visit, part).await;
    visit.end(record, if found.is_ok() { "sent" } else { "not found" }).await;
    let bytes = found?;
    let ending = match str::from_utf8(&bytes) {
        Ok(text) if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => "json",
        Ok(_) => "txt",
        Err(_) => "bin",
    };
    let mut answer = answer::of(StatusCode::OK, bytes);
    let disposition = format!("attachment; filename=\"{name}.{ending}\"");
    let disposition = HeaderValue::from_str(&disposition).expect("names of parts are words");
    answer.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    answer::set(&mut answer, http::header::CONTENT_TYPE, "application/octet-stream");
    Ok(answer)
}

async fn bytes(visit: &Visit, part: PartName) -> Result<Bytes> {
    let reading = whole(visit).await?;
    let found = reading.body.as_ref().and_then(|body| part.bytes(body, &reading.meta));
    found.ok_or_else(|| {
        WebProblem::not_found(format!("The job “{}” has no {}.", reading.meta.id, part.name()))
    })
}
