// lower_blocks: kernels that run others block by block (plan/blocks/row_blocks.h).
//
//     for each outer place of the lane:
//       for each block of its rows:
//         the locals begin where the block of an array of all rows would lie in the scratch
//         each part, with its operands and a lane whose scratch is the part's
#include "codegen/emit/emit_state.h"
#include "codegen/emit/lower.h"
#include "codegen/plan/blocks/row_blocks.h"
#include "runtime/abi.h"

typedef struct Blocks {
    Emit *e;
    const RowBlocks *plan;
    LLVMValueRef *operands;   // [parts] RtOperand tables
    LLVMValueRef *lanes;      // [parts]
    LLVMValueRef *local_from; // [locals] the block's place less the arena's base, i64
} Blocks;

enum { NUMBERS = sizeof(RtOperand) / sizeof(int64_t) };

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

static LLVMValueRef word_at(Emit *e, LLVMValueRef from, int64_t byte) {
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    LLVMValueRef at = number(e, byte);
    return LLVMBuildInBoundsGEP2(e->builder, i8, from, &at, 1, "");
}

static LLVMValueRef load_word(Emit *e, LLVMValueRef from, int64_t byte) {
    return LLVMBuildLoad2(e->builder, emit_i64(e), word_at(e, from, byte), "");
}

static void store_word(Emit *e, LLVMValueRef to, int64_t byte, LLVMValueRef word) {
    LLVMBuildStore(e->builder, word, word_at(e, to, byte));
}

static int operand_count(const Kernel *kernel) {
    return kernel->output_count + kernel->input_count;
}

// A copy of the lane with the part's scratch.
static LLVMValueRef make_lane(Emit *e, const BlockPart *part) {
    int64_t words = (int64_t)(sizeof(RtLane) / sizeof(int64_t));
    LLVMValueRef lane = emit_alloca(e, emit_i64(e), words, 8);
    for (int64_t i = 0; i < words; i++)
        store_word(e, lane, i * 8, load_word(e, e->lane, i * 8));
    LLVMValueRef scratch = load_word(e, e->lane, (int64_t)offsetof(RtLane, scratch));
    scratch = LLVMBuildAdd(e->builder, scratch, number(e, part->scratch_at), "");
    store_word(e, lane, (int64_t)offsetof(RtLane, scratch), scratch);
    return lane;
}

// The operands that are no locals stay where they are.
static LLVMValueRef make_operands(Emit *e, const BlockPart *part) {
    int count = operand_count(part->kernel);
    LLVMValueRef table = emit_alloca(e, emit_i64(e), NUMBERS * (int64_t)count, 8);
    LLVMValueRef all = LLVMGetParam(e->function, 1);
    for (int i = 0; i < count; i++) {
        int64_t to = i * (int64_t)sizeof(RtOperand),
                from = part->operands[i] * (int64_t)sizeof(RtOperand);
        for (int64_t w = 0; w < NUMBERS && part->operands[i] >= 0; w++)
            store_word(e, table, to + w * 8, load_word(e, all, from + w * 8));
        if (part->operands[i] < 0)
            store_word(e, table, to + (int64_t)offsetof(RtOperand, slot), number(e, RT_SLOT_ARENA));
    }
    return table;
}

static LLVMValueRef arena_base(Emit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef device = load_word(e, e->lane, (int64_t)offsetof(RtLane, device)),
                 slots = load_word(e, e->lane, (int64_t)offsetof(RtLane, slot_count));
    LLVMValueRef bases = LLVMBuildLoad2(
        e->builder, pointer, word_at(e, e->lane, (int64_t)offsetof(RtLane, bases)), "");
    LLVMValueRef at = LLVMBuildMul(e->builder, device, slots, "");
    at = LLVMBuildAdd(e->builder, at, number(e, RT_SLOT_ARENA), "");
    LLVMValueRef place = LLVMBuildInBoundsGEP2(e->builder, emit_i64(e), bases, &at, 1, "");
    return LLVMBuildLoad2(e->builder, emit_i64(e), place, "");
}

static void begin(Blocks *x) {
    Emit *e = x->e;
    LLVMValueRef base = arena_base(e),
                 scratch = load_word(e, e->lane, (int64_t)offsetof(RtLane, scratch));
    for (int p = 0; p < x->plan->part_count; p++) {
        x->lanes[p] = make_lane(e, &x->plan->parts[p]);
        x->operands[p] = make_operands(e, &x->plan->parts[p]);
    }
    for (int i = 0; i < x->plan->local_count; i++) {
        LLVMValueRef at = LLVMBuildAdd(e->builder, scratch, number(e, x->plan->locals[i].at), "");
        x->local_from[i] = LLVMBuildSub(e->builder, at, base, "");
    }
}

static void place_locals(Blocks *x, const BlockPart *part, LLVMValueRef table, LLVMValueRef block) {
    Emit *e = x->e;
    for (int i = 0; i < operand_count(part->kernel); i++) {
        int local = -1 - part->operands[i];
        if (local < 0) continue;
        int64_t bytes = x->plan->locals[local].row_bytes * x->plan->rows;
        LLVMValueRef before = LLVMBuildMul(e->builder, block, number(e, bytes), "");
        LLVMValueRef offset = LLVMBuildSub(e->builder, x->local_from[local], before, "");
        int64_t at = i * (int64_t)sizeof(RtOperand) + (int64_t)offsetof(RtOperand, offset);
        store_word(e, table, at, offset);
    }
}

static void call_part(Blocks *x, int p, LLVMValueRef block) {
    Emit *e = x->e;
    const BlockPart *part = &x->plan->parts[p];
    place_locals(x, part, x->operands[p], block);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0), i64 = emit_i64(e);
    LLVMTypeRef parameters[4] = {pointer, pointer, i64, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 4, 0);
    const char *name = part->kernel->symbol;
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (!function) function = LLVMAddFunction(e->module, name, type);
    LLVMValueRef end = LLVMBuildAdd(e->builder, block, number(e, 1), "");
    LLVMValueRef arguments[4] = {x->lanes[p], x->operands[p], block, end};
    LLVMBuildCall2(e->builder, type, function, arguments, 4, "");
}

bool blocks_emit(Emit *e) {
    const RowBlocks *plan = e->kernel->blocks;
    Blocks *x = ARENA_NEW(e->arena, Blocks);
    *x = (Blocks){
        .e = e,
        .plan = plan,
        .operands = ARENA_ARRAY(e->arena, LLVMValueRef, plan->part_count),
        .lanes = ARENA_ARRAY(e->arena, LLVMValueRef, plan->part_count),
        .local_from = ARENA_ARRAY(e->arena, LLVMValueRef, plan->local_count)};
    begin(x);
    LLVMValueRef count = number(e, plan->count);
    LLVMValueRef first = LLVMBuildMul(e->builder, e->begin, count, ""),
                 last = LLVMBuildMul(e->builder, e->end, count, "");
    EmitLoop *block = emit_loop_begin(e, first, last, 1, plan->outer * plan->count, false);
    for (int p = 0; p < plan->part_count; p++)
        call_part(x, p, block->phi);
    emit_loop_end(e, block);
    return !e->failed;
}
