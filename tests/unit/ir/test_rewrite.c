// ir/builder.c, ir/rewrite.c, ir/module.c, ir/op.c
#include "ir/builder.h"
#include "tests/unit/ir/ir_fixture.h"

static Module *make_module(Fixture *fixture, Region **body) {
    Module *module = module_create(fixture->context, fixture->arena);
    Builder builder = builder_at_end(module, module->body);
    const Type *type = type_tensor(fixture->context, ELEMENT_F32, 1, (int64_t[]){4});
    Op *func = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    op_set_attr(
        module, func, NAME_FUNCTION_TYPE,
        attr_type(fixture->context, type_function(fixture->context, 1, &type, 1, &type)));
    op_set_attr(module, func, NAME_SYM_NAME, attr_string(fixture->context, SV("main")));
    *body = func->regions[0];
    region_add_arg(module, *body, type, NULL);
    return module;
}

static void uses_follow_operands(void **state) {
    Region *body;
    Module *module = make_module(*state, &body);
    Builder builder = builder_at_end(module, body);
    Value *x = body->args[0];
    Value *sum = build_binary(&builder, OP_ADD, x, x);
    Value *product = build_binary(&builder, OP_MULTIPLY, sum, x);
    assert_int_equal(value_use_count(x), 3);
    op_set_operand(product->def, 1, sum);
    assert_int_equal(value_use_count(x), 2);
    assert_int_equal(value_use_count(sum), 2);
    value_replace_uses_except(sum, x, product->def);
    assert_int_equal(value_use_count(sum), 2);
    value_replace_uses(sum, x);
    assert_null(sum->uses);
    op_erase(sum->def);
    assert_ptr_equal(body->first, product->def);
    assert_int_equal(value_use_count(x), 2);
}

static void operands_are_added_and_removed(void **state) {
    Fixture *fixture = *state;
    Region *body;
    Module *module = make_module(fixture, &body);
    Builder builder = builder_at_end(module, body);
    Value *x = body->args[0];
    Value *a = build_unary(&builder, OP_NEGATE, x), *b = build_unary(&builder, OP_ABS, x);
    Value *joined = build_concatenate(&builder, 2, (Value *[]){a, b}, 0);
    op_add_operand(module, joined->def, x);
    assert_int_equal(joined->def->operand_count, 3);
    assert_true(value_has_one_use(a));
    op_remove_operand(joined->def, 0);
    assert_null(a->uses);
    assert_ptr_equal(op_operand(joined->def, 0), b);
    assert_int_equal(use_index(b->uses), 0);
    assert_ptr_equal(&joined->def->operands[0], b->uses);
}

static bool erase_negates(Op *op, void *user) {
    int *visited = user;
    ++*visited;
    if (op->code == OP_NEGATE) {
        value_replace_uses(op_result(op, 0), op_operand(op, 0));
        op_erase(op);
    }
    return true;
}

static void walks_survive_erased_ops(void **state) {
    Region *body;
    Module *module = make_module(*state, &body);
    Builder builder = builder_at_end(module, body);
    Value *x = body->args[0];
    for (int i = 0; i < 5; i++)
        x = build_unary(&builder, i % 2 ? OP_ABS : OP_NEGATE, x);
    build_return(&builder, OP_FUNC_RETURN, 1, &x);
    int visited = 0;
    assert_true(region_walk(module->body, erase_negates, &visited));
    assert_int_equal(visited, 7);
    assert_true(verify_module(module, ((Fixture *)*state)->diags));
}

static void clones_are_independent(void **state) {
    Fixture *fixture = *state;
    Region *body;
    Module *module = make_module(fixture, &body);
    Builder builder = builder_at_end(module, body);
    Value *sum = build_reduce(&builder, OP_ADD, body->args[0], 1, (int64_t[]){0});
    const Type *type = body->args[0]->type;
    Value *spread = build_broadcast_in_dim(&builder, sum, type, NULL);
    build_return(&builder, OP_FUNC_RETURN, 1, &spread);
    Module *clone = module_clone(module, fixture->arena);
    assert_string_equal(fixture_print(fixture, clone), fixture_print(fixture, module));
    assert_true(verify_module(clone, fixture->diags));
    op_erase(body->owner);
    assert_true(verify_module(clone, fixture->diags));
    Op *cloned = clone->body->first->regions[0]->first->next;
    assert_int_equal(cloned->code, OP_REDUCE);
    assert_int_equal(region_reduction_op(cloned->regions[0]), OP_ADD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(uses_follow_operands),
        FIXTURE_TEST(operands_are_added_and_removed),
        FIXTURE_TEST(walks_survive_erased_ops),
        FIXTURE_TEST(clones_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
