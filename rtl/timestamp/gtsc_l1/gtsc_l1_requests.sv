/// What becomes of a request of the SM: the first row that holds (specification 5.2, 5.3, 12).
/// Combinational.
module gtsc_l1_requests  // rule: Cycle rules
  import timestamp_pkg::*;
(
  input  logic       valid_i,
  input  logic       legal_i,      // it can be
  input  logic [1:0] op_i,
  input  logic       empty_i,      // no byte is in its mask
  // its line
  input  logic       present_i,
  input  logic       locked_i,
  input  logic       in_lease_i,   // the warp's clock is within the lease
  // the M of its line
  input  logic       known_i,      // there is one
  input  logic       pend_i,
  input  logic       stale_i,
  input  logic       st_after_i,
  input  logic       full_i,
  input  logic       waits_i,      // a load of the warp waits there
  input  logic       room_i,       // an M is free
  input  logic       store_room_i, // an entry of the table of stores is
  output logic       bad_o,
  output logic       hit_o,
  output logic       hold_o,       // nothing, it stays
  output logic       merge_o,
  output logic       wait_lock_o,
  output logic       miss_o,
  output logic       nop_o,        // a store of nothing
  output logic       store_o,
  output logic       atomic_o
);
  logic change;

  always_comb begin : table_of_rows
    change      = 1'b0;
    bad_o       = 1'b0;
    hit_o       = 1'b0;
    nop_o       = 1'b0;
    hold_o      = 1'b0;
    merge_o     = 1'b0;
    miss_o      = 1'b0;
    wait_lock_o = 1'b0;
    if (valid_i) begin
      if (!legal_i) begin  // rule: 1
        bad_o = 1'b1;
      end else if (op_i == OpLd) begin
        if (present_i && !locked_i && in_lease_i) hit_o = 1'b1;                     // LD1
        else if (known_i && (stale_i || st_after_i || full_i)) hold_o = 1'b1;       // LD2
        else if (known_i) merge_o = 1'b1;                                           // LD3
        else if (!room_i) hold_o = 1'b1;                                            // LD4
        else if (locked_i) wait_lock_o = 1'b1;  // LD5; rule: States FREE PEND
        else miss_o = 1'b1;  // LD6, LD7; rule: States FREE SENT
      end else if (empty_i) begin  // rule: 1
        nop_o = 1'b1;                                                               // ST1
      end else if ((known_i && (pend_i || waits_i)) || !store_room_i) begin
        hold_o = 1'b1;                                                              // ST2, ST3
      end else begin
        change = 1'b1;  // ST4, ST5; rule: States lock n store
      end
    end
  end
  assign store_o  = change && op_i == OpSt;
  assign atomic_o = change && op_i == OpAtom;
endmodule
