// lower_conv_planes: convolutions of small groups (depthwise ones above all) of images whose pixels
// lie side by side in memory, and of any features to few, with one to three spatial dimensions.
//
// A lane is a pixel. A band of rows of the result is one line: rows of the slab, a padded copy of
// what the band's windows touch, lie `pitch` apart, and so do the sums' rows. So every place of the
// window is the slab moved by a constant:
//
//     sums[out][y * pitch + x] += slab[y * pitch + x + offset[k]] * filter[k][out]
//
// What lies between the rows of sums, as wide as the window's borders, is computed in vain. With
// strides every s-th row and column is a slab of its own, which the places of the window that meet
// it read.
//
// Where a group has one result, vectors go along a row instead, and some rows are summed together:
// a vector of the slab then meets as many rows of the window.
//
// A chunk is a band of one plane of one image, of one group. The sums of some vectors of pixels for
// some of the group's results stay in registers over the whole window and all features of the
// group. Meanwhile the memory that they go to, and what the next chunk reads, is asked for.
#include "codegen/contract/conv/conv_slab.h"
#include "codegen/element/element.h"
#include "codegen/emit/emit_state.h"

enum { MOST_BLOCK = 4, MOST_VECTORS = 8 };

typedef struct Planes {
    Matmul *matmul;
    Emit *e;
    ContractVectors math;
    int64_t images, groups, ins, outs; // features of a group
    int64_t features;                  // of the image, that the slab has at once
    int lanes, block, vectors;         // results and vectors of pixels in registers
    ConvSizes sizes;
    int64_t band, bands;  // rows of the result
    SlabParts slab;       // its steps are the strides
    int64_t places, line; // of a band, rounded up to blocks of vectors
    int rows;             // that are summed together; 1 = the band is one line
    int64_t pitch;        // from row to row of sums
    int64_t slab_bytes, parts_bytes, filter_bytes, sums_bytes;
    const IndexExpr *first[SLAB_RANK]; // result of the chunk
    const IndexExpr *first_feature;    // of the slab
} Planes;

static void set_sizes(Planes *p, int64_t band, int64_t word) {
    int64_t results[SLAB_RANK] = {1, band, p->sizes.out[COLUMN]}, places[SLAB_RANK];
    for (int d = 0; d < SLAB_RANK; d++)
        places[d] = (results[d] - 1) * p->sizes.stride[d] +
                    (p->sizes.window[d] - 1) * p->sizes.dilation[d] + 1;
    slab_parts_set_size(&p->slab, places);
    p->band = band;
    p->places = (band - 1) * p->slab.part[COLUMN] + p->sizes.out[COLUMN];
    p->slab_bytes = round_up(slab_parts_elements(&p->slab) * word, 64);
    p->parts_bytes = slab_is_whole(&p->slab) ? 0 : p->slab_bytes;
}

// All features of a group, or parts of those of the only one: sums of all results then wait for the
// next part.
static void choose_features(Planes *p, int64_t band, int64_t word, int64_t cache) {
    enum { FEW = 16 };
    p->features = p->slab.features = p->ins;
    set_sizes(p, band, word);
    while (p->groups == 1 && p->outs <= MOST_BLOCK && p->slab_bytes > cache && p->features > FEW &&
           p->features % 2 == 0) {
        p->features = p->slab.features = p->features / 2;
        set_sizes(p, band, word);
    }
}

// Sums that fill the registers beside a vector of pixels each and a filter's element.
static void choose_block(Planes *p, const Target *target) {
    int64_t registers = target->vector_registers - 2;
    p->block = 1;
    for (int block = 2; block <= MOST_BLOCK && block * 4 <= target->vector_registers / 2; block++) {
        if (p->outs % block == 0) p->block = block;
    }
    if (p->features < p->ins) p->block = (int)p->outs;
    int64_t most = registers / (p->block + 1), vectors = ceil_div(p->places, p->lanes);
    most = most > MOST_VECTORS ? MOST_VECTORS : most;
    p->vectors = (int)ceil_div(vectors, ceil_div(vectors, most));
    p->line = round_up(p->places, (int64_t)p->vectors * p->lanes);
    p->pitch = p->slab.part[COLUMN];
    p->rows = 1;
}

