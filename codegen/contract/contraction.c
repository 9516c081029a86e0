// contraction: dot_general and convolution as one kind of sum; the elements of its operands.
#include "codegen/contract/contraction.h"

#include "codegen/element/contiguous.h"
#include "codegen/element/element.h"
#include "codegen/emit/emit_state.h"
#include "codegen/expr/uses.h"

#include <assert.h>

static void space_add(IndexSpace *space, int64_t size) {
    space->dims[space->rank++] = size;
    space->size *= size;
}

// Products are summed in f32 for narrow floats, in i32 for narrow integers
// (the result wraps all the same).
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

static void dot_spaces(const Op *op, Contraction *c) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *lhs = c->lhs->type, *rhs = c->rhs->type;
    for (int i = 0; i < dims->lhs_batch.count; i++) {
        c->lhs_batch[i] = (int)dims->lhs_batch.data[i];
        c->rhs_batch[i] = (int)dims->rhs_batch.data[i];
        space_add(&c->batch, lhs->dims[c->lhs_batch[i]]);
    }
    int count = dims->lhs_contracting.count;
    bool is_lhs_larger = type_bytes(lhs) >= type_bytes(rhs);
    IntSpan order = is_lhs_larger ? dims->lhs_contracting : dims->rhs_contracting;
    for (int i = 0; i < count; i++) { // in the order of the larger operand's memory
        int next = 0;
        for (int k = 0; k < count; k++)
            next += order.data[k] < order.data[i];
        c->lhs_k[next] = (int)dims->lhs_contracting.data[i];
        c->rhs_k[next] = (int)dims->rhs_contracting.data[i];
    }
    for (int i = 0; i < count; i++)
        space_add(&c->k, lhs->dims[c->lhs_k[i]]);
    for (int d = 0; d < lhs->rank; d++) {
        if (ints_contain(dims->lhs_batch, d) || ints_contain(dims->lhs_contracting, d)) continue;
        c->lhs_m[c->m.rank] = d;
        space_add(&c->m, lhs->dims[d]);
    }
    for (int d = 0; d < rhs->rank; d++) {
        if (ints_contain(dims->rhs_batch, d) || ints_contain(dims->rhs_contracting, d)) continue;
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
    enum { FEW_IMAGES = 8 };
    bool images_first = dims->input_batch != lhs->rank - 1 ||
                        lhs->dims[dims->input_batch] / batch_groups < FEW_IMAGES;
    c->m_image = images_first ? 0 : c->spatial;
    c->m_spatial = images_first ? 1 : 0;
    if (images_first) space_add(&c->m, lhs->dims[dims->input_batch] / batch_groups);
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
    if (!images_first) space_add(&c->m, lhs->dims[dims->input_batch] / batch_groups);
    space_add(&c->k, rhs->dims[dims->kernel_input_feature]);
    space_add(&c->n, rhs->dims[dims->kernel_output_feature] / groups);
}

static void set_row(Contraction *c, const ContractRow *how) {
    c->how = how;
    c->in_tiles = how->product == PRODUCT_TILES;
    c->lhs_packed = how->packed_lhs == ELEMENT_COUNT ? c->accumulator : how->packed_lhs;
    c->rhs_packed = how->packed_rhs == ELEMENT_COUNT ? c->accumulator : how->packed_rhs;
    c->lhs_is_raised = how->lhs == ELEMENT_I8 && c->lhs_packed == ELEMENT_UI8;
}

bool contraction_take_tiles(Contraction *c, const Target *target) {
    const ContractRow *how = target_contract(
        target, c->lhs->type->element, c->rhs->type->element, c->accumulator, CONTRACT_TILES);
    if (how->product != PRODUCT_TILES) return false;
    set_row(c, how);
    return true;
}

int64_t contraction_full_step(const Contraction *c) {
    enum { ROW_BYTES = 64 };
    return ROW_BYTES / (int64_t)element_bytes(c->lhs_packed);
}

