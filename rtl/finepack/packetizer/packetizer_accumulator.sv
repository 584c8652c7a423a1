`include "duet_assert.svh"
`include "finepack_types.svh"

/// Gathers the bytes of one packet and cuts them into beats. A run appended in cycle t can leave in
/// t+1. Bytes of two packets never share it.
module packetizer_accumulator #(  // rule: 3
  parameter int unsigned Line           = 128,
  parameter int unsigned SubHeaderBytes = 5,
  parameter int unsigned Beat           = 32,
  localparam int unsigned LenW = $clog2(Line + SubHeaderBytes + 1),
  localparam type tlp_t = `FINEPACK_TLP_T(Beat)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               append_i,     // only while room_o
  input  logic                               first_i,      // the run is of the packet's first entry
  input  logic                               last_i,       // the run ends the packet
  input  logic [LenW-1:0]                    chunk_len_i,  // bytes of the run with its sub-header
  input  logic [8*(Line+SubHeaderBytes)-1:0] chunk_i,      // bytes above chunk_len_i are ignored
  input  logic [15:0][7:0]                   hdr_i,        // taken with first_i
  input  logic [3:0]                         dest_i,
  output logic                               room_o,
  output logic                               tlp_valid_o,
  input  logic                               tlp_ready_i,
  output tlp_t                               tlp_o
);
  localparam int unsigned AccumulatorBytes = 8 * ((2 * Beat + SubHeaderBytes + Line + 7) / 8);
  localparam int unsigned CntW             = $clog2(AccumulatorBytes + 1);
  localparam int unsigned PosB             = 2 * Beat;  // a run is appended below this byte
  localparam int unsigned PosW             = $clog2(PosB);

  typedef logic [8*AccumulatorBytes-1:0] bytes_t;
  logic [CntW-1:0]  acc_q, acc_d;        // bytes that are held
  bytes_t           bytes_q;             // those at and above acc_q are garbage
  logic             last_q, last_d;      // the packet's last run is in, its eop beat not yet taken
  logic             first_q, first_d;    // the next beat is the packet's first
  logic [15:0][7:0] hdr_q;
  logic [3:0]       dest_q;

  assign room_o      = acc_q < CntW'(PosB) && !last_q;  // rule: 2
  assign tlp_valid_o = acc_q >= CntW'(Beat) || last_q;

  // Garbage behind the last byte is cut off here, where it is only one beat wide.
  logic full;
  logic [$clog2(Beat)-1:0] tail;  // bytes of a beat that is not full
  assign full = acc_q >= CntW'(Beat);
  assign tail = acc_q[$clog2(Beat)-1:0];
  always_comb begin
    tlp_o        = '0;
    tlp_o.sop    = first_q;
    tlp_o.eop    = last_q && acc_q <= CntW'(Beat);
    tlp_o.dest   = dest_q;  // rule: 4
    tlp_o.hdr    = first_q ? hdr_q : '0;  // rule: 4
    tlp_o.nbytes = full ? 8'(Beat) : 8'(tail);
    tlp_o.data   = bytes_q[8*Beat-1:0];
    if (!full) tlp_o.data &= ~({(8 * Beat){1'b1}} << {tail, 3'b000});
  end

  logic taken;
  assign taken = tlp_valid_o && tlp_ready_i;

  // The run goes behind the bytes of the registers, then the beat leaves below: so the wide shift
  // does not wait for tlp_ready_i, and the other one is by a constant.
  function automatic bytes_t appended(input logic [8*PosB-1:0] bytes, input logic [PosW-1:0] pos,
                                      input logic [8*(Line+SubHeaderBytes)-1:0] chunk);
    logic [8*PosB-1:0] keep;
    keep = bytes & ~({(8 * PosB){1'b1}} << {pos, 3'b000});
    return (bytes_t'(chunk) << {pos, 3'b000}) | bytes_t'(keep);
  endfunction

  always_comb begin
    acc_d   = acc_q;
    last_d  = last_q;
    first_d = first_q;
    if (append_i) begin
      acc_d  = acc_q + CntW'(chunk_len_i);  // rule: 2
      last_d = last_i;  // rule: 2
    end
    if (taken) begin
      acc_d   = acc_d - CntW'(tlp_o.nbytes);
      first_d = tlp_o.eop;
      if (tlp_o.eop) last_d = 1'b0;  // rule: 2
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      acc_q   <= '0;
      last_q  <= 1'b0;
      first_q <= 1'b1;
    end else begin
      acc_q   <= acc_d;
      last_q  <= last_d;
      first_q <= first_d;
    end
  end

  // Not reset: acc_q and tlp_valid_o say what of them means something. The wide shifts stand here
  // and not in an always_comb, so that simulation does them only in the cycles that need them.
  logic [8*PosB-1:0] base;
  logic [PosW-1:0]   pos;
  assign base = bytes_q[8*PosB-1:0];
  assign pos  = acc_q[PosW-1:0];
  always_ff @(posedge clk_i) begin
    if (append_i && taken) bytes_q <= appended(base, pos, chunk_i) >> (8 * Beat);
    else if (append_i) bytes_q <= appended(base, pos, chunk_i);
    else if (taken) bytes_q <= bytes_q >> (8 * Beat);
    // Every run of the first entry brings the same header.
    if (first_i) hdr_q <= hdr_i;  // rule: 4
    if (first_i) dest_q <= dest_i;  // rule: 4
  end

  `DUET_ASSERT(AppendRoom, !append_i || room_o, "run appended to a full accumulator")
  `DUET_ASSERT(AccFits, 32'(acc_q) <= AccumulatorBytes, "accumulator overflow")
endmodule
