`include "duet_assert.svh"

/// Leases of the lines of a bank, and the end of all leases of lines that it has no longer
/// (specification 4, 5.4, 5.5).
module gtsc_l2_leases #(  // rule: Registers _leases
  parameter int unsigned TsW   = 16,
  parameter int unsigned Lease = 10,
  parameter int unsigned Sets  = 128,
  parameter int unsigned Ways  = 8,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  // the line that an action touches
  input  logic [SetW-1:0] at_set_i,
  input  logic [3:0]      at_way_i,
  output logic [TsW-1:0]  wts_o,
  output logic [TsW-1:0]  rts_o,
  input  logic            write_i,
  input  logic [TsW-1:0]  wts_i,
  input  logic [TsW-1:0]  rts_i,
  input  logic            go_i,      // the line goes
  input  logic [TsW-1:0]  go_rts_i,  // the end of its lease
  // a set
  input  logic [SetW-1:0] set_i,
  input  logic [Ways-1:0] valid_i,   // its lines
  input  logic            empty_i,   // all of them go
  // all begin anew
  input  logic            begin_i,   // in the first cycle
  input  logic            sweep_i,   // the leases of one set
  input  logic [SetW-1:0] sweep_set_i,
  output logic [TsW-1:0]  mem_ts_o
);
  logic [Ways-1:0][TsW-1:0] wts_q [Sets];
  logic [Ways-1:0][TsW-1:0] rts_q [Sets];
  logic [TsW-1:0]           mem_ts_d, mem_ts_q;

  logic [Ways-1:0][TsW-1:0] at_wts, at_rts, set_rts;
  assign at_wts  = wts_q[at_set_i];
  assign at_rts  = rts_q[at_set_i];
  assign set_rts = rts_q[set_i];

  always_comb begin : look
    wts_o = '0;
    rts_o = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (32'(at_way_i) == w) begin
        wts_o = at_wts[w];
        rts_o = at_rts[w];
      end
    end
  end

  always_comb begin : memory
    mem_ts_d = mem_ts_q;
    if (go_i && go_rts_i > mem_ts_q) mem_ts_d = go_rts_i;
    if (empty_i) begin  // rule: 9
      for (int unsigned w = 0; w < Ways; w++) begin
        if (valid_i[w] && set_rts[w] > mem_ts_d) mem_ts_d = set_rts[w];
      end
    end
    if (begin_i) mem_ts_d = TsW'(1);  // rule: Ports rst_i
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mem_ts_q <= TsW'(1);
    else         mem_ts_q <= mem_ts_d;
  end

  // The lines' valid bits cover these.
  always_ff @(posedge clk_i) begin
    if (sweep_i) begin  // rule: Ports rst_i
      wts_q[sweep_set_i] <= {Ways{TsW'(1)}};
      rts_q[sweep_set_i] <= {Ways{TsW'(Lease)}};
    end else if (write_i) begin
      for (int unsigned w = 0; w < Ways; w++) begin
        if (32'(at_way_i) == w) begin
          wts_q[at_set_i][w] <= wts_i;
          rts_q[at_set_i][w] <= rts_i;
        end
      end
    end
  end

  assign mem_ts_o = mem_ts_q;

  // Specification section 8.1.
  localparam logic [TsW-1:0] Max = ~TsW'(1);
  `DUET_ASSERT(LeaseSane, !write_i || (wts_i >= TsW'(1) && wts_i <= rts_i && rts_i <= Max),
               "lease that cannot be")
  `DUET_ASSERT(MemoryRises, mem_ts_q >= $past(mem_ts_q) || $past(begin_i),
               "memory's lease became shorter")
  `DUET_ASSERT(SweepAlone, !sweep_i || !(write_i || go_i || empty_i), "action during a sweep")
endmodule
