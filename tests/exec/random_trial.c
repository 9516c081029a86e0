// random_trial: the evaluator's results against native ones, in memory and from files, and the
// parts that tell which layer is wrong.
#define _GNU_SOURCE // mkdtemp
#include "random_trial.h"

#include "shardc/shardc.h"

#include "base/diag.h"
#include "frontend/frontend.h"
#include "ir/eval/eval.h"
#include "ir/pass/passes.h"
#include "ir/scalar/scalar.h"
#include "partition/partition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD_BYTES = 64 };

typedef struct Trial {
    Arena *arena;
    ArenaGuard guard;
    const RandomProgram *program;
    const char *text;
    Finding *finding;
    int argument_count;
    int arguments[MAX_VALUES]; // values
    void *inputs[MAX_VALUES];
    const void *expected[MAX_PROGRAM_RESULTS];
    int64_t device_count;
} Trial;

static void say(Trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(Trial *trial, const char *format, ...) {
    size_t used = strlen(trial->finding->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trial->finding->text + used, sizeof trial->finding->text - used, format, arguments);
    va_end(arguments);
}

static size_t value_bytes(const RandomValue *value) {
    return (size_t)shape_count(&value->shape) * element_bytes(value->shape.kind);
}

static void *guarded(Trial *trial, size_t bytes) {
    char *data = arena_alloc_aligned(trial->arena, bytes + GUARD_BYTES, 64);
    memset(data, 0x5a, bytes + GUARD_BYTES);
    return data;
}

static bool guard_holds(const void *data, size_t bytes) {
    const unsigned char *guard = (const unsigned char *)data + bytes;
    for (int i = 0; i < GUARD_BYTES; i++) {
        if (guard[i] != 0x5a) return false;
    }
    return true;
}

// ---- comparing

// How far apart two numbers may lie.
static double allowed_error(const RandomValue *value, double expected) {
    double eps = kind_epsilon(value->shape.kind);
    if (value->bounds.relative > 0)
        return value->bounds.relative * eps * (fabs(expected) + 1) + 0x1p-126;
    return 2 * value->bounds.error;
}

static bool is_close(const RandomValue *value, double got, double expected, double allowed) {
    if (isnan(got) || isnan(expected)) return isnan(got) && isnan(expected);
    if (got == expected) {
        bool is_strict =
            value->bounds.relative == 0 && value->bounds.error == 0 && !value->bounds.loose_zero;
        return got != 0 || !is_strict || signbit(got) == signbit(expected);
    }
    return fabs(got - expected) <= allowed;
}

// Number of elements that differ by more than the value allows; says where the first one is.
static int64_t differences(
    Trial *trial, int result, const void *got, const void *expected, const char *what) {
    const RandomValue *value = &trial->program->values[trial->program->results[result]];
    ElementType kind = value->shape.kind;
    int64_t count = shape_count(&value->shape), wrong = 0;
    for (int64_t i = 0; i < count; i++) {
        double _Complex x = 0, y = 0;
        int64_t p = 0, q = 0;
        bool is_equal = false;
        const char *at = (const char *)got + (size_t)i * element_bytes(kind),
                   *right = (const char *)expected + (size_t)i * element_bytes(kind);
        if (kind_is_float(kind)) {
            scalar_load_complex(kind, at, 1, 1, &x);
            scalar_load_complex(kind, right, 1, 1, &y);
            double allowed = allowed_error(value, kind_is_complex(kind) ? cabs(y) : creal(y));
            is_equal = is_close(value, creal(x), creal(y), allowed) &&
                       is_close(value, cimag(x), cimag(y), allowed);
        } else {
            scalar_load_int(kind, at, 1, 1, &p);
            scalar_load_int(kind, right, 1, 1, &q);
            is_equal = p == q;
        }
        if (is_equal || wrong++ > 0) continue;
        say(trial, "%s: result %d (%%v%d), element %lld of %lld: ", what, result,
            trial->program->results[result], (long long)i, (long long)count);
        if (kind_is_float(kind)) {
            say(trial, "got (%.17g, %.17g), expected (%.17g, %.17g), allowed error %.3g\n",
                creal(x), cimag(x), creal(y), cimag(y), allowed_error(value, cabs(y)));
        } else {
            say(trial, "got %lld, expected %lld\n", (long long)p, (long long)q);
        }
    }
    return wrong;
}

// ---- the evaluator

static Module *read_program(Trial *trial, Diags **diags) {
    Context *context = context_create(trial->arena);
    *diags = diags_create(trial->arena);
    (*diags)->file = SV("random.mlir");
    (*diags)->text = strview(trial->text);
    ReadOptions options = {.file = SV("random.mlir")};
    return frontend_read(context, trial->arena, strview(trial->text), &options, *diags);
}

static int report(Trial *trial, const char *who, const Diags *diags) {
    StrBuf out = strbuf(trial->arena);
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        diag_print(&out, diags, diag);
    }
    say(trial, "%s: %.600s", who, strbuf_cstring(&out));
    return diags->has_unsupported ? EXIT_SKIPPED : EXIT_INVALID;
}

