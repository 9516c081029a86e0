// Attributes: interning (each kind's key, and its copy in the context), and the elements of dense
// constants. attr_build.c makes them.
#include "ir/attr.h"

#include "ir/context.h"

#include <assert.h>

static bool is_large(const Attr *attr) {
    return attr->kind == ATTR_ELEMENTS && attr->data_size > ATTR_LARGE_BYTES;
}

static void write_span(Context *context, IntSpan span) {
    context_key_bytes(context, span.data, (size_t)span.count * sizeof(int64_t));
}

static void write_axes(Context *context, int count, const AxisRef *axes) {
    context_key_int(context, count);
    for (int i = 0; i < count; i++) {
        context_key_bytes(context, axes[i].name.data, axes[i].name.size);
        context_key_int(context, axes[i].size ? axes[i].pre_size : 1);
        context_key_int(context, axes[i].size);
    }
}

static void write_dot(Context *context, const DotDims *dot) {
    write_span(context, dot->lhs_batch);
    write_span(context, dot->rhs_batch);
    write_span(context, dot->lhs_contracting);
    write_span(context, dot->rhs_contracting);
    write_span(context, dot->lhs_ragged);
    write_span(context, dot->rhs_group);
}

static void write_conv(Context *context, const ConvDims *conv) {
    context_key_int(context, conv->input_batch);
    context_key_int(context, conv->input_feature);
    write_span(context, conv->input_spatial);
    context_key_int(context, conv->kernel_input_feature);
    context_key_int(context, conv->kernel_output_feature);
    write_span(context, conv->kernel_spatial);
    context_key_int(context, conv->output_batch);
    context_key_int(context, conv->output_feature);
    write_span(context, conv->output_spatial);
}

static void write_gather(Context *context, const GatherDims *gather) {
    write_span(context, gather->offset_dims);
    write_span(context, gather->collapsed_slice_dims);
    write_span(context, gather->operand_batching_dims);
    write_span(context, gather->start_indices_batching_dims);
    write_span(context, gather->start_index_map);
    context_key_int(context, gather->index_vector_dim);
}

static void write_scatter(Context *context, const ScatterDims *scatter) {
    write_span(context, scatter->update_window_dims);
    write_span(context, scatter->inserted_window_dims);
    write_span(context, scatter->input_batching_dims);
    write_span(context, scatter->scatter_indices_batching_dims);
    write_span(context, scatter->scatter_dims_to_operand_dims);
    context_key_int(context, scatter->index_vector_dim);
}

static void write_algorithm(Context *context, const DotAlgorithm *algorithm) {
    context_key_int(context, algorithm->lhs_precision);
    context_key_int(context, algorithm->rhs_precision);
    context_key_int(context, algorithm->accumulation);
    context_key_int(context, algorithm->lhs_is_tf32);
    context_key_int(context, algorithm->rhs_is_tf32);
    context_key_int(context, algorithm->accumulation_is_tf32);
    context_key_int(context, algorithm->lhs_components);
    context_key_int(context, algorithm->rhs_components);
    context_key_int(context, algorithm->primitive_operations);
    context_key_int(context, algorithm->allow_imprecise_accumulation);
}

static void write_alias(Context *context, const OperandAlias *alias) {
    write_span(context, alias->output_tuple_indices);
    write_span(context, alias->operand_tuple_indices);
    context_key_int(context, alias->operand_index);
}

static void write_accuracy(Context *context, const ResultAccuracy *accuracy) {
    context_key_int(context, accuracy->mode);
    context_key_double(context, accuracy->atol);
    context_key_double(context, accuracy->rtol);
    context_key_int(context, accuracy->ulps);
}

static void write_list(Context *context, const Attr *attr) {
    for (int i = 0; i < attr->count; i++) {
        switch (attr->kind) {
        case ATTR_DICT:
            context_key_bytes(context, attr->names[i].data, attr->names[i].size);
            context_key_pointer(context, attr->items[i]);
            break;
        case ATTR_ARRAY: context_key_pointer(context, attr->items[i]); break;
        case ATTR_SHARDINGS: context_key_pointer(context, attr->shardings[i]); break;
        case ATTR_AXES_PER_DIM:
            write_axes(context, attr->axes_per_dim[i].count, attr->axes_per_dim[i].axes);
            break;
        default: {
            const AllToAllParam *param = &attr->all_to_all[i];
            write_axes(context, param->axes.count, param->axes.axes);
            context_key_int(context, param->source_dim);
            context_key_int(context, param->target_dim);
        }
        }
    }
}

