// lower_conv_grouped: convolutions of many small groups (depthwise ones above all), with
// one to three spatial dimensions.
//
// A lane is a feature of the result, so that a vector goes over several groups; the filter's
// elements (w of a place in the window, i of an input feature of the group) are a vector as well,
// and those of the image are one that is permuted: lane l wants input feature l / outs * ins + i.
//
//     sums[pixel][lane] += slab[row][pixel * stride + column][l / outs * ins + i]
//                          * filter[row][column][i][lane]
//
// Where the CPU multiplies pairs of elements and sums them, and a group has an even number of input
// features, i is a pair of them, and so are the elements of slab and filter: a word.
//
// Sums are over the rows of the window, within one over the input features, and
// within those over its columns.
//
// A chunk is a band of rows of one image (of long rows, a part), for a block of features.
// The part of the image that it reads is copied into a slab in the scratch, with zeros in
// borders and holes, as the filter's part is; the sums of some pixels of a row stay in
// registers over the whole window.
#include "codegen/contract/conv/conv_slab.h"
#include "codegen/emit/emit_state.h"

enum {
    MOST_PIXELS = 14,
    FEW_PIXELS = 8,
    FEW_VECTORS = 4,
    MOST_VECTORS = 10,
    MOST_UNROLLED = 32,
    MOST_INS = 16,
    MAX_LANES = 64,
    CHUNKS = 32
};

typedef struct Grouped {
    Matmul *matmul;
    Emit *e;
    Contraction c; // as if it had one group
    ContractVectors math;
    int64_t pair;                // elements of a word: 1 or 2
    int64_t groups, ins, outs;   // ins, outs: words of the image, and features, of a group
    int64_t features;            // of the result
    int lanes, used;             // of a vector, those that have a feature
    int64_t per_vector;          // groups
    int64_t vectors;             // of a block
    int64_t block, image_block;  // features of the result and words of the image of a chunk
    int64_t blocks, bands, band; // rows of a band
    int64_t strips, strip;       // pixels of a row's part
    ConvSizes sizes;
    int64_t size[SLAB_RANK]; // of the slab
    int64_t planes;          // result rows of all but the last two dimensions
    int pixels;
    int64_t width; // of a row of sums
    int64_t slab_bytes, filter_bytes, sums_bytes;
    const IndexExpr *first;                // the chunk's first feature of the result
    const IndexExpr *first_out[SLAB_RANK]; // and its first place
} Grouped;

// The largest number of pixels that wastes little of the last ones in a row.
static int choose_pixels(int64_t columns, int most) {
    int best = 1;
    double best_score = 0;
    for (int pixels = 1; pixels <= most; pixels++) {
        double score = (double)columns / (double)round_up(columns, pixels) * (4 + pixels);
        if (score < best_score) continue;
        best_score = score;
        best = pixels;
    }
    return best;
}

// Parts of rows of which a few stay in the second-level cache, and enough of them to share out.
static void choose_strip(Grouped *g, int64_t word, int64_t cache) {
    int64_t rows = g->sizes.out[1] * g->planes * g->blocks;
    int64_t pixel_bytes = g->size[0] * g->size[1] * g->image_block * word * g->sizes.stride[2];
    int64_t strip = cache / 2 / pixel_bytes, share = ceil_div(rows * g->sizes.out[2], CHUNKS);
    if (rows < CHUNKS && strip > share) strip = share;
    int64_t least = 4 * g->pixels;
    strip = strip > g->sizes.out[2] ? g->sizes.out[2] : strip < least ? least : strip;
    g->strip = round_up(ceil_div(g->sizes.out[2], ceil_div(g->sizes.out[2], strip)), g->pixels);
    g->strips = ceil_div(g->sizes.out[2], g->strip);
}

// Rows such that the slab stays in the second-level cache, and enough chunks to share out.
static void choose_band(Grouped *g, const Contraction *c, const Target *target) {
    int64_t word = (int64_t)element_bytes(c->accumulator), cache = target->l2_bytes / 4;
    choose_strip(g, word, cache);
    int64_t columns = (g->strip - 1) * g->sizes.stride[2] + g->size[2];
    int64_t row_bytes = g->size[0] * columns * g->image_block * word;
    int64_t band = (cache / row_bytes - g->size[1]) / g->sizes.stride[1] + 1;
    int64_t rows = g->sizes.out[1] * g->planes * g->blocks * g->strips,
            share = ceil_div(rows, CHUNKS);
    band = band > share ? share : band;
    band = band > g->sizes.out[1] ? g->sizes.out[1] : band < 1 ? 1 : band;
    g->bands = ceil_div(g->sizes.out[1], band);
    g->band = ceil_div(g->sizes.out[1], g->bands);
    g->size[1] += (g->band - 1) * g->sizes.stride[1];
    g->size[2] = columns;
}

