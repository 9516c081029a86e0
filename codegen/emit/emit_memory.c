// Memory: operands' base addresses on any device, loads and stores, and what LLVM is told about
// aliasing.
#include "codegen/emit/emit_state.h"
#include "runtime/abi.h"

#include <assert.h>
#include <string.h>

// Do two operands name the same memory?
static bool same_memory(const KernelOperand *x, const KernelOperand *y) {
    const Buffer *a = x->buffer, *b = y->buffer;
    if (a == b) return true;
    if (!a || !b) return false;
    if (a->may_alias == b->number + 1 || b->may_alias == a->number + 1) return true;
    if (a->kind != b->kind) return false;
    if (a->kind == BUFFER_ARGUMENT || a->kind == BUFFER_RESULT) return a->index == b->index;
    return false;
}

static const KernelOperand *operand_at(const Kernel *kernel, int k) {
    return k < kernel->output_count ? &kernel->outputs[k]
                                    : &kernel->inputs[k - kernel->output_count];
}

static LLVMMetadataRef metadata_string(Emit *e, const char *text) {
    return LLVMMDStringInContext2(e->context, text, strlen(text));
}

// Alias scopes: one per distinct memory, and one more (the last) for private arrays.
void emit_make_alias_scopes(Emit *e) {
    EmitState *state = e->state;
    int count = e->kernel->output_count + e->kernel->input_count;
    // Parts of a loop's function have domains of their own: the scopes are this kernel's operands.
    const char *domain_text =
        e->kernel->is_part ? arena_printf(e->arena, "kernel%d", e->kernel->number) : "kernel";
    LLVMMetadataRef domain_name = metadata_string(e, domain_text);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(e->context, &domain_name, 1);
    LLVMMetadataRef *scopes = ARENA_ARRAY(e->arena, LLVMMetadataRef, count + 1);
    int *class = ARENA_ARRAY(e->arena, int, count + 1);
    for (int k = 0; k <= count; k++) {
        class[k] = k;
        for (int j = 0; j < k && k < count && class[k] == k; j++) {
            const KernelOperand *x = operand_at(e->kernel, j), *y = operand_at(e->kernel, k);
            if (same_memory(x, y) || (j < e->kernel->output_count && y->shares == j + 1))
                class[k] = class[j];
        }
        LLVMMetadataRef parts[2] = {
            metadata_string(e, arena_printf(e->arena, "operand%d", k)), domain};
        scopes[k] = LLVMMDNodeInContext2(e->context, parts, 2);
    }
    state->scopes_in = ARENA_ARRAY(e->arena, LLVMMetadataRef, count + 1);
    state->scopes_out = ARENA_ARRAY(e->arena, LLVMMetadataRef, count + 1);
    LLVMMetadataRef *others = ARENA_ARRAY(e->arena, LLVMMetadataRef, count + 1);
    for (int k = 0; k <= count; k++) {
        int other_count = 0;
        for (int j = 0; j <= count; j++) {
            if (class[j] == j && class[k] != j) others[other_count++] = scopes[j];
        }
        state->scopes_in[k] = LLVMMDNodeInContext2(e->context, &scopes[class[k]], 1);
        state->scopes_out[k] =
            other_count ? LLVMMDNodeInContext2(e->context, others, (size_t)other_count) : NULL;
    }
    LLVMMetadataRef mark[2] = {metadata_string(e, STREAM_SCOPE), NULL};
    mark[1] = LLVMMDNodeInContext2(e->context, mark, 1); // a domain of its own
    LLVMMetadataRef both[2] = {scopes[0], LLVMMDNodeInContext2(e->context, mark, 2)};
    state->streamed = LLVMMDNodeInContext2(e->context, both, 2);
}

static void set_alias_metadata(Emit *e, LLVMValueRef instruction, int operand) {
    if (operand < 0) operand = e->kernel->output_count + e->kernel->input_count;
    unsigned in = LLVMGetMDKindIDInContext(e->context, "alias.scope", 11);
    unsigned out = LLVMGetMDKindIDInContext(e->context, "noalias", 7);
    LLVMSetMetadata(instruction, in, LLVMMetadataAsValue(e->context, e->state->scopes_in[operand]));
    if (e->state->scopes_out[operand])
        LLVMSetMetadata(
            instruction, out, LLVMMetadataAsValue(e->context, e->state->scopes_out[operand]));
}

// --- addresses ---

static LLVMValueRef entry_builder_begin(Emit *e) {
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, e->state->entry_tail);
    return LLVMBasicBlockAsValue(block);
}

