// lower_conv_group_filter: gradients of the filters of small groups (depthwise ones above all), and
// of few features of the image, with one to three spatial dimensions.
//
// In the terms of the gradient's convolution the result's places are those of the filter, and the
// window is the gradient of what the filter made. Sums are over its places and over the images:
//
//     sums[out][image][place] += slab[image][q + offset[place]] * window[out][q]
//
// q goes over a band of rows of the window, as one line whose rows lie as far apart as the slab's
// (lower_conv_planes.c); what lies between them is zero. A lane is a pixel, and the lanes' sums are
// added at the end; where groups of one feature lie side by side in memory, a lane is a group.
//
// Where the window is dilated (the filter had a stride), every such row and column of the slab is a
// slab of its own. A chunk is a block of results of a group, or of groups; the sums of some places
// of the filter stay in registers over a band.
#include "codegen/contract/conv/conv_slab.h"
#include "codegen/element/element.h"
#include "codegen/emit/emit_state.h"

enum { MOST_BLOCK = 4, MOST_SUMS = 24, MOST_PLACES = 64 };

typedef struct GroupFilter {
    Matmul *matmul;
    Emit *e;
    ContractVectors math;
    bool by_groups;            // a lane is a group, else a pixel
    int64_t groups, ins, outs; // features of a group: of the image, of the window
    int lanes, block;          // results of a chunk that share the image's vectors
    int64_t places, together;  // of the filter; of which so many are summed at once
    ConvSizes sizes;
    int64_t band, bands;   // rows of the window
    SlabParts slab;        // its steps are the dilations
    int64_t vectors, line; // of the window's line; its elements
    int64_t slab_bytes, parts_bytes, window_bytes, sums_bytes, tile_bytes;
    const IndexExpr *image, *first[SLAB_RANK]; // feature, and first place, of the band
    const IndexExpr *first_out, *first_group;  // of the chunk
} GroupFilter;

static void set_sizes(GroupFilter *f, int64_t band, int64_t word) {
    int64_t rows[SLAB_RANK] = {1, band, f->sizes.window[COLUMN]}, places[SLAB_RANK];
    for (int d = 0; d < SLAB_RANK; d++)
        places[d] =
            (rows[d] - 1) * f->sizes.dilation[d] + (f->sizes.out[d] - 1) * f->sizes.stride[d] + 1;
    slab_parts_set_size(&f->slab, places);
    f->band = band;
    int64_t pixels = (band - 1) * f->slab.part[COLUMN] + f->sizes.window[COLUMN];
    f->vectors = f->by_groups ? pixels : ceil_div(pixels, f->lanes);
    f->line = f->vectors * f->lanes;
    int64_t bytes = slab_parts_elements(&f->slab) * word;
    int64_t behind = (f->line - pixels * f->slab.lanes) * word; // that the last vector reads
    bool is_whole = slab_is_whole(&f->slab);
    f->slab_bytes = round_up(bytes + (is_whole ? behind : 0), 64);
    f->parts_bytes = is_whole ? 0 : round_up(bytes + behind, 64);
    f->slab.at = is_whole ? 0 : f->slab_bytes;
    f->window_bytes = round_up(f->block * f->line * word, 64);
}

// Groups of one feature that lie side by side in memory.
static bool lies_by_groups(const Contraction *c) {
    bool is_depthwise = c->groups_split_batch && c->n.size == 1 && c->m.dims[c->m_image] == 1;
    return is_depthwise && c->conv->input_batch == c->lhs->type->rank - 1 &&
           c->conv->kernel_output_feature == c->rhs->type->rank - 1;
}

