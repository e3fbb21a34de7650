//! The tags of a job, by which listings find it.

use crate::{Error, InvalidName, Result, names::check_name};
use std::{fmt, sync::Arc};

/// Most tags on one job.
pub const TAGS_MAX: usize = 8;
/// Longest tag, in bytes of UTF-8.
pub const TAG_BYTES_MAX: usize = 64;

/// A word on a job by which the job is found again, such as a tenant or a campaign. Every store
/// indexes tags, so that a listing of one tag costs only what it shows.
///
/// A tag has 1 to 64 bytes of UTF-8 without control characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(Arc<str>);

impl Tag {
    /// Validates the text of a tag.
    pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidName> {
        let text = text.as_ref();
        check_name("tag", text, TAG_BYTES_MAX)?;
        Ok(Self(text.into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<&str> for Tag {
    type Error = InvalidName;

    fn try_from(text: &str) -> Result<Self, InvalidName> {
        Self::new(text)
    }
}

impl std::str::FromStr for Tag {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        Self::new(text)
    }
}

/// The tags of a job: at most [`TAGS_MAX`], each once, in the order of their bytes. They are set at
/// the enqueue and never change. An empty set takes no room.
///
/// ```
/// use queue_core::{Tag, Tags};
///
/// let tags = Tags::new([Tag::new("tenant-7")?, Tag::new("import")?, Tag::new("import")?])?;
/// assert_eq!(tags.iter().map(Tag::as_str).collect::<Vec<_>>(), ["import", "tenant-7"]);
/// assert!(Tag::new("a\nb").is_err() && Tag::new("x".repeat(65)).is_err());
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Tags(Option<Arc<Vec<Tag>>>);

impl Tags {
    /// No tags.
    pub const NONE: Self = Self(None);

    /// Sorts the tags and leaves repeats out.
    ///
    /// # Errors
    /// `Invalid` for more than [`TAGS_MAX`] different tags.
    pub fn new(tags: impl IntoIterator<Item = Tag>) -> Result<Self> {
        let mut tags: Vec<Tag> = tags.into_iter().collect();
        tags.sort_unstable();
        tags.dedup();
        if tags.len() > TAGS_MAX {
            let message = format!("a job has at most {TAGS_MAX} tags, not {}", tags.len());
            return Err(Error::invalid("validate", message));
        }
        Ok(Self((!tags.is_empty()).then(|| Arc::new(tags))))
    }

    /// The same tags with one more.
    ///
    /// # Errors
    /// `Invalid` if there are [`TAGS_MAX`] other tags.
    pub fn with(&self, tag: Tag) -> Result<Self> {
        Self::new(self.iter().cloned().chain([tag]))
    }

    /// The tags in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Tag> {
        self.as_slice().iter()
    }

    /// The tags in order.
    pub fn as_slice(&self) -> &[Tag] {
        self.0.as_ref().map_or(&[], |tags| tags.as_slice())
    }

    /// Whether the job has this tag.
    pub fn contains(&self, tag: &Tag) -> bool {
        self.as_slice().binary_search(tag).is_ok()
    }

    /// The number of tags.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are no tags.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The tags as text for a store: one a line, since no tag contains a line break. `None` if
    /// there are no tags.
    pub fn to_text(&self) -> Option<String> {
        let tags = self.0.as_ref()?;
        Some(tags.iter().map(Tag::as_str).collect::<Vec<_>>().join("\n"))
    }

    /// Reads the text that [`to_text`](Self::to_text) wrote.
    ///
    /// # Errors
    /// `Invalid` for any other text.
    pub fn from_text(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::NONE) };
        Self::new(text.split('\n').map(Tag::new).collect::<Result<Vec<_>, _>>()?)
    }
}

impl fmt::Debug for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'t> IntoIterator for &'t Tags {
    type Item = &'t Tag;
    type IntoIter = std::slice::Iter<'t, Tag>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{TAG_BYTES_MAX, Tag, Tags};

    fn tag(text: &str) -> Tag {
        Tag::new(text).expect("a valid tag")
    }

    #[test]
    fn eight_tags_fit_and_a_ninth_does_not_unless_it_repeats_one() {
        let eight = || (0..8).map(|n| tag(&n.to_string()));
        let tags = Tags::new(eight()).expect("eight");
        assert_eq!(tags.len(), 8);
        assert_eq!(tags.with(tag("3")).expect("it is there already"), tags);
        assert!(tags.with(tag("9")).is_err());
    }

    #[test]
    fn tags_come_back_from_text_as_they_went() {
        for tags in [vec![], vec!["a"], vec!["b", "a b", "é'; --"]] {
            let tags = Tags::new(tags.into_iter().map(tag)).expect("few");
            assert_eq!(Tags::from_text(tags.to_text().as_deref()).expect("written so"), tags);
        }
    }

    #[test]
    fn a_tag_has_at_most_64_bytes_and_no_control_characters() {
        assert!(Tag::new("é".repeat(TAG_BYTES_MAX / 2)).is_ok());
        for refused in [String::new(), "x".repeat(TAG_BYTES_MAX + 1), "a\u{9b}b".to_owned()] {
            assert!(Tag::new(&refused).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn no_tags_take_a_pointer() {
        assert_eq!(size_of::<Tags>(), size_of::<usize>());
    }
}
