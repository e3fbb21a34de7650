//! The subjects that encode and decode a struct with each codec.

use crate::counted::{Work, counted_section};
use anyhow::ensure;
use queue_core::{JobId, Kind, QueueName};
use queue_serde::{Codec, CodecContext, Decode, Encode, Json, MsgPack, Role};
use serde::{Deserialize, Serialize};
use std::hint::black_box;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Email {
    to: String,
    subject: String,
    locale: Option<String>,
    tags: Vec<String>,
    n: u64,
    weight: f64,
}

pub(crate) fn json(work: Work) -> anyhow::Result<()> {
    round_trips(work, &Json)
}

pub(crate) fn msgpack(work: Work) -> anyhow::Result<()> {
    round_trips(work, &MsgPack)
}

/// Encodes and decodes, and compares once, before anything counts.
fn round_trips(work: Work, codec: &dyn Codec) -> anyhow::Result<()> {
    let queue = QueueName::new("emails")?;
    let kind = Kind::unnamed();
    let id = JobId::new("a")?;
    let context = CodecContext::new(&queue, &kind, &id, Role::Payload);
    let first = Email::decode(&email(0).encode(codec, &context)?, codec, &context)?;
    ensure!(first == email(0), "it is another value");
    let emails = work.steps().into_iter().map(email).collect();
    counted_section(emails, |email: Email| {
        let payload = email.encode(codec, &context).ok();
        black_box(payload.and_then(|payload| Email::decode(&payload, codec, &context).ok()));
    });
    Ok(())
}

fn email(number: usize) -> Email {
    Email {
        to: format!("ada-{number}@example.org"),
        subject: "Welcome aboard".to_owned(),
        locale: Some("en".to_owned()),
        tags: vec!["new".to_owned(), "trial".to_owned()],
        n: number as u64,
        weight: 0.5,
    }
}
