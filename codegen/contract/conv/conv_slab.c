// conv_slab: see conv_slab.h.
//
// Rows and columns are cut where the image begins and ends, and where what it is made of does (the
// neighbours' halos of a sharded image): no loop over a piece has a condition inside, so that it
// runs over columns and features together.
#include "codegen/contract/conv/conv_slab.h"

#include "codegen/element/contiguous.h"
#include "codegen/element/element.h"
#include "codegen/emit/emit_state.h"
#include "codegen/emit/tile_stage.h"
#include "codegen/expr/uses.h"

enum { MOST_PIECES = 7 };

typedef struct Pieces {
    int count;
    int64_t cuts[MOST_PIECES + 1]; // of the padded image: [cuts[k], cuts[k + 1])
} Pieces;

typedef struct Fill {
    Matmul *matmul;
    Emit *e;
    Contraction view; // windows of one place
    const ConvSlab *slab;
    bool along_columns, along_features; // the image's memory
    bool is_joined;                     // columns and features are one loop
    LLVMValueRef line; // a row of the slab without zeros, from which they are spread; NULL = none
    Pieces pieces[SLAB_RANK];
    const IndexExpr *place[SLAB_RANK];     // in the slab
    const IndexExpr *in_padded[SLAB_RANK]; // the same in the padded image
} Fill;

static int spatial_of(const Fill *f, int d) { return d - (SLAB_RANK - f->view.spatial); }

ConvSizes conv_sizes(const Contraction *c) {
    const WindowDim one = {.stride = 1, .rhs_dilation = 1, .size = 1};
    ConvSizes sizes = {.out = {0}};
    for (int d = 0; d < SLAB_RANK; d++) {
        int i = d - (SLAB_RANK - c->spatial);
        const WindowDim *window = i < 0 ? &one : &c->windows[i];
        sizes.out[d] = i < 0 ? 1 : c->m.dims[c->m_spatial + i];
        sizes.stride[d] = window->stride;
        sizes.window[d] = window->size;
        sizes.dilation[d] = window->rhs_dilation;
    }
    return sizes;
}

Contraction conv_images_last(const Contraction *c) {
    Contraction turned = *c;
    if (c->m_image != 0) return turned;
    turned.m_image = c->spatial;
    turned.m_spatial = 0;
    for (int i = 0; i < c->spatial; i++)
        turned.m.dims[i] = c->m.dims[1 + i];
    turned.m.dims[c->spatial] = c->m.dims[0];
    return turned;
}

// ---- cuts

static void add_cut(Pieces *pieces, int64_t at) {
    int k = 0;
    if (at <= 0 || at >= pieces->cuts[pieces->count] || pieces->count == MOST_PIECES) return;
    while (pieces->cuts[k] < at)
        k++;
    if (pieces->cuts[k] == at) return;
    for (int i = pieces->count; i >= k; i--)
        pieces->cuts[i + 1] = pieces->cuts[i];
    pieces->cuts[k] = at;
    pieces->count++;
}

// Where conditions on a place of the image, which is variable `id`, change.
static void cut_at_conditions(Pieces *pieces, const IndexUses *uses, int id, int64_t pad_low) {
    for (int64_t u = 0; u < uses->count; u++) {
        const IndexUse *use = &uses->data[u];
        const IndexExpr *x = use->index;
        bool is_place = use->kind == USE_CONDITION && x->term_count == 1 && x->factors[0] == 1 &&
                        x->atoms[0]->kind == INDEX_VARIABLE && x->atoms[0]->id == id;
        if (!is_place) continue;
        add_cut(pieces, use->low - x->constant + pad_low);
        add_cut(pieces, use->high - x->constant + pad_low);
    }
}

// What the image is at a place of variables, one for each dimension.
static IndexUses uses_of_image(Fill *f, int *variables) {
    ExprBuilder *b = f->e->exprs;
    const Type *type = f->view.lhs->type;
    const IndexExpr *index[MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        variables[d] = expr_new_variable(b, false);
        index[d] = index_variable(f->e->index, variables[d], type->dims[d]);
    }
    IndexUses uses = {0};
    UseWalk walk = use_walk(b, &uses);
    uses_of_expr(&walk, expr_of(b, f->view.lhs, index));
    return uses;
}

