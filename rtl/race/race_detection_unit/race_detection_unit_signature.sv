`include "duet_assert.svh"

/// The signature of one SM: what the others have written since its last synchronisation; and the
/// copy on its way to the SM (specification 5.2). Two buffers that change places: what is active
/// when it is copied is the copy from then on, and the other one is the new, empty signature.
/// A chunk of 256 bits is empty until its bit in active_used_q says otherwise, so that a signature
/// is cleared in one cycle; whatever its bits are then, its first insert clears them.
module race_detection_unit_signature  // rule: Registers _signature
  import race_pkg::*;
#(
  parameter int unsigned M     = 8192,
  parameter int unsigned NSat  = 1024,
  parameter int unsigned Lanes = 1,
  localparam int unsigned Chunks = M / BeatBits,
  localparam int unsigned IndexW = $clog2(M)
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  // a step of stage C
  input  logic                                     check_i,    // reads
  input  logic                                     insert_i,   // writes
  input  logic [Lanes-1:0]                         lane_i,     // lanes that have a granule
  input  logic [Lanes-1:0][Hashes-1:0][IndexW-1:0] index_i,    // its bits
  input  logic [Lanes-1:0][Hashes-1:0]             fresh_i,    // no lower lane has the same bit
  output logic                                     hit_o,      // check_i: a granule is a member
  // synchronisation
  input  logic                                     snapshot_i,
  output logic                                     force_o,    // the signature is full
  // the copy
  output logic [Chunks-1:0]                        chunks_o,   // those that are not 0
  input  logic                                     read_i,
  input  logic [5:0]                               chunk_i,
  output logic [255:0]                             data_o      // 0 while read_i is
);
  // A class in C++: in line, the copies for 16 SMs take twice as long to compile, and no
  // less to run.
  /*verilator no_inline_module*/
  localparam int unsigned CountW = $clog2(NSat + 1);
  localparam int unsigned AddrW  = $clog2(2 * Chunks);

  logic [255:0]      bits_q [2*Chunks];
  logic              active_q;                         // buffer
  logic [Chunks-1:0] active_used_d, active_used_q;     // chunks that are not 0
  logic [Chunks-1:0] used_d;                            // with those of this cycle
  logic [Chunks-1:0] copy_used_q;
  logic [CountW-1:0] count_d, count_q;                 // inserts that have set a new bit
  logic              force_d, force_q;

  // Place of a chunk.
  function automatic logic [AddrW-1:0] address(logic buffer, logic [5:0] chunk);
    return AddrW'(32'(buffer) * Chunks + 32'(chunk));
  endfunction
  function automatic logic [5:0] chunk_of(logic [IndexW-1:0] bit_at);
    return 6'(14'(bit_at) >> 8);
  endfunction
  function automatic logic [AddrW-1:0] place(logic [IndexW-1:0] bit_at);
    return address(active_q, chunk_of(bit_at));
  endfunction

  // -----------------------------------------------------------------------------------------------
  // A step: six bits of each lane
  logic [Lanes-1:0][Hashes-1:0] present;
  logic [3:0]                   added;  // granules that set a new bit, as if one after another

  always_comb begin : look
    present = '0;
    hit_o   = 1'b0;
    added   = '0;
    if (check_i || insert_i) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (lane_i[l]) begin
          for (int unsigned j = 0; j < Hashes; j++) begin
            present[l][j] = active_used_q[32'(chunk_of(index_i[l][j]))]
                            && bits_q[place(index_i[l][j])][index_i[l][j][7:0]];
          end
          if (present[l] == '1) hit_o = check_i;
          if ((~present[l] & fresh_i[l]) != '0) added = added + 4'd1;  // rule: 3
        end
      end
    end
  end

  always_comb begin : next_state
    used_d   = active_used_q;
    count_d = count_q;
    force_d = force_q;
    if (insert_i) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        for (int unsigned j = 0; j < Hashes; j++) begin
          if (lane_i[l]) used_d[32'(chunk_of(index_i[l][j]))] = 1'b1;
        end
      end
      if (32'(count_q) + 32'(added) >= NSat) begin
        count_d = CountW'(NSat);
        force_d = 1'b1;
      end else begin
        count_d = count_q + CountW'(added);
      end
    end
    // Inserts of the same cycle are in the copy.
    active_used_d = used_d;
    if (snapshot_i) begin
      active_used_d = '0;
      count_d       = '0;
      force_d       = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q      <= 1'b0;
      active_used_q <= '0;
      count_q       <= '0;
      force_q       <= 1'b0;
    end else begin
      active_q      <= active_q ^ snapshot_i;
      active_used_q <= active_used_d;
      count_q       <= count_d;
      force_q       <= force_d;
    end
  end

  // Not reset: there is no copy before the first snapshot.
  always_ff @(posedge clk_i) begin
    if (snapshot_i) copy_used_q <= used_d;
  end

  // Only the bits that change are touched, so that a simulator does not copy signatures. First are
  // cleared those chunks that had no bit.
  always_ff @(posedge clk_i) begin
    if (insert_i) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        for (int unsigned j = 0; j < Hashes; j++) begin
          if (lane_i[l] && !active_used_q[32'(chunk_of(index_i[l][j]))]) begin
            bits_q[place(index_i[l][j])] <= '0;
          end
        end
      end
      for (int unsigned l = 0; l < Lanes; l++) begin
        for (int unsigned j = 0; j < Hashes; j++) begin
          if (lane_i[l]) bits_q[place(index_i[l][j])][index_i[l][j][7:0]] <= 1'b1;
        end
      end
    end
  end

  assign force_o  = force_q;
  assign chunks_o = copy_used_q;
  assign data_o   = read_i ? bits_q[address(!active_q, chunk_i)] : '0;

  `DUET_ASSERT(ClearedBySync, !$past(snapshot_i)
                              || (count_q == '0 && active_used_q == '0 && !force_q),
               "signature is not empty after a synchronisation")
  `DUET_ASSERT(CountRange, 32'(count_q) <= NSat, "more inserts counted than a signature takes")
  `DUET_ASSERT(ForceWhenFull, force_q == (32'(count_q) == NSat), "full without force, or the other")
  `DUET_ASSERT(EitherOr, !(check_i && insert_i), "check and insert in one cycle")
endmodule
