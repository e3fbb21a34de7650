//! One job: its facts, its attempts, and its payload on request.

use super::super::{
    sheet::{Block, Sheet},
    source::Source,
    subject::Subject,
};
use crate::{
    commands::jobs::job_pauses::JobPauses,
    commands::jobs::timeline::timeline,
    exit::{CliError, Exit},
    output::{self, Text, plural},
    session::Jobs,
};
use queue::{
    JobId, JobMeta, Payload, Status, StorageExt,
    queue_core::{Detail, JobBody, JobRecord, QueueName, mask_header, mask_secrets},
};

/// The most bytes of a payload that are shown.
const SHOWN_BYTES_MAX: usize = 64 << 10;

pub(super) async fn read(
    queue: &QueueName,
    id: &JobId,
    is_open: bool,
    source: &Source,
) -> Result<Sheet, CliError> {
    let jobs = source.jobs(queue).await?;
    let ids = std::slice::from_ref(id);
    let found = if is_open {
        jobs.storage().get_whole(queue, ids).await?
    } else {
        jobs.storage().get(queue, ids, Detail::Meta).await?
    };
    let Some(JobRecord { meta, body }) = found.value.into_iter().next().flatten() else {
        let message = format!("there is no job {id:?} in the queue {queue:?} any more");
        return Err(CliError::new(Exit::NotFound, message));
    };
    let attempts = attempts(&jobs, &meta).await?;
    let pauses = JobPauses::read(&jobs, &meta).await?;
    let status = Status { meta, now: found.now };
    let mut head = vec![Block::plain(output::pairs(output::details(&status)))];
    head.extend(Some(pauses.pairs()).filter(|pairs| !pairs.is_empty()).map(output::pairs).map(Block::plain));
    head.push(Block::plain(""));
    head.push(Block::plain(timeline(&status, &attempts, &pauses)));
    head.push(Block::plain(""));
    let tail = match body.filter(|_| is_open) {
        Some(body) => opened(&body),
        None => vec![Block::dim("Press v to see its payload, its result and its headers.")],
    };
    Ok(Sheet { subject: Subject::Job(queue.clone(), id.clone()), head, tail, ..Sheet::default() })
}

/// Most jobs have no charged attempts, and then nothing is read.
async fn attempts(jobs: &Jobs, meta: &JobMeta) -> Result<Vec<queue::queue_core::Attempt>, CliError> {
    let is_charged = meta.failed_at.is_some() || meta.epoch > 1;
    if !jobs.storage().capabilities().attempts || !is_charged {
        return Ok(Vec::new());
    }
    let found = jobs.attempts(&meta.id).await?;
    Ok(found.map(|found| found.attempts).unwrap_or_default())
}

/// What a job carries. What looks like a secret is masked, as in the dashboard.
fn opened(body: &JobBody) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (name, value) in body.headers.iter() {
        blocks.push(Block::plain(format!("header {name}: {}", mask_header(name, value))));
    }
    blocks.extend(part("payload", body.payload.content_type.as_str(), &body.payload.bytes));
    if let Some(Payload { bytes, content_type }) = &body.result {
        blocks.extend(part("result", content_type.as_str(), bytes));
    }
    if let Some(details) = &body.error_details {
        blocks.extend(part("details of the error", "", details));
    }
    blocks
}

fn part(name: &str, content_type: &str, bytes: &[u8]) -> [Block; 2] {
    let size = plural(bytes.len() as u64, "byte");
    let kind = if content_type.is_empty() { String::new() } else { format!("{content_type}, ") };
    let cut = if bytes.len() > SHOWN_BYTES_MAX { ", of which the beginning follows" } else { "" };
    [Block::heading(format!("{name}: {kind}{size}{cut}")), Block::plain(shown(bytes))]
}

fn shown(bytes: &[u8]) -> Text {
    // A secret must not be cut where the mask would not know it any more, so a little more is
    // masked than is shown.
    let masked = bytes.get(..SHOWN_BYTES_MAX * 2).unwrap_or(bytes);
    let text = mask_secrets(&String::from_utf8_lossy(masked));
    let end = text.floor_char_boundary(SHOWN_BYTES_MAX.min(text.len()));
    // Indented, so that no line of it looks like one of ours.
    text[..end].lines().map(|line| Text::from(format!("  {line}"))).collect()
}