static void find_pieces(Fill *f) {
    int variables[MAX_RANK];
    IndexUses uses = uses_of_image(f, variables);
    for (int d = 0; d < SLAB_RANK; d++) {
        Pieces *pieces = &f->pieces[d];
        *pieces = (Pieces){.count = 1, .cuts = {0, f->slab->all[d]}};
        if (spatial_of(f, d) < 0) continue;
        const WindowDim *window = &f->view.windows[spatial_of(f, d)];
        int64_t in = f->view.conv->input_spatial.data[spatial_of(f, d)];
        int64_t size = f->view.lhs->type->dims[in];
        add_cut(pieces, window->pad_low);
        add_cut(pieces, window->pad_low + (size > 0 ? (size - 1) * window->lhs_dilation + 1 : 0));
        if (window->lhs_dilation == 1)
            cut_at_conditions(pieces, &uses, variables[in], window->pad_low);
    }
}

// ---- loops

// The image's element at the place.
static Scalar image_element(Fill *f, const IndexExpr *feature) {
    IndexBuilder *b = f->e->index;
    const ConvSlab *slab = f->slab;
    const IndexExpr *m[MAX_RANK], *k[MAX_RANK];
    for (int d = 0; d < SLAB_RANK; d++) {
        int i = spatial_of(f, d);
        if (i < 0) continue;
        m[f->view.m_spatial + i] = f->in_padded[d];
        k[i] = index_constant(b, 0);
    }
    if (slab->has_groups_inside) {
        const IndexExpr *group = index_add(b, slab->first_feature, feature);
        m[f->view.m_image] = index_constant(b, 0);
        k[f->view.spatial] = slab->image;
        return contraction_lhs(f->e, &f->view, &group, m, k);
    }
    if (slab->first_feature) feature = index_add(b, slab->first_feature, feature);
    m[f->view.m_image] = slab->has_images_inside ? feature : slab->image;
    k[f->view.spatial] = slab->has_images_inside ? slab->image : feature;
    return contraction_lhs(f->e, &f->view, f->matmul->batch, m, k);
}

// Elements of a feature that has a plane of its own.
static int64_t plane_of(const ConvSlab *slab) {
    return slab->plane ? slab->plane : slab->size[0] * slab->size[1] * slab->size[2];
}

// Number of the place in the slab.
static const IndexExpr *place_number(const Fill *f) {
    IndexBuilder *b = f->e->index;
    const IndexExpr *at = index_constant(b, 0);
    for (int d = 0; d < SLAB_RANK; d++)
        at = index_add(b, index_scale(b, at, f->slab->size[d]), f->place[d]);
    return at;
}

static void put(Fill *f, const IndexExpr *feature, bool exists) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const ConvSlab *slab = f->slab;
    const IndexExpr *at = place_number(f);
    Scalar element = exists ? image_element(f, feature) : emit_constant(e, f->view.lhs_packed, 0);
    LLVMValueRef to = f->line ? f->line : emit_scratch(e, slab->at);
    if (f->line) at = f->place[SLAB_RANK - 1];
    if (slab->features_first) {
        at = index_add(b, index_scale(b, feature, plane_of(slab)), at);
        if (slab->behind) at = index_add(b, at, slab->behind);
    } else {
        at = index_scale(b, at, f->line ? slab->features : slab->features + slab->zeros);
        at = index_add(b, at, feature);
    }
    emit_private_store(e, f->view.lhs_packed, to, emit_index(e, at), element);
}

// ---- zeros behind the features

static int64_t vector_elements(const Fill *f) {
    return f->e->target->vector_bits / 8 / (int64_t)element_bytes(f->view.lhs_packed);
}

// Places whose features and zeros fill a vector.
static int64_t vector_places(const Fill *f) {
    return vector_elements(f) / (f->slab->features + f->slab->zeros);
}

// Rows are made without zeros first, as memory has them, and then vectors of them are spread.
static bool can_spread(const Fill *f) {
    enum { MOST_BYTES = 16 << 10 }; // of a line, on the stack
    int64_t columns = f->slab->size[SLAB_RANK - 1], places = vector_places(f);
    return f->slab->zeros > 0 && places > 1 && columns >= places &&
           columns * f->slab->features * (int64_t)element_bytes(f->view.lhs_packed) <= MOST_BYTES;
}

