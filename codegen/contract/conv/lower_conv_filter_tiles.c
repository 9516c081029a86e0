// lower_conv_filter_tiles: gradients of filters by tile registers.
//
// As in lower_conv_filter.c the images are the filter's input features, the window is the result's
// gradient, and the window's places are summed. They are summed along rows of tile registers:
// images are transposed into a slab, in which the pixels of each lie together, and the rows of the
// window lie as far apart as the slab's rows, with zeros between them. So what a result meets is
// one run of k's for all rows of a band, at the result's place in the slab:
//
//     slab[image][feature][y][x],  B[feature][k = y * pitch + x][column]
//     result[place][image][column] += sum over k of slab[image][feature][place + k] * B[k][column]
//
// Several features, or a band of the rows of one, are summed at once: the sums of a tile are loaded
// and stored around them. A chunk is a tile: a lane transposes the images, and packs the columns,
// of its own. Gradients of filters with a stride (a dilated window here) or with three dimensions
// are packed products.
#include "codegen/contract/conv/conv_slab.h"
#include "codegen/emit/emit_state.h"

enum { SIDE = 16, STEP = 32 }; // rows of a tile register; k's of one

typedef struct FilterTiles {
    Emit *e;
    Matmul *matmul;
    Tile tile;
    ConvSizes sizes;
    int64_t images, features;
    int64_t blocks, panels, places; // tiles[block of images][panel of columns][place of the result]
    int64_t band, bands, together;  // rows of the window; features that are summed at once
    int64_t rows, pitch, plane;     // of the slab; elements of a row, and of a feature of an image
    int64_t steps;                  // of a feature's band
    int64_t slab_bytes, rhs_bytes, tile_bytes;
    LLVMValueRef offsets;
    const IndexExpr *first_block, *first_panel, *first_feature, *first_row; // of the lane, of now
    LLVMValueRef block_count, panel_count;
    LLVMValueRef first, stop; // the lane's tiles of the group
} FilterTiles;

// So many k's that A's and B's tiles for them stay in the first-level cache while places of the
// result pass, in rows of a feature or in features.
static void choose_bands(FilterTiles *f, const Target *target) {
    enum { BYTES = 2 };
    int64_t rows = f->sizes.window[ROW], lines = f->tile.rows + f->tile.columns;
    int64_t most = target->l1_bytes * 4 / 5 / (BYTES * lines);
    int64_t band = most / f->pitch;
    f->together = 1;
    f->bands = ceil_div(rows, band < 1 ? 1 : band);
    f->band = ceil_div(rows, f->bands);
    f->bands = ceil_div(rows, f->band);
    if (f->bands > 1) return;
    int64_t together = most / (rows * f->pitch);
    together = together < 1 ? 1 : together > f->features ? f->features : together;
    f->together = ceil_div(f->features, ceil_div(f->features, together));
}

static FilterTiles filter_of(const Contraction *c, const Target *target) {
    enum { BYTES = 2, WORD = 4 };
    FilterTiles f = {
        .images = c->m.dims[c->m_image], .features = c->k.dims[c->spatial], .sizes = conv_sizes(c)};
    f.tile = (Tile){f.images > SIDE ? 2 * SIDE : SIDE, c->n.size > SIDE ? 2 * SIDE : SIDE};
    f.blocks = ceil_div(f.images, f.tile.rows);
    f.panels = ceil_div(c->n.size, f.tile.columns);
    f.places = f.sizes.out[ROW] * f.sizes.out[COLUMN];
    int64_t beside = (f.sizes.out[COLUMN] - 1) * f.sizes.stride[COLUMN],
            below = (f.sizes.out[ROW] - 1) * f.sizes.stride[ROW];
    f.pitch = round_up(f.sizes.window[COLUMN] + beside, 2); // pairs of k's lie in one row
    choose_bands(&f, target);
    f.rows = f.band + below;
    f.steps = ceil_div((f.band - 1) * f.pitch + f.sizes.window[COLUMN], STEP);
    // an odd number of lines: neighbours have different sets of a cache
    f.plane = ceil_div(below * f.pitch + beside + f.steps * STEP, STEP);
    f.plane = (f.plane + 1 - f.plane % 2) * STEP;
    f.slab_bytes = f.blocks * f.tile.rows * f.together * f.plane * BYTES;
    f.rhs_bytes = f.panels * f.together * f.steps * STEP * f.tile.columns * BYTES;
    f.tile_bytes = f.blocks * f.panels * f.places * f.tile.rows * f.tile.columns * WORD;
    return f;
}