static bool evaluate_module(Trial *trial, Module *module, Tensor **results, Diags *diags) {
    Op *func = module_find_func(module, SV("main"));
    const Tensor *inputs[MAX_VALUES];
    for (int i = 0; i < trial->argument_count; i++) {
        Tensor *tensor = ARENA_NEW(trial->arena, Tensor);
        *tensor = (Tensor){.type = func_body(func)->args[i]->type, .data = trial->inputs[i]};
        inputs[i] = tensor;
    }
    EvalOptions options = {0};
    EvalChecks checks = {0};
    return eval_function(trial->arena, module, func, inputs, results, &options, &checks, diags);
}

static int evaluate(Trial *trial) {
    Diags *diags = NULL;
    Module *module = read_program(trial, &diags);
    if (!module) return report(trial, "reader", diags);
    Tensor *results[MAX_PROGRAM_RESULTS];
    if (!evaluate_module(trial, module, results, diags)) return report(trial, "evaluator", diags);
    for (int r = 0; r < trial->program->result_count; r++) {
        trial->expected[r] = results[r]->data;
    }
    return EXIT_SAME;
}

// ---- the partitioned program, by the evaluator: tells a wrong partition from wrong code

// Copies one device's tile of a whole array, or back; what lies beyond the array is zero.
static void copy_tile(
    const GlobalLayout *layout, int64_t device, char *whole, char *tile, bool to_tile) {
    size_t size = element_bytes(layout->global->element);
    int rank = layout->global->rank;
    int64_t count = type_element_count(layout->local), index[MAX_RANK] = {0};
    for (int64_t i = 0; i < count; i++) {
        int64_t offset = 0;
        bool is_inside = true;
        for (int d = 0; d < rank; d++) {
            int64_t at = layout_offset(layout, device, d) + index[d];
            is_inside = is_inside && at < layout->global->dims[d];
            offset = offset * layout->global->dims[d] + at;
        }
        if (is_inside && to_tile)
            memcpy(tile + (size_t)i * size, whole + (size_t)offset * size, size);
        if (is_inside && !to_tile)
            memcpy(whole + (size_t)offset * size, tile + (size_t)i * size, size);
        for (int d = rank - 1; d >= 0 && ++index[d] == layout->local->dims[d]; d--) {
            index[d] = 0;
        }
    }
}

// Runs one device's program on all devices: the number of results that are
// wrong, -1 when it does not run.
static int64_t run_on_devices(Trial *trial, const DeviceProgram *program, const char *what) {
    int64_t devices = program->device_count;
    int args = program->arg_count, count = program->result_count;
    const Tensor **inputs = ARENA_ARRAY(trial->arena, const Tensor *, devices *args + 1);
    Tensor **results = ARENA_ARRAY(trial->arena, Tensor *, devices * count + 1);
    for (int64_t device = 0; device < devices; device++) {
        for (int i = 0; i < args; i++) {
            Tensor *tile = tensor_create(trial->arena, program->args[i].local);
            copy_tile(&program->args[i], device, trial->inputs[i], tile->data, true);
            inputs[device * args + i] = tile;
        }
    }
    EvalOptions limits = {.device_count = devices};
    Diags *diags = diags_create(trial->arena);
    if (!eval_devices(
            trial->arena, program->module, program->main, devices, inputs, results, &limits,
            diags)) {
        report(trial, "evaluator on devices", diags);
        return -1;
    }
    int64_t wrong = 0;
    for (int r = 0; r < count; r++) {
        char *whole = guarded(trial, type_bytes(program->results[r].global));
        for (int64_t device = devices - 1; device >= 0;
             device--) { // of equal tiles the first one's
            copy_tile(
                &program->results[r], device, whole, results[device * count + r]->data, false);
        }
        wrong += differences(trial, r, whole, trial->expected[r], what);
    }
    return wrong;
}

