//! One port in an image: what the code of `ports!` calls.

use super::bits::{Reader, Writer};
use super::signal::Signal;

#[doc(hidden)]
#[inline(always)]
pub fn store_port<T: Signal>(value: &T, shape: T::Shape, to: &mut Writer) {
    value.put(shape, to);
    to.align();
}

#[doc(hidden)]
#[inline(always)]
pub fn load_port<T: Signal>(value: &mut T, shape: T::Shape, from: &mut Reader) {
    value.get(shape, from);
    from.align();
}

#[doc(hidden)]
#[inline(always)]
pub fn store_channel<T: Signal>(value: &Option<T>, shape: T::Shape, to: &mut Writer) {
    store_port(&value.is_some(), 1, to);
    match value {
        Some(payload) => store_port(payload, shape, to),
        None => to.skip_port(T::width(shape)),
    }
}

#[doc(hidden)]
#[inline(always)]
pub fn load_channel<T: Signal>(value: &mut Option<T>, shape: T::Shape, from: &mut Reader) {
    let mut valid = false;
    load_port(&mut valid, 1, from);
    if valid {
        load_port(value.insert(T::default()), shape, from);
    } else {
        from.skip_port(T::width(shape));
    }
}

#[doc(hidden)]
#[inline(always)]
pub fn equals_port<T: Signal>(value: &T, shape: T::Shape, from: &mut Reader) -> bool {
    let equals = value.equals(shape, from);
    from.align();
    equals
}

#[doc(hidden)]
#[inline(always)]
pub fn equals_channel<T: Signal>(value: &Option<T>, shape: T::Shape, from: &mut Reader) -> bool {
    if !equals_port(&value.is_some(), 1, from) {
        return false;
    }
    match value {
        Some(payload) => equals_port(payload, shape, from),
        None => {
            from.skip_port(T::width(shape));
            true
        }
    }
}

/// Whether a field's valid, or a plain bit, is 1. Named like what stores the field.
#[doc(hidden)]
pub mod handshake {
    use crate::Signal;

    #[doc(hidden)]
    #[inline(always)]
    pub fn store_channel<T: Signal>(channel: &Option<T>) -> bool {
        channel.is_some()
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn store_port<T: Signal>(port: &T) -> bool {
        port.is_set()
    }
}
