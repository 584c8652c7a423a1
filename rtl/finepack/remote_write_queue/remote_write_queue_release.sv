`include "duet_assert.svh"

/// MARKs that are outstanding, the end of releases, and the error pulses.
/// `rel_done_o` and `err_valid_o` are registered: 1 cycle after the completion or the decision.
module remote_write_queue_release  // rule: 9
  import finepack_pkg::*;
#(
  parameter int unsigned NumGpus = 4,
  localparam int unsigned Parts = NumGpus - 1,
  localparam int unsigned PartW = (Parts > 1) ? $clog2(Parts) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [3:0]       self_id_i,
  // cpl: completion of a MARK
  input  logic             cpl_valid_i,
  input  logic [3:0]       cpl_dest_i,
  // from stage S2
  input  logic [7:0]       s2_id_i,
  input  logic [Parts-1:0] push_mark_i,
  input  logic             rel_last_i,   // the release in S2 pushes its last MARK
  input  logic             rel_now_i,    // a release without MARKs is done
  input  logic [3:1]       fault_i,      // faults of a dropped request
  // to stage S2
  output logic             waiting_o,    // a release that left S2 is outstanding
  output logic             give_way_o,   // rel_done_o is taken in the next cycle
  // results
  output logic             rel_done_o,
  output logic [7:0]       rel_id_o,
  output logic             err_valid_o,
  output logic [3:0]       err_code_o,
  output logic             err_lost_o
);
  logic             waiting_d, waiting_q;  // a release that left S2 is outstanding
  logic [7:0]       id_d, id_q;            // its id
  logic [Parts-1:0] marks_d, marks_q;      // destinations that owe a completion
  logic             done_d, done_q;
  logic [7:0]       done_id_d, done_id_q;
  logic             err_valid_d, err_valid_q, err_lost_d, err_lost_q;
  logic [3:0]       err_code_d, err_code_q;

  // Completion: clears its bit, or is spurious.
  logic [PartW-1:0] cpl_part;
  logic [Parts-1:0] cpl_bit;
  logic             cpl_known, spurious;
  assign cpl_part  = PartW'((cpl_dest_i < self_id_i) ? cpl_dest_i : cpl_dest_i - 4'd1);  // rule: 4
  assign cpl_known = (cpl_dest_i != self_id_i) && (32'(cpl_dest_i) < NumGpus);  // rule: 4
  always_comb begin : complete  // rule: 4
    cpl_bit = '0;
    if (cpl_valid_i && cpl_known) cpl_bit[cpl_part] = marks_q[cpl_part];
    spurious = cpl_valid_i && (cpl_bit == '0);
  end

  assign give_way_o = waiting_q && (marks_q == cpl_bit);
  assign marks_d    = (marks_q & ~cpl_bit) | push_mark_i;

  // All MARKs are pushed when the release leaves S2: the last one's bit is then set for a cycle at
  // least, so the release always ends with a completion.
  always_comb begin : next_state
    waiting_d = waiting_q;
    id_d      = id_q;
    if (give_way_o) waiting_d = 1'b0;
    if (rel_last_i) begin
      waiting_d = 1'b1;
      id_d      = s2_id_i;
    end
  end

  assign done_d    = give_way_o || rel_now_i;  // rule: 10
  assign done_id_d = give_way_o ? id_q : s2_id_i;  // rule: 10

  always_comb begin : next_error  // rule: Errors
    err_valid_d = (fault_i != '0) || spurious;
    err_lost_d  = ($countones({fault_i, spurious}) > 1);  // rule: 3
    err_code_d  = ErrSpuriousCompletion;  // rule: 4
    if (fault_i[3]) err_code_d = ErrBadOp;  // rule: 2
    if (fault_i[2]) err_code_d = ErrBadDest;  // rule: 2
    if (fault_i[1]) err_code_d = ErrZeroMask;  // rule: 2
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q   <= 1'b0;
      id_q        <= '0;
      marks_q     <= '0;
      done_q      <= 1'b0;
      done_id_q   <= '0;
      err_valid_q <= 1'b0;
      err_lost_q  <= 1'b0;
      err_code_q  <= '0;
    end else begin
      waiting_q   <= waiting_d;
      id_q        <= id_d;
      marks_q     <= marks_d;
      done_q      <= done_d;
      done_id_q   <= done_id_d;
      err_valid_q <= err_valid_d;
      err_lost_q  <= err_lost_d;
      err_code_q  <= err_code_d;
    end
  end

  assign waiting_o   = waiting_q;
  assign rel_done_o  = done_q;
  assign rel_id_o    = done_id_q;
  assign err_valid_o = err_valid_q;
  assign err_code_o  = err_code_q;
  assign err_lost_o  = err_lost_q;

`ifdef DUET_SIMULATION
  logic sys_done_q;  // done_q is that of a system release with MARKs
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sys_done_q <= 1'b0;
    else         sys_done_q <= give_way_o;
  end
`endif
  `DUET_ASSERT(DoneWithoutMarks, !sys_done_q || marks_q == '0,
               "system release done while a MARK is outstanding")
  `DUET_ASSERT(WaitingHasMarks, !waiting_q || marks_q != '0,
               "release waits without an outstanding MARK")
  `DUET_ASSERT(OneMark, (marks_q & push_mark_i) == '0, "second MARK to one destination")
  `DUET_ASSERT(OneDone, !(give_way_o && rel_now_i), "two releases done in one cycle")
endmodule
