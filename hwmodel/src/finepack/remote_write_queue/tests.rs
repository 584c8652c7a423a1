//! What no port shows. The rules are tested in `tests/blocks/finepack/remote_write_queue`, on the
//! RTL too.

use ports::finepack::types::{Req, op};

use super::*;

/// The specification's default parameters.
fn paper() -> Config {
    Config {
        num_gpus: 4,
        entries: 64,
        line: 128,
        banks: 2,
        sub_header_bytes: 5,
        offset_width: 30,
        max_payload: 4096,
        order_queue_depth: 4,
    }
}

/// The specification's small parameters.
fn small() -> Config {
    Config {
        num_gpus: 3,
        entries: 4,
        line: 16,
        banks: 2,
        sub_header_bytes: 3,
        offset_width: 14,
        max_payload: 128,
        order_queue_depth: 2,
    }
}

/// An access of `len` bytes to GPU 1 in a line of `small`.
fn access(op: u8, addr: u64, len: u32) -> Req {
    Req { op, dest: 1, addr, mask: (u128::MAX >> (128 - len)) << (addr % 16), ..Req::default() }
}

#[test]
fn illegal_parameters_are_refused_by_name() {
    let refused = |change: fn(&mut Config)| {
        let mut config = paper();
        change(&mut config);
        RemoteWriteQueue::new(&config).err().map(|e| e.name)
    };
    assert_eq!(refused(|_| ()), None);
    assert_eq!(refused(|c| c.num_gpus = 1), Some("num_gpus"));
    assert_eq!(refused(|c| c.num_gpus = 17), Some("num_gpus"));
    assert_eq!(refused(|c| c.entries = 48), Some("entries"));
    assert_eq!(refused(|c| c.line = 256), Some("line"));
    assert_eq!(refused(|c| c.banks = 3), Some("banks"));
    assert_eq!(refused(|c| c.sub_header_bytes = 7), Some("sub_header_bytes"));
    assert_eq!(refused(|c| c.offset_width = 22), Some("offset_width"));
    // 128 > 2^6
    assert_eq!(refused(|c| (c.sub_header_bytes, c.offset_width) = (2, 6)), Some("line"));
    assert_eq!(refused(|c| c.max_payload = 384), Some("max_payload")); // (128 / 2) * 6 + 4 = 388
    assert_eq!(refused(|c| c.max_payload = 388), None);
    assert_eq!(refused(|c| c.max_payload = 4098), Some("max_payload"));
    assert_eq!(refused(|c| c.order_queue_depth = 1), Some("order_queue_depth"));
}

#[test]
fn rtl_parameters_are_those_of_the_configuration() {
    let expected = [
        ("NumGpus", 4),
        ("Entries", 64),
        ("Line", 128),
        ("Banks", 2),
        ("SubHeaderBytes", 5),
        ("OffsetWidth", 30),
        ("MaxPayload", 4096),
        ("OrderQueueDepth", 4),
    ];
    assert_eq!(paper().rtl_parameters(), expected);
}

#[test]
fn idle_block_does_not_change() {
    for (timeout, idle) in [(0, true), (1000, false)] {
        let mut queue = RemoteWriteQueue::new(&small()).unwrap();
        let inputs = In { timeout, drain_ready: true, ..In::default() };
        assert!(queue.is_idle());
        queue.tick(&In { req: Some(access(op::STORE, 0, 4)), ..inputs });
        assert!(!queue.is_idle());
        (0..3).for_each(|_| _ = queue.tick(&inputs));
        // A queued store waits for ever without a timeout.
        assert_eq!(queue.is_idle(), idle);
        let shown = queue.outputs();
        (0..3).for_each(|_| _ = queue.tick(&inputs));
        assert_eq!(queue.outputs(), shown);
    }
}

#[test]
fn state_line_names_request_partitions_and_drain() {
    let mut queue = RemoteWriteQueue::new(&small()).unwrap();
    let (first, load) = (access(op::STORE, 0x4000, 4), access(op::LOAD, 0x4000, 4));
    let second = access(op::STORE, 0x4010, 2);
    for req in [Some(first), Some(load), None, None, None, None, Some(second), None] {
        queue.tick(&In { req, ..In::default() });
    }
    let mut line = String::new();
    queue.write_state(&mut line).unwrap();
    assert_eq!(
        line,
        "input.s2.valid=0x1 input.s2.cost=0x5 input.s2_line=0x401 input.s2_mask=0x3 \
         part[0].partition.fill.avail=0x80 part[0].partition.bank=0x1 \
         part[0].partition.dirty=0x1 part[0].partition.busy=0x1 \
         part[0].partition.drain_cnt=0x1 part[0].partition.drain_sum=0x7 \
         part[0].order_queue.count=0x1 part[1].partition.fill.avail=0x80 drain.rr=0x1 \
         drain.beat.valid=0x1 drain.beat.eop=0x1 drain.beat.dest=0x1 drain.beat.plen=0x7 \
         drain.left=0x1"
    );
}
