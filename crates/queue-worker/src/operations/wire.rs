//! How parts of an operation are written as JSON.

#![expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]

/// A retention as the number that stores write.
pub(super) mod retention {
    use queue_core::Retention;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(in super::super) fn serialize<S: Serializer>(value: &Retention, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(value.as_raw())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Retention, D::Error> {
        let raw = i64::deserialize(from)?;
        Retention::from_raw(raw).ok_or_else(|| D::Error::custom("no retention has this number"))
    }
}

/// Whether running jobs are asked to stop.
pub(super) mod on_running {
    use queue_core::lifecycle::OnRunning;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(value: &OnRunning, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bool(*value == OnRunning::Request)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OnRunning, D::Error> {
        Ok(if bool::deserialize(from)? { OnRunning::Request } else { OnRunning::Leave })
    }
}

/// A name or an id, checked when it is read.
macro_rules! names {
    ($($module:ident: $type:ty = $parse:expr;)*) => {$(
        pub(super) mod $module {
            use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

            pub(in super::super) fn serialize<S: Serializer>(
                value: &Option<$type>,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                match value {
                    Some(name) => to.serialize_str(name.as_str()),
                    None => to.serialize_none(),
                }
            }

            pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<Option<$type>, D::Error> {
                let text = Option::<String>::deserialize(from)?;
                text.map($parse).transpose().map_err(D::Error::custom)
            }
        }
    )*};
}

names! {
    content_type: queue_core::ContentType = queue_core::ContentType::new;
    kind: queue_core::Kind = queue_core::Kind::new;
    tag: queue_core::Tag = queue_core::Tag::new;
    worker: queue_core::WorkerId = queue_core::WorkerId::new;
}

/// The name of a queue.
pub(super) mod queue {
    use queue_core::QueueName;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(in super::super) fn serialize<S: Serializer>(value: &QueueName, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.as_str())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<QueueName, D::Error> {
        QueueName::new(String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// A time, if there is one, in milliseconds.
pub(super) mod time {
    use queue_core::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        value: &Option<Timestamp>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.map(Timestamp::as_millis).serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        Ok(Option::<i64>::deserialize(from)?.map(Timestamp::from_millis))
    }
}
