// Work grows with the program, not with its square: what a program of four times the size allocates
// is at most six times as much. Counted, not timed.
#define _GNU_SOURCE // mkdtemp
#include "api_test.h"

#include <stdarg.h>
#include <stdbool.h>

typedef struct Counter {
    int64_t bytes;
} Counter;

static void *counted_allocate(void *user, size_t size) {
    Counter *counter = user;
    __atomic_add_fetch(&counter->bytes, (int64_t)size, __ATOMIC_RELAXED);
    return malloc(size);
}

static void counted_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

// A program's text.
typedef struct Text {
    char *data;
    size_t size, room;
} Text;

__attribute__((format(printf, 2, 3))) static void add(Text *text, const char *format, ...) {
    if (text->room - text->size < 4096) {
        text->room = 2 * text->room + 8192;
        text->data = realloc(text->data, text->room);
        assert_non_null(text->data);
    }
    va_list arguments;
    va_start(arguments, format);
    text->size += (size_t)vsnprintf(text->data + text->size, 4096, format, arguments);
    va_end(arguments);
}

typedef void Writer(Text *text, int n);

#define SHARDED "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>"

// n arguments with attributes, given to n results.
static void many_arguments(Text *text, int n) {
    add(text, "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(");
    for (int i = 0; i < n; i++)
        add(text, "%s%%a%d: tensor<8xf32> " SHARDED ", tf.aliasing_output = %d : i32}",
            i ? ", " : "", i, i);
    add(text, ") -> (");
    for (int i = 0; i < n; i++)
        add(text, "%stensor<8xf32> " SHARDED ", jax.result_info = \"r%d\"}", i ? ", " : "", i);
    add(text, ") {\n");
    for (int i = 0; i < n; i++)
        add(text, "  %%%d = stablehlo.abs %%a%d : tensor<8xf32>\n", i, i);
    add(text, "  return ");
    for (int i = 0; i < n; i++)
        add(text, "%s%%%d", i ? ", " : "", i);
    for (int i = 0; i < n; i++)
        add(text, "%stensor<8xf32>", i ? ", " : " : ");
    add(text, "\n}\n");
}

// The same with GSPMD's annotations.
static void many_annotations(Text *text, int n) {
    add(text, "module attributes {mhlo.num_partitions = 2 : i32} {\nfunc.func @main(");
    for (int i = 0; i < n; i++)
        add(text, "%s%%a%d: tensor<8xf32> {mhlo.sharding = \"{devices=[2]<=[2]}\"}", i ? ", " : "",
            i);
    add(text, ") -> tensor<8xf32> {\n  return %%a0 : tensor<8xf32>\n}\n}\n");
}

// n arguments in one tuple of HLO, given to n results.
static void many_donations(Text *text, int n) {
    add(text, "HloModule m, input_output_alias={ ");
    for (int i = 0; i < n; i++)
        add(text, "%s{%d}: (0, {%d}, may-alias)", i ? ", " : "", i, i);
    add(text, " }\n\nENTRY main {\n  p = (");
    for (int i = 0; i < n; i++)
        add(text, "%sf32[4]", i ? ", " : "");
    add(text, ") parameter(0)\n");
    for (int i = 0; i < n; i++)
        add(text, "  p%d = f32[4] get-tuple-element(p), index=%d\n  q%d = f32[4] abs(p%d)\n", i, i,
            i, i);
    add(text, "  ROOT t = (");
    for (int i = 0; i < n; i++)
        add(text, "%sf32[4]", i ? ", " : "");
    add(text, ") tuple(");
    for (int i = 0; i < n; i++)
        add(text, "%sq%d", i ? ", " : "", i);
    add(text, ")\n}\n");
}

static void begin_main(Text *text) {
    add(text, "func.func @main(%%a: tensor<8xf32> " SHARDED "}) -> tensor<8xf32> {\n");
}

static void long_chain(Text *text, int n) {
    add(text, "sdy.mesh @mesh = <[\"x\"=2]>\n");
    begin_main(text);
    add(text, "  %%0 = stablehlo.abs %%a : tensor<8xf32>\n");
    for (int i = 1; i <= n; i++) {
        add(text, "  %%c%d = stablehlo.constant dense<%d.5> : tensor<8xf32>\n", i, i);
        add(text, "  %%%d = stablehlo.add %%%d, %%c%d : tensor<8xf32>\n", i, i - 1, i);
    }
    add(text, "  return %%%d : tensor<8xf32>\n}\n", n);
}

static void many_functions(Text *text, int n) {
    add(text, "sdy.mesh @mesh = <[\"x\"=2]>\n");
    for (int i = 0; i < n; i++)
        add(text,
            "func.func private @f%d(%%a: tensor<8xf32>) -> tensor<8xf32> {\n"
            "  %%0 = stablehlo.abs %%a : tensor<8xf32>\n  return %%0 : tensor<8xf32>\n}\n",
            i);
    begin_main(text);
    add(text, "  %%0 = stablehlo.abs %%a : tensor<8xf32>\n");
    for (int i = 0; i < n; i++)
        add(text, "  %%%d = func.call @f%d(%%%d) : (tensor<8xf32>) -> tensor<8xf32>\n", i + 1, i,
            i);
    add(text, "  return %%%d : tensor<8xf32>\n}\n", n);
}

