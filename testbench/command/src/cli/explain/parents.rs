//! Where a transaction comes from: the wavefront whose access it is, or the packet of the command
//! processor.

use std::cell::RefCell;
use std::rc::Rc;

use cosim::Mismatch;
use machine::{Bodies, Machine, Options};

use super::super::job::{Job, run_failure};
use super::super::{Failure, flip, run};
use super::line;
use super::mismatch::addresses;
use crate::audit_log::Paragraph;

/// Steps of a byte's life that are printed: the first and the last of them.
const MOST_STEPS: usize = 8;
/// What a life says of a wavefront's store, and of any access.
const STORED: &str = "stored by a work-item";
const ISSUED: &str = ", wave ";

/// Reports the origin of the transaction that the block at this place carries.
pub fn report(
    args: &run::Args,
    job: &Job,
    chosen: &Bodies,
    found: &Mismatch,
    place: &str,
) -> Result<(), Failure> {
    for addr in addresses(found) {
        if report_life(args, job, chosen, addr, true)? {
            return Ok(());
        }
    }
    let block = place.rsplit('/').next().unwrap_or(place);
    match block.contains("command") || block.starts_with("cp_") {
        true => report_packet(args, job, chosen, place),
        false => Ok(()),
    }
}

/// The life of a byte, or of its line, from a wavefront's last store on, or its last load; false
/// where it has none.
pub fn report_life(
    args: &run::Args,
    job: &Job,
    chosen: &Bodies,
    addr: u64,
    watch_line: bool,
) -> Result<bool, Failure> {
    let options = Options { watch: Some(addr), watch_line, ..run::options(&args.choice.job) };
    let mut machine = start(args, job, chosen, options)?;
    // It ends as the first run did.
    let _ = machine.run();
    let life = machine.life();
    let steps: Vec<_> = life.lines().map(str::trim).collect();
    let last = |what: &str| steps.iter().rposition(|step| step.contains(what));
    let Some(begin) = last(STORED).or(last(ISSUED)) else { return Ok(false) };
    let what = if watch_line { "line of" } else { "byte" };
    line("comes from", &format!("{what} {addr:#x}"));
    let steps = &steps[begin..];
    for (i, step) in steps.iter().enumerate() {
        match i {
            _ if i < MOST_STEPS / 2 || i + MOST_STEPS / 2 >= steps.len() => line("", step),
            _ if i == MOST_STEPS / 2 => line("", "..."),
            _ => {}
        }
    }
    Ok(true)
}

/// The last packet of the GPU that is complete, and the kernel that runs.
fn report_packet(args: &run::Args, job: &Job, chosen: &Bodies, place: &str) -> Result<(), Failure> {
    let mut machine = start(args, job, chosen, run::options(&args.choice.job))?;
    let last = Rc::new(RefCell::new(String::new()));
    let (seen, gpu) = (last.clone(), place.split('/').next().unwrap_or("").to_string());
    machine.on_packet(move |packet| {
        if format!("gpu{}", packet.packet.gpu) == gpu {
            *seen.borrow_mut() = Paragraph(packet).to_string();
        }
    });
    let _ = machine.run();
    line("comes from", &format!("the packet of kernel {}, counted from 0", machine.kernels()));
    for (i, text) in last.borrow().lines().filter(|text| !text.is_empty()).enumerate() {
        line(if i == 0 { "before it" } else { "" }, text);
    }
    Ok(())
}

fn start(
    args: &run::Args,
    job: &Job,
    chosen: &Bodies,
    options: Options,
) -> Result<Machine, Failure> {
    let machine = Machine::new(&job.system, chosen, job.program()?, options);
    let mut machine = machine.map_err(run_failure)?;
    flip::set(args.flip.as_ref(), &mut machine)?;
    Ok(machine)
}
