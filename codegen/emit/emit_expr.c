// Scalars of expressions: each is emitted once per scope, outside of the loops that it does not
// depend on.
#include "codegen/emit/ahead.h"
#include "codegen/emit/tile_stage.h"
#include "codegen/kernel/lower_class.h"

#include <string.h>

// --- constants ---

static LLVMValueRef constant_number(Emit *e, const Attr *elements, int64_t i, int part) {
    ElementType element = elements->type->element;
    LLVMTypeRef type = emit_register_type(e, element);
    const char *data = attr_element(elements, i);
    uint64_t bits = 0;
    size_t size = element_bytes(element) / (element_class(element) == CLASS_COMPLEX ? 2 : 1);
    memcpy(&bits, data + (size_t)part * size, size); // little-endian hosts
    if (element_class(element) == CLASS_FLOAT || element_class(element) == CLASS_COMPLEX) {
        if (size == 1)
            return LLVMConstReal(type, float_decode(element_float_format(element), bits));
        LLVMTypeRef integer = LLVMIntTypeInContext(e->context, (unsigned)size * 8);
        return LLVMConstBitCast(LLVMConstInt(integer, bits, 0), type);
    }
    if (element_class(element) == CLASS_BOOL) bits &= 1;
    return LLVMConstInt(type, bits, 0);
}

// A small constant array as a table in the module.
static LLVMValueRef constant_table(Emit *e, const Attr *elements) {
    ElementType element = elements->type->element;
    int64_t count = type_element_count(elements->type);
    int parts = element_class(element) == CLASS_COMPLEX ? 2 : 1;
    size_t size = element_bytes(element) / (size_t)parts;
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, (unsigned)size * 8);
    LLVMValueRef *numbers = ARENA_ARRAY(e->arena, LLVMValueRef, count * parts);
    const char *data = elements->data;
    for (int64_t i = 0; i < count * parts; i++) {
        uint64_t bits = 0;
        memcpy(&bits, data + (size_t)i * size, size);
        numbers[i] = LLVMConstInt(integer, bits, 0);
    }
    LLVMTypeRef array = LLVMArrayType2(integer, (uint64_t)(count * parts));
    LLVMValueRef table = LLVMAddGlobal(e->module, array, "constant");
    LLVMSetInitializer(table, LLVMConstArray2(integer, numbers, (uint64_t)(count * parts)));
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(table, 64);
    return table;
}

static Scalar emit_table_element(Emit *e, const Expr *x) {
    LLVMValueRef table = NULL;
    for (int64_t i = 0; i < e->state->constants.count; i++) {
        if (e->state->constants.data[i].elements == x->elements)
            table = e->state->constants.data[i].table;
    }
    if (!table) {
        table = constant_table(e, x->elements);
        ConstantTable entry = {x->elements, table};
        vec_push(e->arena, &e->state->constants, entry);
    }
    return emit_private_load(e, x->element, table, emit_index(e, x->at));
}

static Scalar emit_constant_element(Emit *e, const Expr *x) {
    Scalar result = {.element = x->element, .value = constant_number(e, x->elements, x->id, 0)};
    if (element_class(x->element) == CLASS_COMPLEX)
        result.imag = constant_number(e, x->elements, x->id, 1);
    return result;
}

// --- leaves ---

static Scalar emit_access(Emit *e, const Expr *x) {
    Scalar staged;
    if (e->state->tile && tile_load(e, x->stored, x->at, x->device, &staged)) return staged;
    Scalar loaded = emit_load(e, x->stored, emit_address_at(e, x->stored, x->at, x->device));
    if (e->state->ahead) ahead_note(e, x, loaded);
    return loaded;
}

static Scalar emit_number(Emit *e, const Expr *x) {
    // 32-bit conversions are vectors everywhere
    bool is_narrow = x->at->low >= INT32_MIN && x->at->high <= INT32_MAX;
    Scalar number = {.element = is_narrow ? ELEMENT_I32 : ELEMENT_I64};
    number.value = is_narrow ? emit_index_32(e, x->at) : emit_index(e, x->at);
    return emit_convert(e, number, x->element);
}

// --- bits ---

