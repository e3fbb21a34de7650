//! The tokens of a file, as they were at one reading of it.

use crate::access::{
    Principal,
    shares::{Life, Shares},
    token_file::{Proof, TokenRecord},
};
use queue_core::Clock;
use std::{collections::HashMap, sync::Arc};
use tokio_util::sync::CancellationToken;

/// The tokens by what a caller presents.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) by_id: HashMap<String, ([u8; 32], Principal)>,
    pub(super) by_subject: HashMap<String, Principal>,
}

impl Table {
    /// Tokens keep their shares from `before`, and all of themselves if nothing about them has
    /// changed.
    pub(super) fn of(
        records: &[TokenRecord],
        before: &Self,
        waits_max: usize,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        let mut table = Self::default();
        for record in records {
            let known = before.known(record);
            let shares = known.map_or_else(|| Arc::new(Shares::of_token(waits_max)), Principal::shares);
            let clock = Some(clock.clone());
            let life = Life { revoked: CancellationToken::new(), expires_at: record.expires_at, clock };
            let id = record.id.clone();
            let note = record.note.clone();
            let queues = record.queues.clone();
            let new = Principal::with(id, note, record.scopes, queues, life, shares);
            let same = known.filter(|known| before.proves(known, record) && known.is_same_as(&new));
            let principal = same.cloned().unwrap_or(new);
            match &record.proof {
                Proof::Secret(digest) => {
                    table.by_id.insert(record.id.clone(), (*digest, principal));
                }
                Proof::Subject(subject) => {
                    table.by_subject.insert(subject.clone(), principal);
                }
            }
        }
        table
    }

    fn known(&self, record: &TokenRecord) -> Option<&Principal> {
        match &record.proof {
            Proof::Secret(_) => self.by_id.get(&record.id).map(|(_, principal)| principal),
            Proof::Subject(subject) => self.by_subject.get(subject),
        }
    }

    /// Whether the same secret or certificate is asked of it as before.
    fn proves(&self, known: &Principal, record: &TokenRecord) -> bool {
        match &record.proof {
            Proof::Secret(digest) => self.by_id.get(&record.id).is_some_and(|(before, _)| before == digest),
            Proof::Subject(_) => known.token_id() == record.id,
        }
    }

    /// The principals that are not in a newer table as they are here.
    pub(super) fn gone_from<'a>(&'a self, newer: &'a Self) -> impl Iterator<Item = &'a Principal> {
        let tokens = self.by_id.iter().map(|(id, (_, principal))| {
            let now = newer.by_id.get(id).map(|(_, principal)| principal);
            (principal, now)
        });
        let subjects = self.by_subject.iter().map(|(subject, old)| (old, newer.by_subject.get(subject)));
        let gone = |(old, now): &(&Principal, Option<&Principal>)| !now.is_some_and(|now| now.is(old));
        tokens.chain(subjects).filter(gone).map(|(old, _)| old)
    }
}