// Rows that are summed together, and vectors of each, where few pixels of the last vector do not
// exist.
static void choose_rows(Planes *p, const Target *target) {
    enum { MOST_ROWS = MOST_BLOCK, MOST_OF_ROW = 4, LEAST_WINDOW = 3 };
    int64_t vectors = ceil_div(p->sizes.out[COLUMN], p->lanes),
            blocks = ceil_div(vectors, MOST_OF_ROW);
    vectors = ceil_div(vectors, blocks);
    int64_t pitch = blocks * vectors * p->lanes;
    int64_t rows = (target->vector_registers - 2 - vectors) / (vectors + 1);
    rows = rows > MOST_ROWS ? MOST_ROWS : rows;
    rows = rows > p->band ? p->band : rows;
    // sums that wait for the next features may not be added to twice
    while (p->features < p->ins && p->band % rows != 0)
        rows--;
    bool applies = p->outs == 1 && slab_is_whole(&p->slab) && p->sizes.dilation[ROW] == 1 &&
                   p->sizes.window[ROW] >= LEAST_WINDOW && 5 * p->sizes.out[COLUMN] >= 4 * pitch;
    if (!applies || rows < 2) return;
    p->rows = (int)rows;
    p->vectors = (int)vectors;
    p->pitch = pitch;
    p->line = p->band * pitch;
}

static Planes planes_of(const Contraction *c, const Target *target) {
    enum { CHUNKS = 32 };
    int64_t word = (int64_t)element_bytes(c->accumulator);
    Planes p = {
        .images = c->m.dims[0],
        .groups = c->batch.size,
        .ins = c->k.dims[c->spatial],
        .outs = c->n.size,
        .lanes = contract_lanes(c, target)};
    p.sizes = conv_sizes(c);
    p.slab = (SlabParts){.lanes = 1, .step = {1, p.sizes.stride[ROW], p.sizes.stride[COLUMN]}};
    // bands whose slab stays in the second-level cache, and enough of them to share out
    int64_t rows = p.images * p.groups * p.sizes.out[PLANE] * p.sizes.out[ROW],
            share = ceil_div(rows, CHUNKS);
    int64_t band = p.sizes.out[ROW] < share ? p.sizes.out[ROW] : share;
    choose_features(&p, band, word, target->l2_bytes / 4);
    while (band > 1 && p.slab_bytes > target->l2_bytes / 4)
        set_sizes(&p, band = ceil_div(band, 2), word);
    p.bands = ceil_div(p.sizes.out[ROW], band);
    set_sizes(&p, ceil_div(p.sizes.out[ROW], p.bands), word);
    choose_block(&p, target);
    choose_rows(&p, target);
    // the last vectors read what lies behind the slab
    int64_t behind = p.rows > 1 ? p.pitch - p.sizes.out[COLUMN] : p.line - p.places;
    behind = round_up(behind * word, 64);
    *(p.parts_bytes > 0 ? &p.parts_bytes : &p.slab_bytes) += behind;
    p.slab.at = p.parts_bytes > 0 ? p.slab_bytes : 0;
    p.filter_bytes = round_up(c->k.size * p.outs * word, 64);
    p.sums_bytes = round_up(p.block * p.line * word, 64);
    return p;
}

