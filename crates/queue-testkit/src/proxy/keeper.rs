//! The task that owns the door and every connection.

use std::io;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::connection::{Line, carry};
use super::door::Door;
use super::traffic::Traffic;

/// What a proxy asks of its keeper, which answers when it is done.
#[derive(Debug)]
pub(super) enum Command {
    Set(Traffic),
    Cut,
}

pub(super) type Order = (Command, oneshot::Sender<io::Result<()>>);

#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) door: Door,
    pub(super) line: Line,
    pub(super) traffic: watch::Sender<Traffic>,
    /// Dropped with the keeper, which ends them.
    pub(super) connections: JoinSet<()>,
}

impl Keeper {
    /// Works until the proxy is gone, or until the door fails, which ends the connections as well: better a proxy that is
    /// seen to be dead than one that half works.
    pub(super) async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        loop {
            tokio::select! {
                biased;
                order = orders.recv() => {
                    let Some((command, done)) = order else { return };
                    let Ok((keeper, outcome)) = self.obey(command).await else { return };
                    self = keeper;
                    drop(done.send(outcome));
                }
                client = self.door.accept() => {
                    let Ok(client) = client else { return };
                    self.line.counts.send_modify(|counts| counts.connections += 1);
                    self.connections.spawn(carry(client, self.line.clone()));
                }
                Some(_) = self.connections.join_next() => {}
            }
        }
    }
}
