// send: values that a kernel stores in other devices' memory.
//
// What an all_to_all moves, and nobody else reads, need not lie in the memory of the device that
// makes it: where the result must be stored, each element is stored there at once. The kernel of
// the copy goes, and with it the barrier before it.
#include "codegen/fuse/fuse.h"

// The device program's result that the value is; NULL = none.
static const GlobalLayout *result_layout(const DeviceProgram *program, const Value *value) {
    const Op *terminator = region_terminator(func_body(program->main));
    for (const Use *use = value->uses; use; use = use->next) {
        if (use->owner == terminator) return &program->results[use_index(use)];
    }
    return NULL;
}

const Value *sent_value(const Fusion *fusion, const Value *value) {
    const DeviceProgram *program = fusion->plan->program;
    const Region *body = func_body(program->main);
    const Op *op = value->def;
    if (op->code == OP_RESHAPE) {
        if (!value_has_one_use(op_operand(op, 0)) || op->parent != body) return NULL;
        op = op_operand(op, 0)->def;
    }
    if (!op || op->code != OP_ALL_TO_ALL || !op_extra(op, SPREAD_OVER)) return NULL;
    const Value *made = op_operand(op, 0);
    const GlobalLayout *layout = result_layout(program, value);
    bool is_plain =
        !layout || (layout->alias < 0 && !layout_is_uneven(layout, program->device_count));
    bool fits = is_plain && op->parent == body && made->def && made->def->parent == body &&
                value_has_one_use(made) && type_element_count(made->type) > 0;
    return fits ? made : NULL;
}

// Loops over elements, and rows, store where they are told to.
bool root_can_send(const FusionRoot *root) { return root && root->kind == KERNEL_LOOP; }
