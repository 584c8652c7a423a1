//! Views of a sweep's file, so that the usual question is one line.

use rusqlite::{Connection, Result};

/// Makes them: `result` has the points that passed, with a column for each setting, and `counted`
/// the same with each counter.
pub fn make(to: &Connection) -> Result<()> {
    let settings = settings(to)?;
    to.execute_batch(&format!(
        "DROP VIEW IF EXISTS counted; \
         DROP VIEW IF EXISTS result; \
         CREATE VIEW result AS SELECT key, system, workload, seed, perturb, impl, cp{settings}, \
         cycles, time_ns, loads_checked FROM point WHERE status = 0; \
         CREATE VIEW counted AS SELECT result.*, counter.name AS counter, counter.value \
         FROM result JOIN counter ON counter.point = result.key;"
    ))
}

/// The query of all points, whether they have passed or not, with a column for each setting.
pub fn points(of: &Connection) -> Result<String> {
    Ok(format!(
        "SELECT key, system, workload, seed, perturb, impl, cp{}, status, cycles, time_ns, message \
         FROM point ORDER BY system, workload, seed, perturb, key",
        settings(of)?
    ))
}

/// The columns of all settings.
fn settings(of: &Connection) -> Result<String> {
    let mut keys = of.prepare("SELECT DISTINCT key FROM setting ORDER BY key")?;
    let keys: Vec<String> = keys.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    Ok(keys.iter().map(|key| column(key)).collect())
}

/// A setting as a column; null where a point has none of this key.
fn column(key: &str) -> String {
    let (text, name) = (key.replace('\'', "''"), key.replace('"', "\"\""));
    format!(
        ", (SELECT value FROM setting WHERE setting.point = point.key \
         AND setting.key = '{text}') AS \"{name}\""
    )
}
