// refine_ops: the shapes of results that follow from constant operands, which the
// infer functions do not look at.
#include "ir/legalize/refine_ops.h"

#include "base/checked.h"
#include "ir/verify/verify.h"

const int64_t *constant_numbers(Arena *scratch, const Value *value, int count) {
    const Op *def = value->def;
    const Attr *attr = def && def->code == OP_CONSTANT ? op_attr(def, NAME_VALUE) : NULL;
    if (!attr || attr->kind != ATTR_ELEMENTS || !type_is_static(attr->type) ||
        type_element_count(attr->type) != count || (count > 0 && !attr->ints))
        return NULL;
    return op_ints_or(scratch, def, NAME_VALUE, count, 0);
}

const Type *refine_merge(Context *context, const Type *type, const Type *better) {
    if (!better || better == type) return type;
    if (type->kind != TYPE_TENSOR || better->kind != TYPE_TENSOR) return type;
    if (better->unranked) return type;
    if (!type->unranked && type->rank != better->rank) return NULL;
    Type merged = *type;
    merged.unranked = false;
    merged.rank = better->rank;
    bool is_static = true;
    for (int d = 0; d < better->rank; d++) {
        int64_t known = type->unranked ? DIM_DYNAMIC : type->dims[d], found = better->dims[d];
        if (known >= 0 && found >= 0 && known != found) return NULL;
        merged.dims[d] = known >= 0 ? known : found;
        bool bounded = type->is_bounded && type->bounds[d] >= 0;
        if (bounded && merged.dims[d] > type->bounds[d]) return NULL;
        if (bounded && merged.dims[d] >= 0) merged.bounds[d] = DIM_DYNAMIC;
        is_static = is_static && merged.dims[d] >= 0;
    }
    if (is_static) merged.is_bounded = false;
    return type_intern(context, &merged);
}

typedef struct Refined {
    Legalizer *legalizer;
    const Op *op;
    const Type **types; // [results]
} Refined;

static Arena *scratch_of(const Refined *refined) { return refined->legalizer->pass->scratch; }

// Result i has the dims, as far as they are sizes.
static void set_dims(Refined *refined, int i, int rank, const int64_t *dims) {
    const Type *written = op_result_type(refined->op, i);
    Type type = {.kind = TYPE_TENSOR, .element = written->element, .rank = rank};
    for (int d = 0; d < rank; d++)
        type.dims[d] = dims[d] >= 0 ? dims[d] : DIM_DYNAMIC;
    refined->types[i] = type_intern(refined->legalizer->module->context, &type);
}

// Result i's shape is the list in an operand.
static void shape_from_operand(Refined *refined, int i, int operand) {
    const Type *list = op_operand_type(refined->op, operand);
    if (!type_is_static(list) || list->rank != 1 || list->dims[0] > MAX_RANK) return;
    int rank = (int)list->dims[0];
    const int64_t *dims =
        constant_numbers(scratch_of(refined), op_operand(refined->op, operand), rank);
    if (dims) set_dims(refined, i, rank, dims);
}

static void shape_list_0(Refined *refined) { shape_from_operand(refined, 0, 0); }
static void shape_list_1(Refined *refined) { shape_from_operand(refined, 0, 1); }

static void shape_operand(Refined *refined) {
    const Type *operand = op_operand_type(refined->op, 0);
    if (!operand->unranked) set_dims(refined, 0, operand->rank, operand->dims);
}

const int64_t *slice_lengths(Arena *scratch, const Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    const Value *start = op_operand(op, 1), *limit = op_operand(op, 2);
    if (limit->def && limit->def->code == OP_ADD) { // start + sizes
        for (int i = 0; i < 2; i++) {
            if (op_operand(limit->def, i) == start)
                return constant_numbers(scratch, op_operand(limit->def, 1 - i), rank);
        }
    }
    const int64_t *starts = constant_numbers(scratch, start, rank);
    const int64_t *limits = constant_numbers(scratch, limit, rank);
    if (!starts || !limits) return NULL;
    int64_t *lengths = ARENA_ARRAY(scratch, int64_t, rank + 1);
    for (int d = 0; d < rank; d++) {
        if (__builtin_sub_overflow(limits[d], starts[d], &lengths[d])) return NULL;
    }
    return lengths;
}

// lengths / stride, rounded up
static void shape_slice(Refined *refined) {
    const Op *op = refined->op;
    int rank = op_operand_type(op, 0)->rank;
    const int64_t *lengths = slice_lengths(scratch_of(refined), op);
    const int64_t *strides = constant_numbers(scratch_of(refined), op_operand(op, 3), rank);
    int64_t dims[MAX_RANK];
    for (int d = 0; lengths && strides && d < rank; d++) {
        int64_t length = lengths[d], stride = strides[d];
        bool known = length >= 0 && stride > 0;
        dims[d] = known ? length / stride + (length % stride != 0) : DIM_DYNAMIC;
    }
    if (lengths && strides) set_dims(refined, 0, rank, dims);
}

