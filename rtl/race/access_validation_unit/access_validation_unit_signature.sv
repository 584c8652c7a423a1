`include "duet_loop.svh"
`include "race_types.svh"

/// The last signature received, and tests of accesses against it (specification 5.1, 5.3). All
/// granules of all accesses are tested in their cycle. A chunk of 256 bits is 0 until its bit in
/// used_q says otherwise, so that the signature is cleared in one cycle.
module access_validation_unit_signature  // rule: States age 1
  import race_pkg::*;
#(
  parameter int unsigned M     = 8192,
  parameter int unsigned Gran  = 128,
  parameter int unsigned Tests = 5,
  localparam int unsigned Chunks = M / BeatBits,
  localparam type q_t = `RACE_Q_T
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic                   wr_i,      // a chunk that is there
  input  logic [5:0]             chunk_i,
  input  logic [255:0]           data_i,
  // tests
  input  logic [Tests-1:0]       test_i,
  input  logic [Tests-1:0][34:0] access_i,  // elements are q_t
  output logic [Tests-1:0]       member_o   // a granule is a member
);
  localparam int unsigned IndexW   = $clog2(M);
  localparam int unsigned PlaceW   = IndexW - 3;
  localparam int unsigned ChunkW   = (Chunks > 1) ? $clog2(Chunks) : 1;
  localparam int unsigned Granules = granules(Gran);

  logic [255:0]      bits_q [Chunks];
  logic [Chunks-1:0] used_d, used_q;

  wire [ChunkW-1:0] chunk = ChunkW'(chunk_i);
  // Other bits are 0: the chunk is there.
  wire unused_chunk = ^{1'b0, chunk_i};

  function automatic logic is_set(logic [13:0] bit_at);  // rule: Registers _signature
    return used_q[ChunkW'(bit_at >> 8)] && bits_q[ChunkW'(bit_at >> 8)][bit_at[7:0]];
  endfunction

  q_t          access;
  logic [6:0]  span;   // of the access, less one
  logic [31:0] start;
  logic [7:0]  count;  // of its granules
  hash_t       first, h;
  logic        all;

  always_comb begin : test
    access   = '0;
    span     = '0;
    start    = '0;
    count    = '0;
    first    = '0;
    h        = '0;
    all      = 1'b0;
    member_o = '0;
    `DUET_LOOP
    for (int unsigned t = 0; t < Tests; t++) begin
      if (test_i[t]) begin
        access = access_i[t];
        span   = ~(7'h7f << access.size);
        start  = access.addr & ~32'(span);
        count  = 8'(span >> $clog2(LineBytes / Granules)) + 8'd1;
        first  = hash(start >> $clog2(Gran));
        `DUET_LOOP
        for (int unsigned g = 0; g < Granules; g++) begin
          if (g < 32'(count) && !member_o[t]) begin
            // The start is aligned, so that the numbers of its granules follow by exclusive or.
            h   = first ^ GranuleHash[g];
            all = 1'b1;
            for (int unsigned j = 0; j < Hashes; j++) all &= is_set(bit_index(h, j, PlaceW));
            member_o[t] = all;
          end
        end
      end
    end
  end

  always_comb begin : next_state  // rule: Registers _signature
    used_d = used_q;
    if (clear_i) used_d = '0;  // rule: States idle header, sync = 1, last = 0
    else if (wr_i) used_d[chunk] = 1'b1;  // rule: 3
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) used_q <= '0;
    else         used_q <= used_d;
  end

  // used_q covers it.
  always_ff @(posedge clk_i) begin
    if (wr_i) bits_q[chunk] <= data_i;  // rule: 3
  end
endmodule
