//! Random traffic against the bytes that must arrive.

use std::collections::{HashMap, VecDeque};

use ports::finepack::types::{cost, drain_kind};
use proptest::prelude::*;

use super::*;

type Memory = HashMap<(u8, u64), u8>;

fn write(memory: &mut Memory, dest: u8, line: u64, size: u64, mask: u128, data: &[u8; 128]) {
    for k in (0..size).filter(|k| mask >> k & 1 == 1) {
        memory.insert((dest, line * size + k), data[k as usize]);
    }
}

fn requests(config: Config) -> impl Strategy<Value = (Config, Vec<(Req, bool)>)> {
    let line = u128::MAX >> (128 - config.line);
    let store = (0u64..12, 0u64..12, any::<[u128; 2]>(), any::<u8>());
    let one =
        (store, 0u8..40, 0u8..4, any::<bool>()).prop_map(move |(store, kind, dest, ready)| {
            let (number, window, [a, b], id) = store;
            let size = u64::from(config.line);
            let addr =
                0x10_0000 + number * size + if window == 0 { 1 << config.offset_width } else { 0 };
            let data = std::array::from_fn(|k| if k < size as usize { id ^ k as u8 } else { 0 });
            let mut req = Req { dest, id, addr, mask: a & b & line, ..Req::default() };
            req.data = ports::Bytes(data);
            match kind {
                0..3 => req.op = op::LOAD,
                3..5 => (req.op, req.mask) = (op::ATOMIC, 0xF0),
                5 => req.op = op::RELEASE_SYS,
                6 => req.op = op::RELEASE_GPU,
                7 => req.op = 5,
                _ => (),
            }
            (req, ready)
        });
    (Just(config), proptest::collection::vec(one, 1..300))
}

fn configs() -> impl Strategy<Value = (Config, Vec<(Req, bool)>)> {
    let wide = Config { entries: 8, max_payload: 1024, ..paper() };
    prop_oneof![
        requests(small()),
        requests(Config { banks: 1, ..small() }),
        requests(wide.clone()),
        requests(Config { banks: 1, line: 64, num_gpus: 3, ..wide }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_stored_byte_arrives_once_and_in_order(
        (config, requests) in configs(), acct in 0u8..2,
        timeout in prop_oneof![Just(0u16), 1u16..40],
    ) {
        let mut queue = RemoteWriteQueue::new(&config).unwrap();
        let size = u64::from(config.line);
        let (mut sent, mut arrived) = (Memory::new(), Memory::new());
        let mut inputs = In { acct, timeout, ..In::default() };
        let mut completions = VecDeque::new();
        let mut packet: Option<(u16, u32)> = None;
        let mut todo: VecDeque<_> = requests.into();
        todo.push_back((of_kind(op::RELEASE_SYS, 0xEE), true));
        let (mut last_done, mut releases) = (None, 0);
        for cycle in 0..20_000 {
            inputs.drain_ready = todo.front().is_none_or(|(_, ready)| *ready) || cycle % 3 == 0;
            inputs.req = todo.front().map(|(req, _)| *req);
            inputs.cpl = if cycle % 5 == 0 { completions.pop_front() } else { None };
            let idle = queue.is_idle() && inputs.req.is_none() && inputs.cpl.is_none();
            let before = queue.outputs();
            let out = queue.tick(&inputs);
            prop_assert!(!idle || queue.outputs() == before);
            if let Some(req) = inputs.req.filter(|_| out.req_ready) {
                todo.pop_front();
                let legal = req.dest != 0 && u32::from(req.dest) < config.num_gpus;
                if req.op == op::STORE && legal {
                    write(&mut sent, req.dest, req.addr / size, size, req.mask, &req.data.0);
                }
                releases += u32::from(matches!(req.op, op::RELEASE_SYS | op::RELEASE_GPU));
            }
            if let Some(id) = out.rel {
                releases -= 1;
                last_done = Some(id);
            }
            for p in 0..config.parts() as usize {
                let empty = out.occ[p] == 0;
                prop_assert!(!empty || u32::from(out.avail[p]) == config.max_payload);
            }
            if let Some(d) = out.drain.filter(|_| inputs.drain_ready) {
                match d.kind {
                    drain_kind::PACK => {
                        prop_assert_eq!(d.sop, packet.is_none());
                        let (plen, sum) = packet.unwrap_or((d.plen, 0));
                        prop_assert_eq!(plen, d.plen);
                        let shift = config.offset_width;
                        prop_assert_eq!((d.line * size) >> shift << shift, d.base);
                        let sum = sum + cost(d.mask, config.sub_header_bytes);
                        packet = Some((plen, sum)).filter(|_| !d.eop);
                        prop_assert!(!d.eop || sum == u32::from(plen) && sum <= config.max_payload);
                        write(&mut arrived, d.dest, d.line, size, d.mask, &d.data.0);
                        let disabled = (0..128).filter(|k| d.mask >> k & 1 == 0);
                        prop_assert!(disabled.map(|k| d.data.0[k]).all(|byte| byte == 0));
                    }
                    drain_kind::MARK => completions.push_back(d.dest),
                    _ => (),
                }
            }
        }
        prop_assert_eq!((last_done, releases), (Some(0xEE), 0));
        prop_assert_eq!(sent, arrived);
    }
}