// A vector of features, with zeros between them.
static LLVMValueRef spread(const Fill *f, LLVMValueRef x) {
    enum { MOST = 64 };
    LLVMTypeRef i32 = LLVMInt32TypeInContext(f->e->context);
    int64_t features = f->slab->features, wide = features + f->slab->zeros;
    int64_t count = vector_elements(f), places = vector_places(f);
    LLVMValueRef from[MOST];
    for (int64_t i = 0; i < count; i++) {
        bool exists = i / wide < places && i % wide < features;
        int64_t at = exists ? i / wide * features + i % wide : count;
        from[i] = LLVMConstInt(i32, (unsigned long long)at, 0);
    }
    return LLVMBuildShuffleVector(
        f->e->builder, x, LLVMConstNull(LLVMTypeOf(x)), LLVMConstVector(from, (unsigned)count), "");
}

// The line into the slab. The last vector ends with the line's last place; what any of them writes
// behind its places is overwritten by what comes next, or lies behind the slab.
static void spread_line(Fill *f) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const ConvSlab *slab = f->slab;
    int64_t wide = slab->features + slab->zeros, places = vector_places(f);
    unsigned alignment = (unsigned)element_bytes(f->view.lhs_packed);
    LLVMTypeRef element = emit_memory_type(e, f->view.lhs_packed),
                vector = LLVMVectorType(element, (unsigned)vector_elements(f));
    const IndexExpr *row = index_constant(b, 0);
    for (int d = 0; d < COLUMN; d++)
        row = index_add(b, index_scale(b, row, slab->size[d]), f->place[d]);
    LLVMValueRef first = emit_index(e, index_scale(b, row, slab->size[COLUMN] * wide));
    LLVMValueRef to =
        LLVMBuildInBoundsGEP2(e->builder, element, emit_scratch(e, slab->at), &first, 1, "");
    EmitLoop *loop = emit_loop_begin(
        e, emit_number(e, 0), emit_number(e, slab->size[COLUMN]), places, slab->size[COLUMN],
        false);
    LLVMValueRef at = emit_minimum(e, loop->phi, emit_number(e, slab->size[COLUMN] - places));
    LLVMValueRef in_line = LLVMBuildNSWMul(e->builder, at, emit_number(e, slab->features), "");
    LLVMValueRef x = LLVMBuildInBoundsGEP2(e->builder, element, f->line, &in_line, 1, "");
    x = LLVMBuildLoad2(e->builder, vector, x, "");
    LLVMSetAlignment(x, alignment);
    LLVMValueRef in_slab = LLVMBuildNSWMul(e->builder, at, emit_number(e, wide), "");
    to = LLVMBuildInBoundsGEP2(e->builder, element, to, &in_slab, 1, "");
    LLVMSetAlignment(LLVMBuildStore(e->builder, spread(f, x), to), alignment);
    emit_loop_end(e, loop);
}

// ---- pieces

// How many of the slab's features exist.
static LLVMValueRef features_left(const Fill *f) {
    const ConvSlab *slab = f->slab;
    const ConvDims *dims = f->view.conv;
    int64_t inside = slab->has_images_inside ? dims->input_batch : dims->input_feature;
    int64_t all = slab->has_groups_inside ? f->view.batch.size : f->view.lhs->type->dims[inside];
    return slab->first_feature ? emit_remaining(f->e, slab->first_feature, slab->features, all)
                               : emit_number(f->e, slab->features);
}

// From a feature on.
static EmitLoop *features_begin(Fill *f, int64_t from, bool vectorize, bool exists) {
    const ConvSlab *slab = f->slab;
    int64_t all_places = slab->features + slab->zeros;
    if (!exists)
        return emit_loop_begin(
            f->e, emit_number(f->e, slab->features), emit_number(f->e, all_places), 1, all_places,
            vectorize);
    LLVMValueRef first = emit_number(f->e, slab->first_feature ? 0 : from);
    return emit_loop_begin(f->e, first, features_left(f), 1, slab->features, vectorize);
}

typedef struct PieceRange {
    int64_t start, size;
    LLVMValueRef low, high; // of the piece, in places or in elements
} PieceRange;

