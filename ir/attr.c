// Attributes: names, interning, dictionaries, elements of dense constants. attr_print.c prints them.
#include "ir/attr.h"

#include "ir/context.h"

#include <assert.h>
#include <stdlib.h>

static const char *const attr_names[ATTR_NAME_COUNT] = {
#define ATTR_NAME(name, text, constraint) [NAME_##name] = (text),
#include "ir/attr_names.def"
};

StrView attr_name_text(AttrName name) { return strview(attr_names[name]); }

bool attr_name_from_text(StrView text, AttrName *name) {
    for (int i = 0; i < ATTR_NAME_COUNT; i++) {
        if (attr_names[i][0] == (text.size ? text.data[0] : '\0') &&
            strview_is(text, attr_names[i])) {
            *name = (AttrName)i;
            return true;
        }
    }
    return false;
}

// One list of keywords per kind.
#define ENUM(prefix, dialect, mnemonic) static const char *const keywords_##prefix[] = {
#define CASE(prefix, keyword)           #keyword,
#define END(prefix) \
    }               \
    ;
#include "ir/enums.def"

typedef struct EnumFacts {
    const char *dialect, *mnemonic;
    int count;
    const char *const *keywords;
} EnumFacts;

static const EnumFacts enum_facts[ENUM_KIND_COUNT] = {
#define ENUM(prefix, dialect, mnemonic) \
    [ENUM_##prefix] = {dialect, mnemonic, prefix##_COUNT, keywords_##prefix},
#define CASE(prefix, keyword)
#define END(prefix)
#include "ir/enums.def"
};

StrView enum_dialect(EnumKind kind) { return strview(enum_facts[kind].dialect); }

bool enum_kind_from_text(StrView dialect, StrView mnemonic, EnumKind *kind) {
    for (int i = 0; i < ENUM_KIND_COUNT; i++) {
        *kind = (EnumKind)i;
        if (strview_is(dialect, enum_facts[i].dialect) &&
            strview_is(mnemonic, enum_facts[i].mnemonic))
            return true;
    }
    return false;
}

StrView enum_mnemonic(EnumKind kind) { return strview(enum_facts[kind].mnemonic); }

StrView enum_keyword(EnumKind kind, int value) {
    if (value < 0 || value >= enum_facts[kind].count) return SV("");
    return strview(enum_facts[kind].keywords[value]);
}

bool enum_from_keyword(EnumKind kind, StrView keyword, int *value) {
    for (int i = 0; i < enum_facts[kind].count; i++) {
        if (strview_is(keyword, enum_facts[kind].keywords[i])) {
            *value = i;
            return true;
        }
    }
    return false;
}

// Constants with more bytes than this are not uniqued.
enum { LARGE_ELEMENTS = 4096 };

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

// How many numbers attr->ints holds.
static int int_count(const Attr *attr) {
    if (!attr->ints) return 0;
    switch (attr->kind) {
    case ATTR_CHANNEL: return 2;
    case ATTR_ACCURACY: return 1;
    case ATTR_INTS: return attr->count;
    default: return 0;
    }
}

static void write_lists(Context *context, const Attr *attr) {
    if (attr->items) {
        for (int i = 0; i < attr->count; i++)
            context_key_pointer(context, attr->items[i]);
    }
    if (attr->names) {
        for (int i = 0; i < attr->count; i++)
            context_key_bytes(context, attr->names[i].data, attr->names[i].size);
    }
    context_key_bytes(context, attr->ints, (size_t)int_count(attr) * sizeof(int64_t));
    if (attr->shardings) {
        for (int i = 0; i < attr->count; i++)
            context_key_pointer(context, attr->shardings[i]);
    }
    if (attr->axes) write_axes(context, attr->count, attr->axes);
    if (attr->axes_per_dim) {
        for (int i = 0; i < attr->count; i++)
            write_axes(context, attr->axes_per_dim[i].count, attr->axes_per_dim[i].axes);
    }
    if (attr->all_to_all) {
        for (int i = 0; i < attr->count; i++) {
            write_axes(context, attr->all_to_all[i].axes.count, attr->all_to_all[i].axes.axes);
            context_key_int(context, attr->all_to_all[i].source_dim);
            context_key_int(context, attr->all_to_all[i].target_dim);
        }
    }
}

static void write_attr_key(Context *context, const Attr *attr) {
    context_key_begin(context, KEY_ATTR);
    context_key_int(context, attr->kind);
    context_key_pointer(context, attr->type);
    context_key_int(context, attr->integer);
    context_key_double(context, attr->number);
    context_key_double(context, attr->number2);
    context_key_bytes(context, attr->text.data, attr->text.size);
    bool is_counted =
        attr->kind != ATTR_ELEMENTS && attr->kind != ATTR_CHANNEL && attr->kind != ATTR_ACCURACY;
    context_key_int(context, is_counted ? attr->count : 0);
    context_key_int(context, attr->enum_kind);
    context_key_int(context, attr->is_splat);
    context_key_bytes(context, attr->data, attr->data_size);
    context_key_pointer(context, attr->sharding);
    context_key_pointer(context, attr->mesh);
    write_lists(context, attr);
    context_key_pointer(context, attr->rule);
    if (attr->steps) propagation_steps_key(context, attr->count, attr->steps);
    if (attr->dot) write_dot(context, attr->dot);
    if (attr->conv) write_conv(context, attr->conv);
    if (attr->gather) write_gather(context, attr->gather);
    if (attr->scatter) write_scatter(context, attr->scatter);
    if (attr->alias) {
        write_span(context, attr->alias->output_tuple_indices);
        write_span(context, attr->alias->operand_tuple_indices);
        context_key_int(context, attr->alias->operand_index);
    }
    if (attr->dot_algorithm) write_algorithm(context, attr->dot_algorithm);
}

static void *copy_array(Arena *arena, const void *data, int count, size_t size) {
    return data && count > 0 ? arena_copy(arena, data, (size_t)count * size) : NULL;
}

static void copy_span(Arena *arena, IntSpan *span) {
    span->data = copy_array(arena, span->data, span->count, sizeof(int64_t));
}

// Gives the axes of a copied list interned names.
static void intern_axes(Context *context, int count, AxisRef *axes) {
    for (int i = 0; i < count; i++) {
        axes[i].name = context_name(context, axes[i].name);
        if (axes[i].size == 0) axes[i].pre_size = 1;
    }
}

static void copy_lists(Context *context, Attr *attr) {
    Arena *arena = context->arena;
    int count = attr->count;
    attr->items = copy_array(arena, attr->items, count, sizeof *attr->items);
    StrView *names = copy_array(arena, attr->names, count, sizeof *names);
    for (int i = 0; names && i < count; i++)
        names[i] = context_name(context, names[i]);
    attr->names = names;
    attr->ints = copy_array(arena, attr->ints, int_count(attr), sizeof(int64_t));
    attr->shardings = copy_array(arena, attr->shardings, count, sizeof *attr->shardings);
    AxisRef *axes = copy_array(arena, attr->axes, count, sizeof *axes);
    if (axes) intern_axes(context, count, axes);
    attr->axes = axes;
    AxisList *lists = copy_array(arena, attr->axes_per_dim, count, sizeof *lists);
    for (int i = 0; lists && i < count; i++)
        intern_axes(context, lists[i].count, lists[i].axes);
    attr->axes_per_dim = lists;
    AllToAllParam *params = copy_array(arena, attr->all_to_all, count, sizeof *params);
    for (int i = 0; params && i < count; i++)
        intern_axes(context, params[i].axes.count, params[i].axes.axes);
    attr->all_to_all = params;
    if (attr->steps) attr->steps = propagation_steps_copy(context, count, attr->steps);
}

static void copy_dimension_numbers(Arena *arena, Attr *attr) {
    if (attr->dot) {
        DotDims *dot = arena_copy(arena, attr->dot, sizeof *dot);
        copy_span(arena, &dot->lhs_batch);
        copy_span(arena, &dot->rhs_batch);
        copy_span(arena, &dot->lhs_contracting);
        copy_span(arena, &dot->rhs_contracting);
        copy_span(arena, &dot->lhs_ragged);
        copy_span(arena, &dot->rhs_group);
        attr->dot = dot;
    }
    if (attr->conv) {
        ConvDims *conv = arena_copy(arena, attr->conv, sizeof *conv);
        copy_span(arena, &conv->input_spatial);
        copy_span(arena, &conv->kernel_spatial);
        copy_span(arena, &conv->output_spatial);
        attr->conv = conv;
    }
    if (attr->gather) {
        GatherDims *gather = arena_copy(arena, attr->gather, sizeof *gather);
        copy_span(arena, &gather->offset_dims);
        copy_span(arena, &gather->collapsed_slice_dims);
        copy_span(arena, &gather->operand_batching_dims);
        copy_span(arena, &gather->start_indices_batching_dims);
        copy_span(arena, &gather->start_index_map);
        attr->gather = gather;
    }
    if (attr->scatter) {
        ScatterDims *scatter = arena_copy(arena, attr->scatter, sizeof *scatter);
        copy_span(arena, &scatter->update_window_dims);
        copy_span(arena, &scatter->inserted_window_dims);
        copy_span(arena, &scatter->input_batching_dims);
        copy_span(arena, &scatter->scatter_indices_batching_dims);
        copy_span(arena, &scatter->scatter_dims_to_operand_dims);
        attr->scatter = scatter;
    }
    if (attr->alias) {
        OperandAlias *alias = arena_copy(arena, attr->alias, sizeof *alias);
        copy_span(arena, &alias->output_tuple_indices);
        copy_span(arena, &alias->operand_tuple_indices);
        attr->alias = alias;
    }
    if (attr->dot_algorithm)
        attr->dot_algorithm = arena_copy(arena, attr->dot_algorithm, sizeof *attr->dot_algorithm);
}

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

// Small integer constants also get their numbers as ints, for op_ints.
static void decode_ints(Arena *arena, Attr *attr) {
    attr->ints = NULL;
    attr->count = 0;
    ElementType element = attr->type->element;
    ElementClass class = element_class(element);
    if (!type_is_static(attr->type) || class == CLASS_FLOAT || class == CLASS_COMPLEX) return;
    int64_t count = type_element_count(attr->type);
    bool is_stored_so = element_bytes(element) == sizeof(int64_t) && !attr->is_splat;
    // A pair for each of as many devices as programs may have is among them.
    if (count > (is_stored_so ? 2 * LARGE_ELEMENTS : LARGE_ELEMENTS)) return;
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

static void copy_elements(Context *context, Attr *attr) {
    size_t alignment = attr->data_size > LARGE_ELEMENTS ? 64 : 16;
    void *data = arena_alloc_aligned(context->arena, attr->data_size + 1, alignment);
    if (attr->data_size) memcpy(data, attr->data, attr->data_size);
    attr->data = data;
    if (attr->kind == ATTR_ELEMENTS) decode_ints(context->arena, attr);
}

// With a rule that is interned, so that keys hold its address.
static const Attr *intern_rule(Context *context, const Attr *prototype) {
    Attr attr = *prototype;
    attr.rule = sharding_rule_intern(context, prototype->rule);
    return attr.rule == prototype->rule ? NULL : attr_intern(context, &attr);
}

const Attr *attr_intern(Context *context, const Attr *prototype) {
    if (prototype->rule) {
        const Attr *interned = intern_rule(context, prototype);
        if (interned) return interned;
    }
    bool is_large = prototype->data_size > LARGE_ELEMENTS;
    const void *key = NULL;
    if (!is_large) {
        write_attr_key(context, prototype);
        const Attr *found = context_key_find(context, &key);
        if (found) return found;
    }
    Attr *attr = ARENA_NEW(context->arena, Attr);
    *attr = *prototype;
    attr->text = context_name(context, prototype->text);
    if (attr->kind != ATTR_ELEMENTS) copy_lists(context, attr);
    copy_dimension_numbers(context->arena, attr);
    if (attr->kind == ATTR_ELEMENTS || attr->data) copy_elements(context, attr);
    if (!is_large) context_key_bind(context, key, attr);
    return attr;
}

const Attr *attr_unit(Context *context) { return attr_intern(context, &(Attr){.kind = ATTR_UNIT}); }

const Attr *attr_bool(Context *context, bool value) {
    return attr_intern(context, &(Attr){.kind = ATTR_BOOL, .integer = value});
}

const Attr *attr_int(Context *context, int64_t value, ElementType element) {
    return attr_intern(
        context,
        &(Attr){.kind = ATTR_INT, .integer = value, .type = type_element(context, element)});
}

const Attr *attr_float(Context *context, double value, ElementType element) {
    return attr_intern(
        context,
        &(Attr){.kind = ATTR_FLOAT, .number = value, .type = type_element(context, element)});
}

const Attr *attr_string(Context *context, StrView text) {
    return attr_intern(context, &(Attr){.kind = ATTR_STRING, .text = text});
}

const Attr *attr_symbol(Context *context, StrView text) {
    return attr_intern(context, &(Attr){.kind = ATTR_SYMBOL, .text = text});
}

const Attr *attr_type(Context *context, const Type *type) {
    return attr_intern(context, &(Attr){.kind = ATTR_TYPE, .type = type});
}

const Attr *attr_array(Context *context, int count, const Attr *const *items) {
    return attr_intern(context, &(Attr){.kind = ATTR_ARRAY, .count = count, .items = items});
}

typedef struct DictEntry {
    StrView name;
    const Attr *value;
    int position; // the last of equal names counts
} DictEntry;

static int compare_entries(const void *left, const void *right) {
    const DictEntry *a = left, *b = right;
    int order = strview_compare(a->name, b->name);
    return order ? order : a->position - b->position;
}

const Attr *attr_dict(Context *context, int count, const StrView *names, const Attr *const *items) {
    DictEntry *entries = ARENA_ARRAY(context->arena, DictEntry, count + 1);
    for (int i = 0; i < count; i++)
        entries[i] = (DictEntry){names[i], items[i], i};
    if (count > 1) qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    StrView *sorted_names = ARENA_ARRAY(context->arena, StrView, count + 1);
    const Attr **sorted_items = ARENA_ARRAY(context->arena, const Attr *, count + 1);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (i + 1 < count && strview_equal(entries[i].name, entries[i + 1].name)) continue;
        sorted_names[kept] = entries[i].name;
        sorted_items[kept++] = entries[i].value;
    }
    return attr_intern(
        context,
        &(Attr){.kind = ATTR_DICT, .count = kept, .names = sorted_names, .items = sorted_items});
}

static const Attr *make_ints(
    Context *context, int count, const int64_t *values, ElementType element) {
    return attr_intern(
        context, &(Attr){
                     .kind = ATTR_INTS,
                     .count = count,
                     .ints = values,
                     .type = type_element(context, element)});
}

const Attr *attr_segments(Context *context, int first, int second) {
    int64_t counts[] = {first, second};
    Attr attr = {
        .kind = ATTR_INTS,
        .type = type_element(context, ELEMENT_I32),
        .count = 2,
        .ints = counts};
    return attr_intern(context, &attr);
}

const Attr *attr_ints(Context *context, int count, const int64_t *values) {
    return make_ints(context, count, values, ELEMENT_I64);
}

const Attr *attr_bools(Context *context, int count, const int64_t *values) {
    return make_ints(context, count, values, ELEMENT_I1);
}

const Attr *attr_elements(
    Context *context, const Type *tensor, bool is_splat, const void *data, size_t size) {
    return attr_intern(
        context, &(Attr){
                     .kind = ATTR_ELEMENTS,
                     .type = tensor,
                     .is_splat = is_splat,
                     .data = data,
                     .data_size = size});
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

const Attr *attr_int_matrix(Context *context, int rows, int columns, const int64_t *values) {
    const Type *type = type_tensor(context, ELEMENT_I64, 2, (int64_t[]){rows, columns});
    int64_t count = (int64_t)rows * columns;
    bool is_splat = count > 0;
    for (int64_t i = 1; i < count; i++)
        is_splat = is_splat && values[i] == values[0];
    size_t stored = is_splat ? 1 : (size_t)count;
    return attr_elements(context, type, is_splat, values, stored * sizeof(int64_t));
}

const Attr *attr_enum(Context *context, EnumKind kind, int value) {
    return attr_intern(context, &(Attr){.kind = ATTR_ENUM, .enum_kind = kind, .integer = value});
}

const Attr *attr_sharding(Context *context, const Sharding *sharding) {
    return attr_intern(context, &(Attr){.kind = ATTR_SHARDING, .sharding = sharding});
}

const Attr *attr_shardings(Context *context, int count, const Sharding *const *shardings) {
    return attr_intern(
        context, &(Attr){.kind = ATTR_SHARDINGS, .count = count, .shardings = shardings});
}

const Attr *attr_axes(Context *context, int count, const AxisRef *axes) {
    return attr_intern(context, &(Attr){.kind = ATTR_AXES, .count = count, .axes = axes});
}

bool attr_equal(const Attr *a, const Attr *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind) return false;
    if (a->kind == ATTR_ELEMENTS) {
        return a->type == b->type && a->is_splat == b->is_splat && a->data_size == b->data_size &&
               a->data_size > LARGE_ELEMENTS && memcmp(a->data, b->data, a->data_size) == 0;
    }
    if (a->kind != ATTR_ARRAY && a->kind != ATTR_DICT) return false;
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        if (a->kind == ATTR_DICT && !strview_equal(a->names[i], b->names[i])) return false;
        if (!attr_equal(a->items[i], b->items[i])) return false;
    }
    return true;
}

