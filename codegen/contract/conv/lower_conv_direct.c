// lower_conv_direct: convolutions with long rows in one to three spatial dimensions, without
// packing A.
//
// A chunk is a band of output rows of one plane of one image, or some whole planes. What the
// band's windows touch is copied once into a slab in the scratch, with the borders (and the holes
// of a dilated input) filled with zeros:
//
//     slab[z][y][x][f] = input[image, first_plane*stride + z - pad, first_row*stride + y - pad,
//                              x - pad, f]
//
// Then the element of A for output pixel (plane, row, i) and k = (window plane, row, column,
// feature) is slab[base(plane, row, i) + offset[k]]: neighbouring pixels lie a constant distance
// apart, so the micro-kernel broadcasts straight from the slab. All of K is summed in registers.
#include "codegen/contract/conv/conv_slab.h"

typedef struct Slab {
    int lanes;
    Tile tile;
    int64_t joined;   // rows of results that a tile has all columns of; 1 = it is in one row
    int64_t band[2];  // output planes and rows of a chunk
    int64_t bands[2]; // of an image
    ConvSizes sizes;
    int64_t images;
    int64_t size[SLAB_RANK], features; // of the slab
    int64_t slab_bytes, weight_bytes, tile_bytes, panel_bytes;
    int64_t n_blocks, nc; // columns of B that are packed at a time
    // A panel of B stays in the first-level cache, the rows of a window do not: results go down a
    // tile's columns, so that one row of the next window is new.
    bool goes_down, keeps_panel;
    // Of groups of few features, which lie in the same lines of an image, all follow each other
    // with the band in the cache: the weights of all of them are packed.
    bool has_groups_inside;
} Slab;

// Rows of the tile that waste least of the last tile in a row of pixels; columns as
// many vectors as registers allow.
static Tile direct_tile(const Contraction *c, int lanes, int64_t pixels) {
    enum { RAISED = 4 }; // registers for what a raised operand has too much
    int accumulators = c->how->rows * c->how->vectors - (c->lhs_is_raised ? RAISED : 0);
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
        // loads of B per multiply-add: of 8 rows they take a twenty-fifth, of fewer much more
        double reuse = rows >= 8 ? 1 - 0.32 / rows : 0.5 + rows / 16.0 - 0.04;
        if (used * depth * reuse >= best_score) {
            best_score = used * depth * reuse;
            best = rows;
        }
    }
    return (Tile){best, vectors * lanes};
}

// Narrow rows of results fill one tile register each; of B, which comes from the second-level
// cache then, each tile is loaded for all of them.
static void choose_tiles(Slab *s, const Contraction *c) {
    enum { SIDE = 16, HALF = SIDE / 2, MOST = 4, FEW = 2 };
    int64_t columns = s->sizes.out[COLUMN];
    s->joined = 1;
    s->tile = contract_tiles(columns, c->n.size);
    if (c->spatial < 2 || columns > SIDE || s->sizes.out[ROW] == 1) return;
    bool is_narrow = columns <= HALF || c->n.size <= SIDE;
    s->joined = is_narrow ? MOST : FEW;
    if (s->joined > s->sizes.out[ROW]) s->joined = s->sizes.out[ROW];
    s->tile = (Tile){(int)(s->joined * columns), is_narrow ? SIDE : 2 * SIDE};
}

// Places of the slab in one dimension for so many results.
static int64_t places(const Slab *s, int d, int64_t results) {
    return (results - 1) * s->sizes.stride[d] + (s->sizes.window[d] - 1) * s->sizes.dilation[d] + 1;
}

static int64_t parts_of(int64_t all, int64_t most) {
    int64_t size = most > all ? all : most < 1 ? 1 : most;
    return ceil_div(all, size);
}