// Places of the last dimension, by their number in the piece.
static void set_column(Fill *f, const PieceRange *range, const IndexExpr *column) {
    IndexBuilder *b = f->e->index;
    f->in_padded[COLUMN] = index_add_constant(b, column, range->start);
    f->place[COLUMN] = index_sub(b, f->in_padded[COLUMN], f->slab->first[COLUMN]);
}

// Features whose places lie side by side in the image's memory, squares of them transposed in
// registers: from the image to rows of a local array, from there to places of the slab.
static void fill_squares(Fill *f, const PieceRange *range, int side, int64_t features) {
    enum { MOST_PLACES = 64 }; // a row of the array
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    ElementType type = f->view.lhs_packed;
    int64_t wide = f->slab->features + f->slab->zeros;
    LLVMTypeRef memory = emit_memory_type(e, type);
    LLVMValueRef rows = emit_alloca(e, memory, (int64_t)side * MOST_PLACES, 64),
                 turned = emit_alloca(e, memory, (int64_t)side * MOST_PLACES, 64);
    EmitLoop *block = emit_loop_begin(
        e, emit_number(e, 0), emit_number(e, features), side, f->slab->features, false);
    EmitLoop *places = emit_loop_begin(e, range->low, range->high, MOST_PLACES, range->size, false);
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, emit_block_end(e, places), places->phi, "");
    EmitLoop *feature = emit_loop_constant(e, side, false);
    EmitLoop *column = emit_loop_begin(e, emit_number(e, 0), count, 1, MOST_PLACES, true);
    column->lanes = contract_lanes(&f->view, e->target);
    column->is_tail = true;
    set_column(f, range, index_add(b, places->index, column->index));
    Scalar x = image_element(f, index_add(b, block->index, feature->index));
    const IndexExpr *at = index_add(b, index_scale(b, feature->index, MOST_PLACES), column->index);
    emit_private_store(e, type, rows, emit_index(e, at), x);
    emit_loop_end(e, column);
    emit_loop_end(e, feature);
    EmitLoop *square = emit_loop_begin(e, emit_number(e, 0), count, side, MOST_PLACES, false);
    LLVMValueRef to = LLVMBuildNSWMul(e->builder, square->phi, emit_number(e, side), "");
    Square turn = {
        .side = side,
        .bits = (unsigned)element_bytes(type) * 8,
        .alignment = (unsigned)element_bytes(type),
        .from = LLVMBuildInBoundsGEP2(e->builder, memory, rows, &square->phi, 1, ""),
        .to = LLVMBuildInBoundsGEP2(e->builder, memory, turned, &to, 1, ""),
        .from_stride = MOST_PLACES,
        .to_stride = side};
    emit_transpose_square(e, &turn);
    emit_loop_end(e, square);
    EmitLoop *place = emit_loop_begin(e, emit_number(e, 0), count, 1, MOST_PLACES, false);
    set_column(f, range, index_add(b, places->index, place->index));
    const IndexExpr *first = index_add(b, index_scale(b, place_number(f), wide), block->index);
    EmitLoop *in_place = emit_loop_constant(e, side, true);
    at = index_add(b, index_scale(b, place->index, side), in_place->index);
    x = emit_private_load(e, type, turned, emit_index(e, at));
    emit_private_store(
        e, type, emit_scratch(e, f->slab->at), emit_index(e, index_add(b, first, in_place->index)),
        x);
    emit_loop_end(e, in_place);
    emit_loop_end(e, place);
    emit_loop_end(e, places);
    emit_loop_end(e, block);
}

