use super::wire::{Malformed, Reader};
use queue_core::{ContentType, Kind, QueueName, WorkerId};
use std::{borrow::Borrow, collections::HashSet, hash::Hash};

/// So many of each are remembered.
const REMEMBERED_MAX: usize = 1_024;

/// Names that many jobs share: whoever reads a journal has each of them in memory once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(super) queues: Remembered<QueueName>,
    pub(super) kinds: Remembered<Kind>,
    pub(super) workers: Remembered<WorkerId>,
    pub(super) content_types: Remembered<ContentType>,
}

#[derive(Debug)]
pub(super) struct Remembered<N> {
    names: HashSet<N>,
    /// Most often it is that of the job before.
    last: Option<N>,
}

impl<N> Default for Remembered<N> {
    fn default() -> Self {
        Self { names: HashSet::default(), last: None }
    }
}

impl<N: Borrow<str> + Clone + Eq + Hash> Remembered<N> {
    /// Reads a name, or finds it among those that were read before.
    pub(super) fn read<'b>(&mut self, from: &mut Reader<'b>) -> Result<N, Malformed>
    where
        N: TryFrom<&'b str>,
    {
        let text = from.name_text()?;
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
        if self.names.len() == REMEMBERED_MAX {
            self.names.clear();
        }
        self.names.insert(name.clone());
        name
    }
}
