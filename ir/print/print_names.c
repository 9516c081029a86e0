// print_names: names of values, as MLIR's printer chooses them. Results are numbered region by
// region; the regions of a region's ops start where it ended, so that siblings share numbers.
// Constants and arguments have suggested names; a name in use gets a suffix from one counter.
#include "ir/print/print_internal.h"

#include <stdio.h>

typedef struct Numbering {
    int64_t next_value, next_arg, next_conflict;
} Numbering;

typedef struct Namer {
    Arena *arena;
    PtrMap *names;
    StrMap used;
    bool generic;
} Namer;

// A name that was taken in a region, to be freed with it.
typedef struct Taken {
    StrView name;
    struct Taken *next;
} Taken;

static void set_name(Namer *namer, const Value *value, const char *name) {
    char *copy = arena_cstring(namer->arena, strview(name));
    ptr_map_set(namer->names, value, copy);
}

static void set_unique_name(
    Namer *namer, Numbering *numbering, Taken **taken, const Value *value, const char *wanted) {
    char name[64];
    snprintf(name, sizeof name, "%s", wanted);
    while (str_map_get(&namer->used, strview(name))) {
        snprintf(name, sizeof name, "%s_%lld", wanted, (long long)numbering->next_conflict++);
    }
    Taken *entry = ARENA_NEW(namer->arena, Taken);
    entry->name = arena_strview(namer->arena, strview(name));
    entry->next = *taken;
    *taken = entry;
    str_map_set(&namer->used, entry->name, entry);
    set_name(namer, value, name);
}

// The name of argument i of a region of the op, as the op's definition suggests it;
// NULL where arguments are numbered.
static const char *named_arg(const Op *owner, int i) {
    if (!owner) return NULL;
    if (owner->code == OP_WHILE) return "iterArg";
    if (owner->code != OP_CHLO_SCAN) return NULL;
    IntSpan segments = op_ints(owner, NAME_OPERAND_SEGMENT_SIZES);
    return segments.count > 0 && i < segments.data[0] ? "input" : "carry";
}

static void name_args(Namer *namer, Numbering *numbering, Taken **taken, const Region *region) {
    for (int i = 0; i < region->arg_count; i++) {
        const char *wanted = namer->generic ? NULL : named_arg(region->owner, i);
        if (wanted) {
            set_unique_name(namer, numbering, taken, region->args[i], wanted);
            continue;
        }
        char name[32];
        snprintf(name, sizeof name, "arg%lld", (long long)numbering->next_arg++);
        set_unique_name(namer, numbering, taken, region->args[i], name);
    }
}

// c for integers, cst for everything else
static const char *constant_name(const Op *op) {
    const Type *type = op_result_type(op, 0);
    ElementClass class = element_class(type->element);
    bool is_integer =
        type->kind == TYPE_TENSOR && !type->quant && class != CLASS_FLOAT && class != CLASS_COMPLEX;
    return is_integer ? "c" : "cst";
}

enum { MAX_NAMED_RESULTS = 3 };

// The names of results, as the rows have them; NULL where the op's results are numbered.
static const char *const result_names[OP_COUNT][MAX_NAMED_RESULTS] = {
#define RESULTS(...) \
    { NULL }
#define NAMES(...) \
    { __VA_ARGS__ }
#define NAMED_RESULTS(names, ...)                               names
#define OP(name, dialect, text, traits, operands, results, ...) [OP_##name] = results,
#include "ir/dialects/ops.def"
#undef RESULTS
};

bool has_named_results(const Printer *printer, const Op *op) {
    return !printer->options.generic && result_names[op->code][0] != NULL;
}

static void name_results(Namer *namer, Numbering *numbering, Taken **taken, const Op *op) {
    if (op->result_count == 0) return;
    const char *const *wanted = namer->generic ? NULL : result_names[op->code];
    for (int i = 0; wanted && i < MAX_NAMED_RESULTS && wanted[i] && i < op->result_count; i++) {
        set_unique_name(namer, numbering, taken, op_result(op, i), wanted[i]);
    }
    if (wanted && wanted[0]) return;
    bool is_constant = op->code == OP_CONSTANT;
    if (!namer->generic && (is_constant || op->code == OP_TENSOR_CAST)) {
        const char *name = is_constant ? constant_name(op) : "cast";
        set_unique_name(namer, numbering, taken, op_result(op, 0), name);
        return;
    }
    char name[32];
    snprintf(name, sizeof name, "%lld", (long long)numbering->next_value++);
    set_name(namer, op_result(op, 0), name);
}

static void name_region(Namer *namer, Numbering numbering, const Region *region) {
    Taken *taken = NULL;
    name_args(namer, &numbering, &taken, region);
    for (const Op *op = region->first; op; op = op->next)
        name_results(namer, &numbering, &taken, op);
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->region_count; i++)
            name_region(namer, numbering, op->regions[i]);
    }
    for (Taken *entry = taken; entry; entry = entry->next)
        str_map_set(&namer->used, entry->name, NULL);
}

void name_values(Printer *printer, const Op *op) {
    Arena *arena = printer->names.arena;
    Namer namer = {
        .arena = arena,
        .names = &printer->names,
        .used = str_map(arena),
        .generic = printer->options.generic};
    Numbering numbering = {0};
    Taken *taken = NULL;
    if (op->code != OP_MODULE) name_results(&namer, &numbering, &taken, op);
    for (int i = 0; i < op->region_count; i++)
        name_region(&namer, numbering, op->regions[i]);
}
