//! Shapes, as SVG. All of it is made of numbers and of words of this crate.

use std::fmt::Write;

/// The size of a drawing in its own units, before a page stretches it.
pub(super) const WIDTH: f64 = 1_000.0;
pub(super) const HEIGHT: f64 = 200.0;

/// A drawing in the making.
#[derive(Debug)]
pub(super) struct Drawing {
    text: String,
}

impl Drawing {
    pub(super) fn new() -> Self {
        let text = format!(
            r#"<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">"#
        );
        Self { text }
    }

    /// Lines across, as many as there are parts and one more.
    pub(super) fn grid(mut self, parts: usize) -> Self {
        for line in 0..=parts {
            let y = HEIGHT * line as f64 / parts.max(1) as f64;
            let _ = write!(self.text, r#"<line class="grid" x1="0" x2="{WIDTH}" y1="{y:.1}" y2="{y:.1}"/>"#);
        }
        self
    }

    /// A column of stacked blocks, with the text that its tooltip shows.
    pub(super) fn column(&mut self, place: f64, width: f64, blocks: &[(&str, f64)], told: &str) {
        let _ = write!(self.text, "<g><title>{told}</title>");
        let _ = write!(
            self.text,
            r#"<rect class="touch" x="{place:.2}" y="0" width="{width:.2}" height="{HEIGHT}"/>"#
        );
        let mut top = HEIGHT;
        for (class, share) in blocks.iter().filter(|(_, share)| *share > 0.0) {
            // Something is never drawn as nothing.
            let height = (HEIGHT * share).max(1.5);
            top -= height;
            let x = place + width * 0.1;
            let wide = width * 0.8;
            let _ = write!(
                self.text,
                r#"<rect class="{class}" x="{x:.2}" y="{:.2}" width="{wide:.2}" height="{height:.2}"/>"#,
                top.max(0.0)
            );
        }
        self.text.push_str("</g>");
    }

    /// A line through points, which breaks where there is none. Points are shares of the height.
    pub(super) fn line(&mut self, class: &str, points: &[Option<f64>]) {
        let step = WIDTH / points.len().max(1) as f64;
        let mut path = String::new();
        let mut is_drawing = false;
        for (place, point) in points.iter().enumerate() {
            let Some(share) = point else {
                is_drawing = false;
                continue;
            };
            let x = step * (place as f64 + 0.5);
            let y = HEIGHT * (1.0 - share.clamp(0.0, 1.0));
            let is_alone = !is_drawing && points.get(place + 1).is_none_or(Option::is_none);
            let _ = write!(path, "{}{x:.1} {y:.1}", if is_drawing { "L" } else { "M" });
            if is_alone {
                let _ = write!(path, "h{:.1}", step / 2.0);
            }
            is_drawing = true;
        }
        let _ = write!(self.text, r#"<path class="{class}" d="{path}"/>"#);
    }

    pub(super) fn done(mut self) -> String {
        self.text.push_str("</svg>");
        self.text
    }
}

/// A small column chart beside a number.
pub(crate) fn sparkline(numbers: &[(u64, u64)]) -> String {
    let largest = numbers.iter().map(|(good, bad)| good + bad).max().unwrap_or(0);
    if largest == 0 {
        return String::new();
    }
    let mut text = String::from(
        r#"<svg class="spark" viewBox="0 0 120 24" preserveAspectRatio="none" aria-hidden="true" focusable="false">"#,
    );
    let step = 120.0 / numbers.len() as f64;
    for (place, (good, bad)) in numbers.iter().enumerate() {
        let mut top = 24.0;
        for (class, number) in [("c-done", *good), ("c-failed", *bad)] {
            if number == 0 {
                continue;
            }
            let height = (24.0 * number as f64 / largest as f64).max(1.0);
            top -= height;
            let x = step * place as f64;
            let wide = step * 0.75;
            let _ = write!(
                text,
                r#"<rect class="{class}" x="{x:.2}" y="{:.2}" width="{wide:.2}" height="{height:.2}"/>"#,
                f64::max(top, 0.0)
            );
        }
    }
    text.push_str("</svg>");
    text
}

/// A bar that is full to a part.
pub(crate) fn meter(part: u64, whole: u64, class: &str) -> String {
    let share = if whole == 0 { 0.0 } else { (part as f64 / whole as f64).min(1.0) * 100.0 };
    format!(
        r#"<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="rail" width="100" height="6" rx="0"/><rect class="{class}" width="{share:.1}" height="6"/></svg>"#
    )
}
