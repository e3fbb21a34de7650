//! The tasks of a group that runs.

use super::{BoxError, GroupError, Member};
use crate::{runtime::panics::caught, spawn::spawn};
use futures_util::{StreamExt, stream::FuturesUnordered};
use std::{pin::Pin, time::Duration};
use tokio::time::timeout;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// How long a dropped member may keep its thread before the group ends without it.
const ABORT_WAIT: Duration = Duration::from_secs(1);

/// The members of a group that runs.
pub(super) struct RunningGroup {
    members: Vec<RunningMember>,
    /// Resolves with the index of each member that ends.
    ends: FuturesUnordered<MemberEndFuture>,
    first_error: Option<GroupError>,
}

type MemberEndFuture = Pin<Box<dyn Future<Output = (usize, MemberEnd)> + Send>>;

struct RunningMember {
    name: String,
    stop: CancellationToken,
    /// Cancelled to drop the member.
    abort: CancellationToken,
    end: MemberState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberState {
    NotYet,
    Itself,
    Dropped,
}

enum MemberEnd {
    Returned(Result<(), BoxError>),
    Panicked(String),
    Dropped,
}

impl RunningGroup {
    pub(super) fn start(members: Vec<(String, Box<dyn Member>)>) -> Self {
        let mut running = Self { members: Vec::new(), ends: FuturesUnordered::new(), first_error: None };
        for (index, (name, member)) in members.into_iter().enumerate() {
            let stop = CancellationToken::new();
            let abort = CancellationToken::new();
            let task = AbortOnDropHandle::new(spawn(run_member(member, stop.clone(), abort.clone())));
            // The task catches panics itself, so only the end of the runtime can keep it from
            // answering.
            running.ends.push(Box::pin(async move { (index, task.await.unwrap_or(MemberEnd::Dropped)) }));
            running.members.push(RunningMember { name, stop, abort, end: MemberState::NotYet });
        }
        running
    }

    pub(super) async fn until_error_or_end(&mut self) {
        while self.first_error.is_none() && self.note_next_end().await {}
    }

    /// Stops the members that still run, the last first, all within one deadline.
    pub(super) async fn stop(&mut self, deadline: Duration) {
        if timeout(deadline, self.stop_in_reverse()).await.is_ok() {
            return;
        }
        // Members that got no stop get one chance to end by themselves.
        for member in self.members.iter().rev() {
            member.stop.cancel();
            member.abort.cancel();
        }
        let all_ended = async { while self.note_next_end().await {} };
        let _ended = timeout(ABORT_WAIT, all_ended).await;
    }

    pub(super) fn into_result(self) -> Result<(), GroupError> {
        let overdue = self.members.into_iter().filter(|member| member.end != MemberState::Itself);
        let members: Vec<String> = overdue.map(|member| member.name).collect();
        if !members.is_empty() {
            tracing::error!(?members, "members had not ended by the stop deadline");
        }
        match self.first_error {
            Some(error) => Err(error),
            None if members.is_empty() => Ok(()),
            None => Err(GroupError::Overdue { members }),
        }
    }

    async fn stop_in_reverse(&mut self) {
        for index in (0..self.members.len()).rev() {
            self.members[index].stop.cancel();
            while self.members[index].end == MemberState::NotYet && self.note_next_end().await {}
        }
    }

    /// Waits for the next end of a member; false if all have ended.
    async fn note_next_end(&mut self) -> bool {
        let Some((index, ended)) = self.ends.next().await else { return false };
        let member = &mut self.members[index];
        member.end =
            if matches!(ended, MemberEnd::Dropped) { MemberState::Dropped } else { MemberState::Itself };
        let name = member.name.clone();
        let error = match ended {
            MemberEnd::Returned(Ok(())) | MemberEnd::Dropped => return true,
            MemberEnd::Returned(Err(error)) => GroupError::Failed { member: name, error },
            MemberEnd::Panicked(message) => GroupError::Panicked { member: name, message },
        };
        tracing::error!(%error, "a member of the group ended with an error");
        self.first_error.get_or_insert(error);
        true
    }
}

async fn run_member(member: Box<dyn Member>, stop: CancellationToken, abort: CancellationToken) -> MemberEnd {
    let run = caught(async {
        tokio::select! {
            biased;
            result = member.run(stop) => MemberEnd::Returned(result),
            () = abort.cancelled() => MemberEnd::Dropped,
        }
    });
    run.await.unwrap_or_else(MemberEnd::Panicked)
}
