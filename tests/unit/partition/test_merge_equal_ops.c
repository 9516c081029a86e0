// partition/collectives/merge_equal_ops.c
#include "tests/unit/partition/partition_fixture.h"

static const char program[] =
    "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
    "  %0 = stablehlo.negate %a : tensor<2xf32>\n"
    "  %1 = stablehlo.negate %b : tensor<2xf32>\n"
    "  return %0, %1 : tensor<2xf32>, tensor<2xf32>\n}\n";

// Ops of the same operands are equal, whatever happens between them to what lies behind an
// operand in memory: here an op that becomes another one, made right after the op whose
// last result the equal ones read.
static void equal_ops_have_equal_hashes(void **state) {
    (void)state;
    Fixture fixture = fixture_read(program);
    Module *module = fixture.module;
    Op *first = fixture_op(&fixture, OP_NEGATE, 0), *second = fixture_op(&fixture, OP_NEGATE, 1);
    const Type *type = op_result_type(first, 0);
    Builder builder = builder_before(module, first);
    Value *args[] = {op_operand(first, 0), op_operand(second, 0)};
    Op *pair = build_op(
        &builder, OP_OPTIMIZATION_BARRIER, 2, args, 2, (const Type *const[]){type, type}, 0);
    builder = builder_before(module, second);
    Op *constant = build_op(&builder, OP_SDY_CONSTANT, 0, NULL, 1, &type, 0);
    const float value = 1;
    op_set_attr(
        module, constant, NAME_VALUE,
        attr_elements(module->context, type, true, &value, sizeof value));
    op_set_operand(first, 0, op_result(pair, 1));
    op_set_operand(second, 0, op_result(pair, 1));
    PassContext pass = fixture_pass(&fixture);
    assert_int_equal(pass_run(&merge_equal_ops_pass, &pass), PASS_CHANGED);
    const Op *end = func_body(fixture_main(&fixture))->last;
    assert_int_equal(constant->code, OP_CONSTANT);
    assert_ptr_equal(op_operand(end, 0), op_operand(end, 1));
    arena_free(fixture.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_ops_have_equal_hashes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
