//! What a thousand claims cost that wait for jobs which do not come.

use crate::{
    figures::{cpu_of, float, now, resident_of},
    request::HttpConnection,
    server::ServerProcess,
    store::ServedStore,
};
use std::time::Duration;
use tokio::time::sleep;

const CLAIMS: usize = 1_000;
/// Until all of them stand in line.
const ARRIVAL: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_secs(20);

pub(crate) async fn measure(stores: &[ServedStore]) -> anyhow::Result<()> {
    println!("\n| store | {CLAIMS} idle waiting claims: CPU of the server | memory each |");
    println!("|---|---:|---:|");
    for store in stores.iter().filter(|store| store.is_reachable()) {
        let folder = tempfile::tempdir()?;
        let server = ServerProcess::start(&store.url(folder.path()), folder.path()).await?;
        let mut warm = HttpConnection::open(&server.address, &server.token).await?;
        warm.post("/v1/queues/idle/claim", &claim(CLAIMS, 0)).await?;
        let before = resident_of(&server.id());
        let mut waiting = Vec::with_capacity(CLAIMS);
        for number in 0..CLAIMS {
            let mut connection = HttpConnection::open(&server.address, &server.token).await?;
            connection.send("/v1/queues/idle/claim", &claim(number, 60_000)).await?;
            waiting.push(connection);
        }
        sleep(ARRIVAL).await;
        let held = resident_of(&server.id()).saturating_sub(before);
        let each = float(held) / float(CLAIMS as u64) / 1024.0;
        let (cpu, began) = (cpu_of(&server.id()), now());
        sleep(LOOK).await;
        let share = cpu_of(&server.id()).saturating_sub(cpu).as_secs_f64() / began.elapsed().as_secs_f64();
        println!("| {store} | {:.2} % of a core | {each:.1} KiB |", share * 100.0);
    }
    Ok(())
}

fn claim(number: usize, wait_ms: u64) -> String {
    format!(r#"{{"worker":"w{number}","claim_id":"{number:032x}","wait_ms":{wait_ms}}}"#)
}
