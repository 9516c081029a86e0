// scale_forms: see scale_forms.h.
#include "codegen/target/scale_forms.h"

#include "codegen/target/instructions.h"

#include <string.h>

typedef struct Scaling {
    bool is_f64;
    unsigned lanes;
    LLVMValueRef x, sum; // k = bits of sum - bits of the large number
} Scaling;

static const char *const scalef_names[2][3] = {
    {"llvm.x86.avx512.mask.scalef.ps.128", "llvm.x86.avx512.mask.scalef.ps.256",
     "llvm.x86.avx512.mask.scalef.ps.512"},
    {"llvm.x86.avx512.mask.scalef.pd.128", "llvm.x86.avx512.mask.scalef.pd.256",
     "llvm.x86.avx512.mask.scalef.pd.512"}};

// 0 .. 2 for vectors of 128, 256 and 512 bits; -1 = no vector of the CPU.
static int width_of(const Scaling *s) {
    unsigned bits = s->lanes * (s->is_f64 ? 64 : 32);
    return bits == 128 ? 0 : bits == 256 ? 1 : bits == 512 ? 2 : -1;
}

// All lanes the same integer?
static bool is_splat(LLVMValueRef x, unsigned lanes, long long number) {
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef lane = LLVMIsConstant(x) ? LLVMGetAggregateElement(x, i) : NULL;
        if (!lane || !LLVMIsAConstantInt(lane) || LLVMConstIntGetSExtValue(lane) != number)
            return false;
    }
    return true;
}

static double magic_of(const Scaling *s) { return s->is_f64 ? 6755399441055744.0 : 12582912.0; }

// The float vector whose bits these are.
static LLVMValueRef float_of(const Scaling *s, LLVMValueRef bits) {
    if (!is_op(bits, LLVMBitCast)) return NULL;
    LLVMValueRef x = LLVMGetOperand(bits, 0);
    return LLVMTypeOf(x) == LLVMTypeOf(s->x) ? x : NULL;
}

// f32: bits - bits of 1.5 * 2^23. f64: the low half of the bits, as those of 1.5 * 2^52 are zero.
static LLVMValueRef sum_of(const Scaling *s, LLVMValueRef k) {
    if (s->is_f64) return is_op(k, LLVMTrunc) ? float_of(s, LLVMGetOperand(k, 0)) : NULL;
    bool is_less =
        is_op(k, LLVMAdd) && is_splat(LLVMGetOperand(k, 1), s->lanes, -(long long)0x4B400000);
    return is_less ? float_of(s, LLVMGetOperand(k, 0)) : NULL;
}

static bool match(LLVMValueRef call, Scaling *s) {
    LLVMValueRef function = LLVMGetCalledValue(call);
    size_t length = 0;
    const char *name = LLVMGetValueName2(function, &length);
    if (length < 10 || strncmp(name, "llvm.ldexp", 10) != 0) return false;
    LLVMTypeRef type = LLVMTypeOf(call);
    if (!is_vector(type)) return false;
    *s = (Scaling){
        .is_f64 = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind,
        .lanes = LLVMGetVectorSize(type),
        .x = LLVMGetOperand(call, 0)};
    s->sum = sum_of(s, LLVMGetOperand(call, 1));
    return s->sum && width_of(s) >= 0;
}

static LLVMValueRef scalef(LLVMBuilderRef b, const Scaling *s) {
    LLVMTypeRef type = LLVMTypeOf(s->x), element = LLVMGetElementType(type);
    LLVMValueRef parent = LLVMGetBasicBlockParent(LLVMGetInsertBlock(b));
    LLVMModuleRef module = LLVMGetGlobalParent(parent);
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef magic = LLVMConstReal(element, magic_of(s)), all[16];
    for (unsigned i = 0; i < s->lanes; i++)
        all[i] = magic;
    LLVMValueRef k = LLVMBuildFSub(b, s->sum, LLVMConstVector(all, s->lanes), "");
    LLVMTypeRef mask = LLVMIntTypeInContext(context, s->lanes == 16 ? 16 : 8);
    LLVMValueRef arguments[5] = {
        s->x, k, LLVMConstNull(type), LLVMConstAllOnes(mask),
        LLVMConstInt(LLVMInt32TypeInContext(context), 4, 0)}; // 4: rounds as the CPU is set
    const char *name = scalef_names[s->is_f64][width_of(s)];
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, NULL, 0);
    LLVMTypeRef function_type = LLVMGlobalGetValueType(function);
    return LLVMBuildCall2(b, function_type, function, arguments, width_of(s) == 2 ? 5 : 4, "");
}

static void scale_form(LLVMBuilderRef builder, LLVMValueRef call) {
    Scaling s;
    if (!match(call, &s)) return;
    LLVMPositionBuilderBefore(builder, call);
    LLVMReplaceAllUsesWith(call, scalef(builder, &s));
    LLVMInstructionEraseFromParent(call);
}

void scale_forms(LLVMModuleRef module) { each_instruction(module, LLVMCall, scale_form); }