int64_t contraction_step(const Contraction *c) {
    int64_t most = contraction_full_step(c);
    if (!c->in_tiles) return c->how->group;
    if (!c->conv || c->m_image > 0) return most;
    int64_t features = c->k.dims[c->spatial];
    if (features > most) return features / ceil_div(features, most);
    const WindowDim *window = &c->windows[c->spatial - 1];
    bool is_row = window->rhs_dilation == 1 && !window->is_reversed;
    return is_row && features * window->size <= most ? features * window->size : features;
}

static void exchange_dims(int *a, int *b) {
    for (int i = 0; i < MAX_RANK; i++) {
        int x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

void contraction_turn(Contraction *c, const Target *target) {
    enum { MOST_ROWS = 32 };
    const Type *rhs = c->rhs->type;
    bool lies_along_k = c->k.rank > 0 && c->rhs_k[c->k.rank - 1] == rhs->rank - 1;
    if (!c->in_tiles || c->conv || c->panel_columns || c->m.size > MOST_ROWS ||
        c->n.size <= c->m.size || !lies_along_k)
        return;
    contraction_exchange(c, target);
}

void contraction_exchange(Contraction *c, const Target *target) {
    const Value *lhs = c->lhs;
    IndexSpace m = c->m;
    c->lhs = c->rhs;
    c->rhs = lhs;
    c->m = c->n;
    c->n = m;
    exchange_dims(c->lhs_batch, c->rhs_batch);
    exchange_dims(c->lhs_m, c->rhs_n);
    exchange_dims(c->lhs_k, c->rhs_k);
    c->is_turned = !c->is_turned;
    set_row(
        c,
        target_contract(
            target, c->lhs->type->element, c->rhs->type->element, c->accumulator, CONTRACT_TILES));
}

bool contraction_has_rows_of_images(const Contraction *c, int64_t count) {
    return c->conv && c->m_image > 0 && c->m.dims[c->m_image] % count == 0 &&
           c->k.dims[c->spatial] % c->how->group == 0;
}

void contraction_widen(Contraction *c, const Target *target) {
    ElementType type = c->accumulator;
    set_row(c, target_contract(target, type, type, type, CONTRACT_VECTORS));
}

void contraction_round_features(Contraction *c) {
    int64_t *features = &c->k.dims[c->spatial];
    int64_t parts = c->in_tiles ? ceil_div(*features, contraction_full_step(c)) : 1;
    int64_t rounded = round_up(*features, parts * c->how->group);
    c->zero_features = rounded - *features;
    c->k.size = c->k.size / *features * rounded;
    *features = rounded;
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
    ContractUse use = op->code == OP_DOT_GENERAL ? CONTRACT_TILES : CONTRACT_VECTORS;
    set_row(
        c,
        target_contract(target, c->lhs->type->element, c->rhs->type->element, c->accumulator, use));
    if (op->code == OP_CONVOLUTION) {
        conv_spaces(op, c);
    } else {
        dot_spaces(op, c);
    }
    const Attr *columns = op_extra(op, PANEL_COLUMNS);
    if (columns && columns->kind == ATTR_INT) c->panel_columns = columns->integer;
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

// The image's index of an element of A, and whether it exists.
static Border conv_lhs_index(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *k, const IndexExpr **index) {
    const ConvDims *dims = c->conv;
    const Type *lhs = c->lhs->type;
    Border border = {0};
    for (int i = 0; i < c->spatial; i++) {
        int64_t d = dims->input_spatial.data[i];
        index[d] = input_index(e, &c->windows[i], m[c->m_spatial + i], k[i], lhs->dims[d], &border);
    }
    const IndexExpr *image = m[c->m_image], *feature = k[c->spatial];
    if (c->groups_split_batch) {
        image = index_add(e->index, index_scale(e->index, b[0], c->m.dims[c->m_image]), image);
    } else {
        int64_t features = c->k.dims[c->spatial] - c->zero_features;
        feature = index_add(e->index, index_scale(e->index, b[0], features), feature);
    }
    index[dims->input_batch] = image;
    index[dims->input_feature] = feature;
    return border;
}

LLVMValueRef contraction_inside(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k) {
    const IndexExpr *m_index[MAX_RANK], *k_index[MAX_RANK], *index[MAX_RANK];
    index_delinear(e->index, line, c->m.rank, c->m.dims, m_index);
    index_delinear(e->index, k, c->k.rank, c->k.dims, k_index);
    Border border = conv_lhs_index(e, c, b, m_index, k_index, index);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    if (border.never) return LLVMConstInt(i1, 0, 0);
    return border.inside ? border.inside : LLVMConstInt(i1, 1, 0);
}

static Scalar conv_lhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *k) {
    const IndexExpr *index[MAX_RANK];
    Border border = conv_lhs_index(e, c, b, m, k, index);
    Scalar zero = emit_constant(e, c->lhs_packed, 0);
    if (border.never) return zero;
    if (!border.inside || c->is_inside)
        return emit_convert(e, emit_element(e, c->lhs, index), c->lhs_packed);
    EmitIf branch = emit_if(e, border.inside);
    Scalar x = emit_convert(e, emit_element(e, c->lhs, index), c->lhs_packed);
    emit_else(e, &branch);
    emit_end_if(e, &branch);
    return emit_phi(e, &branch, x, zero);
}

static Scalar dot_lhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *k) {
    const IndexExpr *index[MAX_RANK];
    place(index, c->lhs_batch, &c->batch, b);
    place(index, c->lhs_m, &c->m, m);
    place(index, c->lhs_k, &c->k, k);
    return emit_convert(e, emit_element(e, c->lhs, index), c->lhs_packed);
}

Scalar contraction_lhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *k) {
    Scalar x = c->conv ? conv_lhs(e, c, b, m, k) : dot_lhs(e, c, b, m, k);
    if (!c->lhs_is_raised) return x;
    LLVMValueRef top = LLVMConstInt(LLVMTypeOf(x.value), 0x80, 0); // of i8 as ui8: plus 128
    x.value = LLVMBuildXor(e->builder, x.value, top, "");
    return x;
}