static GroupFilter filter_of(const Contraction *c, const Target *target) {
    int64_t word = (int64_t)element_bytes(c->accumulator);
    GroupFilter f = {
        .by_groups = lies_by_groups(c),
        .groups = c->batch.size,
        .ins = c->m.dims[c->m_image],
        .outs = c->n.size,
        .lanes = contract_lanes(c, target),
        .block = 1};
    f.sizes = conv_sizes(c);
    f.places = f.sizes.out[PLANE] * f.sizes.out[ROW] * f.sizes.out[COLUMN];
    int64_t sums = target->vector_registers - 6;
    sums = sums > MOST_SUMS ? MOST_SUMS : sums;
    for (int block = 2; block <= MOST_BLOCK && !f.by_groups; block++) {
        if (f.outs % block == 0 && 3 * block <= sums) f.block = block;
    }
    sums /= f.block;
    f.together = ceil_div(f.places, ceil_div(f.places, sums));
    f.slab = (SlabParts){
        .features = f.ins,
        .lanes = f.by_groups ? f.lanes : 1,
        .step = {1, f.sizes.dilation[ROW], f.sizes.dilation[COLUMN]}};
    // bands that stay in the second-level cache beside the next one
    int64_t band = f.sizes.window[ROW];
    for (set_sizes(&f, band, word);
         band > 1 && f.slab_bytes + f.parts_bytes + f.window_bytes > target->l2_bytes / 4;)
        set_sizes(&f, band = ceil_div(band, 2), word);
    f.bands = ceil_div(f.sizes.window[ROW], band);
    set_sizes(&f, ceil_div(f.sizes.window[ROW], f.bands), word);
    f.sums_bytes = f.block * f.ins * f.places * f.lanes * word;
    f.tile_bytes = round_up(f.block * f.ins * f.places * word, 64);
    return f;
}

static int64_t scratch_bytes(const GroupFilter *f) {
    return f->slab_bytes + f->parts_bytes + f->window_bytes + f->sums_bytes + f->tile_bytes;
}

static int64_t chunks(const GroupFilter *f) {
    return f->by_groups ? ceil_div(f->groups, f->lanes) : f->groups * (f->outs / f->block);
}

// The gradient of a small filter of few features of the image (its colours), which fill no tile of
// a product, where pixels lie side by side in memory.
static bool has_few_features(const Contraction *c, const GroupFilter *f) {
    enum { FEW = 4, MOST = 32, LARGER = 8 };
    int64_t window = f->sizes.window[PLANE] * f->sizes.window[ROW] * f->sizes.window[COLUMN];
    int last = c->spatial - 1;
    bool lies_so = c->conv->input_spatial.data[last] == c->lhs->type->rank - 1 &&
                   c->conv->kernel_spatial.data[last] == c->rhs->type->rank - 1;
    return c->batch.size == 1 && lies_so && f->ins <= FEW && f->places <= MOST &&
           window >= LARGER * f->places;
}

bool group_filter_conv_applies(const Contraction *c, const Target *target) {
    enum { MOST_SCRATCH = 4 << 20, MOST_FEATURES = 8 };
    if (!c->conv || c->spatial < 1 || c->spatial > SLAB_RANK || contract_lanes(c, target) < 4)
        return false;
    for (int i = 0; i < c->spatial; i++) {
        if (c->windows[i].is_reversed) return false;
    }
    GroupFilter f = filter_of(c, target);
    bool has_few = c->groups_split_batch ? f.ins <= MOST_FEATURES && f.outs <= MOST_FEATURES
                                         : has_few_features(c, &f);
    return has_few && f.places <= MOST_PLACES && scratch_bytes(&f) <= MOST_SCRATCH;
}

void group_filter_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    GroupFilter f = filter_of(c, target);
    kernel->grid = chunks(&f);
    kernel->scratch_bytes = scratch_bytes(&f);
    matmul_set_costs(kernel, c);
}

// ---- what is multiplied

static ElementType type_of(const GroupFilter *f) { return f->matmul->c.accumulator; }

static void set_zero(GroupFilter *f, LLVMValueRef from, LLVMValueRef to, int64_t at, int64_t most) {
    Emit *e = f->e;
    EmitLoop *loop = emit_loop_begin(e, from, to, 1, most, true);
    emit_private_store(
        e, type_of(f), emit_scratch(e, at), loop->phi, emit_constant(e, type_of(f), 0));
    emit_loop_end(e, loop);
}

