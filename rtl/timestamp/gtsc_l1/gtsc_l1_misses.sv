`include "duet_assert.svh"

/// Lines that loads wait for, the specification's M, with the loads. One of them is looked at and
/// changed in a cycle.
module gtsc_l1_misses #(  // rule: States A PEND MSHR
  parameter int unsigned  Mshr    = 4,
  parameter int unsigned  Waiters = 2,
  parameter int unsigned  LineW   = 10,
  parameter int unsigned  TsW     = 6,
  localparam int unsigned CountW  = $clog2(Waiters + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // the M at an index, which may lie outside of the table
  input  logic [5:0]        m_i,
  output logic              m_sent_o,    // there is one, and its answer is to come
  output logic [LineW-1:0]  m_line_o,    // its line
  // the M that is to be judged next
  output logic              ready_o,     // there is one
  output logic [5:0]        ready_m_o,
  // the M of a line
  input  logic [LineW-1:0]  line_i,
  output logic              known_o,     // there is one
  output logic              room_o,      // there is a free one
  // the M at hand: that of line_i; where there is none the free one
  output logic [5:0]        at_o,
  output logic              pend_o,      // PEND
  output logic              stale_o,     // asked for before a flush
  output logic              st_after_o,  // a store came after the request
  output logic              full_o,
  output logic [CountW-1:0] count_o,     // loads that wait
  output logic [5:0]        warp_o,      // the first of them
  output logic [7:0]        id_o,
  output logic [TsW-1:0]    ts_o,
  output logic [TsW-1:0]    least_o,     // of their timestamps
  output logic [TsW-1:0]    most_o,
  input  logic [5:0]        warp_i,
  output logic              waits_o,     // one of this warp waits
  // changes of the M at hand
  input  logic              push_i,      // a load comes
  input  logic [5:0]        push_warp_i,
  input  logic [7:0]        push_id_i,
  input  logic [TsW-1:0]    push_ts_i,
  input  logic              pop_i,       // the first load goes
  input  logic              to_sent_i,   // it is SENT
  input  logic              to_pend_i,   // PEND, and waits for the lock where there is one
  input  logic              lock_i,
  input  logic              to_free_i,   // FREE
  input  logic              answered_i,  // it is neither stale nor st_after any more
  input  logic              reset_ts_i,  // all its timestamps become 1
  input  logic              stored_i,    // a store came after the request, where there was one
  input  logic              unlock_i,    // the lock is no more, for which it waits if it is there
  input  logic              flush_i      // of all M
);
  localparam int unsigned MW = (Mshr > 1) ? $clog2(Mshr) : 1;

  // Neither PEND nor SENT is FREE. `wait` of a PEND one: its line is present and has a lock. No
  // store takes that lock anew, so it is enough to look when M becomes PEND, and to see it go.
  logic [Mshr-1:0]  pend_d, pend_q, sent_d, sent_q, wait_d, wait_q;
  logic [Mshr-1:0]  stale_d, stale_q, after_d, after_q;
  logic [LineW-1:0] line_q [Mshr];

  // -----------------------------------------------------------------------------------------------
  // Which one
  logic [MW-1:0]   m, ready_m, known_m, free_m, at;
  logic [Mshr-1:0] match;

  assign m        = (32'(m_i) < Mshr) ? MW'(m_i) : '0;  // rule: 3
  assign m_sent_o = 32'(m_i) < Mshr && sent_q[m];  // rule: 3
  assign m_line_o = line_q[m];  // rule: 3

  always_comb begin : pick
    ready_m = '0;
    free_m  = '0;
    for (int unsigned k = Mshr; k > 0; k--) begin  // rule: States PEND SENT
      if (pend_q[k-1] && !wait_q[k-1]) ready_m = MW'(k - 1);
      if (!pend_q[k-1] && !sent_q[k-1]) free_m = MW'(k - 1);  // rule: States FREE SENT
    end
  end
  assign ready_o   = ((pend_q & ~wait_q) != '0);  // rule: States PEND SENT
  assign ready_m_o = 6'(ready_m);  // rule: States PEND SENT
  assign room_o    = ((pend_q | sent_q) != '1);  // rule: States FREE SENT

  always_comb begin : find  // rule: Cycle rules
    match   = '0;
    known_m = '0;
    for (int unsigned k = 0; k < Mshr; k++) begin
      match[k] = (pend_q[k] || sent_q[k]) && line_q[k] == line_i;
      if (match[k]) known_m = MW'(k);
    end
  end
  assign known_o = (match != '0);

  assign at         = known_o ? known_m : free_m;
  assign at_o       = 6'(at);
  assign pend_o     = pend_q[at];
  assign stale_o    = stale_q[at];
  assign st_after_o = after_q[at];
  assign full_o     = (32'(count_o) == Waiters);

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
      wait_d   = '0;
      stale_d  = sent_q;  // rule: 8
      reset_ts = pend_q;  // rule: Registers duet_waiters
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

  // Its state covers it.
  always_ff @(posedge clk_i) begin  // rule: States FREE SENT
    if ((to_sent_i || to_pend_i) && !known_o) line_q[at] <= line_i;
  end

  duet_waiters #(  // rule: 5
    .Fifos(Mshr),
    .Depth(Waiters),
    .TsW  (TsW)
  ) u_waiters (
    .clk_i,
    .rst_ni,
    .fifo_i    (at),
    .count_o,
    .warp_o,
    .id_o,
    .ts_o,
    .least_o,
    .most_o,
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
  `DUET_ASSERT(OneForLine, $onehot0(match), "two M of one line")
  `DUET_ASSERT(AfterSent, (after_q & ~sent_q) == '0, "st_after without SENT")
  `DUET_ASSERT(StaleSent, (stale_q & ~sent_q) == '0, "stale without SENT")
  `DUET_ASSERT(FreeIffEmpty, (pend_q[at] || sent_q[at]) == (count_o != '0),
               "FREE with loads, or another one without")
endmodule