// An element of a filter with zeros behind its features.
static Scalar filter_or_zero(Emit *e, const Contraction *c, const IndexExpr *const *index) {
    const IndexExpr *feature = index[c->conv->kernel_input_feature];
    int64_t features = c->k.dims[c->spatial] - c->zero_features;
    Scalar zero = emit_constant(e, c->rhs_packed, 0);
    IndexTruth exists = index_in_range(feature, 0, features);
    if (exists == INDEX_NEVER) return zero;
    if (exists == INDEX_ALWAYS)
        return emit_convert(e, emit_element(e, c->rhs, index), c->rhs_packed);
    EmitIf branch = emit_if(e, emit_index_in_range(e, feature, 0, features));
    Scalar x = emit_convert(e, emit_element(e, c->rhs, index), c->rhs_packed);
    emit_else(e, &branch);
    emit_end_if(e, &branch);
    return emit_phi(e, &branch, x, zero);
}

static void filter_index(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *k,
    const IndexExpr *const *n, const IndexExpr **index) {
    for (int i = 0; i < c->spatial; i++)
        index[c->conv->kernel_spatial.data[i]] = k[i];
    index[c->conv->kernel_input_feature] = k[c->spatial];
    index[c->conv->kernel_output_feature] =
        index_add(e->index, index_scale(e->index, b[0], c->n.dims[0]), n[0]);
}

Scalar contraction_rhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *k,
    const IndexExpr *const *n) {
    const IndexExpr *index[MAX_RANK];
    if (c->conv) {
        filter_index(e, c, b, k, n, index);
        if (c->zero_features > 0) return filter_or_zero(e, c, index);
    } else {
        place(index, c->rhs_batch, &c->batch, b);
        place(index, c->rhs_n, &c->n, n);
        place(index, c->rhs_k, &c->k, k);
    }
    return emit_convert(e, emit_element(e, c->rhs, index), c->rhs_packed);
}

Scalar contraction_element_of(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b,
    const IndexExpr *const *line, const IndexExpr *k) {
    const IndexExpr *k_index[MAX_RANK];
    index_delinear(e->index, k, c->k.rank, c->k.dims, k_index);
    return is_lhs ? contraction_lhs(e, c, b, line, k_index)
                  : contraction_rhs(e, c, b, k_index, line);
}

