`include "duet_assert.svh"
`include "timestamp_types.svh"

/// What a request makes of a line's lease, and its answer (specification 5.4, 5.5). Combinational.
module gtsc_l2_perform  // rule: 2
  import timestamp_pkg::*;
#(
  parameter int unsigned TsW   = 16,
  parameter int unsigned Lease = 10,
  parameter int unsigned Line  = 128,
  parameter type         req_t = logic,
  parameter type         rsp_t = logic
) (
  input  logic              clk_i,   // of the assertions
  input  logic              rst_ni,
  input  logic              valid_i,
  input  req_t              req_i,
  input  logic [1:0]        rep_i,   // generation of the bank
  input  logic [TsW-1:0]    wts_i,
  input  logic [TsW-1:0]    rts_i,
  input  logic [8*Line-1:0] data_i,  // the line
  input  logic [8*Line-1:0] old_i,   // of it what an atomic changes
  output logic              over_o,  // a timestamp would not fit
  output logic              renew_o, // read: the L1 has the line
  output logic              write_o, // write or atomic
  output logic [TsW-1:0]    wts_o,
  output logic [TsW-1:0]    rts_o,
  output rsp_t              rsp_o
);
  // One bit more than a timestamp, for sums.
  typedef logic [TsW:0] sum_t;
  localparam sum_t Max = sum_t'({TsW{1'b1}}) - sum_t'(1);

  logic           same;            // the L1's copy is as new as the line
  logic [TsW-1:0] warp_ts;
  sum_t           first, written, lent;

  wire unused_req = ^{req_i.aop, req_i.sz, req_i.line, req_i.data};

  // What an L1 of another generation says of time means nothing.
  always_comb begin : request  // rule: Cycle rules
    same    = 1'b0;
    warp_ts = TsW'(1);
    if (req_i.rep == rep_i) begin
      same    = (req_i.wts != '0 && req_i.wts == wts_i);
      warp_ts = req_i.warp_ts;
    end
  end

  assign write_o = (req_i.op != BusRd);
  assign renew_o = !write_o && same;

  // A write comes after all leases.
  assign first   = sum_t'(rts_i) + sum_t'(1);  // rule: Cycle rules
  assign written = (first > sum_t'(warp_ts)) ? first : sum_t'(warp_ts);  // rule: Cycle rules
  assign lent    = (write_o ? written : sum_t'(warp_ts)) + sum_t'(Lease);  // rule: Cycle rules
  assign over_o  = (lent > Max);  // rule: 3
  assign wts_o   = write_o ? TsW'(written) : wts_i;  // rule: Cycle rules
  assign rts_o   = (write_o || lent > sum_t'(rts_i)) ? TsW'(lent) : rts_i;  // rule: Cycle rules

  always_comb begin : answer
    rsp_o = '0;
    if (valid_i) begin
      rsp_o.rep = rep_i;
      rsp_o.sm  = req_i.sm;
      rsp_o.id  = req_i.id;
      rsp_o.rts = rts_o;
      unique case (req_i.op)
        BusRd: begin
          rsp_o.op = renew_o ? RspRnw : RspFill;
          if (!renew_o) begin
            rsp_o.wts  = wts_o;
            rsp_o.data = data_i;
          end
        end
        BusWr: begin
          rsp_o.op  = RspWrAck;
          rsp_o.ok  = same || req_i.mask == '1;
          rsp_o.wts = wts_o;
        end
        default: begin
          rsp_o.op   = RspAtomAck;
          rsp_o.wts  = wts_o;
          rsp_o.data = old_i;
        end
      endcase
    end
  end

  // Specification section 8.1.
  `DUET_ASSERT(AfterEveryLease, !(valid_i && write_o && !over_o) || wts_o > rts_i,
               "store inside a lease")
endmodule