bool filter_tiles_applies(const Contraction *c, const Target *target) {
    enum { MOST_SCRATCH = 6 << 20, BYTES = 2, LEAST_PIXELS = 64 };
    const double MOST_K = 1.3; // with zeros, for each k
    if (!c->conv || c->spatial < 1 || c->spatial > 2 || !c->in_tiles || c->how->group != 2 ||
        element_bytes(c->lhs_packed) != BYTES || c->lhs_is_raised)
        return false;
    for (int i = 0; i < c->spatial; i++) {
        const WindowDim *window = &c->windows[i];
        if (window->is_reversed || window->rhs_dilation > 1 || window->lhs_dilation > 1)
            return false;
    }
    // images lie together, and fill squares
    if (c->conv->input_batch != c->lhs->type->rank - 1 || c->m.dims[c->m_image] % SIDE != 0)
        return false;
    FilterTiles f = filter_of(c, target);
    if (c->batch.size > 1 && f.images % f.tile.rows != 0) return false;
    int64_t pixels = f.sizes.window[ROW] * f.sizes.window[COLUMN];
    bool is_gradient = pixels >= LEAST_PIXELS && pixels > f.places;
    double all = (double)(f.bands * f.steps * STEP) / (double)pixels;
    return is_gradient && all <= MOST_K &&
           f.slab_bytes + f.rhs_bytes + f.tile_bytes <= MOST_SCRATCH;
}

void filter_tiles_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    FilterTiles f = filter_of(c, target);
    kernel->grid = c->batch.size * f.blocks * f.panels * f.places;
    kernel->scratch_bytes = f.slab_bytes + f.rhs_bytes + f.tile_bytes;
    matmul_set_costs(kernel, c);
}

// ---- operands

// Distances in the slab of the steps.
static LLVMValueRef offset_table(Emit *e, const FilterTiles *f) {
    int64_t count = f->together * f->steps;
    int64_t *offsets = ARENA_ARRAY(e->arena, int64_t, count);
    for (int64_t s = 0; s < count; s++)
        offsets[s] = s / f->steps * f->plane + s % f->steps * STEP;
    return conv_slab_offsets(e, count, offsets);
}

// Behind the rows of the slab, between those of B and where features are missing there are zeros.
static void clear_operands(FilterTiles *f) {
    Emit *e = f->e;
    LLVMValueRef zero = LLVMConstNull(LLVMInt8TypeInContext(e->context));
    LLVMValueRef bytes = emit_number(e, f->slab_bytes + f->rhs_bytes);
    LLVMBuildMemSet(e->builder, emit_scratch(e, 0), zero, bytes, 64);
}

static LLVMValueRef is_feature(FilterTiles *f, const IndexExpr *feature) {
    LLVMValueRef at = emit_index(f->e, feature), all = emit_number(f->e, f->features);
    return LLVMBuildICmp(f->e->builder, LLVMIntSLT, at, all, "");
}

// The images of the lane's blocks.
static void fill_slab(FilterTiles *f) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    EmitLoop *block = emit_loop_begin(e, emit_number(e, 0), f->block_count, 1, f->blocks, false);
    EmitLoop *number = emit_loop_constant(e, f->together, false);
    const IndexExpr *feature = index_add(b, f->first_feature, number->index);
    EmitIf exists = emit_if(e, is_feature(f, feature));
    ConvSlab slab = {
        .image = feature,
        .features = f->tile.rows,
        .has_images_inside = true,
        .features_first = true,
        .has_zero_columns = true,
        .plane = f->together * f->plane};
    slab.first_feature = index_scale(b, index_add(b, f->first_block, block->index), f->tile.rows);
    slab.behind = index_scale(b, block->index, f->tile.rows * slab.plane);
    slab.behind = index_add(b, slab.behind, index_scale(b, number->index, f->plane));
    const int64_t size[SLAB_RANK] = {1, f->rows, f->pitch};
    for (int d = 0; d < SLAB_RANK; d++) {
        slab.first[d] = d == ROW ? f->first_row : index_constant(b, 0);
        slab.size[d] = size[d];
        slab.all[d] = slab.first[d]->high + size[d];
    }
    conv_slab_fill(f->matmul, &slab);
    emit_end_if(e, &exists);
    emit_loop_end(e, number);
    emit_loop_end(e, block);
}

