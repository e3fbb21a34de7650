//! The floor of the Redis store: a list, a hash and a sorted set, and the scripts that take from
//! them.

use crate::{bed::Bed, engine::redis::connect};
use anyhow::ensure;
use async_trait::async_trait;
use redis::{Script, aio::MultiplexedConnection};

const PENDING: &str = "{bench_floor}:pending";
const PAYLOADS: &str = "{bench_floor}:payloads";
const LEASES: &str = "{bench_floor}:leases";
/// The least that takes jobs in a script, as every store of this kind must.
const TAKE: &str = "
    local ids = redis.call('LPOP', KEYS[1], ARGV[1]) or {}
    local payloads = {}
    for n, id in ipairs(ids) do
        payloads[n] = redis.call('HGET', KEYS[2], id)
        redis.call('HDEL', KEYS[2], id)
    end
    return payloads";
/// The least that remembers what it gave out, in order of lapse. A call for each job, since each is
/// leased on its own.
const CLAIM: &str = "
    local ids = redis.call('LPOP', KEYS[1], ARGV[1]) or {}
    local payloads = {}
    for n, id in ipairs(ids) do
        payloads[n] = redis.call('HGET', KEYS[2], id)
        redis.call('ZADD', KEYS[3], n, id)
    end
    return {ids, payloads}";
/// An answer for each job, since each may have lost its lease.
const SETTLE: &str = "
    local answers = {}
    for n, id in ipairs(ARGV) do
        answers[n] = redis.call('ZREM', KEYS[2], id)
        redis.call('HDEL', KEYS[1], id)
    end
    return answers";

/// A list of ids, their payloads, and a set of those that are taken.
pub(super) struct RedisFloor {
    connection: MultiplexedConnection,
    next_id: u64,
}

impl RedisFloor {
    pub(super) async fn create(bed: &Bed) -> anyhow::Result<Self> {
        clear(bed).await?;
        Ok(Self { connection: connect(&bed.server()?).await?, next_id: 0 })
    }
}

/// Removes what a floor has left.
pub(super) async fn clear(bed: &Bed) -> anyhow::Result<()> {
    let mut connection = connect(&bed.server()?).await?;
    Ok(redis::cmd("DEL").arg(&[PENDING, PAYLOADS, LEASES]).exec_async(&mut connection).await?)
}

#[async_trait]
impl super::Floor for RedisFloor {
    /// Two commands each, in one pipeline.
    async fn insert(&mut self, payloads: &[String]) -> anyhow::Result<()> {
        let mut pipe = redis::pipe();
        for payload in payloads {
            pipe.cmd("HSET").arg(PAYLOADS).arg(self.next_id).arg(payload).ignore();
            pipe.cmd("RPUSH").arg(PENDING).arg(self.next_id).ignore();
            self.next_id += 1;
        }
        Ok(pipe.exec_async(&mut self.connection).await?)
    }

    async fn take(&mut self, count: usize) -> anyhow::Result<usize> {
        let take = Script::new(TAKE);
        let payloads: Vec<String> =
            take.key(PENDING).key(PAYLOADS).arg(count).invoke_async(&mut self.connection).await?;
        Ok(payloads.len())
    }

    async fn cycle(&mut self, count: usize) -> anyhow::Result<usize> {
        let claim = Script::new(CLAIM);
        let (ids, payloads): (Vec<u64>, Vec<String>) = claim
            .key(PENDING)
            .key(PAYLOADS)
            .key(LEASES)
            .arg(count)
            .invoke_async(&mut self.connection)
            .await?;
        ensure!(ids.len() == payloads.len(), "{} ids with {} payloads", ids.len(), payloads.len());
        if !ids.is_empty() {
            let settle = Script::new(SETTLE);
            let settled: Vec<i64> =
                settle.key(PAYLOADS).key(LEASES).arg(&ids).invoke_async(&mut self.connection).await?;
            ensure!(settled.iter().all(|&it| it == 1), "a lease was gone");
        }
        Ok(ids.len())
    }
}
