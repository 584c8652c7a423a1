//! What holds for every workload, and PageRank against one GPU.

use ports::common::finepack_types::op;

use super::*;

fn small(gpus: usize) -> Params {
    Params { gpus, size: 1500, iterations: 6, seed: 11, line: 128 }
}

#[test]
fn ranks_are_those_of_one_gpu() {
    let mut one = PageRank::new(&small(1));
    let mut four = PageRank::new(&small(4));
    while one.step() {
        assert!(four.step());
        // The order of the sums is the same, so the ranks are equal to the last bit.
        assert_eq!(one.ranks(), four.ranks());
    }
    assert!(one.kernels()[0].requests.len() == 1, "one GPU stores to nobody");
}

#[test]
fn ranks_are_those_of_a_plain_iteration() {
    let graph = Graph::cage_like(1500, 11);
    let mut ranks = vec![1.0f64 / 1500.0; 1500];
    let mut four = PageRank::new(&small(4));
    while four.step() {
        let share = |u: usize| ranks[u] / f64::from(graph.out_degree(u));
        let sum = |v: usize| graph.in_edges(v).iter().map(|e| share(e.from as usize)).sum::<f64>();
        ranks = (0..1500).map(|v| 0.15 / 1500.0 + 0.85 * sum(v)).collect();
        for (a, b) in four.ranks().iter().zip(&ranks) {
            assert!((f64::from(*a) - b).abs() < 1e-5 * b, "{a} {b}");
        }
    }
}

#[test]
fn every_kernel_ends_with_its_only_release() {
    for name in NAMES {
        let mut workload = by_name(name, &small(4)).unwrap();
        let mut iteration = 0;
        while workload.step() {
            for kernel in workload.kernels() {
                let (last, stores) = kernel.requests.split_last().unwrap();
                assert_eq!((last.op, last.id), (op::RELEASE_SYS, iteration));
                assert!(stores.iter().all(|r| r.op == op::STORE && r.mask != 0));
                assert!(stores.iter().all(|r| r.addr % 128 == 0));
            }
            iteration += 1;
        }
        assert!(iteration > 1, "{name}");
    }
}

#[test]
fn requests_alone_make_the_expected_memory_of_what_is_read() {
    // A machine that only sees the requests of other GPUs holds what each GPU reads next.
    for name in NAMES {
        let mut workload = by_name(name, &small(4)).unwrap();
        let mut memory = workload.memory().to_vec();
        while workload.step() {
            for req in workload.kernels().iter().flat_map(|k| &k.requests) {
                memory[usize::from(req.dest)].apply(req);
            }
            for (gpu, kernel) in workload.kernels().iter().enumerate() {
                assert!(!kernel.reads.is_empty());
                for range in &kernel.reads {
                    let expected = workload.memory()[gpu].slice(range.clone());
                    assert_eq!(memory[gpu].slice(range.clone()), expected, "{name}, GPU {gpu}");
                }
            }
        }
    }
}

#[test]
fn copies_bring_what_is_read() {
    for name in NAMES {
        let mut workload = by_name(name, &small(4)).unwrap();
        let mut memory = workload.memory().to_vec();
        while workload.step() {
            apply_copies(workload.kernels(), workload.memory(), &mut memory);
            for (gpu, kernel) in workload.kernels().iter().enumerate() {
                for range in &kernel.reads {
                    let expected = workload.memory()[gpu].slice(range.clone());
                    assert_eq!(memory[gpu].slice(range.clone()), expected, "{name}, GPU {gpu}");
                }
            }
        }
    }
}

#[test]
fn short_lines_cut_the_same_stores_smaller() {
    for name in NAMES {
        let mut wide = by_name(name, &small(3)).unwrap();
        let mut short = by_name(name, &Params { line: 16, ..small(3) }).unwrap();
        while wide.step() {
            assert!(short.step());
            assert!(wide.memory().iter().zip(short.memory()).all(|(a, b)| a.bytes() == b.bytes()));
            assert!(short.kernels()[0].requests.iter().all(|r| r.mask < 1 << 16));
        }
    }
}

#[test]
fn irregular_workloads_store_less_than_32_bytes_mostly() {
    // FinePack section I: more than 63 % on average of the applications; here only a sanity limit.
    let mut sssp = Sssp::new(&Params { size: 8192, ..Params::default() });
    let (mut below, mut all) = (0, 0);
    while sssp.step() {
        for req in sssp.kernels().iter().flat_map(|k| &k.requests).filter(|r| r.op == op::STORE) {
            all += 1;
            below += u32::from(req.mask.count_ones() < 32);
        }
    }
    assert!(2 * below > all, "{below} of {all}");
}
