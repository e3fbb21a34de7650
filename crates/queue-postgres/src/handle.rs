//! What one open handle holds: its options, connections and statements, and what it remembers
//! between calls.
//!
//! Nothing here runs a statement: `call` does, and knows this.

use crate::{
    claim_floors::ClaimFloors,
    clock::PostgresClock,
    connection::{PoolKind, PooledConnection, Pools},
    fold_schedule::FoldSchedule,
    gate_crowds::GateCrowds,
    identity::Identity,
    line_memory::LineMemory,
    name_cache::NameCache,
    options::{Pooler, PostgresOptions},
    statements::{Renderer, Statements},
    wakeup::RuntimeHub,
};
use queue_core::{Durability, Error, Result, Rng, SystemRng};
use queue_store::{NoticeLevel, Notices, PerRuntime};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The state of one handle, which its calls share.
#[derive(Debug)]
pub(crate) struct HandleState {
    pub(crate) options: PostgresOptions,
    pub(crate) pools: Pools,
    pub(crate) statements: Statements,
    pub(crate) clock: PostgresClock,
    pub(crate) hubs: PerRuntime<RuntimeHub>,
    pub(crate) names: Arc<NameCache>,
    pub(crate) floors: ClaimFloors,
    pub(crate) lines: LineMemory,
    pub(crate) folds: FoldSchedule,
    pub(crate) crowds: GateCrowds,
    /// What a caller's connection has to lead to.
    pub(crate) identity: Identity,
    pub(crate) durability: Durability,
    /// Whether connections keep the store's settings; else each transaction brings them.
    pub(crate) keeps_settings: bool,
    /// Where notifications go: the schema by number, so that no name needs an encoding.
    pub(crate) channel: String,
    /// Stands in every notification of this handle, so that it knows its own.
    pub(crate) origin: String,
    is_closed: AtomicBool,
}

/// What the first connection found out about the server and the schema.
#[derive(Debug)]
pub(crate) struct ServerFacts {
    /// What an acknowledged write survives.
    pub(crate) durability: Durability,
    /// Whether connections keep the settings that the store gave them, so that no transaction needs
    /// to bring them. Poolers and hooks of the application may replace them.
    pub(crate) keeps_settings: bool,
    /// The number by which the server knows the schema.
    pub(crate) schema_oid: i64,
    /// What a caller's connection has to lead to.
    pub(crate) identity: Identity,
}

impl HandleState {
    pub(crate) fn new(
        options: PostgresOptions,
        pools: Pools,
        names: Arc<NameCache>,
        facts: ServerFacts,
    ) -> Self {
        let renderer = Renderer::new(&options.schema, &options.time, options.pooler == Pooler::None);
        Self {
            statements: Statements::new(renderer),
            clock: PostgresClock::new(options.time.clone()),
            hubs: PerRuntime::default(),
            floors: ClaimFloors::default(),
            lines: LineMemory::default(),
            folds: FoldSchedule::new(&SystemRng),
            crowds: GateCrowds::default(),
            origin: new_origin(&SystemRng),
            channel: format!("queue_{}", facts.schema_oid),
            identity: facts.identity,
            durability: facts.durability,
            keeps_settings: facts.keeps_settings,
            is_closed: AtomicBool::new(false),
            options,
            pools,
            names,
        }
    }

    /// Where statements send their notifications, if anywhere.
    pub(crate) fn notify_channel(&self) -> Option<&str> {
        self.options.is_listening().then_some(&*self.channel)
    }

    /// Sends the subscribers of this handle the hints of what it wrote. Two connections may do so
    /// in any order, so a follower of every change gets it from the server, in the order of the
    /// commits, as other handles do.
    pub(crate) fn publish(&self, notices: &Notices) {
        for runtime in self.hubs.all() {
            if self.options.is_listening() {
                notices.publish_to_waiters(&runtime.hub);
            } else {
                notices.publish(&runtime.hub);
            }
        }
    }

    /// What the subscribers of this handle want by now.
    pub(crate) fn wanted_notices(&self) -> NoticeLevel {
        let levels = self.hubs.all().into_iter().map(|runtime| NoticeLevel::by(&runtime.hub));
        levels.max().unwrap_or(NoticeLevel::Nothing)
    }

    /// Refuses calls of a closed handle.
    pub(crate) fn check_open(&self, operation: &'static str) -> Result<()> {
        if self.is_closed.load(Ordering::SeqCst) { Err(Error::closed(operation)) } else { Ok(()) }
    }

    /// Refuses calls from here on.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }

    /// Waits for a connection; nothing was sent if there is none.
    pub(crate) async fn acquire(&self, kind: PoolKind, operation: &'static str) -> Result<PooledConnection> {
        self.check_open(operation)?;
        let acquired = self.pools.acquire(kind, &self.options).await;
        // A handle that was closed meanwhile says so.
        acquired.map_err(|error| {
            self.check_open(operation).err().unwrap_or_else(|| error.explain(operation, kind))
        })
    }

    /// Records that a connection broke, which casts doubt on those that idle, and on what was
    /// learnt by them.
    pub(crate) fn connection_lost(&self) {
        self.pools.distrust_idle();
        self.names.forget();
    }
}

/// What stands in notifications, so that their sender knows its own.
pub(crate) fn new_origin(rng: &dyn Rng) -> String {
    format!("{:032x}", rng.next_u128())
}
