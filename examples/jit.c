/* Compiles a sharded program while running, and executes it: a matrix product
 * on a 2x2 mesh of four devices.
 *
 *     jit [PROGRAM.mlir]     without a program: the one below
 *
 * Inputs are filled with i % 7 - 3. Prints what the compiler found out about the arrays,
 * and a part of every result. */
#include <shardc/shardc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] =
    "module @product {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func @main(\n"
    "      %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>},\n"
    "      %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"y\"}, {}]>}) -> "
    "tensor<8x4xf32> {\n"
    "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
    "        : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
    "    return %0 : tensor<8x4xf32>\n"
    "  }\n"
    "}\n";

/* A buffer for one array of the model. */
static shardc_status *make_buffer(const shardc_model_array *array, shardc_buffer **buffer) {
    return shardc_buffer_create(shardc_array_dtype(array), array->rank, array->dims, buffer);
}

static void fill(shardc_buffer *buffer) {
    size_t size = shardc_dtype_size(shardc_buffer_dtype(buffer));
    size_t count = shardc_buffer_bytes(buffer) / (size ? size : 1);
    if (shardc_buffer_dtype(buffer) != SHARDC_F32) return; /* it stays zero */
    float *data = shardc_buffer_data(buffer);
    for (size_t i = 0; i < count; i++) {
        data[i] = (float)(i % 7) - 3;
    }
}

static void print_array(const char *what, int i, const shardc_model_array *array) {
    printf("%s %d: %s[", what, i, array->type);
    for (int d = 0; d < array->rank; d++) {
        printf("%s%lld", d ? ", " : "", (long long)array->dims[d]);
    }
    printf("] %s\n", *array->sharding ? array->sharding : "on every device");
}

static void print_floats(shardc_buffer *buffer) {
    if (shardc_buffer_dtype(buffer) != SHARDC_F32) return;
    const float *data = shardc_buffer_data(buffer);
    size_t count = shardc_buffer_bytes(buffer) / sizeof *data;
    for (size_t i = 0; i < count && i < 8; i++) {
        printf(" %g", (double)data[i]);
    }
    puts(count > 8 ? " ..." : "");
}

/* Makes the arrays, executes, prints. buffers: [arg_count + result_count], freed by the caller. */
static shardc_status *execute(shardc_executable *executable, shardc_buffer **buffers) {
    const shardc_model *model = shardc_executable_model(executable);
    shardc_status *status = NULL;
    printf("%s on %d devices, mesh %s\n", model->name, model->device_count, model->mesh);
    for (int i = 0; !status && i < model->arg_count; i++) {
        print_array("input", i, &model->args[i]);
        status = make_buffer(&model->args[i], &buffers[i]);
        if (!status) fill(buffers[i]);
    }
    shardc_buffer **results = buffers + model->arg_count;
    for (int i = 0; !status && i < model->result_count; i++) {
        status = make_buffer(&model->results[i], &results[i]);
    }
    if (!status) {
        status = shardc_execute_buffers(
            executable, buffers, (size_t)model->arg_count, results, (size_t)model->result_count);
    }
    for (int i = 0; !status && i < model->result_count; i++) {
        print_array("result", i, &model->results[i]);
        print_floats(results[i]);
    }
    return status;
}

int main(int argc, char **argv) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    shardc_buffer **buffers = NULL;
    int count = 0;
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status && argc > 1) {
        status = shardc_module_parse_file(context, argv[1], &module);
    } else if (!status) {
        status = shardc_module_parse(context, "product.mlir", program, strlen(program), &module);
    }
    if (!status) status = shardc_compile(module, NULL, &executable);
    if (!status) {
        const shardc_model *model = shardc_executable_model(executable);
        count = model->arg_count + model->result_count;
        buffers = calloc((size_t)count + 1, sizeof(shardc_buffer *));
        if (buffers) status = execute(executable, buffers);
    }
    int failed = status != NULL || !buffers;
    if (status) fputs(shardc_status_report(status), stderr);
    shardc_status_free(status);
    for (int i = 0; buffers && i < count; i++) {
        shardc_buffer_free(buffers[i]);
    }
    free(buffers);
    shardc_executable_free(executable);
    shardc_module_free(module);
    shardc_context_free(context);
    return failed;
}
