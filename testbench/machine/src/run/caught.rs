//! Panics of a machine whose RTL answers what its models never would: a value, not output.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// This thread's panics are reported where they are caught.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What `run` gives; where it panics, the panic's message, of which nothing is printed.
pub(super) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                others(panic);
            }
        }));
    });
    IS_CAUGHT.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    IS_CAUGHT.set(false);
    result.map_err(|what| text(what.as_ref()))
}

fn text(what: &(dyn Any + Send)) -> String {
    let owned = what.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| what.downcast_ref::<&str>().copied()).unwrap_or("it stops").to_string()
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_is_its_message() {
        assert_eq!(caught(|| 7), Ok(7));
        assert_eq!(caught(|| panic!("no room")), Err::<(), _>("no room".to_string()));
        let bank = 3;
        assert_eq!(caught(|| panic!("no bank {bank}")), Err::<(), _>("no bank 3".to_string()));
    }
}
