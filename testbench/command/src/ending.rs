//! How the command ends before its work is done: nothing temporary stays behind.

use std::io;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

/// Ends the process with this status, and removes the files that are not finished.
pub fn end(status: u8) -> ! {
    files::with_none_left(|| low_level::exit(status.into()))
}

/// From now on these signals end the command with 128 and their number.
pub fn on_signals() -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            eprintln!("duet: ended by signal {signal}");
            end(128 + signal as u8);
        }
    })?;
    Ok(())
}