uint64_t attr_hash(const Attr *attr, uint64_t seed) {
    enum { SAMPLE = 256 };
    if (attr && attr->kind == ATTR_ELEMENTS && attr->data_size > LARGE_ELEMENTS) {
        uint64_t hash = hash_bytes(&attr->data_size, sizeof attr->data_size, seed);
        return hash_bytes(attr->data, SAMPLE < attr->data_size ? SAMPLE : attr->data_size, hash);
    }
    if (!attr || (attr->kind != ATTR_ARRAY && attr->kind != ATTR_DICT))
        return hash_bytes(&attr, sizeof attr, seed);
    uint64_t hash = hash_bytes(&attr->count, sizeof attr->count, seed);
    for (int i = 0; i < attr->count; i++)
        hash = attr_hash(attr->items[i], hash);
    return hash;
}

const Attr *attr_dict_get(const Attr *dict, StrView name) {
    if (!dict || dict->kind != ATTR_DICT) return NULL;
    for (int i = 0; i < dict->count; i++) {
        if (strview_equal(dict->names[i], name)) return dict->items[i];
    }
    return NULL;
}

const Attr *attr_dict_set(Context *context, const Attr *dict, StrView name, const Attr *value) {
    int count = dict ? dict->count : 0;
    StrView *names = ARENA_ARRAY(context->arena, StrView, count + 1);
    const Attr **items = ARENA_ARRAY(context->arena, const Attr *, count + 1);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (strview_equal(dict->names[i], name)) continue;
        names[kept] = dict->names[i];
        items[kept++] = dict->items[i];
    }
    if (value) {
        names[kept] = name;
        items[kept++] = value;
    }
    return kept ? attr_dict(context, kept, names, items) : NULL;
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