// Features that lie side by side in the image's memory into planes of the slab, squares of them
// transposed in registers.
static void fill_planes(Fill *f, const PieceRange *range, int side) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const ConvSlab *slab = f->slab;
    ElementType type = f->view.lhs_packed;
    LLVMTypeRef memory = emit_memory_type(e, type);
    LLVMValueRef rows = emit_alloca(e, memory, (int64_t)side * side, 64),
                 turned = emit_alloca(e, memory, (int64_t)side * side, 64);
    EmitLoop *block =
        emit_loop_begin(e, emit_number(e, 0), features_left(f), side, slab->features, false);
    EmitLoop *places = emit_loop_begin(e, range->low, range->high, side, range->size, false);
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, emit_block_end(e, places), places->phi, "");
    EmitLoop *place = emit_loop_begin(e, emit_number(e, 0), count, 1, side, false);
    set_column(f, range, index_add(b, places->index, place->index));
    EmitLoop *feature = emit_loop_constant(e, side, true);
    Scalar x = image_element(f, index_add(b, block->index, feature->index));
    const IndexExpr *at = index_add(b, index_scale(b, place->index, side), feature->index);
    emit_private_store(e, type, rows, emit_index(e, at), x);
    emit_loop_end(e, feature);
    emit_loop_end(e, place);
    Square turn = {
        .side = side,
        .bits = (unsigned)element_bytes(type) * 8,
        .alignment = (unsigned)element_bytes(type),
        .from = rows,
        .to = turned,
        .from_stride = side,
        .to_stride = side};
    emit_transpose_square(e, &turn);
    feature = emit_loop_constant(e, side, false);
    EmitLoop *column = emit_loop_begin(e, emit_number(e, 0), count, 1, side, true);
    column->lanes = contract_lanes(&f->view, e->target);
    column->is_tail = true;
    set_column(f, range, index_add(b, places->index, column->index));
    const IndexExpr *to =
        index_scale(b, index_add(b, block->index, feature->index), plane_of(slab));
    if (slab->behind) to = index_add(b, to, slab->behind);
    at = index_add(b, index_scale(b, feature->index, side), column->index);
    x = emit_private_load(e, type, turned, emit_index(e, at));
    to = index_add(b, to, place_number(f));
    emit_private_store(e, type, emit_scratch(e, slab->at), emit_index(e, to), x);
    emit_loop_end(e, column);
    emit_loop_end(e, feature);
    emit_loop_end(e, places);
    emit_loop_end(e, block);
}

// The side of squares in which the planes of the slab are made; 0 = they are not.
static int side_of_planes(const Fill *f, bool exists) {
    const ConvSlab *slab = f->slab;
    int side = tile_square_side(f->e, (int64_t)element_bytes(f->view.lhs_packed));
    bool applies = slab->features_first && exists && side > 0 && f->along_features &&
                   element_class(f->view.lhs_packed) != CLASS_COMPLEX;
    if (!applies || slab->features % side != 0) return 0;
    const ConvDims *dims = f->view.conv;
    int64_t inside = slab->has_images_inside ? dims->input_batch : dims->input_feature;
    return slab->first_feature && f->view.lhs->type->dims[inside] % side != 0 ? 0 : side;
}

// How many features, from the first one on, are transposed in squares; *side: of these.
static int64_t features_in_squares(const Fill *f, bool exists, int *side) {
    const ConvSlab *slab = f->slab;
    *side = tile_square_side(f->e, (int64_t)element_bytes(f->view.lhs_packed));
    bool applies = f->along_columns && exists && !slab->first_feature && *side > 0 &&
                   !slab->features_first && element_class(f->view.lhs_packed) != CLASS_COMPLEX;
    return applies ? slab->features / *side * *side : 0;
}

// All features of the places, or the zeros behind them.
static void fill_places(Fill *f, const PieceRange *range, bool exists) {
    int side;
    int64_t in_squares = features_in_squares(f, exists, &side);
    if (in_squares > 0) fill_squares(f, range, side, in_squares);
    if (in_squares > 0 && in_squares == f->slab->features) return;
    side = side_of_planes(f, exists);
    if (side > 0) {
        fill_planes(f, range, side);
        return;
    }
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const ConvSlab *slab = f->slab;
    bool is_inner = f->along_columns || f->is_joined;
    int64_t features = f->is_joined ? slab->features : 1;
    EmitLoop *outer = f->along_columns ? features_begin(f, in_squares, false, exists) : NULL;
    EmitLoop *loop =
        emit_loop_begin(e, range->low, range->high, 1, range->size * features, is_inner);
    EmitLoop *inner = is_inner ? NULL : features_begin(f, 0, true, exists);
    if (slab->features_first) { // rows may be short
        loop->lanes = contract_lanes(&f->view, e->target);
        loop->is_tail = true;
    }
    const IndexExpr *column = index_div(b, loop->index, features);
    const IndexExpr *feature = outer   ? outer->index
                               : inner ? inner->index
                                       : index_mod(b, loop->index, features);
    set_column(f, range, column);
    put(f, feature, exists);
    if (inner) emit_loop_end(e, inner);
    emit_loop_end(e, loop);
    if (outer) emit_loop_end(e, outer);
}

