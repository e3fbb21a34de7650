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
pub(super) mod on_processing {
    use queue_core::lifecycle::OnProcessing;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(value: &OnProcessing, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bool(*value == OnProcessing::Request)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<OnProcessing, D::Error> {
        Ok(if bool::deserialize(from)? { OnProcessing::Request } else { OnProcessing::Leave })
    }
}

/// A content type, if there is one, checked when it is read.
pub(super) mod content_type {
    use queue_core::ContentType;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    pub(in super::super) fn serialize<S: Serializer>(
        value: &Option<ContentType>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(ContentType::as_str).serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<ContentType>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(ContentType::new).transpose().map_err(D::Error::custom)
    }
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
