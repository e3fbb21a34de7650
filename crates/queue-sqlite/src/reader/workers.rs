//! Reading the workers that are present.

use super::Snapshot;
use crate::{
    row::{duty, foreign, name},
    sql,
};
use queue_core::{QueueName, WorkerId, WorkerInfo};
use rusqlite::Row;

/// The workers that have not expired, by id.
pub(crate) fn workers(snapshot: &Snapshot<'_>) -> rusqlite::Result<Vec<WorkerInfo>> {
    let mut statement = snapshot.connection.prepare_cached(sql::LIST_WORKERS)?;
    statement.query_map([snapshot.moment.now.as_millis()], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<WorkerInfo> {
    let queues = row.get_ref(1)?.as_str()?.lines().map(QueueName::new).collect::<Result<_, _>>();
    Ok(WorkerInfo {
        id: name::<WorkerId>(row, 0)?,
        queues: queues.map_err(|invalid| foreign(1, invalid.to_string()))?,
        concurrency: row.get(2)?,
        held: row.get(3)?,
        host: row.get(4)?,
        about: row.get::<_, Vec<u8>>(5)?.into(),
        duty: duty(row, 6)?,
    })
}
