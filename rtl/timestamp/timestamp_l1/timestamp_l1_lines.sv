`include "duet_assert.svh"
`include "timestamp_types.svh"

/// Lines of the L1: tags, leases, locks, order of use, data. A cycle looks up one line and makes at
/// most one change: to that line, or, for an install, to a way of its set.
module timestamp_l1_lines #(  // rule: 7
  parameter bit           Gtsc  = 1'b1,  // lines have locks
  parameter int unsigned  Line  = 16,
  parameter int unsigned  LineW = 10,
  parameter int unsigned  TsW   = 6,
  parameter int unsigned  Sets  = 4,
  parameter int unsigned  Ways  = 2,
  localparam int unsigned WayW  = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [LineW-1:0]  line_i,         // looked up
  output logic              present_o,
  output logic              locked_o,       // present, with a lock
  output logic [WayW-1:0]   way_o,          // way, lease, data: valid if present_o
  output logic [TsW-1:0]    wts_o,
  output logic [TsW-1:0]    rts_o,
  output logic [8*Line-1:0] data_o,
  output logic [Ways-1:0]   may_go_o,       // ways of the set that are invalid or have lock 0
  output logic [WayW-1:0]   victim_o,       // the way to evict without a policy
  // of an answer
  input  logic [TsW-1:0]    wts_i,
  input  logic [TsW-1:0]    rts_i,
  input  logic [8*Line-1:0] data_i,
  // changes
  input  logic              hit_i,          // a load uses the line
  input  logic              store_i,        // a store writes bytes and takes the lock
  input  logic [8*Line-1:0] store_bits_i,   // bit mask of the store's bytes
  input  logic [8*Line-1:0] store_data_i,   // the store's bytes, else 0
  input  logic              drop_i,         // the line is dropped, a locked one at its unlock
  input  logic              install_i,      // {wts_i, rts_i, data_i} in install_way_i
  input  logic [WayW-1:0]   install_way_i,
  input  logic              renew_i,        // the lease is extended to rts_i
  input  logic              unlock_i,       // a locking store is done; lease {wts_i, rts_i}
  input  logic              ok_i,           // unlock_i: the L1's copy was current
  input  logic              flush_i,        // all lines are dropped
  output logic              freed_o,        // unlock_i: it was the last lock
  output logic              gone_o          // drop_i, unlock_i: the line is dropped
);
  localparam int unsigned TagShift = $clog2(Sets);
  localparam int unsigned SetW     = (Sets > 1) ? TagShift : 1;
  localparam int unsigned TagW     = LineW - TagShift;
  localparam int unsigned Lines    = Sets * Ways;
  localparam int unsigned IndexW   = (Lines > 1) ? $clog2(Lines) : 1;

  logic [Sets-1:0][Ways-1:0] valid_d, valid_q;
  logic [Ways-1:0][TagW-1:0] tag_q [Sets];
  logic [Ways-1:0][6:0]      lock_q [Sets];
  logic [Ways-1:0]           bad_q [Sets];
  logic [TsW-1:0]            wts_q [Lines];
  logic [TsW-1:0]            rts_q [Lines];
  logic [8*Line-1:0]         data_q [Lines];

  // -----------------------------------------------------------------------------------------------
  // Look up
  logic [SetW-1:0]           set;
  logic [TagW-1:0]           tag;
  logic [Ways-1:0]           valid;
  logic [Ways-1:0][TagW-1:0] tags;
  logic [Ways-1:0][6:0]      locks;
  logic [IndexW-1:0]         index;
  logic [WayW-1:0]           oldest;

  assign set   = (Sets > 1) ? line_i[SetW-1:0] : '0;
  assign tag   = line_i[LineW-1:TagShift];
  assign valid = valid_q[set];
  assign tags  = tag_q[set];
  assign locks = Gtsc ? lock_q[set] : '0;

  always_comb begin : look  // rule: Cycle rules
    present_o = 1'b0;
    way_o     = '0;
    may_go_o  = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (valid[w] && tags[w] == tag) begin
        present_o = 1'b1;
        way_o     = WayW'(w);
      end
      may_go_o[w] = !valid[w] || locks[w] == '0;  // rule: 10
    end
  end

  always_comb begin : choose
    victim_o = oldest;
    // An invalid way goes first, the lowest one.
    for (int unsigned w = Ways; w > 0; w--) begin
      if (!valid[w-1]) victim_o = WayW'(w - 1);
    end
  end

  assign index    = IndexW'(32'(set) * Ways + 32'(way_o));  // rule: Cycle rules
  assign locked_o = present_o && locks[way_o] != '0;  // rule: Cycle rules
  assign wts_o    = wts_q[index];  // rule: Cycle rules
  assign rts_o    = rts_q[index];  // rule: Cycle rules
  assign data_o   = data_q[index];  // rule: Cycle rules

  duet_lru #(
    .Sets(Sets),
    .Ways(Ways)
  ) u_lru (
    .clk_i,
    .rst_ni,
    .set_i   (set),
    .among_i (may_go_o),
    .oldest_o(oldest),
    .use_i   (hit_i || store_i || install_i),
    .way_i   (install_i ? install_way_i : way_o)
  );

  // -----------------------------------------------------------------------------------------------
  // Change
  logic              bad;
  logic [IndexW-1:0] install_index;

  assign bad     = bad_q[set][way_o] || !ok_i;  // rule: States lock n > 1
  assign freed_o = unlock_i && locks[way_o] == 7'd1;  // rule: States lock 1
  assign gone_o  = (drop_i && !locked_o) || (freed_o && bad);  // rule: States lock 0 atomic

  assign install_index = IndexW'(32'(set) * Ways + 32'(install_way_i));

  always_comb begin : next_state
    valid_d = valid_q;
    if (install_i) valid_d[set][install_way_i] = 1'b1;  // rule: States absent fill
    if (gone_o) valid_d[set][way_o] = 1'b0;  // rule: States lock 0 atomic
    if (flush_i) valid_d = '0;  // rule: States any flush
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= valid_d;
  end

  // Undefined until valid_q is set.
  always_ff @(posedge clk_i) begin
    if (install_i) begin  // rule: States absent fill
      tag_q[set][install_way_i]  <= tag;
      lock_q[set][install_way_i] <= '0;
    end
    if (store_i) lock_q[set][way_o] <= locks[way_o] + 7'd1;  // rule: States lock n store
    if (unlock_i) lock_q[set][way_o] <= locks[way_o] - 7'd1;  // rule: States lock n > 1
    if (store_i && !locked_o) bad_q[set][way_o] <= 1'b0;  // rule: States lock n store
    if (drop_i) bad_q[set][way_o] <= 1'b1;  // rule: States lock n > 0 atomic
    if (unlock_i) bad_q[set][way_o] <= bad;  // rule: States lock n > 1
  end

  always_ff @(posedge clk_i) begin
    if (install_i) begin
      wts_q[install_index]  <= wts_i;
      rts_q[install_index]  <= rts_i;
      data_q[install_index] <= data_i;
    end
    if (freed_o) begin  // rule: States lock 1
      wts_q[index] <= wts_i;
      rts_q[index] <= rts_i;
    end
    if (renew_i && rts_i > rts_o) rts_q[index] <= rts_i;  // rule: 5
    if (store_i) data_q[index] <= (data_o & ~store_bits_i) | store_data_i;
  end

  // -----------------------------------------------------------------------------------------------
  `DUET_ASSERT(OneChange,
               $onehot0({hit_i, store_i, drop_i, install_i, renew_i, unlock_i, flush_i}),
               "two changes in a cycle")
  `DUET_ASSERT(OfPresent, !(hit_i || store_i || drop_i || renew_i || unlock_i) || present_o,
               "change of a line that is not there")
  `DUET_ASSERT(UnlockLocked, !unlock_i || locked_o, "a lock is given back that was not taken")
  `DUET_ASSERT(LockFits, !store_i || locks[way_o] != '1, "more locks than stores")
  `DUET_ASSERT(LockedStays, !install_i || may_go_o[install_way_i], "a locked line is evicted")
  `DUET_ASSERT(InstallInPlace, !install_i || !present_o || install_way_i == way_o,
               "a line is in two ways")
  // Specification 8.1: lease sane. Banks that grant other leases break it.
  `TIMESTAMP_ASSERT_INPUT(LeaseSane,
                          !Gtsc || !present_o
                          || (wts_o != '0 && (locked_o || wts_o <= rts_o)
                              && rts_o != '1),
                          "lease that begins before time, or ends before it begins or after time")
endmodule