// slab[image][z][y][x], or slab[z][y][x][group].
static void fill_slab(GroupFilter *f) {
    IndexBuilder *b = f->e->index;
    ConvSlab slab = {
        .image = f->image,
        .features = f->by_groups ? f->lanes : f->ins,
        .first_feature = f->by_groups ? f->first_group : NULL,
        .has_images_inside = !f->by_groups,
        .has_groups_inside = f->by_groups,
        .features_first = !f->by_groups,
        .has_zero_columns = true};
    for (int d = 0; d < SLAB_RANK; d++) {
        slab.first[d] = index_scale(b, f->first[d], f->sizes.dilation[d]);
        slab.size[d] = f->slab.size[d];
        slab.all[d] = slab.first[d]->high + f->slab.size[d];
    }
    conv_slab_fill(f->matmul, &slab);
}

// window[out][y][x], or window[y][x][group]: rows as far apart as the slab's. Rows that the last
// band lacks are zero.
static void fill_window(GroupFilter *f) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    Matmul *x = f->matmul;
    const Contraction *c = &x->c;
    int64_t pitch = f->slab.part[COLUMN] * f->slab.lanes, at = f->slab_bytes + f->parts_bytes;
    LLVMValueRef zero = emit_number(e, 0),
                 rows = emit_remaining(e, f->first[ROW], f->band, f->sizes.window[ROW]);
    EmitLoop *out = emit_loop_constant(e, f->block, false);
    EmitLoop *row = emit_loop_begin(e, zero, rows, 1, f->band, false);
    EmitLoop *column = emit_loop_constant(e, f->sizes.window[COLUMN], !f->by_groups), *lane = NULL;
    const IndexExpr *k[MAX_RANK], *n[1] = {index_add(b, f->first_out, out->index)};
    const IndexExpr *places[SLAB_RANK] = {
        f->first[PLANE], index_add(b, f->first[ROW], row->index), column->index};
    for (int i = 0; i < c->spatial; i++)
        k[i] = places[i + SLAB_RANK - c->spatial];
    k[c->spatial] = f->image;
    const IndexExpr *to = index_add(
        b, index_scale(b, row->index, pitch), index_scale(b, column->index, f->slab.lanes));
    to = index_add(b, index_scale(b, out->index, f->line), to);
    if (f->by_groups) {
        LLVMValueRef count = emit_remaining(e, f->first_group, f->lanes, f->groups);
        lane = emit_loop_begin(e, zero, count, 1, f->lanes, true);
        x->batch[0] = index_add(b, f->first_group, lane->index);
        to = index_add(b, to, lane->index);
    }
    Scalar element = contraction_rhs(e, c, x->batch, k, n);
    emit_private_store(e, type_of(f), emit_scratch(e, at), emit_index(e, to), element);
    if (lane) emit_loop_end(e, lane);
    emit_loop_end(e, column);
    emit_loop_end(e, row);
    if (f->bands > 1) {
        const IndexExpr *line = index_scale(b, out->index, f->line);
        LLVMValueRef start = LLVMBuildNSWMul(e->builder, rows, emit_number(e, pitch), "");
        start = LLVMBuildNSWAdd(e->builder, start, emit_index(e, line), "");
        LLVMValueRef end = emit_index(e, index_add_constant(b, line, f->line));
        set_zero(f, start, end, at, f->block * f->line);
    }
    emit_loop_end(e, out);
}

// ---- memory that is asked for while there are products to be made

