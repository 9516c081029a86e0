/* Builds a program op by op instead of reading one: result = tanh(x @ w) on a 2x2
 * mesh, with x split over its rows and w over its columns. Prints the program, runs
 * it, and prints what comes out. */
#include <shardc/shardc.h>
#include <stdio.h>

static shardc_status *build_main(shardc_module *module) {
    const char *const axes[] = {"x", "y"};
    const int64_t sizes[] = {2, 2};
    const char *const types[] = {"tensor<4x8xf32>", "tensor<8x2xf32>"};
    const char *const shardings[] = {"<@mesh, [{\"x\"}, {}]>", "<@mesh, [{}, {\"y\"}]>"};
    const int64_t lhs_contracting[] = {1}, rhs_contracting[] = {0};
    const shardc_dot_dims dims = {
        .contracting_count = 1,
        .lhs_contracting = lhs_contracting,
        .rhs_contracting = rhs_contracting};
    shardc_func *func = NULL;
    shardc_value product = 0, result = 0;
    shardc_status *status = shardc_build_mesh(module, "mesh", 2, axes, sizes);
    if (!status) status = shardc_func_begin(module, "main", 2, types, shardings, NULL, &func);
    shardc_value x = shardc_func_argument(func, 0);
    shardc_value w = shardc_func_argument(func, 1);
    if (!status) status = shardc_build_dot_general(func, x, w, &dims, &product);
    if (!status) status = shardc_build_unary(func, "stablehlo.tanh", product, &result);
    if (!status) status = shardc_func_finish(func, 1, &result, NULL);
    return status;
}

static shardc_status *run(shardc_module *module) {
    float x[4 * 8], w[8 * 2], result[4 * 2] = {0};
    const char *text = NULL;
    shardc_executable *executable = NULL;
    for (int i = 0; i < 4 * 8; i++)
        x[i] = (float)(i % 7 - 3) / 8;
    for (int i = 0; i < 8 * 2; i++)
        w[i] = (float)(i % 5 - 2) / 4;
    shardc_status *status = shardc_module_text(module, &text);
    if (!status) puts(text);
    if (!status) status = shardc_compile(module, NULL, &executable);
    if (!status) status = shardc_execute(executable, (const void *[]){x, w}, (void *[]){result});
    for (int i = 0; i < 4 && !status; i++)
        printf("% f % f\n", (double)result[2 * i], (double)result[2 * i + 1]);
    shardc_executable_free(executable);
    return status;
}

int main(void) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = shardc_module_create(context, "product", &module);
    if (!status) status = build_main(module);
    if (!status) status = run(module);
    if (status) fputs(shardc_status_report(status), stderr);
    int code = status ? 1 : 0;
    shardc_status_free(status);
    shardc_module_free(module);
    shardc_context_free(context);
    return code;
}
