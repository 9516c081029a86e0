// Attributes: their names, the keywords of enums, shorthands that make them, dictionaries.
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

typedef struct EnumInfo {
    const char *dialect, *mnemonic;
    int count;
    const char *const *keywords;
} EnumInfo;

static const EnumInfo enum_infos[ENUM_KIND_COUNT] = {
#define ENUM(prefix, dialect, mnemonic) \
    [ENUM_##prefix] = {dialect, mnemonic, prefix##_COUNT, keywords_##prefix},
#define CASE(prefix, keyword)
#define END(prefix)
#include "ir/enums.def"
};

StrView enum_dialect(EnumKind kind) { return strview(enum_infos[kind].dialect); }

bool enum_kind_from_text(StrView dialect, StrView mnemonic, EnumKind *kind) {
    for (int i = 0; i < ENUM_KIND_COUNT; i++) {
        *kind = (EnumKind)i;
        if (strview_is(dialect, enum_infos[i].dialect) &&
            strview_is(mnemonic, enum_infos[i].mnemonic))
            return true;
    }
    return false;
}

StrView enum_mnemonic(EnumKind kind) { return strview(enum_infos[kind].mnemonic); }

StrView enum_keyword(EnumKind kind, int value) {
    if (value < 0 || value >= enum_infos[kind].count) return SV("");
    return strview(enum_infos[kind].keywords[value]);
}

bool enum_from_keyword(EnumKind kind, StrView keyword, int *value) {
    for (int i = 0; i < enum_infos[kind].count; i++) {
        if (strview_is(keyword, enum_infos[kind].keywords[i])) {
            *value = i;
            return true;
        }
    }
    return false;
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
        .kind = ATTR_INTS, .type = type_element(context, ELEMENT_I32), .count = 2, .ints = counts};
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

const Attr *attr_axes_per_dim(Context *context, int count, const AxisList *lists) {
    AxisSpan spans[MAX_RANK];
    assert(count <= MAX_RANK);
    for (int d = 0; d < count; d++)
        spans[d] = axis_span(&lists[d]);
    return attr_intern(
        context, &(Attr){.kind = ATTR_AXES_PER_DIM, .count = count, .axes_per_dim = spans});
}

bool attr_equal(const Attr *a, const Attr *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind) return false;
    if (a->kind == ATTR_ELEMENTS) {
        return a->type == b->type && a->is_splat == b->is_splat && a->data_size == b->data_size &&
               a->data_size > ATTR_LARGE_BYTES && memcmp(a->data, b->data, a->data_size) == 0;
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
    if (attr && attr->kind == ATTR_ELEMENTS && attr->data_size > ATTR_LARGE_BYTES) {
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
