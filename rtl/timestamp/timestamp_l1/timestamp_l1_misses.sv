`include "duet_assert.svh"

/// MSHRs, each with the loads that wait for its line. One MSHR is read and changed in a cycle.
module timestamp_l1_misses #(  // rule: States A PEND MSHR
  parameter bit          Gtsc    = 1'b1,
  parameter int unsigned Mshr    = 4,
  parameter int unsigned Waiters = 2,
  parameter int unsigned LineW   = 10,
  parameter int unsigned TimeW   = 6,
  parameter type         mshr_t  = logic  // as in timestamp_l1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // the MSHR of an index, which may lie outside of the table
  input  logic [5:0]       index_i,
  output logic             sent_o,        // SENT
  output logic [LineW-1:0] sent_line_o,
  // the MSHR to re-evaluate next
  output logic             ready_o,
  output logic [5:0]       ready_index_o,
  // the MSHR of a line
  input  logic [LineW-1:0] line_i,
  output logic             known_o,       // there is one
  output logic             room_o,        // an MSHR is FREE
  // the selected MSHR: that of line_i, or else the lowest FREE one
  output logic [5:0]       at_o,
  output mshr_t            mshr_o,
  input  logic [5:0]       warp_i,
  output logic             waits_o,       // a load of this warp waits in it
  // changes of the selected MSHR
  input  logic             push_i,        // a waiter comes
  input  logic [5:0]       push_warp_i,
  input  logic [7:0]       push_id_i,
  input  logic [TimeW-1:0] push_ts_i,
  input  logic             pop_i,         // the oldest waiter is removed
  input  logic             to_sent_i,     // becomes SENT
  input  logic             to_pend_i,     // becomes PEND, and waits for the line's lock
  input  logic             lock_i,        // if there is one
  input  logic             to_free_i,     // becomes FREE
  input  logic             answered_i,    // neither stale nor st_after any more
  input  logic             reset_ts_i,    // all its times become 1
  input  logic             stored_i,      // a store to line_i; it comes after the request, if any
  input  logic             unlock_i,      // the lock of line_i is free
  input  logic             flush_i        // of all MSHRs
);
  localparam int unsigned IndexW = (Mshr > 1) ? $clog2(Mshr) : 1;

  // An MSHR that is neither PEND nor SENT is FREE. wait_q of a PEND one: its line is locked. No
  // store takes that lock again, so wait_q is set when the MSHR becomes PEND, and cleared by the
  // unlock.
  logic [Mshr-1:0]  pend_d, pend_q, sent_d, sent_q, wait_d, wait_q;
  logic [Mshr-1:0]  stale_d, stale_q, after_d, after_q;
  logic [LineW-1:0] line_q [Mshr];

  // -----------------------------------------------------------------------------------------------
  // Look up
  logic [IndexW-1:0] index, ready, known, free, at;
  logic [Mshr-1:0]   match;

  assign index         = (32'(index_i) < Mshr) ? IndexW'(index_i) : '0;  // rule: 3
  assign sent_o        = 32'(index_i) < Mshr && sent_q[index];  // rule: 3
  assign sent_line_o   = line_q[index];  // rule: 3

  always_comb begin : pick
    ready = '0;
    free  = '0;
    for (int unsigned k = Mshr; k > 0; k--) begin  // rule: States PEND SENT
      if (pend_q[k-1] && !wait_q[k-1]) ready = IndexW'(k - 1);
      if (!pend_q[k-1] && !sent_q[k-1]) free = IndexW'(k - 1);  // rule: States FREE SENT
    end
  end
  assign ready_o       = ((pend_q & ~wait_q) != '0);  // rule: States PEND SENT
  assign ready_index_o = 6'(ready);  // rule: States PEND SENT
  assign room_o        = ((pend_q | sent_q) != '1);  // rule: States FREE SENT

  always_comb begin : find  // rule: Cycle rules
    match = '0;
    known = '0;
    for (int unsigned k = 0; k < Mshr; k++) begin
      match[k] = (pend_q[k] || sent_q[k]) && line_q[k] == line_i;
      if (match[k]) known = IndexW'(k);
    end
  end
  assign known_o = (match != '0);

  assign at              = known_o ? known : free;
  assign at_o            = 6'(at);
  assign mshr_o.pend     = pend_q[at];
  assign mshr_o.stale    = stale_q[at];
  assign mshr_o.st_after = after_q[at];
  assign mshr_o.full     = (32'(mshr_o.count) == Waiters);

  // -----------------------------------------------------------------------------------------------
  // Changes
  logic [Mshr-1:0] reset_ts;

  always_comb begin : next_state
    pend_d   = pend_q;
    sent_d   = sent_q;
    wait_d   = wait_q;
    stale_d  = stale_q;
    after_d  = after_q;
    reset_ts = '0;
    if (to_sent_i || to_pend_i || to_free_i) begin
      sent_d[at] = to_sent_i;  // rule: States FREE SENT
      pend_d[at] = to_pend_i;  // rule: States FREE PEND
      wait_d[at] = to_pend_i && lock_i;
    end
    if (answered_i) begin  // rule: 5
      stale_d[at] = 1'b0;
      after_d[at] = 1'b0;
    end
    if (reset_ts_i) reset_ts[at] = 1'b1;  // rule: 5
    if (stored_i && known_o) after_d[at] = 1'b1;  // rule: 13
    if (unlock_i && known_o) wait_d[at] = 1'b0;
    if (flush_i) begin
      if (Gtsc) begin
        wait_d   = '0;
        stale_d  = sent_q;  // rule: 8
        reset_ts = pend_q;  // rule: Registers _waiters
      end else begin
        after_d = sent_q;  // rule: 21
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pend_q  <= '0;
      sent_q  <= '0;
      wait_q  <= '0;
      stale_q <= '0;
      after_q <= '0;
    end else begin
      pend_q  <= pend_d;
      sent_q  <= sent_d;
      wait_q  <= wait_d;
      stale_q <= stale_d;
      after_q <= after_d;
    end
  end

  // pend_q and sent_q cover it.
  always_ff @(posedge clk_i) begin  // rule: States FREE SENT
    if ((to_sent_i || to_pend_i) && !known_o) line_q[at] <= line_i;
  end

  timestamp_l1_waiters #(  // rule: 5
    .Fifos(Mshr),
    .Depth(Waiters),
    .TimeW(TimeW)
  ) u_waiters (
    .clk_i,
    .rst_ni,
    .fifo_i    (at),
    .count_o   (mshr_o.count),
    .warp_o    (mshr_o.warp),
    .id_o      (mshr_o.id),
    .ts_o      (mshr_o.ts),
    .least_o   (mshr_o.least),
    .most_o    (mshr_o.most),
    .warp_i,
    .waits_o,
    .pop_i,
    .push_i,
    .push_warp_i,
    .push_id_i,
    .push_ts_i,
    .reset_ts_i(reset_ts)
  );

  // Specification 8.1
  `DUET_ASSERT(OneState, (pend_q & sent_q) == '0, "PEND and SENT")
  `DUET_ASSERT(OneForLine, $onehot0(match), "two MSHRs of one line")
  `DUET_ASSERT(AfterSent, (after_q & ~sent_q) == '0, "st_after without SENT")
  `DUET_ASSERT(StaleSent, (stale_q & ~sent_q) == '0, "stale without SENT")
  `DUET_ASSERT(FreeIffEmpty, (pend_q[at] || sent_q[at]) == (mshr_o.count != '0),
               "FREE with waiters, or another state without")
endmodule
