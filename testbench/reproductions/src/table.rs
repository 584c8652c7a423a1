//! Tables of a report.

use std::fmt::{self, Formatter};

/// A column: its title, its width, and what it shows of a row.
pub struct Column<R> {
    title: &'static str,
    width: usize,
    is_left: bool,
    cell: fn(&R) -> String,
}

/// A column of names, from the left.
pub fn left<R>(title: &'static str, width: usize, cell: fn(&R) -> String) -> Column<R> {
    Column { title, width, is_left: true, cell }
}

/// A column of numbers.
pub fn right<R>(title: &'static str, width: usize, cell: fn(&R) -> String) -> Column<R> {
    Column { title, width, is_left: false, cell }
}

/// The line of titles, and one for each row.
pub fn write<R>(
    f: &mut Formatter,
    columns: &[Column<R>],
    rows: impl IntoIterator<Item = R>,
) -> fmt::Result {
    line(f, columns, |column| column.title.to_string())?;
    rows.into_iter().try_for_each(|row| line(f, columns, |column| (column.cell)(&row)))
}

fn line<R>(
    f: &mut Formatter,
    columns: &[Column<R>],
    text: impl Fn(&Column<R>) -> String,
) -> fmt::Result {
    for column in columns {
        let (text, width) = (text(column), column.width);
        match column.is_left {
            true => write!(f, "{text:<width$}")?,
            false => write!(f, "{text:>width$}")?,
        }
    }
    writeln!(f)
}
