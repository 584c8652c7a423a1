/// Finds the lowest run of enabled bytes of a mask. Combinational.
/// Adding the lowest enabled bit to the mask carries through the lowest run and leaves one bit
/// behind its end; no loop over the bytes is needed.
module packetizer_run #(  // rule: 2
  parameter int unsigned Line = 128,
  localparam int unsigned IdxW = $clog2(Line)
) (
  input  logic            pack_i,   // FinePack entry; every other kind counts as one run
  input  logic [Line-1:0] mask_i,
  output logic [IdxW-1:0] start_o,  // first byte of the run
  output logic [IdxW:0]   len_o,    // bytes of the run
  output logic [Line-1:0] rest_o,   // mask without the run
  output logic            final_o   // no run is left behind it
);
  // Bit i of row b is bit b of i.
  typedef logic [IdxW-1:0][Line-1:0] rows_t;
  function automatic rows_t index_rows();
    rows_t rows = '0;
    for (int unsigned b = 0; b < IdxW; b++) begin
      for (int unsigned i = 0; i < Line; i++) rows[b][i] = 1'((i >> b) & 1);
    end
    return rows;
  endfunction
  localparam rows_t IndexRows = index_rows();

  logic [Line-1:0] first;   // lowest enabled byte, one-hot
  logic [Line-1:0] behind;  // first byte behind the run, one-hot; 0 when the run ends the line
  logic [Line:0]   sum;
  assign first  = mask_i & (~mask_i + Line'(1));
  assign sum    = {1'b0, mask_i} + {1'b0, first};
  assign rest_o = mask_i & sum[Line-1:0];
  assign behind = sum[Line-1:0] & ~mask_i;

  logic [IdxW:0] stop;
  always_comb begin
    stop = {sum[Line], IdxW'(0)};
    for (int unsigned b = 0; b < IdxW; b++) begin
      start_o[b] = |(first & IndexRows[b]);
      stop[b]    = |(behind & IndexRows[b]);
    end
  end
  assign len_o   = stop - {1'b0, start_o};
  assign final_o = !pack_i || rest_o == '0;  // rule: 1
endmodule
