//! `--flip`: one output bit of a block's RTL, inverted.

use cosim::body::BodyKind;
use cosim::flip::Flip;
use cosim::socket::Pattern;
use machine::Machine;

use super::Failure;
use super::bodies::these;

/// A flip as the command line has it. The last brackets hold the bit; those before are indices of
/// arrays.
pub fn parse(text: &str) -> Result<Flip, String> {
    let form = "must be FIELD@CYCLE or FIELD[BIT]@CYCLE";
    let (place, cycle) = text.split_once('@').ok_or(form)?;
    let cycle = cycle.parse().map_err(|_| format!("cycle {cycle}: must be a number"))?;
    let (field, bit) = match place.strip_suffix(']').and_then(|p| p.rsplit_once('[')) {
        Some((field, bit)) => {
            (field, bit.parse().map_err(|_| format!("bit {bit}: must be a number"))?)
        }
        None => (place, 0),
    };
    let (name, indices) = field.split_once('[').map_or((field, None), |(n, i)| (n, Some(i)));
    let is_index =
        |part: &str| part.split_once(']').is_some_and(|(index, _)| index.parse::<u32>().is_ok());
    if name.is_empty() || name.contains(']') || !indices.is_none_or(|i| i.split('[').all(is_index))
    {
        return Err(form.to_string());
    }
    Ok(Flip { field: field.to_string(), bit, cycle })
}

/// The words that ask for it again.
pub fn words(flip: Option<&Flip>) -> String {
    flip.map_or(String::new(), |flip| format!(" --flip {flip}"))
}

/// Plants it in a machine: in the first block in lockstep that the places mean. Returns it by the
/// name of the field in which its bit lies.
pub fn set(flip: Option<&Flip>, machine: &mut Machine) -> Result<Option<Flip>, Failure> {
    let Some(flip) = flip else { return Ok(None) };
    let sockets = machine.sockets();
    // Names of instances have dots, and so have names of fields: the places end at the first dot
    // behind which a block has such an output.
    let splits = flip.field.match_indices('.').map(|(at, _)| {
        let (places, field) = (&flip.field[..at], &flip.field[at + 1..]);
        (places, field, sockets.matching(&Pattern::new(places)))
    });
    let splits: Vec<_> = splits.filter(|(.., meant)| !meant.is_empty()).collect();
    let has_output = |(_, field, meant): &&(&str, &str, Vec<usize>)| {
        let inner = Flip { field: field.to_string(), ..flip.clone() };
        meant.iter().any(|&number| inner.is_of(&sockets.block(number)))
    };
    let Some((places, field, meant)) = splits.iter().find(has_output).or(splits.last()) else {
        let places = flip.field.rsplit_once('.').map_or(&flip.field[..], |(places, _)| places);
        let these = these(places, &sockets.places());
        return Err(Failure::usage(format!(
            "--flip {}: must be PLACES.FIELD; {these}",
            flip.field
        )));
    };
    let in_lockstep = meant.iter().find(|&&number| sockets.kind(number) == BodyKind::Lockstep);
    let &number = in_lockstep.ok_or_else(|| {
        Failure::usage(format!("--flip: {places} is not in lockstep; --impl {places}=lockstep"))
    })?;
    let inner = Flip { field: field.to_string(), ..flip.clone() };
    let inner = inner.checked(&sockets.block(number), u64::MAX).map_err(Failure::usage)?;
    let named = Flip { field: format!("{places}.{}", inner.field), ..inner.clone() };
    machine.flip(number, inner);
    Ok(Some(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_is_in_the_last_brackets() {
        for (text, field, bit) in [
            ("tlp@5", "tlp", 0),
            ("tlp[140]@5", "tlp", 140),
            ("tlp.hdr[68]@5", "tlp.hdr", 68),
            ("sub[1].len@5", "sub[1].len", 0),
            ("gpu0/l2.bank0/a.sub[1][2].len[3]@5", "gpu0/l2.bank0/a.sub[1][2].len", 3),
        ] {
            assert_eq!(parse(text), Ok(Flip { field: field.into(), bit, cycle: 5 }), "{text}");
        }
        for text in ["tlp[3@5", "tlp]@5", "a[1.len@5", "a[x].len@5", "[1].len@5", "a]b[1]@5"] {
            assert!(parse(text).unwrap_err().starts_with("must be FIELD@CYCLE"), "{text}");
        }
    }
}