// Blocks of equal size. Few vectors, where the rows of the image that a window touches stay in the
// first-level cache with them, and the filter's places do; else longer pieces of memory are better.
static void choose_vectors(Grouped *g, const Target *target) {
    int64_t all = ceil_div(g->features, g->used), bytes = target->vector_bits / 8;
    int64_t columns = (g->sizes.out[2] - 1) * g->sizes.stride[2] + g->sizes.window[2];
    int64_t rows = g->sizes.window[0] * g->sizes.window[1] * columns * bytes;
    int64_t places = g->sizes.window[0] * g->sizes.window[1] * g->sizes.window[2] * g->ins * bytes;
    int64_t most = target->l1_bytes / 4 / places;
    bool stay = FEW_VECTORS * rows * g->ins / g->outs <= target->l1_bytes * 3 / 4;
    most = stay || most < FEW_VECTORS ? FEW_VECTORS : most > MOST_VECTORS ? MOST_VECTORS : most;
    g->vectors = ceil_div(all, ceil_div(all, most));
}

// Are words pairs, multiplied as the contraction's row says? Else elements are widened.
static bool takes_pairs(const Contraction *c) {
    bool is_dot = c->how->product == PRODUCT_DOT || c->how->product == PRODUCT_DOT_AND_ADD;
    return is_dot && c->how->group == 2 && !c->lhs_is_raised && c->k.dims[c->spatial] % 2 == 0;
}

static Grouped grouped_of(const Contraction *c, const Target *target) {
    int64_t word = (int64_t)element_bytes(c->accumulator), pair = takes_pairs(c) ? 2 : 1;
    Grouped g = {
        .pair = pair,
        .groups = c->batch.size,
        .ins = c->k.dims[c->spatial] / pair,
        .outs = c->n.size,
        .lanes = contract_lanes(c, target)};
    g.features = g.groups * g.outs;
    g.per_vector = g.lanes / g.outs;
    g.used = (int)(g.per_vector * g.outs);
    g.sizes = conv_sizes(c);
    choose_vectors(&g, target);
    g.block = g.vectors * g.used;
    g.blocks = ceil_div(g.features, g.block);
    g.image_block = g.vectors * g.per_vector * g.ins;
    for (int d = 0; d < SLAB_RANK; d++) // for one result
        g.size[d] = (g.sizes.window[d] - 1) * g.sizes.dilation[d] + 1;
    // sums of pairs take longer than multiply-adds
    g.pixels = choose_pixels(g.sizes.out[2], pair > 1 ? MOST_PIXELS : FEW_PIXELS);
    g.planes = c->m.dims[0] * g.sizes.out[0];
    choose_band(&g, c, target);
    int64_t slab = g.size[0] * g.size[1] * g.size[2] * g.image_block;
    int64_t filter =
        g.sizes.window[0] * g.sizes.window[1] * g.sizes.window[2] * g.ins * g.vectors * g.lanes;
    g.width = g.used == g.lanes ? g.block : round_up(g.block + g.lanes, g.lanes);
    g.slab_bytes = round_up(slab * word, 64);
    g.filter_bytes = round_up(filter * word, 64);
    g.sums_bytes = round_up((g.pixels * g.width + g.lanes) * word, 64);
    return g;
}

bool conv_reads_once(const Contraction *c) {
    if (c->n.size > 1 || c->k.dims[c->spatial] > 1) return false;
    for (int d = 0; d < c->spatial; d++) {
        if (c->windows[d].size > c->windows[d].stride) return false;
    }
    return true;
}

bool grouped_conv_applies(const Contraction *c, const Target *target) {
    enum { MOST_SCRATCH = 4 << 20, FEW_PRODUCTS = 8 };
    if (!c->conv || c->spatial < 1 || c->spatial > SLAB_RANK || c->m_image != 0) return false;
    int64_t lanes = contract_lanes(c, target), ins = c->k.dims[c->spatial];
    // more of them fill the columns of a product
    int64_t most_outs = lanes / 2 / (takes_pairs(c) ? 1 : c->how->group);
    if (lanes < 4 || c->batch.size == 1 || c->groups_split_batch || c->n.size > most_outs ||
        ins > MOST_INS || ins > 4 * c->n.size)
        return false;
    // few products of elements that nothing else reads wait for memory: plain loops, which read
    // and write them at once, are faster
    if (conv_reads_once(c) && c->k.size < FEW_PRODUCTS) return false;
    Grouped g = grouped_of(c, target);
    return g.slab_bytes + g.filter_bytes <= MOST_SCRATCH;
}