// Small groups whose pixels lie side by side in memory, or one of which few results are made: they
// would fill few of a vector's lanes. Then other images are worth to be transposed, too, where
// squares of them are.
static bool has_few_features(const Contraction *c, int lanes) {
    enum { MOST_FEATURES = 16 };
    int64_t features = c->k.dims[c->spatial];
    bool lies_so = c->conv->input_spatial.data[c->spatial - 1] == c->lhs->type->rank - 1 &&
                   !contraction_n_is_contiguous(c);
    if (c->batch.size > 1)
        return lies_so && features <= MOST_FEATURES && c->n.size <= MOST_FEATURES;
    bool has_squares = features % lanes == 0 && c->m.dims[c->spatial] >= lanes &&
                       c->windows[c->spatial - 1].stride == 1;
    return element_is_float(c->accumulator) && c->n.size <= MOST_BLOCK && (lies_so || has_squares);
}

bool planes_conv_applies(const Contraction *c, const Target *target) {
    enum { MOST_SCRATCH = 4 << 20, FEW_PRODUCTS = 8 };
    if (!c->conv || c->spatial < 1 || c->spatial > SLAB_RANK || c->m_image != 0) return false;
    int lanes = contract_lanes(c, target);
    if (c->groups_split_batch || lanes < 4 || !has_few_features(c, lanes)) return false;
    // plain loops read and write few products of elements that nothing else reads at once
    if (conv_reads_once(c) && c->k.size < FEW_PRODUCTS) return false;
    Planes p = planes_of(c, target);
    return p.slab_bytes + p.parts_bytes + p.filter_bytes <= MOST_SCRATCH;
}

void planes_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    Planes p = planes_of(c, target);
    kernel->grid = p.images * p.groups * p.sizes.out[PLANE] * p.bands;
    kernel->scratch_bytes = p.slab_bytes + p.parts_bytes + p.filter_bytes + p.sums_bytes;
    matmul_set_costs(kernel, c);
}

// ---- what is multiplied

static LLVMValueRef scratch(Planes *p, int64_t at, const IndexExpr *element) {
    return matmul_scratch(p->matmul, at, p->matmul->c.accumulator, element);
}

// slab[feature][z][y][x]
static void fill_slab(Planes *p, const IndexExpr *image) {
    ConvSlab slab = {
        .image = image,
        .features = p->features,
        .first_feature = p->features < p->ins ? p->first_feature : NULL,
        .features_first = true,
        .has_zero_columns = true};
    for (int d = 0; d < SLAB_RANK; d++) {
        slab.first[d] = index_scale(p->e->index, p->first[d], p->sizes.stride[d]);
        slab.size[d] = p->slab.size[d];
        slab.all[d] = slab.first[d]->high + p->slab.size[d];
    }
    conv_slab_fill(p->matmul, &slab);
}

// Where place k of the window, counted from its first feature on, lies in the slab: elements.
static int64_t offset_of(const Planes *p, const Contraction *c, int64_t k) {
    int64_t at[SLAB_RANK], rest = k;
    for (int d = COLUMN; d >= 0; d--) {
        int i = d - (SLAB_RANK - c->spatial);
        at[d] = rest % p->sizes.window[d];
        rest /= p->sizes.window[d];
        if (i >= 0 && c->windows[i].is_reversed) at[d] = p->sizes.window[d] - 1 - at[d];
        at[d] *= p->sizes.dilation[d];
    }
    return slab_parts_place(&p->slab, rest, at);
}

// k's of the slab's features.
static int64_t places_of_features(const Planes *p, const Contraction *c) {
    return c->k.size / p->ins * p->features;
}

static LLVMValueRef offset_table(const Planes *p) {
    const Contraction *c = &p->matmul->c;
    int64_t count = places_of_features(p, c), *offsets = ARENA_ARRAY(p->e->arena, int64_t, count);
    for (int64_t k = 0; k < count; k++)
        offsets[k] = offset_of(p, c, k);
    return conv_slab_offsets(p->e, count, offsets);
}

