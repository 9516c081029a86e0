// Control flow inside a kernel: scopes, counted loops, branches, local variables.
#include "codegen/emit/emit_state.h"

#include <llvm-c/DebugInfo.h>

#include <assert.h>

EmitScope *emit_scope_push(Emit *e, ScopeKind kind) {
    EmitScope *scope = ARENA_NEW(e->arena, EmitScope);
    scope->kind = kind;
    scope->outer = e->state->scope;
    scope->depth = scope->outer->depth + 1;
    e->state->scope = scope;
    return scope;
}

void emit_scope_pop(Emit *e) { e->state->scope = e->state->scope->outer; }

static LLVMBasicBlockRef new_block(Emit *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

EmitLoop *emit_loop_begin(
    Emit *e, LLVMValueRef start, LLVMValueRef stop, int64_t step, int64_t extent, bool vectorize) {
    EmitLoop *loop = ARENA_NEW(e->arena, EmitLoop);
    loop->vectorize = vectorize;
    loop->start = start;
    loop->stop = stop;
    loop->step = emit_i64_constant(e, step);
    loop->preheader = new_block(e, "preheader");
    LLVMBuildBr(e->builder, loop->preheader);
    loop->body = new_block(e, "iteration");
    LLVMPositionBuilderAtEnd(e->builder, loop->body);
    loop->phi = LLVMBuildPhi(e->builder, emit_i64(e), "i");
    EmitScope *scope = emit_scope_push(e, SCOPE_LOOP);
    scope->loop = loop;
    loop->scope = scope;
    loop->index = emit_variable(e, loop->phi, extent);
    loop->variable = (int)e->state->variables.count - 1;
    return loop;
}

const IndexExpr *emit_variable(Emit *e, LLVMValueRef number, int64_t extent) {
    int id = expr_new_variable(e->exprs, false);
    while (e->state->variables.count <= id)
        vec_push(e->arena, &e->state->variables, (IndexVariable){0});
    e->state->variables.data[id] = (IndexVariable){e->state->scope, number};
    return index_variable(e->index, id, extent);
}

EmitLoop *emit_loop_constant(Emit *e, int64_t extent, bool vectorize) {
    return emit_loop_begin(
        e, emit_i64_constant(e, 0), emit_i64_constant(e, extent), 1, extent, vectorize);
}

EmitLoop *emit_chunk_loop(Emit *e) {
    return emit_loop_begin(
        e, e->begin, e->end, 1, e->kernel->grid > 0 ? e->kernel->grid : 1, false);
}

ChunkGroups emit_chunk_groups(
    Emit *e, LLVMValueRef begin, LLVMValueRef end, int64_t each, int64_t groups) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef count = emit_i64_constant(e, each), zero = emit_i64_constant(e, 0);
    LLVMValueRef last = LLVMBuildNSWAdd(b, end, emit_i64_constant(e, each - 1), "");
    ChunkGroups all;
    all.loop = emit_loop_begin(
        e, LLVMBuildSDiv(b, begin, count, ""), LLVMBuildSDiv(b, last, count, ""), 1, groups, false);
    LLVMValueRef before = LLVMBuildNSWMul(b, all.loop->phi, count, "");
    LLVMValueRef from[2] = {LLVMBuildNSWSub(b, begin, before, ""), zero},
                 to[2] = {LLVMBuildNSWSub(b, end, before, ""), count};
    all.first = emit_intrinsic(e, "llvm.smax", emit_i64(e), 2, from);
    all.stop = emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, to);
    return all;
}

enum { AVX512_LANES = 16, AVX2_LANES = 8 };

// Of vectors that can be masked; 0 = they cannot. AVX2 masks numbers of 32 and 64 bits.
static int masked_lanes(const Emit *e) {
    const Kernel *kernel = e->kernel;
    if (e->target->isa == ISA_AVX512) return AVX512_LANES;
    if (e->target->isa != ISA_AVX2) return 0;
    for (int i = 0; i < kernel->output_count + kernel->input_count; i++) {
        const KernelOperand *operand = i < kernel->output_count
                                           ? &kernel->outputs[i]
                                           : &kernel->inputs[i - kernel->output_count];
        if (element_bits(operand->value->type->element) < 32) return 0;
    }
    return AVX2_LANES;
}

int64_t emit_tail_of(const Emit *e, int64_t size, bool is_costly) {
    enum { LONG_LOOP = 1024, LEAST = 2, LEAST_OF_WIDE = 5 };
    int lanes = masked_lanes(e);
    int64_t rest = lanes ? size % lanes : 0;
    if (size <= lanes || size >= LONG_LOOP || rest < LEAST) return 0;
    if (is_costly) return rest;
    if (lanes == AVX512_LANES) return rest >= LEAST_OF_WIDE ? rest : 0;
    // masks of AVX2 cost some iterations, and LLVM takes vectors of half the lanes where they fit
    return size < 2 * lanes && rest != lanes / 2 ? rest : 0;
}