// The stored elements that an operand is made of at these places of the band. They need not exist.
static StoredElements stored_at(
    GroupFilter *f, bool is_lhs, const IndexExpr *image, const IndexExpr *row, int64_t column) {
    const Contraction *c = &f->matmul->c;
    const ConvDims *dims = c->conv;
    IndexBuilder *b = f->e->index;
    const IndexExpr *index[MAX_RANK];
    const IndexExpr *at[SLAB_RANK] = {f->first[PLANE], row, index_constant(b, column)};
    for (int i = 0; i < c->spatial; i++) {
        int d = i + SLAB_RANK - c->spatial;
        if (is_lhs && d != COLUMN) at[d] = index_scale(b, at[d], f->sizes.dilation[d]);
        index[is_lhs ? dims->input_spatial.data[i] : dims->kernel_spatial.data[i]] = at[d];
    }
    int64_t features = is_lhs ? f->ins : f->outs;
    const IndexExpr *group = index_scale(b, f->first_group, features);
    if (!is_lhs) group = index_add(b, group, f->first_out);
    index[is_lhs ? dims->input_batch : dims->kernel_output_feature] = group;
    index[is_lhs ? dims->input_feature : dims->kernel_input_feature] = image;
    StoredElements list = {.count = 0};
    stored_elements_find(&list, expr_of(f->e->exprs, is_lhs ? c->lhs : c->rhs, index));
    return list;
}

// What the next band has of an operand, some steps for every vector of the line.
static void find_operand(GroupFilter *f, bool is_lhs, PrefetchRuns *next_band) {
    IndexBuilder *b = f->e->index;
    const IndexExpr *row = f->first[ROW], *next = index_add_constant(b, f->image, f->bands == 1);
    const IndexExpr *below = index_add_constant(b, row, f->bands > 1 ? f->band : 0);
    int64_t columns = f->by_groups ? 1 : f->lanes;
    StoredElements behind = stored_at(f, is_lhs, next, below, 0),
                   beside = stored_at(f, is_lhs, next, below, columns);
    for (int i = 0; i < behind.count && behind.count == beside.count; i++) {
        const StoredElement *from = &behind.list[i];
        const IndexExpr *step = index_sub(b, beside.list[i].at, from->at);
        if (!index_is_constant(step) || from->device || from->stored != beside.list[i].stored)
            continue;
        int64_t bytes = step->low * (int64_t)element_bytes(from->stored->type->element);
        prefetch_runs_add(
            next_band, emit_address_at(f->e, from->stored, from->at, NULL), bytes,
            is_lhs ? f->sizes.dilation[ROW] * f->sizes.dilation[COLUMN] : 1);
    }
}

// ---- products

// Where the slab's element for place number `place` of the filter lies behind that of the first.
static int64_t offset_of(const GroupFilter *f, int64_t place) {
    int64_t at[SLAB_RANK];
    for (int d = COLUMN; d >= 0; d--) {
        at[d] = place % f->sizes.out[d] * f->sizes.stride[d];
        place /= f->sizes.out[d];
    }
    return slab_parts_place(&f->slab, 0, at);
}

static LLVMValueRef address(GroupFilter *f, LLVMValueRef base, int64_t elements) {
    LLVMValueRef at = emit_number(f->e, elements);
    return LLVMBuildInBoundsGEP2(f->e->builder, f->math.scalar, base, &at, 1, "");
}

static LLVMValueRef load(GroupFilter *f, LLVMValueRef base, int64_t elements) {
    LLVMValueRef x = LLVMBuildLoad2(f->e->builder, f->math.vector, address(f, base, elements), "");
    LLVMSetAlignment(x, (unsigned)element_bytes(type_of(f)));
    return x;
}

static LLVMValueRef scratch(GroupFilter *f, int64_t at, const IndexExpr *element) {
    return matmul_scratch(f->matmul, at, type_of(f), element);
}

typedef LLVMValueRef Sums[MOST_BLOCK][MOST_SUMS]; // locals

