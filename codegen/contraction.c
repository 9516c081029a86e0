// contraction: dot_general and convolution as one kind of sum, and its blocking.
#include "codegen/contraction.h"

#include <assert.h>

static void space_add(IndexSpace *space, int64_t size) {
    space->dims[space->rank++] = size;
    space->size *= size;
}

// Products are summed in f32 for narrow floats, in i32 for narrow integers (the result wraps all the same).
static bool accumulator_of(
    ElementType result, ElementType lhs, ElementType rhs, ElementType *accumulator) {
    ElementClass class = element_class(result);
    if (class == CLASS_COMPLEX || class == CLASS_BOOL) return false;
    if (element_class(lhs) == CLASS_COMPLEX || element_class(rhs) == CLASS_COMPLEX) return false;
    if (class == CLASS_FLOAT) {
        bool is_wide = result == ELEMENT_F64 || lhs == ELEMENT_F64 || rhs == ELEMENT_F64;
        *accumulator = is_wide ? ELEMENT_F64 : ELEMENT_F32;
        return true;
    }
    *accumulator = element_bits(result) > 32 ? ELEMENT_I64 : ELEMENT_I32;
    return element_is_integer(lhs) && element_is_integer(rhs);
}

static bool is_in(IntSpan dims, int d) {
    for (int i = 0; i < dims.count; i++) {
        if (dims.data[i] == d) return true;
    }
    return false;
}

static void dot_spaces(const Op *op, Contraction *c) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *lhs = c->lhs->type, *rhs = c->rhs->type;
    for (int i = 0; i < dims->lhs_batch.count; i++) {
        c->lhs_batch[i] = (int)dims->lhs_batch.data[i];
        c->rhs_batch[i] = (int)dims->rhs_batch.data[i];
        space_add(&c->batch, lhs->dims[c->lhs_batch[i]]);
    }
    for (int i = 0; i < dims->lhs_contracting.count; i++) {
        c->lhs_k[i] = (int)dims->lhs_contracting.data[i];
        c->rhs_k[i] = (int)dims->rhs_contracting.data[i];
        space_add(&c->k, lhs->dims[c->lhs_k[i]]);
    }
    for (int d = 0; d < lhs->rank; d++) {
        if (is_in(dims->lhs_batch, d) || is_in(dims->lhs_contracting, d)) continue;
        c->lhs_m[c->m.rank] = d;
        space_add(&c->m, lhs->dims[d]);
    }
    for (int d = 0; d < rhs->rank; d++) {
        if (is_in(dims->rhs_batch, d) || is_in(dims->rhs_contracting, d)) continue;
        c->rhs_n[c->n.rank] = d;
        space_add(&c->n, rhs->dims[d]);
    }
}

static int64_t int_at(const Op *op, AttrName name, int i, int64_t otherwise) {
    IntSpan ints = op_ints(op, name);
    if (i < ints.count) return ints.data[i];
    const Attr *attr = op_attr(op, name); // a splat
    return attr && attr->kind == ATTR_ELEMENTS ? attr_element_int(attr, i) : otherwise;
}

static void conv_spaces(const Op *op, Contraction *c) {
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    const Type *lhs = c->lhs->type, *rhs = c->rhs->type, *result = c->result->type;
    int64_t feature_groups = op_int(op, NAME_FEATURE_GROUP_COUNT, 1);
    int64_t batch_groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1);
    int64_t groups = feature_groups * batch_groups; // one of them is 1
    c->conv = dims;
    c->spatial = dims->input_spatial.count;
    c->groups_split_batch = batch_groups > 1;
    space_add(&c->batch, groups);
    space_add(&c->m, lhs->dims[dims->input_batch] / batch_groups);
    for (int i = 0; i < c->spatial; i++) {
        int64_t kernel = rhs->dims[dims->kernel_spatial.data[i]];
        c->windows[i] = (WindowDim){
            .stride = int_at(op, NAME_WINDOW_STRIDES, i, 1),
            .pad_low = int_at(op, NAME_PADDING, 2 * i, 0),
            .lhs_dilation = int_at(op, NAME_LHS_DILATION, i, 1),
            .rhs_dilation = int_at(op, NAME_RHS_DILATION, i, 1),
            .size = kernel,
            .is_reversed = int_at(op, NAME_WINDOW_REVERSAL, i, 0) != 0,
        };
        space_add(&c->m, result->dims[dims->output_spatial.data[i]]);
        space_add(&c->k, kernel);
    }
    space_add(&c->k, rhs->dims[dims->kernel_input_feature]);
    space_add(&c->n, rhs->dims[dims->kernel_output_feature] / groups);
}

