// ir/print/array_names.c
#include "ir/builder.h"
#include "ir/print/array_names.h"
#include "tests/unit/ir/ir_fixture.h"

static void names_that_several_have_are_replaced(void **state) {
    Fixture *fixture = *state;
    static const char *const given[] = {"w", "b", "w", "arg7", "", "x", "w"};
    static const char *const expected[] = {"arg0", "b", "arg2", "arg3", "arg4", "x", "arg6"};
    enum { COUNT = sizeof given / sizeof given[0] };
    Module *module = module_create(fixture->context, fixture->arena);
    Builder builder = builder_at_end(module, module->body);
    const Type *type = type_scalar(fixture->context, ELEMENT_F32);
    Op *func = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    for (int i = 0; i < COUNT; i++) {
        Loc *loc = ARENA_NEW(fixture->arena, Loc);
        LocTexts *texts = ARENA_NEW(fixture->arena, LocTexts);
        texts->name = strview(given[i]);
        loc->texts = texts;
        region_add_arg(module, func_body(func), type, loc);
    }
    const char **names = argument_names(fixture->arena, func);
    for (int i = 0; i < COUNT; i++)
        assert_string_equal(names[i], expected[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(names_that_several_have_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
