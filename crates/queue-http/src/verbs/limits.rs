//! The limits of a queue and of its partitions.

use super::operations::ChangeOut;
use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Limit, LimitScope, Partition};
use queue_view::LimitsView;
use serde::{Deserialize, Deserializer, de};
use std::{collections::BTreeMap, fmt, sync::Arc};
use utoipa::ToSchema;

/// Limits to set, as `GET` shows them. `null` takes a limit away, and what is not named stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PutLimits)]
pub(crate) struct LimitsIn {
    /// Of each partition by itself that has no limit of its own.
    #[serde(default, deserialize_with = "named")]
    each: Option<LimitChange>,
    /// Of the jobs without a partition, which have a weight alone.
    #[serde(default, deserialize_with = "named")]
    unpartitioned: Option<LimitChange>,
    /// Of single partitions, by their keys.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, LimitChange>)]
    partitions: OfPartitions,
}

/// A limit to set, or `null` to take the one there is away.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub(crate) struct LimitChange(Option<LimitIn>);

/// A limit. It replaces the one before as a whole.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewLimit)]
pub(crate) struct LimitIn {
    /// The most jobs of a partition that are leased at once: 0 pauses it; no limit if absent.
    running: Option<u32>,
    /// How many jobs a partition gets for one of a partition of weight 1, from 1 to 1000; 1 if
    /// absent.
    weight: Option<u16>,
}

/// Limits by the keys of partitions, each of which is named once.
#[derive(Debug, Default)]
struct OfPartitions(BTreeMap<String, LimitChange>);

/// `GET /v1/queues/{queue}/limits`
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let limits = app.storage.limits(&call.queue()?).await?;
    answer(StatusCode::OK, &LimitsView::of(&limits))
}

/// `PUT /v1/queues/{queue}/limits`
pub(crate) async fn put(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.open_queue()?;
    let changes = call.json::<LimitsIn>()?.checked()?;
    app.storage.set_limits(&queue, changes).await?;
    answer(StatusCode::OK, &ChangeOut::DONE)
}

impl LimitsIn {
    /// The changes, each with a limit that can be.
    fn checked(self) -> Result<Vec<(LimitScope, Option<Limit>)>> {
        let Self { each, unpartitioned, partitions: OfPartitions(partitions) } = self;
        let each = each.map(|limit| changed(LimitScope::EachPartition, limit, "each"));
        let unpartitioned =
            unpartitioned.map(|limit| changed(LimitScope::Unpartitioned, limit, "unpartitioned"));
        let partitions = partitions.into_iter().map(|(key, limit)| {
            let place = format!("partitions[{key:?}]");
            let partition = Partition::new(&key).map_err(|invalid| Problem::from(invalid).at(&place))?;
            changed(LimitScope::Partition(partition), limit, &place)
        });
        let changes = each.into_iter().chain(unpartitioned).chain(partitions).collect::<Result<Vec<_>>>()?;
        match changes.len() {
            0 => Err(Problem::invalid("each, unpartitioned, partitions: give at least one limit")),
            count if count > Limit::SCOPES_MAX => {
                let most = Limit::SCOPES_MAX;
                Err(Problem::too_large(format!("partitions: at most {most} limits in one call, not {count}")))
            }
            _ => Ok(changes),
        }
    }
}

fn changed(
    scope: LimitScope,
    LimitChange(limit): LimitChange,
    place: &str,
) -> Result<(LimitScope, Option<Limit>)> {
    let Some(LimitIn { running, weight }) = limit else { return Ok((scope, None)) };
    let limit = Limit { running, weight: weight.unwrap_or(Limit::default().weight) };
    limit.check(&scope).map_err(|error| Problem::from(error).at(place))?;
    Ok((scope, Some(limit)))
}

/// What is named and `null` differs from what is not named.
fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<LimitChange>, D::Error> {
    LimitChange::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for OfPartitions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = OfPartitions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("limits by the keys of partitions")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<OfPartitions, A::Error> {
                let mut limits = BTreeMap::new();
                while let Some((key, limit)) = map.next_entry::<String, LimitChange>()? {
                    if limits.contains_key(&key) {
                        return Err(de::Error::custom(format_args!("the key {key:?} is given twice")));
                    }
                    limits.insert(key, limit);
                }
                Ok(OfPartitions(limits))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}
