//! Time zones by their IANA names.

use crate::{ScheduleError, Tick};
use jiff::{
    Timestamp as Moment,
    tz::{TimeZone, TimeZoneDatabase},
};
use std::fmt;

/// A time zone by its name in the IANA database. The machine's database takes precedence, and what
/// it lacks comes from the one in this library: a name that is newer than the machine's data, or
/// every name in a container without any.
#[derive(Clone)]
pub struct Zone {
    name: String,
    zone: TimeZone,
}

/// Names in a machine's folder that stand for what is set on that machine.
const OF_THE_MACHINE: [&str; 4] = ["localtime", "posixrules", "Factory", "Etc/Unknown"];

impl Zone {
    /// Looks up a name such as `Europe/Berlin` or `UTC`.
    ///
    /// # Errors
    /// [`ScheduleError::Zone`] if there is no such zone, [`ScheduleError::LocalZone`] for a name
    /// that is another time on each machine, such as `localtime`.
    pub fn new(name: &str) -> Result<Self, ScheduleError> {
        if OF_THE_MACHINE.iter().any(|local| local.eq_ignore_ascii_case(name)) {
            return Err(ScheduleError::LocalZone { name: name.to_owned() });
        }
        let unknown = |_| ScheduleError::Zone { name: name.to_owned() };
        let of_the_library = |_| TimeZoneDatabase::bundled().get(name);
        let zone = TimeZone::get(name).or_else(of_the_library).map_err(unknown)?;
        Ok(Self { name: zone.iana_name().unwrap_or(name).to_owned(), zone })
    }

    /// Universal time, which needs no database.
    pub fn utc() -> Self {
        Self { name: "UTC".to_owned(), zone: TimeZone::UTC }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The moment of a tick as a clock in this zone shows it, such as `Sun 2026-03-29 03:00:00
    /// +02:00 CEST`.
    pub fn shown(&self, tick: Tick) -> String {
        match Moment::try_from(tick.time()) {
            Ok(moment) => {
                let zoned = moment.to_zoned(self.zone.clone());
                zoned.strftime("%a %Y-%m-%d %H:%M:%S %:z %Z").to_string()
            }
            Err(_) => tick.to_string(),
        }
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
