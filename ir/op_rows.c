// The rows of ops.def: names, dialects, traits and counts of ops by their codes.
#include "ir/dialects/traits.h"
#include "ir/dialects/value_classes.h"
#include "ir/op.h"

typedef struct OpInfo {
    StrView text;
    Dialect dialect;
    unsigned traits;
    uint32_t operands[MAX_ITEMS + 1], results[MAX_ITEMS + 1]; // 0 ends them
    int regions;
} OpInfo;

#define OPERANDS(...) \
    { __VA_ARGS__ }
#define RESULTS(...) \
    { __VA_ARGS__ }
#define REGIONS(count) (count)

static const OpInfo op_infos[OP_COUNT] = {
#define OP(name, dialect, text, traits, operands, results, regions, ...) \
    [OP_##name] = {{text, sizeof(text) - 1}, DIALECT_##dialect, traits, operands, results, regions},
#include "ir/dialects/ops.def"
};

// An op is partitioned or converted before; one that is neither does not build.
#define SECOND(a, b, ...)                b
#define IS_NONE(...)                     SECOND(__VA_ARGS__, 0, 0)
#define IS_NONE_none                     0, 1
#define IR(infer, eval, scalar, convert) IS_NONE(IS_NONE_##convert)
#define PARTITION(rule, local)           0
#define NO_PARTITION                     1
#define OP(                                                                                        \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, ...) \
    _Static_assert(!((ir) && (partition)), text ": NO_PARTITION needs a conversion");
#include "ir/dialects/ops.def"
#undef IR
#undef PARTITION
#undef NO_PARTITION

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

Dialect op_code_dialect(OpCode code) { return op_infos[code].dialect; }

StrView op_code_mnemonic(OpCode code) {
    StrView text = op_infos[code].text;
    size_t skip = text.size ? dialects[op_infos[code].dialect].text.size + 1 : 0;
    return (StrView){text.data + skip, text.size - skip};
}

StrView op_code_text(OpCode code) { return op_infos[code].text; }

bool op_code_from_text(StrView text, OpCode *code) {
    if (text.size == 0) return false;
    for (int i = 0; i < OP_COUNT; i++) {
        // The sizes alone tell most names apart.
        if (op_infos[i].text.size == text.size &&
            memcmp(op_infos[i].text.data, text.data, text.size) == 0) {
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

int op_code_operands(OpCode code) { return count_of(op_infos[code].operands); }
int op_code_least_operands(OpCode code) {
    int least = 0;
    for (const uint32_t *item = op_infos[code].operands; *item; item++)
        least += !(*item & (VARIADIC | SINGLE));
    return least;
}
int op_code_results(OpCode code) { return count_of(op_infos[code].results); }
int op_code_regions(OpCode code) { return op_infos[code].regions; }
bool op_code_has(OpCode code, OpTrait trait) { return (op_infos[code].traits & trait) != 0; }
