//! The task that owns the door and every connection.

use std::io;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::connection::{ProxyState, carry};
use super::door::Door;
use super::traffic::Traffic;

/// The commands that a proxy sends to its keeper.
#[derive(Debug)]
pub(super) enum ProxyOrder {
    Set(Traffic),
    Cut,
}

/// A command, and the channel that confirms it.
pub(super) type Order = (ProxyOrder, oneshot::Sender<io::Result<()>>);

#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) door: Door,
    pub(super) line: ProxyState,
    pub(super) traffic: watch::Sender<Traffic>,
    /// The connections end when this is dropped.
    pub(super) connections: JoinSet<()>,
}

impl Keeper {
    /// Works until the proxy is dropped, or until no client can be accepted any more. In that case
    /// it ends the connections too: a proxy that is visibly dead is better than one that half
    /// works.
    pub(super) async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        loop {
            tokio::select! {
                biased;
                order = orders.recv() => match order {
                    Some((command, done)) => drop(done.send(self.obey(command).await)),
                    None => return,
                },
                client = self.door.accept() => match client {
                    Ok(client) => {
                        self.line.counts.send_modify(|counts| counts.connections += 1);
                        self.connections.spawn(carry(client, self.line.clone()));
                    }
                    Err(_) => return,
                },
                Some(_) = self.connections.join_next() => {}
            }
        }
    }

    async fn obey(&mut self, command: ProxyOrder) -> io::Result<()> {
        match command {
            ProxyOrder::Set(traffic) => {
                let is_shut = traffic == Traffic::Refuse;
                if is_shut {
                    self.door.shut().await?;
                } else {
                    self.door.open()?;
                }
                self.traffic.send_replace(traffic);
            }
            ProxyOrder::Cut => self.connections.shutdown().await,
        }
        Ok(())
    }
}
