`include "duet_assert.svh"
`include "race_types.svh"

/// Answers to one SM: a header, behind it the chunks of the copy that are not 0, lowest first, one
/// for each beat that is taken (specification 5.2). The header is valid in the cycle after make_i.
module race_detection_unit_response  // rule: Registers _response
  import duet_pkg::*;
  import race_pkg::*;
#(
  parameter int unsigned Chunks = 32,
  parameter int unsigned EpochW = 5,
  localparam type rsp_t = `RACE_RSP_T
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // a new answer; only while free_o
  input  logic              make_i,
  input  logic [2:0]        kind_i,
  input  logic [7:0]        id_i,
  input  logic              sync_i,   // the epoch ends
  output logic              free_o,   // no answer, or its last beat is taken
  output logic              taken_o,  // a beat is
  // the copy of the signature
  input  logic [Chunks-1:0] chunks_i,
  output logic              read_o,
  output logic [5:0]        chunk_o,
  input  logic [255:0]      data_i,
  // rsp
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output rsp_t              rsp_o
);
  logic              valid_d, valid_q;
  logic              hdr_q;            // the beat is the header
  logic [2:0]        kind_q;
  logic [7:0]        id_q;
  logic              sync_q;
  logic [EpochW-1:0] epoch_q;          // of the SM
  logic [Chunks-1:0] left_q;           // chunks not taken, once the header is
  logic [Chunks-1:0] rest, behind;     // chunks not taken; those behind this beat

  always_comb begin : beat
    rest   = '0;
    behind = '0;
    if (valid_q && sync_q) begin
      rest   = hdr_q ? chunks_i : left_q;
      behind = hdr_q ? rest : rest & (rest - 1'b1);
    end
  end
  wire last = (behind == '0);

  assign read_o  = valid_q && !hdr_q;
  assign chunk_o = read_o ? 6'(lowest_of_128(128'(rest))) : '0;
  always_comb begin : response  // rule: Ports rsp_valid_o
    rsp_o = '0;  // rule: 8
    if (valid_q) begin
      rsp_o = '{  // rule: 9
        hdr: hdr_q, last: last, kind: kind_q, id: id_q, epoch: 5'(epoch_q), sync: sync_q,
        chunk: chunk_o, data: data_i
      };
    end
  end
  assign rsp_valid_o = valid_q;

  assign taken_o = valid_q && rsp_ready_i;
  assign free_o  = !valid_q || (rsp_ready_i && last);  // rule: States free(i)
  assign valid_d = make_i || (valid_q && !(rsp_ready_i && last));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      epoch_q <= '0;
    end else begin
      valid_q <= valid_d;
      if (make_i && sync_i) epoch_q <= epoch_q + 1'b1;
    end
  end

  // valid_q covers these.
  always_ff @(posedge clk_i) begin
    if (make_i) begin
      hdr_q  <= 1'b1;
      kind_q <= kind_i;
      id_q   <= id_i;
      sync_q <= sync_i;
    end else if (taken_o) begin
      hdr_q  <= 1'b0;
      left_q <= behind;
    end
  end

  `DUET_ASSERT_STABLE(RspStable, rsp_valid_o, rsp_ready_i, rsp_o)
  `DUET_ASSERT(NotOverwritten, !make_i || free_o, "answer made while another one is under way")
endmodule
