//! One job: its facts, its attempts, and its payload on request.

use super::super::{
    sheet::{Block, Sheet},
    source::Source,
    subject::Subject,
};
use crate::{
    commands::jobs::timeline::timeline,
    exit::{CliError, Exit},
    output::{self, Text, plural},
};
use queue::{
    JobId, Payload,
    queue_core::{JobBody, QueueName, mask_header, mask_secrets},
    view::JobReading,
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
    let found = if is_open {
        JobReading::read_whole(&**jobs.storage(), queue, id).await?
    } else {
        JobReading::read(&**jobs.storage(), queue, id).await?
    };
    let Some(reading) = found else {
        let message = format!("there is no job {id:?} in the queue {queue:?} any more");
        return Err(CliError::new(Exit::NotFound, message));
    };
    let head = vec![
        Block::plain(output::pairs(output::details(&reading))),
        Block::plain(""),
        Block::plain(timeline(&reading)),
        Block::plain(""),
    ];
    let tail = match &reading.body {
        Some(body) => opened(body),
        None => vec![Block::dim("Press v to see its payload, its result and its headers.")],
    };
    Ok(Sheet { subject: Subject::Job(queue.clone(), id.clone()), head, tail, ..Sheet::default() })
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
    let size = plural(bytes.len() as u64, "byte", "bytes");
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