// Do the CPU's tile registers multiply the operands as they are, and sum in the accumulator's type?
static bool fits_tiles(const Contraction *c, const Target *target) {
    ElementType lhs = c->lhs->type->element, rhs = c->rhs->type->element;
    if (c->op->code != OP_DOT_GENERAL) return false;
    if (lhs == ELEMENT_BF16 && rhs == ELEMENT_BF16)
        return target->has_amx_bf16 && c->accumulator == ELEMENT_F32;
    bool are_bytes = element_is_integer(lhs) && element_is_integer(rhs) && element_bits(lhs) == 8 &&
                     element_bits(rhs) == 8;
    return are_bytes && target->has_amx_int8 && c->accumulator == ELEMENT_I32;
}

bool contraction_of(const Op *op, const Target *target, Contraction *c) {
    *c = (Contraction){
        .op = op, .lhs = op_operand(op, 0), .rhs = op_operand(op, 1), .result = op_result(op, 0)};
    c->batch.size = c->m.size = c->n.size = c->k.size = 1;
    if (!accumulator_of(
            c->result->type->element, c->lhs->type->element, c->rhs->type->element,
            &c->accumulator)) {
        return false;
    }
    c->in_tiles = fits_tiles(c, target);
    c->lhs_packed = c->in_tiles ? c->lhs->type->element : c->accumulator;
    c->rhs_packed = c->in_tiles ? c->rhs->type->element : c->accumulator;
    if (op->code == OP_CONVOLUTION) {
        conv_spaces(op, c);
    } else {
        dot_spaces(op, c);
    }
    return true;
}

// ---- elements

static void place(
    const IndexExpr **index, const int *dims, const IndexSpace *space,
    const IndexExpr *const *from) {
    for (int i = 0; i < space->rank; i++) {
        index[dims[i]] = from[i];
    }
}

// The conditions under which a convolution's input element exists.
typedef struct Border {
    LLVMValueRef inside; // i1, NULL = always
    bool never;
} Border;

static void border_and(Emit *e, Border *border, LLVMValueRef condition) {
    border->inside =
        border->inside ? LLVMBuildAnd(e->builder, border->inside, condition, "") : condition;
}

// Position o*stride + w*rhs_dilation - pad_low in the dilated input, and from it the input's index.
static const IndexExpr *input_index(
    Emit *e, const WindowDim *window, const IndexExpr *o, const IndexExpr *w, int64_t size,
    Border *border) {
    IndexBuilder *x = e->index;
    if (window->is_reversed) w = index_sub(x, index_constant(x, window->size - 1), w);
    const IndexExpr *at =
        index_add(x, index_scale(x, o, window->stride), index_scale(x, w, window->rhs_dilation));
    at = index_add_constant(x, at, -window->pad_low);
    int64_t end = size == 0 ? 0 : (size - 1) * window->lhs_dilation + 1;
    switch (index_in_range(at, 0, end)) {
    case INDEX_NEVER: border->never = true; break;
    case INDEX_SOMETIMES: border_and(e, border, emit_index_in_range(e, at, 0, end)); break;
    case INDEX_ALWAYS: break;
    }
    if (window->lhs_dilation == 1) return at;
    const IndexExpr *rest = index_mod(x, at, window->lhs_dilation);
    if (index_in_range(rest, 0, 1) != INDEX_ALWAYS) {
        border_and(e, border, emit_index_in_range(e, rest, 0, 1));
    }
    return index_div(x, at, window->lhs_dilation);
}

