// convert_tensor: ops of tensor and tosa that make, cut and move tensors.
#include "ir/source/source.h"

static bool all_static(const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->kind == TYPE_TENSOR && !type_is_static(type)) return false;
    }
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        if (type->kind != TYPE_TENSOR || !type_is_static(type)) return false;
    }
    return true;
}

// Nothing is known of its elements: they are zero.
bool convert_tensor_empty(Legalizer *legalizer, Op *op) {
    if (!all_static(op)) return false;
    for (const Use *use = op_result(op, 0)->uses; use; use = use->next) {
        if (op_dialect(use->owner) == DIALECT_LINALG) return false; // which asks who made it
    }
    if (!op_result(op, 0)->uses) {
        op_erase(op);
        legalizer->changed = true;
        return true;
    }
    Builder builder = builder_before(legalizer->module, op);
    Value *zero = build_splat_int(&builder, op_result_type(op, 0), 0);
    return legalize_replace_one(legalizer, op, zero);
}

bool convert_tensor_splat(Legalizer *legalizer, Op *op) {
    if (!all_static(op) || op->operand_count != 1) return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(
        legalizer, op, source_broadcast(&builder, op_operand(op, 0), op_result_type(op, 0)));
}

bool convert_tensor_elements(Legalizer *legalizer, Op *op) {
    const Type *result = op_result_type(op, 0);
    if (!all_static(op) || op->operand_count != type_element_count(result) ||
        op->operand_count == 0)
        return false;
    Builder builder = builder_before(legalizer->module, op);
    Value **parts = ARENA_ARRAY(legalizer->pass->scratch, Value *, op->operand_count);
    int64_t one = 1;
    for (int i = 0; i < op->operand_count; i++)
        parts[i] = build_reshape(&builder, op_operand(op, i), 1, &one);
    Value *value = build_concatenate(&builder, op->operand_count, parts, 0);
    return legalize_replace_one(
        legalizer, op, build_reshape(&builder, value, result->rank, result->dims));
}

static bool replace_concat(Legalizer *legalizer, Op *op, int64_t dim) {
    if (!all_static(op) || dim < 0 || dim >= op_result_type(op, 0)->rank || op->operand_count == 0)
        return false;
    Builder builder = builder_before(legalizer->module, op);
    Value **parts = ARENA_ARRAY(legalizer->pass->scratch, Value *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++)
        parts[i] = op_operand(op, i);
    return legalize_replace_one(
        legalizer, op, build_concatenate(&builder, op->operand_count, parts, (int)dim));
}

bool convert_tensor_concat(Legalizer *legalizer, Op *op) {
    return replace_concat(legalizer, op, op_int(op, NAME_DIM, -1));
}

bool convert_tensor_dim(Legalizer *legalizer, Op *op) {
    const Type *type = op_operand_type(op, 0);
    const Attr *dim = source_constant(op_operand(op, 1));
    if (type->kind != TYPE_TENSOR || !type_is_static(type) || !dim) return false;
    int64_t d = source_int(dim, 0);
    if (d < 0 || d >= type->rank) return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(
        legalizer, op, build_splat_int(&builder, op_result_type(op, 0), type->dims[d]));
}

bool convert_tensor_extract(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    if (!all_static(op) || op->operand_count != x->type->rank + 1) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *starts[MAX_RANK];
    int64_t sizes[MAX_RANK];
    for (int d = 0; d < x->type->rank; d++) {
        starts[d] = op_operand(op, d + 1);
        sizes[d] = 1;
    }
    Value *element = build_dynamic_slice(&builder, x, starts, sizes);
    return legalize_replace_one(legalizer, op, build_reshape(&builder, element, 0, NULL));
}

// --- slices ---

typedef struct Ranges {
    int rank;
    int64_t start[MAX_RANK], size[MAX_RANK], stride[MAX_RANK];
    Value *moving[MAX_RANK]; // the start where it is not known; NULL where it is
    bool is_moving;
} Ranges;

static bool find_ranges(const Op *op, int rank, Ranges *ranges) {
    IntSpan offsets = op_ints(op, NAME_STATIC_OFFSETS), sizes = op_ints(op, NAME_STATIC_SIZES);
    IntSpan strides = op_ints(op, NAME_STATIC_STRIDES);
    int operand = op->code == OP_TENSOR_INSERT_SLICE ? 2 : 1;
    if (offsets.count != rank || sizes.count != rank || strides.count != rank) return false;
    *ranges = (Ranges){.rank = rank};
    for (int d = 0; d < rank; d++) {
        ranges->start[d] = offsets.data[d];
        if (offsets.data[d] != DIM_DYNAMIC) continue;
        if (operand == op->operand_count) return false;
        ranges->start[d] = 0;
        ranges->moving[d] = op_operand(op, operand++);
        const Attr *known = source_constant(ranges->moving[d]);
        if (known) {
            ranges->start[d] = source_int(known, 0);
            ranges->moving[d] = NULL;
        }
        ranges->is_moving = ranges->is_moving || ranges->moving[d];
    }
    for (int d = 0; d < rank; d++) {
        ranges->size[d] = sizes.data[d];
        ranges->stride[d] = strides.data[d];
        if (sizes.data[d] < 0 || strides.data[d] < 1) return false; // unknown sizes
        if (ranges->is_moving && strides.data[d] != 1) return false;
    }
    return true;
}

