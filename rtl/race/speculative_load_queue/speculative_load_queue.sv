`include "duet_assert.svh"
`include "race_types.svh"
`include "speculative_load_queue_types.svh"

/// Holds the loads of an SM that hit while an answer of the race detection unit was outstanding,
/// and tests them against each new signature. A load that passes commits; one that fails is
/// replayed with all younger loads of its warp (Tabbakh, thesis, section 4.2.3; specification 5.4).
/// All outputs are functions of registers. A load accepted in t commits in t+1 at the earliest.
module speculative_load_queue  // rule: Cycle rules
  import race_pkg::*;
#(
  parameter int unsigned SlqN   = 64,  // slots, 1..256
  parameter int unsigned VLanes = 4,   // queries in a cycle, 1..8
  localparam type done_t  = `RACE_DONE_T,
  localparam type alloc_t = `RACE_ALLOC_T,
  localparam type load_t  = `RACE_LOAD_T,
  localparam type counters_t   = `SPECULATIVE_LOAD_QUEUE_CNT_T
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    inc_i,           // a request goes to the race detection unit
  // done: the access validation unit has an answer
  input  logic                    done_valid_i,
  input  done_t                   done_i,
  // alloc: a load has hit while an answer was outstanding
  input  logic                    alloc_valid_i,
  input  alloc_t                  alloc_i,
  output logic                    alloc_ready_o,
  // q: tests against the signature, answered one cycle later
  output logic [VLanes-1:0]       q_valid_o,
  output logic [VLanes-1:0][34:0] q_o,
  input  logic [VLanes-1:0]       q_member_i,
  // commit: the oldest load is correct; always taken
  output logic                    commit_valid_o,
  output load_t                   commit_o,
  // replay: the warp restarts at this load
  output logic                    replay_valid_o,
  output load_t                   replay_o,
  input  logic                    replay_ready_i,
  output logic [7:0]              out_o,           // requests whose answer is not complete
  output logic [63:0]             spec_o,          // warps with a live entry
  output logic                    busy_o,          // validation in progress
  output logic                    empty_o,         // no slot is occupied
  // err: pulse
  output logic                    err_valid_o,
  output logic [3:0]              err_code_o,
  output counters_t                    counters_o            // events since reset
);
  // Clamped: the parts elaborate with an illegal value too, which the assertions below report.
  localparam int unsigned SlqNP = clamp(1, 256, SlqN);

  localparam int unsigned SlotW  = (SlqNP > 1) ? $clog2(SlqNP) : 1;
  localparam int unsigned CountW = $clog2(SlqNP + 1);

  logic [7:0]                   out_d, out_q;
  // Validation: slots left to query (ptr, left), and last cycle's queries (asked).
  logic                         busy_d, busy_q;
  logic [SlotW-1:0]             ptr_d, ptr_q;
  logic [CountW-1:0]            left_d, left_q;
  logic [VLanes-1:0]            asked_d, asked_q;
  logic [VLanes-1:0][SlotW-1:0] asked_slot_q;

  // -----------------------------------------------------------------------------------------------
  // Answers
  logic dec, dec_counts, inc_counts;

  assign dec        = done_valid_i && done_i.kind != RspForced;  // rule: 1
  assign dec_counts = dec && out_q != '0;  // rule: 2
  assign inc_counts = inc_i && (out_q != '1 || dec);  // rule: 2
  assign out_d      = out_q + 8'(inc_counts) - 8'(dec_counts);  // rule: 2
  // Only the kind and the sync bit of an answer matter.
  wire unused_done = ^{done_i.id, done_i.epoch};

  // -----------------------------------------------------------------------------------------------
  // Slots
  logic                         accept, make, live, ready, fail, pop, replay;
  load_t                        head;
  logic [VLanes-1:0]            query_live, wrong;
  logic [VLanes-1:0][34:0]      query;
  logic [VLanes-1:0][SlotW-1:0] slot;
  logic [SlotW-1:0]             next_head;
  logic [CountW-1:0]            next_occ, occ, dropped;

  assign replay = replay_valid_o && replay_ready_i;  // rule: States live, count = 0, fail = 1
  assign pop    = replay || commit_valid_o || (occ != '0 && !live && !busy_q);  // rule: States dead
  assign accept = alloc_valid_i && alloc_ready_o;  // rule: 5
  // A load of the replayed warp is accepted, but gets no slot.
  assign make   = accept && !(replay && alloc_i.warp == head.warp);  // rule: 4
  assign wrong  = asked_q & q_member_i;  // rule: 7

  speculative_load_queue_slots #(  // rule: Registers _slots
    .SlqN  (SlqNP),
    .VLanes(VLanes)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .alloc_i     (make),
    .load_i      (alloc_i),
    .count_i     (out_d),
    .dec_i       (dec),
    .live_o      (live),
    .ready_o     (ready),
    .fail_o      (fail),
    .head_o      (head),
    .pop_i       (pop),
    .drop_i      (replay),
    .query_slot_i(ptr_q),
    .query_live_o(query_live),
    .query_o     (query),
    .slot_o      (slot),
    .fail_i      (wrong),
    .fail_slot_i (asked_slot_q),
    .next_head_o (next_head),
    .next_occ_o  (next_occ),
    .occ_o       (occ)
  );

  speculative_load_queue_warps #(  // rule: Registers _warps
    .SlqN(SlqNP)
  ) u_warps (
    .clk_i,
    .rst_ni,
    .alloc_i     (make),
    .alloc_warp_i(alloc_i.warp),
    .head_warp_i (head.warp),
    .commit_i    (commit_valid_o),
    .replay_i    (replay),
    .dropped_o   (dropped),
    .spec_o
  );

  // -----------------------------------------------------------------------------------------------
  // Validation: one query of each slot occupied when the signature took effect, oldest first
  logic [31:0] next_ptr;

  always_comb begin : ask  // rule: States Validation
    asked_d = '0;
    q_o     = '0;
    for (int unsigned v = 0; v < VLanes; v++) begin
      if (v < 32'(left_q) && query_live[v]) begin
        asked_d[v] = 1'b1;
        q_o[v]     = query[v];
      end
    end
  end
  assign q_valid_o = asked_d;

  always_comb begin : validate  // rule: States Validation
    next_ptr = 32'(ptr_q) + VLanes % SlqNP;
    if (next_ptr >= SlqNP) next_ptr = next_ptr - SlqNP;
    busy_d   = (left_q != '0);
    ptr_d    = SlotW'(next_ptr);
    left_d   = left_q;
    for (int unsigned v = 0; v < VLanes; v++) begin
      if (left_d != '0) left_d = left_d - CountW'(1);
    end
    // A sync during a validation is an error and is ignored.
    if (done_valid_i && done_i.sync && !busy_q) begin  // rule: 6
      busy_d = (next_occ != '0);
      ptr_d  = next_head;
      left_d = next_occ;
    end
  end

  assign alloc_ready_o  = (32'(occ) != SlqNP);  // rule: 5
  assign commit_valid_o = ready && !fail && !busy_q;  // rule: States live, count = 0, fail = 0
  assign commit_o       = commit_valid_o ? head : '0;  // rule: 10
  assign replay_valid_o = ready && fail;  // rule: States live, count = 0, fail = 1; 9
  assign replay_o       = replay_valid_o ? head : '0;  // rule: 10
  assign out_o          = out_q;  // rule: Ports out_o
  assign busy_o         = busy_q;  // rule: Ports busy_o
  assign empty_o        = (occ == '0);  // rule: Ports busy_o

  // -----------------------------------------------------------------------------------------------
  // Errors and counters
  logic [3:0] err_d, err_q;
  counters_t       counters_d, counters_q;

  always_comb begin : error  // rule: Errors
    err_d = ErrNone;
    if (done_valid_i && done_i.sync && busy_q) err_d = ErrSync;  // rule: 6
    if (inc_i && !inc_counts) err_d = ErrRequest;  // rule: 2
    if (dec && !dec_counts) err_d = ErrDone;  // rule: 2
  end

  always_comb begin : count  // rule: Ports
    counters_d = counters_q;
    if (make) counters_d.allocs = counters_q.allocs + 32'd1;  // rule: 4
    if (commit_valid_o) counters_d.commits = counters_q.commits + 32'd1;
    if (replay) begin
      counters_d.replays = counters_q.replays + 32'd1;
      counters_d.dropped = counters_q.dropped + 32'(dropped);  // rule: 4
    end
    if (alloc_valid_i && !alloc_ready_o) counters_d.full_cycles = counters_q.full_cycles + 32'd1;
    if (busy_q) counters_d.busy_cycles = counters_q.busy_cycles + 32'd1;
    if (32'(occ) > counters_q.occ_max) counters_d.occ_max = 32'(occ);  // rule: 8
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_q   <= '0;
      busy_q  <= 1'b0;
      left_q  <= '0;
      err_q   <= ErrNone;
      counters_q   <= '0;
    end else begin
      out_q   <= out_d;
      busy_q  <= busy_d;
      left_q  <= left_d;
      err_q   <= err_d;
      counters_q   <= counters_d;
    end
  end

  // No reset: left_q = 0 masks ptr_q, and after a reset asked_q finds no live entry to fail.
  always_ff @(posedge clk_i) begin
    asked_q      <= asked_d;  // rule: States Validation
    ptr_q        <= ptr_d;  // rule: States Validation
    asked_slot_q <= slot;  // rule: States Validation
  end

  assign err_valid_o = (err_q != ErrNone);  // rule: Errors
  assign err_code_o  = err_q;  // rule: Errors
  assign counters_o       = counters_q;  // rule: Ports

  `DUET_ASSERT_PARAM(SlqNLegal, SlqN >= 1 && SlqN <= 256, "SlqN must be 1..256")
  `DUET_ASSERT_PARAM(VLanesLegal, VLanes >= 1 && VLanes <= 8, "VLanes must be 1..8")

  `DUET_ASSERT_STABLE(ReplayStable, replay_valid_o, replay_ready_i, replay_o)
  `DUET_ASSERT(CommitOrReplay, !(commit_valid_o && replay_valid_o), "load is right and wrong")
  `DUET_ASSERT(NoCommitWhileBusy, !(commit_valid_o && busy_o), "commit during a validation")
  `DUET_ASSERT(SpecWhereLive, !ready || spec_o[head.warp], "warp with an entry is not speculative")
  // Specification section 8; counts rise from old to young.
  `DUET_ASSERT(CountsWithinOut, occ == '0 || u_slots.youngest_count <= out_q,
               "entry waits for more answers than are to come")
  `RACE_ASSERT_INPUT(NoError, !err_valid_o, "bad input: err_code_o")
endmodule
