//! `duet plot`: a sweep as a picture, lines over a number or bars over names.

use std::collections::BTreeMap;
use std::path::PathBuf;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use ports::known_names;
use rusqlite::{Connection, OpenFlags};

use super::Failure;
use super::output::write_file;
use super::outputs::Files;
use super::sweep::Sweep;
use super::text::geometric_mean;

/// Draw a sweep: lines over a number, or bars over names, as SVG
///
/// Of all points with the same values of --x and --lines, seeds and programs among them, the
/// picture shows the geometric mean.
#[derive(clap::Args)]
pub struct Args {
    /// The SQLite file of a sweep
    #[arg(value_name = "SWEEP.sqlite")]
    sweep: PathBuf,
    /// Setting or column along the x axis: numbers give lines, names give bars
    #[arg(long, value_name = "KEY")]
    x: String,
    /// Setting or column of which each value has a line, or a bar of its own
    #[arg(long, value_name = "KEY")]
    lines: Option<String>,
    /// What is drawn: speedup over the first value of --lines, cycles, or a counter
    ///
    /// The first value is the smallest number, or of texts the first in the sweep file. Without
    /// --lines a speedup is over the first value of --x.
    #[arg(long, value_name = "speedup|cycles|COUNTER", default_value = "speedup")]
    y: String,
    /// The picture
    #[arg(long, short, value_name = "FILE.svg")]
    output: PathBuf,
}

/// Size of a picture in pixels.
const SIZE: (u32, u32) = (900, 480);

/// A point that has passed.
struct Row {
    x: String,
    line: String,
    /// What it is apart from both: which other row it is compared with.
    rest: Vec<String>,
    value: f64,
}

/// Draws.
pub fn run(args: &Args) -> Result<u8, Failure> {
    Files::default()
        .reads("SWEEP.sqlite", Some(&args.sweep))
        .writes("--output", Some(&args.output))
        .claim()?;
    let (rows, order) = rows(args)?;
    let picture = Picture::of(args, &rows, &order);
    let mut svg = String::new();
    picture.draw(&mut svg).map_err(|e| Failure::environment(format!("--output: {e}")))?;
    write_file(&args.output, &svg)?;
    println!("{} values of {} points in {}", picture.count(), rows.len(), args.output.display());
    Ok(0)
}

/// The points that have passed, and the values of all lists in the order of the sweep file. Errors:
/// the file is no sweep, or a column is not there.
fn rows(args: &Args) -> Result<(Vec<Row>, Vec<String>), Failure> {
    let path = &args.sweep;
    let failure = |e: rusqlite::Error| Failure::usage(format!("{}: {e}", path.display()));
    let file = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    let file = file.map_err(failure)?;
    let columns = columns(&file).map_err(failure)?;
    if columns.is_empty() {
        return Err(Failure::usage(format!("{}: is no SQLite file of a sweep", path.display())));
    }
    // Columns that tell one run from another, not what it has measured.
    let settings: Vec<&str> = columns
        .iter()
        .map(String::as_str)
        .filter(|name| !["key", "cycles", "time_ns", "loads_checked"].contains(name))
        .collect();
    for (option, name) in [("--x", Some(&args.x)), ("--lines", args.lines.as_ref())] {
        let Some(name) = name else { continue };
        if !settings.contains(&name.as_str()) {
            let known = known_names(name, settings, None);
            return Err(Failure::usage(format!("{option} {name}: must be one of {known}")));
        }
    }
    let is_counter = !["speedup", "cycles"].contains(&args.y.as_str());
    let names: Vec<_> = settings.iter().map(|name| quoted(name)).collect();
    let query = match is_counter {
        true => format!("SELECT value, {} FROM counted WHERE counter = ?1", names.join(", ")),
        false => format!("SELECT cycles, {} FROM result WHERE ?1 = ?1", names.join(", ")),
    };
    let mut query = file.prepare(&query).map_err(failure)?;
    let mut found = query.query([&args.y]).map_err(failure)?;
    let mut rows = Vec::new();
    while let Some(row) = found.next().map_err(failure)? {
        let text = |at: usize| -> rusqlite::Result<String> {
            Ok(match row.get::<_, rusqlite::types::Value>(at)? {
                rusqlite::types::Value::Integer(number) => number.to_string(),
                rusqlite::types::Value::Real(number) => number.to_string(),
                rusqlite::types::Value::Text(text) => text,
                _ => String::new(),
            })
        };
        let mut own = Row { x: String::new(), line: String::new(), rest: Vec::new(), value: 0.0 };
        own.value = row.get::<_, i64>(0).map_err(failure)? as f64;
        for (at, name) in settings.iter().enumerate() {
            let value = text(1 + at).map_err(failure)?;
            match *name {
                name if name == args.x => own.x = value,
                name if Some(name) == args.lines.as_deref() => own.line = value,
                _ => own.rest.push(value),
            }
        }
        rows.push(own);
    }
    if rows.is_empty() {
        let problem = match is_counter {
            true => format!("--y {}: no point has this counter (duet list counters)", args.y),
            false => format!("{}: no point has passed", path.display()),
        };
        return Err(Failure::usage(problem));
    }
    let text: String =
        file.query_row("SELECT file FROM sweep", [], |row| row.get(0)).map_err(failure)?;
    let grids = Sweep::parse(path, &text)?.grids;
    let values = grids.into_iter().flatten().flat_map(|wanted| wanted.values);
    let mut order = Vec::new();
    for (_, value) in values {
        if !order.contains(&value) {
            order.push(value);
        }
    }
    Ok((rows, order))
}