// In the bounds of the tensor, as far as is known?
static bool ranges_fit(const Ranges *ranges, const Type *type) {
    for (int d = 0; d < ranges->rank; d++) {
        if (ranges->size[d] == 0) continue;
        int64_t room = type->dims[d] - 1 - ranges->start[d];
        if (ranges->start[d] < 0 || room < 0 || (ranges->size[d] - 1) > room / ranges->stride[d])
            return false;
    }
    return true;
}

static void find_starts(Builder *builder, const Ranges *ranges, Value **starts) {
    ElementType element = ELEMENT_I64;
    for (int d = 0; d < ranges->rank; d++) {
        if (ranges->moving[d]) element = ranges->moving[d]->type->element;
    }
    const Type *type = type_scalar(builder->module->context, element);
    for (int d = 0; d < ranges->rank; d++)
        starts[d] = ranges->moving[d] ? build_convert(builder, ranges->moving[d], element)
                                      : build_splat_int(builder, type, ranges->start[d]);
}

static Value *extract(Builder *builder, Value *x, const Ranges *ranges) {
    if (ranges->is_moving) {
        Value *starts[MAX_RANK];
        find_starts(builder, ranges, starts);
        return build_dynamic_slice(builder, x, starts, ranges->size);
    }
    int64_t limit[MAX_RANK];
    for (int d = 0; d < ranges->rank; d++)
        limit[d] = ranges->size[d] == 0
                       ? ranges->start[d]
                       : ranges->start[d] + (ranges->size[d] - 1) * ranges->stride[d] + 1;
    return build_slice(builder, x, ranges->start, limit, ranges->stride);
}

// extract_slice, which may drop dimensions of size 1; insert_slice of steps of 1
bool convert_tensor_slice(Legalizer *legalizer, Op *op) {
    bool inserts = op->code == OP_TENSOR_INSERT_SLICE;
    Value *whole = op_operand(op, inserts ? 1 : 0);
    const Type *result = op_result_type(op, 0);
    Ranges ranges;
    if (!all_static(op) || !find_ranges(op, whole->type->rank, &ranges) ||
        !ranges_fit(&ranges, whole->type))
        return false;
    Builder builder = builder_before(legalizer->module, op);
    if (!inserts) {
        Value *part = extract(&builder, whole, &ranges);
        return legalize_replace_one(
            legalizer, op, build_reshape(&builder, part, result->rank, result->dims));
    }
    for (int d = 0; d < ranges.rank; d++) {
        if (ranges.stride[d] != 1) return false;
    }
    Value *starts[MAX_RANK];
    find_starts(&builder, &ranges, starts);
    Value *part = build_reshape(&builder, op_operand(op, 0), ranges.rank, ranges.size);
    return legalize_replace_one(
        legalizer, op, build_dynamic_update_slice(&builder, whole, part, starts));
}

// Of one value everywhere, from outside or made inside of the region.
bool convert_tensor_pad(Legalizer *legalizer, Op *op) {
    IntSpan low = op_ints(op, NAME_STATIC_LOW), high = op_ints(op, NAME_STATIC_HIGH);
    Value *x = op_operand(op, 0);
    const Region *body = op->regions[0];
    if (!all_static(op) || low.count != x->type->rank || high.count != x->type->rank ||
        op->operand_count != 1 || !body->last || body->last->operand_count != 1)
        return false;
    for (int d = 0; d < low.count; d++) {
        if (low.data[d] < 0 || high.data[d] < 0) return false;
    }
    Value *padding = op_operand(body->last, 0);
    if (padding->region == body) return false;
    Builder builder = builder_before(legalizer->module, op);
    if (padding->def && padding->def->parent == body) {
        if (padding->def->operand_count > 0) return false;
        PtrMap values = ptr_map(legalizer->pass->scratch);
        padding = op_result(op_clone(&builder, padding->def, &values), 0);
    }
    return legalize_replace_one(
        legalizer, op, build_pad(&builder, x, padding, low.data, high.data, NULL));
}

bool convert_tensor_reshape(Legalizer *legalizer, Op *op) {
    const Type *result = op_result_type(op, 0);
    if (!all_static(op) || type_element_count(result) != type_element_count(op_operand_type(op, 0)))
        return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(
        legalizer, op, build_reshape(&builder, op_operand(op, 0), result->rank, result->dims));
}