void grouped_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    Grouped g = grouped_of(c, target);
    kernel->grid = g.planes * g.bands * g.strips * g.blocks;
    kernel->scratch_bytes = g.slab_bytes + g.filter_bytes + g.sums_bytes;
    matmul_set_costs(kernel, c);
}

// ---- what is multiplied

static EmitLoop *loop(Grouped *g, int64_t count) { return emit_loop_constant(g->e, count, false); }

// The features from `first` on that exist, at most `extent` of `all`.
static EmitLoop *features(Grouped *g, const IndexExpr *first, int64_t extent, int64_t all) {
    Emit *e = g->e;
    return emit_loop_begin(
        e, emit_number(e, 0), emit_remaining(e, first, extent, all), 1, extent, true);
}

// The image from the place of the chunk's first result on.
static void fill_slab(Grouped *g, const IndexExpr *image) {
    IndexBuilder *b = g->e->index;
    ConvSlab slab = {.image = image, .features = g->image_block * g->pair};
    for (int d = 0; d < SLAB_RANK; d++) {
        slab.first[d] = index_scale(b, g->first_out[d], g->sizes.stride[d]);
        slab.size[d] = g->size[d];
        slab.all[d] = slab.first[d]->high + g->size[d];
    }
    if (g->blocks > 1 || g->image_block != g->groups * g->ins)
        // of the image
        slab.first_feature = index_scale(b, index_div(b, g->first, g->block), slab.features);
    conv_slab_fill(g->matmul, &slab);
}

// filter[window][i][vector][lane], of words.
static void fill_filter(Grouped *g) {
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    EmitLoop *at[SLAB_RANK + 1];
    const IndexExpr *k[MAX_RANK], *place = index_constant(b, 0);
    for (int d = 0; d <= SLAB_RANK; d++) {
        int64_t count = d < SLAB_RANK ? g->sizes.window[d] : g->ins * g->pair;
        at[d] = loop(g, count);
        if (d < SLAB_RANK) place = index_add(b, index_scale(b, place, count), at[d]->index);
        int i = d - (SLAB_RANK - g->c.spatial);
        if (i < 0) continue;
        bool is_reversed = d < SLAB_RANK && g->c.windows[i].is_reversed;
        const IndexExpr *last = index_constant(b, count - 1);
        k[i] = is_reversed ? index_sub(b, last, at[d]->index) : at[d]->index;
    }
    EmitLoop *feature = features(g, g->first, g->block, g->features);
    const IndexExpr *n[1] = {index_add(b, g->first, feature->index)};
    Scalar element = contraction_rhs(e, &g->c, g->matmul->batch, k, n);
    const IndexExpr *vector = index_div(b, feature->index, g->used),
                    *lane = index_mod(b, feature->index, g->used);
    const IndexExpr *word = index_div(b, at[SLAB_RANK]->index, g->pair),
                    *in_word = index_mod(b, at[SLAB_RANK]->index, g->pair);
    place = index_add(b, index_scale(b, place, g->ins), word);
    place = index_add(b, index_scale(b, place, g->vectors), vector);
    place = index_add(b, index_scale(b, place, g->lanes), lane);
    place = index_add(b, index_scale(b, place, g->pair), in_word);
    emit_private_store(
        e, g->c.rhs_packed, emit_scratch(e, g->matmul->rhs_at), emit_index(e, place), element);
    emit_loop_end(e, feature);
    for (int d = SLAB_RANK; d >= 0; d--)
        emit_loop_end(e, at[d]);
}

// ---- products

// What one row of the window adds to the sums of some pixels.
typedef struct RowOfWindow {
    Grouped *g;
    LLVMValueRef slab, filter; // elements of the first pixel's first place and of the window's
    LLVMValueRef *image;       // vectors at the places that have been loaded
    LLVMValueRef sums[MOST_PIXELS];
} RowOfWindow;