// Columns in [start, start + size) that no image has.
static bool is_border(const Fill *f, int64_t start, int64_t size) {
    int i = f->view.spatial - 1;
    const WindowDim *window = &f->view.windows[i];
    int64_t columns = f->view.lhs->type->dims[f->view.conv->input_spatial.data[i]];
    int64_t end = window->pad_low + (columns - 1) * window->lhs_dilation + 1;
    return start + size <= window->pad_low || start >= end;
}

// The places of the last dimension that lie in a piece.
static void fill_piece(Fill *f, int64_t start, int64_t size) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const ConvSlab *slab = f->slab;
    if (slab->has_zero_columns && is_border(f, start, size)) return;
    int64_t features = f->is_joined ? slab->features : 1;
    const IndexExpr *begin = slab->first[COLUMN];
    LLVMValueRef low = emit_index(e, index_add_constant(b, begin, -start));
    LLVMValueRef high = emit_index(e, index_add_constant(b, begin, slab->size[COLUMN] - start));
    LLVMValueRef zero = emit_number(e, 0), scale = emit_number(e, features);
    LLVMValueRef is_before = LLVMBuildICmp(e->builder, LLVMIntSLT, low, zero, "");
    low = LLVMBuildSelect(e->builder, is_before, zero, low, "");
    high = emit_minimum(e, high, emit_number(e, size));
    PieceRange range = {
        start, size, LLVMBuildNSWMul(e->builder, low, scale, ""),
        LLVMBuildNSWMul(e->builder, high, scale, "")};
    fill_places(f, &range, true);
    if (slab->zeros > 0 && !f->line) fill_places(f, &range, false);
}

// The dimensions from d on.
static void fill_from(Fill *f, int d) {
    Emit *e = f->e;
    IndexBuilder *b = e->index;
    const Pieces *pieces = &f->pieces[d];
    bool is_last = d == SLAB_RANK - 1;
    EmitLoop *loop = is_last ? NULL : emit_loop_constant(e, f->slab->size[d], false);
    const IndexExpr *at = is_last ? NULL : index_add(b, f->slab->first[d], loop->index);
    if (loop) f->place[d] = loop->index;
    for (int k = 0; k < pieces->count && !e->failed; k++) {
        int64_t start = pieces->cuts[k], size = pieces->cuts[k + 1] - start;
        if (is_last) {
            fill_piece(f, start, size);
            continue;
        }
        f->in_padded[d] = at;
        if (pieces->count == 1) {
            fill_from(f, d + 1);
            continue;
        }
        LLVMValueRef here = emit_index(e, index_add_constant(b, at, -start));
        EmitIf is_here =
            emit_if(e, LLVMBuildICmp(e->builder, LLVMIntULT, here, emit_number(e, size), ""));
        f->in_padded[d] = index_add_constant(b, emit_variable(e, here, size), start);
        fill_from(f, d + 1);
        emit_end_if(e, &is_here);
    }
    if (is_last && f->line) spread_line(f);
    if (loop) emit_loop_end(e, loop);
}

void conv_slab_fill(Matmul *x, const ConvSlab *slab) {
    Fill f = {.matmul = x, .e = x->e, .view = x->c, .slab = slab};
    for (int i = 0; i < f.view.spatial; i++) {
        f.view.windows[i].stride = 1; // "output position" = position in the padded image
        f.view.windows[i].size = 1;
        f.view.windows[i].is_reversed = false;
    }
    const ConvDims *dims = f.view.conv;
    int contiguous = contiguous_dim(x->e->exprs, f.view.lhs);
    f.along_columns = contiguous == dims->input_spatial.data[f.view.spatial - 1];
    int64_t inside = slab->has_images_inside ? dims->input_batch : dims->input_feature;
    f.along_features = contiguous == inside;
    bool whole = !slab->has_groups_inside && contiguous == inside &&
                 slab->features == f.view.lhs->type->dims[inside] &&
                 f.view.windows[f.view.spatial - 1].lhs_dilation == 1;
    f.is_joined = whole && !slab->features_first && (slab->zeros == 0 || can_spread(&f));
    if (f.is_joined && slab->zeros > 0) {
        int64_t count = slab->size[SLAB_RANK - 1] * slab->features + vector_elements(&f);
        f.line = emit_alloca(x->e, emit_memory_type(x->e, f.view.lhs_packed), count, 64);
    }
    find_pieces(&f);
    fill_from(&f, 0);
}

