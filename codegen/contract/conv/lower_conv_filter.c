// lower_conv_filter: convolutions whose window is larger than their result, above all the gradients
// of filters: what convolves there are the input features, the window is the result's gradient, and
// its positions are summed.
//
// In the terms of a contraction, a band of the window is a block of K. The part of the image that
// all results meet there is copied into a slab, with zeros in borders and holes:
//
//     slab[z][y][x][image] = input[image, z - pad, y - pad, x - pad, feature]
//
// Results that are neighbours in the last dimension, with all images, are neighbours in the slab: a
// run of rows of C (with a stride only the images of one result). So the element of A for row i of
// a run and position p of the window is slab[base(run) + i + offset[p]], and nothing else is packed
// of it. B is packed band by band, for one feature:
//
//     for each segment of tiles of C that stay in the second-level cache:
//       for each feature, and each band of the window:
//         fill the slab; pack B's columns
//         for each tile:  tile += A x B
//       epilogue, store
//
// A chunk is a tile. A lane's tiles share slabs; sums run over features and bands in the same order
// in all of them.
#include "codegen/contract/conv/conv_slab.h"
#include "codegen/element/contiguous.h"
#include "codegen/emit/emit_state.h"

typedef struct Filter {
    Emit *e;
    Matmul *matmul;
    Tile tile;
    ConvSizes sizes;
    int64_t band[SLAB_RANK], bands[SLAB_RANK]; // of the window
    int64_t size[SLAB_RANK], images, features; // of the slab
    int64_t run_columns, run;                  // rows of C that are neighbours in the slab
    int64_t runs, run_tiles, panels;           // tiles[panel][run][run tile]
    int64_t segment;                           // tiles
    int64_t depth;                             // positions of a band
    int64_t slab_bytes, rhs_bytes, tile_bytes;
    LLVMValueRef offsets;
    const IndexExpr *band_first[SLAB_RANK]; // of the current band
    LLVMValueRef band_count[SLAB_RANK];
    const IndexExpr *feature;     // current
    LLVMValueRef first, stop;     // tiles of the segment
    const IndexExpr *first_panel; // of the segment
    LLVMValueRef panel_count;
} Filter;

// Bands of so many positions that a panel of B stays in the first-level cache: whole rows and
// planes where they are short.
static void choose_bands(Filter *f, int64_t most) {
    int64_t left = most;
    for (int d = COLUMN; d >= 0; d--) {
        int64_t size = left < 1 ? 1 : left < f->sizes.window[d] ? left : f->sizes.window[d];
        f->bands[d] = ceil_div(f->sizes.window[d], size);
        f->band[d] = ceil_div(f->sizes.window[d], f->bands[d]);
        f->bands[d] = ceil_div(f->sizes.window[d], f->band[d]);
        left = f->bands[d] > 1 ? 1 : left / f->sizes.window[d];
    }
    f->depth = f->band[0] * f->band[1] * f->band[2];
}

static Filter filter_of(const Contraction *c, const Target *target) {
    Filter f = {.images = c->m.dims[c->m_image], .features = c->k.dims[c->spatial]};
    f.sizes = conv_sizes(c);
    int64_t word = (int64_t)element_bytes(c->accumulator);
    f.run_columns = f.sizes.stride[COLUMN] == 1 ? f.sizes.out[COLUMN] : 1;
    f.run = f.run_columns * f.images;
    f.runs = f.sizes.out[0] * f.sizes.out[1] * f.sizes.out[COLUMN] / f.run_columns;
    Contraction product = *c;
    product.conv = NULL;
    product.m.size = f.run;
    f.tile = contract_tile(&product, target);
    f.run_tiles = ceil_div(f.run, f.tile.rows);
    f.panels = ceil_div(c->n.size, f.tile.columns);
    choose_bands(&f, target->l1_bytes / (f.tile.columns * word));
    int64_t elements = f.images;
    for (int d = 0; d < SLAB_RANK; d++) {
        f.size[d] =
            (f.band[d] - 1) * f.sizes.dilation[d] + (f.sizes.out[d] - 1) * f.sizes.stride[d] + 1;
        elements *= f.size[d];
    }
    int64_t tile = (int64_t)f.tile.rows * f.tile.columns * word;
    int64_t tiles = f.panels * f.runs * f.run_tiles;
    f.segment = target->l2_bytes / 4 / tile;
    if (f.segment < f.run_tiles) f.segment = f.run_tiles; // else a slab would serve few of them
    if (f.segment > tiles) f.segment = tiles;
    // the last tile of a run reads (and ignores) rows beyond the slab
    f.slab_bytes = round_up((elements + f.tile.rows) * word, 64);
    f.rhs_bytes = round_up(f.panels * f.depth * f.tile.columns * word, 64);
    f.tile_bytes = f.segment * tile;
    return f;
}