// Bands whose slab stays in half of the second-level cache beside a panel of B, and enough of them
// to share out.
static void choose_bands(Slab *s, int64_t groups, int64_t bytes, int64_t cache) {
    enum { CHUNKS = 32 };
    int64_t row_bytes = places(s, COLUMN, s->sizes.out[COLUMN]) * s->features * bytes;
    int64_t planes = s->sizes.out[PLANE] * s->images * groups;
    int64_t share = ceil_div(s->sizes.out[ROW] * planes, CHUNKS);
    int64_t most =
        (cache / (row_bytes * places(s, PLANE, 1)) - places(s, ROW, 1)) / s->sizes.stride[ROW];
    s->bands[ROW] = parts_of(s->sizes.out[ROW], most + 1 < share ? most + 1 : share);
    s->band[ROW] = round_up(ceil_div(s->sizes.out[ROW], s->bands[ROW]), s->joined);
    s->bands[ROW] = ceil_div(s->sizes.out[ROW], s->band[ROW]);
    int64_t plane_bytes = row_bytes * places(s, ROW, s->band[ROW]);
    most = (cache / plane_bytes - places(s, PLANE, 1)) / s->sizes.stride[PLANE] + 1;
    share = s->bands[ROW] > 1 ? 1 : ceil_div(planes, CHUNKS);
    s->bands[PLANE] = parts_of(s->sizes.out[PLANE], most < share ? most : share);
    s->band[PLANE] = ceil_div(s->sizes.out[PLANE], s->bands[PLANE]);
    s->bands[PLANE] = ceil_div(s->sizes.out[PLANE], s->band[PLANE]);
}

// Panels of B in a block: at most so many, and all blocks of one size where at most twice as many
// blocks make that possible. They are shared out: a small last block would leave the lane that has
// it with little to do.
static int64_t panels_of_block(int64_t panels, int64_t most) {
    int64_t blocks = parts_of(panels, most), count = blocks;
    while (count < 2 * blocks && panels % count != 0)
        count++;
    return ceil_div(panels, panels % count == 0 ? count : blocks);
}

// Do several groups have places in a line of the cache, and their weights a place beside the band?
static bool has_groups_inside(const Contraction *c, const Slab *s, const Target *target) {
    enum { LINE = 64 };
    int64_t bytes = s->features * (int64_t)element_bytes(c->lhs->type->element);
    int64_t weights = c->batch.size * c->k.size * round_up(c->n.size, s->tile.columns) *
                      (int64_t)element_bytes(c->rhs_packed);
    return c->batch.size > 1 && bytes < LINE && weights <= target->l2_bytes / 4;
}

static Slab slab_of(const Contraction *c, const Target *target) {
    Slab s = {.lanes = contract_lanes(c, target), .images = c->m.dims[0]};
    s.sizes = conv_sizes(c);
    s.features = c->k.dims[c->spatial];
    s.joined = 1;
    if (c->in_tiles)
        choose_tiles(&s, c);
    else
        s.tile = direct_tile(c, s.lanes, s.sizes.out[COLUMN]);
    int64_t bytes = (int64_t)element_bytes(c->lhs_packed),
            word = (int64_t)element_bytes(c->accumulator);
    s.has_groups_inside = has_groups_inside(c, &s, target);
    int64_t inside = s.has_groups_inside ? c->batch.size : 1;
    choose_bands(&s, c->batch.size, bytes, target->l2_bytes / 2 / inside);
    s.size[PLANE] = places(&s, PLANE, s.band[PLANE]);
    s.size[ROW] = places(&s, ROW, s.band[ROW]);
    s.size[COLUMN] = places(&s, COLUMN, s.sizes.out[COLUMN]);
    // the last tile of the last row reads (and ignores) pixels beyond the slab
    int64_t beyond = s.tile.rows * s.sizes.stride[COLUMN] * s.features;
    beyond += (s.joined - 1) * s.sizes.stride[ROW] * s.size[COLUMN] * s.features;
    int64_t elements = s.size[PLANE] * s.size[ROW] * s.size[COLUMN] * s.features;
    s.slab_bytes = round_up((elements + beyond) * bytes, 64);
    // tile registers multiply what comes from the second-level cache, and would wait for more
    enum { WEIGHT_BYTES = 4 << 20 };
    int64_t most_bytes = c->in_tiles ? target->l2_bytes / 3 : WEIGHT_BYTES;
    int64_t panels = ceil_div(c->n.size, s.tile.columns);
    s.nc = panels_of_block(panels, most_bytes / (c->k.size * bytes) / s.tile.columns);
    s.nc *= s.tile.columns;
    s.n_blocks = ceil_div(c->n.size, s.nc);
    s.weight_bytes =
        round_up(s.nc * c->k.size * bytes + pack_slack(s.lanes, s.tile.columns) * word, 64);
    s.tile_bytes = round_up((int64_t)s.tile.rows * s.tile.columns * word, 64);
    int64_t rows_bytes = s.sizes.window[ROW] * s.size[COLUMN] * s.features * bytes;
    s.panel_bytes = c->k.size * s.tile.columns * bytes;
    s.keeps_panel = s.panel_bytes <= target->l1_bytes / 4;
    s.goes_down = s.keeps_panel && rows_bytes > target->l1_bytes / 2;
    return s;
}

