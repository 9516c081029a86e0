// few_rows_vectors: what products with few rows do with vectors of the large operand, whichever way
// its memory runs (few_rows_along_k.c, few_rows_along_lines.c).
#include "codegen/contract/few_rows_vectors.h"

enum { REGISTERS_FOR_SUMS = 24 };

bool few_rows_along_k(const FewRows *x) { return x->place.stored && x->place.k_stride == 1; }

bool few_rows_along_lines(const FewRows *x) { return x->place.stored && x->place.line_stride == 1; }

Vectors few_vectors_of(FewRows *x) {
    Emit *e = x->e;
    ElementType element = x->place.stored->type->element;
    return (Vectors){
        .x = x,
        .e = e,
        .math = contract_vectors(e, e->builder, x->how, x->c->accumulator, x->small_type),
        .stored = emit_memory_type(e, element),
        .stored_bytes = (unsigned)element_bytes(element)};
}

int few_sums_limit(const Emit *e) {
    return e->target->vector_registers >= 32 ? REGISTERS_FOR_SUMS : REGISTERS_FOR_SUMS / 2;
}

// i1 for each of `count` lanes: is it below `limit`?
LLVMValueRef few_lanes_below(Vectors *v, int count, LLVMValueRef limit) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(v->e->context);
    LLVMValueRef *numbers = ARENA_ARRAY(v->e->arena, LLVMValueRef, count);
    for (int i = 0; i < count; i++)
        numbers[i] = emit_number(v->e, i);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(v->e->context);
    LLVMTypeRef wide = LLVMVectorType(i64, (unsigned)count);
    LLVMBuilderRef b = v->e->builder;
    LLVMValueRef limits =
        LLVMBuildInsertElement(b, LLVMGetPoison(wide), limit, LLVMConstInt(i32, 0, 0), "");
    limits = LLVMBuildShuffleVector(
        b, limits, limits, LLVMConstNull(LLVMVectorType(i32, (unsigned)count)), "");
    return LLVMBuildICmp(b, LLVMIntSLT, LLVMConstVector(numbers, (unsigned)count), limits, "");
}

// `count` elements of the large operand, zero where the mask (NULL = none) is.
LLVMValueRef few_load(Vectors *v, LLVMValueRef address, int count, LLVMValueRef mask) {
    LLVMTypeRef type = LLVMVectorType(v->stored, (unsigned)count);
    LLVMBuilderRef b = v->e->builder;
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(b, type, address, "");
        LLVMSetAlignment(load, v->stored_bytes);
        return load;
    }
    return contract_masked_load(v->e, type, address, v->stored_bytes, mask);
}

// x << bits, or x ^ bits, in all lanes.
static LLVMValueRef with_bits(Vectors *v, LLVMOpcode op, LLVMValueRef x, unsigned long long bits) {
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned count = LLVMGetVectorSize(type);
    LLVMValueRef *all = ARENA_ARRAY(v->e->arena, LLVMValueRef, count);
    for (unsigned i = 0; i < count; i++)
        all[i] = LLVMConstInt(LLVMGetElementType(type), bits, 0);
    return LLVMBuildBinOp(v->e->builder, op, x, LLVMConstVector(all, count), "");
}

// As the accumulator's elements; floats only.
LLVMValueRef few_widen(Vectors *v, LLVMValueRef x) {
    ElementType from = v->x->place.stored->type->element;
    LLVMBuilderRef b = v->e->builder;
    if (from == v->x->c->accumulator) return x;
    if (from != ELEMENT_BF16) return LLVMBuildFPExt(b, x, v->math.vector, "");
    unsigned lanes = (unsigned)v->math.lanes;
    LLVMTypeRef i16 = LLVMVectorType(LLVMInt16TypeInContext(v->e->context), lanes);
    LLVMTypeRef i32 = LLVMVectorType(LLVMInt32TypeInContext(v->e->context), lanes);
    LLVMTypeRef f32 = LLVMVectorType(LLVMFloatTypeInContext(v->e->context), lanes);
    x = LLVMBuildZExt(b, LLVMBuildBitCast(b, x, i16, ""), i32, "");
    x = LLVMBuildBitCast(b, with_bits(v, LLVMShl, x, 16), f32, "");
    return v->x->c->accumulator == ELEMENT_F64 ? LLVMBuildFPExt(b, x, v->math.vector, "") : x;
}

// As the elements that are multiplied.
LLVMValueRef few_packed(Vectors *v, LLVMValueRef x) {
    const FewRows *rows = v->x;
    ElementType from = rows->place.stored->type->element;
    if (rows->how->group == 1) return few_widen(v, x);
    if (rows->is_raised) return with_bits(v, LLVMXor, x, 0x80);
    if (from == rows->large_type) return x;
    LLVMTypeRef type =
        LLVMVectorType(emit_memory_type(v->e, rows->large_type), LLVMGetVectorSize(LLVMTypeOf(x)));
    return from == ELEMENT_UI8 ? LLVMBuildZExt(v->e->builder, x, type, "")
                               : LLVMBuildSExt(v->e->builder, x, type, "");
}

LLVMValueRef few_local(Vectors *v) { return emit_alloca(v->e, v->math.vector, 1, 64); }

LLVMValueRef few_get(Vectors *v, LLVMValueRef address, unsigned alignment) {
    LLVMValueRef x = LLVMBuildLoad2(v->e->builder, v->math.vector, address, "");
    LLVMSetAlignment(x, alignment);
    return x;
}

void few_set(Vectors *v, LLVMValueRef address, LLVMValueRef x, unsigned alignment) {
    LLVMSetAlignment(LLVMBuildStore(v->e->builder, x, address), alignment);
}

LLVMValueRef few_element_at(Vectors *v, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef at) {
    return LLVMBuildInBoundsGEP2(v->e->builder, type, base, &at, 1, "");
}

LLVMValueRef few_sum_address(Vectors *v, int row, const IndexExpr *line) {
    IndexBuilder *b = v->e->index;
    line = index_add_constant(b, index_sub(b, line, v->x->first), row * v->x->pitch);
    return few_element_at(v, v->math.scalar, v->x->sums, emit_index(v->e, line));
}

// Asks for the cache line `ahead` elements behind the address, which need not exist.
void few_prefetch(Vectors *v, LLVMValueRef address, int64_t ahead) {
    contract_prefetch(v->e, address, emit_number(v->e, ahead * v->stored_bytes));
}

// 128 times the sum of a row of the small operand.
LLVMValueRef few_excess_of(Vectors *v, int row) {
    LLVMValueRef at = few_element_at(v, v->math.scalar, v->x->excess, emit_number(v->e, row));
    return LLVMBuildLoad2(v->e->builder, v->math.scalar, at, "");
}

// How many pieces of that many bytes are multiplied while memory answers.
int64_t few_pieces_ahead(int64_t bytes) {
    enum { LEAST_AHEAD = 4096 };
    return bytes > 0 ? (LEAST_AHEAD + bytes - 1) / bytes : 1;
}