void emit_make_tail(const Emit *e, EmitLoop *loop) {
    loop->is_tail = true;
    loop->lanes = masked_lanes(e);
}

static LLVMMetadataRef loop_property(Emit *e, const char *name, LLVMValueRef value) {
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(e->context, name, strlen(name)), NULL};
    if (value) parts[1] = LLVMValueAsMetadata(value);
    return LLVMMDNodeInContext2(e->context, parts, value ? 2 : 1);
}

// !{self, !{"llvm.loop.mustprogress"}, ...}: the reference to itself makes it distinct.
static void set_loop_metadata(Emit *e, LLVMValueRef branch, int lanes, int vectors, bool is_tail) {
    LLVMMetadataRef self = LLVMTemporaryMDNode(e->context, NULL, 0);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMMetadataRef parts[5] = {self, loop_property(e, "llvm.loop.mustprogress", NULL)};
    unsigned count = 2;
    if (lanes > 0) {
        LLVMValueRef width = LLVMConstInt(i32, (unsigned)lanes, 0);
        parts[count++] = loop_property(e, "llvm.loop.vectorize.width", width);
    }
    if (vectors > 1) {
        LLVMValueRef number = LLVMConstInt(i32, (unsigned)vectors, 0);
        parts[count++] = loop_property(e, "llvm.loop.interleave.count", number);
    }
    if (is_tail) {
        LLVMValueRef yes = LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, 0);
        parts[count++] = loop_property(e, "llvm.loop.vectorize.predicate.enable", yes);
    }
    LLVMMetadataRef list = LLVMMDNodeInContext2(e->context, parts, count);
    LLVMMetadataReplaceAllUsesWith(self, list);
    unsigned kind = LLVMGetMDKindIDInContext(e->context, "llvm.loop", 9);
    LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(e->context, list));
}

// Does the loop end at its stop exactly? Known of constants.
static bool ends_at_stop(const EmitLoop *loop) {
    if (!LLVMIsAConstantInt(loop->start) || !LLVMIsAConstantInt(loop->stop)) return false;
    long long start = LLVMConstIntGetSExtValue(loop->start);
    long long stop = LLVMConstIntGetSExtValue(loop->stop);
    long long step = LLVMConstIntGetSExtValue(loop->step);
    return start < stop && (stop - start) % step == 0;
}

LLVMValueRef emit_block_end(Emit *e, EmitLoop *blocks) {
    LLVMValueRef end = LLVMBuildNSWAdd(e->builder, blocks->phi, blocks->step, "");
    if (!ends_at_stop(blocks)) {
        LLVMValueRef both[2] = {end, blocks->stop};
        end = emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
    }
    blocks->block_end = end;
    return end;
}

// Over the places of the block that an outer loop is at, of which there are some?
static bool is_block(const EmitScope *scope, const EmitLoop *loop) {
    for (; scope; scope = scope->outer) {
        const EmitLoop *outer = scope->loop;
        if (outer && outer->block_end == loop->stop && outer->phi == loop->start) return true;
    }
    return false;
}

// How many vectors a turn of LLVM's loop takes, one beside the other; 1 = as many as LLVM thinks
// best. A costly function, or a long formula, is a chain of instructions that wait for each other:
// those of several vectors fill the time, where LLVM sees that the body is long and takes one. With
// AVX-512, whose vectors have twice the lanes for fewer units, that stays.
static int vectors_of(const Emit *e, const EmitLoop *loop) {
    enum { LEAST_WORK = 16, MOST_WORK = 100, MOST = 4, TURNS = 4, TURNS_WITH_REST = 8 };
    bool is_chain = loop->work >= LEAST_WORK && loop->work <= MOST_WORK;
    bool may = loop->vectorize && !loop->is_tail && !loop->has_calls;
    if (e->target->isa == ISA_AVX512 || !is_chain || !may) return 1;
    int64_t size = loop->index->high + 1;
    for (int vectors = MOST; vectors > 1; vectors /= 2) {
        int64_t together = (int64_t)AVX2_LANES * vectors;
        int64_t turns = size % together ? TURNS_WITH_REST : TURNS;
        if (size == together || size >= turns * together) return vectors;
    }
    return 1;
}

