// What all emitters are made of: LLVM's types, constants and calls.
#include "codegen/emit/emit_state.h"

#include <stdio.h>
#include <string.h>

LLVMTypeRef emit_i64(Emit *e) { return LLVMInt64TypeInContext(e->context); }

LLVMValueRef emit_i64_constant(Emit *e, int64_t number) {
    return LLVMConstInt(emit_i64(e), (unsigned long long)number, 1);
}

void emit_set_invariant(Emit *e, LLVMValueRef load) {
    LLVMMetadataRef empty = LLVMMDNodeInContext2(e->context, NULL, 0);
    unsigned kind = LLVMGetMDKindIDInContext(e->context, "invariant.load", 14);
    LLVMSetMetadata(load, kind, LLVMMetadataAsValue(e->context, empty));
}

LLVMValueRef emit_entry_load(
    Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t byte_offset, const char *name) {
    LLVMValueRef at = emit_i64_constant(e, byte_offset);
    LLVMValueRef address =
        LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), base, &at, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, address, name);
    emit_set_invariant(e, load);
    return load;
}

LLVMTypeRef emit_register_type(Emit *e, ElementType element) {
    switch (element) {
    // A pattern: LLVM keeps a bfloat in f32 between blocks, and the way back loses what is
    // below the smallest normal number.
    case ELEMENT_BF16: return LLVMInt16TypeInContext(e->context);
    case ELEMENT_F16: return LLVMHalfTypeInContext(e->context);
    case ELEMENT_F64:
    case ELEMENT_C128: return LLVMDoubleTypeInContext(e->context);
    default: break;
    }
    ElementClass class = element_class(element);
    if (class == CLASS_FLOAT || class == CLASS_COMPLEX) return LLVMFloatTypeInContext(e->context);
    return LLVMIntTypeInContext(e->context, (unsigned)element_bits(element));
}

LLVMTypeRef emit_memory_type(Emit *e, ElementType element) {
    if (element_class(element) == CLASS_COMPLEX)
        return LLVMArrayType2(emit_register_type(e, element), 2);
    if (element_bytes(element) == 1) return LLVMInt8TypeInContext(e->context);
    return emit_register_type(e, element);
}

Scalar emit_constant(Emit *e, ElementType element, double number) {
    Scalar x = {.element = element};
    LLVMTypeRef type = emit_register_type(e, element);
    ElementClass class = element_class(element);
    if (element == ELEMENT_BF16)
        x.value =
            LLVMConstBitCast(LLVMConstReal(LLVMBFloatTypeInContext(e->context), number), type);
    else if (class == CLASS_FLOAT || class == CLASS_COMPLEX)
        x.value = LLVMConstReal(type, number);
    else
        x.value = LLVMConstInt(type, (unsigned long long)(int64_t)number, 1);
    if (class == CLASS_COMPLEX) x.imag = LLVMConstReal(type, 0);
    return x;
}

LLVMValueRef emit_intrinsic(
    Emit *e, const char *name, LLVMTypeRef type, int count, LLVMValueRef *arguments) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    LLVMTypeRef function_type = LLVMIntrinsicGetType(e->context, id, &type, 1);
    return LLVMBuildCall2(e->builder, function_type, function, arguments, (unsigned)count, "");
}

LLVMValueRef emit_call_pure(
    Emit *e, const char *name, LLVMTypeRef result, int count, LLVMValueRef *arguments) {
    LLVMTypeRef types[4];
    for (int i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef function_type = LLVMFunctionType(result, types, (unsigned)count, 0);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (!function) {
        function = LLVMAddFunction(e->module, name, function_type);
        static const char *const attributes[] = {
            "memory", "nounwind", "willreturn"}; // memory(none)
        for (int i = 0; i < 3; i++) {
            unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
            LLVMAddAttributeAtIndex(
                function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
        }
    }
    return LLVMBuildCall2(e->builder, function_type, function, arguments, (unsigned)count, "");
}

LLVMValueRef emit_libm(
    Emit *e, const char *name, LLVMTypeRef type, int count, LLVMValueRef *arguments) {
    char text[32];
    bool is_float = type == LLVMFloatTypeInContext(e->context);
    EmitLoop *loop = emit_vector_loop(e);
    if (loop) loop->has_calls = true;
    snprintf(text, sizeof text, "%s%s", name, is_float ? "f" : "");
    return emit_call_pure(e, text, type, count, arguments);
}

void emit_prefetch(Emit *e, LLVMValueRef address, bool to_write, PrefetchLevel level) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0),
                i32 = LLVMInt32TypeInContext(e->context);
    unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", strlen("llvm.prefetch"));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &pointer, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, &pointer, 1);
    LLVMValueRef arguments[4] = {
        address, LLVMConstInt(i32, to_write, 0), LLVMConstInt(i32, level, 0),
        LLVMConstInt(i32, 1, 0)};
    LLVMBuildCall2(e->builder, type, function, arguments, 4, "");
}

LLVMValueRef emit_intrinsic1(Emit *e, const char *name, LLVMValueRef x) {
    return emit_intrinsic(e, name, LLVMTypeOf(x), 1, &x);
}

LLVMValueRef emit_intrinsic_of_two(Emit *e, const char *name, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, name, LLVMTypeOf(x), 2, both);
}

LLVMValueRef emit_choose(Emit *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildSelect(e->builder, condition, x, y, "");
}

LLVMValueRef emit_int_like(LLVMValueRef like, int64_t number) {
    return LLVMConstInt(LLVMTypeOf(like), (unsigned long long)number, 1);
}

LLVMValueRef emit_real_like(LLVMValueRef like, double number) {
    return LLVMConstReal(LLVMTypeOf(like), number);
}

LLVMValueRef emit_reassociable(Emit *e, LLVMValueRef x) {
    if (e->reassociate && LLVMIsAInstruction(x))
        LLVMSetFastMathFlags(x, LLVMFastMathAllowReassoc | LLVMFastMathAllowContract);
    return x;
}

static void set_text_attribute(
    Emit *e, LLVMValueRef function, const char *name, const char *value) {
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(
        e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

// AMD's CPUs (which alone have SSE4A) take longer to gather a vector than to load its elements.
static const char *tuned_features(Emit *e) {
    if (!target_has(e->target, "sse4a")) return e->target->features;
    return arena_printf(e->arena, "%s,+prefer-no-gather", e->target->features);
}

void emit_function_attributes(Emit *e, LLVMValueRef function) {
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
    set_text_attribute(e, function, "target-cpu", e->target->cpu);
    if (e->target->features && *e->target->features)
        set_text_attribute(e, function, "target-features", tuned_features(e));
    if (e->target->isa == ISA_AVX512) set_text_attribute(e, function, "prefer-vector-width", "512");
    set_text_attribute(e, function, "no-trapping-math", "true");
}
