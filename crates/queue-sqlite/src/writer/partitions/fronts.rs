//! The partitions that have a job to give and a slot for it, in the order of their turns.

use super::{
    super::session::SqliteSession,
    lane::{Lane, read_turn, turn_column},
};
use crate::row::{integer, name};
use queue_core::{
    LimitInForce, Partition,
    lifecycle::{Opening, PartitionFront, Turn, TurnPlace},
};
use rusqlite::{OptionalExtension, Row, params};
use std::collections::{BTreeMap, BTreeSet};

/// The fronts of a queue as a transaction knows them: those that it has read or moved. Those with a
/// limit stand apart, so that a claim that may have no more of them steps over none.
#[derive(Debug, Default)]
pub(super) struct Fronts {
    free: Side,
    limited: Side,
    /// The turn that was taken last.
    pub(super) present: Turn,
    /// Where the jobs without a partition stand.
    pub(super) line: Option<TurnPlace>,
    pub(super) line_limit: LimitInForce,
    /// The partitions that a claim came to.
    pub(super) lanes: BTreeMap<Partition, Lane>,
    /// The turn and the line as they are written.
    stored: (Turn, Option<TurnPlace>),
}

#[derive(Debug, Default)]
struct Side {
    known: BTreeSet<PartitionFront>,
    /// All fronts up to here are known, and those behind are as their rows have them.
    bound: Option<PartitionFront>,
    /// There are none behind the bound.
    is_whole: bool,
}

impl Side {
    /// Whether the first known front is the first of all.
    fn has_first(&self) -> bool {
        self.is_whole || self.known.first().is_some_and(|first| Some(first) <= self.bound.as_ref())
    }

    /// Behind which turn and key there may be fronts of a priority that are not known; `None` if
    /// all are known.
    fn unknown_from(&self, priority: i16) -> Option<(Turn, &str)> {
        match &self.bound {
            _ if self.is_whole => None,
            Some(bound) if bound.priority > priority => None,
            Some(bound) if bound.priority == priority => {
                Some((bound.turn, bound.partition.as_ref().map_or("", Partition::as_str)))
            }
            _ => Some((Turn::default(), "")),
        }
    }
}

impl Fronts {
    pub(super) fn insert(&mut self, front: PartitionFront) {
        self.side(front.is_limited).known.insert(front);
    }

    pub(super) fn remove(&mut self, front: &PartitionFront) {
        self.side(front.is_limited).known.remove(front);
    }

    fn side(&mut self, is_limited: bool) -> &mut Side {
        if is_limited { &mut self.limited } else { &mut self.free }
    }

    /// The lowest turn of the known ones whose next job has this priority.
    fn lowest(&self, priority: i16) -> Option<Turn> {
        let start = PartitionFront::least(priority);
        let first = |side: &Side| side.known.range(&start..).next().map(|first| (first.priority, first.turn));
        let firsts = [&self.free, &self.limited].into_iter().filter_map(first);
        firsts.filter(|(found, _)| *found == priority).map(|(_, turn)| turn).min()
    }
}

fn read_front(row: &Row<'_>, is_limited: bool) -> rusqlite::Result<PartitionFront> {
    let (priority, turn) = (row.get(0)?, read_turn(row, 1)?);
    Ok(PartitionFront { priority, turn, partition: Some(name::<Partition>(row, 2)?), is_limited })
}