// filter[feature][window][out]
static void fill_filter(Planes *p) {
    Emit *e = p->e;
    IndexBuilder *b = e->index;
    const Contraction *c = &p->matmul->c;
    const IndexExpr *k[MAX_RANK], *place;
    EmitLoop *out = emit_loop_constant(e, p->outs, false),
             *feature = emit_loop_constant(e, p->ins, false), *loops[MAX_RANK];
    place = k[c->spatial] = feature->index;
    for (int i = 0; i < c->spatial; i++) {
        loops[i] = emit_loop_constant(e, c->k.dims[i], false);
        k[i] = loops[i]->index;
        place = index_add(b, index_scale(b, place, c->k.dims[i]), k[i]);
    }
    Scalar element = contraction_rhs(e, c, p->matmul->batch, k, &out->index);
    place = index_add(b, index_scale(b, place, p->outs), out->index);
    emit_private_store(
        e, c->accumulator, emit_scratch(e, p->matmul->rhs_at), emit_index(e, place), element);
    for (int i = c->spatial - 1; i >= 0; i--)
        emit_loop_end(e, loops[i]);
    emit_loop_end(e, feature);
    emit_loop_end(e, out);
}

// ---- products

typedef struct Sums {
    LLVMValueRef locals[MOST_BLOCK][MOST_VECTORS];
} Sums;

static LLVMValueRef element_at(Planes *p, LLVMValueRef base, LLVMValueRef at) {
    return LLVMBuildInBoundsGEP2(p->e->builder, p->math.scalar, base, &at, 1, "");
}

static LLVMValueRef load(Planes *p, LLVMTypeRef type, LLVMValueRef base, int64_t at) {
    LLVMValueRef address = element_at(p, base, emit_number(p->e, at));
    LLVMValueRef x = LLVMBuildLoad2(p->e->builder, type, address, "");
    LLVMSetAlignment(x, (unsigned)element_bytes(p->math.accumulator));
    return x;
}

// Place k of the window. slab: of the block's first pixel, filter: of its first result.
static void add_place(Planes *p, Sums *sums, LLVMValueRef slab, LLVMValueRef filter) {
    LLVMBuilderRef b = p->e->builder;
    LLVMValueRef x[MOST_VECTORS];
    for (int v = 0; v < p->vectors; v++)
        x[v] = load(p, p->math.vector, slab, (int64_t)v * p->lanes);
    for (int o = 0; o < p->block; o++) {
        LLVMValueRef weight = contract_splat(&p->math, load(p, p->math.scalar, filter, o));
        for (int v = 0; v < p->vectors; v++) {
            LLVMValueRef sum = LLVMBuildLoad2(b, p->math.vector, sums->locals[o][v], "");
            sum = contract_multiply_add(&p->math, x[v], weight, sum);
            LLVMBuildStore(b, sum, sums->locals[o][v]);
        }
    }
}

// ---- memory that is asked for while there are products to be made

// Blocks of pixels of a band, each of which asks for its part of a run of memory.
static int64_t pixel_blocks(const Planes *p) {
    int64_t step = (int64_t)p->vectors * p->lanes;
    return p->rows > 1 ? ceil_div(p->band, p->rows) * (p->pitch / step) : p->line / step;
}

static void add_run(PrefetchRuns *runs, LLVMValueRef from, int64_t bytes, int64_t blocks) {
    enum { LINE = 64 };
    prefetch_runs_add(runs, from, LINE, ceil_div(ceil_div(bytes, blocks), LINE));
}

// The stored elements that the image is made of in a row of the slab's first feature.
static StoredElements image_elements(Planes *p, int64_t row) {
    const Contraction *c = &p->matmul->c;
    IndexBuilder *b = p->e->index;
    const IndexExpr *index[MAX_RANK];
    index[c->conv->input_batch] = p->matmul->m_outer[0];
    const IndexExpr *group = index_scale(b, p->matmul->batch[0], p->ins);
    index[c->conv->input_feature] = index_add(b, group, p->first_feature);
    for (int i = 0; i < c->spatial; i++)
        index[c->conv->input_spatial.data[i]] = index_constant(b, i + 2 == c->spatial ? row : 0);
    StoredElements list = {.count = 0};
    stored_elements_find(&list, expr_of(p->e->exprs, c->lhs, index));
    return list;
}