static void entry_builder_end(Emit *e, LLVMValueRef block) {
    LLVMPositionBuilderAtEnd(e->builder, LLVMValueAsBasicBlock(block));
}

// Loads an operand's slot and offset and the lane's bases in the entry block.
static void load_operand(Emit *e, int k) {
    EmitState *state = e->state;
    if (!state->device_bases) {
        LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
        state->device_bases =
            emit_entry_load(e, pointer, e->lane, (int64_t)offsetof(RtLane, bases), "bases");
        state->slot_count = emit_entry_load(
            e, emit_i64(e), e->lane, (int64_t)offsetof(RtLane, slot_count), "slots");
    }
    if (state->operand_slots[k]) return;
    LLVMValueRef operands = LLVMGetParam(e->function, 1);
    int64_t at = k * (int64_t)sizeof(RtOperand);
    state->operand_slots[k] =
        emit_entry_load(e, emit_i64(e), operands, at + (int64_t)offsetof(RtOperand, slot), "slot");
    state->operand_offsets[k] = emit_entry_load(
        e, emit_i64(e), operands, at + (int64_t)offsetof(RtOperand, offset), "offset");
}

static LLVMValueRef base_of(Emit *e, int k, LLVMValueRef device) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef at = LLVMBuildNSWMul(e->builder, device, e->state->slot_count, "");
    at = LLVMBuildNSWAdd(e->builder, at, e->state->operand_slots[k], "");
    LLVMValueRef address =
        LLVMBuildInBoundsGEP2(e->builder, pointer, e->state->device_bases, &at, 1, "");
    LLVMValueRef base = LLVMBuildLoad2(e->builder, pointer, address, "base");
    emit_set_invariant(e, base);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    return LLVMBuildInBoundsGEP2(e->builder, i8, base, &e->state->operand_offsets[k], 1, "");
}

LLVMValueRef emit_base(Emit *e, const Value *stored) {
    int k = kernel_operand(e->kernel, stored);
    assert(k >= 0);
    if (e->state->bases[k]) return e->state->bases[k];
    // Operands in the same memory have one base, so that equal addresses are seen to be equal.
    const KernelOperand *operand = operand_at(e->kernel, k);
    if (k >= e->kernel->output_count && operand->shares)
        return e->state->bases[k] = emit_base(e, e->kernel->outputs[operand->shares - 1].value);
    for (int j = 0; j < k; j++) {
        if (e->state->bases[j] && operand_at(e->kernel, j)->buffer == operand->buffer)
            return e->state->bases[k] = e->state->bases[j];
    }
    LLVMValueRef block = entry_builder_begin(e);
    load_operand(e, k);
    LLVMValueRef device =
        emit_entry_load(e, emit_i64(e), e->lane, (int64_t)offsetof(RtLane, device), "device");
    e->state->bases[k] = base_of(e, k, device);
    entry_builder_end(e, block);
    return e->state->bases[k];
}

// Base address on another device, remembered in the scope where the device is known.
static LLVMValueRef emit_remote_base(Emit *e, const Value *stored, const IndexExpr *device) {
    int k = kernel_operand(e->kernel, stored);
    LLVMValueRef block = entry_builder_begin(e);
    load_operand(e, k);
    entry_builder_end(e, block);
    const KernelOperand *operand = operand_at(e->kernel, k);
    const Scalar *known = emit_memo_find(e, operand, device);
    if (known) return known->value;
    EmitLoop *loop;
    EmitScope *target = emit_target_scope(e, emit_index_depth(e, device), &loop);
    EmitExcursion excursion = emit_excursion_begin(e, target, loop);
    Scalar base = {.element = ELEMENT_I64, .value = base_of(e, k, emit_index(e, device))};
    emit_memo_add(e, operand, device, base);
    emit_excursion_end(e, &excursion);
    return base.value;
}

LLVMValueRef emit_operand_base(Emit *e, const Value *stored, const IndexExpr *device) {
    return device ? emit_remote_base(e, stored, device) : emit_base(e, stored);
}

LLVMValueRef emit_address_at(
    Emit *e, const Value *stored, const IndexExpr *at, const IndexExpr *device) {
    LLVMValueRef base = emit_operand_base(e, stored, device), number = emit_index(e, at);
    return LLVMBuildInBoundsGEP2(
        e->builder, emit_memory_type(e, stored->type->element), base, &number, 1, "");
}

LLVMValueRef emit_address(Emit *e, const Value *stored, const IndexExpr *const *index) {
    return emit_address_at(e, stored, expr_element_number(e->exprs, stored, index), NULL);
}

