//! How large the payload of a schedule may be.

use crate::schedules::{HOUR, set_up};
use queue::{
    ErrorKind, Queue, Raw,
    schedules::{Schedule, ScheduleError, Timing},
};
use std::error::Error as _;

/// Each byte is stored as a number of up to three digits, and a comma.
#[tokio::test]
async fn a_payload_that_is_no_text_is_refused_with_the_size_of_the_whole_schedule() {
    let (_, reports) = set_up();
    let raw: Queue<Raw> = Queue::new(reports.storage().clone(), "raw").expect("a name");
    let of_bytes = |count| {
        let payload = queue::Payload::new(
            vec![255_u8; count],
            queue::queue_core::ContentType::from_static("application/x"),
        );
        Schedule::new("hourly", Timing::every(HOUR).expect("an hour"), Raw(payload))
    };
    raw.schedules().put(&of_bytes(260_000)).await.expect("there is room");
    let refused = raw.schedules().put(&of_bytes(270_000)).await.expect_err("it is too large");
    assert_eq!(refused.kind(), ErrorKind::Invalid, "{refused}");
    let source = refused.source().and_then(|source| source.downcast_ref::<ScheduleError>());
    let Some(ScheduleError::TooLarge { payload_bytes, bytes_max, .. }) = source else {
        panic!("{refused:?}")
    };
    assert_eq!((*payload_bytes, *bytes_max), (4 * 270_000 + 1, 1 << 20));
    let declared = raw.schedules().declare([of_bytes(270_000)]).await.expect_err("it is too large");
    assert_eq!(declared.kind(), ErrorKind::Invalid, "{declared}");
}
