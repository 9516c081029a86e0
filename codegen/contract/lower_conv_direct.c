// lower_conv_direct: convolutions with one or two spatial dimensions and long rows, without packing
// A.
//
// A chunk is a band of output rows of one image. The input rows that the band's windows
// touch are copied once into a slab in the scratch, with the borders (and the holes of a
// dilated input) filled with zeros:
//
//     slab[y][x][f] = input[image, first_row*stride + y - pad, x - pad, f]
//
// Then the element of A for output pixel (row, i) and k = (window row, window column, feature) is
// slab[base(row, i) + offset[k]]: neighbouring pixels lie a constant distance apart, so the
// micro-kernel broadcasts straight from the slab. All of K is summed in registers.
#include "codegen/contract/conv_slab.h"

typedef struct Slab {
    int lanes;
    Tile tile;
    int64_t band;                              // output rows of a chunk
    int64_t rows, columns, features;           // of the slab
    int64_t stride[2], dilation[2], window[2]; // row, column
    int64_t out_rows, out_columns, images;
    int64_t bands; // of an image
    int64_t slab_bytes, weight_bytes, tile_bytes;
    int64_t n_blocks, nc; // columns of B that are packed at a time
} Slab;

static int64_t ceil_div(int64_t x, int64_t by) { return (x + by - 1) / by; }
static int64_t round_up(int64_t x, int64_t to) { return ceil_div(x, to) * to; }

// Rows of the tile that waste least of the last tile in a row of pixels; columns as
// many vectors as registers allow.
static Tile direct_tile(const Contraction *c, int lanes, int64_t pixels) {
    int accumulators = c->how->rows * c->how->vectors;
    int vectors = (int)ceil_div(c->n.size, lanes);
    if (vectors > c->how->vectors) vectors = c->how->vectors;
    int limit = accumulators / vectors;
    if (limit > 24) limit = 24;
    int best = 1;
    double best_score = 0;
    for (int rows = 1; rows <= limit; rows++) {
        double used = (double)pixels / (double)round_up(pixels, rows);
        // latency of the multiply-add
        double depth = rows * vectors >= 10 ? 1 : rows * vectors / 10.0;
        double reuse = rows >= 8 ? 1 : 0.5 + rows / 16.0; // loads of B per multiply-add
        if (used * depth * reuse >= best_score) {
            best_score = used * depth * reuse;
            best = rows;
        }
    }
    return (Tile){best, vectors * lanes};
}

static Slab slab_of(const Contraction *c, const Target *target) {
    Slab s = {.lanes = contract_lanes(c, target), .images = c->m.dims[0]};
    int last = c->spatial - 1;
    const WindowDim one = {.stride = 1, .lhs_dilation = 1, .rhs_dilation = 1, .size = 1};
    const WindowDim *dims[2] = {c->spatial == 2 ? &c->windows[0] : &one, &c->windows[last]};
    for (int d = 0; d < 2; d++) {
        s.stride[d] = dims[d]->stride;
        s.dilation[d] = dims[d]->rhs_dilation;
        s.window[d] = dims[d]->size;
    }
    s.out_rows = c->spatial == 2 ? c->m.dims[1] : 1;
    s.out_columns = c->m.dims[c->spatial];
    s.features = c->k.dims[c->spatial];
    s.tile = direct_tile(c, s.lanes, s.out_columns);
    int64_t bytes = (int64_t)element_bytes(c->lhs_packed),
            word = (int64_t)element_bytes(c->accumulator);
    s.columns = (s.out_columns - 1) * s.stride[1] + (s.window[1] - 1) * s.dilation[1] + 1;
    int64_t row_bytes = s.columns * s.features * bytes;
    int64_t window_rows = (s.window[0] - 1) * s.dilation[0] + 1;
    // a band whose slab stays in L2 beside a panel of B, and enough bands to share out
    int64_t band = (target->l2_bytes / 2 / row_bytes - window_rows) / s.stride[0] + 1;
    enum { CHUNKS = 32 };
    int64_t share = ceil_div(s.out_rows * s.images * c->batch.size, CHUNKS);
    if (band > share) band = share;
    if (band < 1) band = 1;
    if (band > s.out_rows) band = s.out_rows;
    s.band = ceil_div(s.out_rows, ceil_div(s.out_rows, band));
    s.bands = ceil_div(s.out_rows, s.band);
    s.rows = (s.band - 1) * s.stride[0] + window_rows;
    // the last tile of the last row reads (and ignores) pixels beyond the slab
    int64_t beyond = s.tile.rows * s.stride[1] * s.features;
    s.slab_bytes = round_up((s.rows * s.columns * s.features + beyond) * bytes, 64);
    enum { WEIGHT_BYTES = 4 << 20 };
    s.nc = WEIGHT_BYTES / (c->k.size * bytes) / s.tile.columns * s.tile.columns;
    if (s.nc < s.tile.columns) s.nc = s.tile.columns;
    if (s.nc > round_up(c->n.size, s.tile.columns)) s.nc = round_up(c->n.size, s.tile.columns);
    s.n_blocks = ceil_div(c->n.size, s.nc);
    s.weight_bytes =
        round_up(s.nc * c->k.size * bytes + pack_slack(s.lanes, s.tile.columns) * word, 64);
    s.tile_bytes = round_up((int64_t)s.tile.rows * s.tile.columns * word, 64);
    return s;
}