static LLVMValueRef part_address(Emit *e, ElementType element, LLVMValueRef address, int part) {
    LLVMValueRef at = emit_i64_constant(e, part);
    return LLVMBuildInBoundsGEP2(e->builder, emit_register_type(e, element), address, &at, 1, "");
}

static LLVMValueRef load_number(
    Emit *e, LLVMTypeRef type, LLVMValueRef address, unsigned alignment, int operand) {
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, address, "");
    LLVMSetAlignment(load, alignment);
    set_alias_metadata(e, load, operand);
    return load;
}

static void store_number(
    Emit *e, LLVMValueRef number, LLVMValueRef address, unsigned alignment, int operand) {
    LLVMValueRef store = LLVMBuildStore(e->builder, number, address);
    LLVMSetAlignment(store, alignment);
    set_alias_metadata(e, store, operand);
    if (operand == 0 && e->state->streams)
        LLVMSetMetadata(
            store, LLVMGetMDKindIDInContext(e->context, "alias.scope", 11),
            LLVMMetadataAsValue(e->context, e->state->streamed));
}

static Scalar load_scalar(Emit *e, ElementType element, LLVMValueRef address, int operand) {
    Scalar x = {.element = element};
    LLVMTypeRef type = emit_register_type(e, element);
    ElementClass class = element_class(element);
    unsigned size = (unsigned)element_bytes(element);
    if (class == CLASS_COMPLEX) {
        x.value = load_number(e, type, address, size / 2, operand);
        x.imag = load_number(e, type, part_address(e, element, address, 1), size / 2, operand);
        return x;
    }
    x.value = load_number(e, emit_memory_type(e, element), address, size, operand);
    if (size > 1 || element_bits(element) == 8) {
        if (class == CLASS_FLOAT && size == 1) x.value = emit_decode_float(e, element, x.value);
    } else if (class == CLASS_FLOAT) {
        x.value = emit_decode_float(e, element, x.value);
    } else {
        x.value = LLVMBuildTrunc(e->builder, x.value, type, "");
    }
    return x;
}

static void store_scalar(
    Emit *e, ElementType element, LLVMValueRef address, Scalar x, int operand) {
    ElementClass class = element_class(element);
    unsigned size = (unsigned)element_bytes(element);
    if (class == CLASS_COMPLEX) {
        store_number(e, x.value, address, size / 2, operand);
        store_number(e, x.imag, part_address(e, element, address, 1), size / 2, operand);
        return;
    }
    LLVMTypeRef type = emit_memory_type(e, element);
    LLVMValueRef number = x.value;
    if (class == CLASS_FLOAT && size == 1)
        number = emit_encode_float(e, element, number);
    else if (class == CLASS_SINT && element_bits(element) < 8)
        number = LLVMBuildSExt(e->builder, number, type, "");
    else if (size == 1 && element_bits(element) < 8)
        number = LLVMBuildZExt(e->builder, number, type, "");
    store_number(e, number, address, size, operand);
}

Scalar emit_load(Emit *e, const Value *stored, LLVMValueRef address) {
    return load_scalar(e, stored->type->element, address, kernel_operand(e->kernel, stored));
}

void emit_store(Emit *e, const Value *stored, LLVMValueRef address, Scalar x) {
    store_scalar(e, stored->type->element, address, x, kernel_operand(e->kernel, stored));
}

LLVMValueRef emit_scratch(Emit *e, int64_t offset) {
    LLVMValueRef block = entry_builder_begin(e);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef scratch =
        emit_entry_load(e, pointer, e->lane, (int64_t)offsetof(RtLane, scratch), "scratch");
    LLVMValueRef at = emit_i64_constant(e, offset);
    scratch =
        LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), scratch, &at, 1, "");
    entry_builder_end(e, block);
    return scratch;
}

Scalar emit_private_load(Emit *e, ElementType element, LLVMValueRef array, LLVMValueRef at) {
    LLVMValueRef address =
        LLVMBuildInBoundsGEP2(e->builder, emit_memory_type(e, element), array, &at, 1, "");
    return load_scalar(e, element, address, -1);
}

void emit_private_store(
    Emit *e, ElementType element, LLVMValueRef array, LLVMValueRef at, Scalar x) {
    LLVMValueRef address =
        LLVMBuildInBoundsGEP2(e->builder, emit_memory_type(e, element), array, &at, 1, "");
    store_scalar(e, element, address, x, -1);
}
