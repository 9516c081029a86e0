// own_numbers: what each device computes of its number is looked up.
//
//   In      a device program in canonical form whose @main says which arguments the devices hold
//           alike.
//   Out     an integer or a truth value that follows from the device's number, and an array of the
//           same one everywhere, is a number of a constant table, or a constant.
//   Keeps   what the program computes.
//
//   before  %0 = partition_id    %1 = multiply(remainder(%0, 2), 64)
//   after   %1 = dense<[0, 64, 0, 64]>[partition_id]
//
// Where a device's part of an array begins is such a number: kernels that know it for every device
// read other devices' parts where they lie.
#include "codegen/fuse/replicas.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

typedef struct OwnNumbers {
    Module *module;
    const Replicas *replicas;
} OwnNumbers;

// [devices]; NULL = they are not known, or not one number for each device.
static int64_t *own_numbers(const OwnNumbers *own, const Value *value) {
    const Replicas *r = own->replicas;
    int64_t *numbers = ARENA_ARRAY(r->arena, int64_t, r->devices);
    for (int64_t d = 0; d < r->devices; d++) {
        if (!replicas_number(r, own->module->context, value, d, &numbers[d])) return NULL;
    }
    return numbers;
}

static Value *build_numbers(const OwnNumbers *own, Op *op, const int64_t *numbers) {
    const Type *type = op_result_type(op, 0);
    const Replicas *r = own->replicas;
    Builder builder = builder_before(own->module, op);
    bool is_same = true;
    for (int64_t d = 1; d < r->devices; d++)
        is_same = is_same && numbers[d] == numbers[0];
    if (is_same) return build_splat_int(&builder, type, numbers[0]);
    Value *line = build_own_numbers(&builder, type->element, r->devices, 1, numbers);
    Value *scalar = build_reshape(&builder, line, 0, NULL);
    return type->rank == 0 ? scalar : build_broadcast_in_dim(&builder, scalar, type, NULL);
}

static bool look_up(Op *op, void *user) {
    OwnNumbers *own = user;
    if (op->result_count != 1 || op->code == OP_CONSTANT || op->code == OP_PARTITION_ID ||
        op_has(op, TRAIT_VIEW))
        return false;
    const int64_t *numbers = own_numbers(own, op_result(op, 0));
    if (!numbers) return false;
    value_replace_uses(op_result(op, 0), build_numbers(own, op, numbers));
    op_erase(op);
    return true;
}

PassResult pass_own_numbers(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    Replicas replicas;
    if (!main || !replicas_find_marked(module, main, arena_child(module->arena), &replicas))
        return PASS_UNCHANGED;
    OwnNumbers own = {.module = module, .replicas = &replicas};
    return pass_over_main(module, look_up, &own);
}
