//! Tables of text: numbers and columns.

use reproductions::figure;

/// Digits in groups of three.
pub fn digits(number: u64) -> String {
    let plain = number.to_string();
    let mut text = String::new();
    for (at, digit) in plain.chars().enumerate() {
        if at > 0 && (plain.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Lines of cells: the first column to the left, the others to the right.
pub fn lines(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, &width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

/// A cell of a CSV file.
pub fn csv(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

/// The geometric mean; none of no values.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| figure::geometric_mean(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_end_at_the_same_place() {
        let rows = [["a", "10", "x"], ["bbb", "5", "yy"]];
        let rows = rows.map(|row| row.map(String::from).to_vec());
        assert_eq!(lines(&rows), ["a    10   x", "bbb   5  yy"]);
    }

    #[test]
    fn numbers_and_cells_read_as_the_field_writes_them() {
        assert_eq!([7, 1000, 220_311].map(digits), ["7", "1 000", "220 311"]);
        assert_eq!(["a b", "a,b", "a\"b"].map(csv), ["a b", "\"a,b\"", "\"a\"\"b\""]);
    }
}