/// Columns of the points that have passed; none where the file is no sweep.
fn columns(file: &Connection) -> rusqlite::Result<Vec<String>> {
    let query = "SELECT name FROM pragma_table_info('result')";
    file.prepare(query)?.query_map([], |row| row.get(0))?.collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What is drawn.
struct Picture<'a> {
    args: &'a Args,
    /// Values along the x axis, in their order.
    xs: Vec<String>,
    /// Of each line its value at each of them.
    lines: Vec<(String, Vec<Option<f64>>)>,
}

impl<'a> Picture<'a> {
    /// Of these points.
    fn of(args: &'a Args, rows: &[Row], order: &[String]) -> Self {
        let distinct = |of: fn(&Row) -> &String| {
            let mut all: Vec<String> = Vec::new();
            for row in rows {
                if !all.contains(of(row)) {
                    all.push(of(row).clone());
                }
            }
            // Numbers by size, names in the order of the sweep file.
            if all.iter().all(|text| text.parse::<f64>().is_ok()) {
                let number = |text: &String| text.parse::<f64>().unwrap_or_default();
                all.sort_by(|a, b| number(a).total_cmp(&number(b)));
            } else {
                all.sort_by_key(|name| order.iter().position(|other| other == name));
            }
            all
        };
        let (xs, names) = (distinct(|row| &row.x), distinct(|row| &row.line));
        let mut by_place: BTreeMap<(&str, &str, &[String]), f64> = BTreeMap::new();
        for row in rows {
            by_place.insert((&row.x, &row.line, &row.rest), row.value);
        }
        let value = |x: &str, line: &str| {
            let own = rows.iter().filter(|row| row.x == x && row.line == line);
            let values: Vec<f64> = match args.y.as_str() {
                "speedup" => own
                    .filter_map(|row| {
                        let first = match &args.lines {
                            Some(_) => (x, names[0].as_str(), &row.rest[..]),
                            None => (xs[0].as_str(), line, &row.rest[..]),
                        };
                        Some(by_place.get(&first)? / row.value)
                    })
                    .collect(),
                // A mean of logarithms has no zeros.
                _ => own.map(|row| row.value.max(f64::MIN_POSITIVE)).collect(),
            };
            geometric_mean(&values)
        };
        let line = |name: &String| (name.clone(), xs.iter().map(|x| value(x, name)).collect());
        let lines: Vec<_> = names.iter().map(line).collect();
        Self { args, xs, lines }
    }

    /// Values that are drawn.
    fn count(&self) -> usize {
        self.lines.iter().flat_map(|(_, values)| values).flatten().count()
    }

    /// Along the x axis: numbers where all are, for lines.
    fn numbers(&self) -> Option<Vec<f64>> {
        let numbers: Option<Vec<f64>> = self.xs.iter().map(|x| x.parse().ok()).collect();
        numbers.filter(|numbers| numbers.len() > 1)
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let values = self.lines.iter().flat_map(|(_, values)| values).flatten();
        // The legend stands above the values.
        let above = if self.has_legend() { 1.1 + 0.06 * self.lines.len() as f64 } else { 1.1 };
        let top = values.fold(0.0, |most: f64, value| most.max(*value)) * above;
        match self.numbers() {
            Some(numbers) => self.draw_lines(&area, &numbers, top),
            None => self.draw_bars(&area, top),
        }?;
        area.present()?;
        drop(area);
        Ok(())
    }

