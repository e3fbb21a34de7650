//! From the name of a verb and its bytes to the store, and back.

use super::{answer_body::AnswerBody, hint_body::HintBody, request::Refusal};
use crate::{
    contract::{
        Announce, Apply, Attempts, Claim, Count, Diagnose, Enqueue, Get, Import, List, ListLimits,
        ListPartitions, ListQueues, ListWorkers, Listen, Open, ReadSeries, Remove, SetDuty, SetLimits,
        SetPaused, Topic, Verb, Verify, WriteSeries,
    },
    wire::{ErrorReport, Opened, decode, encode},
};
use bytes::Bytes;
use http::StatusCode;
use queue_core::{Error, ErrorKind, Interest, LostClaim, Result, Storage};
use std::sync::Arc;

/// What the store answers.
pub(super) struct Answered {
    pub(super) status: StatusCode,
    pub(super) body: AnswerBody,
}

/// Calls the verb.
pub(super) async fn answer(store: &Arc<dyn Storage>, verb: &str, body: Bytes) -> Result<Answered, Refusal> {
    let s = &**store;
    match verb {
        Open::NAME => run::<Open, _>(body, |()| async { Ok(Opened::of(&s.capabilities())) }).await,
        Enqueue::NAME => {
            run::<Enqueue, _>(body, |(queue, groups)| async move { s.enqueue(&queue, groups).await }).await
        }
        Claim::NAME => claim(store, body).await,
        Apply::NAME => run::<Apply, _>(body, |batch| s.apply(batch)).await,
        Get::NAME => {
            run::<Get, _>(body, |((queue, ids), what)| async move { s.get(&queue, &ids, what).await }).await
        }
        List::NAME => run::<List, _>(body, |query| s.list(query)).await,
        Attempts::NAME => {
            run::<Attempts, _>(body, |(queue, ids)| async move { s.attempts(&queue, &ids).await }).await
        }
        Count::NAME => run::<Count, _>(body, |queue| async move { s.counts(&queue).await }).await,
        ListQueues::NAME => run::<ListQueues, _>(body, |query| s.queues(query)).await,
        Remove::NAME => run::<Remove, _>(body, |request| s.prune(request)).await,
        Import::NAME => run::<Import, _>(body, |request| s.import(request)).await,
        SetPaused::NAME => {
            let call = |((queue, kind), pause): ((_, Option<_>), _)| async move {
                s.set_paused(&queue, kind.as_ref(), pause).await
            };
            run::<SetPaused, _>(body, call).await
        }
        SetLimits::NAME => {
            run::<SetLimits, _>(body, |(queue, limits)| async move { s.set_limits(&queue, limits).await })
                .await
        }
        ListLimits::NAME => run::<ListLimits, _>(body, |queue| async move { s.limits(&queue).await }).await,
        ListPartitions::NAME => run::<ListPartitions, _>(body, |query| s.partitions(query)).await,
        Announce::NAME => run::<Announce, _>(body, |(worker, ttl)| s.announce(worker, ttl)).await,
        SetDuty::NAME => {
            run::<SetDuty, _>(body, |(worker, duty)| async move { s.set_duty(&worker, duty).await }).await
        }
        ListWorkers::NAME => run::<ListWorkers, _>(body, |()| s.workers()).await,
        WriteSeries::NAME => run::<WriteSeries, _>(body, |(entry, ttl)| s.write_series(entry, ttl)).await,
        ReadSeries::NAME => run::<ReadSeries, _>(body, |query| s.read_series(query)).await,
        Verify::NAME => run::<Verify, _>(body, |()| s.verify()).await,
        Diagnose::NAME => run::<Diagnose, _>(body, |()| s.diagnose()).await,
        Listen::NAME => listen(store, body).await,
        _ => Err(Refusal { status: StatusCode::NOT_FOUND, why: "the store has no such verb\n" }),
    }
}

async fn run<V: Verb, F>(body: Bytes, call: impl FnOnce(V::Request) -> F) -> Result<Answered, Refusal>
where
    F: Future<Output = Result<V::Answer>>,
{
    Ok(match call(request::<V>(body)?).await {
        Ok(answer) => good(AnswerBody::whole(encode(&answer))),
        Err(error) => failed(&error),
    })
}

/// The jobs of an answer that cannot be sent go back.
async fn claim(store: &Arc<dyn Storage>, body: Bytes) -> Result<Answered, Refusal> {
    let request = request::<Claim>(body)?;
    let lost = LostClaim::of(&request);
    Ok(match store.claim(request).await {
        Ok(claimed) if claimed.jobs.is_empty() => good(AnswerBody::whole(encode(&claimed))),
        Ok(claimed) => good(AnswerBody::claimed(encode(&claimed), store.clone(), lost)),
        Err(error) => failed(&error),
    })
}

async fn listen(store: &Arc<dyn Storage>, body: Bytes) -> Result<Answered, Refusal> {
    let (queue, topic) = request::<Listen>(body)?;
    let interest = if topic == Topic::Wake { Interest::Wake } else { Interest::All };
    Ok(match store.subscribe(&queue, interest).await {
        Ok(hints) => good(AnswerBody::hints(HintBody::new(hints, topic))),
        Err(error) => failed(&error),
    })
}

fn request<V: Verb>(body: Bytes) -> Result<V::Request, Refusal> {
    let why = "the request is none of this version of the library\n";
    decode(body).map_err(|_| Refusal { status: StatusCode::BAD_REQUEST, why })
}

fn good(body: AnswerBody) -> Answered {
    Answered { status: StatusCode::OK, body }
}

fn failed(error: &Error) -> Answered {
    let status = match error.kind() {
        ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::Unavailable | ErrorKind::Closed => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Unsupported => StatusCode::NOT_IMPLEMENTED,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Answered { status, body: AnswerBody::whole(encode(&ErrorReport::of(error))) }
}
