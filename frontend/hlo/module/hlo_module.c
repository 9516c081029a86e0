// hlo_module: what the readers of text and of protobufs share.
#include "frontend/hlo/module/hlo_module.h"

#include "base/checked.h"

enum { MAX_DEVICES = 1 << 20 };

typedef struct AttrRow {
    StrView text;
    HloAttrKind kind;
} AttrRow;

static const AttrRow attr_rows[] = {
#define HLO_ATTR(text, name, kind) {{text, sizeof text - 1}, HLO_KIND_##kind},
#include "frontend/hlo/module/hlo_attrs.def"
};

HloAttrKind hlo_attr_kind(HloAttrName name) {
    return name < HLO_ATTR_COUNT ? attr_rows[name].kind : HLO_KIND_OTHER;
}

StrView hlo_attr_text(HloAttrName name) { return attr_rows[name].text; }

int hlo_leaf_count(const Type *type) {
    if (type->kind != TYPE_TUPLE) return 1;
    int count = 0;
    for (int i = 0; i < type->part_count; i++)
        count += hlo_leaf_count(type->parts[i]);
    return count;
}

bool hlo_number_parameters(const HloSource *source, HloComputation *computation) {
    int count = 0;
    for (int i = 0; i < computation->instr_count; i++)
        count += computation->instrs[i].parameter >= 0;
    computation->parameter_count = count;
    computation->parameters = ARENA_ARRAY(source->arena, int, count + 1);
    for (int i = 0; i < count; i++)
        computation->parameters[i] = -1;
    for (int i = 0; i < computation->instr_count; i++) {
        const HloInstr *instr = &computation->instrs[i];
        if (instr->parameter < 0) continue;
        if (instr->parameter >= count) {
            diag_error(
                source->diags, instr->loc, "parameter %lld of a computation with %d parameters",
                (long long)instr->parameter, count);
            return false;
        }
        if (computation->parameters[instr->parameter] >= 0) {
            diag_error(
                source->diags, instr->loc, "there are two parameters %lld",
                (long long)instr->parameter);
            return false;
        }
        computation->parameters[instr->parameter] = i;
    }
    return true;
}

StrView hlo_without_number(StrView name) {
    size_t size = name.size;
    while (size > 0 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9')
        size--;
    bool numbered = size > 1 && size < name.size && name.data[size - 1] == '.';
    return numbered ? (StrView){name.data, size - 1} : name;
}

// ---- shapes ----

static const struct {
    const char *word;
    ElementType element;
} element_rows[] = {
    {"pred", ELEMENT_I1},
    {"s2", ELEMENT_I2},
    {"s4", ELEMENT_I4},
    {"s8", ELEMENT_I8},
    {"s16", ELEMENT_I16},
    {"s32", ELEMENT_I32},
    {"s64", ELEMENT_I64},
    {"u2", ELEMENT_UI2},
    {"u4", ELEMENT_UI4},
    {"u8", ELEMENT_UI8},
    {"u16", ELEMENT_UI16},
    {"u32", ELEMENT_UI32},
    {"u64", ELEMENT_UI64},
    {"f4e2m1fn", ELEMENT_F4E2M1FN},
    {"f8e3m4", ELEMENT_F8E3M4},
    {"f8e4m3", ELEMENT_F8E4M3},
    {"f8e4m3fn", ELEMENT_F8E4M3FN},
    {"f8e4m3fnuz", ELEMENT_F8E4M3FNUZ},
    {"f8e4m3b11fnuz", ELEMENT_F8E4M3B11FNUZ},
    {"f8e5m2", ELEMENT_F8E5M2},
    {"f8e5m2fnuz", ELEMENT_F8E5M2FNUZ},
    {"f8e8m0fnu", ELEMENT_F8E8M0FNU},
    {"bf16", ELEMENT_BF16},
    {"f16", ELEMENT_F16},
    {"f32", ELEMENT_F32},
    {"f64", ELEMENT_F64},
    {"c64", ELEMENT_C64},
    {"c128", ELEMENT_C128}};

enum { ELEMENT_ROWS = sizeof element_rows / sizeof element_rows[0] };

bool hlo_element_from_word(StrView word, ElementType *element) {
    for (int i = 0; i < ELEMENT_ROWS; i++) {
        if (!strview_is(word, element_rows[i].word)) continue;
        *element = element_rows[i].element;
        return true;
    }
    return false;
}

StrView hlo_element_word(ElementType element) {
    for (int i = 0; i < ELEMENT_ROWS; i++) {
        if (element_rows[i].element == element) return strview(element_rows[i].word);
    }
    return SV("");
}

const char *hlo_add_dim(Type *type, int64_t *bytes, int64_t size) {
    if (type->rank == MAX_RANK) return "more than 32 dimensions are not supported";
    if (size < 0) return "a dimension's size is negative";
    if (size > 0 && !checked_mul(*bytes, size, bytes)) // 0 x huge is refused too
        return "the array is too large: its size in bytes exceeds 64 bits";
    type->dims[type->rank++] = size;
    return NULL;
}

// ---- groups of devices ----

static bool is_permutation(const int64_t *order, int rank) {
    uint64_t seen = 0;
    for (int d = 0; d < rank; d++) {
        if (order[d] < 0 || order[d] >= rank || (seen >> order[d] & 1)) return false;
        seen |= (uint64_t)1 << order[d];
    }
    return true;
}

bool hlo_iota_groups(
    Arena *arena, int64_t count, int64_t size, int rank, const int64_t *dims, const int64_t *order,
    HloGroups *groups) {
    int64_t total, devices;
    bool ok = checked_product((int64_t[]){count, size}, 2, &total) &&
              checked_product(dims, rank, &devices) && total == devices && total > 0 &&
              total <= MAX_DEVICES && is_permutation(order, rank);
    if (!ok) return false;
    int64_t *ids = ARENA_ARRAY(arena, int64_t, total);
    int64_t place[MAX_RANK] = {0};
    for (int64_t i = 0; i < total; i++) {
        int64_t at_dim[MAX_RANK] = {0};
        for (int d = 0; d < rank; d++)
            at_dim[order[d]] = place[d];
        for (int d = 0; d < rank; d++)
            ids[i] = ids[i] * dims[d] + at_dim[d];
        for (int d = rank - 1; d >= 0 && ++place[d] == dims[order[d]]; d--)
            place[d] = 0;
    }
    *groups = (HloGroups){(int)count, (int)size, ids};
    return true;
}

bool hlo_row_groups(Arena *arena, int64_t count, const IntSpan *rows, HloGroups *groups) {
    int size = 0;
    for (int64_t g = 0; g < count; g++)
        size = rows[g].count > size ? rows[g].count : size;
    if (count * size > MAX_DEVICES) return false;
    *groups = (HloGroups){(int)count, size, NULL};
    if (count == 0 || size == 0) return true;
    int64_t *ids = ARENA_ARRAY(arena, int64_t, count * size);
    for (int64_t g = 0; g < count; g++) {
        for (int i = 0; i < size; i++)
            ids[g * size + i] = i < rows[g].count ? rows[g].data[i] : -1;
    }
    groups->ids = ids;
    return true;
}

// ---- elements ----

const Attr *hlo_elements(Context *context, const Type *type, const void *data) {
    int64_t count = type_element_count(type);
    size_t size = element_bytes(type->element);
    const char *bytes = data;
    bool is_splat = count > 0;
    for (int64_t i = 1; i < count && is_splat; i++)
        is_splat = memcmp(bytes, bytes + (size_t)i * size, size) == 0;
    return attr_elements(context, type, is_splat, data, is_splat ? size : (size_t)count * size);
}
