`include "duet_assert.svh"
`include "finepack_types.svh"

/// Input FIFO of two requests, their measuring (S1) and the register of stage S2.
/// A request accepted in cycle t is the head of the FIFO in t+1 and in S2 in t+2 at the earliest.
module remote_write_queue_input  // rule: 1
  import finepack_pkg::*;
#(
  parameter int unsigned  NumGpus        = 4,
  parameter int unsigned  Line           = 128,
  parameter int unsigned  SubHeaderBytes = 5,
  localparam type         req_t          = `FINEPACK_REQ_T(Line),
  localparam int unsigned PartW          = (NumGpus > 2) ? $clog2(NumGpus - 1) : 1,
  localparam int unsigned LineW          = $clog2(Line)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [3:0]             self_id_i,
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  req_t                   req_i,
  // s2: the request that the decision is about; s2_leave_i: it is done with in this cycle
  input  logic                   s2_leave_i,
  output logic                   s2_valid_o,
  output logic [2:0]             s2_op_o,
  output logic [7:0]             s2_id_o,
  output logic [3:0]             s2_aop_o,
  output logic [63-LineW:0]      s2_line_o,
  output logic [Line-1:0]        s2_mask_o,
  output logic [Line-1:0][7:0]   s2_data_o,
  output logic [PartW-1:0]       s2_part_o,   // partition of dest; 0 when dest is faulty
  output logic [9:0]             s2_cost_o,   // cost of the mask
  output logic [3:1]             s2_fault_o   // bit c: the request has the fault with code c
);
  typedef struct packed {
    logic             valid;
    logic [2:0]       op;
    logic [7:0]       id;
    logic [3:0]       aop;
    logic [PartW-1:0] part;
    logic [9:0]       cost;
    logic [3:1]       fault;
  } s2_t;

  // A byte in four, a byte in eight: where an aligned operand may start.
  localparam logic [Line-1:0] Starts4 = {Line / 4{4'h1}};
  localparam logic [Line-1:0] Starts8 = {Line / 8{8'h01}};

  req_t       head;
  logic [1:0] held;
  logic       push, pop;

  s2_t                  s2_d, s2_q;
  logic [63-LineW:0]    s2_line_q;
  logic [Line-1:0]      s2_mask_q;
  logic [Line-1:0][7:0] s2_data_q;

  assign req_ready_o = (held < 2'd2);
  assign push        = req_valid_i && req_ready_o;
  assign pop         = (held != 2'd0) && (!s2_q.valid || s2_leave_i);

  duet_fifo #(
    .T    (req_t),
    .Depth(2)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i (push),
    .data_i (req_i),
    .pop_i  (pop),
    .head_o (head),
    .count_o(held)
  );

  // S1: measure the head.
  wire [2:0]       head_op   = head.op;
  wire [3:0]       head_dest = head.dest;
  wire [3:0]       head_aop  = head.aop;
  wire [Line-1:0]  head_mask = head.mask;
  wire [LineW-1:0] unused_addr_in_line = head.addr[LineW-1:0];

  logic [9:0]       head_cost;
  logic [PartW-1:0] head_part;
  logic [3:1]       head_fault;

  remote_write_queue_cost #(
    .Line          (Line),
    .SubHeaderBytes(SubHeaderBytes)
  ) u_cost (
    .mask_i(head_mask),
    .cost_o(head_cost)
  );

  // The operand of an ATOMIC is one run of 4 or 8 bytes that starts at a multiple of its size.
  logic            operand_ok;
  logic [Line-1:0] starts;
  always_comb begin : check_operand  // rule: 2
    operand_ok = 1'b1;
    starts     = '0;
    if (head_op == OpAtomic) begin
      starts = head_mask & ~{head_mask[Line-2:0], 1'b0};
      unique case (8'($countones(head_mask)))
        8'd4:    operand_ok = $onehot(starts) && (starts & Starts4) != '0;
        8'd8:    operand_ok = $onehot(starts) && (starts & Starts8) != '0;
        default: operand_ok = 1'b0;
      endcase
    end
  end

  always_comb begin : measure  // rule: 2
    head_fault = '0;
    head_part  = PartW'((head_dest < self_id_i) ? head_dest : head_dest - 4'd1);
    unique case (head_op)
      OpStore, OpLoad, OpAtomic: begin
        head_fault[1] = (head_mask == '0) || !operand_ok;
        head_fault[2] = (head_dest == self_id_i) || (32'(head_dest) >= NumGpus);
        head_fault[3] = (head_op == OpAtomic) && head_aop[3];
        if (head_fault[2]) head_part = '0;
      end
      // Only the op of a release is looked at.
      OpReleaseSys, OpReleaseGpu: head_part = '0;
      default: begin
        head_fault[3] = 1'b1;
        head_part     = '0;
      end
    endcase
  end

  always_comb begin : next_s2
    s2_d = s2_q;
    if (s2_leave_i) s2_d.valid = 1'b0;
    if (pop) begin
      s2_d = '{
          valid: 1'b1,
          op:    head_op,
          id:    head.id,
          aop:   head_aop,
          part:  head_part,
          cost:  head_cost,
          fault: head_fault
      };
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) s2_q <= '0;
    else         s2_q <= s2_d;
  end

  // Wide registers that a valid bit above covers.
  always_ff @(posedge clk_i) begin
    if (pop) begin
      s2_line_q <= head.addr[63:LineW];
      s2_mask_q <= head_mask;
      s2_data_q <= head.data;
    end
  end

  assign s2_valid_o = s2_q.valid;
  assign s2_op_o    = s2_q.op;
  assign s2_id_o    = s2_q.id;
  assign s2_aop_o   = s2_q.aop;
  assign s2_line_o  = s2_line_q;
  assign s2_mask_o  = s2_mask_q;
  assign s2_data_o  = s2_data_q;
  assign s2_part_o  = s2_q.part;
  assign s2_cost_o  = s2_q.cost;
  assign s2_fault_o = s2_q.fault;

  `DUET_ASSERT(SelfIdLegal, 32'(self_id_i) < NumGpus, "self_id_i must be below NumGpus")
  `DUET_ASSERT(LeaveNeedsRequest, !s2_leave_i || s2_q.valid, "S2 left without a request")
endmodule