// What is read next: behind a slab of whole images lie those of the next features or group.
static PrefetchRuns find_next_image(Planes *p) {
    const Contraction *c = &p->matmul->c;
    const int64_t *dims = c->lhs->type->dims, *spatial = c->conv->input_spatial.data;
    PrefetchRuns runs = {.count = 0};
    if (p->bands > 1 || c->spatial == SLAB_RANK) return runs;
    int64_t rows = c->spatial > 1 ? dims[spatial[c->spatial - 2]] : 1,
            columns = dims[spatial[c->spatial - 1]];
    StoredElements first = image_elements(p, 0), last = image_elements(p, rows - 1);
    for (int i = 0; i < first.count && first.count == last.count; i++) {
        const StoredElement *from = &first.list[i];
        const IndexExpr *distance = index_sub(p->e->index, last.list[i].at, from->at);
        bool is_run = index_is_constant(distance) && distance->low == (rows - 1) * columns;
        if (!is_run || from->device || from->stored != last.list[i].stored) continue;
        int64_t elements = p->features * rows * columns;
        const IndexExpr *behind = index_add_constant(p->e->index, from->at, elements);
        add_run(
            &runs, emit_address_at(p->e, from->stored, behind, NULL),
            elements * (int64_t)element_bytes(from->stored->type->element),
            pixel_blocks(p) * (p->outs / p->block));
    }
    return runs;
}

// The result's rows of the band, of a block of results, where they are one run.
static PrefetchRuns find_result(Planes *p, const IndexExpr *first) {
    Emit *e = p->e;
    IndexBuilder *b = e->index;
    Matmul *x = p->matmul;
    const Contraction *c = &x->c;
    const Value *output = e->kernel->outputs[0].value;
    PrefetchRuns runs = {.count = 0};
    if (!type_same_shape(output->type, c->result->type) || e->kernel->outputs[0].is_remote)
        return runs;
    for (int o = 0; o < p->block; o++) {
        const IndexExpr *at[2], *m[MAX_RANK], *n[1] = {index_add_constant(b, first, o)},
                                              *index[MAX_RANK];
        for (int row = 0; row < 2; row++) {
            m[0] = x->m_outer[0];
            if (c->spatial == SLAB_RANK) m[1] = p->first[PLANE];
            if (c->spatial > 1) m[c->spatial - 1] = index_add_constant(b, p->first[ROW], row);
            m[c->spatial] = index_constant(b, 0);
            conv_result_index(e, c, x->batch, m, n, index);
            at[row] = expr_element_number(e->exprs, output, index);
        }
        const IndexExpr *distance = index_sub(b, at[1], at[0]);
        bool is_run = index_is_constant(distance) && distance->low == p->sizes.out[COLUMN];
        if (!is_run && c->spatial > 1) continue;
        add_run(
            &runs, emit_address_at(e, output, at[0], NULL),
            p->band * p->sizes.out[COLUMN] * (int64_t)element_bytes(output->type->element),
            pixel_blocks(p));
    }
    return runs;
}

// ---- sums

// Vectors of sums begin at zero, or where the features before these have left them.
static void begin_sums(Planes *p, LLVMValueRef *locals, LLVMValueRef from, int64_t first) {
    for (int v = 0; v < p->vectors; v++) {
        LLVMValueRef sum = p->features < p->ins
                               ? load(p, p->math.vector, from, first + (int64_t)v * p->lanes)
                               : LLVMConstNull(p->math.vector);
        LLVMBuildStore(p->e->builder, sum, locals[v]);
    }
}

