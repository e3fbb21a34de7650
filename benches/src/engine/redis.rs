//! Redis asked directly: its version, its settings of durability, the memory in use and the size of
//! its log.

use super::Engine;
use crate::{bed, bed::Bed, store::StoreKind};
use anyhow::{Context, ensure};
use redis::{Client, aio::MultiplexedConnection};

pub(crate) async fn connect(server: &str) -> anyhow::Result<MultiplexedConnection> {
    Ok(Client::open(server)?.get_multiplexed_async_connection().await?)
}

/// Fails if the server keeps its data otherwise than the name of the store says.
pub(super) async fn describe(store: StoreKind) -> anyhow::Result<Engine> {
    let mut connection = connect(&bed::server(store)?).await?;
    let server = info(&mut connection, "server").await?;
    let version = field(&server, "redis_version")?;
    let appendonly = setting(&mut connection, "appendonly").await?;
    let appendfsync = setting(&mut connection, "appendfsync").await?;
    let save = setting(&mut connection, "save").await?;
    let is_always = appendonly == "yes" && appendfsync == "always";
    ensure!(
        is_always == (store == StoreKind::RedisAlways),
        "{store} does not name what this server does: appendonly is {appendonly}, appendfsync {appendfsync}"
    );
    let append = if appendonly == "yes" { format!(", appendfsync={appendfsync}") } else { String::new() };
    let durability = format!("appendonly={appendonly}{append}, save=\"{save}\"");
    Ok(Engine { version: format!("Redis {version}"), durability })
}

/// All that the server holds, and the length of its log.
pub(super) async fn volume(bed: &Bed) -> anyhow::Result<(u64, Option<u64>)> {
    let mut connection = connect(&bed.server()?).await?;
    let used = field(&info(&mut connection, "memory").await?, "used_memory")?.parse()?;
    let persistence = info(&mut connection, "persistence").await?;
    let written = field(&persistence, "aof_current_size").ok().map(|bytes| bytes.parse()).transpose()?;
    Ok((used, written))
}

pub(super) async fn process(bed: &Bed) -> anyhow::Result<u32> {
    let mut connection = connect(&bed.server()?).await?;
    Ok(field(&info(&mut connection, "server").await?, "process_id")?.parse()?)
}

async fn info(connection: &mut MultiplexedConnection, section: &str) -> anyhow::Result<String> {
    Ok(redis::cmd("INFO").arg(section).query_async(connection).await?)
}

fn field(info: &str, name: &str) -> anyhow::Result<String> {
    let value = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    Ok(value.with_context(|| format!("no {name} in INFO"))?.trim().to_owned())
}

async fn setting(connection: &mut MultiplexedConnection, name: &str) -> anyhow::Result<String> {
    let (_, value): (String, String) =
        redis::cmd("CONFIG").arg("GET").arg(name).query_async(connection).await?;
    Ok(value)
}
