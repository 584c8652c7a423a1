//! `duet run --live`: a page that shows a run while it goes on.
//!
//! ```text
//! $ duet run --system cpelide-4-small --workload reuse --live
//! ...
//! PASS reuse: ...
//! ```
//!
//! Standard error has its address, with a token that is drawn for each run. The simulation
//! publishes snapshots on request ([`machine::probe`]); the threads of the server request one a
//! second as long as a page is open, and format it.

mod page;
mod readings;
mod server;
mod state;

use std::fs::File;
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use machine::Machine;

use super::job::Job;
use readings::Readings;
use server::Site;
use state::About;

/// How long the end of a run waits for a page that is open to fetch its last state.
const GRACE: Duration = Duration::from_secs(1);

/// The page of a run. Dropped, it lets pages that are open fetch the last state.
pub struct Live(Arc<Site>);

impl Live {
    /// Serves a page from now on; 0 for any port. The run goes on without the page where it cannot
    /// be served.
    pub fn start(port: u16, machine: &mut Machine, job: &Job, seed: u64) -> Option<Self> {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let ready = bound.and_then(|listener| Ok((listener.local_addr()?, listener, token()?)));
        let (address, listener, token) = match ready {
            Ok(ready) => ready,
            Err(problem) => {
                let place = if port == 0 { String::new() } else { format!("port {port}: ") };
                eprintln!(
                    "duet: warning: --live: {place}{problem}; the run goes on without its page"
                );
                return None;
            }
        };
        eprintln!("live page: http://{address}/{token}/");
        let readings = Readings::new(machine.probe());
        let site = Arc::new(Site { token, about: About::of(job, seed), readings });
        server::serve(&site, &Arc::new(listener));
        Some(Self(site))
    }

    /// The run has ended with this verdict.
    pub fn end(&self, passed: bool, verdict: &str) {
        self.0.readings.end(passed, verdict);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.0.readings.wait_for_readers(GRACE);
    }
}

/// 128 random bits: other users of the computer can reach the port, and no page without them.
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
