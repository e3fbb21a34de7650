//! Bodies of requests, read whole before a handler runs.

use crate::access::{Refusal, RequestLimits};
use axum::body::{Body, Bytes, HttpBody};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use std::sync::Arc;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Room is counted in these many bytes, since a semaphore counts to 2^29 at least.
const UNIT: usize = 1_024;

/// The room for bodies, of all requests together.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    limits: RequestLimits,
    room: Arc<Semaphore>,
}

impl Bodies {
    pub(crate) fn new(limits: RequestLimits) -> Self {
        let units = limits.bodies_bytes_max.max(limits.body_bytes_max).div_ceil(UNIT);
        Self { limits, room: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))) }
    }

    /// Reads the body. The room that it takes is free again when the permit is dropped.
    pub(crate) async fn read(&self, body: Body) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Refusal> {
        if body.is_end_stream() {
            return Ok((Bytes::new(), None));
        }
        let most = self.limits.body_bytes_max;
        // A body without a length may become as large as any.
        let size = body.size_hint().upper().unwrap_or(most as u64);
        let size = usize::try_from(size).ok().filter(|size| *size <= most).ok_or(Refusal::TooLarge)?;
        let units = u32::try_from(size.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let room = timeout(self.limits.body_timeout, self.room.clone().acquire_many_owned(units));
        let Ok(Ok(permit)) = room.await else { return Err(Refusal::Busy) };
        match timeout(self.limits.body_timeout, Limited::new(body, most).collect()).await {
            Ok(Ok(read)) => Ok((read.to_bytes(), Some(permit))),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge),
            Ok(Err(_)) => Err(Refusal::Malformed("the body ended before its length")),
            Err(_) => Err(Refusal::TooSlow),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bodies, Refusal};
    use crate::access::RequestLimits;
    use axum::body::{Body, Bytes};
    use futures_util::stream;
    use std::{convert::Infallible, time::Duration};

    fn bodies() -> Bodies {
        let limits = RequestLimits {
            body_bytes_max: 4_096,
            bodies_bytes_max: 4_096,
            body_timeout: Duration::from_secs(5),
            ..RequestLimits::default()
        };
        Bodies::new(limits)
    }

    fn chunks(count: usize) -> Body {
        let chunk = || Ok::<_, Infallible>(Bytes::from(vec![b'x'; 1_024]));
        Body::from_stream(stream::iter((0..count).map(move |_| chunk())))
    }

    #[tokio::test]
    async fn a_body_is_refused_by_its_length_or_as_soon_as_it_is_too_long() {
        let bodies = bodies();
        assert_eq!(bodies.read(Body::from(vec![0; 4_096])).await.unwrap().0.len(), 4_096);
        assert_eq!(bodies.read(Body::from(vec![0; 4_097])).await.unwrap_err(), Refusal::TooLarge);
        assert_eq!(bodies.read(chunks(4)).await.unwrap().0.len(), 4_096);
        assert_eq!(bodies.read(chunks(5)).await.unwrap_err(), Refusal::TooLarge);
        let endless =
            Body::from_stream(stream::repeat_with(|| Ok::<_, Infallible>(Bytes::from_static(b"x"))));
        assert_eq!(bodies.read(endless).await.unwrap_err(), Refusal::TooLarge);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_ends_at_its_time_and_gives_its_room_back() {
        let bodies = bodies();
        let stuck = || Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        assert_eq!(bodies.read(stuck()).await.unwrap_err(), Refusal::TooSlow);
        let (_, held) = bodies.read(chunks(1)).await.unwrap();
        assert_eq!(bodies.read(chunks(1)).await.unwrap_err(), Refusal::Busy);
        drop(held);
        assert!(bodies.read(chunks(1)).await.is_ok());
    }
}
