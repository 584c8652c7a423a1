`include "duet_assert.svh"
`include "timestamp_types.svh"

/// Leases of a bank's lines: what a request or a fill makes of them, when they are over, and how
/// they restart (specification 4, 5.4, 5.5, 5.8). Under G-TSC a lease ends in logical time, and
/// mem_ts_q is the end of all leases of removed lines. Under TC it ends in a cycle.
module timestamp_l2_leases  // rule: Registers _leases
  import timestamp_pkg::*;
#(
  parameter int unsigned Protocol = ProtocolGtsc,
  parameter int unsigned TsW      = 16,     // bits of a timestamp in a message
  parameter int unsigned Length   = 10,     // of a lease, in logical time or in cycles
  parameter int unsigned Sets     = 128,
  parameter int unsigned Ways     = 8,
  parameter int unsigned Mshr     = 32,
  parameter type         req_t    = logic,  // a TIMESTAMP_BUS_REQ_T
  localparam type lease_t = struct packed {logic [TsW-1:0] wts; logic [TsW-1:0] rts;},
  localparam int unsigned SetW  = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned MshrW = (Mshr > 1) ? $clog2(Mshr) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // the line that the action touches, and the request to perform on it
  input  logic [SetW-1:0]  at_set_i,
  input  logic [3:0]       at_way_i,
  input  req_t             req_i,
  output lease_t           lease_o,      // after the request
  output logic             same_o,       // the L1's copy is as new as the line
  output logic [1:0]       rep_o,        // own generation
  output logic             req_over_o,   // a timestamp would overflow: of the request,
  output logic             fill_over_o,  // of a fill
  // leases that are over: of the set's ways, of the lines of filled MSHRs
  input  logic [SetW-1:0]  set_i,
  input  logic [Ways-1:0]  valid_i,      // lines of the set
  output logic [Ways-1:0]  over_o,
  output logic [Mshr-1:0]  mshr_over_o,
  // the action
  input  logic             performed_i,
  input  logic             filled_i,
  input  logic             evicts_i,     // the line is removed,
  input  logic             dropped_i,    // after the request
  input  logic             empty_i,      // all lines of the set are removed
  input  logic             mshr_write_i, // the line has this MSHR
  input  logic [MshrW-1:0] mshr_i,
  // all leases restart
  input  logic             rst_i,
  output logic             rst_done_o,
  output logic             begin_o       // in the first cycle
);
  logic [Ways-1:0][2*TsW-1:0] lease_q [Sets];
  logic [Ways-1:0][2*TsW-1:0] leases, at_leases;
  lease_t                     old, filled, next;  // as it was; of a fill; as it becomes
  logic                       write, sweep;
  logic [SetW-1:0]            sweep_set;

  assign leases    = lease_q[set_i];
  assign at_leases = lease_q[at_set_i];
  assign write     = (req_i.op != BusRd);
  wire unused_req  = ^req_i;

  always_comb begin : look
    old = '0;
    for (int unsigned w = 0; w < Ways; w++) if (32'(at_way_i) == w) old = at_leases[w];
  end

  if (Protocol == ProtocolGtsc) begin : gen_gtsc
    // One bit more than a timestamp, for sums.
    typedef logic [TsW:0] sum_t;
    localparam sum_t Max = sum_t'({TsW{1'b1}}) - sum_t'(1);

    logic [TsW-1:0] warp_ts;
    sum_t           first, written, lent, fill_end;
    logic [TsW-1:0] mem_ts_d, mem_ts_q, evicted_end;
    logic           on_q, done_d, done_q;  // rst_i of the cycle before; the sweep is complete
    logic [SetW-1:0] set_d, set_q;         // swept next
    logic [1:0]     rep_q;

    // Times of an L1 of another generation mean nothing.
    assign same_o  = req_i.rep == rep_q && req_i.wts != '0 && req_i.wts == old.wts;
    assign warp_ts = (req_i.rep == rep_q) ? req_i.warp_ts : TsW'(1);  // rule: Cycle rules

    // A write comes after all leases.
    assign first       = sum_t'(old.rts) + sum_t'(1);  // rule: Cycle rules
    assign written     = (first > sum_t'(warp_ts)) ? first : sum_t'(warp_ts);  // rule: Cycle rules
    assign lent        = (write ? written : sum_t'(warp_ts)) + sum_t'(Length);  // rule: Cycle rules
    assign req_over_o  = (lent > Max);  // rule: 3
    assign lease_o.wts = write ? TsW'(written) : old.wts;  // rule: Cycle rules
    assign lease_o.rts = (write || lent > sum_t'(old.rts)) ? TsW'(lent) : old.rts;

    // Memory's lines have the lease that begins with mem_ts_q.
    assign fill_end    = sum_t'(mem_ts_q) + sum_t'(Length);
    assign fill_over_o = (fill_end > Max);  // rule: Ports ovf_o
    assign filled      = '{wts: mem_ts_q, rts: TsW'(fill_end)};
    assign evicted_end = dropped_i ? lease_o.rts : old.rts;  // rule: 8

    always_comb begin : memory
      mem_ts_d = mem_ts_q;
      if (evicts_i && evicted_end > mem_ts_q) mem_ts_d = evicted_end;
      for (int unsigned w = 0; w < Ways; w++) begin  // rule: 9
        if (empty_i && valid_i[w] && leases[w][TsW-1:0] > mem_ts_d) mem_ts_d = leases[w][TsW-1:0];
      end
      if (begin_o) mem_ts_d = TsW'(1);  // rule: Ports rst_i
    end

    // While rst_i is 1 the leases restart, one set after the other.
    assign begin_o    = rst_i && !on_q;  // rule: 5
    assign sweep      = rst_i && (begin_o || !done_q);  // rule: 5
    assign sweep_set  = begin_o ? '0 : set_q;
    assign rst_done_o = done_q;  // rule: Ports rst_i
    assign rep_o      = rep_q;

    always_comb begin : next_set
      set_d  = set_q;
      done_d = done_q && rst_i;  // rule: 5
      if (sweep) begin
        set_d  = sweep_set + 1'b1;
        done_d = (32'(sweep_set) == Sets - 1);
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        mem_ts_q <= TsW'(1);
        on_q     <= 1'b0;
        done_q   <= 1'b0;
        rep_q    <= '0;
      end else begin
        mem_ts_q <= mem_ts_d;
        on_q     <= rst_i;
        done_q   <= done_d;
        if (begin_o) rep_q <= rep_q + 2'd1;  // rule: Ports rst_i
      end
    end
    // Written by the first cycle of each sweep.
    always_ff @(posedge clk_i) set_q <= set_d;

    // Leases in logical time keep no line and no write waiting.
    assign over_o      = '1;
    assign mshr_over_o = '1;
    wire unused_mshr = ^{mshr_write_i, mshr_i};

    // Specification section 8.1.
    `DUET_ASSERT(LeaseSane, !(performed_i || filled_i)
                            || (next.wts >= TsW'(1) && next.wts <= next.rts
                                && sum_t'(next.rts) <= Max),
                 "lease that cannot be")
    `DUET_ASSERT(AfterEveryLease, !(performed_i && write) || lease_o.wts > old.rts,
                 "store inside a lease")
    `DUET_ASSERT(MemoryRises, mem_ts_q >= $past(mem_ts_q) || $past(begin_o),
                 "memory's lease became shorter")
    `DUET_ASSERT(SweepAlone, !sweep || !(performed_i || filled_i || evicts_i || empty_i),
                 "action during a sweep")
    `DUET_ASSERT(DoneInSweep, !done_q || on_q, "sweep complete that has not begun")
  end else begin : gen_tc
    logic [31:0] now_q, longer;
    // Copies, as all MSHRs are compared in each cycle. While a line has an MSHR, only requests of
    // that MSHR change its lease.
    logic [31:0] mshr_end_q [Mshr];

    assign longer  = now_q + 32'(Length);  // rule: 12
    assign lease_o = (!write && longer > old) ? longer : old;  // rule: 12
    assign filled  = '0;

    always_comb begin : compare
      for (int unsigned w = 0; w < Ways; w++) over_o[w] = (now_q >= leases[w]);  // rule: 15
      for (int unsigned m = 0; m < Mshr; m++) mshr_over_o[m] = (now_q >= mshr_end_q[m]);
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) now_q <= '0;
      else         now_q <= now_q + 32'd1;  // rule: 12
    end
    always_ff @(posedge clk_i) begin  // rule: 13
      if (mshr_write_i) mshr_end_q[mshr_i] <= (performed_i || filled_i) ? next : old;
    end

    assign {same_o, rep_o, req_over_o, fill_over_o, begin_o, sweep, sweep_set, rst_done_o} = '0;
    wire unused_gtsc = ^{valid_i, dropped_i, empty_i, rst_i};

    // Specification section 8.1.
    `DUET_ASSERT(AfterEveryLease,
                 Protocol != ProtocolTcs || !(performed_i && write) || now_q >= old,
                 "store inside a lease")
    `DUET_ASSERT(LentStays, !evicts_i || now_q >= old, "eviction of a line that an L1 may hold")
    `DUET_ASSERT(NowFits, !now_q[31], "run of 2^31 cycles: leases begin to wrap")
  end

  assign next = filled_i ? filled : lease_o;

  // The lines' valid bits cover these.
  always_ff @(posedge clk_i) begin
    if (sweep) begin  // rule: Ports rst_i
      lease_q[sweep_set] <= {Ways{TsW'(1), TsW'(Length)}};
    end else if (performed_i || filled_i) begin
      for (int unsigned w = 0; w < Ways; w++) begin
        if (32'(at_way_i) == w) lease_q[at_set_i][w] <= next;
      end
    end
  end
endmodule
