//! The macro that declares the types of names.

/// Declares a newtype over text with the shared rules. Cloning bumps a reference count.
macro_rules! validated_name {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        /// It has 1 to 255 bytes of UTF-8 without control characters.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// Validates the text.
            pub fn new(text: impl AsRef<str>) -> Result<Self, $crate::InvalidName> {
                let text = text.as_ref();
                $crate::names::invalid_name::check($what, text, $crate::NAME_BYTES_MAX)?;
                Ok(Self(text.into()))
            }

            /// Makes a name of a literal in the program.
            ///
            /// # Panics
            /// If the literal breaks the rules, which is a bug of the program.
            pub fn from_static(text: &'static str) -> Self {
                Self::new(text).expect(concat!("a literal is a valid ", $what))
            }

            /// Whether the names are equal, which is known at once of two clones of one name.
            #[allow(dead_code, reason = "not every name is compared so often that this matters")]
            pub(crate) fn is_same(&self, other: &Self) -> bool {
                std::sync::Arc::ptr_eq(&self.0, &other.0) || self == other
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::InvalidName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = $crate::InvalidName;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::InvalidName;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }
    };
}

pub(super) use validated_name;