// ---- parts

void slab_parts_set_size(SlabParts *parts, const int64_t *places) {
    for (int d = 0; d < SLAB_RANK; d++) {
        parts->part[d] = (places[d] + parts->step[d] - 1) / parts->step[d];
        parts->size[d] = parts->part[d] * parts->step[d];
    }
}

int64_t slab_parts_elements(const SlabParts *parts) {
    return parts->features * parts->size[0] * parts->size[1] * parts->size[2] * parts->lanes;
}

bool slab_is_whole(const SlabParts *parts) { return parts->step[1] == 1 && parts->step[2] == 1; }

int64_t slab_parts_place(const SlabParts *parts, int64_t feature, const int64_t *place) {
    const int64_t *step = parts->step, *part = parts->part;
    int64_t number = place[1] % step[1] * step[2] + place[2] % step[2];
    number = (number * parts->features + feature) * part[0] + place[0];
    number = (number * part[1] + place[1] / step[1]) * part[2] + place[2] / step[2];
    return number * parts->lanes;
}

void slab_parts_fill(Emit *e, ElementType element, const SlabParts *parts) {
    IndexBuilder *b = e->index;
    const int64_t *step = parts->step;
    bool has_lanes = parts->lanes > 1;
    EmitLoop *part_row = emit_loop_constant(e, step[1], false),
             *part_column = emit_loop_constant(e, step[2], false),
             *plane = emit_loop_constant(e, parts->features * parts->size[0], false),
             *row = emit_loop_constant(e, parts->part[1], false),
             *column = emit_loop_constant(e, parts->part[2], !has_lanes),
             *lane = has_lanes ? emit_loop_constant(e, parts->lanes, true) : NULL;
    const IndexExpr *y = index_add(b, index_scale(b, row->index, step[1]), part_row->index);
    const IndexExpr *x = index_add(b, index_scale(b, column->index, step[2]), part_column->index);
    const IndexExpr *from = index_add(b, index_scale(b, plane->index, parts->size[1]), y);
    from = index_add(b, index_scale(b, from, parts->size[2]), x);
    const IndexExpr *to =
        index_add(b, index_scale(b, part_row->index, step[2]), part_column->index);
    to = index_scale(b, to, parts->features * parts->size[0]);
    to = index_scale(b, index_add(b, to, plane->index), parts->part[1]);
    to = index_scale(b, index_add(b, to, row->index), parts->part[2]);
    to = index_add(b, to, column->index);
    if (lane) {
        from = index_add(b, index_scale(b, from, parts->lanes), lane->index);
        to = index_add(b, index_scale(b, to, parts->lanes), lane->index);
    }
    Scalar value = emit_private_load(e, element, emit_scratch(e, parts->from), emit_index(e, from));
    emit_private_store(e, element, emit_scratch(e, parts->at), emit_index(e, to), value);
    if (lane) emit_loop_end(e, lane);
    emit_loop_end(e, column);
    emit_loop_end(e, row);
    emit_loop_end(e, plane);
    emit_loop_end(e, part_column);
    emit_loop_end(e, part_row);
}

LLVMValueRef conv_slab_offsets(Emit *e, int64_t count, const int64_t *offsets) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    uint64_t all = (uint64_t)(count + OFFSETS_BEHIND);
    LLVMValueRef *numbers = ARENA_ARRAY(e->arena, LLVMValueRef, all);
    for (int64_t i = 0; i < (int64_t)all; i++)
        numbers[i] = emit_number(e, i < count ? offsets[i] : 0);
    LLVMValueRef table = LLVMAddGlobal(e->module, LLVMArrayType2(i64, all), "offsets");
    LLVMSetInitializer(table, LLVMConstArray2(i64, numbers, all));
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    return table;
}