bool direct_conv_applies(const Contraction *c, const Target *target) {
    enum { MOST_SLAB = 4 << 20, MOST_OFFSETS = 1 << 16 };
    if (!c->conv || c->spatial < 1 || c->spatial > 2 || c->k.size > MOST_OFFSETS) return false;
    if (c->m_image != 0) return false;
    Slab s = slab_of(c, target);
    double used = (double)s.out_columns / (double)round_up(s.out_columns, s.tile.rows);
    return s.tile.rows >= 4 && used >= 0.7 && s.slab_bytes <= MOST_SLAB;
}

void direct_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    Slab s = slab_of(c, target);
    kernel->grid = c->batch.size * s.n_blocks * s.images * s.bands;
    kernel->scratch_bytes = s.slab_bytes + s.weight_bytes + s.tile_bytes;
    matmul_set_costs(kernel, c);
}

// offsets[step] of the slab, as a private constant of the module.
static LLVMValueRef offset_table(Emit *e, const Contraction *c, const Slab *s) {
    int64_t group = c->how->group, count = c->k.size / group;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef *numbers = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    const WindowDim *row = c->spatial == 2 ? &c->windows[0] : NULL;
    const WindowDim *column = &c->windows[c->spatial - 1];
    for (int64_t step = 0; step < count; step++) {
        int64_t feature = step * group % s->features, window = step * group / s->features;
        int64_t x = window % s->window[1], y = window / s->window[1];
        if (column->is_reversed) x = s->window[1] - 1 - x;
        if (row && row->is_reversed) y = s->window[0] - 1 - y;
        int64_t at = (y * s->dilation[0] * s->columns + x * s->dilation[1]) * s->features + feature;
        numbers[step] = emit_number(e, at);
    }
    LLVMTypeRef type = LLVMArrayType2(i64, (uint64_t)count);
    LLVMValueRef table = LLVMAddGlobal(e->module, type, "offsets");
    LLVMSetInitializer(table, LLVMConstArray2(i64, numbers, (uint64_t)count));
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    return table;
}