enum { MANY_COLUMNS = 64 }; // packing takes a tenth of their time, and more where there are fewer

// Each row of pixels passes a whole panel of B, which has to stay in the second-level cache for the
// next one. With as few pixels as 8 bytes of a vector for each, two multiply-adds in a cycle take
// more of the panel than comes from there: the slab has to leave room, too.
static bool panel_stays(const Contraction *c, const Slab *s, const Target *target) {
    enum { BYTES = 8 };
    int64_t vector = s->lanes * (int64_t)element_bytes(c->accumulator), cache = target->l2_bytes;
    if (c->in_tiles) return s->panel_bytes + s->slab_bytes <= cache / 2;
    if (s->tile.rows * BYTES > vector) return s->panel_bytes <= cache / 3;
    int64_t most = c->n.size > MANY_COLUMNS ? cache * 2 / 9 : cache / 2;
    return s->panel_bytes + s->slab_bytes <= most;
}

bool direct_conv_applies(const Contraction *c, const Target *target) {
    enum { MOST_SLAB = 4 << 20, MOST_OFFSETS = 1 << 16 };
    if (!c->conv || c->spatial < 1 || c->spatial > SLAB_RANK || c->k.size > MOST_OFFSETS)
        return false;
    if (c->m_image != 0) return false;
    Slab s = slab_of(c, target);
    int64_t size = (int64_t)element_bytes(c->lhs_packed);
    // Where many columns share what packing takes, no more than that may be wasted.
    int64_t pixels = s.joined * s.sizes.out[COLUMN], rows = s.tile.rows / s.joined;
    double used = (double)pixels / (double)round_up(pixels, s.tile.rows);
    double least = c->n.size >= MANY_COLUMNS && !c->in_tiles ? 0.9 : 0.7;
    return s.tile.rows >= 4 && used >= least && s.slab_bytes <= MOST_SLAB &&
           panel_stays(c, &s, target) &&
           lines_in_a_set(rows, s.sizes.stride[COLUMN] * s.features * size) <= LEAST_WAYS;
}

// Bytes of what is packed of the weights at a time.
static int64_t all_weights(const Contraction *c, const Slab *s) {
    return s->weight_bytes * (s->has_groups_inside ? c->batch.size : 1);
}

void direct_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    Slab s = slab_of(c, target);
    kernel->grid = c->batch.size * s.n_blocks * s.images * s.bands[PLANE] * s.bands[ROW];
    kernel->scratch_bytes = s.slab_bytes + all_weights(c, &s) + s.tile_bytes;
    matmul_set_costs(kernel, c);
}

// offsets[step] of the slab
static LLVMValueRef offset_table(Emit *e, const Contraction *c, const Slab *s) {
    int64_t size = contraction_step(c), count = c->k.size / size;
    int64_t *offsets = ARENA_ARRAY(e->arena, int64_t, count);
    for (int64_t step = 0; step < count; step++) {
        int64_t at = step * size % s->features, window = step * size / s->features;
        int64_t distance = s->features;
        for (int d = COLUMN; d >= 0; d--) {
            int i = d - (SLAB_RANK - c->spatial);
            int64_t w = window % s->sizes.window[d];
            window /= s->sizes.window[d];
            if (i >= 0 && c->windows[i].is_reversed) w = s->sizes.window[d] - 1 - w;
            at += w * s->sizes.dilation[d] * distance;
            distance *= s->size[d];
        }
        offsets[step] = at;
    }
    return conv_slab_offsets(e, count, offsets);
}

static LLVMValueRef clamp(Emit *e, LLVMValueRef x, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef below = LLVMBuildICmp(e->builder, LLVMIntSLT, x, low, "");
    return emit_minimum(e, LLVMBuildSelect(e->builder, below, low, x, ""), high);
}