    /// Name of what is drawn.
    fn quantity(&self) -> String {
        match (self.args.y.as_str(), &self.args.lines) {
            ("speedup", Some(field)) => format!("speedup over {field} = {}", self.lines[0].0),
            ("speedup", None) => format!("speedup over {} = {}", self.args.x, self.xs[0]),
            (other, _) => other.to_string(),
        }
    }

    fn draw_lines(
        &self,
        area: &DrawingArea<SVGBackend, Shift>,
        numbers: &[f64],
        top: f64,
    ) -> Result<(), Box<dyn std::error::Error>> {
        // Sizes of caches and the like are powers of two: equal steps for equal factors.
        let [low, high] = [numbers[0], numbers[numbers.len() - 1]];
        let is_log = low > 0.0 && high / low >= 4.0;
        let place = |x: f64| if is_log { x.log2() } else { x };
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(place(low)..place(high), 0.0..top)?;
        let label = |at: &f64| {
            let number = if is_log { at.exp2() } else { *at };
            short(number)
        };
        chart
            .configure_mesh()
            .x_desc(&self.args.x)
            .y_desc(self.quantity())
            .x_labels(numbers.len().max(2))
            .x_label_formatter(&label)
            .y_label_formatter(&|value| short(*value))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (at, (name, values)) in self.lines.iter().enumerate() {
            let colour = colour(at);
            let points = numbers.iter().zip(values);
            let points: Vec<_> =
                points.filter_map(|(x, value)| Some((place(*x), (*value)?))).collect();
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
                .label(self.label(name))
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
                });
            chart.draw_series(points.into_iter().map(|at| Circle::new(at, 4, colour.filled())))?;
        }
        self.legend(&mut chart)
    }

    fn draw_bars(
        &self,
        area: &DrawingArea<SVGBackend, Shift>,
        top: f64,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let groups = self.xs.len() as f64;
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(0.0..groups, 0.0..top)?;
        let name = |at: &f64| {
            // A group's name stands under its middle.
            let group = at.floor();
            let is_middle = (at - group - 0.5).abs() < 1e-6;
            let name = is_middle.then(|| self.xs.get(group as usize)).flatten();
            name.cloned().unwrap_or_default()
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_desc(&self.args.x)
            .y_desc(self.quantity())
            .x_labels(2 * self.xs.len() + 1)
            .x_label_formatter(&name)
            .y_label_formatter(&|value| short(*value))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let width = 0.8 / self.lines.len() as f64;
        for (at, (name, values)) in self.lines.iter().enumerate() {
            let colour = colour(at);
            let bars = values.iter().enumerate().filter_map(|(group, value)| {
                let left = group as f64 + 0.1 + width * at as f64;
                Some(Rectangle::new([(left, 0.0), (left + width, (*value)?)], colour.filled()))
            });
            chart.draw_series(bars)?.label(self.label(name)).legend(move |(x, y)| {
                Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled())
            });
        }
        self.legend(&mut chart)
    }

    fn has_legend(&self) -> bool {
        self.args.lines.is_some() && self.lines.len() > 1
    }

    /// A line's name in the legend.
    fn label(&self, name: &str) -> String {
        self.args.lines.as_ref().map_or(String::new(), |field| format!("{field} = {name}"))
    }

    fn legend<'b, 'c: 'b>(
        &self,
        chart: &mut ChartContext<'b, SVGBackend<'c>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        if self.has_legend() {
            chart
                .configure_series_labels()
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK.mix(0.2))
                .position(SeriesLabelPosition::UpperLeft)
                .draw()
                .map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

/// Colours that differ for readers with any colour vision (Okabe and Ito).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(240, 228, 66),
    RGBColor(0, 0, 0),
];

fn colour(at: usize) -> RGBAColor {
    COLOURS[at % COLOURS.len()].mix(1.0)
}

/// A number in few characters.
fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 1e9 => format!("{:.3} G", value / 1e9),
        v if v >= 1e6 => format!("{:.4} M", value / 1e6),
        v if v >= 1e4 => format!("{:.1} k", value / 1e3),
        v if v.fract() < 1e-6 || v >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}
