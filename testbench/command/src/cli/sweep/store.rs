//! The SQLite file of a sweep. Each point is a transaction, so that whatever ends the program, the
//! file holds whole points.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bodies::Key;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, params};

use super::super::points::{Outcome, Point};
use super::super::record::{Kernel, Run, Values};
use super::super::text::csv;
use super::super::{ENVIRONMENT, Failure, USAGE, choice, job};
use super::file::Sweep;
use super::intact;
use super::plan::Refused;
use super::views;

const SCHEMA: &str = include_str!("schema.sql");

/// Of the schema.
const VERSION: i32 = 1;

/// `duet`, which SQLite keeps in the file's header for the program that a file belongs to.
const APPLICATION: i32 = i32::from_be_bytes(*b"duet");

/// The longest that another process may read the file at once.
const READER: Duration = Duration::from_secs(600);

/// How every SQLite file begins, and where it has the program's number.
const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION_AT: usize = 68;

/// The tables of points, in an order in which rows can be added.
const TABLES: [&str; 5] = ["configuration", "point", "setting", "counter", "kernel"];

/// Where the results of a sweep go.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// It is this process's for as long as the connection is there.
    _lock: File,
}

/// Says which file.
fn failure(path: &Path) -> impl Fn(rusqlite::Error) -> Failure + '_ {
    move |e| {
        let is_damaged = matches!(
            e.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        );
        let status = if is_damaged { USAGE } else { ENVIRONMENT };
        Failure::new(status, format!("{}: {e}", path.display()))
    }
}

fn damage(path: &Path, problem: String) -> String {
    format!(
        "{}: is damaged: {problem}; remove it, or choose another name by --into",
        path.display()
    )
}

/// A file that is there must be one of ours, or empty.
fn check(path: &Path) -> Result<(), Failure> {
    let told =
        |status, problem: &str| Err(Failure::new(status, format!("{}: {problem}", path.display())));
    let mut header = [0; APPLICATION_AT + 4];
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => return told(USAGE, "must be a file"),
        Ok(found) if found.len() == 0 => return Ok(()),
        Ok(_) => {}
        Err(_) => return Ok(()),
    }
    let read =
        File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut header));
    let is_ours = read.is_ok()
        && header.starts_with(MAGIC)
        && header[APPLICATION_AT..] == APPLICATION.to_be_bytes();
    match is_ours {
        true => Ok(()),
        false => {
            told(USAGE, "is no result of duet sweep; move it, or choose another name by --into")
        }
    }
}