// The k's of a result's window: those at places of its first dimension that the image has, as the
// others are zero.
typedef struct WindowPart {
    LLVMValueRef first, count; // steps
} WindowPart;

static WindowPart part_in_image(Matmul *x, const IndexExpr *result) {
    Emit *e = x->e;
    LLVMBuilderRef b = e->builder;
    const Contraction *c = &x->c;
    const WindowDim *window = &c->windows[0];
    int64_t steps = c->k.size / contraction_step(c), each = steps / window->size;
    int64_t size = c->lhs->type->dims[c->conv->input_spatial.data[0]];
    int64_t end = size > 0 ? (size - 1) * window->lhs_dilation + 1 : 0;
    const IndexExpr *at = index_add_constant(
        e->index, index_scale(e->index, result, window->stride), -window->pad_low);
    int64_t reach = (window->size - 1) * window->rhs_dilation;
    WindowPart all = {emit_number(e, 0), emit_number(e, steps)};
    if (c->spatial == 1 || (x->row_stop && c->spatial == 2) ||
        (at->low >= 0 && at->high + reach < end))
        return all;
    // places w with 0 <= at + w * dilation < end; one of them at least
    LLVMValueRef from = emit_index(e, at), dilation = emit_number(e, window->rhs_dilation);
    LLVMValueRef round = emit_number(e, window->rhs_dilation - 1), zero = emit_number(e, 0);
    LLVMValueRef low = LLVMBuildSub(b, round, from, ""),
                 high = LLVMBuildSub(b, emit_number(e, end + window->rhs_dilation - 1), from, "");
    LLVMValueRef last = emit_number(e, window->size - 1);
    low = clamp(e, LLVMBuildSDiv(b, low, dilation, ""), zero, last);
    LLVMValueRef least = LLVMBuildNSWAdd(b, low, emit_number(e, 1), "");
    high = clamp(e, LLVMBuildSDiv(b, high, dilation, ""), least, emit_number(e, window->size));
    LLVMValueRef first =
        window->is_reversed ? LLVMBuildNSWSub(b, emit_number(e, window->size), high, "") : low;
    LLVMValueRef count = LLVMBuildNSWSub(b, high, low, ""), scale = emit_number(e, each);
    return (WindowPart){LLVMBuildNSWMul(b, first, scale, ""), LLVMBuildNSWMul(b, count, scale, "")};
}

static LLVMValueRef behind(Emit *e, LLVMTypeRef type, LLVMValueRef address, LLVMValueRef count) {
    return LLVMBuildInBoundsGEP2(e->builder, type, address, &count, 1, "");
}

// The loops over a band's results, in the order of their nesting.
typedef struct BandLoops {
    EmitLoop *at[SLAB_RANK]; // COLUMN: over tiles
    EmitLoop *nest[SLAB_RANK];
} BandLoops;

static BandLoops begin_band(Emit *e, const Slab *s, const IndexExpr *const *first) {
    BandLoops loops = {.at = {NULL}, .nest = {NULL}};
    for (int k = 0; k < SLAB_RANK; k++) {
        int d = s->goes_down && k > 0 ? ROW + COLUMN - k : k;
        if (d == COLUMN) {
            loops.at[d] = emit_loop_constant(e, ceil_div(s->sizes.out[d], s->tile.rows), false);
        } else {
            LLVMValueRef count = emit_remaining(e, first[d], s->band[d], s->sizes.out[d]);
            loops.at[d] = emit_loop_begin(
                e, emit_number(e, 0), count, d == ROW ? s->joined : 1, s->band[d], false);
        }
        loops.nest[k] = loops.at[d];
    }
    return loops;
}

// Rows of a tile are numbered along all rows of the results, to the end of the band.
static void join_rows(Matmul *x, const Slab *s, const IndexExpr *first) {
    Emit *e = x->e;
    LLVMValueRef end = LLVMBuildNSWAdd(
        e->builder, emit_index(e, first), emit_remaining(e, first, s->band[ROW], s->sizes.out[ROW]),
        "");
    x->row_stop = LLVMBuildNSWMul(e->builder, end, emit_number(e, s->sizes.out[COLUMN]), "");
}

