// Before a loop that stays a loop of C++. Unrolled, as Verilator does with up to 64 turns, it would
// take ten times as long to compile, and no less to run. cosim/bodies/src/plan.rs says which
// versions of Verilator can be told so.
`ifndef DUET_LOOP_SVH
`define DUET_LOOP_SVH
`ifdef DUET_KEEP_LOOPS
`define DUET_LOOP /*verilator unroll_disable*/
`else
`define DUET_LOOP
`endif
`endif
