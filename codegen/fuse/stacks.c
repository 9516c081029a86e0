// stacks: what a step of a loop makes for a slice of a carried array is made in that array.
//
//   In      mark_stacks: a device program before insert_copies. place_stacks: which kernels store
//           which values.
//   Out     an update in place that only stores a value where a loop stacks it has no kernel: the
//           value's own kernel stores it there (FusionRoot.stacks), and who reads the value reads
//           it there. Where the slice begins follows from the number of the step, so it is the
//           same on all devices that meet in the loop, and known before the value is.
//   Keeps   what the program computes. Nobody else reads the array that is updated, so the slice
//           may be written as soon as the step begins.
//
//   before  %1 = dot_general(%x, %y)             after   %1 = dot_general(%x, %y)
//           %2 = dynamic_update_slice(                   in the memory of slice %i of %stack
//                    %stack, reshape(%1), %i, 0, 0)
#include "codegen/fuse/fuse.h"
#include "ir/analysis/loops.h"

// ---- marks

bool is_slice_of_step(const Op *op) {
    bool is_update = op->code == OP_DYNAMIC_UPDATE_SLICE;
    const Op *loop = is_update || op->code == OP_DYNAMIC_SLICE ? op_parent_op(op) : NULL;
    if (!loop || loop->code != OP_WHILE || op->parent != loop->regions[1]) return false;
    for (int i = is_update ? 2 : 1; i < op->operand_count; i++) {
        if (!loop_numbers_steps(loop, op_operand(op, i))) return false;
    }
    const Op *from = op_operand(op, 0)->def; // what a step makes is not kept whole for its slices
    return is_update || !from || from->parent != op->parent;
}

static bool mark_slice(Op *op, void *user) {
    Module *module = user;
    if (!is_slice_of_step(op)) return true;
    const Value *stack = op_operand(op, 0);
    bool is_stack = stack->region == op->parent && value_has_one_use(stack);
    if (op->code == OP_DYNAMIC_UPDATE_SLICE && !is_stack) return true;
    const char *mark = op->code == OP_DYNAMIC_UPDATE_SLICE ? STACKS : SLICE_OF_STEP;
    Context *context = module->context;
    op_set_extra(module, op, context_name(context, strview(mark)), attr_unit(context));
    return true;
}

void mark_stacks(DeviceProgram *program) {
    region_walk(func_body(program->main), mark_slice, program->module);
}

// ---- places

// Does the op, which reads the value, need nothing but its elements?
static bool reads_elements(const Op *op, const Value *value) {
    LowerClass lower = lower_class(op, NULL);
    bool is_kernel = lower == LOWER_KERNEL && op->code != OP_CUSTOM_CALL;
    bool is_copy = op->code == OP_RESHAPE && op_result_type(op, 0) == value->type;
    bool is_changed = op_is_in_place(op) && op_operand(op, 0) == value;
    return (lower == LOWER_ELEMENT || lower == LOWER_REDUCE || lower == LOWER_UPDATE ||
            is_kernel) &&
           !is_copy && !is_changed;
}

// Is the slice a run of the array's elements?
static bool is_run(const Op *update) {
    const Type *stack = op_operand_type(update, 0), *slice = op_operand_type(update, 1);
    int d = stack->rank - 1;
    while (d >= 0 && slice->dims[d] == stack->dims[d])
        d--;
    for (int k = 0; k < d; k++)
        if (slice->dims[k] != 1) return false;
    return true;
}

// What the slice is, in another shape or in its own.
static const Value *before_reshapes(const Op *update) {
    Value *value = value_without_ones(op_operand(update, 1), update->parent);
    while (is_run(update) && value->def && value->def->parent == update->parent &&
           value->def->code == OP_RESHAPE)
        value = value_without_ones(op_operand(value->def, 0), update->parent);
    return value;
}

const Value *stacked_value(const Op *update) {
    if (update->code != OP_DYNAMIC_UPDATE_SLICE || !op_extra(update, STACKS)) return NULL;
    const Value *value = before_reshapes(update);
    const Op *def = value->def;
    if (!def || def->parent != update->parent || def->result_count != 1) return NULL;
    LowerClass lower = lower_class(def, NULL);
    bool is_made = (lower == LOWER_ELEMENT && op_has(def, TRAIT_POINTWISE)) ||
                   lower == LOWER_REDUCE || lower == LOWER_KERNEL;
    for (const Use *use = value->uses; use && is_made; use = use->next)
        is_made = use->owner->parent == def->parent && reads_elements(use->owner, value);
    return is_made ? value : NULL;
}

// Stores the kernel its results where it is told to?
static bool stores_anywhere(const FusionRoot *root) {
    KernelKind kind = root->kind;
    return kind == KERNEL_REDUCE || kind == KERNEL_CONTRACT || kind == KERNEL_CONV ||
           kind == KERNEL_ATTENTION || kind == KERNEL_WINDOW ||
           (kind == KERNEL_LOOP && !root->is_pure_copy);
}

void place_stacks(Fusion *fusion) {
    for (int64_t i = 0; i < fusion->roots.count; i++) {
        FusionRoot *update = fusion->roots.data[i];
        const Value *value = update->kind == KERNEL_UPDATE ? stacked_value(update->op) : NULL;
        ValueInfo *info = value ? value_info(fusion, value) : NULL;
        bool fits = info && info->is_stored && info->root && !info->goes_to && !info->is_stacked &&
                    info->root->region == update->region && stores_anywhere(info->root);
        if (!fits) continue;
        info->is_stacked = true;
        update->stacks = value;
    }
}