bool filter_conv_applies(const Contraction *c, const Target *target) {
    enum { LEAST_RUN = 16, LEAST_DEPTH = 64, LARGER = 2 };
    if (!c->conv || c->spatial < 1 || c->spatial > SLAB_RANK || c->how->group > 1) return false;
    int64_t window = c->k.size / c->k.dims[c->spatial];
    int64_t results = c->m.size / c->m.dims[c->m_image];
    if (window < LARGER * results) return false;
    for (int i = 0; i < c->spatial; i++) {
        if (c->windows[i].is_reversed) return false;
    }
    // All sums pass through the second-level cache with every band.
    int64_t sums = c->m.size * c->n.size * (int64_t)element_bytes(c->accumulator);
    if (sums > target->l2_bytes * 5 / 8) return false;
    Filter f = filter_of(c, target);
    return f.run >= LEAST_RUN && f.depth >= LEAST_DEPTH && f.tile_bytes <= target->l2_bytes &&
           f.slab_bytes <= target->l2_bytes / 2 && f.rhs_bytes <= target->l2_bytes;
}

void filter_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    Filter f = filter_of(c, target);
    kernel->grid = c->batch.size * f.panels * f.runs * f.run_tiles;
    kernel->scratch_bytes = f.slab_bytes + f.rhs_bytes + f.tile_bytes;
    matmul_set_costs(kernel, c);
}

// ---- operands

// Distances in the slab of a band's positions.
static LLVMValueRef offset_table(Emit *e, const Filter *f) {
    int64_t *offsets = ARENA_ARRAY(e->arena, int64_t, f->depth);
    for (int64_t p = 0; p < f->depth; p++) {
        int64_t rest = p, distance = f->images;
        for (int d = COLUMN; d >= 0; d--) {
            offsets[p] += rest % f->band[d] * f->sizes.dilation[d] * distance;
            rest /= f->band[d];
            distance *= f->size[d];
        }
    }
    return conv_slab_offsets(e, f->depth, offsets);
}

static void fill_slab(Filter *f) {
    ConvSlab slab = {.image = f->feature, .features = f->images, .has_images_inside = true};
    for (int d = 0; d < SLAB_RANK; d++) {
        slab.first[d] = index_scale(f->e->index, f->band_first[d], f->sizes.dilation[d]);
        slab.size[d] = f->size[d];
        slab.all[d] = slab.first[d]->high + f->size[d];
    }
    conv_slab_fill(f->matmul, &slab);
}

// Columns of a panel at a position of the band: those that exist, or zeros behind them.
static void put_columns(
    Filter *f, const IndexExpr *panel, const IndexExpr *const *k, const IndexExpr *place,
    LLVMValueRef from, LLVMValueRef to, bool exists) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const Contraction *c = &f->matmul->c;
    EmitLoop *column = emit_loop_begin(e, from, to, 1, f->tile.columns, true);
    const IndexExpr *n = index_add(b, f->first_panel, panel);
    n = index_add(b, index_scale(b, n, f->tile.columns), column->index);
    Scalar value = exists ? contraction_rhs(e, c, f->matmul->batch, k, &n)
                          : emit_constant(e, c->rhs_packed, 0);
    const IndexExpr *at = index_add(b, index_scale(b, panel, f->depth), place);
    at = index_add(b, index_scale(b, at, f->tile.columns), column->index);
    emit_private_store(
        e, c->rhs_packed, emit_scratch(e, f->matmul->rhs_at), emit_index(e, at), value);
    emit_loop_end(e, column);
}

