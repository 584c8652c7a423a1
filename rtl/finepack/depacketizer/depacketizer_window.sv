`include "duet_assert.svh"

/// The byte window: accepted bytes that have not been parsed, oldest at byte 0.
/// Bytes leave below and a beat enters behind those that stay, both in one cycle.
module depacketizer_window #(  // rule: Registers bytes_q
  parameter int unsigned Beat        = 32,
  parameter int unsigned WindowBytes = 200,  // bytes
  parameter int unsigned LowBytes    = 133,  // bytes that the parser sees
  localparam int unsigned CntW = $clog2(WindowBytes + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [CntW-1:0]       take_i,    // bytes that leave
  input  logic                  keep_i,    // a beat enters
  input  logic [CntW-1:0]       pos_i,     // behind this many bytes that stay
  input  logic [7:0]            nbytes_i,  // its valid bytes, at most Beat
  input  logic [8*Beat-1:0]     data_i,
  output logic [8*LowBytes-1:0] low_o
);
  typedef logic [8*WindowBytes-1:0] bytes_t;
  bytes_t bytes_q;  // 0 above the last valid byte, so a beat is simply ored in
  assign low_o = bytes_q[8*LowBytes-1:0];

  // The beat behind the bytes that stay.
  function automatic bytes_t placed(input logic [8*Beat-1:0] data, input logic [7:0] nbytes,
                                    input logic [CntW-1:0] pos);
    logic [8*Beat-1:0] beat;
    beat = data & ~({(8 * Beat){1'b1}} << {nbytes, 3'b000});
    return bytes_t'(beat) << {pos, 3'b000};
  endfunction

  // The wide shifts stand here and not in an always_comb, so that simulation does them only in the
  // cycles and at the edge where they are needed.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bytes_q <= '0;
    end else if (keep_i) begin
      bytes_q <= (bytes_q >> {take_i, 3'b000}) | placed(data_i, nbytes_i, pos_i);
    end else if (take_i != '0) begin
      bytes_q <= bytes_q >> {take_i, 3'b000};
    end
  end

`ifdef DUET_SIMULATION
  // Single bits out of a procedure, because Verilator copies whatever an assertion reads on every
  // evaluation, and nbytes_i is part of a wide struct.
  logic fits, legal;
  always_comb begin
    fits  = 1'b1;
    legal = 1'b1;
    if (keep_i) begin
      fits  = 32'(pos_i) + 32'(nbytes_i) <= WindowBytes;
      legal = 32'(nbytes_i) <= Beat;
    end
  end
`endif
  `DUET_ASSERT(BeatFits, fits, "window overflow")
  `DUET_ASSERT(BeatLegal, legal, "beat with too many bytes kept")
endmodule