static void write_attr_key(Context *context, const void *object) {
    const Attr *attr = object;
    context_key_int(context, attr->kind);
    context_key_pointer(context, attr->type);
    switch (attr->kind) {
    case ATTR_UNIT:
    case ATTR_TYPE: break;
    case ATTR_BOOL:
    case ATTR_INT:
    case ATTR_ENUM:
        context_key_int(context, attr->integer);
        context_key_int(context, attr->enum_kind);
        break;
    case ATTR_FLOAT: context_key_double(context, attr->number); break;
    case ATTR_STRING:
    case ATTR_SYMBOL:
    case ATTR_OPAQUE: context_key_bytes(context, attr->text.data, attr->text.size); break;
    case ATTR_INTS:
    case ATTR_CHANNEL: write_span(context, (IntSpan){attr->ints, attr->count}); break;
    case ATTR_ELEMENTS:
        context_key_int(context, attr->is_splat);
        context_key_bytes(context, attr->data, attr->data_size);
        break;
    case ATTR_ARRAY:
    case ATTR_DICT:
    case ATTR_SHARDINGS:
    case ATTR_AXES_PER_DIM:
    case ATTR_ALL_TO_ALL: write_list(context, attr); break;
    case ATTR_AXES: write_axes(context, attr->count, attr->axes); break;
    case ATTR_EDGES: propagation_steps_key(context, attr->count, attr->steps); break;
    case ATTR_MESH: context_key_pointer(context, attr->mesh); break;
    case ATTR_SHARDING: context_key_pointer(context, attr->sharding); break;
    case ATTR_RULE: context_key_pointer(context, attr->rule); break;
    case ATTR_DOT_DIMS:
    case ATTR_RAGGED_DOT_DIMS: write_dot(context, attr->dot); break;
    case ATTR_CONV_DIMS: write_conv(context, attr->conv); break;
    case ATTR_GATHER_DIMS: write_gather(context, attr->gather); break;
    case ATTR_SCATTER_DIMS: write_scatter(context, attr->scatter); break;
    case ATTR_ALIAS: write_alias(context, attr->alias); break;
    case ATTR_ACCURACY: write_accuracy(context, attr->accuracy); break;
    case ATTR_DOT_ALGORITHM: write_algorithm(context, attr->dot_algorithm); break;
    }
}

// ---- copies ----

static void *copy_array(Arena *arena, const void *data, int count, size_t size) {
    return data && count > 0 ? arena_copy(arena, data, (size_t)count * size) : NULL;
}

static void copy_span(Arena *arena, IntSpan *span) {
    span->data = copy_array(arena, span->data, span->count, sizeof(int64_t));
}

static const AxisRef *copy_axes(Context *context, int count, const AxisRef *axes) {
    AxisRef *copy = copy_array(context->arena, axes, count, sizeof *axes);
    for (int i = 0; copy && i < count; i++) {
        copy[i].name = context_name(context, copy[i].name);
        if (copy[i].size == 0) copy[i].pre_size = 1;
    }
    return copy;
}

static const StrView *copy_names(Context *context, const Attr *attr) {
    StrView *names = copy_array(context->arena, attr->names, attr->count, sizeof *names);
    for (int i = 0; names && i < attr->count; i++)
        names[i] = context_name(context, names[i]);
    return names;
}

static const AxisSpan *copy_axes_per_dim(Context *context, const Attr *attr) {
    AxisSpan *spans = copy_array(context->arena, attr->axes_per_dim, attr->count, sizeof *spans);
    for (int i = 0; spans && i < attr->count; i++)
        spans[i].axes = copy_axes(context, spans[i].count, spans[i].axes);
    return spans;
}

static const AllToAllParam *copy_all_to_all(Context *context, const Attr *attr) {
    AllToAllParam *params =
        copy_array(context->arena, attr->all_to_all, attr->count, sizeof *params);
    for (int i = 0; params && i < attr->count; i++)
        params[i].axes.axes = copy_axes(context, params[i].axes.count, params[i].axes.axes);
    return params;
}

