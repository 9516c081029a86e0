// Facts of ops.def, attribute getters, uses.
#include "ir/op.h"

#include "ir/dialects/traits.h"
#include "ir/dialects/value_classes.h"

typedef struct OpFacts {
    StrView text;
    Dialect dialect;
    unsigned traits;
    uint32_t operands[MAX_ITEMS + 1], results[MAX_ITEMS + 1]; // 0 ends them
    int regions;
} OpFacts;

#define OPERANDS(...) \
    { __VA_ARGS__ }
#define RESULTS(...) \
    { __VA_ARGS__ }
#define REGIONS(count) (count)

static const OpFacts op_facts[OP_COUNT] = {
#define OP(name, dialect, text, traits, operands, results, regions, ...) \
    [OP_##name] = {{text, sizeof(text) - 1}, DIALECT_##dialect, traits, operands, results, regions},
#include "ir/dialects/ops.def"
};

enum { PART = false, WHOLE = true };

static const struct {
    StrView text;
    bool is_whole;
} dialects[DIALECT_COUNT] = {
#define DIALECT(name, text, extent) [DIALECT_##name] = {{text, sizeof(text) - 1}, extent},
#include "ir/dialects/ops.def"
};

StrView dialect_text(Dialect dialect) { return dialects[dialect].text; }
bool dialect_is_whole(Dialect dialect) { return dialects[dialect].is_whole; }

bool dialect_from_text(StrView text, Dialect *dialect) {
    for (int i = DIALECT_UNKNOWN + 1; i < DIALECT_COUNT; i++) {
        *dialect = (Dialect)i;
        if (strview_equal(dialects[i].text, text)) return true;
    }
    return false;
}

StrView dialect_text_of(StrView name) {
    const char *dot = name.data ? memchr(name.data, '.', name.size) : NULL;
    return (StrView){name.data, dot ? (size_t)(dot - name.data) : 0};
}

Dialect op_code_dialect(OpCode code) { return op_facts[code].dialect; }

StrView op_code_mnemonic(OpCode code) {
    StrView text = op_facts[code].text;
    size_t skip = text.size ? dialects[op_facts[code].dialect].text.size + 1 : 0;
    return (StrView){text.data + skip, text.size - skip};
}

StrView op_code_text(OpCode code) { return op_facts[code].text; }

bool op_code_from_text(StrView text, OpCode *code) {
    if (text.size == 0) return false;
    for (int i = 0; i < OP_COUNT; i++) {
        // The sizes alone tell most names apart.
        if (op_facts[i].text.size == text.size &&
            memcmp(op_facts[i].text.data, text.data, text.size) == 0) {
            *code = (OpCode)i;
            return true;
        }
    }
    return false;
}

// One value for each item, any number when one stands for several.
static int count_of(const uint32_t *items) {
    int count = 0;
    for (; items[count]; count++) {
        if (items[count] & (VARIADIC | SINGLE)) return -1;
    }
    return count;
}

int op_code_operands(OpCode code) { return count_of(op_facts[code].operands); }
int op_code_results(OpCode code) { return count_of(op_facts[code].results); }
int op_code_regions(OpCode code) { return op_facts[code].regions; }
bool op_code_has(OpCode code, OpTrait trait) { return (op_facts[code].traits & trait) != 0; }

const Attr *op_attr(const Op *op, AttrName name) {
    for (int i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].name == name) return op->attrs[i].value;
    }
    return NULL;
}

int64_t op_int(const Op *op, AttrName name, int64_t otherwise) {
    const Attr *attr = op_attr(op, name);
    if (!attr) return otherwise;
    if (attr->kind == ATTR_UNIT) return 1;
    bool is_number = attr->kind == ATTR_INT || attr->kind == ATTR_BOOL || attr->kind == ATTR_ENUM;
    return is_number ? attr->integer : otherwise;
}

IntSpan op_ints(const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    if (!attr || (attr->kind != ATTR_INTS && attr->kind != ATTR_ELEMENTS)) return (IntSpan){0};
    return (IntSpan){attr->ints, attr->ints ? attr->count : 0};
}

const int64_t *op_ints_or(Arena *arena, const Op *op, AttrName name, int count, int64_t otherwise) {
    IntSpan span = op_ints(op, name);
    if (span.count == count && count > 0) return span.data;
    const Attr *attr = op_attr(op, name);
    bool is_splat = attr && attr->kind == ATTR_ELEMENTS && attr->is_splat && span.count > 0;
    int64_t *ints = ARENA_ARRAY(arena, int64_t, count + 1);
    for (int i = 0; i < count; i++) {
        if (i < span.count) {
            ints[i] = span.data[i];
        } else {
            ints[i] = is_splat ? span.data[0] : otherwise;
        }
    }
    return ints;
}

StrView op_text(const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    if (!attr || (attr->kind != ATTR_STRING && attr->kind != ATTR_SYMBOL)) return (StrView){0};
    return attr->text;
}

const Attr *op_extra(const Op *op, const char *name) {
    return attr_dict_get(op->extra, strview(name));
}

bool value_has_one_use(const Value *value) { return value->uses && !value->uses->next; }

int value_use_count(const Value *value) {
    int count = 0;
    for (const Use *use = value->uses; use; use = use->next)
        count++;
    return count;
}

bool value_is_argument(const Value *value) { return value->region != NULL; }

Region *value_region(const Value *value) {
    return value->region ? value->region : value->def->parent;
}

bool region_contains(const Region *region, const Op *op) {
    return region_ancestor_of(region, op) != NULL;
}

Op *region_ancestor_of(const Region *region, const Op *op) {
    while (op && op->parent != region)
        op = op_parent_op(op);
    return (Op *)(uintptr_t)op; // the caller's own op or one above it
}

OpCode region_combining_op(const Region *region) {
    const Op *end = region->last;
    int count = region->arg_count / 2;
    if (!end || !op_has(end, TRAIT_TERMINATOR) || end->operand_count != count) return OP_COUNT;
    if (count == 0 || region->arg_count != 2 * count) return OP_COUNT;
    OpCode code = OP_COUNT;
    for (int i = 0; i < count; i++) {
        const Op *op = op_operand(end, i)->def;
        if (!op || op->parent != region || !op_has(op, TRAIT_POINTWISE)) return OP_COUNT;
        if (op->operand_count != 2 || op->result_count != 1) return OP_COUNT;
        if (i > 0 && op->code != code) return OP_COUNT;
        code = op->code;
        const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
        const Value *first = region->args[i], *second = region->args[count + i];
        bool direct = a == first && b == second;
        bool swapped = a == second && b == first && op_has(op, TRAIT_COMMUTES);
        if (!direct && !swapped) return OP_COUNT;
    }
    return code;
}

OpCode region_reduction_op(const Region *region) {
    const Op *op = region->first;
    if (region->arg_count != 2 || !op || op->next != region->last) return OP_COUNT;
    return region_combining_op(region);
}
