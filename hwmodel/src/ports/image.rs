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
pub fn load_port<T: Signal>(shape: T::Shape, from: &mut Reader) -> T {
    let value = T::get(shape, from);
    from.align();
    value
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
pub fn load_channel<T: Signal>(shape: T::Shape, from: &mut Reader) -> Option<T> {
    if load_port::<bool>(1, from) {
        Some(load_port(shape, from))
    } else {
        from.skip_port(T::width(shape));
        None
    }
}