// B's columns of the segment's panels, for the band.
static void pack_columns(Filter *f) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const Contraction *c = &f->matmul->c;
    EmitLoop *at[SLAB_RANK];
    EmitLoop *panel = emit_loop_begin(e, emit_number(e, 0), f->panel_count, 1, f->panels, false);
    const IndexExpr *k[MAX_RANK], *place = index_constant(b, 0);
    for (int d = 0; d < SLAB_RANK; d++) {
        int i = d - (SLAB_RANK - c->spatial);
        at[d] = emit_loop_begin(e, emit_number(e, 0), f->band_count[d], 1, f->band[d], false);
        place = index_add(b, index_scale(b, place, f->band[d]), at[d]->index);
        if (i >= 0) k[i] = index_add(b, f->band_first[d], at[d]->index);
    }
    k[c->spatial] = f->feature;
    const IndexExpr *first = index_add(b, f->first_panel, panel->index);
    first = index_scale(b, first, f->tile.columns);
    LLVMValueRef all = emit_number(e, f->tile.columns);
    LLVMValueRef count = emit_remaining(e, first, f->tile.columns, c->n.size);
    put_columns(f, panel->index, k, place, emit_number(e, 0), count, true);
    if (c->n.size % f->tile.columns != 0) put_columns(f, panel->index, k, place, count, all, false);
    for (int d = COLUMN; d >= 0; d--)
        emit_loop_end(e, at[d]);
    emit_loop_end(e, panel);
}

// ---- tiles

typedef struct TilePlace {
    const IndexExpr *panel, *run, *in_run; // in_run: tile of the run
    const IndexExpr *sums;                 // element in the scratch's tiles
} TilePlace;

static TilePlace tile_place(Filter *f, const EmitLoop *tile) {
    IndexBuilder *b = f->e->index;
    LLVMValueRef in_segment = LLVMBuildNSWSub(f->e->builder, tile->phi, f->first, "");
    const IndexExpr *rest = index_div(b, tile->index, f->run_tiles);
    return (TilePlace){
        .panel = index_div(b, rest, f->runs),
        .run = index_mod(b, rest, f->runs),
        .in_run = index_mod(b, tile->index, f->run_tiles),
        .sums = index_scale(
            b, emit_variable(f->e, in_segment, f->segment),
            (int64_t)f->tile.rows * f->tile.columns)};
}

static EmitLoop *tiles_begin(Filter *f) {
    return emit_loop_begin(f->e, f->first, f->stop, 1, f->panels * f->runs * f->run_tiles, false);
}

static void multiply_tiles(Filter *f, LLVMValueRef add) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    Matmul *x = f->matmul;
    LLVMValueRef count = emit_number(e, 1);
    for (int d = 0; d < SLAB_RANK; d++)
        count = LLVMBuildNSWMul(e->builder, count, f->band_count[d], "");
    EmitLoop *tile = tiles_begin(f);
    TilePlace place = tile_place(f, tile);
    int64_t runs = f->sizes.out[COLUMN] / f->run_columns; // of a row
    const IndexExpr *row = index_div(b, place.run, runs), *column = index_mod(b, place.run, runs);
    const IndexExpr *a_at =
        index_scale(b, index_div(b, row, f->sizes.out[1]), f->sizes.stride[0] * f->size[1]);
    a_at =
        index_add(b, a_at, index_scale(b, index_mod(b, row, f->sizes.out[1]), f->sizes.stride[1]));
    a_at = index_add(
        b, index_scale(b, a_at, f->size[COLUMN]), index_scale(b, column, f->sizes.stride[COLUMN]));
    a_at = index_scale(b, a_at, f->images);
    a_at = index_add(b, a_at, index_scale(b, place.in_run, f->tile.rows));
    const IndexExpr *b_at = index_sub(b, place.panel, f->first_panel);
    b_at = index_scale(b, b_at, f->depth * f->tile.columns);
    MicrokernelCall call = {
        .a = matmul_scratch(x, x->lhs_at, x->c.lhs_packed, a_at),
        .b = matmul_scratch(x, x->rhs_at, x->c.rhs_packed, b_at),
        .c = matmul_scratch(x, x->tiles_at, x->c.accumulator, place.sums),
        .k = count,
        .add = add,
        .last = f->offsets};
    microkernel_call(e, &x->microkernel, &call);
    emit_loop_end(e, tile);
}