static LLVMValueRef word_at(Grouped *g, LLVMValueRef base, int64_t at) {
    LLVMValueRef index = emit_number(g->e, at);
    return LLVMBuildInBoundsGEP2(g->e->builder, g->math.group, base, &index, 1, "");
}

static LLVMValueRef load(Grouped *g, LLVMValueRef base, int64_t at, int64_t count) {
    LLVMTypeRef type = LLVMVectorType(g->math.group, (unsigned)count);
    LLVMValueRef x = LLVMBuildLoad2(g->e->builder, type, word_at(g, base, at), "");
    LLVMSetAlignment(x, (unsigned)element_bytes(g->math.accumulator));
    return x;
}

// Word i of every lane's group.
static LLVMValueRef in_lanes(Grouped *g, LLVMValueRef x, int64_t i) {
    if (g->ins == 1 && g->outs == 1) return x;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(g->e->context);
    LLVMValueRef from[MAX_LANES];
    for (int lane = 0; lane < g->lanes; lane++) {
        int64_t feature = lane < g->used ? lane / g->outs * g->ins + i : 0;
        from[lane] = LLVMConstInt(i32, (unsigned)feature, 0);
    }
    return LLVMBuildShuffleVector(
        g->e->builder, x, x, LLVMConstVector(from, (unsigned)g->lanes), "");
}

// The products of one place of the row.
static void add_place(RowOfWindow *row, int64_t column, int64_t i) {
    Grouped *g = row->g;
    int64_t step = g->sizes.stride[2], span = g->per_vector * g->ins;
    LLVMValueRef weights =
        load(g, row->filter, (column * g->ins + i) * g->vectors * g->lanes, g->lanes);
    for (int p = 0; p < g->pixels; p++) {
        int64_t place = p * step + column * g->sizes.dilation[2];
        if (!row->image[place])
            row->image[place] = load(g, row->slab, place * g->image_block, span);
        row->sums[p] = contract_multiply_add(
            &g->math, in_lanes(g, row->image[place], i), weights, row->sums[p]);
    }
}

static void get_sums(RowOfWindow *row, LLVMValueRef *locals) {
    for (int p = 0; p < row->g->pixels; p++)
        row->sums[p] = LLVMBuildLoad2(row->g->e->builder, row->g->math.vector, locals[p], "");
}

static void set_sums(RowOfWindow *row, LLVMValueRef *locals) {
    for (int p = 0; p < row->g->pixels; p++)
        LLVMBuildStore(row->g->e->builder, row->sums[p], locals[p]);
}

static void add_row(RowOfWindow *row, LLVMValueRef *locals) {
    Grouped *g = row->g;
    Emit *e = g->e;
    int64_t columns = g->sizes.window[2];
    int64_t places =
        (g->pixels - 1) * g->sizes.stride[2] + (columns - 1) * g->sizes.dilation[2] + 1;
    row->image = ARENA_ARRAY(e->arena, LLVMValueRef, places);
    memset(row->image, 0, (size_t)places * sizeof *row->image);
    if (columns * g->ins <= MOST_UNROLLED) {
        get_sums(row, locals);
        for (int64_t i = 0; i < g->ins; i++) {
            for (int64_t column = 0; column < columns; column++)
                add_place(row, column, i);
        }
        set_sums(row, locals);
        return;
    }
    EmitLoop *column = loop(g, columns);
    LLVMValueRef slab = row->slab, filter = row->filter;
    IndexBuilder *b = e->index;
    LLVMValueRef moved =
        emit_index(e, index_scale(b, column->index, g->sizes.dilation[2] * g->image_block));
    row->slab = LLVMBuildInBoundsGEP2(e->builder, g->math.group, slab, &moved, 1, "");
    moved = emit_index(e, index_scale(b, column->index, g->ins * g->vectors * g->lanes));
    row->filter = LLVMBuildInBoundsGEP2(e->builder, g->math.group, filter, &moved, 1, "");
    get_sums(row, locals);
    for (int64_t i = 0; i < g->ins; i++)
        add_place(row, 0, i);
    set_sums(row, locals);
    emit_loop_end(e, column);
}