Scalar contraction_element(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k) {
    const IndexSpace *lines = is_lhs ? &c->m : &c->n;
    const IndexExpr *index[MAX_RANK];
    index_delinear(e->index, line, lines->rank, lines->dims, index);
    return contraction_element_of(e, c, is_lhs, b, index, k);
}

void contraction_result_index(
    const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *n, const IndexExpr **index) {
    assert(!c->conv);
    int d = 0;
    for (int i = 0; i < c->batch.rank; i++) {
        index[d++] = b[i];
    }
    const IndexSpace *left = c->is_turned ? &c->n : &c->m, *right = c->is_turned ? &c->m : &c->n;
    for (int i = 0; i < left->rank; i++) {
        index[d++] = c->is_turned ? n[i] : m[i];
    }
    for (int i = 0; i < right->rank; i++) {
        index[d++] = c->is_turned ? m[i] : n[i];
    }
}

void conv_result_index(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *n, const IndexExpr **index) {
    index[c->conv->output_batch] = m[c->m_image];
    for (int i = 0; i < c->spatial; i++) {
        index[c->conv->output_spatial.data[i]] = m[c->m_spatial + i];
    }
    index[c->conv->output_feature] =
        index_add(e->index, index_scale(e->index, b[0], c->n.dims[0]), n[0]);
}

// ---- memory order

bool contraction_k_is_contiguous(const Emit *e, const Contraction *c, bool is_lhs) {
    int d = contiguous_dim(e->exprs, is_lhs ? c->lhs : c->rhs);
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
    if (!c->conv) return !c->is_turned && (c->n.size > 1 || c->m.size == 1);
    return c->conv->output_feature == c->result->type->rank - 1;
}

// ---- places

// Narrow integers are multiplied in groups, as they are.
static bool is_narrow_integer(ElementType element) {
    return element == ELEMENT_I8 || element == ELEMENT_UI8 || element == ELEMENT_I16;
}

static bool has_plain_element(const Contraction *c, const Value *value, ElementType operand) {
    ElementType element = value->type->element;
    if (!element_is_float(c->accumulator)) return element == operand;
    bool is_usual = element == ELEMENT_BF16 || element == ELEMENT_F16 || element == ELEMENT_F32 ||
                    element == ELEMENT_F64;
    return is_usual && element_bits(element) <= element_bits(c->accumulator);
}

// may_be_gathered: from several devices, too; where its parts lie, its elements' expression says.
static bool is_plain(
    const Kernel *kernel, const Contraction *c, bool is_lhs, bool may_be_gathered) {
    const Value *value = is_lhs ? c->lhs : c->rhs;
    ElementType operand = value->type->element;
    if (c->conv) return false;
    if (!element_is_float(c->accumulator) &&
        (!is_narrow_integer(operand) || c->lhs->type->element != c->rhs->type->element))
        return false;
    for (;;) {
        ElementType element = value->type->element;
        if (!has_plain_element(c, value, operand)) return false;
        int place = kernel_operand(kernel, value);
        if (place >= kernel->output_count) return true;
        const Op *op = value->def;
        if (place >= 0 || !op) return false;
        switch (op->code) {
        case OP_CONVERT: // widening
            if (element_bits(element) < element_bits(op_operand_type(op, 0)->element)) return false;
            break;
        case OP_TRANSPOSE:
        case OP_RESHAPE:
        case OP_SLICE:
        case OP_DYNAMIC_SLICE:
        case OP_BROADCAST_IN_DIM: break;
        case OP_ALL_GATHER:
            if (!may_be_gathered) return false;
            break;
        default: return false;
        }
        value = op_operand(op, 0);
    }
}

bool contraction_is_plain(const Kernel *kernel, const Contraction *c, bool is_lhs) {
    return is_plain(kernel, c, is_lhs, false);
}

