//! `--flip`: one output bit of an RTL body, inverted.

use cosim::body::BodyKind;
use cosim::flip::Flip;
use cosim::socket::Pattern;
use machine::Machine;

use super::Failure;
use super::bodies::these;

/// A flip as the command line has it.
pub fn parse(text: &str) -> Result<Flip, String> {
    let form = "must be FIELD@CYCLE or FIELD[BIT]@CYCLE";
    let (place, cycle) = text.split_once('@').ok_or(form)?;
    let cycle = cycle.parse().map_err(|_| format!("cycle {cycle}: must be a number"))?;
    let (field, bit) = match place.strip_suffix(']').and_then(|p| p.split_once('[')) {
        Some((field, bit)) => {
            (field, bit.parse().map_err(|_| format!("bit {bit}: must be a number"))?)
        }
        None => (place, 0),
    };
    if field.is_empty() || field.contains(['[', ']']) {
        return Err(form.to_string());
    }
    Ok(Flip { field: field.to_string(), bit, cycle })
}

/// The words that ask for it again.
pub fn words(flip: Option<&Flip>) -> String {
    flip.map_or(String::new(), |flip| format!(" --flip {flip}"))
}

/// Has a machine do it. The field is that of the first block in lockstep that the places mean.
pub fn set(flip: Option<&Flip>, machine: &mut Machine) -> Result<(), Failure> {
    let Some(flip) = flip else { return Ok(()) };
    let sockets = machine.sockets();
    // The field has no dot, the place may have one.
    let (places, field) = flip.field.rsplit_once('.').unwrap_or((&flip.field, ""));
    let meant = sockets.matching(&Pattern::new(places));
    if meant.is_empty() || field.is_empty() {
        let these = these(places, &sockets.places());
        return Err(Failure::usage(format!(
            "--flip {}: must be PLACES.FIELD; {these}",
            flip.field
        )));
    }
    let in_lockstep = meant.iter().find(|&&number| sockets.kind(number) == BodyKind::Lockstep);
    let &number = in_lockstep.ok_or_else(|| {
        Failure::usage(format!("--flip: {places} is not in lockstep; --impl {places}=lockstep"))
    })?;
    let flip = Flip { field: field.to_string(), ..flip.clone() };
    flip.check(&sockets.block(number), u64::MAX).map_err(Failure::usage)?;
    machine.flip(number, flip);
    Ok(())
}