// The region as the body of a linalg.generic: its arguments are indices.
bool convert_tensor_generate(Legalizer *legalizer, Op *op) {
    const Type *result = op_result_type(op, 0);
    Region *body = op->regions[0];
    if (!all_static(op) || result->rank > MAX_LOOPS || body->arg_count != result->rank ||
        !body->last)
        return false;
    Module *module = legalizer->module;
    Context *context = module->context;
    Builder builder = builder_before(module, op);
    StrBuf map = strbuf(legalizer->pass->scratch);
    for (int half = 0; half < 2; half++) {
        strbuf_puts(&map, half ? " -> (" : "affine_map<(");
        for (int d = 0; d < result->rank; d++)
            strbuf_printf(&map, d ? ", d%d" : "d%d", d);
        strbuf_putc(&map, ')');
    }
    strbuf_putc(&map, '>');
    const Attr *text = attr_intern(
        context, &(Attr){.kind = ATTR_OPAQUE, .text = context_name(context, strbuf_view(&map))});
    Value *out = build_splat_int(&builder, result, 0);
    Op *generic = build_op(&builder, OP_LINALG_GENERIC, 1, &out, 1, &result, 1);
    op_set_attr(module, generic, NAME_INDEXING_MAPS, attr_array(context, 1, &text));
    op_set_attr(module, generic, NAME_OPERAND_SEGMENT_SIZES, attr_segments(context, 0, 1));
    Region *to = generic->regions[0];
    PtrMap values = ptr_map(legalizer->pass->scratch);
    Builder inner = builder_at_end(module, to);
    inner.loc = op->loc;
    region_add_arg(module, to, type_scalar(context, result->element), op->loc);
    for (int d = 0; d < result->rank; d++) {
        const Type *type = body->args[d]->type;
        Op *index = build_op(&inner, OP_LINALG_INDEX, 0, NULL, 1, &type, 0);
        op_set_attr(module, index, NAME_DIM, attr_int(context, d, ELEMENT_I64));
        ptr_map_set(&values, body->args[d], op_result(index, 0));
    }
    for (const Op *one = body->first; one != body->last; one = one->next)
        op_clone(&inner, one, &values);
    Value *yielded = op_operand(body->last, 0);
    Value *known = ptr_map_get(&values, yielded);
    if (known) yielded = known;
    build_op(&inner, OP_LINALG_YIELD, 1, &yielded, 0, NULL, 0);
    return legalize_replace_one(legalizer, op, op_result(generic, 0));
}

// --- tosa ---

static Value *tile(Builder *builder, Value *x, const Type *result) {
    for (int d = 0; d < result->rank; d++) {
        int64_t size = x->type->dims[d];
        if (size == 0 || result->dims[d] % size != 0) return NULL;
        int64_t times = result->dims[d] / size;
        if (times == 1) continue;
        int64_t dims[MAX_RANK + 1], places[MAX_RANK];
        int count = 0;
        if (x->type->rank == MAX_RANK) return NULL;
        for (int i = 0; i < x->type->rank; i++) {
            if (i == d) dims[count++] = times;
            places[i] = count;
            dims[count++] = x->type->dims[i];
        }
        const Type *wide = type_tensor(builder->module->context, x->type->element, count, dims);
        x = build_broadcast_in_dim(builder, x, wide, places);
        int64_t flat[MAX_RANK];
        for (int i = 0; i < result->rank; i++)
            flat[i] = i == d ? result->dims[d] : i < d ? result->dims[i] : dims[i + 1];
        x = build_reshape(builder, x, result->rank, flat);
    }
    return x;
}

static Value *move(Builder *builder, const Op *op) {
    Value *x = op_operand(op, 0);
    const Type *result = op_result_type(op, 0);
    int64_t axis = op_int(op, NAME_AXIS, -1);
    if (op->code == OP_TOSA_RESHAPE) {
        if (type_element_count(result) != type_element_count(x->type)) return NULL;
        return build_reshape(builder, x, result->rank, result->dims);
    }
    if (result->rank != x->type->rank) return NULL;
    if (op->code == OP_TOSA_TILE) return tile(builder, x, result);
    if (op->code == OP_TOSA_REVERSE) {
        if (axis < 0 || axis >= result->rank) return NULL;
        Op *reverse = build_op(builder, OP_REVERSE, 1, &x, 1, &x->type, 0);
        op_set_attr(
            builder->module, reverse, NAME_DIMENSIONS,
            attr_ints(builder->module->context, 1, &axis));
        return op_result(reverse, 0);
    }
    const Attr *perms = op_attr(op, NAME_PERMS);
    if (!perms && op->operand_count > 1) perms = source_constant(op_operand(op, 1));
    int64_t permutation[MAX_RANK], seen = 0;
    if (!perms || (perms->kind != ATTR_INTS && perms->kind != ATTR_ELEMENTS)) return NULL;
    int64_t count = perms->kind == ATTR_INTS ? perms->count : type_element_count(perms->type);
    for (int d = 0; d < result->rank && count == result->rank; d++) {
        permutation[d] = perms->kind == ATTR_INTS ? perms->ints[d] : source_int(perms, d);
        if (permutation[d] < 0 || permutation[d] >= result->rank) return NULL;
        seen |= (int64_t)1 << permutation[d];
    }
    if (count != result->rank || seen != ((int64_t)1 << result->rank) - 1) return NULL;
    return build_transpose(builder, x, permutation);
}