static void check_partition(Trial *trial) {
    Diags *diags = NULL;
    DeviceProgram program;
    Module *module = read_program(trial, &diags);
    PartitionOptions options = {0};
    if (!module || !partition_module(module, &options, &program, diags)) {
        report(trial, "partition", diags);
        return;
    }
    int64_t wrong = run_on_devices(trial, &program, "partitioned program");
    if (wrong < 0) return;
    say(trial, wrong ? "=> the partitioned program is wrong already\n"
                     : "=> the partitioned program is right: look at the code generator\n");
}

// ---- Shardy's passes: padded so that every value divides, whole and on devices

static bool pad_program(Trial *trial, Module *module, Diags *diags) {
    static const Pass *const passes[] = {
        &separate_unreduced_pass, &insert_reshards_pass, &resolve_permutation_factors_pass,
        &reshard_to_collectives_pass, &pad_for_divisibility_pass};
    PassContext context = {.module = module, .scratch = arena_child(trial->arena), .diags = diags};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        if (pass_run(passes[i], &context) == PASS_FAILED) return false;
    }
    return true;
}

static int check_padding(Trial *trial) {
    Diags *diags = NULL;
    Module *module = read_program(trial, &diags);
    PartitionOptions options = {.only_propagate = true};
    DeviceProgram program;
    if (!module || !partition_module(module, &options, &program, diags) ||
        !pad_program(trial, module, diags)) {
        int code = report(trial, "padding", diags);
        return code == EXIT_SKIPPED ? code : EXIT_REFUSED;
    }
    Tensor *results[MAX_PROGRAM_RESULTS];
    if (!evaluate_module(trial, module, results, diags)) {
        report(trial, "evaluator of the padded program", diags);
        return EXIT_WRONG;
    }
    int64_t wrong = 0;
    for (int r = 0; r < trial->program->result_count; r++) {
        wrong += differences(trial, r, results[r]->data, trial->expected[r], "padded program");
    }
    PassContext context = {
        .module = module,
        .scratch = arena_child(trial->arena),
        .diags = diags,
        .program = &program};
    if (wrong) return EXIT_WRONG;
    if (pass_run(&to_local_pass, &context) == PASS_FAILED) {
        int code = report(trial, "padding", diags);
        return code == EXIT_SKIPPED ? code : EXIT_REFUSED;
    }
    return run_on_devices(trial, &program, "padded program on devices") ? EXIT_WRONG : EXIT_SAME;
}

// ---- native

static int report_status(Trial *trial, shardc_status *status) {
    say(trial, "native: %.700s", shardc_status_report(status));
    int code = shardc_status_code(status) == SHARDC_UNSUPPORTED ? EXIT_SKIPPED : EXIT_REFUSED;
    shardc_status_free(status);
    return code;
}

// How a program is compiled and run.
typedef enum Form {
    IN_MEMORY,
    LIBRARY, // a shared library that is loaded
    // one library for each device, run one after the other: only without communication between
    // devices
    PER_DEVICE
} Form;

typedef struct Run {
    Form form;
    int threads;
    bool reference;  // plain loops
    bool keeps;      // all arguments that are not donated are constant, in two executions
    const char *cpu; // NULL: this machine's
} Run;

// Now and then the vectors of other CPUs of this kind.
static const char *other_cpu(uint64_t seed) {
#ifdef __x86_64__
    if (seed % 7 == 3)
        return seed % 2 || !__builtin_cpu_supports("avx2") ? "x86-64-v2" : "x86-64-v3";
#else
    (void)seed;
#endif
    return NULL;
}