void contraction_find_rows(const Kernel *kernel, Contraction *c) {
    const Type *type = c->lhs->type;
    c->row_bytes = 0;
    if (c->conv || c->in_tiles || c->how->group > 1 || c->lhs_is_raised || c->m.rank == 0) return;
    if (type->element != c->lhs_packed || c->k.rank == 0) return;
    if (c->lhs_k[c->k.rank - 1] != type->rank - 1) return;
    if (!contraction_is_plain(kernel, c, true)) return;
    c->row_bytes = (int64_t)element_bytes(type->element);
    for (int d = c->lhs_m[c->m.rank - 1] + 1; d < type->rank; d++)
        c->row_bytes *= type->dims[d];
}

const Expr *contraction_expr(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k) {
    const IndexSpace *lines = is_lhs ? &c->m : &c->n;
    const IndexExpr *line_index[MAX_RANK], *k_index[MAX_RANK], *index[MAX_RANK];
    index_delinear(e->index, line, lines->rank, lines->dims, line_index);
    index_delinear(e->index, k, c->k.rank, c->k.dims, k_index);
    assert(!c->conv || !is_lhs); // an image has a border
    if (c->conv) {
        filter_index(e, c, b, k_index, line_index, index);
    } else {
        place(index, is_lhs ? c->lhs_batch : c->rhs_batch, &c->batch, b);
        place(index, is_lhs ? c->lhs_m : c->rhs_n, lines, line_index);
        place(index, is_lhs ? c->lhs_k : c->rhs_k, &c->k, k_index);
    }
    return expr_of(e->exprs, is_lhs ? c->lhs : c->rhs, index);
}

bool contraction_place(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, OperandPlace *place) {
    *place = (OperandPlace){0};
    if (!is_plain(e->kernel, c, is_lhs, true)) return false;
    place->line_variable = expr_new_variable(e->exprs, false);
    place->k_variable = expr_new_variable(e->exprs, false);
    const IndexExpr *line =
        index_variable(e->index, place->line_variable, is_lhs ? c->m.size : c->n.size);
    const IndexExpr *k = index_variable(e->index, place->k_variable, c->k.size);
    const Expr *x = contraction_expr(e, c, is_lhs, b, line, k);
    while (x->kind == EXPR_CONVERT)
        x = x->operands[0]; // widens: the operand is plain
    if (e->exprs->failed || x->kind != EXPR_LOAD) return false;
    if (x->device && (index_depends_on(x->device, place->line_variable) ||
                      index_depends_on(x->device, place->k_variable)))
        return false;
    place->stored = x->stored;
    place->at = x->at;
    place->device = x->device;
    return index_is_affine_in(x->at, place->line_variable, &place->line_stride) &&
           index_is_affine_in(x->at, place->k_variable, &place->k_stride);
}

LLVMValueRef contraction_place_address(
    Emit *e, const OperandPlace *place, const IndexExpr *line, const IndexExpr *k) {
    int count = e->exprs->variable_count;
    const IndexExpr **variables =
        (const IndexExpr **)arena_alloc_array(e->arena, count, sizeof(IndexExpr *));
    for (int i = 0; i < count; i++)
        variables[i] = NULL;
    variables[place->line_variable] = line;
    variables[place->k_variable] = k;
    LLVMValueRef at = emit_index(e, index_substitute(e->index, place->at, variables, count));
    LLVMTypeRef type = emit_memory_type(e, place->stored->type->element);
    return LLVMBuildInBoundsGEP2(
        e->builder, type, emit_operand_base(e, place->stored, place->device), &at, 1, "");
}

// ---- services

LLVMValueRef emit_number(Emit *e, int64_t number) {
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), (unsigned long long)number, 1);
}

LLVMValueRef emit_minimum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef less = LLVMBuildICmp(e->builder, LLVMIntSLT, x, y, "");
    return LLVMBuildSelect(e->builder, less, x, y, "");
}

LLVMValueRef emit_remaining(Emit *e, const IndexExpr *first, int64_t extent, int64_t total) {
    if (first->high + extent <= total) return emit_number(e, extent);
    LLVMValueRef left = LLVMBuildSub(e->builder, emit_number(e, total), emit_index(e, first), "");
    return emit_minimum(e, left, emit_number(e, extent));
}
