//! The firmware on the command processor's core: start, memory-mapped bus, event loop.
#![no_std]
#![no_main]

use core::arch::{asm, global_asm};
use core::panic::PanicInfo;

use firmware::map::{MAILBOX, error, reg};
use firmware::{Bus, Processor};

#[cfg(not(any(feature = "paper", feature = "indexed")))]
type Layout = firmware::Cached;
#[cfg(feature = "indexed")]
type Layout = firmware::Indexed;
#[cfg(feature = "paper")]
type Layout = firmware::Paper;

// The trap vector reports error 8 and halts with it: the core itself does not stop at an illegal
// instruction.
global_asm!(
    ".section .vector, \"ax\"",
    "  lui t0, 0x40000",
    "  li t1, 8",
    "  sw t1, 0x5c(t0)",
    "  sw t1, 0x60(t0)",
    "1: j 1b",
    ".section .start, \"ax\"",
    ".global _start",
    "_start:",
    "  la sp, _stack_top",
    "  j {main}",
    main = sym main,
);

/// The memory map.
struct Map;

impl Bus for Map {
    #[inline(always)]
    fn load(&mut self, addr: u32) -> u32 {
        // SAFETY: the firmware loads aligned words of the memory map, outside its own memory, only.
        unsafe { (addr as *const u32).read_volatile() }
    }

    // One address and four offsets: left to itself the compiler keeps four addresses in the
    // innermost loop.
    #[inline(always)]
    fn load4(&mut self, addr: u32) -> [u32; 4] {
        let (a, b, c, d): (u32, u32, u32, u32);
        // SAFETY: as for one load.
        unsafe {
            asm!(
                "lw {a}, 0({addr})", "lw {b}, 4({addr})", "lw {c}, 8({addr})", "lw {d}, 12({addr})",
                addr = in(reg) addr,
                a = out(reg) a, b = out(reg) b, c = out(reg) c, d = lateout(reg) d,
                options(nostack, preserves_flags),
            );
        }
        [a, b, c, d]
    }

    #[inline(always)]
    fn store(&mut self, addr: u32, value: u32) {
        // SAFETY: as for loads.
        unsafe { (addr as *mut u32).write_volatile(value) }
    }
}

/// Everything that is kept. It is in fast memory, which is zero at the start.
static mut PROCESSOR: Processor<Layout> = Processor::NEW;

extern "C" fn main() -> ! {
    // SAFETY: there is one core and no interrupt, and nothing else names it.
    let processor = unsafe { &mut *(&raw mut PROCESSOR) };
    let mut bus = Map;
    processor.poll(&mut bus);
    loop {
        bus.get(reg::WAIT);
        processor.poll(&mut bus);
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    let mut bus = Map;
    bus.store(MAILBOX + reg::ERROR, error::FATAL);
    bus.store(MAILBOX + reg::EXIT, error::FATAL);
    loop {}
}