// The operand's shape; a dimension more or less at the end where the elements' widths differ.
static void shape_bitcast(Refined *refined) {
    const Type *operand = op_operand_type(refined->op, 0);
    int from = element_bits(operand->element);
    int to = element_bits(op_result_type(refined->op, 0)->element);
    int rank = operand->rank;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < rank; d++)
        dims[d] = operand->dims[d];
    if (from > to && rank < MAX_RANK) dims[rank++] = from / to;
    if (from < to && rank > 0) rank--;
    set_dims(refined, 0, rank, dims);
}

static void shape_pad(Refined *refined) {
    const Op *op = refined->op;
    const Type *operand = op_operand_type(op, 0);
    const int64_t *lists[3];
    for (int i = 0; i < 3; i++) {
        lists[i] = constant_numbers(scratch_of(refined), op_operand(op, i + 2), operand->rank);
        if (!lists[i]) return;
    }
    int64_t dims[MAX_RANK];
    for (int d = 0; d < operand->rank; d++) {
        int64_t size = operand->dims[d], gaps = 0;
        bool known = size >= 0 && checked_mul(size > 1 ? size - 1 : 0, lists[2][d], &gaps) &&
                     checked_add(size, gaps, &size) && checked_add(size, lists[0][d], &size) &&
                     checked_add(size, lists[1][d], &size) && size >= 0;
        dims[d] = known ? size : DIM_DYNAMIC;
    }
    set_dims(refined, 0, operand->rank, dims);
}

static void shape_set_size(Refined *refined) {
    const Type *operand = op_operand_type(refined->op, 0);
    const int64_t *size = constant_numbers(scratch_of(refined), op_operand(refined->op, 1), 1);
    int64_t dims[MAX_RANK], dimension = op_int(refined->op, NAME_DIMENSION, 0);
    for (int d = 0; d < operand->rank; d++)
        dims[d] = operand->dims[d];
    dims[dimension] = size ? *size : DIM_DYNAMIC;
    set_dims(refined, 0, operand->rank, dims);
}

// Custom calls say which of their operands are their results' shapes.
static void shape_custom_call(Refined *refined) {
    StrView target = op_text(refined->op, NAME_CALL_TARGET_NAME);
    if (strview_is(target, "stablehlo.dynamic_rng_bit_generator") &&
        refined->op->operand_count == 2 && refined->op->result_count == 2) {
        shape_from_operand(refined, 1, 1);
        return;
    }
    const Attr *indices = op_extra(refined->op, "indices_of_shape_operands");
    if (!indices || indices->kind != ATTR_ELEMENTS || !type_is_static(indices->type) ||
        !element_is_integer(indices->type->element) ||
        type_element_count(indices->type) != refined->op->result_count)
        return;
    for (int i = 0; i < refined->op->result_count; i++) {
        int64_t operand = attr_element_int(indices, i);
        if (operand >= 0 && operand < refined->op->operand_count)
            shape_from_operand(refined, i, (int)operand);
    }
}

typedef void ShapeFn(Refined *refined);

typedef struct ShapeRow {
    char unused;
    ShapeFn *shape; // NULL: the types of the operands say all
} ShapeRow;

static const ShapeRow shapes[OP_COUNT] = {
#define SHAPED(x) .shape = shape_##x,
#include "ir/dialects/ir_rows.def"
};

bool refine_result_types(Legalizer *legalizer, const Op *op, const Type **types) {
    Refined refined = {legalizer, op, types};
    for (int i = 0; i < op->result_count; i++)
        types[i] = NULL;
    if (shapes[op->code].shape) {
        shapes[op->code].shape(&refined);
        return true;
    }
    bool inferred;
    return infer_result_types(legalizer->module, op, types, &inferred, legalizer->pass->diags);
}

bool is_shape_assertion(const Op *op) {
    return op->code == OP_CUSTOM_CALL && op->operand_count > 0 && op->result_count == 0 &&
           strview_is(op_text(op, NAME_CALL_TARGET_NAME), "shape_assertion");
}

const char *assertion_text(Arena *arena, const Op *op, const int64_t *const *numbers) {
    const Attr *message = op_extra(op, "error_message");
    StrBuf text = strbuf(arena);
    StrView format = message && message->kind == ATTR_STRING ? message->text : SV("it is false");
    for (size_t i = 0; i < format.size; i++) {
        size_t end = i + 1;
        int index = 0;
        while (format.data[i] == '{' && end < format.size && format.data[end] >= '0' &&
               format.data[end] <= '9' && index < 1000)
            index = 10 * index + (format.data[end++] - '0');
        bool is_number = end > i + 1 && end < format.size && format.data[end] == '}' &&
                         index + 1 < op->operand_count && numbers[index];
        if (is_number) {
            strbuf_printf(&text, "%lld", (long long)*numbers[index]);
            i = end;
        } else {
            strbuf_putc(&text, format.data[i]);
        }
    }
    return strbuf_cstring(&text);
}
