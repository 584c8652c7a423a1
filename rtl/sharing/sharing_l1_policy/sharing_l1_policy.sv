`include "duet_assert.svh"
`include "sharing_types.svh"
`include "sharing_l1_policy_types.svh"

/// Says which line of an L1 goes for one that comes, if any (Tabbakh, thesis, sections 2.4, 2.5;
/// specification 5.3). All is taken in every cycle; a cycle's events take effect at its end, in the
/// order flush, inv, touch, fill. All outputs are functions of registers and show one cycle later.
module sharing_l1_policy  // rule: Cycle rules
  import sharing_pkg::*;
#(
  parameter int unsigned L1Sets = 32,  // sets, a power of 2, 1..256
  parameter int unsigned L1Ways = 4,   // ways of a set, 1..8
  parameter int unsigned L1Mgt  = 1,   // 1: the policy, 0: the least recently used line
  parameter int unsigned Dead   = 1,   // 1: private lines that nobody uses any more are found
  localparam int unsigned SetW = (L1Sets > 1) ? $clog2(L1Sets) : 1,
  localparam int unsigned WayW = (L1Ways > 1) ? $clog2(L1Ways) : 1,
  localparam type place_t  = `SHARING_PLACE_T(SetW, WayW),
  localparam type fill_t   = `SHARING_L1_FILL_T(SetW),
  localparam type victim_t = `SHARING_VICTIM_T(WayW),
  localparam type counters_t    = `SHARING_L1_POLICY_CNT_T
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       flush_i,        // all lines are gone
  // inv: this line is
  input  logic       inv_valid_i,
  input  place_t     inv_i,
  // touch: this line is used
  input  logic       touch_valid_i,
  input  place_t     touch_i,
  // fill: a line has come
  input  logic       fill_valid_i,
  input  fill_t      fill_i,
  // vic: where the line of the cycle before goes
  output logic       vic_valid_o,
  output victim_t    vic_o,
  // err: pulse
  output logic       err_valid_o,
  output logic [3:0] err_code_o,
  output counters_t       counters_o           // events since reset
);
  localparam int unsigned SetsP = legal_power(256, L1Sets);
  localparam int unsigned WaysP = clamp(1, 8, L1Ways);
  localparam int unsigned AtW   = (SetsP > 1) ? $clog2(SetsP) : 1;
  typedef logic [WaysP-1:0] ways_t;

  ways_t   valid_q [SetsP];
  ways_t   private_q [SetsP];
  ways_t   dead_q [SetsP];
  logic    vic_valid_q;
  victim_t vic_d, vic_q;
  logic    err_d, err_q;
  counters_t    counters_d, counters_q;

  assign vic_valid_o = vic_valid_q;  // rule: 8
  assign vic_o       = vic_valid_q ? vic_q : '0;  // rule: 8
  assign err_valid_o = err_q;  // rule: Errors
  assign err_code_o  = err_q ? ErrL1Way : ErrNone;  // rule: Errors
  assign counters_o       = counters_q;  // rule: 7

  // -----------------------------------------------------------------------------------------------
  // Places. A way that a set does not have is no bit, and so never valid.
  logic [AtW-1:0] inv_set, touch_set, fill_set;
  ways_t          inv_way, touch_way;
  assign inv_set   = (SetsP > 1) ? AtW'(inv_i.set) : '0;  // rule: 3
  assign touch_set = (SetsP > 1) ? AtW'(touch_i.set) : '0;  // rule: 3
  assign fill_set  = (SetsP > 1) ? AtW'(fill_i.set) : '0;  // rule: 3
  assign inv_way   = ways_t'(8'd1 << inv_i.way);  // rule: 3
  assign touch_way = ways_t'(8'd1 << touch_i.way);  // rule: 3

  // -----------------------------------------------------------------------------------------------
  // The events one after another
  ways_t inv_valid, touch_valid, fill_valid;  // ways of their sets, when their turn comes
  logic  inv, touch;

  assign inv_valid = flush_i ? '0 : valid_q[inv_set];  // rule: 1
  assign inv       = inv_valid_i && (inv_valid & inv_way) != '0;  // rule: 1

  assign touch_valid = (flush_i ? '0 : valid_q[touch_set])  // rule: 1
                       & ~((inv && inv_set == touch_set) ? inv_way : '0);
  assign touch       = touch_valid_i && (touch_valid & touch_way) != '0;  // rule: 1

  assign fill_valid = (flush_i ? '0 : valid_q[fill_set])  // rule: 1
                      & ~((inv && inv_set == fill_set) ? inv_way : '0);

  // -----------------------------------------------------------------------------------------------
  // The line that comes
  ways_t private_row, dead_row, oldest, oldest_shared, way;
  logic  install, evict, evict_private, evict_dead, declare_dead, fill;

  assign private_row = private_q[fill_set];  // rule: Registers
  assign dead_row    = dead_q[fill_set] & ~((touch && touch_set == fill_set) ? touch_way : '0);
  assign fill        = fill_valid_i && install;  // rule: Ports fill_valid_i

  sharing_l1_policy_order #(  // rule: Registers
    .Sets(SetsP),
    .Ways(WaysP)
  ) u_order (
    .clk_i,
    .rst_ni,
    .touch_i       (touch),
    .touch_set_i   (touch_set),
    .touch_way_i   (touch_way),
    .fill_set_i    (fill_set),
    .among_i       (~private_row),
    .oldest_o      (oldest),
    .oldest_among_o(oldest_shared),
    .fill_i        (fill),
    .fill_way_i    (way)
  );

  sharing_l1_policy_decide #(  // rule: Cycle rules
    .Ways(WaysP),
    .Mgt (L1Mgt != 0),
    .Dead(Dead != 0)
  ) u_decide (
    .sf_i           (fill_i.sf),
    .valid_i        (fill_valid),
    .private_i      (private_row),
    .dead_i         (dead_row),
    .oldest_i       (oldest),
    .oldest_shared_i(oldest_shared),
    .install_o      (install),
    .way_o          (way),
    .evict_o        (evict),
    .evict_private_o(evict_private),
    .evict_dead_o   (evict_dead),
    .declare_o      (declare_dead)
  );

  // -----------------------------------------------------------------------------------------------
  // State
  ways_t dead_after;
  assign dead_after = (dead_row | (declare_dead ? oldest : '0)) & ~way;  // rule: Registers

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '{default: '0};
    end else begin
      if (flush_i) valid_q <= '{default: '0};  // rule: 2
      if (inv) valid_q[inv_set] <= inv_valid & ~inv_way;  // rule: 2
      if (fill) valid_q[fill_set] <= fill_valid | way;  // rule: Ports fill_valid_i
    end
  end

  // valid_q covers these.
  always_ff @(posedge clk_i) begin
    if (touch) dead_q[touch_set] <= dead_q[touch_set] & ~touch_way;  // rule: Registers
    if (fill) begin  // rule: Registers
      dead_q[fill_set]    <= dead_after;
      private_q[fill_set] <= fill_i.sf ? private_row & ~way : private_row | way;
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Outputs
  always_comb begin : victim  // rule: 4
    vic_d = '{
      install: install,
      dead: evict_dead,
      evict_valid: evict,
      evict_private: evict_private,
      way: WayW'(lowest(16'(way)))
    };
  end

  always_comb begin : events
    err_d = (inv_valid_i && !inv) || (touch_valid_i && !touch);  // rule: 1
    counters_d = counters_q;
    if (touch) counters_d.touches = counters_q.touches + 32'd1;  // rule: 7
    if (fill_valid_i) begin
      if (!install)                counters_d.bypass_shared = counters_q.bypass_shared + 32'd1;
      else if (fill_i.sf)
        counters_d.fills_shared = counters_q.fills_shared + 32'd1;  // rule: Ports
      else                         counters_d.fills_private = counters_q.fills_private + 32'd1;
      if (evict && evict_private)
        counters_d.evict_private = counters_q.evict_private + 32'd1;  // rule: 7
      if (evict && !evict_private)
        counters_d.evict_shared = counters_q.evict_shared + 32'd1;  // rule: 7
      if (evict_dead)
        counters_d.evict_dead = counters_q.evict_dead + 32'd1;  // rule: Ports
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      vic_valid_q <= 1'b0;
      err_q       <= 1'b0;
      counters_q       <= '0;
    end else begin
      vic_valid_q <= fill_valid_i;  // rule: 8
      err_q       <= err_d;
      counters_q       <= counters_d;
    end
  end

  // vic_valid_q covers it.
  always_ff @(posedge clk_i) if (fill_valid_i) vic_q <= vic_d;  // rule: 8

  `DUET_ASSERT_PARAM(L1SetsLegal, L1Sets == legal_power(256, L1Sets),
                     "L1Sets must be a power of 2 of at most 256")
  `DUET_ASSERT_PARAM(L1WaysLegal, L1Ways >= 1 && L1Ways <= 8, "L1Ways must be 1..8")
  `DUET_ASSERT_PARAM(L1MgtLegal, L1Mgt <= 1, "L1Mgt must be 0 or 1")
  `DUET_ASSERT_PARAM(DeadLegal, Dead <= 1, "Dead must be 0 or 1")

  // Specification section 8.
  `DUET_ASSERT(P1, L1Mgt == 0 || !(vic_valid_o && vic_o.evict_private && !vic_o.dead)
                   || !$past(fill_i.sf), "shared line replaces a private one that is not dead")
  `DUET_ASSERT(NotKept, !vic_valid_o || vic_o.install || vic_o == '0,
               "something goes for a line that is not kept")
  `DUET_ASSERT(DeadIsPrivate, !fill_valid_i || (fill_valid & dead_row & ~private_row) == '0,
               "shared line that is thought to be dead")
  `DUET_ASSERT(DeadOldest, !fill || (dead_after & ~dead_row & ~(oldest & private_row)) == '0,
               "line thought to be dead that is not the oldest, or shared")
  // The order of a set whose ways have all been used is one of all ways.
  `DUET_ASSERT(OrderOfAll, !fill_valid_i || fill_valid != '1 || $onehot(oldest),
               "order of use has no oldest way, or several")
  `SHARING_ASSERT_INPUT(NoError, !err_d, "touch or inv of a way that holds no line")
endmodule