// The band's products for places first, first + 1 ... of the filter, `count` of them, and feature
// `image` of the group's image.
static void add_places(
    GroupFilter *f, const IndexExpr *image, int64_t first, int64_t count, Sums locals,
    const PrefetchRuns *next_band) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    LLVMBuilderRef builder = e->builder;
    int64_t window_at = f->slab_bytes + f->parts_bytes, sums_at = window_at + f->window_bytes;
    int64_t plane = f->slab.part[PLANE] * f->slab.part[ROW] * f->slab.part[COLUMN];
    LLVMValueRef sums = scratch(f, sums_at, index_scale(b, image, f->places * f->lanes));
    for (int o = 0; o < f->block; o++) {
        for (int64_t i = 0; i < count; i++) {
            int64_t at = (o * f->ins * f->places + first + i) * f->lanes;
            LLVMBuildStore(builder, load(f, sums, at), locals[o][i]);
        }
    }
    EmitLoop *vector = emit_loop_constant(e, f->vectors, false);
    if (first == 0) prefetch_runs(e, next_band, vector->index);
    const IndexExpr *q = index_scale(b, vector->index, f->lanes);
    LLVMValueRef line = scratch(f, window_at, q), window[MOST_BLOCK];
    LLVMValueRef slab = scratch(f, f->slab.at, index_add(b, index_scale(b, image, plane), q));
    for (int o = 0; o < f->block; o++)
        window[o] = load(f, line, o * f->line);
    for (int64_t i = 0; i < count; i++) {
        LLVMValueRef x = load(f, slab, offset_of(f, first + i));
        for (int o = 0; o < f->block; o++) {
            LLVMValueRef sum = LLVMBuildLoad2(builder, f->math.vector, locals[o][i], "");
            sum = contract_multiply_add(&f->math, x, window[o], sum);
            LLVMBuildStore(builder, sum, locals[o][i]);
        }
    }
    emit_loop_end(e, vector);
    for (int o = 0; o < f->block; o++) {
        for (int64_t i = 0; i < count; i++) {
            LLVMValueRef sum = LLVMBuildLoad2(builder, f->math.vector, locals[o][i], "");
            int64_t at = (o * f->ins * f->places + first + i) * f->lanes;
            LLVMSetAlignment(
                LLVMBuildStore(builder, sum, address(f, sums, at)),
                (unsigned)element_bytes(type_of(f)));
        }
    }
}

static void multiply_band(GroupFilter *f, Sums locals) {
    PrefetchRuns next_band = {.count = 0};
    find_operand(f, true, &next_band);
    find_operand(f, false, &next_band);
    EmitLoop *image = emit_loop_constant(f->e, f->ins, false);
    for (int64_t first = 0; first < f->places; first += f->together) {
        int64_t rest = f->places - first;
        add_places(
            f, image->index, first, rest < f->together ? rest : f->together, locals, &next_band);
    }
    emit_loop_end(f->e, image);
}

// ---- results

// tile[out][row of the result]: the sums of the lanes.
static void sum_lanes(GroupFilter *f) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const Contraction *c = &f->matmul->c;
    int64_t sums_at = f->slab_bytes + f->parts_bytes + f->window_bytes;
    EmitLoop *out = emit_loop_constant(e, f->block, false),
             *image = emit_loop_constant(e, f->ins, false),
             *place = emit_loop_constant(e, f->places, false);
    const IndexExpr *from = index_add(b, index_scale(b, out->index, f->ins), image->index);
    from = index_add(b, index_scale(b, from, f->places), place->index);
    LLVMValueRef sums = scratch(f, sums_at, index_scale(b, from, f->lanes));
    LLVMValueRef sum = emit_alloca(e, f->math.scalar, 1, 0);
    LLVMBuildStore(e->builder, LLVMConstNull(f->math.scalar), sum);
    EmitLoop *lane = emit_loop_constant(e, f->lanes, false);
    Scalar x = emit_private_load(e, type_of(f), sums, lane->phi);
    LLVMValueRef before = LLVMBuildLoad2(e->builder, f->math.scalar, sum, "");
    bool is_float = element_is_float(type_of(f));
    LLVMBuildStore(
        e->builder,
        is_float ? LLVMBuildFAdd(e->builder, before, x.value, "")
                 : LLVMBuildAdd(e->builder, before, x.value, ""),
        sum);
    emit_loop_end(e, lane);
    const IndexExpr *row = c->m_image == 0
                               ? index_add(b, index_scale(b, image->index, f->places), place->index)
                               : index_add(b, index_scale(b, place->index, f->ins), image->index);
    const IndexExpr *to = index_add(b, index_scale(b, out->index, f->ins * f->places), row);
    x.value = LLVMBuildLoad2(e->builder, f->math.scalar, sum, "");
    emit_private_store(e, type_of(f), emit_scratch(e, f->matmul->tiles_at), emit_index(e, to), x);
    emit_loop_end(e, place);
    emit_loop_end(e, image);
    emit_loop_end(e, out);
}

