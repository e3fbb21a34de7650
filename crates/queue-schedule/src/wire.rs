//! Serializes moments and lengths of time as numbers of milliseconds, for serde's `with`.

macro_rules! as_millis {
    ($(#[$doc:meta])* $module:ident, $type:ty, $if_any:ident) => {
        $(#[$doc])*
        pub(crate) mod $module {
            use serde::{Deserialize, Deserializer, Serializer};

            #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
            pub(crate) fn serialize<S: Serializer>(value: &$type, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(value.as_millis())
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                i64::deserialize(deserializer).map(<$type>::from_millis)
            }
        }

        pub(crate) mod $if_any {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            #[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
            pub(crate) fn serialize<S: Serializer>(value: &Option<$type>, serializer: S) -> Result<S::Ok, S::Error> {
                value.map(<$type>::as_millis).serialize(serializer)
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<$type>, D::Error> {
                Ok(Option::<i64>::deserialize(deserializer)?.map(<$type>::from_millis))
            }
        }
    };
}

as_millis! {
    /// A moment, since the Unix epoch.
    moment, queue_core::Timestamp, moment_if_any
}
as_millis! {
    /// A length of time.
    span, queue_core::Span, span_if_any
}