// Vectors of sums, one behind the other.
static void store_sums(Planes *p, LLVMValueRef *locals, LLVMValueRef to, int64_t first) {
    LLVMBuilderRef b = p->e->builder;
    for (int v = 0; v < p->vectors; v++) {
        LLVMValueRef sum = LLVMBuildLoad2(b, p->math.vector, locals[v], "");
        LLVMValueRef at = emit_number(p->e, first + (int64_t)v * p->lanes);
        LLVMValueRef store = LLVMBuildStore(b, sum, element_at(p, to, at));
        LLVMSetAlignment(store, (unsigned)element_bytes(p->math.accumulator));
    }
}

// The sums of a block of results, of which `first` is the first, for all pixels of the band.
static void multiply_block(
    Planes *p, const IndexExpr *first, LLVMValueRef offsets, Sums *sums,
    const PrefetchRuns *next_image) {
    Emit *e = p->e;
    IndexBuilder *b = e->index;
    Matmul *x = p->matmul;
    int64_t step = (int64_t)p->vectors * p->lanes;
    const PrefetchRuns result = find_result(p, first);
    EmitLoop *pixels = emit_loop_constant(e, p->line / step, false);
    const IndexExpr *pixel = index_scale(b, pixels->index, step);
    const IndexExpr *before = index_scale(b, index_div(b, first, p->block), p->line / step);
    prefetch_runs(e, next_image, index_add(b, before, pixels->index));
    prefetch_runs(e, &result, pixels->index);
    LLVMValueRef to = scratch(p, x->tiles_at, pixel);
    for (int o = 0; o < p->block; o++)
        begin_sums(p, sums->locals[o], to, o * p->line);
    int64_t places = places_of_features(p, &x->c);
    EmitLoop *k = emit_loop_constant(e, places, false);
    LLVMValueRef slab = scratch(p, p->slab.at, pixel);
    slab = element_at(p, slab, emit_private_load(e, ELEMENT_I64, offsets, k->phi).value);
    const IndexExpr *weight = index_scale(b, p->first_feature, places / p->features);
    weight = index_add(b, index_scale(b, index_add(b, weight, k->index), p->outs), first);
    add_place(p, sums, slab, scratch(p, x->rhs_at, weight));
    emit_loop_end(e, k);
    for (int o = 0; o < p->block; o++)
        store_sums(p, sums->locals[o], to, o * p->line);
    emit_loop_end(e, pixels);
}

// The places of a row of the window that row number `row` of the slab meets, for each of the rows
// of sums that it meets one of. slab: the block's first place in that row, filter: the first place
// of the window.
static void add_row(Planes *p, Sums *sums, LLVMValueRef slab, LLVMValueRef filter, int64_t row) {
    Emit *e = p->e;
    LLVMBuilderRef b = e->builder;
    const Contraction *c = &p->matmul->c;
    const WindowDim *down = &c->windows[c->spatial - 2], *along = &c->windows[c->spatial - 1];
    EmitLoop *column = emit_loop_constant(e, p->sizes.window[COLUMN], false);
    LLVMValueRef moved =
        LLVMBuildNSWMul(b, column->phi, emit_number(e, p->sizes.dilation[COLUMN]), "");
    slab = element_at(p, slab, moved);
    LLVMValueRef place = column->phi;
    if (along->is_reversed)
        place = LLVMBuildNSWSub(b, emit_number(e, p->sizes.window[COLUMN] - 1), place, "");
    filter = element_at(p, filter, place);
    LLVMValueRef x[MOST_VECTORS];
    for (int v = 0; v < p->vectors; v++)
        x[v] = load(p, p->math.vector, slab, (int64_t)v * p->lanes);
    for (int r = 0; r < p->rows; r++) {
        int64_t at = row - r;
        if (at < 0 || at >= p->sizes.window[ROW]) continue;
        if (down->is_reversed) at = p->sizes.window[ROW] - 1 - at;
        LLVMValueRef weight = load(p, p->math.scalar, filter, at * p->sizes.window[COLUMN]);
        weight = contract_splat(&p->math, weight);
        for (int v = 0; v < p->vectors; v++) {
            LLVMValueRef sum = LLVMBuildLoad2(b, p->math.vector, sums->locals[r][v], "");
            sum = contract_multiply_add(&p->math, x[v], weight, sum);
            LLVMBuildStore(b, sum, sums->locals[r][v]);
        }
    }
    emit_loop_end(e, column);
}