static void finish(GroupFilter *f) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    Matmul *x = f->matmul;
    LLVMValueRef zero = emit_number(e, 0);
    const IndexExpr *none = index_constant(b, 0);
    FinishRange rows = {zero, emit_number(e, f->ins * f->places), f->ins * f->places};
    FinishRange columns = {zero, emit_number(e, f->block), f->block};
    if (!f->by_groups) {
        sum_lanes(f);
        matmul_finish_part(x, none, none, f->first_out, rows, columns);
        return;
    }
    LLVMValueRef count = emit_remaining(e, f->first_group, f->lanes, f->groups);
    EmitLoop *lane = emit_loop_begin(e, zero, count, 1, f->lanes, false);
    x->batch[0] = index_add(b, f->first_group, lane->index);
    matmul_finish_part(x, lane->index, none, none, rows, columns);
    emit_loop_end(e, lane);
}

static void emit_chunk(GroupFilter *f, const IndexExpr *number, Sums locals) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    int64_t blocks = f->outs / f->block;
    f->first_group = f->by_groups ? index_scale(b, number, f->lanes) : index_div(b, number, blocks);
    f->first_out = f->by_groups ? index_constant(b, 0)
                                : index_scale(b, index_mod(b, number, blocks), f->block);
    f->matmul->batch[0] = f->first_group;
    int64_t sums = f->block * f->ins * f->places * f->lanes;
    int64_t sums_at = f->slab_bytes + f->parts_bytes + f->window_bytes;
    set_zero(f, emit_number(e, 0), emit_number(e, sums), sums_at, sums);
    EmitLoop *image = emit_loop_constant(e, f->matmul->c.k.dims[f->matmul->c.spatial], false),
             *plane = emit_loop_constant(e, f->sizes.window[PLANE], false),
             *band = emit_loop_constant(e, f->bands, false);
    f->image = image->index;
    f->first[PLANE] = plane->index;
    f->first[ROW] = index_scale(b, band->index, f->band);
    f->first[COLUMN] = index_constant(b, 0);
    fill_slab(f);
    if (!slab_is_whole(&f->slab)) slab_parts_fill(e, type_of(f), &f->slab);
    fill_window(f);
    multiply_band(f, locals);
    emit_loop_end(e, band);
    emit_loop_end(e, plane);
    emit_loop_end(e, image);
    if (!e->failed) finish(f);
}

bool group_filter_conv_emit(Emit *e, const Contraction *c) {
    GroupFilter *f = ARENA_NEW(e->arena, GroupFilter);
    *f = filter_of(c, e->target);
    Matmul *x = f->matmul = ARENA_NEW(e->arena, Matmul);
    f->e = x->e = e;
    x->c = *c;
    contraction_widen(&x->c, e->target);
    int64_t sums_at = f->slab_bytes + f->parts_bytes + f->window_bytes;
    x->tile_is_turned = !f->by_groups;
    x->blocks.tile = f->by_groups ? (Tile){(int)f->places, f->lanes}
                                  : (Tile){(int)(f->ins * f->places), f->block};
    x->tiles_at = f->by_groups ? sums_at : sums_at + f->sums_bytes;
    f->math = contract_vectors(e, e->builder, x->c.how, c->accumulator, x->c.lhs_packed);
    Sums locals;
    for (int o = 0; o < f->block; o++) {
        for (int i = 0; i < f->together; i++)
            locals[o][i] = emit_alloca(e, f->math.vector, 1, 64);
    }
    // zeros between the rows, beside the image's columns and behind both
    int64_t elements = sums_at / (int64_t)element_bytes(type_of(f));
    set_zero(f, emit_number(e, 0), emit_number(e, elements), 0, elements);
    EmitLoop *chunk = emit_chunk_loop(e);
    emit_chunk(f, chunk->index, locals);
    emit_loop_end(e, chunk);
    return !e->failed;
}
