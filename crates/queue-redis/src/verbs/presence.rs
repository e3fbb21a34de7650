//! `announce`, `set_duty` and `workers`: who works on the store.

use crate::{
    client::{Access, ScriptRun},
    handle::{HandleState, arg},
    reader::Reader,
    reply::{Reply, corrupt},
    script::{self, Script},
};
use bytes::Bytes;
use queue_core::{Duty, Moment, QueueName, Result, Span, Timestamp, WorkerId, WorkerInfo};
use redis::Value;
use std::time::Duration;

impl HandleState {
    pub(crate) async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        worker.check()?;
        let ttl = Span::new("presence ttl", ttl)?;
        let args = vec![worker.id.as_str().as_bytes().to_vec(), arg(ttl.as_millis()), write_info(&worker)];
        let answer = self.presence_call("announce", &script::ANNOUNCE, Access::WritesLightly, args).await?;
        let code = self.presence_answer("announce", answer)?;
        u8::try_from(code).ok().and_then(Duty::from_code).ok_or_else(|| corrupt("announce"))
    }

    pub(crate) async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        let code = |duty: Duty| arg(i64::from(duty.as_code()));
        let args = vec![worker.as_str().as_bytes().to_vec(), code(duty), code(Duty::Drain)];
        let answer = self.presence_call("set_duty", &script::SET_DUTY, Access::WritesLightly, args).await?;
        match self.presence_answer("set_duty", answer)? {
            ..0 => Ok(None),
            code => {
                let duty = u8::try_from(code).ok().and_then(Duty::from_code);
                duty.map(Some).ok_or_else(|| corrupt("set_duty"))
            }
        }
    }

    pub(crate) async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let answer = self.presence_call("workers", &script::WORKERS, Access::Reads, Vec::new()).await?;
        let mut reply = Reply::new("workers", answer)?;
        let now = Timestamp::from_millis(reply.integer()?);
        self.clock.note(self.queues.time(), Moment::at(now));
        let mut infos = reply.array()?;
        let mut workers = Vec::with_capacity(infos.len());
        while infos.len() > 0 {
            workers.push(read_info(&infos.bytes()?).ok_or_else(|| corrupt("workers"))?);
        }
        Ok(workers)
    }

    /// Notes the time of an answer, which is followed by a number.
    fn presence_answer(&self, operation: &'static str, answer: Value) -> Result<i64> {
        let mut reply = Reply::new(operation, answer)?;
        let now = Timestamp::from_millis(reply.integer()?);
        self.clock.note(self.queues.time(), Moment::at(now));
        reply.integer()
    }

    async fn presence_call(
        &self,
        operation: &'static str,
        script: &'static Script,
        access: Access,
        more: Vec<Vec<u8>>,
    ) -> Result<Value> {
        let keys = self.queues.namespace().presence();
        let mut args = self.clock.args(self.queues.time()).to_vec();
        args.extend(more);
        self.client.run(&ScriptRun { operation, script, keys: &keys, args: &args, access }).await
    }
}

/// Id, numbers, host, what it says of itself, queues: each text with its length in front.
fn write_info(worker: &WorkerInfo) -> Vec<u8> {
    let mut info = Vec::new();
    push_bytes(&mut info, worker.id.as_str().as_bytes());
    info.extend_from_slice(&worker.concurrency.to_be_bytes());
    info.extend_from_slice(&worker.held.to_be_bytes());
    push_bytes(&mut info, worker.host.as_bytes());
    push_bytes(&mut info, &worker.about);
    worker.queues.iter().for_each(|queue| push_bytes(&mut info, queue.as_str().as_bytes()));
    info
}

fn push_bytes(info: &mut Vec<u8>, bytes: &[u8]) {
    info.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    info.extend_from_slice(bytes);
}

/// What is shown: a byte for the duty, then the info.
fn read_info(info: &[u8]) -> Option<WorkerInfo> {
    let mut from = Reader::new(info);
    let duty = Duty::from_code(from.u8()?)?;
    let id = WorkerId::new(text(&mut from)?).ok()?;
    let concurrency = from.u32()?;
    let held = from.u32()?;
    let host = text(&mut from)?.to_owned();
    let about = Bytes::copy_from_slice(bytes(&mut from)?);
    let mut queues = Vec::new();
    while !from.is_empty() {
        queues.push(QueueName::new(text(&mut from)?).ok()?);
    }
    Some(WorkerInfo { id, queues, concurrency, held, host, about, duty })
}

fn text<'a>(from: &mut Reader<'a>) -> Option<&'a str> {
    std::str::from_utf8(bytes(from)?).ok()
}

fn bytes<'a>(from: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = from.u32()? as usize;
    from.take(length)
}
