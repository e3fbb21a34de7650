//! Interning of names while a journal is read.

use super::wire::{FieldReader, Malformed};
use queue_core::{ContentType, Kind, QueueName, WorkerId};
use std::{borrow::Borrow, collections::HashSet, hash::Hash};

/// How many names of each sort are kept.
const INTERNED_MAX: usize = 1_024;

/// Names that many jobs share, each in memory once.
#[derive(Debug, Default)]
pub(crate) struct InternedNames {
    pub(super) queues: Interner<QueueName>,
    pub(super) kinds: Interner<Kind>,
    pub(super) workers: Interner<WorkerId>,
    pub(super) content_types: Interner<ContentType>,
}

#[derive(Debug)]
pub(super) struct Interner<N> {
    names: HashSet<N>,
    /// The name of the job before, which is the most frequent match.
    last: Option<N>,
}

impl<N> Default for Interner<N> {
    fn default() -> Self {
        Self { names: HashSet::default(), last: None }
    }
}

impl<N: Borrow<str> + Clone + Eq + Hash> Interner<N> {
    /// Returns the name of this text, shared with earlier ones.
    pub(super) fn read<'b>(&mut self, from: &mut FieldReader<'b>) -> Result<N, Malformed>
    where
        N: TryFrom<&'b str>,
    {
        let text = from.name_text()?;
        // A name mostly repeats that of the record before, which spares the look-up.
        if let Some(last) = self.last.as_ref().filter(|last| <N as Borrow<str>>::borrow(last) == text) {
            return Ok(last.clone());
        }
        let name = match self.names.get(text) {
            Some(known) => known.clone(),
            None => {
                self.remember(N::try_from(text).map_err(|_| Malformed("a name breaks the rules of names"))?)
            }
        };
        self.last = Some(name.clone());
        Ok(name)
    }

    fn remember(&mut self, name: N) -> N {
        if self.names.len() == INTERNED_MAX {
            self.names.clear();
        }
        self.names.insert(name.clone());
        name
    }
}