static void finish_tiles(Filter *f) {
    IndexBuilder *b = f->e->index;
    EmitLoop *tile = tiles_begin(f);
    TilePlace place = tile_place(f, tile);
    matmul_finish_run(
        f->matmul, place.sums, index_scale(b, place.run, f->run),
        index_scale(b, place.in_run, f->tile.rows), f->run,
        index_scale(b, place.panel, f->tile.columns));
    emit_loop_end(f->e, tile);
}

// ---- the kernel

static void multiply_segment(Filter *f) {
    Emit *e = f->e;
    LLVMBuilderRef builder = e->builder;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    LLVMValueRef per_panel = emit_number(e, f->runs * f->run_tiles);
    LLVMValueRef first = LLVMBuildSDiv(builder, f->first, per_panel, "");
    LLVMValueRef last = LLVMBuildNSWSub(builder, f->stop, emit_number(e, 1), "");
    last = LLVMBuildSDiv(builder, last, per_panel, "");
    f->first_panel = emit_variable(e, first, f->panels);
    f->panel_count = LLVMBuildNSWSub(builder, last, first, "");
    f->panel_count = LLVMBuildNSWAdd(builder, f->panel_count, emit_number(e, 1), "");
    EmitLoop *feature = emit_loop_constant(e, f->features, false), *band[SLAB_RANK];
    f->feature = feature->index;
    LLVMValueRef add =
        LLVMBuildICmp(builder, LLVMIntSGT, emit_index(e, feature->index), emit_number(e, 0), "");
    for (int d = 0; d < SLAB_RANK; d++) {
        band[d] = emit_loop_constant(e, f->bands[d], false);
        f->band_first[d] = index_scale(e->index, band[d]->index, f->band[d]);
        f->band_count[d] = emit_remaining(e, f->band_first[d], f->band[d], f->sizes.window[d]);
        LLVMValueRef is_later = LLVMBuildICmp(
            builder, LLVMIntSGT, emit_index(e, band[d]->index), emit_number(e, 0), "");
        add = LLVMBuildOr(builder, add, is_later, "");
    }
    fill_slab(f);
    pack_columns(f);
    multiply_tiles(f, LLVMBuildTrunc(builder, add, i1, ""));
    for (int d = COLUMN; d >= 0; d--)
        emit_loop_end(e, band[d]);
    emit_loop_end(e, feature);
    finish_tiles(f);
}

// The lane's tiles of one batch entry after the other, in segments.
static void multiply_entries(Filter *f) {
    Emit *e = f->e;
    Matmul *x = f->matmul;
    LLVMBuilderRef b = e->builder;
    int64_t tiles = f->panels * f->runs * f->run_tiles;
    ChunkGroups entries = emit_chunk_groups(e, e->begin, e->end, tiles, x->c.batch.size);
    x->batch[0] = entries.loop->index;
    LLVMValueRef stop = entries.stop;
    EmitLoop *segment = emit_loop_begin(e, entries.first, stop, f->segment, tiles, false);
    LLVMValueRef end = LLVMBuildNSWAdd(b, segment->phi, emit_number(e, f->segment), "");
    f->first = segment->phi;
    f->stop = emit_minimum(e, end, stop);
    multiply_segment(f);
    emit_loop_end(e, segment);
    emit_loop_end(e, entries.loop);
}

bool filter_conv_emit(Emit *e, const Contraction *c) {
    Filter *f = ARENA_NEW(e->arena, Filter);
    *f = filter_of(c, e->target);
    Matmul *x = f->matmul = ARENA_NEW(e->arena, Matmul);
    f->e = x->e = e;
    x->c = conv_images_last(c);
    x->blocks.tile = f->tile;
    x->rhs_at = f->slab_bytes;
    x->tiles_at = x->rhs_at + f->rhs_bytes;
    x->microkernel = (Microkernel){
        .tile = f->tile,
        .element = c->accumulator,
        .how = c->how,
        .lhs = {c->lhs_packed, f->tile.rows, 1, 1},
        .rhs = {c->rhs_packed, f->tile.columns, 1, 1},
        .has_offsets = true,
        .ahead = {.rhs = true},
        .row_stride = 1};
    f->offsets = offset_table(e, f);
    multiply_entries(f);
    return !e->failed;
}