// The sums of the group's only result, for some rows and vectors of them at a time. The last rows
// may be some of those before them, too.
static void multiply_rows(Planes *p, Sums *sums, const PrefetchRuns *next_image) {
    Emit *e = p->e;
    IndexBuilder *b = e->index;
    Matmul *x = p->matmul;
    int64_t step = (int64_t)p->vectors * p->lanes, blocks = p->pitch / step,
            groups = ceil_div(p->band, p->rows), width = p->slab.part[COLUMN];
    const PrefetchRuns result = find_result(p, index_constant(b, 0));
    EmitLoop *group = emit_loop_constant(e, groups, false);
    LLVMValueRef first = emit_minimum(
        e, emit_index(e, index_scale(b, group->index, p->rows)), emit_number(e, p->band - p->rows));
    const IndexExpr *row = emit_variable(e, first, p->band);
    EmitLoop *block = emit_loop_constant(e, blocks, false);
    const IndexExpr *pixel = index_scale(b, block->index, step),
                    *part = index_add(b, index_scale(b, group->index, blocks), block->index);
    prefetch_runs(e, next_image, part);
    prefetch_runs(e, &result, part);
    LLVMValueRef to = scratch(p, x->tiles_at, index_add(b, index_scale(b, row, p->pitch), pixel));
    for (int r = 0; r < p->rows; r++)
        begin_sums(p, sums->locals[r], to, r * p->pitch);
    EmitLoop *feature = emit_loop_constant(e, p->features, false),
             *plane = emit_loop_constant(e, p->sizes.window[PLANE], false);
    bool goes_back = x->c.spatial == SLAB_RANK && x->c.windows[PLANE].is_reversed;
    const IndexExpr *last = index_constant(b, p->sizes.window[PLANE] - 1);
    const IndexExpr *place = goes_back ? index_sub(b, last, plane->index) : plane->index;
    const IndexExpr *weights = index_add(b, p->first_feature, feature->index);
    weights = index_add(b, index_scale(b, weights, p->sizes.window[PLANE]), place);
    weights = index_scale(b, weights, p->sizes.window[ROW] * p->sizes.window[COLUMN]);
    const IndexExpr *at = index_scale(b, feature->index, p->slab.part[PLANE]);
    at = index_add(b, at, index_scale(b, plane->index, p->sizes.dilation[PLANE]));
    at = index_add(b, index_scale(b, at, p->slab.part[ROW]), row);
    at = index_add(b, index_scale(b, at, width), pixel);
    LLVMValueRef slab = scratch(p, p->slab.at, at), filter = scratch(p, x->rhs_at, weights);
    for (int64_t i = 0; i < p->sizes.window[ROW] + p->rows - 1; i++)
        add_row(p, sums, element_at(p, slab, emit_number(e, i * width)), filter, i);
    emit_loop_end(e, plane);
    emit_loop_end(e, feature);
    for (int r = 0; r < p->rows; r++)
        store_sums(p, sums->locals[r], to, r * p->pitch);
    emit_loop_end(e, block);
    emit_loop_end(e, group);
}

static void finish_block(Planes *p, const IndexExpr *first) {
    Emit *e = p->e;
    IndexBuilder *b = e->index;
    Matmul *x = p->matmul;
    LLVMValueRef zero = emit_number(e, 0);
    EmitLoop *row = emit_loop_begin(
        e, zero, emit_remaining(e, p->first[ROW], p->band, p->sizes.out[ROW]), 1, p->band, false);
    if (x->c.spatial > 1) x->m_outer[x->c.spatial - 1] = index_add(b, p->first[ROW], row->index);
    FinishRange pixels = {zero, emit_number(e, p->sizes.out[COLUMN]), p->sizes.out[COLUMN]};
    FinishRange outs = {zero, emit_number(e, p->block), p->block};
    matmul_finish_part(
        x, index_scale(b, row->index, p->pitch), index_constant(b, 0), first, pixels, outs);
    emit_loop_end(e, row);
}