// The columns of a pair of the window's places, from `first` on, of which so many exist: the words
// from element `at` on.
static void put_pair(
    FilterTiles *f, const IndexExpr *feature, const IndexExpr *row, const IndexExpr *column,
    const IndexExpr *first, const IndexExpr *at, int places, LLVMValueRef exists) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const Contraction *c = &f->matmul->c;
    LLVMValueRef count = emit_remaining(e, first, f->tile.columns, c->n.size);
    LLVMValueRef to = emit_scratch(e, f->matmul->rhs_at);
    EmitLoop *n = emit_loop_begin(e, emit_number(e, 0), count, 1, f->tile.columns, true);
    const IndexExpr *index = index_add(b, first, n->index), *k[MAX_RANK];
    for (int i = 0; i < places; i++) {
        if (c->spatial == 2) k[0] = row;
        k[c->spatial - 1] = index_add_constant(b, column, i);
        k[c->spatial] = feature;
        Scalar value = exists ? contraction_rhs(e, c, f->matmul->batch, k, &index)
                              : emit_constant(e, c->rhs_packed, 0);
        const IndexExpr *word = index_add(b, at, index_scale(b, n->index, 2));
        emit_private_store(
            e, c->rhs_packed, to, emit_index(e, index_add_constant(b, word, i)), value);
    }
    emit_loop_end(e, n);
}

// A row of the window, or zeros where it lies behind the last one.
static void put_row(
    FilterTiles *f, const IndexExpr *feature, const IndexExpr *row, const IndexExpr *first,
    const IndexExpr *at, LLVMValueRef exists) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    int64_t width = f->sizes.window[COLUMN];
    EmitLoop *pair = emit_loop_constant(e, width / 2, false);
    const IndexExpr *to = index_add(b, at, index_scale(b, pair->index, 2 * f->tile.columns));
    put_pair(f, feature, row, index_scale(b, pair->index, 2), first, to, 2, exists);
    emit_loop_end(e, pair);
    if (width % 2 == 0) return;
    const IndexExpr *last = index_constant(b, width - 1);
    to = index_add_constant(b, at, (width - 1) * f->tile.columns);
    put_pair(f, feature, row, last, first, to, 1, exists);
}

// B's columns of the lane's panels.
static void pack_columns(FilterTiles *f) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    EmitLoop *panel = emit_loop_begin(e, emit_number(e, 0), f->panel_count, 1, f->panels, false);
    EmitLoop *number = emit_loop_constant(e, f->together, false);
    EmitLoop *in_band = emit_loop_constant(e, f->band, false);
    const IndexExpr *feature = index_add(b, f->first_feature, number->index),
                    *row = index_add(b, f->first_row, in_band->index);
    const IndexExpr *first = index_add(b, f->first_panel, panel->index);
    first = index_scale(b, first, f->tile.columns);
    const IndexExpr *at = index_add(b, index_scale(b, panel->index, f->together), number->index);
    at = index_scale(b, at, f->steps * STEP);
    at = index_add(b, at, index_scale(b, in_band->index, f->pitch));
    at = index_scale(b, at, f->tile.columns);
    LLVMValueRef place = emit_index(e, row), rows = emit_number(e, f->sizes.window[ROW]);
    LLVMValueRef exists = LLVMBuildICmp(e->builder, LLVMIntSLT, place, rows, "");
    exists = LLVMBuildAnd(e->builder, exists, is_feature(f, feature), "");
    EmitIf branch = emit_if(e, exists);
    put_row(f, feature, row, first, at, exists);
    emit_else(e, &branch);
    put_row(f, feature, row, first, at, NULL);
    emit_end_if(e, &branch);
    emit_loop_end(e, in_band);
    emit_loop_end(e, number);
    emit_loop_end(e, panel);
}

// ---- tiles

typedef struct TilePlace {
    const IndexExpr *block, *panel, *place;
    const IndexExpr *sums; // element in the scratch's tiles
} TilePlace;

static EmitLoop *tiles_begin(FilterTiles *f, TilePlace *at) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    int64_t all = f->blocks * f->panels * f->places;
    EmitLoop *tile = emit_loop_begin(e, f->first, f->stop, 1, all, false);
    LLVMValueRef number = LLVMBuildNSWSub(e->builder, tile->phi, f->first, "");
    const IndexExpr *rest = index_div(b, tile->index, f->places);
    *at = (TilePlace){
        .block = index_div(b, rest, f->panels),
        .panel = index_mod(b, rest, f->panels),
        .place = index_mod(b, tile->index, f->places),
        .sums =
            index_scale(b, emit_variable(e, number, all), (int64_t)f->tile.rows * f->tile.columns)};
    return tile;
}

