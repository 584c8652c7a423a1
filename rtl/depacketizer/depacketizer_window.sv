`include "duet_assert.svh"

/// The byte window: accepted bytes that have not been parsed, oldest at byte 0.
/// Bytes leave below and a beat enters behind those that stay, both in one cycle.
module depacketizer_window #(
  parameter int unsigned Beat = 32,
  parameter int unsigned Cap  = 200,   // bytes
  parameter int unsigned LowB = 133,   // bytes that the parser sees
  localparam int unsigned CntW = $clog2(Cap + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [CntW-1:0]   take_i,    // bytes that leave
  input  logic              keep_i,    // a beat enters
  input  logic [CntW-1:0]   pos_i,     // behind this many bytes that stay
  input  logic [7:0]        nbytes_i,  // its valid bytes, at most Beat
  input  logic [8*Beat-1:0] data_i,
  output logic [8*LowB-1:0] low_o
);
  logic [8*Cap-1:0] bytes_q;  // 0 above the last valid byte, so a beat is simply ored in
  logic [8*Cap-1:0] rest;
  assign low_o = bytes_q[8*LowB-1:0];

  // This shift is wide but needs registers only.
  always_comb begin
    rest = bytes_q;
    if (take_i != '0) rest = bytes_q >> {take_i, 3'b000};
  end

  logic [8*Beat-1:0] beat;
  assign beat = data_i & ~({(8 * Beat){1'b1}} << {nbytes_i, 3'b000});

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bytes_q <= '0;
    else if (keep_i) bytes_q <= rest | ((8 * Cap)'(beat) << {pos_i, 3'b000});
    else if (take_i != '0) bytes_q <= rest;
  end

  // Single bits out of a procedure, because Verilator copies whatever an assertion reads on every
  // evaluation, and nbytes_i is part of a wide struct.
  logic fits, legal;
  always_comb begin
    fits  = 1'b1;
    legal = 1'b1;
    if (keep_i) begin
      fits  = 32'(pos_i) + 32'(nbytes_i) <= Cap;
      legal = 32'(nbytes_i) <= Beat;
    end
  end
  `DUET_ASSERT(BeatFits, fits, "window overflow")
  `DUET_ASSERT(BeatLegal, legal, "beat with too many bytes kept")
endmodule
