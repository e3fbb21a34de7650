//! Promises of every codec.

use queue_core::{JobId, Kind, Payload, QueueName};
use queue_serde::{Codec, CodecContext, CodecError, Decode, Encode, Role};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, LazyLock},
};

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
struct Order {
    name: String,
    lines: Vec<Line>,
    note: Option<String>,
    unit: (),
    tags: BTreeMap<String, i64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
enum Line {
    Unit,
    Newtype(u64),
    Tuple(i8, f64),
    Struct { a: bool, b: u128 },
}

/// The job that all bytes here belong to.
fn context() -> CodecContext<'static> {
    static JOB: LazyLock<(QueueName, Kind, JobId)> =
        LazyLock::new(|| (QueueName::from_static("q"), Kind::unnamed(), JobId::from_static("a")));
    CodecContext::new(&JOB.0, &JOB.1, &JOB.2, Role::Payload)
}

fn codecs() -> Vec<Arc<dyn Codec>> {
    vec![
        #[cfg(feature = "json")]
        Arc::new(queue_serde::Json),
        #[cfg(feature = "msgpack")]
        Arc::new(queue_serde::MsgPack),
    ]
}

fn round_trip<T: Serialize + serde::de::DeserializeOwned + PartialEq + Debug>(value: &T) {
    for codec in codecs() {
        let payload = value.encode(&codec, &context()).expect("encodes");
        assert!(!payload.bytes.is_empty(), "{codec:?} wrote nothing for {value:?}");
        assert_eq!(&T::decode(&payload, &codec, &context()).expect("decodes"), value, "{codec:?}");
    }
}

#[test]
fn every_shape_of_value_round_trips() {
    let lines = vec![
        Line::Unit,
        Line::Newtype(u64::MAX),
        Line::Tuple(-1, 0.1),
        Line::Struct { a: true, b: u128::from(u64::MAX) },
    ];
    let tags = BTreeMap::from([("é".to_owned(), i64::MIN)]);
    round_trip(&Order { name: "\0\u{1F600}".to_owned(), lines, note: None, unit: (), tags });
}

#[test]
fn unit_and_null_are_bytes_too() {
    round_trip(&());
    round_trip(&None::<String>);
    round_trip(&serde_json::Value::Null);
}

#[test]
fn bytes_behind_the_value_are_refused() {
    for codec in codecs() {
        let one = 1.encode(&codec, &context()).expect("encodes");
        let twice = Payload::new([&one.bytes[..], b" ", &one.bytes[..]].concat(), one.content_type);
        assert!(
            matches!(u8::decode(&twice, &codec, &context()), Err(CodecError::Decode { .. })),
            "{codec:?}"
        );
    }
}

#[test]
fn empty_bytes_are_no_value() {
    for codec in codecs() {
        let empty = Payload::new("", codec.content_type());
        assert!(
            matches!(<()>::decode(&empty, &codec, &context()), Err(CodecError::Decode { .. })),
            "{codec:?}"
        );
    }
}

#[test]
fn another_type_is_a_decode_error_that_names_the_format() {
    for codec in codecs() {
        let text = "text".encode(&codec, &context()).expect("encodes");
        let error = u32::decode(&text, &codec, &context()).expect_err("a text is no number");
        assert!(matches!(error, CodecError::Decode { .. }), "{error}");
        assert!(error.to_string().contains(codec.content_type().as_str()), "{error}");
    }
}

#[test]
fn fields_may_be_added_and_reordered() {
    #[derive(Serialize)]
    struct Newer {
        added: u8,
        b: u8,
        a: u8,
    }
    #[derive(Debug, Deserialize, PartialEq)]
    struct Older {
        a: u8,
        b: u8,
    }
    for codec in codecs() {
        let newer = Newer { added: 0, b: 2, a: 1 }.encode(&codec, &context()).expect("encodes");
        assert_eq!(Older::decode(&newer, &codec, &context()).expect("decodes"), Older { a: 1, b: 2 });
    }
}

#[cfg(all(feature = "json", feature = "msgpack"))]
#[test]
fn bytes_of_another_codec_are_refused_by_their_content_type() {
    use queue_serde::{Json, MsgPack};
    // The single byte 0x31 is a value in both formats, so they differ by the mark alone.
    let json = 1.encode(&Json, &context()).expect("encodes");
    let error = u8::decode(&json, &MsgPack, &context()).expect_err("not MessagePack");
    assert!(matches!(&error, CodecError::ContentType { found, .. } if *found == json.content_type));
    assert_eq!(queue_core::Error::from(error).kind(), queue_core::ErrorKind::Invalid);
}

#[cfg(feature = "json")]
#[test]
fn a_value_the_format_cannot_hold_is_an_encode_error() {
    let map = BTreeMap::from([(vec![1], 1)]);
    let error = map.encode(&queue_serde::Json, &context()).expect_err("keys are no text");
    assert!(matches!(error, CodecError::Encode { .. }));
    let error = queue_core::Error::from(error);
    assert_eq!((error.kind(), error.operation()), (queue_core::ErrorKind::Invalid, "encode"));
}