static LLVMValueRef scalar_bits(Emit *e, Scalar x) {
    unsigned bits = (unsigned)element_bits(x.element);
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bits);
    if (element_class(x.element) == CLASS_FLOAT && element_bytes(x.element) == 1) {
        LLVMValueRef byte = emit_encode_float(e, x.element, x.value);
        return bits < 8 ? LLVMBuildTrunc(e->builder, byte, integer, "") : byte;
    }
    if (element_class(x.element) != CLASS_COMPLEX)
        return LLVMBuildBitCast(e->builder, x.value, integer, "");
    LLVMTypeRef half = LLVMIntTypeInContext(e->context, bits / 2);
    LLVMValueRef low = LLVMBuildBitCast(e->builder, x.value, half, "");
    LLVMValueRef high = LLVMBuildBitCast(e->builder, x.imag, half, "");
    low = LLVMBuildZExt(e->builder, low, integer, "");
    high = LLVMBuildZExt(e->builder, high, integer, "");
    high = LLVMBuildShl(e->builder, high, LLVMConstInt(integer, bits / 2, 0), "");
    return LLVMBuildOr(e->builder, low, high, "");
}

static Scalar scalar_from_bits(Emit *e, ElementType element, LLVMValueRef bits) {
    Scalar x = {.element = element};
    LLVMTypeRef type = emit_register_type(e, element);
    if (element_class(element) == CLASS_FLOAT && element_bytes(element) == 1) {
        if (element_bits(element) < 8)
            bits = LLVMBuildZExt(e->builder, bits, LLVMInt8TypeInContext(e->context), "");
        x.value = emit_decode_float(e, element, bits);
    } else if (element_class(element) == CLASS_COMPLEX) {
        unsigned half = (unsigned)element_bits(element) / 2;
        LLVMTypeRef narrow = LLVMIntTypeInContext(e->context, half);
        LLVMValueRef shift = LLVMConstInt(LLVMTypeOf(bits), half, 0);
        LLVMValueRef high = LLVMBuildLShr(e->builder, bits, shift, "");
        x.value =
            LLVMBuildBitCast(e->builder, LLVMBuildTrunc(e->builder, bits, narrow, ""), type, "");
        x.imag =
            LLVMBuildBitCast(e->builder, LLVMBuildTrunc(e->builder, high, narrow, ""), type, "");
    } else {
        x.value = LLVMBuildBitCast(e->builder, bits, type, "");
    }
    return x;
}

static Scalar emit_bits(Emit *e, const Expr *x) {
    Scalar first = emit_expr(e, x->operands[0]);
    if (e->failed) return first;
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, (unsigned)element_bits(x->element));
    LLVMValueRef bits = scalar_bits(e, first);
    if (x->at) {
        LLVMValueRef shift =
            LLVMBuildIntCast2(e->builder, emit_index(e, x->at), LLVMTypeOf(bits), 0, "");
        bits = LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, bits, shift, ""), type, "");
    }
    unsigned part_bits = (unsigned)element_bits(first.element);
    if (x->operand_count > 1) bits = LLVMBuildZExt(e->builder, bits, type, "");
    for (int part = 1; part < x->operand_count; part++) {
        Scalar next = emit_expr(e, x->operands[part]);
        if (e->failed) return next;
        LLVMValueRef wide = LLVMBuildZExt(e->builder, scalar_bits(e, next), type, "");
        LLVMValueRef shift = LLVMConstInt(type, (unsigned)part * part_bits, 0);
        bits = LLVMBuildOr(e->builder, bits, LLVMBuildShl(e->builder, wide, shift, ""), "");
    }
    return scalar_from_bits(e, x->element, bits);
}

// --- choices ---

// What a choice is between, as the innermost loop goes on: elements side by side in one array, or
// numbers.
typedef struct ChosenRun {
    int variable; // of the loop
    const Value *stored;
    bool has_numbers;
} ChosenRun;

// Are both parts of one array, or the same one?
static bool is_one_memory(Emit *e, const Value *x, const Value *y) {
    if (x == y) return true;
    const LLVMMetadataRef *scopes = e->state->scopes_in;
    return x->type->element == y->type->element &&
           scopes[kernel_operand(e->kernel, x)] == scopes[kernel_operand(e->kernel, y)];
}

