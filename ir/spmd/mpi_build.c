// mpi_build: numbers, conditions and buffers of programs that call MPI.
#include "ir/spmd/mpi.h"

#include <stdarg.h>

bool mpi_fail(Mpi *m, const Op *op, const char *format, ...) {
    StrBuf text = strbuf(m->pass->diags->arena);
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    diag_error(m->pass->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), strbuf_cstring(&text));
    m->failed = true;
    return false;
}

void mpi_replace(Mpi *m, Op *op, Value *const *values) {
    for (int i = 0; i < op->result_count; i++)
        value_replace_uses(op_result(op, i), values[i]);
    op_erase(op);
    m->changed = true;
}

// --- numbers ---

int64_t extent_of(const Value *value) {
    int64_t number;
    return number_of(value, &number) ? number : DIM_DYNAMIC;
}

Value *mpi_constant(Mpi *m, ElementType element, int64_t number) {
    Context *context = m->module->context;
    const Type *type = type_element(context, element);
    Op *op = build_op(&m->builder, OP_ARITH_CONSTANT, 0, NULL, 1, &type, 0);
    op_set_attr(
        m->module, op, NAME_VALUE,
        element == ELEMENT_I1 ? attr_bool(context, number != 0)
                              : attr_int(context, number, element));
    return op_result(op, 0);
}

Value *mpi_cast(Mpi *m, Value *number, ElementType element) {
    const Type *type = type_element(m->module->context, element);
    int64_t known;
    if (number->type == type) return number;
    if (number_of(number, &known)) return mpi_constant(m, element, known);
    return op_result(build_op(&m->builder, OP_ARITH_INDEX_CAST, 1, &number, 1, &type, 0), 0);
}

static bool holds(int predicate, int64_t x, int64_t y) {
    switch (predicate) { // NOLINT(hicpp-multiway-paths-covered): those that are asked for
    case ARITH_PREDICATE_eq: return x == y;
    case ARITH_PREDICATE_sgt: return x > y;
    default: return x >= y; // sge
    }
}

Value *mpi_compare(Mpi *m, int predicate, Value *x, Value *y) {
    int64_t a, b;
    if (number_of(x, &a) && number_of(y, &b))
        return mpi_constant(m, ELEMENT_I1, holds(predicate, a, b));
    const Type *type = type_element(m->module->context, ELEMENT_I1);
    Op *op = build_op(&m->builder, OP_ARITH_CMPI, 2, (Value *[]){x, y}, 1, &type, 0);
    op_set_attr(
        m->module, op, NAME_PREDICATE,
        attr_enum(m->module->context, ENUM_ARITH_PREDICATE, predicate));
    return op_result(op, 0);
}

Value *mpi_select(Mpi *m, Value *condition, Value *on_true, Value *on_false) {
    int64_t known;
    if (number_of(condition, &known)) return known ? on_true : on_false;
    Value *operands[] = {condition, on_true, on_false};
    return op_result(build_op(&m->builder, OP_ARITH_SELECT, 3, operands, 1, &on_true->type, 0), 0);
}

bool mpi_if_begin(Mpi *m, Value *condition, MpiIf *branch) {
    int64_t known;
    *branch = (MpiIf){NULL, m->builder};
    if (number_of(condition, &known)) return known != 0;
    branch->op = build_op(&m->builder, OP_SCF_IF, 1, &condition, 0, NULL, 2);
    Builder otherwise = builder_at_end(m->module, branch->op->regions[1]);
    otherwise.loc = m->builder.loc;
    build_op(&otherwise, OP_SCF_YIELD, 0, NULL, 0, NULL, 0);
    m->builder = builder_at_end(m->module, branch->op->regions[0]);
    m->builder.loc = otherwise.loc;
    return true;
}

void mpi_if_end(Mpi *m, MpiIf *branch) {
    if (branch->op) build_op(&m->builder, OP_SCF_YIELD, 0, NULL, 0, NULL, 0);
    m->builder = branch->outside;
}

// --- buffers ---

Value *mpi_alloc(Mpi *m, ElementType element, int rank, Value *const *sizes) {
    MemRef memref = {.element = element, .rank = rank};
    Value *operands[MAX_RANK];
    int count = 0;
    for (int d = 0; d < rank; d++) {
        memref.dims[d] = extent_of(sizes[d]);
        if (memref.dims[d] == DIM_DYNAMIC) operands[count++] = sizes[d];
    }
    const Type *type = type_memref(m->module->context, &memref);
    return op_result(build_op(&m->builder, OP_MEMREF_ALLOC, count, operands, 1, &type, 0), 0);
}

