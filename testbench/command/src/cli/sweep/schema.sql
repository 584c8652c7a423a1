-- The result of `duet sweep` (docs/sweeps.md). A change of it raises `user_version` in store.rs.

-- One row: what the points come from.
CREATE TABLE sweep (
  name  TEXT NOT NULL,
  file  TEXT NOT NULL,  -- text of the sweep file that was run last
  duet  TEXT NOT NULL,  -- version of the program
  build TEXT NOT NULL   -- checksum of its executable
);

-- A program on a machine, or why it did not run.
CREATE TABLE point (
  key                    TEXT PRIMARY KEY,
  system                 TEXT NOT NULL,
  workload               TEXT NOT NULL,
  seed                   INTEGER NOT NULL,
  perturb                INTEGER NOT NULL,  -- 0: not perturbed
  impl                   TEXT NOT NULL,     -- words of --impl; empty: models
  cp                     TEXT NOT NULL,
  status                 INTEGER NOT NULL,  -- as the exit status of `duet run`; 2: refused
  message                TEXT NOT NULL,     -- empty where it passed
  configuration          TEXT,              -- of it; none where it was refused
  program                TEXT,              -- name and checksum; this and what follows: none where nothing ran
  cycles                 INTEGER,
  time_ns                INTEGER,
  loads_checked          INTEGER,
  loads_determined       INTEGER,
  loads_racy             INTEGER,
  atomics_checked        INTEGER,
  released_bytes_checked INTEGER,
  seconds                REAL               -- the run's, of a real clock
) WITHOUT ROWID;

-- What was set of a point's system and program.
CREATE TABLE setting (
  point TEXT NOT NULL REFERENCES point,
  key   TEXT NOT NULL,
  value NOT NULL,       -- a number where it is one
  PRIMARY KEY (point, key)
) WITHOUT ROWID;

-- Statistics; `duet list --json` has units and meanings.
CREATE TABLE counter (
  point TEXT NOT NULL REFERENCES point,
  name  TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (point, name)
) WITHOUT ROWID;

-- All launches of the kernels of one name, in the order of their first launch.
CREATE TABLE kernel (
  point    TEXT NOT NULL REFERENCES point,
  number   INTEGER NOT NULL,
  name     TEXT NOT NULL,
  launches INTEGER NOT NULL,
  cycles   INTEGER NOT NULL,
  PRIMARY KEY (point, number)
) WITHOUT ROWID;

-- System files with all fields.
CREATE TABLE configuration (
  key  TEXT PRIMARY KEY,
  text TEXT NOT NULL
) WITHOUT ROWID;