// Does what lies so deep change with the innermost loop?
static bool is_in_loop(const Emit *e, int depth) {
    return depth >= emit_vector_loop(e)->scope->depth;
}

// Can it be computed where its element is not chosen, for all the loop at once? Where a table has a
// number for whatever is looked up, the device's or a loop's, and where no number is one that the
// program computes in the loop.
static bool is_always_known(Emit *e, const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->of && !is_always_known(e, atom->of)) return false;
        const Expr *computed =
            atom->kind == INDEX_RUNTIME ? e->exprs->runtimes.data[atom->id].x : NULL;
        if (computed && is_in_loop(e, emit_expr_depth(e, computed))) return false;
        if (atom->kind != INDEX_TABLE) continue;
        int64_t count = e->exprs->tables.data[atom->id].count;
        if (atom->of->low < 0 || atom->of->high >= count) return false;
    }
    return true;
}

// Does the loop read a run of the array, whose place a choice that the loop does not change says?
// What is not chosen need not exist: it has an address all the same.
static bool is_chosen_run(Emit *e, const Expr *x, ChosenRun *run) {
    if (x->kind == EXPR_REAL || x->kind == EXPR_CONSTANT) {
        run->has_numbers = true;
        return true;
    }
    if (x->kind == EXPR_LOAD) {
        int64_t step = 0;
        bool is_same = !run->stored || is_one_memory(e, run->stored, x->stored);
        bool has_base = !x->device || (is_always_known(e, x->device) &&
                                       !index_depends_on(x->device, run->variable));
        run->stored = x->stored;
        return is_same && has_base && is_always_known(e, x->at) &&
               index_is_affine_in(x->at, run->variable, &step) && step == 1;
    }
    if (x->kind != EXPR_CHOICE || x->operand_count > 2) return false;
    for (int i = 0; i < x->guard_count; i++) {
        if (is_in_loop(e, emit_index_depth(e, x->guards[i].x))) return false;
    }
    return is_chosen_run(e, x->operands[0], run) && is_chosen_run(e, x->operands[1], run);
}

// Of the run's element where the loop's variable is 0; of numbers, of the array's first element.
static LLVMValueRef chosen_address(Emit *e, const Expr *x, const ChosenRun *run) {
    if (x->kind == EXPR_LOAD) {
        Substitution first = substitution(e->exprs, e->exprs);
        first.variables[run->variable] = index_constant(e->index, 0);
        return emit_address_at(e, x->stored, expr_substitute_index(&first, x->at), x->device);
    }
    if (x->kind != EXPR_CHOICE)
        return emit_address_at(e, run->stored, index_constant(e->index, 0), NULL);
    LLVMValueRef condition = emit_guards(e, x->guard_count, x->guards);
    LLVMValueRef inside = chosen_address(e, x->operands[0], run),
                 outside = chosen_address(e, x->operands[1], run);
    return LLVMBuildSelect(e->builder, condition, inside, outside, "");
}

static Scalar select_scalar(Emit *e, LLVMValueRef condition, Scalar a, Scalar b) {
    Scalar result = {.element = a.element};
    result.value = LLVMBuildSelect(e->builder, condition, a.value, b.value, "");
    if (a.imag) result.imag = LLVMBuildSelect(e->builder, condition, a.imag, b.imag, "");
    return result;
}

// The number, or the element that was read.
static Scalar chosen_element(Emit *e, const Expr *x, Scalar element) {
    if (x->kind == EXPR_LOAD) return element;
    if (x->kind != EXPR_CHOICE) return emit_expr(e, x);
    LLVMValueRef condition = emit_guards(e, x->guard_count, x->guards);
    Scalar inside = chosen_element(e, x->operands[0], element),
           outside = chosen_element(e, x->operands[1], element);
    return select_scalar(e, condition, inside, outside);
}