Value *mpi_subview(Mpi *m, Value *array, Value *const *offsets, Value *const *sizes) {
    Context *context = m->module->context;
    MemRef memref;
    (void)memref_of(array->type, &memref);
    Value *operands[2 * MAX_RANK + 1] = {array};
    int count = 1, rank = memref.rank;
    int64_t lists[3][MAX_RANK];
    for (int d = 0; d < rank; d++) {
        lists[0][d] = extent_of(offsets[d]);
        lists[1][d] = extent_of(sizes[d]);
        lists[2][d] = 1;
    }
    for (int i = 0; i < 2 * rank; i++) {
        if (lists[i / rank][i % rank] == DIM_DYNAMIC)
            operands[count++] = (i < rank ? offsets : sizes)[i % rank];
    }
    const Type *type = type_subview(context, &memref, lists[0], lists[1], lists[2]);
    Op *op = build_op(&m->builder, OP_MEMREF_SUBVIEW, count, operands, 1, &type, 0);
    static const AttrName names[] = {NAME_STATIC_OFFSETS, NAME_STATIC_SIZES, NAME_STATIC_STRIDES};
    for (int i = 0; i < 3; i++)
        op_set_attr(m->module, op, names[i], attr_ints(context, rank, lists[i]));
    return op_result(op, 0);
}

Value *mpi_copy(Mpi *m, Value *from, Value *to) {
    Op *op = build_op(&m->builder, OP_LINALG_COPY, 2, (Value *[]){from, to}, 0, NULL, 0);
    op_set_attr(m->module, op, NAME_OPERAND_SEGMENT_SIZES, attr_segments(m->module->context, 1, 1));
    return to;
}

// A reshape that merges dimensions, or divides one into several: `count` of the finer shape, from
// `merged` on, are one of the coarser shape, the others stay.
Value *mpi_regroup(Mpi *m, OpCode code, Value *x, const Type *result, int merged, int count) {
    Context *context = m->module->context;
    bool expands = code == OP_TENSOR_EXPAND_SHAPE;
    const Type *shape = type_shaped(context, result), *from = type_shaped(context, x->type);
    int groups = expands ? from->rank : shape->rank;
    const Attr *items[MAX_RANK], *members[MAX_RANK];
    for (int g = 0, next = 0; g < groups; g++) {
        int size = g == merged ? count : 1;
        for (int i = 0; i < size; i++)
            members[i] = attr_int(context, next++, ELEMENT_I64);
        items[g] = attr_array(context, size, members);
    }
    Op *op = build_op(&m->builder, code, 1, &x, 1, &result, 0);
    op_set_attr(m->module, op, NAME_REASSOCIATION, attr_array(context, groups, items));
    if (expands)
        op_set_attr(
            m->module, op, NAME_STATIC_OUTPUT_SHAPE, attr_ints(context, shape->rank, shape->dims));
    return op_result(op, 0);
}

Value *mpi_to_buffer(Mpi *m, Value *value, bool read_only) {
    if (value->type->kind != TYPE_TENSOR) return value;
    Context *context = m->module->context;
    const Type *type = type_buffer_of(context, value->type);
    Op *op = build_op(&m->builder, OP_BUFFERIZATION_TO_BUFFER, 1, &value, 1, &type, 0);
    if (read_only) op_set_attr(m->module, op, NAME_READ_ONLY, attr_unit(context));
    return op_result(op, 0);
}

Value *mpi_to_tensor(Mpi *m, Value *buffer, const Type *tensor, bool writable) {
    Op *op = build_op(&m->builder, OP_BUFFERIZATION_TO_TENSOR, 1, &buffer, 1, &tensor, 0);
    op_set_attr(m->module, op, NAME_RESTRICT, attr_unit(m->module->context));
    if (writable) op_set_attr(m->module, op, NAME_WRITABLE, attr_unit(m->module->context));
    return op_result(op, 0);
}

bool mpi_is_dense(Mpi *m, const Op *op, const Type *type) {
    MemRef memref;
    bool ok = type->kind == TYPE_TENSOR ? type_is_static(type)
                                        : memref_of(type, &memref) && memref_is_dense(&memref);
    if (ok) return true;
    StrBuf text = strbuf(m->pass->diags->arena);
    type_print(&text, type);
    return mpi_fail(
        m, op,
        "needs tensors of known shapes, or buffers whose elements lie row by row without "
        "gaps, to give them to MPI, but has '%s'",
        strbuf_cstring(&text));
}

Value *mpi_into_empty(Mpi *m, OpCode code, Value *x, const Type *type, const Attr *permutation) {
    Value *empty = op_result(build_op(&m->builder, OP_TENSOR_EMPTY, 0, NULL, 1, &type, 0), 0);
    Op *op = build_op(&m->builder, code, 2, (Value *[]){x, empty}, 1, &type, 0);
    op_set_attr(m->module, op, NAME_OPERAND_SEGMENT_SIZES, attr_segments(m->module->context, 1, 1));
    if (permutation) op_set_attr(m->module, op, NAME_PERMUTATION, permutation);
    return op_result(op, 0);
}