// Arrays for the results, with guards behind them.
static void make_outputs(Trial *trial, void **outputs) {
    const RandomProgram *program = trial->program;
    for (int r = 0; r < program->result_count; r++) {
        outputs[r] = guarded(trial, value_bytes(&program->values[program->results[r]]));
    }
}

static int check_outputs(Trial *trial, void *const *outputs) {
    const RandomProgram *program = trial->program;
    int64_t wrong = 0;
    for (int r = 0; r < program->result_count; r++) {
        size_t bytes = value_bytes(&program->values[program->results[r]]);
        wrong += differences(trial, r, outputs[r], trial->expected[r], "native");
        if (!guard_holds(outputs[r], bytes)) {
            say(trial, "native: wrote beyond result %d\n", r);
            wrong++;
        }
    }
    return wrong ? EXIT_WRONG : EXIT_SAME;
}

static int execute(
    Trial *trial, shardc_executable *executable, const Run *run, void *const *outputs) {
    const shardc_model *model = shardc_executable_model(executable);
    const RandomProgram *program = trial->program;
    const void *inputs[MAX_VALUES];
    if (model->arg_count != trial->argument_count || model->result_count != program->result_count) {
        say(trial, "native: %d inputs and %d outputs\n", model->arg_count, model->result_count);
        return EXIT_WRONG;
    }
    for (int i = 0; i < trial->argument_count; i++) {
        size_t bytes = value_bytes(&program->values[trial->arguments[i]]);
        int alias = model->args[i].alias;
        void *input = guarded(trial, bytes);
        bool is_donated = alias >= 0 && program->seed % 4 != 0 && run->form != PER_DEVICE;
        if (is_donated) input = outputs[alias];
        memcpy(input, trial->inputs[i], bytes);
        inputs[i] = input;
    }
    shardc_status *status = shardc_execute(executable, inputs, outputs);
    if (status) return report_status(trial, status);
    for (int i = 0; i < trial->argument_count; i++) {
        size_t bytes = value_bytes(&program->values[trial->arguments[i]]);
        bool is_shared = model->args[i].alias >= 0 && inputs[i] == outputs[model->args[i].alias];
        if (is_shared || memcmp(inputs[i], trial->inputs[i], bytes) == 0) continue;
        say(trial, "native: changed input %d\n", i);
        return EXIT_WRONG;
    }
    return EXIT_SAME;
}

// Loads a library, runs it and deletes the file.
static int run_library(
    Trial *trial, const char *path, const shardc_options *options, const Run *run,
    void *const *outputs) {
    shardc_executable *executable = NULL;
    shardc_status *status = shardc_executable_load(path, options, &executable);
    int code = status ? report_status(trial, status) : execute(trial, executable, run, outputs);
    shardc_executable_free(executable);
    unlink(path);
    return code;
}

static int run_files(
    Trial *trial, shardc_module *module, const shardc_options *options, const Run *run,
    void *const *outputs) {
    char folder[] = "/tmp/random_programs.XXXXXX";
    if (!mkdtemp(folder)) return EXIT_SKIPPED;
    const char *path = arena_printf(trial->arena, "%s/model.so", folder);
    bool per_device = run->form == PER_DEVICE;
    shardc_status *status = shardc_compile_to_file(
        module, options, per_device ? SHARDC_EMIT_PER_SHARD : SHARDC_EMIT_SO, path);
    int code = EXIT_SAME;
    if (status) {
        code = report_status(trial, status);
    } else if (!per_device) {
        code = run_library(trial, path, options, run, outputs);
    }
    for (int64_t device = 0; per_device && device < trial->device_count; device++) {
        const char *part = arena_printf(trial->arena, "%s/model.%lld", folder, (long long)device);
        const char *library = arena_printf(trial->arena, "%s.so", part);
        if (!code) code = run_library(trial, library, options, run, outputs);
        unlink(library);
        unlink(arena_printf(trial->arena, "%s.h", part));
    }
    unlink(arena_printf(trial->arena, "%s/model.h", folder));
    rmdir(folder);
    return code;
}

