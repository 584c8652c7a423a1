//! Whether a sweep's file still holds what sweeps have written into it.

use rusqlite::{Connection, OptionalExtension, Result, Row};

/// True of a file without tables.
pub fn is_empty(of: &Connection) -> Result<bool> {
    of.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// A table that is missing or has other columns than in this schema.
pub fn tables(of: &Connection, schema: &str) -> Result<Option<String>> {
    let fresh = Connection::open_in_memory()?;
    fresh.execute_batch(schema)?;
    let mut names = fresh.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    for name in names {
        let found = columns(of, &name)?;
        if found.is_empty() {
            return Ok(Some(format!("table {name} is missing")));
        }
        if found != columns(&fresh, &name)? {
            return Ok(Some(format!("table {name} has other columns than sweeps write")));
        }
    }
    Ok(None)
}

/// Name, type, whether it may be null, and place in the key of each column; none of a view.
fn columns(of: &Connection, table: &str) -> Result<Vec<(String, String, bool, i64)>> {
    let query = "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1) WHERE EXISTS \
                 (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND sqlite_schema.name = ?1)";
    let mut query = of.prepare(query)?;
    let row = |row: &Row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    query.query_map([table], row)?.collect()
}

/// What cannot be where rows were only added: SQLite's own structures, then rows without the point
/// that they belong to, then points without the rows that belong to them.
const QUERIES: [(&str, &str); 6] = [
    ("SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok' LIMIT 1", "SQLite says"),
    ("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1", "a row of no point stands in table"),
    (
        "SELECT key FROM point WHERE status NOT BETWEEN 0 AND 5 OR typeof(status) <> 'integer' \
         LIMIT 1",
        "status 0 to 5 is missing of point",
    ),
    (
        "SELECT key FROM point WHERE status = 0 AND (program IS NULL OR cycles IS NULL OR \
         time_ns IS NULL OR loads_checked IS NULL OR configuration IS NULL OR configuration NOT IN \
         (SELECT key FROM configuration)) LIMIT 1",
        "the result or configuration is missing of point",
    ),
    (
        "SELECT key FROM point WHERE status = 0 AND key NOT IN (SELECT point FROM counter) LIMIT 1",
        "the counters are missing of point",
    ),
    (
        "SELECT counter.point FROM counter JOIN point ON point.key = counter.point \
         WHERE status = 0 AND name = 'launch.packets' AND value > 0 AND counter.point NOT IN \
         (SELECT point FROM kernel) LIMIT 1",
        "the kernels are missing of point",
    ),
];

/// A row that is missing, or damaged.
pub fn rows(of: &Connection) -> Result<Option<String>> {
    for (query, problem) in QUERIES {
        let found: Option<String> = of.query_row(query, [], |row| row.get(0)).optional()?;
        if let Some(found) = found {
            return Ok(Some(format!("{problem} {found}")));
        }
    }
    Ok(None)
}
