//! The first scene of the demonstration: each operation on a message, by its holder and by a former
//! holder.

use super::Visibility;
use crate::{Result, Stage};
use queue::{Delivery, Extended, Failure, Settled};
use std::time::Duration;

const LONG: Duration = Duration::from_mins(5);
const SHORT: Duration = Duration::from_millis(50);

/// Every verb once, by its holder and by one who no longer is.
pub(super) async fn scene(stage: &Stage) -> Result {
    let messages = Visibility::<String>::new(stage.store(), stage.queue(), LONG)?;
    for id in ["a", "b", "c"] {
        let _new = messages.publish(id, format!("message {id}")).await?;
    }
    stage.say(format!("published: {}", messages.len().await?));
    let a = claim(&messages).await?;
    let rest = messages.claim_batch(10, Duration::ZERO).await?;
    stage.say(format!("claimed one: {}, and a batch: {}", a.id(), ids(&rest)));
    stage.say(format!("visible: {}", messages.claim(Duration::ZERO).await?.is_some()));

    let refused = a.nack(Failure::new("NotNow", "later")).await?;
    let again = claim(&messages).await?;
    stage.say(format!("nack {}: {refused:?}; visible again, attempt {}", a.id(), again.attempt()));
    stage.say(format!("ack {}: {:?}", again.id(), again.ack(&()).await?));

    let late = &rest[0];
    stage.say(format!("extend {}: {:?}", late.id(), late.extend(SHORT).await?));
    let taken = claim(&messages).await?;
    stage.say(format!("not extended again, {} becomes visible, attempt {}", taken.id(), taken.attempt()));
    stage.say(format!("its first holder: {}", answers(late).await?));
    stage.say(format!("its second holder: ack {:?}", taken.ack(&()).await?));
    messages.purge().await?;
    stage.say(format!("purged: {} left", messages.len().await?));
    let gone = rest[1].ack(&()).await? == Settled::Missing;
    stage.say(format!("the holder of {} is told that it is gone: {gone}", rest[1].id()));
    Ok(())
}

async fn claim(messages: &Visibility<String>) -> Result<Delivery<String>> {
    Ok(messages.claim(LONG).await?.ok_or("nothing became visible")?)
}

/// The answers to a caller that is no longer the holder.
async fn answers(message: &Delivery<String>) -> Result<String> {
    let (ack, nack) = (message.ack(&()).await?, message.nack(Failure::new("Late", "")).await?);
    let extended: Extended = message.extend(LONG).await?;
    Ok(format!("ack {ack:?}, nack {nack:?}, extend {extended:?}"))
}

fn ids(messages: &[Delivery<String>]) -> String {
    messages.iter().map(|message| message.id().as_str()).collect::<Vec<_>>().join(", ")
}
