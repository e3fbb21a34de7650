//! Line charts in SVG, with two logarithmic axes.

use super::bars::{COLOURS, GRID, PAPER, failed};
use plotters::{
    chart::{ChartBuilder, SeriesLabelPosition},
    prelude::{BLACK, Circle, IntoDrawingArea, IntoLogRange, LineSeries, PathElement, SVGBackend},
    style::Color,
};

const SIZE: (u32, u32) = (860, 460);

/// Lines between points, on axes of which each step is ten times the one before.
pub(super) struct Lines<'l> {
    pub(super) title: &'l str,
    pub(super) x: &'l str,
    pub(super) y: &'l str,
    pub(super) named: Vec<(String, Vec<(f64, f64)>)>,
}

impl Lines<'_> {
    /// `None` if there is no point.
    pub(super) fn draw(&self) -> anyhow::Result<Option<String>> {
        let points = || self.named.iter().flat_map(|(_, points)| points.iter().copied());
        let (Some(xs), Some(ys)) = (span(points().map(|(x, _)| x)), span(points().map(|(_, y)| y))) else {
            return Ok(None);
        };
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&PAPER).map_err(failed)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(60)
            .build_cartesian_2d((xs.0..xs.1 * 1.1).log_scale(), (ys.0 * 0.8..ys.1 * 1.25).log_scale())
            .map_err(failed)?;
        chart
            .configure_mesh()
            .label_style(("sans-serif", 15))
            .axis_desc_style(("sans-serif", 15))
            .x_desc(self.x)
            .y_desc(self.y)
            .bold_line_style(GRID)
            .light_line_style(PAPER)
            .x_label_formatter(&|x| super::number::whole(*x))
            .y_label_formatter(&|y| if *y < 10.0 { format!("{y:.1}") } else { super::number::whole(*y) })
            .draw()
            .map_err(failed)?;
        for (index, (name, points)) in self.named.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
            let key = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3));
            chart.draw_series(line).map_err(failed)?.label(name).legend(key);
            let dots = points.iter().map(|point| Circle::new(*point, 3, colour.filled()));
            chart.draw_series(dots).map_err(failed)?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .label_font(("sans-serif", 15))
            .background_style(PAPER)
            .border_style(BLACK.mix(0.3))
            .draw()
            .map_err(failed)?;
        area.present().map_err(failed)?;
        drop(chart);
        drop(area);
        Ok(Some(svg))
    }
}

fn span(figures: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    figures.fold(None, |span, figure| {
        let (low, high) = span.unwrap_or((figure, figure));
        Some((low.min(figure), high.max(figure)))
    })
}