impl Store {
    /// Opens the file, or makes it. Errors: it is another program's, another process writes it, or
    /// its points come from another build of this program.
    pub fn open(path: &Path, sweep: &Sweep, build: &str) -> Result<Self, Failure> {
        check(path)?;
        let error = failure(path);
        let told = |e: std::io::Error| Failure::environment(format!("{}: {e}", path.display()));
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), fs::create_dir_all).map_err(told)?;
        let lock = File::options().read(true).append(true).create(true).open(path).map_err(told)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let problem = "another duet sweep writes it";
                return Err(Failure::usage(format!("{}: {problem}", path.display())));
            }
            Err(TryLockError::Error(e)) => return Err(told(e)),
        }
        let mut connection = Connection::open(path).map_err(&error)?;
        connection.busy_timeout(READER).map_err(&error)?;
        let transaction = connection.transaction().map_err(&error)?;
        let version = transaction
            .pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))
            .map_err(&error)?;
        match version {
            0 if intact::is_empty(&transaction).map_err(&error)? => {
                transaction.execute_batch(SCHEMA).map_err(&error)?;
                for (name, value) in [("application_id", APPLICATION), ("user_version", VERSION)] {
                    transaction.pragma_update(None, name, value).map_err(&error)?;
                }
            }
            VERSION => {}
            other => {
                let problem = format!("schema {other}: must be {VERSION}");
                return Err(Failure::usage(format!("{}: {problem}", path.display())));
            }
        }
        let damaged = |problem| Failure::usage(damage(path, problem));
        intact::tables(&transaction, SCHEMA)
            .map_err(&error)?
            .map_or(Ok(()), |p| Err(damaged(p)))?;
        let own = (env!("CARGO_PKG_VERSION").to_string(), build.to_string());
        let query = "SELECT duet, build FROM sweep";
        let found = transaction.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)));
        let found: Option<(String, String)> = found.optional().map_err(&error)?;
        if let Some((duet, build)) = found.filter(|found| *found != own) {
            return Err(Failure::usage(format!(
                "{}: its points come from another build of duet ({duet} {build}; this is {} {}), \
                 whose results may differ; remove it, or choose another name by --into",
                path.display(),
                own.0,
                own.1
            )));
        }
        intact::rows(&transaction).map_err(&error)?.map_or(Ok(()), |p| Err(damaged(p)))?;
        let insert = "INSERT INTO sweep VALUES (?1, ?2, ?3, ?4)";
        transaction.execute("DELETE FROM sweep", []).map_err(&error)?;
        transaction
            .execute(insert, params![sweep.name, sweep.text, own.0, own.1])
            .map_err(&error)?;
        transaction.commit().map_err(&error)?;
        Ok(Self { connection, path: path.into(), _lock: lock })
    }

    /// In one transaction.
    fn write(
        &mut self,
        rows: impl FnOnce(&Transaction) -> rusqlite::Result<()>,
    ) -> Result<(), Failure> {
        let error = failure(&self.path);
        let transaction = self.connection.transaction().map_err(&error)?;
        rows(&transaction).and_then(|()| transaction.commit()).map_err(error)
    }

    /// Adds what came of a point.
    pub fn add(&mut self, point: &Point, outcome: &Outcome) -> Result<(), Failure> {
        self.write(|to| {
            let text = &point.configuration.text;
            let mut key = Key::default();
            key.add(text);
            let configuration = key.finish()[..16].to_string();
            let insert = "INSERT OR IGNORE INTO configuration VALUES (?1, ?2)";
            to.prepare_cached(insert)?.execute(params![configuration, text])?;
            let Outcome { status, message, .. } = outcome;
            add_point(to, &point.key, &point.choice, *status, message)?;
            let update =
                "UPDATE point SET configuration = ?2, seconds = ?3, cp = ?4 WHERE key = ?1";
            to.prepare_cached(update)?.execute(params![
                point.key,
                configuration,
                outcome.seconds,
                point.configuration.cp()
            ])?;
            outcome.record.as_ref().map_or(Ok(()), |record| add_record(to, &point.key, record))
        })
    }

    /// Adds those that are refused.
    pub fn refuse(&mut self, all: &[Refused]) -> Result<(), Failure> {
        self.write(|to| {
            all.iter().try_for_each(|refused| {
                add_point(to, &refused.key, &refused.choice, USAGE, &refused.message)
            })
        })
    }

    /// Adds what another file holds; nothing twice.
    pub fn merge(&mut self, part: &Path) -> Result<(), Failure> {
        check(part)?;
        let error = failure(part);
        let name = part.to_string_lossy();
        let read = Connection::open(part).map_err(&error)?;
        let found = intact::tables(&read, SCHEMA).and_then(|problem| match problem {
            Some(problem) => Ok(Some(problem)),
            None => intact::rows(&read),
        });
        if let Some(problem) = found.map_err(&error)? {
            return Err(Failure::usage(damage(part, problem)));
        }
        drop(read);
        self.connection.execute("ATTACH ?1 AS part", [name]).map_err(&error)?;
        let copied = self.write(|to| {
            TABLES.iter().try_for_each(|table| {
                let copy = format!("INSERT OR REPLACE INTO {table} SELECT * FROM part.{table}");
                to.execute(&copy, []).map(drop)
            })
        });
        let detached = self.connection.execute("DETACH part", []).map_err(&error);
        copied.and(detached.map(drop))
    }

    /// Status and message of each point.
    pub fn statuses(&self) -> Result<BTreeMap<String, (u8, String)>, Failure> {
        let read = || {
            let mut query = self.connection.prepare("SELECT key, status, message FROM point")?;
            let row = |row: &rusqlite::Row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)));
            query.query_map([], row)?.collect::<rusqlite::Result<_>>()
        };
        read().map_err(failure(&self.path))
    }

    /// Cycles of each point that has passed.
    pub fn cycles(&self) -> Result<BTreeMap<String, u64>, Failure> {
        let read = || {
            let query = "SELECT key, cycles FROM point WHERE status = 0";
            let mut query = self.connection.prepare(query)?;
            let row = |row: &rusqlite::Row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64));
            query.query_map([], row)?.collect::<rusqlite::Result<_>>()
        };
        read().map_err(failure(&self.path))
    }

    /// A line for each point, below the names of the columns.
    pub fn csv(&self) -> Result<String, Failure> {
        let read = || {
            let mut query = self.connection.prepare(&views::points(&self.connection)?)?;
            let names: Vec<_> = query.column_names().map(csv).collect();
            let mut text = names.join(",") + "\n";
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let cell = |at: usize| {
                    Ok(match row.get::<_, Value>(at)? {
                        Value::Null => String::new(),
                        Value::Integer(number) => number.to_string(),
                        Value::Real(number) => number.to_string(),
                        Value::Text(text) => csv(&text),
                        Value::Blob(_) => String::new(),
                    })
                };
                let cells = (0..names.len()).map(cell).collect::<rusqlite::Result<Vec<_>>>()?;
                text += &(cells.join(",") + "\n");
            }
            Ok(text)
        };
        read().map_err(failure(&self.path))
    }

    /// Makes the views for what is set.
    pub fn show(&mut self) -> Result<(), Failure> {
        self.write(|to| views::make(to))
    }
}

