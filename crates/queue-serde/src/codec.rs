//! The trait of codecs, which turn values into stored bytes and back.

use crate::{CodecContext, CodecError};
use bytes::Bytes;
use queue_core::ContentType;
use std::{fmt::Debug, sync::Arc};

/// Reads one value from the deserializer that a codec hands it.
pub type DecodeFn<'a> =
    dyn FnMut(&mut dyn erased_serde::Deserializer<'_>) -> Result<(), erased_serde::Error> + 'a;

/// Turns values into bytes and back. The trait is object-safe, so that one handle serves every
/// type.
///
/// Programs call [`Encode::encode`](crate::Encode::encode) and
/// [`Decode::decode`](crate::Decode::decode), which also compare the content type.
///
/// # A codec over a codec
/// A codec for compression, encryption or a checksum wraps an inner codec and gives the bytes a
/// content type of its own. It passes [`plain`](Self::plain) on, so that ids of content stay the
/// same under every wrapper:
///
/// ```
/// # #[cfg(feature = "json")] {
/// use bytes::Bytes;
/// use queue_core::{ContentType, JobId, Kind, QueueName};
/// use queue_serde::{Codec, CodecContext, CodecError, Decode, DecodeFn, Encode, Json, Role, erased_serde};
///
/// /// Stores the bytes backwards, in place of something useful.
/// #[derive(Debug)]
/// struct Reversed<C>(C);
///
/// impl<C: Codec> Codec for Reversed<C> {
///     fn content_type(&self) -> ContentType {
///         ContentType::new(format!("{}+reversed", self.0.content_type())).expect("short enough")
///     }
///     fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
///         self.0.plain(value)
///     }
///     fn write(&self, value: &dyn erased_serde::Serialize, context: &CodecContext<'_>) -> Result<Bytes, CodecError> {
///         Ok(self.0.write(value, context)?.iter().rev().copied().collect())
///     }
///     fn read(&self, bytes: &Bytes, context: &CodecContext<'_>, visit: &mut DecodeFn<'_>) -> Result<(), CodecError> {
///         self.0.read(&bytes.iter().rev().copied().collect(), context, visit)
///     }
/// }
///
/// let (queue, kind, id) = (QueueName::new("sums")?, Kind::unnamed(), JobId::new("a")?);
/// let context = CodecContext::new(&queue, &kind, &id, Role::Payload);
/// let payload = [1, 2].encode(&Reversed(Json), &context)?;
/// assert_eq!(payload.bytes, b"]2,1["[..]);
/// assert_eq!(Vec::<u8>::decode(&payload, &Reversed(Json), &context)?, [1, 2]);
/// assert!(matches!(Vec::<u8>::decode(&payload, &Json, &context), Err(CodecError::ContentType { .. })));
/// # }
/// # Ok::<(), queue_core::Error>(())
/// ```
///
/// # Bytes that belong to one job
/// A codec that authenticates the [context](CodecContext) together with the bytes refuses bytes
/// that an attacker with access to the store has moved: the payload of another job, or a payload in
/// place of a result. This has consequences:
///
/// - A job made with `Queue::new_job` is encoded for the queue of that handle, and cannot be read
///   in another queue.
/// - [`Raw`](crate::Raw) bypasses the codec. Bytes that a `Queue<Raw>` takes from one job and
///   enqueues as another are refused when they are read; decode them with a typed handle and
///   enqueue the value instead.
/// - A redrive with another content type changes the mark on the bytes and nothing else.
/// - The command `queue`, and any other program that reads a store without the codec, sees the
///   bytes as they are stored.
pub trait Codec: Debug + Send + Sync + 'static {
    /// The content type that marks the bytes. It is constant: a codec that changes its format
    /// changes its content type.
    fn content_type(&self) -> ContentType;

    /// The value in the innermost format, before any wrapper; ids of content are made of it. Equal
    /// values must give equal bytes, also where [`write`](Self::write) adds something to them. A
    /// codec over a codec returns what its inner codec returns; these bytes are never stored, so
    /// this discloses nothing.
    ///
    /// It gets no context: the id in a context would itself be made of these bytes.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError>;

    /// Turns a value into the bytes that are stored for this job in this role. They may differ from
    /// call to call.
    ///
    /// # Errors
    /// [`CodecError::Encode`] for a value that the format cannot hold, such as a JSON map whose
    /// keys are not text.
    fn write(
        &self,
        value: &dyn erased_serde::Serialize,
        context: &CodecContext<'_>,
    ) -> Result<Bytes, CodecError>;

    /// Reads one value from the bytes, by calling `visit` once.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if `visit` fails, if bytes are left over after the value, or if the
    /// codec binds its bytes to their context and these were written for another.
    fn read(
        &self,
        bytes: &Bytes,
        context: &CodecContext<'_>,
        visit: &mut DecodeFn<'_>,
    ) -> Result<(), CodecError>;
}

impl<C: Codec + ?Sized> Codec for Arc<C> {
    fn content_type(&self) -> ContentType {
        (**self).content_type()
    }

    fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
        (**self).plain(value)
    }

    fn write(
        &self,
        value: &dyn erased_serde::Serialize,
        context: &CodecContext<'_>,
    ) -> Result<Bytes, CodecError> {
        (**self).write(value, context)
    }

    fn read(
        &self,
        bytes: &Bytes,
        context: &CodecContext<'_>,
        visit: &mut DecodeFn<'_>,
    ) -> Result<(), CodecError> {
        (**self).read(bytes, context, visit)
    }
}
