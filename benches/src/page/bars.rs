//! Bar charts in SVG, with groups of bars on a logarithmic axis.

use plotters::{
    coord::Shift,
    prelude::{
        BLACK, DrawingArea, IntoDrawingArea, PathElement, RGBColor, Rectangle, SVGBackend, Text, TextStyle,
    },
    style::{Color, IntoFont, IntoTextStyle},
};

const WIDTH: i32 = 860;
const LEFT: i32 = 150;
const RIGHT: i32 = 90;
const TOP: i32 = 64;
const BAR: i32 = 14;
const GAP: i32 = 10;
/// The library writes a fifth smaller than it is told.
const SMALL: u32 = 15;
const LARGE: u32 = 20;
/// A page may be dark or white; a plot brings its own paper.
pub(super) const PAPER: RGBColor = RGBColor(252, 252, 250);
const FLOOR: RGBColor = RGBColor(165, 165, 160);
pub(super) const GRID: RGBColor = RGBColor(214, 214, 210);
/// Told apart by people who see fewer colours too.
pub(super) const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(110, 110, 110),
];

/// Bars in groups, on an axis of which each step is ten times the one before.
pub(super) struct Bars<'b> {
    pub(super) title: &'b str,
    pub(super) series: &'b [&'b str],
    /// The name of a group, and for each series a figure if there is one.
    pub(super) groups: Vec<(String, Vec<Option<f64>>)>,
    pub(super) show: fn(f64) -> String,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = anyhow::Result<()>;

impl Bars<'_> {
    /// `None` if there is no figure.
    pub(super) fn draw(&self) -> anyhow::Result<Option<String>> {
        let figures: Vec<f64> =
            self.groups.iter().flat_map(|(_, figures)| figures.iter().flatten().copied()).collect();
        let Some(largest) = figures.iter().copied().max_by(f64::total_cmp) else { return Ok(None) };
        let smallest = figures.iter().copied().fold(largest, f64::min);
        let decades = (smallest.log10().floor(), largest.log10().ceil().max(smallest.log10().floor() + 1.0));
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, (WIDTH.cast_unsigned(), self.height().cast_unsigned()))
            .into_drawing_area();
        area.fill(&PAPER).map_err(failed)?;
        self.axis(&area, decades)?;
        self.legend(&area)?;
        self.bars(&area, decades)?;
        area.present().map_err(failed)?;
        drop(area);
        Ok(Some(svg))
    }

    fn height(&self) -> i32 {
        let lines: i32 = self.groups.iter().map(|(_, figures)| BAR * count(figures) + GAP).sum();
        TOP + lines + 30
    }

    fn axis(&self, area: &Area<'_>, decades: (f64, f64)) -> Drawn {
        let bottom = self.height() - 24;
        let mut power = decades.0;
        while power <= decades.1 {
            let figure = 10_f64.powf(power);
            let x = x(figure, decades);
            let line = [(x, TOP - 4), (x, bottom)];
            area.draw(&PathElement::new(line.to_vec(), GRID.stroke_width(1))).map_err(failed)?;
            write(area, &(self.show)(figure), (x + 2, bottom + 4), SMALL)?;
            power += 1.0;
        }
        Ok(())
    }

    fn legend(&self, area: &Area<'_>) -> Drawn {
        write(area, self.title, (12, 10), LARGE)?;
        let mut x = 12;
        for (index, name) in self.series.iter().enumerate() {
            let square = Rectangle::new([(x, 38), (x + 11, 49)], self.colour(index).filled());
            area.draw(&square).map_err(failed)?;
            write(area, name, (x + 16, 36), SMALL)?;
            x += 34 + 7 * count(name.as_bytes());
        }
        Ok(())
    }

    /// Floors are grey, so that they stand back.
    fn colour(&self, index: usize) -> RGBColor {
        if self.series[index].starts_with("floor") { FLOOR } else { COLOURS[index % COLOURS.len()] }
    }

    fn bars(&self, area: &Area<'_>, decades: (f64, f64)) -> Drawn {
        let mut y = TOP;
        for (group, figures) in &self.groups {
            write(area, group, (12, y - 1), SMALL)?;
            for (index, figure) in figures.iter().enumerate() {
                if let Some(figure) = figure {
                    let end = x(*figure, decades).max(LEFT + 1);
                    let corners = [(LEFT, y), (end, y + BAR - 3)];
                    area.draw(&Rectangle::new(corners, self.colour(index).filled())).map_err(failed)?;
                    write(area, &(self.show)(*figure), (end + 4, y - 1), SMALL)?;
                }
                y += BAR;
            }
            y += GAP;
        }
        Ok(())
    }
}

fn x(figure: f64, (low, high): (f64, f64)) -> i32 {
    let room = f64::from(WIDTH - LEFT - RIGHT);
    LEFT + ((figure.log10() - low) / (high - low) * room).round() as i32
}

fn count<T>(items: &[T]) -> i32 {
    i32::try_from(items.len()).unwrap_or(i32::MAX)
}

fn write(area: &Area<'_>, text: &str, at: (i32, i32), size: u32) -> Drawn {
    let style: TextStyle<'_> = ("sans-serif", size).into_font().color(&BLACK).into_text_style(area);
    area.draw(&Text::new(text.to_owned(), at, style)).map_err(failed)
}

/// The errors of the library hold what they borrow.
pub(super) fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("cannot draw: {error}")
}
