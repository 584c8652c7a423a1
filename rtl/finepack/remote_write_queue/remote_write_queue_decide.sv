`include "duet_assert.svh"

/// Stage S2: decides what the request does in this cycle (specification sections 5.2 to 5.4).
/// Combinational from the registers of the other parts, all of which it updates 1 cycle later;
/// only the report of `evt_o` is registered here.
module remote_write_queue_decide  // rule: Cycle rules
  import finepack_pkg::*;
#(
  parameter int unsigned Parts     = 3,
  parameter int unsigned Entries   = 64,
  parameter int unsigned Banks     = 2,
  parameter int unsigned BaseWidth = 34,
  localparam int unsigned PartW = (Parts > 1) ? $clog2(Parts) : 1,
  localparam int unsigned RowW  = (Parts * Banks > 1) ? $clog2(Parts * Banks) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // request in S2
  input  logic                  s2_valid_i,
  input  logic [2:0]            s2_op_i,
  input  logic [PartW-1:0]      s2_part_i,
  input  logic [BaseWidth-1:0]  s2_base_i,
  input  logic [9:0]            s2_cost_i,
  input  logic [3:1]            s2_fault_i,
  output logic                  s2_leave_o,
  // registers of the partitions
  input  logic [Parts-1:0]      fill_bank_i,
  input  logic [6:0]            count_i     [Parts],
  input  logic [12:0]           avail_i   [Parts],
  input  logic [12:0]           sum_i     [Parts],
  input  logic [BaseWidth-1:0]  base_i    [Parts],
  input  logic [Parts-1:0]      dirty_i,
  input  logic [Parts-1:0]      expired_i,
  input  logic [Parts-1:0]      busy_i,
  input  logic [Parts-1:0]      free1_i,  // order queue has a place
  input  logic [Parts-1:0]      free2_i,  // and a second one
  // look: search in the filling bank of s2_part_i
  output logic                  look_o,
  output logic [RowW-1:0]       look_row_o,
  output logic [6:0]            look_count_o,
  output logic [12:0]           look_sum_o,
  input  logic                  look_hit_i,
  input  logic                  look_overlap_i,
  input  logic [7:0]            look_common_i,
  // release
  input  logic                  rel_waiting_i,  // an earlier release is outstanding
  input  logic                  give_way_i,     // rel_done_o is taken in the next cycle
  // effects
  output logic [Parts-1:0]      flush_o,
  output logic                  wr_o,        // the STORE is written into an entry of s2_part_i
  output logic                  wr_first_o,  // entry 0 of an empty bank
  output logic                  wr_hit_o,    // the entry found; else the next entry
  output logic [RowW-1:0]       wr_row_o,
  output logic                  push_raw_o,  // READ or ATOMIC to s2_part_i
  output logic [Parts-1:0]      push_mark_o,
  output logic                  rel_last_o,  // the release in S2 pushes its last MARK
  output logic                  rel_now_o,   // a release without MARKs is done
  output logic [3:1]            fault_o,     // faults of a request that is dropped
  // report, one cycle later
  output logic [Parts-1:0][2:0] flush_cause_o,
  output logic [1:0]            stall_o,
  output logic [7:0]            overwritten_o
);
  // The partition that S2 addresses.
  wire [6:0]  count   = count_i[s2_part_i];
  wire [12:0] avail = avail_i[s2_part_i];
  wire        busy  = busy_i[s2_part_i];
  wire        free1 = free1_i[s2_part_i];
  wire        free2 = free2_i[s2_part_i];
  wire        bank  = fill_bank_i[s2_part_i];

  wire empty = (count == '0);
  wire win   = (s2_base_i == base_i[s2_part_i]);
  wire fit   = (13'(s2_cost_i) <= avail);
  wire room  = look_hit_i || (32'(count) < Entries);
  wire match = !empty && win && look_overlap_i;  // a LOAD or ATOMIC meets a held byte

  // A flush needs the other bank; a single bank that holds something is not being sent.
  wire [Parts-1:0] flush_bank_ok = (Banks == 2) ? ~busy_i : '1;  // rule: 13

  logic [Parts-1:0] non_empty;
  always_comb for (int unsigned p = 0; p < Parts; p++) non_empty[p] = (count_i[p] != '0);

  // The search has inputs of its own so that nothing wide depends on this block's outputs.
  assign look_o     = s2_valid_i && (s2_fault_i == '0)  // rule: 2
                   && (s2_op_i inside {OpStore, OpLoad, OpAtomic});
  assign look_row_o = (Banks == 2) ? RowW'({s2_part_i, bank}) : RowW'(s2_part_i);
  assign look_count_o = count;
  assign look_sum_o = sum_i[s2_part_i];

  // STORE: into the filling bank as it is, or into a bank that a flush makes free.
  wire in_place = !empty && win && fit && room;  // rule: 14
  wire replace  = !empty && !in_place;  // rule: 14

  logic store_flush;
  logic store_wr;
  logic [1:0] store_stall;
  always_comb begin : store
    store_flush = 1'b0;
    store_wr    = 1'b0;
    store_stall = '0;
    if (Banks == 2) begin
      store_flush = replace && !busy && free1;
      store_wr    = !replace || store_flush;
      store_stall = {replace && !free1, replace && busy};  // rule: 5
    end else begin
      // One bank: the flush does not wait for it, the STORE does. rule: 8
      store_flush = replace && free1;
      store_wr    = !replace && !busy;
      store_stall = {replace && !free1, busy || store_flush};
    end
  end

  // RELEASE_SYS: what each partition that is not served yet still needs.
  logic [Parts-1:0] rel_bank_ok, rel_slot_ok;
  assign rel_bank_ok = flush_bank_ok | ~non_empty;  // rule: 5
  assign rel_slot_ok = (non_empty & free2_i) | (~non_empty & free1_i);  // rule: 5

  // LOAD and ATOMIC: what they need; a match needs a flush and a second place.
  wire raw_bank_ok = !match || flush_bank_ok[s2_part_i];  // rule: 5
  wire raw_slot_ok = match ? free2 : free1;  // rule: 5

  logic [2:0] cause;
  logic [1:0] stall;
  logic [7:0] overwritten;
  logic       leave;      // whatever completions do
  logic       rel_empty;  // a release without MARKs
  always_comb begin : decide
    leave       = 1'b0;
    flush_o     = '0;
    wr_o        = 1'b0;
    wr_first_o  = 1'b0;
    wr_hit_o    = 1'b0;
    push_raw_o  = 1'b0;
    push_mark_o = '0;
    rel_last_o  = 1'b0;
    rel_empty   = 1'b0;
    fault_o     = '0;
    cause       = CauseNone;
    stall       = '0;
    overwritten = '0;
    if (!s2_valid_i) begin
      flush_o = expired_i & non_empty & flush_bank_ok & free1_i;  // rule: 7
      cause   = CauseTimeout;  // rule: 7
    end else if (s2_fault_i != '0) begin  // rule: 2
      leave   = 1'b1;
      fault_o = s2_fault_i;
    end else begin
      unique case (s2_op_i)
        OpStore: begin
          leave              = store_wr;
          stall              = store_stall;  // rule: 5
          flush_o[s2_part_i] = store_flush;
          wr_o               = store_wr;
          wr_first_o         = !in_place;
          wr_hit_o           = in_place && look_hit_i;
          if (store_wr && in_place) overwritten = look_common_i;  // rule: 6; 14
          if (!win) cause = CauseWindow;  // rule: 14
          else if (!fit) cause = CauseFullPayload;  // rule: 14
          else cause = CauseFullEntries;  // rule: 14
        end
        OpLoad, OpAtomic: begin
          leave              = raw_bank_ok && raw_slot_ok;
          stall              = {!raw_slot_ok, !raw_bank_ok};  // rule: 5
          flush_o[s2_part_i] = match && leave;
          push_raw_o         = leave;  // rule: 12
          cause              = (s2_op_i == OpLoad) ? CauseLoadHit : CauseAtomicHit;
        end
        OpReleaseSys: begin  // rule: 9
          // An earlier release that is outstanding holds everything.
          if (!rel_waiting_i) begin
            push_mark_o = dirty_i & rel_bank_ok & rel_slot_ok;
            flush_o     = push_mark_o & non_empty;
            stall       = {(dirty_i & ~rel_slot_ok) != '0, (dirty_i & ~rel_bank_ok) != '0};
            cause       = CauseRelease;
            rel_empty   = (dirty_i == '0);
            rel_last_o  = !rel_empty && (push_mark_o == dirty_i);  // rule: 9
            leave       = rel_last_o;  // rule: 9
          end
        end
        // RELEASE_GPU; other codes are faults.
        default: rel_empty = 1'b1;  // rule: 10
      endcase
    end
  end

  // The completion port has an effect on nothing else.
  assign rel_now_o  = rel_empty && !give_way_i;  // rule: 10
  assign s2_leave_o = leave || rel_now_o;  // rule: 10

  // A flush before a write swaps the banks; with one bank there is never both.
  assign wr_row_o = (Banks == 2) ? RowW'({s2_part_i, bank ^ flush_o[s2_part_i]}) : RowW'(s2_part_i);

  logic [Parts-1:0][2:0] cause_d, cause_q;
  logic [1:0]            stall_q;
  logic [7:0]            overwritten_q;
  always_comb for (int unsigned p = 0; p < Parts; p++) cause_d[p] = flush_o[p] ? cause : CauseNone;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cause_q       <= '0;
      stall_q       <= '0;
      overwritten_q <= '0;
    end else begin
      cause_q       <= cause_d;
      stall_q       <= stall;
      overwritten_q <= overwritten;
    end
  end

  assign flush_cause_o = cause_q;  // rule: 11
  assign stall_o       = stall_q;  // rule: 5
  assign overwritten_o = overwritten_q;  // rule: 6

  `DUET_ASSERT(EmptyIsNeverBusy, Banks == 1 || !s2_valid_i || store_wr || !empty,
               "a STORE to an empty partition waits although there are two banks")
  `DUET_ASSERT(StallHolds, !(s2_leave_o && stall != '0), "stalled request left S2")
  `DUET_ASSERT(OneRelease, !rel_waiting_i || push_mark_o == '0,
               "MARK pushed while an earlier release is outstanding")
endmodule
