`include "duet_assert.svh"

/// MSHRs, each with a FIFO of waiters: loads that wait for its line. A cycle reads and changes one
/// MSHR: it pushes a waiter, pops the oldest waiter, or does both, which moves the waiter to the
/// back.
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
  input  logic             push_i,        // a waiter is appended
  input  logic [5:0]       push_warp_i,
  input  logic [7:0]       push_id_i,
  input  logic [TimeW-1:0] push_ts_i,
  input  logic             pop_i,         // the oldest waiter is removed
  input  logic             to_sent_i,     // becomes SENT
  input  logic             to_pend_i,     // becomes PEND
  input  logic             lock_i,        // to_pend_i: and waits for the line's lock
  input  logic             to_free_i,     // becomes FREE
  input  logic             answered_i,    // clears stale and st_after
  input  logic             reset_ts_i,    // the times of all waiters become 1
  input  logic             stored_i,      // a store to line_i: sets st_after of its MSHR
  input  logic             unlock_i,      // the lock of line_i is released
  input  logic             flush_i        // of all MSHRs
);
  localparam int unsigned IndexW = (Mshr > 1) ? $clog2(Mshr) : 1;
  localparam int unsigned PtrW   = (Waiters > 1) ? $clog2(Waiters) : 1;

  // An MSHR that is neither PEND nor SENT is FREE. wait_q: the line of a PEND MSHR is locked. No
  // store locks that line again (ST2), so only the transition to PEND sets wait_q, and the unlock
  // clears it.
  logic [Mshr-1:0]  pend_d, pend_q, sent_d, sent_q, wait_d, wait_q;
  logic [Mshr-1:0]  stale_d, stale_q, after_d, after_q;
  logic [LineW-1:0] line_q [Mshr];
  // Waiters of each MSHR.
  logic [Mshr-1:0][PtrW-1:0]     head_q, tail_q;
  logic [Mshr-1:0][Waiters-1:0]  live_d, live_q;  // entries that hold a waiter
  logic [Mshr-1:0][Waiters-1:0]  one_d, one_q;    // the waiter's time is 1, not ts_q
  logic [Waiters-1:0][5:0]       warp_q [Mshr];
  logic [Waiters-1:0][7:0]       id_q [Mshr];
  logic [Waiters-1:0][TimeW-1:0] ts_q [Mshr];

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

  // The waiters of that MSHR.
  logic [Waiters-1:0]            live;
  logic [Waiters-1:0][5:0]       warps;
  logic [Waiters-1:0][TimeW-1:0] times;
  logic [PtrW-1:0]               head, tail;

  assign live         = live_q[at];
  assign warps        = warp_q[at];
  assign head         = head_q[at];
  assign tail         = tail_q[at];
  assign mshr_o.full  = (live == '1);
  assign mshr_o.count = $bits(mshr_o.count)'($countones(live));
  assign mshr_o.warp  = warps[head];
  assign mshr_o.id    = id_q[at][head];
  assign mshr_o.ts    = times[head];

  always_comb begin : look_at_waiters
    mshr_o.least = '1;
    mshr_o.most  = '0;
    waits_o      = 1'b0;
    times        = ts_q[at];
    for (int unsigned k = 0; k < Waiters; k++) begin
      if (one_q[at][k]) times[k] = TimeW'(1);
      if (live[k]) begin
        if (times[k] < mshr_o.least) mshr_o.least = times[k];
        if (times[k] > mshr_o.most) mshr_o.most = times[k];
        if (warps[k] == warp_i) waits_o = 1'b1;
      end
    end
  end

  function automatic logic [PtrW-1:0] after(logic [PtrW-1:0] ptr);
    return (32'(ptr) == Waiters - 1) ? '0 : ptr + 1'b1;
  endfunction

  // -----------------------------------------------------------------------------------------------
  // Changes
  always_comb begin : next_state
    pend_d  = pend_q;
    sent_d  = sent_q;
    wait_d  = wait_q;
    stale_d = stale_q;
    after_d = after_q;
    live_d  = live_q;
    one_d   = one_q;
    if (to_sent_i || to_pend_i || to_free_i) begin
      sent_d[at] = to_sent_i;  // rule: States FREE SENT
      pend_d[at] = to_pend_i;  // rule: States FREE PEND
      wait_d[at] = to_pend_i && lock_i;
    end
    if (answered_i) begin  // rule: 5
      stale_d[at] = 1'b0;
      after_d[at] = 1'b0;
    end
    if (reset_ts_i) one_d[at] = '1;  // rule: 5
    if (pop_i) live_d[at][head] = 1'b0;
    if (push_i) begin  // rule: 5
      live_d[at][tail] = 1'b1;
      one_d[at][tail]  = 1'b0;
    end
    if (stored_i && known_o) after_d[at] = 1'b1;  // rule: 13
    if (unlock_i && known_o) wait_d[at] = 1'b0;
    if (flush_i) begin
      if (Gtsc) begin
        wait_d  = '0;
        stale_d = sent_q;  // rule: 8
        for (int unsigned k = 0; k < Mshr; k++) begin  // rule: Registers _misses
          if (pend_q[k]) one_d[k] = '1;
        end
      end else begin
        after_d = sent_q;  // rule: 21
      end
    end
    if (!Gtsc) {wait_d, stale_d} = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pend_q  <= '0;
      sent_q  <= '0;
      wait_q  <= '0;
      stale_q <= '0;
      after_q <= '0;
      head_q  <= '0;
      tail_q  <= '0;
      live_q  <= '0;
    end else begin
      pend_q  <= pend_d;
      sent_q  <= sent_d;
      wait_q  <= wait_d;
      stale_q <= stale_d;
      after_q <= after_d;
      live_q  <= live_d;
      if (pop_i) head_q[at] <= after(head);
      if (push_i) tail_q[at] <= after(tail);
    end
  end

  // Undefined until pend_q, sent_q or live_q is set.
  always_ff @(posedge clk_i) begin  // rule: States FREE SENT
    if ((to_sent_i || to_pend_i) && !known_o) line_q[at] <= line_i;
    one_q <= one_d;
    if (push_i) begin
      warp_q[at][tail] <= push_warp_i;
      id_q[at][tail]   <= push_id_i;
      ts_q[at][tail]   <= push_ts_i;
    end
  end

  // Specification 8.1
  `DUET_ASSERT(OneState, (pend_q & sent_q) == '0, "PEND and SENT")
  `DUET_ASSERT(OneForLine, $onehot0(match), "two MSHRs of one line")
  `DUET_ASSERT(AfterSent, (after_q & ~sent_q) == '0, "st_after without SENT")
  `DUET_ASSERT(StaleSent, (stale_q & ~sent_q) == '0, "stale without SENT")
  `DUET_ASSERT(FreeIffEmpty, (pend_q[at] || sent_q[at]) == (mshr_o.count != '0),
               "FREE with waiters, or another state without")
  `DUET_ASSERT(NoUnderflow, !pop_i || live != '0, "no load waits")
  `DUET_ASSERT(NoOverflow, !push_i || pop_i || live != '1, "more waiters than places")
endmodule
