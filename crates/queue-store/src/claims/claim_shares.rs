//! How the jobs that a store reads once are shared out among several claims of a queue.

use queue_core::{AnswerRoom, ClaimRequest, Timestamp};

/// Who gets which of the jobs that a store reads once for several claims of a queue: each job, in
/// claim order, goes to the claim that would get it if they came one after the other. A part for
/// authors of stores.
///
/// ```
/// use queue_core::{ClaimRequest, QueueName, SystemRng, Span, Timestamp, WorkerId};
/// use queue_store::ClaimShares;
///
/// let (queue, worker) = (QueueName::from_static("q"), WorkerId::from_static("w"));
/// let claim = |limit| ClaimRequest::new(queue.clone(), worker.clone(), limit, Span::from_secs(30), &SystemRng);
/// let small = ClaimRequest { bytes_max: 10, ..claim(5) };
/// let mut shares = ClaimShares::new(&[&claim(1), &small, &claim(1)], Timestamp::default());
/// assert_eq!(shares.wanted(), 7);
/// let takers: Vec<_> = [8, 8, 8, 8].into_iter().map(|bytes| shares.takes(bytes)).collect();
/// assert_eq!(takers, [Some(0), Some(1), Some(2), None]);
/// assert_eq!(shares.cut_short().collect::<Vec<_>>(), [false, true, false]);
/// ```
#[derive(Debug)]
pub struct ClaimShares {
    shares: Vec<Share>,
    /// Whose turn it is.
    at: usize,
}

#[derive(Debug)]
struct Share {
    left: usize,
    room: AnswerRoom,
    is_cut_short: bool,
}

impl ClaimShares {
    /// No request has a job yet; a request whose sender has stopped listening gets none.
    pub fn new(requests: &[&ClaimRequest], now: Timestamp) -> Self {
        let share = |request: &&ClaimRequest| Share {
            left: request.limit_at(now),
            room: AnswerRoom::new(request.bytes_max),
            is_cut_short: false,
        };
        Self { shares: requests.iter().map(share).collect(), at: 0 }
    }

    /// How many jobs they may still get together.
    pub fn wanted(&self) -> usize {
        self.shares.iter().skip(self.at).map(|share| share.left).sum()
    }

    /// Which request takes the next job, whose payload has so many bytes; `None` once all have what
    /// they may.
    pub fn takes(&mut self, payload_bytes: usize) -> Option<usize> {
        while let Some(share) = self.shares.get_mut(self.at) {
            if share.left > 0 && share.room.takes(payload_bytes) {
                share.left -= 1;
                return Some(self.at);
            }
            share.is_cut_short = share.left > 0;
            self.at += 1;
        }
        None
    }

    /// For each request whether its bytes had no room for a job that it might have taken: it is to
    /// ask again at once.
    pub fn cut_short(&self) -> impl Iterator<Item = bool> {
        self.shares.iter().map(|share| share.is_cut_short)
    }
}
