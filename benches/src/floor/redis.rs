use crate::{clock::now, store::Bed};
use anyhow::{Context, ensure};
use redis::{Client, Script, aio::MultiplexedConnection};
use std::time::Duration;

const LIST: &str = "bench_floor";
/// The least that takes jobs in a script, as every store of this kind must.
const TAKE: &str = "return redis.call('LPOP', KEYS[1], ARGV[1])";

/// One list of payloads.
pub(super) struct Floor {
    connection: MultiplexedConnection,
}

impl Floor {
    pub(super) async fn open(bed: &Bed) -> anyhow::Result<Self> {
        let server = bed.url.split("namespace=").next().context("a URL")?.trim_end_matches(['?', '&']);
        let connection = Client::open(server)?.get_multiplexed_async_connection().await?;
        Ok(Self { connection })
    }

    /// One command each, so many in a pipeline.
    pub(super) async fn push(&mut self, payloads: &[String], batch: usize) -> anyhow::Result<Duration> {
        redis::cmd("DEL").arg(LIST).exec_async(&mut self.connection).await?;
        let started = now();
        for batch in payloads.chunks(batch) {
            let mut pipe = redis::pipe();
            for payload in batch {
                pipe.cmd("RPUSH").arg(LIST).arg(payload).ignore();
            }
            pipe.exec_async(&mut self.connection).await?;
        }
        Ok(started.elapsed())
    }

    pub(super) async fn take(&mut self, batch: usize, count: usize) -> anyhow::Result<Duration> {
        let script = Script::new(TAKE);
        let started = now();
        let mut taken = 0;
        while taken < count {
            let got: Option<Vec<String>> =
                script.key(LIST).arg(batch).invoke_async(&mut self.connection).await?;
            let got = got.unwrap_or_default().len();
            ensure!(got > 0, "the list is empty after {taken} of {count}");
            taken += got;
        }
        Ok(started.elapsed())
    }

    pub(super) async fn size(&mut self) -> anyhow::Result<u64> {
        let info: String = redis::cmd("INFO").arg("memory").query_async(&mut self.connection).await?;
        let used = info.lines().find_map(|line| line.strip_prefix("used_memory:")).context("used_memory")?;
        Ok(used.trim().parse()?)
    }
}
