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
// borders and holes, as the filter's part is; or it is read where it lies. The sums of some pixels
// of a row stay in registers over the whole window (grouped_products.c).
#include "codegen/contract/conv/conv_grouped.h"
#include "codegen/emit/emit_state.h"

enum { FEW_PIXELS = 8, FEW_VECTORS = 4, MOST_VECTORS = 10, MOST_INS = 16, CHUNKS = 32 };

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
// An image that is read where it lies is read in its order: all features, if the filter stays.
static void choose_vectors(Grouped *g, const Target *target, bool reads_image) {
    int64_t all = ceil_div(g->features, g->used), bytes = target->vector_bits / 8;
    int64_t columns = (g->sizes.out[2] - 1) * g->sizes.stride[2] + g->sizes.window[2];
    int64_t rows = g->sizes.window[0] * g->sizes.window[1] * columns * bytes;
    int64_t places = g->sizes.window[0] * g->sizes.window[1] * g->sizes.window[2] * g->ins * bytes;
    int64_t most = target->l1_bytes / 4 / places;
    bool stay = FEW_VECTORS * rows * g->ins / g->outs <= target->l1_bytes * 3 / 4;
    most = stay || most < FEW_VECTORS ? FEW_VECTORS : most > MOST_VECTORS ? MOST_VECTORS : most;
    if (reads_image && all * places <= target->l2_bytes / 8) most = all;
    g->vectors = ceil_div(all, ceil_div(all, most));
}

// Are words pairs, multiplied as the contraction's row says? Else elements are widened.
static bool takes_pairs(const Contraction *c) {
    bool is_dot = c->how->product == PRODUCT_DOT || c->how->product == PRODUCT_DOT_AND_ADD;
    return is_dot && c->how->group == 2 && !c->lhs_is_raised && c->k.dims[c->spatial] % 2 == 0;
}

// kernel: NULL = any.
static Grouped grouped_of(const Contraction *c, const Target *target, const Kernel *kernel) {
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
    // sums of pairs take longer than multiply-adds
    g.pixels = choose_pixels(g.sizes.out[2], pair > 1 ? MOST_PIXELS : FEW_PIXELS);
    choose_vectors(&g, target, kernel && grouped_may_read_image(&g, c, kernel));
    g.block = g.vectors * g.used;
    g.blocks = ceil_div(g.features, g.block);
    g.image_block = g.vectors * g.per_vector * g.ins;
    for (int d = 0; d < SLAB_RANK; d++) // for one result
        g.size[d] = (g.sizes.window[d] - 1) * g.sizes.dilation[d] + 1;
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
    Grouped g = grouped_of(c, target, NULL);
    return g.slab_bytes + g.filter_bytes <= MOST_SCRATCH;
}

void grouped_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    Grouped g = grouped_of(c, target, kernel);
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

bool grouped_conv_emit(Emit *e, const Contraction *c) {
    Grouped *g = ARENA_NEW(e->arena, Grouped);
    *g = grouped_of(c, e->target, e->kernel);
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
    if (grouped_may_read_image(g, c, e->kernel)) grouped_find_image(g);
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
    if (!g->image.stored) fill_slab(g, image);
    grouped_multiply_band(g);
    emit_loop_end(e, chunk);
    return !e->failed;
}