static Scalar conv_lhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *k) {
    const IndexExpr *index[MAX_RANK];
    const ConvDims *dims = c->conv;
    const Type *lhs = c->lhs->type;
    Border border = {0};
    for (int i = 0; i < c->spatial; i++) {
        int64_t d = dims->input_spatial.data[i];
        index[d] = input_index(e, &c->windows[i], m[1 + i], k[i], lhs->dims[d], &border);
    }
    const IndexExpr *image = m[0], *feature = k[c->spatial];
    if (c->groups_split_batch) {
        image = index_add(e->index, index_scale(e->index, b[0], c->m.dims[0]), image);
    } else {
        feature = index_add(e->index, index_scale(e->index, b[0], c->k.dims[c->spatial]), feature);
    }
    index[dims->input_batch] = image;
    index[dims->input_feature] = feature;
    Scalar zero = emit_constant(e, c->lhs_packed, 0);
    if (border.never) return zero;
    if (!border.inside) return emit_convert(e, emit_element(e, c->lhs, index), c->lhs_packed);
    EmitIf branch = emit_if(e, border.inside);
    Scalar x = emit_convert(e, emit_element(e, c->lhs, index), c->lhs_packed);
    emit_else(e, &branch);
    emit_end_if(e, &branch);
    return emit_phi(e, &branch, x, zero);
}

Scalar contraction_lhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *k) {
    if (c->conv) return conv_lhs(e, c, b, m, k);
    const IndexExpr *index[MAX_RANK];
    place(index, c->lhs_batch, &c->batch, b);
    place(index, c->lhs_m, &c->m, m);
    place(index, c->lhs_k, &c->k, k);
    return emit_convert(e, emit_element(e, c->lhs, index), c->lhs_packed);
}

Scalar contraction_rhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *k,
    const IndexExpr *const *n) {
    const IndexExpr *index[MAX_RANK];
    if (c->conv) {
        for (int i = 0; i < c->spatial; i++) {
            index[c->conv->kernel_spatial.data[i]] = k[i];
        }
        index[c->conv->kernel_input_feature] = k[c->spatial];
        index[c->conv->kernel_output_feature] =
            index_add(e->index, index_scale(e->index, b[0], c->n.dims[0]), n[0]);
    } else {
        place(index, c->rhs_batch, &c->batch, b);
        place(index, c->rhs_n, &c->n, n);
        place(index, c->rhs_k, &c->k, k);
    }
    return emit_convert(e, emit_element(e, c->rhs, index), c->rhs_packed);
}

Scalar contraction_element(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k) {
    const IndexSpace *lines = is_lhs ? &c->m : &c->n;
    const IndexExpr *line_index[MAX_RANK], *k_index[MAX_RANK];
    index_delinear(e->index, line, lines->rank, lines->dims, line_index);
    index_delinear(e->index, k, c->k.rank, c->k.dims, k_index);
    return is_lhs ? contraction_lhs(e, c, b, line_index, k_index)
                  : contraction_rhs(e, c, b, k_index, line_index);
}

void contraction_result_index(
    const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *n, const IndexExpr **index) {
    assert(!c->conv);
    int d = 0;
    for (int i = 0; i < c->batch.rank; i++) {
        index[d++] = b[i];
    }
    for (int i = 0; i < c->m.rank; i++) {
        index[d++] = m[i];
    }
    for (int i = 0; i < c->n.rank; i++) {
        index[d++] = n[i];
    }
}

// ---- memory order

// The dimension of a value along which neighbouring elements are neighbours in memory, through fused views and pointwise ops; -1 = unknown.
static int contiguous_dim(const Kernel *kernel, const Value *value, int depth) {
    if (value->type->rank == 0 || depth > 32) return -1;
    int operand = kernel_operand(kernel, value);
    if (operand >= 0) {
        const Buffer *buffer = operand < kernel->output_count
                                   ? kernel->outputs[operand].buffer
                                   : kernel->inputs[operand - kernel->output_count].buffer;
        for (int d = value->type->rank - 1; d >= 0; d--) {
            if (value->type->dims[d] > 1 &&
                (buffer->rank != value->type->rank || buffer->strides[d] == 1)) {
                return d;
            }
        }
        return value->type->rank - 1;
    }
    const Op *op = value->def;
    if (!op || op->operand_count == 0) return -1;
    const Value *from = op_operand(op, op->code == OP_SELECT ? 1 : 0);
    int inner = contiguous_dim(kernel, from, depth + 1);
    if (op->code == OP_TRANSPOSE && inner >= 0) {
        IntSpan permutation = op_ints(op, NAME_PERMUTATION);
        for (int d = 0; d < permutation.count; d++) {
            if (permutation.data[d] == inner) return d;
        }
    }
    if (op->code == OP_BROADCAST_IN_DIM && inner >= 0) {
        IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
        return inner < dims.count ? (int)dims.data[inner] : -1;
    }
    if (from->type->rank == value->type->rank) return inner;
    return value->type->rank - 1;
}