static void many_meshes(Text *text, int n) {
    add(text, "sdy.mesh @mesh = <[\"x\"=2]>\n");
    for (int i = 0; i < n; i++)
        add(text, "sdy.mesh @m%d = <[\"x\"=2]>\n", i);
    begin_main(text);
    add(text, "  %%0 = stablehlo.abs %%a : tensor<8xf32>\n");
    for (int i = 0; i < n; i++)
        add(text, "  %%%d = sdy.sharding_constraint %%%d <@m%d, [{\"x\"}]> : tensor<8xf32>\n",
            i + 1, i, i);
    add(text, "  return %%%d : tensor<8xf32>\n}\n", n);
}

static void many_operands(Text *text, int n) {
    add(text, "sdy.mesh @mesh = <[\"x\"=2]>\n");
    add(text, "func.func @main(%%a: tensor<8xf32> " SHARDED "}) -> tensor<%dxf32> {\n", 8 * n);
    for (int i = 0; i < n; i++)
        add(text, "  %%%d = stablehlo.sine %%a : tensor<8xf32>\n", i);
    add(text, "  %%r = stablehlo.concatenate ");
    for (int i = 0; i < n; i++)
        add(text, "%%%d, ", i);
    add(text, "dim = 0 : (");
    for (int i = 0; i < n; i++)
        add(text, "%stensor<8xf32>", i ? ", " : "");
    add(text, ") -> tensor<%dxf32>\n  return %%r : tensor<%dxf32>\n}\n", 8 * n, 8 * n);
}

static void wide_loop(Text *text, int n) {
    add(text, "sdy.mesh @mesh = <[\"x\"=2]>\n");
    begin_main(text);
    add(text,
        "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %%w:%d = stablehlo.while(%%it = %%zero",
        n + 1);
    for (int i = 0; i < n; i++)
        add(text, ", %%i%d = %%a", i);
    add(text, ") : tensor<i32>");
    for (int i = 0; i < n; i++)
        add(text, ", tensor<8xf32>");
    add(text,
        "\n  cond {\n"
        "    %%p = stablehlo.compare LT, %%it, %%one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %%p : tensor<i1>\n"
        "  } do {\n    %%n = stablehlo.add %%it, %%one : tensor<i32>\n");
    for (int i = 0; i < n; i++)
        add(text, "    %%b%d = stablehlo.add %%i%d, %%i%d : tensor<8xf32>\n", i, i, (i + 1) % n);
    add(text, "    stablehlo.return %%n");
    for (int i = 0; i < n; i++)
        add(text, ", %%b%d", i);
    add(text, " : tensor<i32>");
    for (int i = 0; i < n; i++)
        add(text, ", tensor<8xf32>");
    add(text, "\n  }\n  return %%w#1 : tensor<8xf32>\n}\n");
}

// Bytes allocated from reading to the partitioned program.
static int64_t measure(Writer *write, int n) {
    Counter counter = {0};
    const shardc_allocator allocator = {counted_allocate, counted_release, &counter};
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    Text text = {0};
    write(&text, n);
    succeeds(shardc_context_create(&allocator, &context));
    succeeds(shardc_module_parse(context, "p", text.data, text.size, &module));
    succeeds(shardc_compile_to_file(module, NULL, SHARDC_EMIT_PARTITIONED, "/dev/null"));
    shardc_module_free(module);
    shardc_context_free(context);
    free(text.data);
    return counter.bytes;
}

static void memory_grows_with_the_program(void **state) {
    (void)state;
    static const struct {
        const char *name;
        Writer *write;
    } programs[] = {
        {"arguments", many_arguments}, {"annotations", many_annotations},
        {"donations", many_donations}, {"chain", long_chain},
        {"functions", many_functions}, {"meshes", many_meshes},
        {"operands", many_operands},   {"loop", wide_loop},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        int64_t small = measure(programs[i].write, 250), large = measure(programs[i].write, 1000);
        if (large <= 6 * small) continue;
        print_error(
            "%s: %lld bytes, and %lld for four times the size\n", programs[i].name,
            (long long)small, (long long)large);
        good = false;
    }
    assert_true(good);
}

// The typed entry of a function with many arguments is one block of stores, which LLVM
// would order in quadratic time.
static void wide_typed_entries_are_left_alone(void **state) {
    (void)state;
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    Text text = {0};
    many_arguments(&text, 40);
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "p", text.data, text.size, &module));
    const char *path = scratch("p.ll");
    succeeds(shardc_compile_to_file(module, NULL, SHARDC_EMIT_LLVM, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *code = calloc(1, 1 << 20);
    assert_non_null(code);
    size_t size = fread(code, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(size > 0);
    assert_non_null(strstr(code, "optnone"));
    free(code);
    free(text.data);
    shardc_module_free(module);
    shardc_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_with_the_program),
        cmocka_unit_test(wide_typed_entries_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
