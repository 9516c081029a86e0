// Which types an op takes: ranked tensors of some classes of elements, or anything.
// And what every type must satisfy.
#include "base/checked.h"
#include "ir/dialects/value_classes.h"
#include "ir/verify/verify_internal.h"

typedef struct OpTypes {
    uint32_t operands[MAX_ITEMS + 1], results[MAX_ITEMS + 1]; // 0 ends them
} OpTypes;

#define OPERANDS(...) \
    { __VA_ARGS__ }
#define RESULTS(...) \
    { __VA_ARGS__ }

static const OpTypes op_types[OP_COUNT] = {
#define OP(name, dialect, text, traits, operands, results, ...) [OP_##name] = {operands, results},
#include "ir/dialects/ops.def"
};

static bool has_kind(const uint32_t *items, uint32_t kinds) {
    for (; *items; items++) {
        if (*items & kinds) return true;
    }
    return false;
}

bool infer_takes_anything(OpCode code) {
    const OpTypes *types = &op_types[code];
    bool has_no_values = !types->operands[0] && !types->results[0];
    return has_no_values || has_kind(types->operands, NO_TENSOR) ||
           has_kind(types->results, NO_TENSOR);
}

bool infer_has_one_class(OpCode code) {
    const OpTypes *types = &op_types[code];
    uint32_t class = types->operands[0];
    bool is_one = class != 0;
    for (int i = 0; types->operands[i]; i++)
        is_one = is_one && types->operands[i] == class;
    for (int i = 0; types->results[i]; i++)
        is_one = is_one && types->results[i] == class;
    return is_one;
}

static uint32_t type_bits(const Type *type) {
    switch (type->kind) {
    case TYPE_TOKEN: return TOKEN;
    case TYPE_TUPLE: return TUPLE;
    case TYPE_FUTURE: return FUTURE;
    case TYPE_TENSOR: break;
    case TYPE_FUNCTION:
    case TYPE_NONE:
    case TYPE_ELEMENT: return 0;
    case TYPE_OPAQUE: return type_is_memref(type) ? BUFFER : 0;
    }
    if (type->quant) return type->quant->axis >= 0 ? AXIS : QUANT;
    switch (type->element) {
    case ELEMENT_INDEX: return INDEX;
    case ELEMENT_I32: return SINT | I32;
    case ELEMENT_UI32: return UINT | U32;
    case ELEMENT_F32:
    case ELEMENT_F64: return FLOAT | REAL;
    default: break;
    }
    switch (element_class(type->element)) {
    case CLASS_BOOL: return PRED;
    case CLASS_SINT: return SINT;
    case CLASS_UINT: return UINT;
    case CLASS_FLOAT: return FLOAT;
    case CLASS_COMPLEX: return COMPLEX;
    }
    return 0;
}

static const char *shape_text(uint32_t item) {
    if (item & SCALAR) return "0D tensor of ";
    if (item & STATIC)
        return item & ONE_D   ? "statically shaped 1-dimensional tensor of "
               : item & TWO_D ? "statically shaped 2-dimensional tensor of "
                              : "statically shaped tensor of ";
    if (item & BOUNDED) return "statically shaped or single bounded dimension tensor of ";
    if (item & ONE_D) return "1D tensor of ";
    return item & UNRANKED ? "tensor of " : "ranked tensor of ";
}

// What MLIR says of such values.
static const char *describe(Infer *infer, uint32_t item) {
    static const struct {
        uint32_t bits;
        const char *text;
    } classes[] = {
        {ANY_TENSOR, "any type"},
        {INDEX, "index"},
        {FLOAT, "4/6/8/16/32/64-bit float"},
        {REAL, "32/64-bit float"},
        {PRED, "bool"},
        {INT, "2/4/8/16/32/64-bit integer"},
        {SINT, "2/4/8/16/32/64-bit signless integer"},
        {I32, "32-bit signless integer"},
        {U32, "32-bit unsigned integer"},
        {COMPLEX, "complex type with 32/64-bit float elements"},
        {QUANT, "per-tensor integer quantized"},
        {AXIS, "per-axis integer quantized"}};
    static const struct {
        uint32_t bit;
        const char *text;
    } others[] = {
        {TOKEN, "token"}, {TUPLE, "nested tuple"}, {BUFFER, "memref"}, {FUTURE, "future"}};
    StrBuf text = strbuf(infer->diags->arena);
    if (item & VARIADIC) strbuf_puts(&text, "variadic of ");
    uint32_t left = item;
    const char *before = shape_text(item);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if ((left & classes[i].bits) != classes[i].bits) continue;
        strbuf_puts(&text, before);
        strbuf_puts(&text, classes[i].text);
        before = " or ";
        left &= ~classes[i].bits;
    }
    if (left != item) strbuf_puts(&text, " values");
    before = left != item ? " or " : "";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!(item & others[i].bit)) continue;
        strbuf_puts(&text, before);
        strbuf_puts(&text, others[i].text);
        before = " or ";
    }
    return strbuf_cstring(&text);
}