static void clear(Planes *p, int64_t at, int64_t elements) {
    Emit *e = p->e;
    ElementType type = p->matmul->c.accumulator;
    EmitLoop *loop = emit_loop_constant(e, elements, true);
    emit_private_store(e, type, emit_scratch(e, at), loop->phi, emit_constant(e, type, 0));
    emit_loop_end(e, loop);
}

static void emit_chunk(Planes *p, const IndexExpr *number, LLVMValueRef offsets, Sums *sums) {
    Emit *e = p->e;
    IndexBuilder *b = e->index;
    Matmul *x = p->matmul;
    p->first[ROW] = index_scale(b, index_mod(b, number, p->bands), p->band);
    number = index_div(b, number, p->bands);
    p->first[PLANE] = index_mod(b, number, p->sizes.out[PLANE]);
    number = index_div(b, number, p->sizes.out[PLANE]);
    p->first[COLUMN] = index_constant(b, 0);
    x->batch[0] = index_mod(b, number, p->groups);
    x->m_outer[0] = index_div(b, number, p->groups);
    if (x->c.spatial == SLAB_RANK) x->m_outer[1] = p->first[PLANE];
    fill_filter(p);
    if (p->features < p->ins) clear(p, x->tiles_at, p->block * p->line);
    EmitLoop *part = emit_loop_constant(e, p->ins / p->features, false);
    p->first_feature = index_scale(b, part->index, p->features);
    fill_slab(p, x->m_outer[0]);
    if (!slab_is_whole(&p->slab)) slab_parts_fill(e, x->c.accumulator, &p->slab);
    PrefetchRuns next_image = find_next_image(p);
    EmitLoop *block = emit_loop_constant(e, p->outs / p->block, false);
    const IndexExpr *first = index_scale(b, block->index, p->block);
    if (p->rows > 1)
        multiply_rows(p, sums, &next_image);
    else
        multiply_block(p, first, offsets, sums, &next_image);
    if (p->features == p->ins) finish_block(p, first);
    emit_loop_end(e, block);
    emit_loop_end(e, part);
    if (p->features < p->ins) finish_block(p, index_constant(b, 0));
}

bool planes_conv_emit(Emit *e, const Contraction *c) {
    Planes *p = ARENA_NEW(e->arena, Planes);
    *p = planes_of(c, e->target);
    Matmul *x = p->matmul = ARENA_NEW(e->arena, Matmul);
    p->e = x->e = e;
    x->c = *c;
    contraction_widen(&x->c, e->target);
    x->is_direct = x->tile_is_turned = true;
    x->blocks.tile = (Tile){(int)p->line, p->block};
    x->rhs_at = p->slab_bytes + p->parts_bytes;
    x->tiles_at = x->rhs_at + p->filter_bytes;
    p->math = contract_vectors(e, e->builder, x->c.how, c->accumulator, x->c.lhs_packed);
    Sums sums;
    for (int o = 0; o < p->block * p->rows; o++) {
        for (int v = 0; v < p->vectors; v++)
            sums.locals[o][v] = emit_alloca(e, p->math.vector, 1, 64);
    }
    LLVMValueRef offsets = p->rows > 1 ? NULL : offset_table(p);
    // the slab is zero beside the image's columns, and behind it, where the last vectors read
    int64_t word = (int64_t)element_bytes(x->c.accumulator);
    clear(p, 0, (p->slab_bytes + p->parts_bytes) / word);
    EmitLoop *chunk = emit_chunk_loop(e);
    emit_chunk(p, chunk->index, offsets, &sums);
    emit_loop_end(e, chunk);
    return !e->failed;
}