// The group's first element among the packed ones.
static const IndexExpr *weights_of_group(const Matmul *x, const Slab *s) {
    IndexBuilder *b = x->e->index;
    int64_t elements = s->weight_bytes / (int64_t)element_bytes(x->c.rhs_packed);
    return s->has_groups_inside ? index_scale(b, x->batch[0], elements) : index_constant(b, 0);
}

// first: plane and row.
static void multiply_band(
    Matmul *x, const Slab *s, const IndexExpr *const *first, LLVMValueRef offsets) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    int64_t MR = s->tile.rows, NR = s->tile.columns;
    LLVMValueRef zero = emit_number(e, 0);
    LLVMValueRef panels = LLVMBuildSDiv(
        e->builder, LLVMBuildAdd(e->builder, x->n_count, emit_number(e, NR - 1), ""),
        emit_number(e, NR), "");
    EmitLoop *jr = emit_loop_begin(e, zero, panels, 1, ceil_div(s->nc, NR), false);
    BandLoops loops = begin_band(e, s, first);
    EmitLoop **at = loops.at;
    if (s->joined > 1) join_rows(x, s, first[ROW]);
    const IndexExpr *a_at = index_constant(b, 0);
    for (int d = PLANE; d <= ROW; d++) {
        a_at = index_add(b, a_at, index_scale(b, at[d]->index, s->sizes.stride[d]));
        a_at = index_scale(b, a_at, s->size[d + 1]);
    }
    const IndexExpr *row = index_scale(b, at[COLUMN]->index, MR);
    a_at = index_add(b, a_at, index_scale(b, row, s->sizes.stride[COLUMN]));
    a_at = index_scale(b, a_at, s->features);
    int outermost = SLAB_RANK - x->c.spatial;
    WindowPart part = part_in_image(
        x, outermost == COLUMN ? index_constant(b, 0)
                               : index_add(b, first[outermost], at[outermost]->index));
    LLVMTypeRef step = LLVMArrayType2(
        emit_memory_type(e, x->c.rhs_packed), (uint64_t)(contraction_step(&x->c) * NR));
    const IndexExpr *b_at =
        index_add(b, index_scale(b, jr->index, x->c.k.size * NR), weights_of_group(x, s));
    const IndexExpr *tile = index_constant(b, 0);
    LLVMValueRef weights =
        x->panels.load
            ? panels_address(
                  e, &x->c, &x->panels, index_add(b, index_div(b, x->n_first, NR), jr->index),
                  index_constant(b, 0))
            : matmul_scratch(x, x->rhs_at, x->c.rhs_packed, b_at);
    for (int d = PLANE; d <= ROW; d++) {
        int i = d - (SLAB_RANK - x->c.spatial);
        if (i >= 0) x->m_outer[1 + i] = index_add(b, first[d], at[d]->index);
    }
    const IndexExpr *column = index_add(b, x->n_first, index_scale(b, jr->index, NR));
    MicrokernelCall call = {
        .a = matmul_scratch(x, x->lhs_at, x->c.lhs_packed, a_at),
        .b = behind(e, step, weights, part.first),
        .c = matmul_scratch(x, x->tiles_at, x->c.accumulator, tile),
        .k = part.count,
        .last = behind(e, LLVMInt64TypeInContext(e->context), offsets, part.first)};
    if (s->joined > 1)
        row = index_scale(b, index_add(b, first[ROW], at[ROW]->index), s->sizes.out[COLUMN]);
    matmul_ask_for_rows(x, row, column, x->c.k.size / contraction_step(&x->c), NULL, &call);
    matmul_multiply_tile(x, &call, column);
    matmul_finish_tile(x, tile, row, column);
    for (int k = SLAB_RANK - 1; k >= 0; k--)
        emit_loop_end(e, loops.nest[k]);
    emit_loop_end(e, jr);
}

static Microkernel slab_microkernel(const Contraction *c, const Slab *s, const Target *target) {
    int64_t step = contraction_step(c);
    return (Microkernel){
        .tile = s->tile,
        .element = c->accumulator,
        .how = c->how,
        .lhs = {c->lhs_packed, s->tile.rows, step, step},
        .rhs = {c->rhs_packed, s->tile.columns, c->how->group, step},
        .has_offsets = true,
        .streams_rhs = c->in_tiles && s->panel_bytes > target->l1_bytes / 2,
        .ahead = {.rhs = !c->in_tiles && !s->keeps_panel},
        .row_stride = s->sizes.stride[COLUMN] * s->features,
        .parts = s->joined > 1 ? (int)s->joined : 0,
        .part_stride = s->sizes.stride[ROW] * s->size[COLUMN] * s->features};
}

