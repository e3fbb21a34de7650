//! Time zones by their IANA names.

use crate::ScheduleError;
use jiff::tz::TimeZone;
use std::fmt;

/// A time zone by its name in the IANA database. The machine's database takes precedence over the
/// one in this library, which serves containers without one.
#[derive(Clone)]
pub struct Zone {
    name: String,
    zone: TimeZone,
}

impl Zone {
    /// Looks up a name such as `Europe/Berlin` or `UTC`.
    ///
    /// # Errors
    /// [`ScheduleError::Zone`] if there is no such zone.
    pub fn new(name: &str) -> Result<Self, ScheduleError> {
        let unknown = |_| ScheduleError::Zone { name: name.to_owned() };
        let zone = TimeZone::get(name).map_err(unknown)?;
        Ok(Self { name: zone.iana_name().unwrap_or(name).to_owned(), zone })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn rules(&self) -> &TimeZone {
        &self.zone
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Zone").field(&self.name).finish()
    }
}