// Asks for the places behind this band that the next one reads, as those of these pixels and this
// vector lie in this band: memory answers while there are products to be made.
static void prefetch_next_band(
    Grouped *g, const IndexExpr *vector, const IndexExpr *row, const IndexExpr *pixel) {
    enum { LINE = 64, PRODUCTS = 4 }; // at least, for each line
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    const Contraction *c = &g->c;
    const Type *type = c->lhs->type;
    int64_t size[2] = {g->sizes.stride[1], g->pixels * g->sizes.stride[2]},
            count = g->per_vector * g->ins * g->pair;
    int64_t bytes = (int64_t)element_bytes(type->element);
    if (c->spatial != 2 || c->groups_split_batch) return;
    if (c->windows[0].lhs_dilation > 1 || c->windows[1].lhs_dilation > 1) return;
    if ((int64_t)type_bytes(type) <= e->target->l2_bytes / 2) return; // it is there
    int64_t products = g->pixels * g->sizes.window[1] * g->sizes.window[2] * g->ins;
    if (PRODUCTS * size[0] * size[1] * ceil_div(count * bytes, LINE) > products) return;
    const IndexExpr *index[MAX_RANK];
    index[c->conv->input_batch] = g->matmul->m_outer[0];
    const IndexExpr *block = index_scale(b, index_div(b, g->first, g->block), g->vectors);
    index[c->conv->input_feature] = index_scale(b, index_add(b, block, vector), count);
    const IndexExpr *y = index_scale(b, index_add(b, g->first_out[1], row), g->sizes.stride[1]),
                    *x = index_scale(b, index_add(b, g->first_out[2], pixel), g->sizes.stride[2]);
    y = index_add_constant(b, y, g->size[1] - c->windows[0].pad_low);
    index[c->conv->input_spatial.data[0]] = y;
    index[c->conv->input_spatial.data[1]] = index_add_constant(b, x, -c->windows[1].pad_low);
    contraction_prefetch_image(e, c, index, size, count);
}

// Asks for the memory that the sums of these pixels and this vector go to. Pixels behind the row's
// last one lie in the next row.
static void prefetch_result(
    Grouped *g, const IndexExpr *vector, const IndexExpr *row, const IndexExpr *pixel) {
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    Matmul *x = g->matmul;
    const Contraction *c = &g->c;
    const Value *output = e->kernel->outputs[0].value;
    if (!type_same_shape(output->type, c->result->type) || e->kernel->outputs[0].is_remote) return;
    const IndexExpr *m[MAX_RANK], *n[1], *index[MAX_RANK];
    n[0] = index_add(b, g->first, index_scale(b, vector, g->used));
    m[0] = x->m_outer[0];
    if (c->spatial == SLAB_RANK) m[1] = g->first_out[0];
    if (c->spatial > 1) m[c->spatial - 1] = index_add(b, g->first_out[1], row);
    for (int p = 0; p < g->pixels; p++) {
        m[c->spatial] = index_add_constant(b, index_add(b, g->first_out[2], pixel), p);
        conv_result_index(e, c, x->batch, m, n, index);
        const IndexExpr *at = expr_element_number(e->exprs, output, index);
        contract_prefetch(e, emit_address_at(e, output, at, NULL), emit_number(e, 0));
    }
}

// All sums of some pixels of a row, into the scratch. row, pixel: of the slab.
static void multiply_pixels(
    Grouped *g, const IndexExpr *row, const IndexExpr *pixel, LLVMValueRef *locals) {
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    EmitLoop *vector = loop(g, g->vectors);
    prefetch_next_band(g, vector->index, row, pixel);
    prefetch_result(g, vector->index, row, pixel);
    for (int p = 0; p < g->pixels; p++)
        LLVMBuildStore(e->builder, LLVMConstNull(g->math.vector), locals[p]);
    EmitLoop *z = loop(g, g->sizes.window[0]), *y = loop(g, g->sizes.window[1]);
    const IndexExpr *at = index_scale(b, z->index, g->sizes.dilation[0] * g->size[1]);
    at = index_add(b, at, index_scale(b, row, g->sizes.stride[1]));
    at = index_add(b, at, index_scale(b, y->index, g->sizes.dilation[1]));
    at = index_scale(b, at, g->size[2]);
    at = index_add(b, at, index_scale(b, pixel, g->sizes.stride[2]));
    at = index_scale(b, at, g->image_block);
    at = index_add(b, at, index_scale(b, vector->index, g->per_vector * g->ins));
    const IndexExpr *from = index_add(b, index_scale(b, z->index, g->sizes.window[1]), y->index);
    from = index_scale(b, from, g->sizes.window[2] * g->ins * g->vectors);
    from = index_scale(b, index_add(b, from, vector->index), g->lanes);
    Matmul *x = g->matmul;
    RowOfWindow window = {
        .g = g,
        .slab = matmul_scratch(x, 0, g->math.accumulator, at),
        .filter = matmul_scratch(x, x->rhs_at, g->math.accumulator, from)};
    add_row(&window, locals);
    emit_loop_end(e, y);
    emit_loop_end(e, z);
    const IndexExpr *to = index_scale(b, vector->index, g->used);
    LLVMValueRef sums = matmul_scratch(x, x->tiles_at, g->math.accumulator, to);
    get_sums(&window, locals);
    for (int p = 0; p < g->pixels; p++) {
        LLVMValueRef store =
            LLVMBuildStore(e->builder, window.sums[p], word_at(g, sums, p * g->width));
        LLVMSetAlignment(store, (unsigned)element_bytes(g->math.accumulator));
    }
    emit_loop_end(e, vector);
}

