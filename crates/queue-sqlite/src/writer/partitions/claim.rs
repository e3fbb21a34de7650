//! Leasing jobs in a queue with partitions or limits.

use super::{
    super::{
        claim::{Search, read_whole},
        session::SqliteSession,
    },
    due::DuePlace,
    fronts::Fronts,
};
use crate::{
    row::{SqliteRecord, integer, name},
    sql,
};
use queue_core::{
    AnswerRoom, ClaimRequest, Claimed, JobBody, JobMeta, Kind, Limit, Partition, PausedKind, QueueName,
    Timestamp,
    lifecycle::{Opening, PartitionFront, TurnPlace},
};
use queue_store::KindPauses;
use rusqlite::{OptionalExtension, Row, params};

/// The next job of a front.
enum NextJob {
    Taken(Box<(SqliteRecord, JobBody)>),
    /// It is of a paused kind.
    Paused(Box<JobMeta>),
    /// The answer has no room for it.
    TooLarge,
}

/// What the claims of one search share.
struct Turns<'k> {
    fronts: Fronts,
    kinds: Option<&'k KindPauses>,
    /// How many jobs may yet be set aside or brought back.
    aside_room: usize,
}

impl SqliteSession<'_> {
    /// Leases due jobs in turn, for one request after the other. Answers for each whether its bytes
    /// had no room for a job that it might have taken. Jobs whose time has come are moved in any
    /// case: in a full partition they are nothing to wait for.
    pub(in super::super) fn claim_in_turn(
        &mut self,
        search: &Search<'_>,
        kinds: Option<&mut KindPauses>,
        answers: &mut [Claimed],
    ) -> rusqlite::Result<Vec<bool>> {
        let Search { queue, requests, .. } = *search;
        self.promote_in_turn(queue, search.has_gated)?;
        let now = self.moment.now;
        if search.is_paused || requests.iter().all(|request| request.limit_at(now) == 0) {
            self.settle_partitions()?;
            return Ok(vec![false; requests.len()]);
        }
        let mut aside_room = PausedKind::SET_ASIDE_MAX;
        let is_back = match &kinds {
            Some(kinds) => self.bring_back_in_turn(queue, kinds, &mut aside_room)?,
            None => true,
        };
        self.settle_partitions()?;
        let mut cut_short = vec![false; requests.len()];
        if is_back {
            let fronts = self.load_fronts(queue)?;
            let mut turns = Turns { fronts, kinds: kinds.as_deref(), aside_room };
            self.place_line(queue, &mut turns.fronts)?;
            for (request, (answer, cut_short)) in requests.iter().zip(answers.iter_mut().zip(&mut cut_short))
            {
                *cut_short = self.lease_for(queue, request, answer, &mut turns)?;
            }
            aside_room = turns.aside_room;
            self.save_fronts(queue, &turns.fronts)?;
        }
        if let Some(kinds) = kinds {
            kinds.set_aside = PausedKind::SET_ASIDE_MAX - aside_room;
        }
        Ok(cut_short)
    }

    /// The jobs for one request; true if the bytes of its answer ended it.
    fn lease_for(
        &mut self,
        queue: i64,
        request: &ClaimRequest,
        answer: &mut Claimed,
        turns: &mut Turns<'_>,
    ) -> rusqlite::Result<bool> {
        let mut room = AnswerRoom::new(request.bytes_max);
        let mut left = request.limit_at(self.moment.now);
        let mut limited = request.limited_max;
        while left > 0 {
            let Some(front) = self.first_front(queue, &mut turns.fronts, limited > 0, left)? else { break };
            let has_taken = match self.next_job(queue, &request.queue, &front, turns.kinds, &mut room)? {
                Some(NextJob::Taken(job)) => {
                    let (stored, body) = *job;
                    self.delete_due(queue, front.partition.as_ref(), place_of(&stored.job.meta))?;
                    answer.jobs.push(self.lease_one(queue, stored, body, request)?);
                    left -= 1;
                    limited -= usize::from(front.is_limited);
                    true
                }
                Some(NextJob::Paused(job)) => {
                    let Some(fewer) = turns.aside_room.checked_sub(1) else { break };
                    turns.aside_room = fewer;
                    self.set_aside(queue, front.partition.as_ref(), &job)?;
                    false
                }
                Some(NextJob::TooLarge) => return Ok(true),
                None => false,
            };
            self.move_on(queue, &mut turns.fronts, &front, has_taken)?;
        }
        answer.kept_back =
            left > 0 && limited == 0 && self.first_front(queue, &mut turns.fronts, true, 1)?.is_some();
        Ok(false)
    }

    /// The next job of a front. The payload of one of a paused kind is not read.
    fn next_job(
        &mut self,
        queue: i64,
        name: &QueueName,
        front: &PartitionFront,
        kinds: Option<&KindPauses>,
        room: &mut AnswerRoom,
    ) -> rusqlite::Result<Option<NextJob>> {
        let read = |row: &Row<'_>| read_next(row, name, kinds, room);
        match &front.partition {
            Some(partition) => {
                let key = params![queue, partition.as_str()];
                self.statements.partition_job.query_row(key, read).optional()
            }
            None => self.statements.ready_jobs.query_row(params![queue, 1], read).optional(),
        }
    }

    /// A due job leaves the way of claims.
    fn set_aside(
        &mut self,
        queue: i64,
        partition: Option<&Partition>,
        job: &JobMeta,
    ) -> rusqlite::Result<()> {
        let place = place_of(job);
        self.delete_due(queue, partition, place)?;
        let entry = params![queue, job.kind.as_str(), place.0, place.1, place.2];
        self.rarely(sql::INSERT_ASIDE)?.execute(entry).map(drop)
    }

    /// The job of a front was taken, or set aside: the front moves on.
    fn move_on(
        &mut self,
        queue: i64,
        fronts: &mut Fronts,
        front: &PartitionFront,
        has_taken: bool,
    ) -> rusqlite::Result<()> {
        fronts.remove(front);
        let next = self.next_priority(queue, front.partition.as_ref())?;
        let Some(partition) = &front.partition else {
            let limit = fronts.line_limit;
            let former = turned(fronts, front, has_taken, &limit.limit);
            fronts.line = self.placed(queue, fronts, Some(former), Opening::unpartitioned(next), &limit)?;
            fronts.line.into_iter().for_each(|place| fronts.insert(PartitionFront::new(None, place)));
            return Ok(());
        };
        let mut lane = match fronts.lanes.remove(partition) {
            Some(lane) => lane,
            None => self.load_lane(queue, partition)?,
        };
        lane.count(self.partitions.take(&queue, partition));
        let former = turned(fronts, front, has_taken, &lane.limit.limit);
        lane.place = self.placed(queue, fronts, Some(former), lane.opening(next), &lane.limit)?;
        lane.place
            .into_iter()
            .for_each(|place| fronts.insert(PartitionFront::new(Some(partition.clone()), place)));
        fronts.lanes.insert(partition.clone(), lane);
        Ok(())
    }

    /// Finds out where the jobs without a partition stand, which enqueues and settles do not
    /// write down.
    fn place_line(&mut self, queue: i64, fronts: &mut Fronts) -> rusqlite::Result<()> {
        let former = fronts.line.take();
        if let Some(former) = former {
            fronts.remove(&PartitionFront::new(None, former));
        }
        let opening = Opening::unpartitioned(self.next_priority(queue, None)?);
        fronts.line_limit = if opening.is_some() { self.limit_of(queue, None)? } else { fronts.line_limit };
        let limit = fronts.line_limit;
        fronts.line = self.placed(queue, fronts, former, opening, &limit)?;
        fronts.line.into_iter().for_each(|place| fronts.insert(PartitionFront::new(None, place)));
        Ok(())
    }

    fn save_fronts(&mut self, queue: i64, fronts: &Fronts) -> rusqlite::Result<()> {
        for (partition, lane) in &fronts.lanes {
            self.save_lane(queue, partition, lane)?;
        }
        self.save_turn(queue, fronts)
    }

    /// When the next job became due of a partition that has one to give.
    pub(in super::super) fn due_to_give(&mut self, queue: i64) -> rusqlite::Result<Option<Timestamp>> {
        let mut fronts = Fronts::default();
        let first = self.first_front(queue, &mut fronts, true, 1)?;
        let Some(partition) = first.and_then(|front| front.partition) else { return Ok(None) };
        let key = params![queue, partition.as_str(), i64::MIN];
        let due = self.statements.first_of_partition.query_row(key, |row| row.get(1)).optional()?;
        Ok(due.map(Timestamp::from_millis))
    }
}

/// Where a due job stands in its partition.
fn place_of(job: &JobMeta) -> DuePlace {
    (job.priority, job.run_at.as_millis(), integer(job.seq.get()))
}

/// Where a front stood, with its turn moved on if a job of it was taken.
fn turned(fronts: &mut Fronts, front: &PartitionFront, has_taken: bool, limit: &Limit) -> TurnPlace {
    if !has_taken {
        return front.place();
    }
    fronts.present = front.turn;
    front.place().after_job(limit)
}

fn read_next(
    row: &Row<'_>,
    queue: &QueueName,
    kinds: Option<&KindPauses>,
    room: &mut AnswerRoom,
) -> rusqlite::Result<NextJob> {
    if let Some(kinds) = kinds
        && kinds.stops(&name::<Kind>(row, 2)?)
    {
        return Ok(NextJob::Paused(Box::new(SqliteRecord::read(row, queue)?.job.meta)));
    }
    let (stored, body) = read_whole(row, queue)?;
    let fits = room.takes(body.payload.bytes.len());
    Ok(if fits { NextJob::Taken(Box::new((stored, body))) } else { NextJob::TooLarge })
}