// The loop is entered if it has an iteration, and each one ends with the question for the next:
// LLVM needs loops in this form and takes long to make it. It would ask "below" of the number
// before the step, which then stays in a register beside the next one; "not equal" it leaves.
void emit_loop_end(Emit *e, EmitLoop *loop) {
    assert(e->state->scope == loop->scope);
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef tail = LLVMGetInsertBlock(b), exit = new_block(e, "exit");
    LLVMValueRef next = LLVMBuildNSWAdd(b, loop->phi, loop->step, "");
    LLVMSetNUW(next, 1);
    LLVMIntPredicate below = ends_at_stop(loop) ? LLVMIntNE : LLVMIntSLT;
    LLVMValueRef more = LLVMBuildICmp(b, below, next, loop->stop, "");
    LLVMValueRef branch = LLVMBuildCondBr(b, more, loop->body, exit);
    set_loop_metadata(e, branch, loop->lanes, vectors_of(e, loop), loop->is_tail);
    LLVMPositionBuilderAtEnd(b, loop->preheader);
    LLVMValueRef any = is_block(loop->scope->outer, loop)
                           ? LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, 0)
                           : LLVMBuildICmp(b, LLVMIntSLT, loop->start, loop->stop, "");
    LLVMBuildCondBr(b, any, loop->body, exit);
    LLVMValueRef numbers[2] = {loop->start, next};
    LLVMBasicBlockRef blocks[2] = {loop->preheader, tail};
    LLVMAddIncoming(loop->phi, numbers, blocks, 2);
    LLVMPositionBuilderAtEnd(b, exit);
    emit_scope_pop(e);
}

LLVMValueRef emit_alloca(Emit *e, LLVMTypeRef type, int64_t count, unsigned alignment) {
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
    LLVMValueRef first = LLVMGetFirstInstruction(e->entry);
    if (first)
        LLVMPositionBuilderBefore(e->builder, first);
    else
        LLVMPositionBuilderAtEnd(e->builder, e->entry);
    if (count > 1) type = LLVMArrayType2(type, (uint64_t)count);
    LLVMValueRef memory = LLVMBuildAlloca(e->builder, type, "");
    if (alignment) LLVMSetAlignment(memory, alignment);
    LLVMPositionBuilderAtEnd(e->builder, block);
    return memory;
}

static LLVMTypeRef local_type(Emit *e, ElementType element) {
    LLVMTypeRef type = emit_register_type(e, element);
    return element_class(element) == CLASS_COMPLEX ? LLVMArrayType2(type, 2) : type;
}

LLVMValueRef emit_local(Emit *e, ElementType element) {
    return emit_alloca(e, local_type(e, element), 1, 0);
}

static LLVMValueRef imag_address(Emit *e, LLVMValueRef local, ElementType element) {
    LLVMValueRef at[2] = {emit_i64_constant(e, 0), emit_i64_constant(e, 1)};
    return LLVMBuildInBoundsGEP2(e->builder, local_type(e, element), local, at, 2, "");
}

void emit_local_set(Emit *e, LLVMValueRef local, Scalar x) {
    LLVMBuildStore(e->builder, x.value, local);
    if (element_class(x.element) == CLASS_COMPLEX)
        LLVMBuildStore(e->builder, x.imag, imag_address(e, local, x.element));
}

Scalar emit_local_get(Emit *e, LLVMValueRef local, ElementType element) {
    Scalar x = {.element = element};
    LLVMTypeRef type = emit_register_type(e, element);
    x.value = LLVMBuildLoad2(e->builder, type, local, "");
    if (element_class(element) == CLASS_COMPLEX)
        x.imag = LLVMBuildLoad2(e->builder, type, imag_address(e, local, element), "");
    return x;
}

EmitIf emit_if(Emit *e, LLVMValueRef condition) {
    EmitIf branch = {0};
    LLVMBasicBlockRef then_block = new_block(e, "then");
    branch.else_block = new_block(e, "else");
    branch.join = new_block(e, "join");
    LLVMBuildCondBr(e->builder, condition, then_block, branch.else_block);
    LLVMPositionBuilderAtEnd(e->builder, then_block);
    emit_scope_push(e, SCOPE_BRANCH);
    return branch;
}

void emit_else(Emit *e, EmitIf *branch) {
    branch->has_else = true;
    branch->then_tail = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, branch->join);
    emit_scope_pop(e);
    LLVMPositionBuilderAtEnd(e->builder, branch->else_block);
    emit_scope_push(e, SCOPE_BRANCH);
}

void emit_end_if(Emit *e, EmitIf *branch) {
    if (!branch->has_else) emit_else(e, branch);
    branch->else_tail = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, branch->join);
    emit_scope_pop(e);
    LLVMPositionBuilderAtEnd(e->builder, branch->join);
}

static LLVMValueRef phi_of(
    Emit *e, const EmitIf *branch, LLVMValueRef on_then, LLVMValueRef on_else) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(on_then), "");
    LLVMValueRef numbers[2] = {on_then, on_else};
    LLVMBasicBlockRef blocks[2] = {branch->then_tail, branch->else_tail};
    LLVMAddIncoming(phi, numbers, blocks, 2);
    return phi;
}

Scalar emit_phi(Emit *e, const EmitIf *branch, Scalar on_then, Scalar on_else) {
    Scalar x = {
        .element = on_then.element, .value = phi_of(e, branch, on_then.value, on_else.value)};
    if (on_then.imag) x.imag = phi_of(e, branch, on_then.imag, on_else.imag);
    return x;
}
