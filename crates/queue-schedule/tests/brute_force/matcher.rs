//! A second implementation of cron patterns, as plain as possible: fields are bit masks, days are
//! counted.

const MONTHS: [&str; 13] =
    ["", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

pub(crate) struct Matcher {
    seconds: u64,
    minutes: u64,
    hours: u64,
    days: Days,
    months: u64,
    weekdays: Weekdays,
    /// Whether a day has to match both the day of the month and the weekday, rather than one of
    /// them.
    both: bool,
    pub(crate) is_interval: bool,
    pub(crate) has_seconds: bool,
}

/// `None` where the field is `*`, which restricts nothing.
type Days = Option<DayMasks>;
type Weekdays = Option<WeekdayMasks>;

#[derive(Default)]
struct DayMasks {
    plain: u64,
    nearest: u64,
    last: bool,
    last_workday: bool,
}

#[derive(Default)]
struct WeekdayMasks {
    plain: u64,
    nth: [u64; 6],
    last: u64,
}

#[derive(Clone, Copy)]
struct Date {
    month: i64,
    day: i64,
    weekday: i64,
    month_length: i64,
}

impl Matcher {
    pub(crate) fn new(pattern: &str) -> Self {
        let text = match pattern {
            "@hourly" => "0 * * * *",
            "@daily" => "0 0 * * *",
            "@weekly" => "0 0 * * 0",
            "@monthly" => "0 0 1 * *",
            "@yearly" => "0 0 1 1 *",
            other => other,
        };
        let mut fields: Vec<&str> = text.split(' ').collect();
        let has_seconds = fields.len() == 6;
        if !has_seconds {
            fields.insert(0, "0");
        }
        let [seconds, minutes, hours, days, months, weekdays] = fields[..] else { panic!("{text}") };
        Self {
            seconds: numbers(seconds, 0, 59, &[]),
            minutes: numbers(minutes, 0, 59, &[]),
            hours: numbers(hours, 0, 23, &[]),
            days: (days != "*").then(|| DayMasks::new(days)),
            months: numbers(months, 1, 12, &MONTHS),
            weekdays: (weekdays != "*").then(|| WeekdayMasks::new(weekdays.trim_start_matches('+'))),
            both: weekdays.starts_with('+'),
            is_interval: [seconds, minutes, hours].iter().any(|field| field.contains('*')),
            has_seconds,
        }
    }

    /// Whether a second of the day matches, by the clock of that day.
    pub(crate) fn has_time(&self, second_of_day: i64) -> bool {
        has(self.seconds, second_of_day % 60)
            && has(self.minutes, second_of_day / 60 % 60)
            && has(self.hours, second_of_day / 3600)
    }

    /// Whether a day matches, counted from 1970-01-01.
    pub(crate) fn has_day(&self, day_number: i64) -> bool {
        let date = Date::of(day_number);
        let in_month = has(self.months, date.month);
        in_month
            && match (&self.days, &self.weekdays) {
                (None, None) => true,
                (Some(days), None) => days.has(date),
                (None, Some(weekdays)) => weekdays.has(date),
                (Some(days), Some(weekdays)) if self.both => days.has(date) && weekdays.has(date),
                (Some(days), Some(weekdays)) => days.has(date) || weekdays.has(date),
            }
    }
}

impl DayMasks {
    fn new(field: &str) -> Self {
        let mut masks = Self::default();
        for part in field.split(',') {
            match part {
                "L" => masks.last = true,
                "LW" => masks.last_workday = true,
                near if near.ends_with('W') => masks.nearest |= 1 << number(&near[..near.len() - 1], &[]),
                plain => masks.plain |= numbers(plain, 1, 31, &[]),
            }
        }
        masks
    }

    fn has(&self, date: Date) -> bool {
        has(self.plain, date.day)
            || (self.last && date.day == date.month_length)
            || (self.last_workday && date.day == date.workday_nearest_to(date.month_length))
            || (1..=date.month_length)
                .any(|day| has(self.nearest, day) && date.day == date.workday_nearest_to(day))
    }
}

impl WeekdayMasks {
    fn new(field: &str) -> Self {
        let mut masks = Self::default();
        for part in field.split(',') {
            if let Some((weekday, nth)) = part.split_once('#') {
                let bit = 1 << (number(weekday, &WEEKDAYS) % 7);
                match nth {
                    "L" => masks.last |= bit,
                    nth => masks.nth[usize::try_from(number(nth, &[])).expect("1 to 5")] |= bit,
                }
            } else if let Some(weekday) = part.strip_suffix('L') {
                masks.last |= 1 << (number(weekday, &WEEKDAYS) % 7);
            } else {
                let mask = numbers(part, 0, 7, &WEEKDAYS);
                masks.plain |= (mask & 0x7F) | (mask >> 7);
            }
        }
        masks
    }

    fn has(&self, date: Date) -> bool {
        let nth = usize::try_from((date.day + 6) / 7).expect("1 to 5");
        has(self.plain, date.weekday)
            || has(self.nth[nth], date.weekday)
            || (has(self.last, date.weekday) && date.day + 7 > date.month_length)
    }
}

impl Date {
    /// Walks years and months from 1970 on.
    fn of(mut day: i64) -> Self {
        let weekday = (day + 4).rem_euclid(7); // 1970 began on a Thursday
        let mut year = 1970;
        while day >= 365 + i64::from(is_leap(year)) {
            day -= 365 + i64::from(is_leap(year));
            year += 1;
        }
        let mut month = 1;
        while day >= month_length(year, month) {
            day -= month_length(year, month);
            month += 1;
        }
        Self { month, day: day + 1, weekday, month_length: month_length(year, month) }
    }

    /// The nearest working day stays within the month, as in other crons.
    fn workday_nearest_to(self, day: i64) -> i64 {
        let is_workday = |other: &i64| (1..=5).contains(&(self.weekday + other - self.day).rem_euclid(7));
        (1..=self.month_length)
            .filter(is_workday)
            .min_by_key(|other| (other - day).abs())
            .expect("a month has one")
    }
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn has(mask: u64, bit: i64) -> bool {
    mask >> bit & 1 == 1
}

fn numbers(field: &str, low: i64, high: i64, names: &[&str]) -> u64 {
    let mut mask = 0;
    for part in field.split(',') {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (low, high),
            Some((from, to)) => (number(from, names), number(to, names)),
            None => (number(range, names), number(range, names)),
        };
        let step = number(step, &[]);
        let mut at = from;
        while at <= to {
            mask |= 1 << at;
            at += step;
        }
    }
    mask
}

fn number(text: &str, names: &[&str]) -> i64 {
    match names.iter().position(|name| *name == text) {
        Some(index) => i64::try_from(index).expect("a few"),
        None => text.parse().expect(text),
    }
}