bool contraction_k_is_contiguous(const Emit *e, const Contraction *c, bool is_lhs) {
    int d = contiguous_dim(e->kernel, is_lhs ? c->lhs : c->rhs, 0);
    if (d < 0) return false;
    if (c->conv) {
        // packing an image walks its rows: the window's features are the contiguous part of k
        return d == (is_lhs ? c->conv->input_feature : c->conv->kernel_input_feature);
    }
    const int *dims = is_lhs ? c->lhs_k : c->rhs_k;
    for (int i = 0; i < c->k.rank; i++) {
        if (dims[i] == d) return true;
    }
    return false;
}

bool contraction_n_is_contiguous(const Contraction *c) {
    if (!c->conv) return c->n.size > 1 || c->m.size == 1;
    return c->conv->output_feature == c->result->type->rank - 1;
}

// ---- blocking

static int64_t ceil_div(int64_t x, int64_t by) { return (x + by - 1) / by; }
static int64_t round_up(int64_t x, int64_t to) { return ceil_div(x, to) * to; }
static int64_t clamp(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

int contract_lanes(const Contraction *c, const Target *target) {
    int lanes = target->vector_bits / element_bits(c->accumulator);
    return lanes < 1 ? 1 : lanes;
}

// Register tile: the target's, cut to few rows when M is small (more columns then fill the registers).
static Tile choose_vectors(const Contraction *c, const Target *target) {
    Tile tile = target_tile(target, c->accumulator);
    int lanes = contract_lanes(c, target);
    int accumulators = tile.rows * tile.columns / lanes;
    if (c->n.size <= lanes) tile.columns = lanes;
    if (c->m.size < tile.rows || tile.columns == lanes) {
        int rows = (int)clamp(c->m.size, 1, accumulators * lanes / tile.columns);
        if (rows > 24) rows = 24;
        int vectors = (int)clamp(accumulators / rows, 1, 6);
        int needed = (int)ceil_div(c->n.size, lanes);
        tile.rows = rows;
        tile.columns = lanes * (vectors < needed ? vectors : needed);
    }
    if (tile.columns < lanes) tile.columns = lanes;
    return tile;
}

// Tile registers: four accumulators of at most 16 x 16, two by two where both M and N have so many; equal rows, so that the last tile is no sliver.
static Tile choose_tiles(const Contraction *c) {
    enum { SIDE = 16, ACCUMULATORS = 4 };
    int64_t M = c->m.size, N = c->n.size;
    int64_t down = M > SIDE ? 2 : 1, across = N > SIDE ? 2 : 1;
    if (down == 1) across = clamp(ceil_div(N, SIDE), 1, ACCUMULATORS);
    if (across == 1) down = clamp(ceil_div(M, SIDE), 1, ACCUMULATORS);
    int64_t panels = ceil_div(M, SIDE * down);
    return (Tile){(int)(ceil_div(M, panels * down) * down), (int)(across * SIDE)};
}

// Forms of the panels. A row of a tile register holds 64 bytes: k's of one row of A; of B columns times as many k's as fill 4 bytes.
static void choose_forms(const Contraction *c, ContractBlocks *blocks) {
    enum { ROW_BYTES = 64, WORD_BYTES = 4 };
    int64_t bytes = (int64_t)element_bytes(c->lhs_packed),
            group = c->in_tiles ? WORD_BYTES / bytes : 1, step = 1;
    if (c->in_tiles)
        step = c->k.size < ROW_BYTES / bytes ? round_up(c->k.size, group) : ROW_BYTES / bytes;
    blocks->lhs = (PanelForm){c->lhs_packed, blocks->tile.rows, step, step};
    blocks->rhs = (PanelForm){c->rhs_packed, blocks->tile.columns, group, step};
}

// Source of the scheme: Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008; sizes as in Low, Igual,
// Smith, Quintana-Orti, "Analytical Modeling Is Enough for High-Performance BLIS", ACM TOMS 43(2), 2016: a B micro-panel stays in L1, an A block in
// L2; the packed B of a block of columns, over all of K, in the shared cache. Tile registers multiply faster than the shared cache gives: there B stays
// in L2, and A, packed once, streams.
static void choose_cache_blocks(
    const Contraction *c, const Target *target, ContractBlocks *blocks) {
    enum { RHS_BYTES = 4 << 20 };
    int64_t bytes = (int64_t)element_bytes(c->lhs_packed);
    int64_t MR = blocks->tile.rows, NR = blocks->tile.columns;
    int64_t M = c->m.size, N = c->n.size, K = c->k.size > 0 ? c->k.size : 1;
    int64_t kc = clamp(target->l1_bytes / (c->in_tiles ? 2 : 1) / (NR * bytes), 64, 512);
    blocks->k_blocks = ceil_div(K, kc);
    blocks->kc = round_up(ceil_div(K, blocks->k_blocks), blocks->lhs.k_step);
    blocks->k_blocks = ceil_div(K, blocks->kc);
    blocks->k_padded = round_up(K, blocks->lhs.k_step);
    int64_t mc = clamp(target->l2_bytes / (c->in_tiles ? 6 : 3) / (blocks->kc * bytes), MR, 480);
    blocks->mc = round_up(ceil_div(M, ceil_div(M, mc)), MR);
    int64_t rhs_bytes = c->in_tiles ? target->l2_bytes / 2 : RHS_BYTES;
    int64_t nc = clamp(rhs_bytes / (K * bytes), NR, 4096) / NR * NR;
    blocks->nc = round_up(ceil_div(N, ceil_div(N, nc)), NR);
}

// Enough chunks to share out, but none smaller than about a megaflop (tile registers: a few).
static void choose_chunks(const Contraction *c, ContractBlocks *blocks) {
    enum { CHUNKS = 16, SMALL_CHUNK = 1 << 19, SMALL_CHUNK_OF_TILES = 1 << 22 };
    int64_t MR = blocks->tile.rows, NR = blocks->tile.columns;
    int64_t M = c->m.size, N = c->n.size,
            smallest = c->in_tiles ? SMALL_CHUNK_OF_TILES : SMALL_CHUNK;
    while (c->batch.size * ceil_div(M, blocks->mc) * ceil_div(N, blocks->nc) < CHUNKS &&
           blocks->mc * blocks->nc > smallest / c->k.size) {
        bool prefers_rows = blocks->mc > 4 * MR && blocks->mc * 2 >= blocks->nc;
        if (!prefers_rows && blocks->nc > 2 * NR) {
            blocks->nc = round_up(blocks->nc / 2, NR);
        } else if (blocks->mc > MR) {
            blocks->mc = round_up(blocks->mc / 2, MR);
        } else {
            break;
        }
    }
    blocks->m_blocks = ceil_div(M, blocks->mc);
    blocks->n_blocks = ceil_div(N, blocks->nc);
}

ContractBlocks contract_blocks(const Contraction *c, const Target *target) {
    enum { KEPT_BYTES = 16 << 20 };
    ContractBlocks blocks = {.tile = c->in_tiles ? choose_tiles(c) : choose_vectors(c, target)};
    choose_forms(c, &blocks);
    choose_cache_blocks(c, target, &blocks);
    choose_chunks(c, &blocks);
    int64_t bytes = (int64_t)element_bytes(c->lhs_packed),
            word = (int64_t)element_bytes(c->accumulator);
    int64_t block = blocks.mc * blocks.kc * bytes,
            all = blocks.mc * blocks.m_blocks * blocks.k_padded * bytes;
    blocks.keeps_lhs = c->in_tiles && blocks.n_blocks > 1 && all <= KEPT_BYTES;
    int lanes = contract_lanes(c, target);
    int64_t MR = blocks.tile.rows, NR = blocks.tile.columns;
    blocks.lhs_bytes =
        round_up((blocks.keeps_lhs ? all : block) + pack_slack(lanes, MR) * word, 64);
    blocks.rhs_bytes =
        round_up(blocks.nc * blocks.k_padded * bytes + pack_slack(lanes, NR) * word, 64);
    blocks.tile_bytes =
        round_up((blocks.k_blocks > 1 ? blocks.mc * blocks.nc : MR * NR) * word, 64);
    return blocks;
}
