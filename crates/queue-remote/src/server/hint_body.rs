//! A stream of hints as the body of an answer.

use crate::{
    contract::Topic,
    hints::{PULSE, PULSE_EVERY, put_frame},
};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use queue_core::{EventStream, Hint, State};
use std::{
    pin::Pin,
    task::{Context, Poll},
};
use tokio::time::{Instant, Sleep, sleep};

/// A piece goes out when it has so many bytes, or when there is no hint left.
const PIECE: usize = 16 << 10;

/// Hints of the store in pieces, and a sign of life where there are none.
pub(super) struct HintBody {
    hints: EventStream,
    topic: Topic,
    pulse: Pin<Box<Sleep>>,
}

impl HintBody {
    pub(super) fn new(hints: EventStream, topic: Topic) -> Self {
        Self { hints, topic, pulse: Box::pin(sleep(PULSE_EVERY)) }
    }

    /// The next piece; none after the end of the hints, which is when the store closes.
    pub(super) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut piece = BytesMut::new();
        let has_ended = loop {
            match self.hints.poll_next_unpin(context) {
                Poll::Ready(Some(hint)) => {
                    if self.is_asked_for(&hint) {
                        put_frame(&mut piece, &hint);
                    }
                    if piece.len() >= PIECE {
                        break false;
                    }
                }
                Poll::Ready(None) => break true,
                Poll::Pending => break false,
            }
        };
        if piece.is_empty() {
            if has_ended {
                return Poll::Ready(None);
            }
            if self.pulse.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            piece.extend_from_slice(&PULSE);
        }
        self.pulse.as_mut().reset(Instant::now() + PULSE_EVERY);
        Poll::Ready(Some(piece.freeze()))
    }

    fn is_asked_for(&self, hint: &Hint) -> bool {
        match (self.topic, hint) {
            (Topic::Ends, Hint::Job(change)) => change.state.is_none_or(State::is_terminal),
            _ => true,
        }
    }
}