impl SqliteSession<'_> {
    /// The turns of a queue; no front but the line of the jobs without a partition is known yet.
    pub(super) fn load_fronts(&mut self, queue: i64) -> rusqlite::Result<Fronts> {
        let read = |row: &Row<'_>| {
            let line = match Opening::unpartitioned(row.get(1)?) {
                Some(opening) => Some(TurnPlace { opening, turn: read_turn(row, 2)? }),
                None => None,
            };
            Ok((read_turn(row, 0)?, line))
        };
        let found = self.statements.load_turn.query_row([queue], read).optional()?;
        let (present, line) = found.unwrap_or_default();
        let mut fronts = Fronts { present, line, stored: (present, line), ..Fronts::default() };
        if let Some(place) = line {
            fronts.insert(PartitionFront::new(None, place));
        }
        Ok(fronts)
    }

    /// Writes the turn that was taken last, and where the line stands, if one of them has changed.
    pub(super) fn save_turn(&mut self, queue: i64, fronts: &Fronts) -> rusqlite::Result<()> {
        if fronts.stored == (fronts.present, fronts.line) {
            return Ok(());
        }
        self.statements
            .save_turn
            .execute(params![
                queue,
                turn_column(fronts.present),
                fronts.line.map(|place| place.opening.priority),
                fronts.line.map(|place| turn_column(place.turn)),
            ])
            .map(drop)
    }

    /// The one whose job is next, of those with a limit only if they are asked for. Reads as many
    /// fronts as the claim may come to.
    pub(super) fn first_front(
        &mut self,
        queue: i64,
        fronts: &mut Fronts,
        with_limited: bool,
        wanted: usize,
    ) -> rusqlite::Result<Option<PartitionFront>> {
        self.read_fronts(queue, &mut fronts.free, false, wanted)?;
        if !with_limited {
            return Ok(fronts.free.known.first().cloned());
        }
        self.read_fronts(queue, &mut fronts.limited, true, wanted)?;
        let firsts = [&fronts.free, &fronts.limited].into_iter().filter_map(|side| side.known.first());
        Ok(firsts.min().cloned())
    }

    fn read_fronts(
        &mut self,
        queue: i64,
        side: &mut Side,
        is_limited: bool,
        wanted: usize,
    ) -> rusqlite::Result<()> {
        while !side.has_first() {
            let read = self.fronts_behind(queue, is_limited, side.bound.as_ref(), wanted.max(1))?;
            side.is_whole = read.len() < wanted.max(1);
            side.bound = read.last().cloned().or_else(|| side.bound.take());
            side.known.extend(read);
        }
        Ok(())
    }

    fn fronts_behind(
        &mut self,
        queue: i64,
        is_limited: bool,
        behind: Option<&PartitionFront>,
        limit: usize,
    ) -> rusqlite::Result<Vec<PartitionFront>> {
        let priority = behind.map_or(i64::MIN, |front| front.priority.into());
        let turn = behind.map_or(0, |front| turn_column(front.turn));
        let key = behind.and_then(|front| front.partition.as_ref()).map_or("", Partition::as_str);
        let bounds = params![queue, is_limited, priority, turn, key, integer(limit as u64)];
        let fronts = self.statements.fronts.get()?;
        fronts.query_map(bounds, |row| read_front(row, is_limited))?.collect()
    }

    /// The place of a partition with this opening. It is none of the known fronts.
    pub(super) fn placed(
        &mut self,
        queue: i64,
        fronts: &Fronts,
        former: Option<TurnPlace>,
        opening: Option<Opening>,
        limit: &LimitInForce,
    ) -> rusqlite::Result<Option<TurnPlace>> {
        let Some(opening) = opening else { return Ok(None) };
        if let Some(kept) = opening.kept(former) {
            return Ok(Some(kept));
        }
        let lowest = self.lowest_turn(queue, fronts, opening.priority)?;
        Ok(Some(opening.behind(fronts.present, lowest, &limit.limit)))
    }

    /// The lowest turn of the fronts whose next job has this priority.
    pub(super) fn lowest_turn(
        &mut self,
        queue: i64,
        fronts: &Fronts,
        priority: i16,
    ) -> rusqlite::Result<Option<Turn>> {
        let mut lowest = fronts.lowest(priority);
        for (side, is_limited) in [(&fronts.free, false), (&fronts.limited, true)] {
            if let Some((turn, key)) = side.unknown_from(priority) {
                let behind = params![queue, is_limited, priority, turn_column(turn), key];
                let unknown =
                    self.statements.lowest_turn.query_row(behind, |row| read_turn(row, 0)).optional()?;
                lowest = lowest.into_iter().chain(unknown).min();
            }
        }
        Ok(lowest)
    }
}