// concat, reshape, reverse, tile, transpose
bool convert_tosa_move(Legalizer *legalizer, Op *op) {
    if (op->code == OP_TOSA_CONCAT) return replace_concat(legalizer, op, op_int(op, NAME_AXIS, -1));
    if (op->operand_count < 1 || !type_is_static(op_operand_type(op, 0)) ||
        !type_is_static(op_result_type(op, 0)))
        return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *value = move(&builder, op);
    return value && legalize_replace_one(legalizer, op, value);
}

// Number i of the list that the attribute or, in TOSA 1.0, the operand has.
static bool shape_item(const Op *op, AttrName name, int operand, int64_t i, int64_t *number) {
    const Attr *list = op_attr(op, name);
    if (!list && op->operand_count > operand) list = source_constant(op_operand(op, operand));
    if (!list) return false;
    bool is_list = list->kind == ATTR_INTS && i < list->count;
    bool is_dense =
        list->kind == ATTR_ELEMENTS && (list->is_splat || i < type_element_count(list->type));
    if (is_list) *number = list->ints[i];
    if (is_dense) *number = source_int(list, i);
    return is_list || is_dense;
}

bool convert_tosa_slice(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    if (!type_is_static(x->type) || !type_is_static(op_result_type(op, 0))) return false;
    Ranges ranges = {.rank = x->type->rank};
    for (int d = 0; d < ranges.rank; d++) {
        ranges.stride[d] = 1;
        if (!shape_item(op, NAME_START, 1, d, &ranges.start[d]) ||
            !shape_item(op, NAME_SIZE, 2, d, &ranges.size[d]) || ranges.size[d] < 0)
            return false;
    }
    if (!ranges_fit(&ranges, x->type)) return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, extract(&builder, x, &ranges));
}

bool convert_tosa_pad(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    if (!type_is_static(x->type) || !type_is_static(op_result_type(op, 0))) return false;
    int64_t low[MAX_RANK], high[MAX_RANK];
    for (int d = 0; d < x->type->rank; d++) {
        if (!shape_item(op, NAME_PADDING, 1, 2 * d, &low[d]) ||
            !shape_item(op, NAME_PADDING, 1, 2 * d + 1, &high[d]) || low[d] < 0 || high[d] < 0)
            return false;
    }
    Builder builder = builder_before(legalizer->module, op);
    const Type *scalar = type_scalar(legalizer->module->context, x->type->element);
    Value *padding = op->operand_count > 2 ? build_reshape(&builder, op_operand(op, 2), 0, NULL)
                                           : build_splat_int(&builder, scalar, 0);
    return legalize_replace_one(legalizer, op, build_pad(&builder, x, padding, low, high, NULL));
}

// result[n, w, c] = values[n, indices[n, w], c]
bool convert_tosa_gather(Legalizer *legalizer, Op *op) {
    Value *values = op_operand(op, 0), *indices = op_operand(op, 1);
    const Type *result = op_result_type(op, 0);
    if (!all_static(op) || values->type->rank != 3 || indices->type->rank != 2) return false;
    static const int64_t offset[] = {2}, collapsed[] = {1}, batch[] = {0}, map[] = {1};
    GatherDims dims = {
        .offset_dims = {offset, 1},
        .collapsed_slice_dims = {collapsed, 1},
        .operand_batching_dims = {batch, 1},
        .start_indices_batching_dims = {batch, 1},
        .start_index_map = {map, 1},
        .index_vector_dim = 2};
    Module *module = legalizer->module;
    Builder builder = builder_before(module, op);
    Op *gather = build_op(&builder, OP_GATHER, 2, (Value *[]){values, indices}, 1, &result, 0);
    int64_t sizes[] = {1, 1, values->type->dims[2]};
    op_set_attr(
        module, gather, NAME_DIMENSION_NUMBERS,
        attr_intern(module->context, &(Attr){.kind = ATTR_GATHER_DIMS, .gather = &dims}));
    op_set_attr(module, gather, NAME_SLICE_SIZES, attr_ints(module->context, 3, sizes));
    return legalize_replace_one(legalizer, op, op_result(gather, 0));
}