// At the lane's first chunk and when the group or the block of columns changes; all groups at once
// where they follow each other.
static void pack_weights(Matmul *x, const Slab *s, const EmitLoop *chunk) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const Contraction *c = &x->c;
    int64_t chunks = s->bands[PLANE] * s->bands[ROW] * s->images;
    LLVMValueRef is_new = LLVMBuildICmp(e->builder, LLVMIntEQ, chunk->phi, e->begin, "");
    if (!s->has_groups_inside) {
        LLVMValueRef in_group = emit_index(e, index_mod(b, chunk->index, chunks));
        LLVMValueRef top = LLVMBuildICmp(e->builder, LLVMIntEQ, in_group, emit_number(e, 0), "");
        is_new = LLVMBuildOr(e->builder, is_new, top, "");
    }
    EmitIf new_weights = emit_if(e, is_new);
    const IndexExpr *here = x->batch[0];
    EmitLoop *group = s->has_groups_inside ? emit_loop_constant(e, c->batch.size, false) : NULL;
    if (group) x->batch[0] = group->index;
    PackRange n = {x->n_first, x->n_count, s->nc};
    PackRange all_k = {index_constant(b, 0), emit_number(e, c->k.size), c->k.size};
    pack_rhs(
        e, c, &x->microkernel.rhs, x->batch, n, all_k,
        matmul_scratch(x, x->rhs_at, c->rhs_packed, weights_of_group(x, s)));
    if (group) emit_loop_end(e, group);
    x->batch[0] = here;
    emit_end_if(e, &new_weights);
}

bool direct_conv_emit(Emit *e, const Contraction *c) {
    Slab s = slab_of(c, e->target);
    Matmul *x = ARENA_NEW(e->arena, Matmul);
    x->e = e;
    x->c = *c;
    x->is_direct = true;
    x->blocks.tile = s.tile;
    matmul_stream(x);
    x->rhs_at = s.slab_bytes;
    x->tiles_at = x->rhs_at + all_weights(c, &s);
    x->microkernel = slab_microkernel(c, &s, e->target);
    if (c->panel_columns == s.tile.columns) x->panels = panels_find(e, c);
    LLVMValueRef offsets = offset_table(e, c, &s);
    IndexBuilder *b = e->index;
    microkernel_begin(e, &x->microkernel);
    EmitLoop *chunk = emit_loop_begin(e, e->begin, e->end, 1, e->kernel->grid, false);
    const IndexExpr *rest = chunk->index, *first[2];
    if (s.has_groups_inside) {
        x->batch[0] = index_mod(b, rest, c->batch.size);
        rest = index_div(b, rest, c->batch.size);
    }
    for (int d = ROW; d >= PLANE; d--) {
        first[d] = index_scale(b, index_mod(b, rest, s.bands[d]), s.band[d]);
        rest = index_div(b, rest, s.bands[d]);
    }
    const IndexExpr *image = index_mod(b, rest, s.images), *block = index_div(b, rest, s.images);
    x->n_first = index_scale(b, index_mod(b, block, s.n_blocks), s.nc);
    x->n_count = emit_remaining(e, x->n_first, s.nc, c->n.size);
    if (!s.has_groups_inside) x->batch[0] = index_div(b, block, s.n_blocks);
    x->m_outer[0] = image;
    if (!x->panels.load) pack_weights(x, &s, chunk);
    ConvSlab slab = {
        .image = image, .features = s.features - c->zero_features, .zeros = c->zero_features};
    for (int d = 0; d < SLAB_RANK; d++) {
        slab.first[d] =
            d == COLUMN ? index_constant(b, 0) : index_scale(b, first[d], s.sizes.stride[d]);
        slab.size[d] = s.size[d];
        slab.all[d] = slab.first[d]->high + s.size[d];
    }
    conv_slab_fill(x, &slab);
    multiply_band(x, &s, first, offsets);
    emit_loop_end(e, chunk);
    microkernel_end(e, &x->microkernel);
    return !e->failed;
}