static bool emit_chosen_run(Emit *e, const Expr *x, Scalar *element) {
    const EmitLoop *loop = emit_vector_loop(e);
    if (!loop || e->state->tile) return false;
    ChosenRun run = {.variable = loop->variable};
    if (!is_chosen_run(e, x, &run) || !run.stored) return false;
    // where a number is chosen, the array is read from its begin
    if (run.has_numbers && type_element_count(run.stored->type) <= loop->index->high) return false;
    LLVMTypeRef type = emit_memory_type(e, run.stored->type->element);
    LLVMValueRef first = chosen_address(e, x, &run), number = loop->phi;
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, type, first, &number, 1, "");
    *element = emit_load(e, run.stored, address);
    if (run.has_numbers) *element = chosen_element(e, x, *element);
    return true;
}

static Scalar emit_choice(Emit *e, const Expr *x) {
    Scalar element;
    if (emit_chosen_run(e, x, &element)) return element;
    LLVMValueRef condition = emit_guards(e, x->guard_count, x->guards);
    if (x->operand_count > 2) {
        LLVMValueRef test = emit_expr(e, x->operands[2]).value;
        condition = condition ? LLVMBuildAnd(e->builder, condition, test, "") : test;
    }
    EmitIf branch = emit_if(e, condition);
    Scalar inside = emit_expr(e, x->operands[0]);
    emit_else(e, &branch);
    Scalar outside = emit_expr(e, x->operands[1]);
    emit_end_if(e, &branch);
    return e->failed ? emit_constant(e, x->element, 0) : emit_phi(e, &branch, inside, outside);
}

static Scalar emit_select(Emit *e, const Expr *x) {
    LLVMValueRef condition = emit_expr(e, x->operands[0]).value;
    Scalar a = emit_expr(e, x->operands[1]), b = emit_expr(e, x->operands[2]);
    return select_scalar(e, condition, a, b);
}

// --- operations ---

static Scalar emit_operation(Emit *e, const Expr *x) {
    Scalar operands[3];
    for (int i = 0; i < x->operand_count; i++) {
        operands[i] = emit_expr(e, x->operands[i]);
        if (e->failed) return emit_constant(e, x->element, 0);
    }
    if (x->kind == EXPR_CONVERT) return emit_convert(e, operands[0], x->element);
    EmitLoop *loop = emit_vector_loop(e);
    if (loop) loop->work += op_code_cost(x->code);
    if (x->kind == EXPR_OP) return emit_scalar_op(e, x->op, operands);
    bool outer = e->reassociate;
    e->reassociate = e->state->in_lanes;
    Scalar result = emit_arithmetic(e, x->code, operands[0], operands[1]);
    e->reassociate = outer;
    return result;
}

// All results at once: the memo has the others when they are asked for.
static Scalar emit_fold_result(Emit *e, const Expr *x) {
    Scalar *results = ARENA_ARRAY(e->arena, Scalar, x->fold->result_count);
    if (!emit_fold(e, x->fold, results)) return emit_constant(e, x->element, 0);
    for (int i = 0; i < x->fold->result_count; i++) {
        const Expr *other = expr_fold(e->exprs, x->fold, i);
        if (other != x) emit_memo_add(e, other, NULL, results[i]);
    }
    return results[x->id];
}

Scalar emit_expr_anew(Emit *e, const Expr *x) {
    switch (x->kind) {
    case EXPR_REAL: return emit_constant(e, x->element, x->real);
    case EXPR_CONSTANT: return emit_constant_element(e, x);
    case EXPR_TABLE: return emit_table_element(e, x);
    case EXPR_LOAD: return emit_access(e, x);
    case EXPR_NUMBER: return emit_number(e, x);
    case EXPR_TEST:
        return (Scalar){.element = ELEMENT_I1, .value = emit_guards(e, x->guard_count, x->guards)};
    case EXPR_OP:
    case EXPR_ARITHMETIC:
    case EXPR_CONVERT: return emit_operation(e, x);
    case EXPR_BITS: return emit_bits(e, x);
    case EXPR_SELECT: return emit_select(e, x);
    case EXPR_CHOICE: return emit_choice(e, x);
    case EXPR_FOLD: return emit_fold_result(e, x);
    case EXPR_LOCAL:
        return emit_private_load(e, x->element, e->state->locals[x->id], emit_index(e, x->at));
    case EXPR_SCALAR: return e->state->scalars.data[x->id].scalar;
    }
    return emit_constant(e, x->element, 0);
}