static void multiply_tiles(FilterTiles *f, LLVMValueRef add) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    Matmul *x = f->matmul;
    const ConvSizes *sizes = &f->sizes;
    TilePlace at;
    EmitLoop *tile = tiles_begin(f, &at);
    const IndexExpr *row = index_div(b, at.place, sizes->out[COLUMN]),
                    *column = index_mod(b, at.place, sizes->out[COLUMN]);
    const IndexExpr *a_at = index_sub(b, at.block, f->first_block);
    a_at = index_scale(b, a_at, f->tile.rows * f->together * f->plane);
    a_at = index_add(b, a_at, index_scale(b, row, sizes->stride[ROW] * f->pitch));
    a_at = index_add(b, a_at, index_scale(b, column, sizes->stride[COLUMN]));
    const IndexExpr *b_at = index_sub(b, at.panel, f->first_panel);
    b_at = index_scale(b, b_at, f->together * f->steps * STEP * f->tile.columns);
    MicrokernelCall call = {
        .a = matmul_scratch(x, 0, x->c.lhs_packed, a_at),
        .b = matmul_scratch(x, x->rhs_at, x->c.rhs_packed, b_at),
        .c = matmul_scratch(x, x->tiles_at, x->c.accumulator, at.sums),
        .k = emit_number(e, f->together * f->steps),
        .add = add,
        .last = f->offsets};
    microkernel_call(e, &x->microkernel, &call);
    emit_loop_end(e, tile);
}

static void finish_tiles(FilterTiles *f) {
    IndexBuilder *b = f->e->index;
    TilePlace at;
    EmitLoop *tile = tiles_begin(f, &at);
    matmul_finish_run(
        f->matmul, at.sums, index_scale(b, at.place, f->images),
        index_scale(b, at.block, f->tile.rows), f->images,
        index_scale(b, at.panel, f->tile.columns));
    emit_loop_end(f->e, tile);
}

// ---- the kernel

// The blocks and panels of the lane's tiles: all panels, if there are several blocks.
static void find_own(FilterTiles *f) {
    Emit *e = f->e;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef one = emit_number(e, 1), places = emit_number(e, f->places),
                 panels = emit_number(e, f->panels);
    LLVMValueRef last = LLVMBuildNSWSub(b, f->stop, one, "");
    LLVMValueRef first_pair = LLVMBuildSDiv(b, f->first, places, ""),
                 last_pair = LLVMBuildSDiv(b, last, places, "");
    LLVMValueRef first = LLVMBuildSDiv(b, first_pair, panels, ""),
                 final = LLVMBuildSDiv(b, last_pair, panels, "");
    LLVMValueRef is_one = LLVMBuildICmp(b, LLVMIntEQ, first, final, "");
    LLVMValueRef panel = LLVMBuildSRem(b, first_pair, panels, "");
    panel = LLVMBuildSelect(b, is_one, panel, emit_number(e, 0), "");
    LLVMValueRef count = LLVMBuildNSWSub(b, last_pair, first_pair, "");
    count = LLVMBuildNSWAdd(b, count, one, "");
    f->panel_count = LLVMBuildSelect(b, is_one, count, panels, "");
    f->block_count = LLVMBuildNSWAdd(b, LLVMBuildNSWSub(b, final, first, ""), one, "");
    f->first_block = emit_variable(e, first, f->blocks);
    f->first_panel = emit_variable(e, panel, f->panels);
}

static void multiply_all(FilterTiles *f) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    int64_t rounds = ceil_div(f->features, f->together);
    EmitLoop *round = emit_loop_constant(e, rounds, false),
             *band = emit_loop_constant(e, f->bands, false);
    f->first_feature = index_scale(b, round->index, f->together);
    f->first_row = index_scale(b, band->index, f->band);
    LLVMValueRef number =
        emit_index(e, index_add(b, index_scale(b, round->index, f->bands), band->index));
    LLVMValueRef add = LLVMBuildICmp(e->builder, LLVMIntSGT, number, emit_number(e, 0), "");
    fill_slab(f);
    pack_columns(f);
    multiply_tiles(f, add);
    emit_loop_end(e, band);
    emit_loop_end(e, round);
}

bool filter_tiles_emit(Emit *e, const Contraction *c) {
    FilterTiles *f = ARENA_NEW(e->arena, FilterTiles);
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
        .lhs = {c->lhs_packed, f->tile.rows, STEP, STEP},
        .rhs = {c->rhs_packed, f->tile.columns, c->how->group, STEP},
        .has_offsets = true,
        .row_stride = f->together * f->plane};
    f->offsets = offset_table(e, f);
    clear_operands(f);
    microkernel_begin(e, &x->microkernel);
    int64_t tiles = f->blocks * f->panels * f->places;
    ChunkGroups groups = emit_chunk_groups(e, e->begin, e->end, tiles, c->batch.size);
    x->batch[0] = groups.loop->index;
    f->first = groups.first;
    f->stop = groups.stop;
    find_own(f);
    multiply_all(f);
    finish_tiles(f);
    emit_loop_end(e, groups.loop);
    microkernel_end(e, &x->microkernel);
    return !e->failed;
}