static const DotDims *copy_dot(Arena *arena, const DotDims *dot) {
    DotDims *copy = arena_copy(arena, dot, sizeof *copy);
    copy_span(arena, &copy->lhs_batch);
    copy_span(arena, &copy->rhs_batch);
    copy_span(arena, &copy->lhs_contracting);
    copy_span(arena, &copy->rhs_contracting);
    copy_span(arena, &copy->lhs_ragged);
    copy_span(arena, &copy->rhs_group);
    return copy;
}

static const ConvDims *copy_conv(Arena *arena, const ConvDims *conv) {
    ConvDims *copy = arena_copy(arena, conv, sizeof *copy);
    copy_span(arena, &copy->input_spatial);
    copy_span(arena, &copy->kernel_spatial);
    copy_span(arena, &copy->output_spatial);
    return copy;
}

static const GatherDims *copy_gather(Arena *arena, const GatherDims *gather) {
    GatherDims *copy = arena_copy(arena, gather, sizeof *copy);
    copy_span(arena, &copy->offset_dims);
    copy_span(arena, &copy->collapsed_slice_dims);
    copy_span(arena, &copy->operand_batching_dims);
    copy_span(arena, &copy->start_indices_batching_dims);
    copy_span(arena, &copy->start_index_map);
    return copy;
}

static const ScatterDims *copy_scatter(Arena *arena, const ScatterDims *scatter) {
    ScatterDims *copy = arena_copy(arena, scatter, sizeof *copy);
    copy_span(arena, &copy->update_window_dims);
    copy_span(arena, &copy->inserted_window_dims);
    copy_span(arena, &copy->input_batching_dims);
    copy_span(arena, &copy->scatter_indices_batching_dims);
    copy_span(arena, &copy->scatter_dims_to_operand_dims);
    return copy;
}

static const OperandAlias *copy_alias(Arena *arena, const OperandAlias *alias) {
    OperandAlias *copy = arena_copy(arena, alias, sizeof *copy);
    copy_span(arena, &copy->output_tuple_indices);
    copy_span(arena, &copy->operand_tuple_indices);
    return copy;
}

// ---- elements ----

static int64_t load_int(ElementType element, const void *data) {
    switch (element_bytes(element)) {
    case 1: {
        bool is_signed = element_class(element) == CLASS_SINT;
        return is_signed ? *(const int8_t *)data : *(const uint8_t *)data;
    }
    case 2: {
        uint16_t bits;
        memcpy(&bits, data, sizeof bits);
        return element_class(element) == CLASS_SINT ? (int16_t)bits : bits;
    }
    case 4: {
        uint32_t bits;
        memcpy(&bits, data, sizeof bits);
        return element_class(element) == CLASS_SINT ? (int32_t)bits : (int64_t)bits;
    }
    default: {
        int64_t bits;
        memcpy(&bits, data, sizeof bits);
        return bits;
    }
    }
}

const void *attr_element(const Attr *elements, int64_t i) {
    size_t offset = elements->is_splat ? 0 : (size_t)i * element_bytes(elements->type->element);
    return (const char *)elements->data + offset;
}

int64_t attr_element_int(const Attr *elements, int64_t i) {
    return load_int(elements->type->element, attr_element(elements, i));
}

double attr_element_double(const Attr *elements, int64_t i) {
    ElementType element = elements->type->element;
    const FloatFormat *format = element_float_format(element);
    if (format) {
        uint64_t bits = 0; // little-endian storage
        memcpy(&bits, attr_element(elements, i), element_bytes(element));
        return float_decode(format, bits);
    }
    int64_t number = attr_element_int(elements, i);
    return element == ELEMENT_UI64 ? (double)(uint64_t)number : (double)number;
}

// Integer constants also get their numbers as ints, for op_ints, unless they are large and would be
// held twice.
static void decode_ints(Arena *arena, Attr *attr) {
    attr->ints = NULL;
    attr->count = 0;
    ElementType element = attr->type->element;
    ElementClass class = element_class(element);
    if (!type_is_static(attr->type) || class == CLASS_FLOAT || class == CLASS_COMPLEX) return;
    int64_t count = type_element_count(attr->type);
    bool is_stored_so = element_bytes(element) == sizeof(int64_t) && !attr->is_splat;
    if (count > (is_stored_so ? INT32_MAX : ATTR_LARGE_BYTES)) return;
    attr->count = (int)count;
    if (is_stored_so) {
        attr->ints = attr->data;
        return;
    }
    int64_t *ints = ARENA_ARRAY(arena, int64_t, count);
    for (int64_t i = 0; i < count; i++)
        ints[i] = attr_element_int(attr, i);
    attr->ints = ints;
}

