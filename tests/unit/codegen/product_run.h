// Products of two matrices, as programs for kernel_run.h, compared with the evaluator.
#ifndef SHARDC_TESTS_PRODUCT_RUN_H
#define SHARDC_TESTS_PRODUCT_RUN_H

#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

enum { TEXT_SIZE = 2048 };

typedef struct Product {
    int64_t batch, m, n, k;      // batch 0: no such dimension
    bool lhs_turned, rhs_turned; // [k, m] instead of [m, k], [n, k] instead of [k, n]
    const char *lhs, *rhs, *result;
} Product;

// "BxMxKxTYPE", without the first where batch is 0.
static void shape_text(
    char *text, const Product *p, int64_t rows, int64_t columns, const char *type) {
    int used = p->batch ? snprintf(text, 64, "%dx", (int)p->batch) : 0;
    snprintf(text + used, 64, "%dx%dx%s", (int)rows, (int)columns, type);
}

static void product_text(char *text, const Product *p) {
    char lhs[128], rhs[128], result[128];
    shape_text(lhs, p, p->lhs_turned ? p->k : p->m, p->lhs_turned ? p->m : p->k, p->lhs);
    shape_text(rhs, p, p->rhs_turned ? p->n : p->k, p->rhs_turned ? p->k : p->n, p->rhs);
    shape_text(result, p, p->m, p->n, p->result);
    int first = p->batch ? 1 : 0;
    snprintf(
        text, TEXT_SIZE,
        "func.func @main(%%a: tensor<%s>, %%b: tensor<%s>) -> tensor<%s> {\n"
        "%%0 = stablehlo.dot_general %%a, %%b, %scontracting_dims = [%d] x [%d] : (tensor<%s>, "
        "tensor<%s>) -> tensor<%s>\n"
        "%%1 = stablehlo.add %%0, %%0 : tensor<%s>\n"
        "return %%1 : tensor<%s>\n"
        "}\n",
        lhs, rhs, result, p->batch ? "batching_dims = [0] x [0], " : "",
        first + (p->lhs_turned ? 0 : 1), first + (p->rhs_turned ? 1 : 0), lhs, rhs, result, result,
        result);
}

// cpu: NULL = this machine's. Are products made by tile registers?
static bool check_text_on(const char *cpu, const char *text, int64_t devices, double tolerance) {
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {.device_count = devices};
    assert_true(kernel_run_create(&run, arena, text, KERNEL_CONTRACT, OP_DOT_GENERAL));
    run.kernel.has_epilogue = true;
    assert_true(kernel_run_compile(&run, cpu, false));
    bool has_tiles = target_has(&run.target, "amx-bf16");
    for (int64_t parts = 1; parts <= 7; parts += 3) {
        kernel_run_execute(&run, parts);
        double error = kernel_run_error(&run);
        if (!(error <= tolerance))
            print_message("%sin %d parts: error %g\n", text, (int)parts, error);
        assert_true(error <= tolerance);
    }
    kernel_run_free(&run);
    arena_free(arena);
    return has_tiles;
}

static bool check_product_on(const char *cpu, Product p, double tolerance) {
    char text[TEXT_SIZE];
    product_text(text, &p);
    return check_text_on(cpu, text, 1, tolerance);
}

#endif