static void multiply_band(Grouped *g) {
    const IndexExpr *first_row = g->first_out[1], *first_pixel = g->first_out[2];
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    Matmul *x = g->matmul;
    LLVMValueRef locals[MOST_PIXELS];
    for (int p = 0; p < g->pixels; p++)
        locals[p] = emit_alloca(e, g->math.vector, 1, 64);
    LLVMValueRef zero = emit_number(e, 0);
    EmitLoop *row = emit_loop_begin(
        e, zero, emit_remaining(e, first_row, g->band, g->sizes.out[1]), 1, g->band, false);
    LLVMValueRef count = emit_remaining(e, first_pixel, g->strip, g->sizes.out[2]);
    EmitLoop *group = emit_loop_begin(e, zero, count, g->pixels, g->strip, false);
    const IndexExpr *none = index_constant(b, 0);
    multiply_pixels(g, row->index, group->index, locals);
    const IndexExpr *pixel = index_add(b, first_pixel, group->index);
    if (g->c.spatial > 1) x->m_outer[g->c.spatial - 1] = index_add(b, first_row, row->index);
    FinishRange pixels = {zero, emit_remaining(e, pixel, g->pixels, g->sizes.out[2]), g->pixels};
    FinishRange lanes = {zero, emit_remaining(e, g->first, g->block, g->features), g->block};
    matmul_finish_part(x, none, pixel, g->first, pixels, lanes);
    emit_loop_end(e, group);
    emit_loop_end(e, row);
}

bool grouped_conv_emit(Emit *e, const Contraction *c) {
    Grouped *g = ARENA_NEW(e->arena, Grouped);
    *g = grouped_of(c, e->target);
    IndexBuilder *b = e->index;
    Matmul *x = g->matmul = ARENA_NEW(e->arena, Matmul);
    g->e = x->e = e;
    g->c = *c;
    if (g->pair == 1) contraction_widen(&g->c, e->target);
    g->c.batch = (IndexSpace){.rank = 1, .dims = {1}, .size = 1};
    g->c.n = (IndexSpace){.rank = 1, .dims = {g->features}, .size = g->features};
    x->c = g->c;
    x->is_direct = true;
    x->blocks.tile = (Tile){g->pixels, (int)g->width};
    x->rhs_at = g->slab_bytes;
    x->tiles_at = x->rhs_at + g->filter_bytes;
    x->batch[0] = index_constant(b, 0);
    g->math = contract_vectors(e, e->builder, g->c.how, c->accumulator, g->c.lhs_packed);
    EmitLoop *chunk = emit_loop_begin(e, e->begin, e->end, 1, e->kernel->grid, false);
    g->first = index_scale(b, index_mod(b, chunk->index, g->blocks), g->block);
    const IndexExpr *rest = index_div(b, chunk->index, g->blocks);
    const IndexExpr *first_pixel = index_scale(b, index_mod(b, rest, g->strips), g->strip);
    rest = index_div(b, rest, g->strips);
    const IndexExpr *first_row = index_scale(b, index_mod(b, rest, g->bands), g->band);
    rest = index_div(b, rest, g->bands);
    const IndexExpr *plane = index_mod(b, rest, g->sizes.out[0]),
                    *image = index_div(b, rest, g->sizes.out[0]);
    g->first_out[0] = plane;
    g->first_out[1] = first_row;
    g->first_out[2] = first_pixel;
    x->m_outer[0] = image;
    if (c->spatial == SLAB_RANK) x->m_outer[1] = plane;
    fill_filter(g);
    fill_slab(g, image);
    multiply_band(g);
    emit_loop_end(e, chunk);
    return !e->failed;
}
