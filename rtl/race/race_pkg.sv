/// Constants of the race detection blocks (ports/src/race/types.rs, parameters.rs), and
/// the hash of their signatures (specification 5.1).
package race_pkg;
  // Each block uses some of them.
  // verilator lint_off UNUSEDPARAM
  // req_t.kind
  localparam logic [1:0] ReqRdchk  = 2'd0;
  localparam logic [1:0] ReqHitchk = 2'd1;
  localparam logic [1:0] ReqWrite  = 2'd2;
  localparam logic [1:0] ReqAtom   = 2'd3;

  // rsp_t.kind and done_t.kind
  localparam logic [2:0] RspNorace = 3'd0;
  localparam logic [2:0] RspRace   = 3'd1;
  localparam logic [2:0] RspWack   = 3'd2;
  localparam logic [2:0] RspForced = 3'd3;

  // rs_o of access_validation_unit
  localparam logic [2:0] RsHit         = 3'd0;
  localparam logic [2:0] RsHitNeedchk  = 3'd1;
  localparam logic [2:0] RsMissCold    = 3'd2;
  localparam logic [2:0] RsMissExpired = 3'd3;
  localparam logic [2:0] RsMissAvu     = 3'd4;

  // err_code_o
  localparam logic [3:0] ErrNone = 4'd0;
  // of access_validation_unit
  localparam logic [3:0] ErrChunk  = 4'd1;
  localparam logic [3:0] ErrHeader = 4'd2;
  localparam logic [3:0] ErrKind   = 4'd3;
  localparam logic [3:0] ErrEpoch  = 4'd4;
  localparam logic [3:0] ErrIndex  = 4'd5;
  localparam logic [3:0] ErrLine   = 4'd6;
  // of speculative_load_queue
  localparam logic [3:0] ErrDone    = 4'd1;
  localparam logic [3:0] ErrRequest = 4'd2;
  localparam logic [3:0] ErrSync    = 4'd3;

  localparam int unsigned LineBytes = 128;
  localparam int unsigned BeatBits  = 256;  // of a signature in one beat
  localparam int unsigned Hashes    = 6;    // bits of a signature that a granule sets
  localparam int unsigned PlaceBits = 11;   // of a bit in a bank of the largest signature

  // A legal value, which keeps sizes legal when a parameter is not, so that the assertion on it can
  // tell.
  function automatic int unsigned legal_m(int unsigned m);
    return (m == 256 || (m >= 1024 && m <= 16384 && $onehot(m))) ? m : 256;
  endfunction
  function automatic int unsigned legal_gran(int unsigned gran);
    return (gran inside {1, 4, 128, 512}) ? gran : 128;
  endfunction
  function automatic int unsigned legal_lanes(int unsigned lanes);
    return (lanes inside {1, 2, 4, 8}) ? lanes : 1;
  endfunction
  function automatic int unsigned clamp(int unsigned low, int unsigned high, int unsigned value);
    return (value < low) ? low : (value > high) ? high : value;
  endfunction
  // Granules of a line.
  function automatic int unsigned granules(int unsigned gran);
    return (gran < LineBytes) ? LineBytes / gran : 1;
  endfunction

  // What a key hashes to: the bank of its first bit, and the place of each bit in its bank.
  typedef struct packed {
    logic [2:0]                       first;
    logic [Hashes-1:0][PlaceBits-1:0] place;
  } hash_t;

  // Row i belongs to bit i of the key. Of the matrices Q[0] to Q[5] the bits of a place are kept,
  // of Q[6] those of a bank.
  typedef hash_t [31:0] hash_matrix_t;
  function automatic hash_matrix_t hash_matrix();
    hash_matrix_t rows;
    logic [31:0]  s;
    rows = '0;
    s    = 32'h9E37_79B9;
    for (int unsigned j = 0; j <= Hashes; j++) begin
      for (int unsigned i = 0; i < 32; i++) begin
        s = s ^ (s << 13);
        s = s ^ (s >> 17);
        s = s ^ (s << 5);
        if (j < Hashes) rows[i].place[j] = s[PlaceBits-1:0];
        else rows[i].first = s[2:0];
      end
    end
    return rows;
  endfunction
  localparam hash_matrix_t HashMatrix = hash_matrix();

  // Linear: the hash of a ^ b is that of a ^ that of b. So the key of a line is hashed once, and
  // those of its granules follow by the hash of their numbers.
  function automatic hash_t hash(logic [31:0] key);
    hash_t h;
    h = '0;
    for (int unsigned i = 0; i < 32; i++) if (key[i]) h = h ^ HashMatrix[i];
    return h;
  endfunction

  // Hash of the number of a granule in its line.
  typedef hash_t [LineBytes-1:0] granule_hashes_t;
  function automatic granule_hashes_t granule_hashes();
    granule_hashes_t h;
    for (int unsigned g = 0; g < LineBytes; g++) begin
      h[g] = '0;
      for (int unsigned i = 0; i < 7; i++) if (((g >> i) & 1) != 0) h[g] = h[g] ^ HashMatrix[i];
    end
    return h;
  endfunction
  localparam granule_hashes_t GranuleHash = granule_hashes();

  // Index of bit j of a key in a signature whose banks have 2^place_bits bits.
  function automatic logic [13:0] bit_index(hash_t h, int unsigned j, int unsigned place_bits);
    logic [2:0] bank;
    bank = h.first + 3'(j);
    return (14'(bank) << place_bits) | (14'(h.place[j]) & ~(14'h3fff << place_bits));
  endfunction
  // verilator lint_on UNUSEDPARAM
endpackage
