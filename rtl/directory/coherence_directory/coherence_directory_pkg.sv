/// Constants of the coherence directory (ports/src/directory/coherence_directory.rs), the widths of
/// an entry and the numbering of sharers.
package coherence_directory_pkg;
  // Each part uses some of the constants.
  // verilator lint_off UNUSEDPARAM
  // Parameter Variant.
  localparam int unsigned VariantBaseline = 0;
  localparam int unsigned VariantHmg      = 1;
  localparam int unsigned VariantRec      = 2;
  localparam int unsigned VariantIdeal    = 3;

  // Parameter Replacement.
  localparam int unsigned ReplacementFifo = 0;
  localparam int unsigned ReplacementLru  = 1;

  // req_t.op; 6 and 7 are illegal.
  localparam logic [2:0] OpLrd   = 3'd0;
  localparam logic [2:0] OpRrd   = 3'd1;
  localparam logic [2:0] OpLwr   = 3'd2;
  localparam logic [2:0] OpRwr   = 3'd3;
  localparam logic [2:0] OpEvict = 3'd4;
  localparam logic [2:0] OpFence = 3'd5;

  // inv_t.cause
  localparam logic [1:0] CauseWrite = 2'd0;
  localparam logic [1:0] CauseEvict = 2'd1;
  localparam logic [1:0] CauseFence = 2'd2;

  // err_code_o; 0 inside the block: no error.
  localparam logic [3:0] ErrNone      = 4'd0;
  localparam logic [3:0] ErrSrc       = 4'd1;
  localparam logic [3:0] ErrOp        = 4'd2;
  localparam logic [3:0] ErrAddr      = 4'd3;
  localparam logic [3:0] ErrDuplicate = 4'd4;

  // Lines in a row of the ideal array.
  localparam int unsigned IdealRow = 64;
  // verilator lint_on UNUSEDPARAM

  // The larger value. Keeps the sizes legal when a parameter is not, so that its assertion can
  // report it.
  function automatic int unsigned at_least(int unsigned low, int unsigned value);
    return (value < low) ? low : value;
  endfunction

  // Bits of an entry's base. The baseline stores the whole address, as the paper counts it; ideal
  // has no entries.
  function automatic int unsigned base_bits(int unsigned variant, int unsigned address_width,
                                            int unsigned range);
    case (variant)
      VariantBaseline: return address_width;
      VariantIdeal:    return 0;
      default:         return address_width - $clog2(range);
    endcase
  endfunction

  // Bits of an entry's groups: a position bit and `gpus` - 1 sharers for each line, or the
  // sharers alone.
  function automatic int unsigned group_bits(int unsigned variant, int unsigned gpus,
                                             int unsigned pos);
    return (variant == VariantRec) ? pos * gpus : gpus - 1;
  endfunction

  // Sharer slots as a mask of GPUs. The home has no slot: a GPU above it has the next lower one.
  function automatic logic [15:0] gpus_of_slots(logic [15:0] slots, logic [3:0] self);
    logic [15:0] above = 16'hFFFF << self;
    return (slots & ~above) | ((slots & above) << 1);
  endfunction

  // A mask of GPUs as sharer slots; the home's bit is lost.
  function automatic logic [15:0] slots_of_gpus(logic [15:0] gpus, logic [3:0] self);
    logic [15:0] above = 16'hFFFF << self;
    return (gpus & ~above) | ((gpus >> 1) & above);
  endfunction
endpackage
