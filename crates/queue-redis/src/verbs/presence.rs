use crate::{
    client::{Access, Run},
    reader::Reader,
    reply::{Reply, corrupt},
    script::{self, Script},
    session::{Session, arg},
};
use queue_core::{Moment, QueueName, Result, Span, Timestamp, WorkerId, WorkerInfo};
use redis::Value;
use std::time::Duration;

impl Session {
    pub(crate) async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<()> {
        let ttl = Span::new("presence ttl", ttl)?;
        let args = vec![worker.id.as_str().as_bytes().to_vec(), arg(ttl.as_millis()), write_info(&worker)];
        match self.presence_call("announce", &script::ANNOUNCE, Access::WritesLightly, args).await? {
            Value::Int(now) => {
                self.clock.note(self.queues.told(), Moment::at(Timestamp::from_millis(now)));
                Ok(())
            }
            _ => Err(corrupt("announce")),
        }
    }

    pub(crate) async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let answer = self.presence_call("workers", &script::WORKERS, Access::Reads, Vec::new()).await?;
        let mut reply = Reply::new("workers", answer)?;
        let now = Timestamp::from_millis(reply.integer()?);
        self.clock.note(self.queues.told(), Moment::at(now));
        let mut infos = reply.array()?;
        let mut workers = Vec::with_capacity(infos.len());
        while infos.len() > 0 {
            workers.push(read_info(&infos.bytes()?).ok_or_else(|| corrupt("workers"))?);
        }
        Ok(workers)
    }

    async fn presence_call(
        &self,
        operation: &'static str,
        script: &'static Script,
        access: Access,
        more: Vec<Vec<u8>>,
    ) -> Result<Value> {
        let keys = self.queues.namespace().presence();
        let mut args = self.clock.args(self.queues.told()).to_vec();
        args.extend(more);
        self.client.run(&Run { operation, script, keys: &keys, args: &args, access }).await
    }
}

/// Id, numbers, host, queues: each text with its length in front.
fn write_info(worker: &WorkerInfo) -> Vec<u8> {
    let mut info = Vec::new();
    push_text(&mut info, worker.id.as_str());
    info.extend_from_slice(&worker.concurrency.to_be_bytes());
    info.extend_from_slice(&worker.running.to_be_bytes());
    push_text(&mut info, &worker.host);
    worker.queues.iter().for_each(|queue| push_text(&mut info, queue.as_str()));
    info
}

fn push_text(info: &mut Vec<u8>, text: &str) {
    info.extend_from_slice(&(text.len() as u32).to_be_bytes());
    info.extend_from_slice(text.as_bytes());
}

fn read_info(info: &[u8]) -> Option<WorkerInfo> {
    let mut from = Reader::new(info);
    let id = WorkerId::new(text(&mut from)?).ok()?;
    let (concurrency, running, host) = (from.u32()?, from.u32()?, text(&mut from)?.to_owned());
    let mut queues = Vec::new();
    while !from.is_empty() {
        queues.push(QueueName::new(text(&mut from)?).ok()?);
    }
    Some(WorkerInfo { id, queues, concurrency, running, host })
}

fn text<'a>(from: &mut Reader<'a>) -> Option<&'a str> {
    let length = from.u32()? as usize;
    std::str::from_utf8(from.take(length)?).ok()
}