static void multiply_band(
    Matmul *x, const Slab *s, const IndexExpr *first_row, LLVMValueRef offsets) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    int64_t MR = s->tile.rows, NR = s->tile.columns;
    LLVMValueRef zero = emit_number(e, 0);
    LLVMValueRef panels = LLVMBuildSDiv(
        e->builder, LLVMBuildAdd(e->builder, x->n_count, emit_number(e, NR - 1), ""),
        emit_number(e, NR), "");
    EmitLoop *jr = emit_loop_begin(e, zero, panels, 1, ceil_div(s->nc, NR), false);
    EmitLoop *row = emit_loop_begin(
        e, zero, emit_remaining(e, first_row, s->band, s->out_rows), 1, s->band, false);
    EmitLoop *pixel = emit_loop_constant(e, ceil_div(s->out_columns, MR), false);
    const IndexExpr *a_at = index_scale(b, row->index, s->stride[0] * s->columns);
    a_at = index_add(b, a_at, index_scale(b, pixel->index, MR * s->stride[1]));
    a_at = index_scale(b, a_at, s->features);
    const IndexExpr *b_at = index_scale(b, jr->index, x->c.k.size * NR);
    const IndexExpr *tile = index_constant(b, 0);
    microkernel_call(
        e, &x->microkernel, matmul_scratch(x, x->lhs_at, x->c.lhs_packed, a_at),
        matmul_scratch(x, x->rhs_at, x->c.rhs_packed, b_at),
        matmul_scratch(x, x->tiles_at, x->c.accumulator, tile),
        emit_number(e, x->c.k.size / x->c.how->group),
        LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0), offsets);
    if (x->c.spatial == 2) x->m_outer[1] = index_add(b, first_row, row->index);
    const IndexExpr *column = index_add(b, x->n_first, index_scale(b, jr->index, NR));
    matmul_finish_tile(x, tile, index_scale(b, pixel->index, MR), column);
    emit_loop_end(e, pixel);
    emit_loop_end(e, row);
    emit_loop_end(e, jr);
}

bool direct_conv_emit(Emit *e, const Contraction *c) {
    Slab s = slab_of(c, e->target);
    Matmul *x = ARENA_NEW(e->arena, Matmul);
    x->e = e;
    x->c = *c;
    x->is_direct = true;
    x->streams = matmul_streams(e, c, &s.tile);
    x->blocks.tile = s.tile;
    x->rhs_at = s.slab_bytes;
    x->tiles_at = x->rhs_at + s.weight_bytes;
    x->microkernel = (Microkernel){
        .tile = s.tile,
        .element = c->accumulator,
        .how = c->how,
        .lhs = {c->lhs_packed, s.tile.rows, c->how->group, c->how->group},
        .rhs = {c->rhs_packed, s.tile.columns, c->how->group, c->how->group},
        .has_offsets = true,
        .row_stride = s.stride[1] * s.features};
    LLVMValueRef offsets = offset_table(e, c, &s);
    IndexBuilder *b = e->index;
    EmitLoop *chunk = emit_loop_begin(e, e->begin, e->end, 1, e->kernel->grid, false);
    const IndexExpr *band = index_mod(b, chunk->index, s.bands);
    const IndexExpr *image = index_mod(b, index_div(b, chunk->index, s.bands), s.images);
    const IndexExpr *group = index_div(b, chunk->index, s.bands * s.images);
    x->n_first = index_scale(b, index_mod(b, group, s.n_blocks), s.nc);
    x->n_count = emit_remaining(e, x->n_first, s.nc, c->n.size);
    x->batch[0] = index_div(b, group, s.n_blocks);
    x->m_outer[0] = image;
    const IndexExpr *first_row = index_scale(b, band, s.band);
    // weights are packed when the group changes
    const IndexExpr *in_group = index_mod(b, chunk->index, s.bands * s.images);
    LLVMValueRef first = LLVMBuildICmp(e->builder, LLVMIntEQ, chunk->phi, e->begin, "");
    LLVMValueRef top =
        LLVMBuildICmp(e->builder, LLVMIntEQ, emit_index(e, in_group), emit_number(e, 0), "");
    EmitIf new_group = emit_if(e, LLVMBuildOr(e->builder, first, top, ""));
    PackRange n = {x->n_first, x->n_count, s.nc};
    PackRange all_k = {index_constant(b, 0), emit_number(e, c->k.size), c->k.size};
    pack_rhs(e, c, &x->microkernel.rhs, x->batch, n, all_k, emit_scratch(e, x->rhs_at));
    emit_end_if(e, &new_group);
    ConvSlab slab = {.image = image, .features = s.features};
    slab.first[0] = slab.first[2] = index_constant(b, 0);
    slab.first[1] = index_scale(b, first_row, s.stride[0]);
    const int64_t size[SLAB_RANK] = {1, s.rows, s.columns};
    for (int d = 0; d < SLAB_RANK; d++) {
        slab.size[d] = size[d];
        slab.all[d] = slab.first[d]->high + size[d];
    }
    conv_slab_fill(x, &slab);
    multiply_band(x, &s, first_row, offsets);
    emit_loop_end(e, chunk);
    return !e->failed;
}