static int run_native(Trial *trial, const Run *run, void **outputs) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    shardc_options options;
    shardc_options_init(&options);
    options.threads = run->threads;
    options.compile_threads = 1;
    options.reference_kernels = run->reference;
    options.constant_arguments = run->keeps ? "all" : NULL;
    options.target_cpu = run->cpu;
    options.watchdog_seconds = 90;
    make_outputs(trial, outputs);
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status)
        status =
            shardc_module_parse(context, "random.mlir", trial->text, strlen(trial->text), &module);
    if (!status && run->form == IN_MEMORY) status = shardc_compile(module, &options, &executable);
    int code = EXIT_SAME;
    if (status) {
        code = report_status(trial, status);
    } else if (executable) {
        trial->device_count = shardc_executable_model(executable)->device_count;
        for (int i = 0; i <= run->keeps && !code; i++)
            code = execute(trial, executable, run, outputs);
    } else {
        code = run_files(trial, module, &options, run, outputs);
    }
    if (!code) code = check_outputs(trial, outputs);
    shardc_executable_free(executable);
    shardc_module_free(module);
    shardc_context_free(context);
    return code;
}

// Another number of threads, or a library: the same bits.
static int check_same_bits(Trial *trial, const Run *run, void *const *outputs, const char *what) {
    void *again[MAX_PROGRAM_RESULTS];
    const RandomProgram *program = trial->program;
    int code = run_native(trial, run, again);
    if (run->form == PER_DEVICE && strstr(trial->finding->text, "communicate"))
        return EXIT_SAME; // told, not run
    if (code) say(trial, "=> %s\n", what);
    for (int r = 0; !code && r < program->result_count; r++) {
        size_t bytes = value_bytes(&program->values[program->results[r]]);
        if (memcmp(outputs[r], again[r], bytes) == 0) continue;
        say(trial, "native: result %d has other bits %s\n", r, what);
        code = EXIT_WRONG;
    }
    return code;
}

// Near the evaluator: where kept panels change what is fused with a product, sums around it
// may run in another order.
static int check_constant(Trial *trial, Run *run) {
    void *again[MAX_PROGRAM_RESULTS];
    run->keeps = true;
    int code = run_native(trial, run, again);
    if (code) say(trial, "=> with constant arguments\n");
    return code;
}

// ---- one program

static int run_trial(Trial *trial) {
    const RandomProgram *program = trial->program;
    bool is_live[MAX_VALUES];
    random_program_live(program, is_live);
    for (int i = 0; i < program->value_count; i++) {
        if (!program->values[i].is_argument || !is_live[i]) continue;
        void *data = guarded(trial, value_bytes(&program->values[i]));
        random_program_fill(program, i, data);
        trial->arguments[trial->argument_count] = i;
        trial->inputs[trial->argument_count++] = data;
    }
    int code = evaluate(trial);
    if (!code && program->seed % 4 == 2) code = check_padding(trial);
    if (code) return code;
    void *outputs[MAX_PROGRAM_RESULTS];
    uint64_t seed = program->seed;
    Run run = {.threads = 1 + (int)(seed % 3), .reference = seed % 11 == 0, .cpu = other_cpu(seed)};
    code = run_native(trial, &run, outputs);
    if (code && run.cpu) say(trial, "=> compiled for %s\n", run.cpu);
    if (code == EXIT_WRONG) check_partition(trial);
    if (code || run.reference) return code;
    switch (seed % 16) {
    case 0:
    case 8: run.threads++; return check_same_bits(trial, &run, outputs, "with one thread more");
    case 5: run.form = LIBRARY; return check_same_bits(trial, &run, outputs, "as a library");
    case 2:
    case 9:
        return check_constant(trial, &run);
    case 13:
        run.form = PER_DEVICE;
        return check_same_bits(trial, &run, outputs, "as a library per device");
    default: return EXIT_SAME;
    }
}

int run_program(Arena *arena, const RandomProgram *program, Finding *finding) {
    Trial *trial = ARENA_NEW(arena, Trial);
    trial->arena = arena;
    trial->program = program;
    trial->finding = finding;
    trial->text = random_program_text(arena, program);
    if (setjmp(trial->guard.jump)) {
        say(trial, "out of memory\n");
        return EXIT_REFUSED;
    }
    arena_set_guard(arena, &trial->guard);
    return run_trial(trial);
}