static void copy_elements(Arena *arena, Attr *attr) {
    void *data = arena_alloc_aligned(arena, attr->data_size + 1, is_large(attr) ? 64 : 16);
    if (attr->data_size) memcpy(data, attr->data, attr->data_size);
    attr->data = data;
    decode_ints(arena, attr);
}

// Replaces what the prototype points to by copies.
static void copy_parts(Context *context, Attr *attr) {
    Arena *arena = context->arena;
    switch (attr->kind) {
    case ATTR_UNIT:
    case ATTR_TYPE:
    case ATTR_BOOL:
    case ATTR_INT:
    case ATTR_ENUM:
    case ATTR_FLOAT:
    case ATTR_MESH:
    case ATTR_SHARDING:
    case ATTR_RULE: break;
    case ATTR_STRING:
    case ATTR_SYMBOL:
    case ATTR_OPAQUE: attr->text = context_name(context, attr->text); break;
    case ATTR_INTS:
    case ATTR_CHANNEL:
        attr->ints = copy_array(arena, attr->ints, attr->count, sizeof *attr->ints);
        break;
    case ATTR_ELEMENTS: copy_elements(arena, attr); break;
    case ATTR_ARRAY:
    case ATTR_DICT:
        if (attr->kind == ATTR_DICT) attr->names = copy_names(context, attr);
        attr->items = copy_array(arena, attr->items, attr->count, sizeof *attr->items);
        break;
    case ATTR_SHARDINGS:
        attr->shardings = copy_array(arena, attr->shardings, attr->count, sizeof *attr->shardings);
        break;
    case ATTR_AXES: attr->axes = copy_axes(context, attr->count, attr->axes); break;
    case ATTR_AXES_PER_DIM: attr->axes_per_dim = copy_axes_per_dim(context, attr); break;
    case ATTR_ALL_TO_ALL: attr->all_to_all = copy_all_to_all(context, attr); break;
    case ATTR_EDGES: attr->steps = propagation_steps_copy(context, attr->count, attr->steps); break;
    case ATTR_DOT_DIMS:
    case ATTR_RAGGED_DOT_DIMS: attr->dot = copy_dot(arena, attr->dot); break;
    case ATTR_CONV_DIMS: attr->conv = copy_conv(arena, attr->conv); break;
    case ATTR_GATHER_DIMS: attr->gather = copy_gather(arena, attr->gather); break;
    case ATTR_SCATTER_DIMS: attr->scatter = copy_scatter(arena, attr->scatter); break;
    case ATTR_ALIAS: attr->alias = copy_alias(arena, attr->alias); break;
    case ATTR_ACCURACY:
        attr->accuracy = arena_copy(arena, attr->accuracy, sizeof *attr->accuracy);
        break;
    case ATTR_DOT_ALGORITHM:
        attr->dot_algorithm = arena_copy(arena, attr->dot_algorithm, sizeof *attr->dot_algorithm);
        break;
    }
}

const Attr *attr_intern(Context *context, const Attr *prototype) {
    Attr made = *prototype;
    if (made.kind == ATTR_RULE)
        made.rule = sharding_rule_intern(context, made.rule); // keys hold its address
    uint64_t hash = 0;
    if (!is_large(&made)) {
        const Attr *found = context_find(context, KEY_ATTR, write_attr_key, &made, &hash);
        if (found) return found;
    }
    copy_parts(context, &made);
    Attr *attr = arena_copy(context->arena, &made, sizeof made);
    if (!is_large(attr)) context_add(context, KEY_ATTR, hash, attr);
    return attr;
}

const Attr *attr_elements_of(
    Context *context, const Type *tensor, bool is_splat, const void *data, size_t size) {
    assert(size >= ATTR_OWN_BYTES); // constants of this size are not uniqued
    Attr *attr = ARENA_NEW(context->arena, Attr);
    *attr = (Attr){
        .kind = ATTR_ELEMENTS,
        .type = tensor,
        .is_splat = is_splat,
        .data = data,
        .data_size = size};
    decode_ints(context->arena, attr);
    return attr;
}