/// The row of a point with what was asked for, and its settings.
fn add_point(
    to: &Transaction,
    key: &str,
    choice: &choice::Args,
    status: u8,
    message: &str,
) -> rusqlite::Result<()> {
    let job::Args { system, workload, set, perturb, .. } = &choice.job;
    let insert = "INSERT OR REPLACE INTO point \
                  (key, system, workload, seed, perturb, impl, cp, status, message) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    to.prepare_cached(insert)?.execute(params![
        key,
        system,
        workload,
        number(choice.job.seed()),
        number(perturb.unwrap_or(0)),
        choice.bodies.join(" "),
        choice.cp.as_deref().unwrap_or_default(),
        status,
        message
    ])?;
    let mut insert = to.prepare_cached("INSERT OR REPLACE INTO setting VALUES (?1, ?2, ?3)")?;
    for (name, value) in set.iter().filter_map(|set| set.split_once('=')) {
        insert.execute(params![key, name, typed(value)])?;
    }
    Ok(())
}

/// The result of a point.
fn add_record(to: &Transaction, key: &str, record: &Run) -> rusqlite::Result<()> {
    let Values { loads_checked, loads_determined, loads_racy, atomics_checked, .. } = record.values;
    let update = "UPDATE point SET program = ?2, cycles = ?3, time_ns = ?4, loads_checked = ?5, \
                  loads_determined = ?6, loads_racy = ?7, atomics_checked = ?8, \
                  released_bytes_checked = ?9 WHERE key = ?1";
    to.prepare_cached(update)?.execute(params![
        key,
        record.workload,
        number(record.cycles),
        number(record.time_ns),
        number(loads_checked),
        number(loads_determined),
        number(loads_racy),
        number(atomics_checked),
        number(record.values.released_bytes_checked),
    ])?;
    let mut insert = to.prepare_cached("INSERT OR REPLACE INTO counter VALUES (?1, ?2, ?3)")?;
    for (name, value) in &record.counters {
        insert.execute(params![key, name, number(*value)])?;
    }
    let mut insert =
        to.prepare_cached("INSERT OR REPLACE INTO kernel VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (at, Kernel { name, launches, cycles, .. }) in (0_u32..).zip(&record.kernels) {
        insert.execute(params![key, at, name, launches, number(*cycles)])?;
    }
    Ok(())
}

/// A number where it is one.
fn typed(text: &str) -> Value {
    let real = || text.parse().ok().filter(|real: &f64| real.is_finite()).map(Value::Real);
    let whole = text.parse().ok().map(Value::Integer);
    whole.or_else(real).unwrap_or_else(|| Value::Text(text.into()))
}

/// SQLite's integers have a sign: the greatest of them stands for what is beyond.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