// Zero points that can be stored; as many scales as the dimension has places. (Readers
// refuse scales that cannot be.)
static bool is_quant_valid(const Type *type) {
    const QuantParams *quant = type->quant;
    if (!quant) return true;
    if (quant->axis >= 0 && !type->unranked &&
        (quant->axis >= type->rank || !dims_fit(type->dims[quant->axis], quant->count)))
        return false;
    for (int i = 0; i < quant->count; i++) {
        if (quant->zero_points[i] < quant->storage_min ||
            quant->zero_points[i] > quant->storage_max)
            return false;
    }
    return quant->count > 0;
}

static bool has_one_bounded_dim(const Type *type) {
    int dynamic = 0, bounded = 0;
    for (int d = 0; d < type->rank; d++) {
        dynamic += dim_is_dynamic(type->dims[d]);
        bounded += type->is_bounded && type->bounds[d] != DIM_DYNAMIC;
    }
    return dynamic == 1 && bounded == 1;
}

static bool shape_fits(const Type *type, uint32_t item) {
    if (type->unranked) return (item & UNRANKED) != 0;
    if ((item & SCALAR) && type->rank != 0) return false;
    if ((item & ONE_D) && type->rank != 1) return false;
    if ((item & TWO_D) && type->rank != 2) return false;
    if ((item & STATIC) && !type_is_static(type)) return false;
    return !(item & BOUNDED) || type_is_static(type) || has_one_bounded_dim(type);
}

static bool check_value(
    Infer *infer, const Op *op, const char *kind, int i, uint32_t item, const Type *type) {
    if (item & ANYTHING) return true;
    bool fits = (type_bits(type) & item) != 0;
    if ((item & PARTED) && type->kind == TYPE_TUPLE) return true;
    if (fits && type->kind == TYPE_TENSOR) fits = shape_fits(type, item) && is_quant_valid(type);
    if (fits) return true;
    return infer_fail(
        infer, op, "%s #%d must be %s, but got '%s'", kind, i, describe(infer, item),
        infer_type_text(infer, type));
}

// How many values stand for each variadic item; false if the items do not fit the number of values.
static bool variadic_size(const uint32_t *items, int count, int *size) {
    int fixed = 0, variadic = 0;
    for (; *items; items++) {
        fixed += !(*items & VARIADIC);
        variadic += (*items & VARIADIC) != 0;
    }
    *size = variadic ? (count - fixed) / variadic : 0;
    return count >= fixed && fixed + variadic * *size == count;
}

// Where the numbers do not fit, the op's own check says so; what is there must be tensors for it.
static bool check_values(
    Infer *infer, const Op *op, const char *kind, const uint32_t *items, int count,
    const Type *(*type_of)(const Op *, int)) {
    int size = 0;
    if (!variadic_size(items, count, &size)) {
        if (!has_kind(items, VARIADIC | SINGLE))
            return infer_fail(infer, op, "expected one %s, but found %d", kind, count);
        uint32_t all = 0;
        for (; *items; items++)
            all |= *items & (TENSOR | AXIS | INDEX | REAL | I32 | U32 | NO_TENSOR | UNRANKED);
        for (int i = 0; i < count; i++) {
            if (!check_value(infer, op, kind, i, all ? all : TENSOR, type_of(op, i))) return false;
        }
        return true;
    }
    for (int i = 0; *items; items++) {
        int end = i + (*items & VARIADIC ? size : 1);
        for (; i < end; i++) {
            if (!check_value(infer, op, kind, i, *items, type_of(op, i))) return false;
        }
    }
    return true;
}

static const Type *operand_type(const Op *op, int i) { return op_operand_type(op, i); }
static const Type *result_type(const Op *op, int i) { return op_result_type(op, i); }

bool infer_check_tensors(Infer *infer, const Op *op) {
    const OpTypes *types = &op_types[op->code];
    return check_values(infer, op, "operand", types->operands, op->operand_count, operand_type) &&
           (infer->results_unknown ||
            check_values(infer, op, "result", types->results, op->result_count, result_type));
}

// Sizes that fit: the elements of a static tensor can be counted and stored.
bool infer_check_type(Infer *infer, const Op *op, const Type *type) {
    const int64_t max_bytes = INT64_C(1) << 46;
    if (type->kind == TYPE_TUPLE || type->kind == TYPE_FUTURE) {
        for (int i = 0; i < type->part_count; i++) {
            if (!infer_check_type(infer, op, type->parts[i]))
                return false; // readers limit the depth
        }
        return true;
    }
    if (type->kind != TYPE_TENSOR) return true;
    if (infer_takes_anything(op->code) && !is_quant_valid(type))
        return infer_fail(
            infer, op, "quantization of '%s' does not fit its shape or its types",
            infer_type_text(infer, type));
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] < 0 && type->dims[d] != DIM_DYNAMIC)
            return infer_fail(
                infer, op, "dimension %d of '%s' is negative", d, infer_type_text(infer, type));
    }
    if (!type_is_static(type)) return true;
    int64_t bytes;
    bool fits = checked_product(type->dims, type->rank, &bytes) &&
                checked_mul(bytes, (int64_t)element_bytes(type->element), &bytes);
    if (fits && bytes < max_bytes) return true;
    return infer_fail(infer, op, "type '%s' is too large", infer_type_text(infer, type));
}
