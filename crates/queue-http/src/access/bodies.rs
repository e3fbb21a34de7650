//! Bodies of requests, read whole before a handler runs.

use crate::access::{Refusal, RequestLimits, shares::UNIT};
use axum::body::{Body, Bytes, HttpBody};
use bytes::BytesMut;
use http_body_util::BodyExt;
use std::sync::Arc;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// The room for the bodies of all requests together. A body takes room as its bytes arrive, not by
/// the length it announces. A request that finds no room is refused at once, so that none waits
/// behind others.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    limits: RequestLimits,
    room: Arc<Semaphore>,
}

/// The room that a body takes of all, and of the share of its caller; free again when dropped.
#[derive(Debug)]
pub(crate) struct Room {
    _of_all: OwnedSemaphorePermit,
    _of_share: OwnedSemaphorePermit,
}

impl Bodies {
    pub(crate) fn new(limits: RequestLimits) -> Self {
        let units = limits.bodies_bytes_max.max(limits.body_bytes_max).div_ceil(UNIT);
        Self { limits, room: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))) }
    }

    /// Reads the body into room of all and of its caller's share.
    pub(crate) async fn read(
        &self,
        body: Body,
        share: &Arc<Semaphore>,
    ) -> Result<(Bytes, Option<Room>), Refusal> {
        if body.is_end_stream() {
            return Ok((Bytes::new(), None));
        }
        if body.size_hint().lower() > self.limits.body_bytes_max as u64 {
            return Err(Refusal::TooLarge);
        }
        let read = timeout(self.limits.body_timeout, self.collect(body, share)).await;
        read.map_err(|_| Refusal::TooSlow)?.map(|(bytes, room)| (bytes, Some(room)))
    }

    async fn collect(&self, mut body: Body, share: &Arc<Semaphore>) -> Result<(Bytes, Room), Refusal> {
        let mut room = Taken::begin(&self.room, Refusal::Busy)?;
        let mut own = Taken::begin(share, Refusal::ShareBusy)?;
        let mut bytes = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Refusal::Malformed("the body ended before its length"))?;
            let Ok(data) = frame.into_data() else { continue };
            let size = bytes.len() + data.len();
            if size > self.limits.body_bytes_max {
                return Err(Refusal::TooLarge);
            }
            own.grow(size)?;
            room.grow(size)?;
            bytes.extend_from_slice(&data);
        }
        Ok((bytes.freeze(), Room { _of_all: room.permit, _of_share: own.permit }))
    }
}

/// Room that grows with a body.
struct Taken<'a> {
    from: &'a Arc<Semaphore>,
    permit: OwnedSemaphorePermit,
    refusal: Refusal,
}

impl<'a> Taken<'a> {
    fn begin(from: &'a Arc<Semaphore>, refusal: Refusal) -> Result<Self, Refusal> {
        let permit = from.clone().try_acquire_many_owned(0).map_err(|_| refusal)?;
        Ok(Self { from, permit, refusal })
    }

    /// Takes what is missing for so many bytes.
    fn grow(&mut self, bytes: usize) -> Result<(), Refusal> {
        let more = bytes.div_ceil(UNIT) - self.permit.num_permits();
        let more = u32::try_from(more).map_err(|_| self.refusal)?;
        let more = self.from.clone().try_acquire_many_owned(more).map_err(|_| self.refusal)?;
        self.permit.merge(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bodies, Refusal};
    use crate::access::RequestLimits;
    use axum::body::{Body, Bytes};
    use futures_util::{FutureExt, future::join_all, stream};
    use std::{convert::Infallible, sync::Arc, time::Duration};
    use tokio::sync::Semaphore;

    fn bodies() -> Bodies {
        let limits = RequestLimits {
            body_bytes_max: 4_096,
            bodies_bytes_max: 8_192,
            body_timeout: Duration::from_secs(5),
            ..RequestLimits::default()
        };
        Bodies::new(limits)
    }

    fn share(kibibytes: usize) -> Arc<Semaphore> {
        Arc::new(Semaphore::new(kibibytes))
    }

    fn chunks(count: usize) -> Body {
        let chunk = || Ok::<_, Infallible>(Bytes::from(vec![b'x'; 1_024]));
        Body::from_stream(stream::iter((0..count).map(move |_| chunk())))
    }

    #[tokio::test]
    async fn a_body_is_refused_by_its_length_or_as_soon_as_it_is_too_long() {
        let bodies = bodies();
        let share = share(100);
        assert_eq!(bodies.read(Body::from(vec![0; 4_096]), &share).await.unwrap().0.len(), 4_096);
        assert_eq!(bodies.read(Body::from(vec![0; 4_097]), &share).await.unwrap_err(), Refusal::TooLarge);
        assert_eq!(bodies.read(chunks(4), &share).await.unwrap().0.len(), 4_096);
        assert_eq!(bodies.read(chunks(5), &share).await.unwrap_err(), Refusal::TooLarge);
        let endless =
            Body::from_stream(stream::repeat_with(|| Ok::<_, Infallible>(Bytes::from_static(b"x"))));
        assert_eq!(bodies.read(endless, &share).await.unwrap_err(), Refusal::TooLarge);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_ends_at_its_time_and_takes_no_room_before() {
        let bodies = bodies();
        let share = share(8);
        let stuck = || Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        let mut promises = Box::pin(join_all((0..100).map(|_| bodies.read(stuck(), &share))));
        assert!((&mut promises).now_or_never().is_none());
        assert!(bodies.read(chunks(4), &share).await.is_ok(), "promises take the room of bytes");
        let ended = promises.await;
        assert!(ended.into_iter().all(|read| read.is_err_and(|why| why == Refusal::TooSlow)));
    }

    #[tokio::test]
    async fn bytes_take_room_of_all_and_of_their_callers_share_until_they_are_dropped() {
        let bodies = bodies();
        let one = share(6);
        let another = share(6);
        let held = bodies.read(chunks(4), &one).await.unwrap();
        assert_eq!(bodies.read(chunks(3), &one).await.unwrap_err(), Refusal::ShareBusy);
        let others = bodies.read(chunks(4), &another).await.unwrap();
        assert_eq!(bodies.read(chunks(1), &another).await.unwrap_err(), Refusal::Busy);
        drop(held);
        assert!(bodies.read(chunks(4), &one).await.is_ok());
        drop(others);
        assert_eq!((one.available_permits(), another.available_permits()), (6, 6));
        assert_eq!(bodies.room.available_permits(), 8);
    }
}
