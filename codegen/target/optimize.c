// optimize: LLVM's passes and objects, each kernel in a context of its own, kernels in parallel.
#include "codegen/target/optimize.h"

#include "codegen/emit/emit.h"
#include "codegen/target/prefetch_rows.h"
#include "codegen/target/scale_forms.h"
#include "codegen/target/stream_stores.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { WORKER_STACK = 16 << 20, WORKER_LIMIT = 64 };

static StrView buffer_text(Arena *arena, LLVMMemoryBufferRef buffer) {
    size_t size = LLVMGetBufferSize(buffer);
    void *copy = arena_copy(arena, LLVMGetBufferStart(buffer), size);
    LLVMDisposeMemoryBuffer(buffer);
    return (StrView){copy, size};
}

static bool failed(Arena *arena, char *message, const char **error) {
    *error = arena_cstring(arena, strview(message ? message : "LLVM failed"));
    if (message) LLVMDisposeMessage(message);
    return false;
}

// What emission leaves to LLVM: common subexpressions, code that does not depend on a loop, vectors
// of scalar loops. Emission simplifies what it knows itself, so LLVM's own list, which is made for
// any program, takes about twice as long.
#define CLEAN_UP(before_last)                                                      \
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>," \
    "loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,"     \
    "loop(indvars)," before_last "instcombine<no-verify-fixpoint>,simplifycfg)"

static bool run_passes(
    Arena *arena, LLVMModuleRef module, LLVMTargetMachineRef machine, const Target *target,
    const char **error) {
    const int optimize = target->optimize;
    static const char *const pipelines[] = {
        "default<O0>", CLEAN_UP(""), CLEAN_UP("loop-vectorize,"), "default<O3>"};
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, true);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, true);
    // Kernels are unrolled by those who emit them (and by the vectoriser); LLVM's own unrolling
    // multiplies code and compile time.
    LLVMPassBuilderOptionsSetLoopUnrolling(options, optimize >= 3);
    LLVMPassBuilderOptionsSetSLPVectorization(options, false);
    LLVMErrorRef problem = LLVMRunPasses(module, pipelines[optimize & 3], machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!problem) {
        stream_stores(module);
        prefetch_rows(module);
        if (target->isa == ISA_AVX512) scale_forms(module);
        return true;
    }
    char *message = LLVMGetErrorMessage(problem);
    *error = arena_cstring(arena, strview(message));
    LLVMDisposeErrorMessage(message);
    return false;
}

// All that the object depends on. PIPELINE grows with every change of what is done to modules.
static StrView object_key(Arena *arena, LLVMModuleRef module, const Target *target) {
    enum { PIPELINE = 3 };
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    StrBuf key = strbuf(arena);
    strbuf_printf(
        &key, "%s %d LLVM %u.%u.%u %s %s %s %d\n", SHARDC_VERSION, PIPELINE, major, minor, patch,
        target->triple, target->cpu, target->features ? target->features : "", target->optimize);
    LLVMMemoryBufferRef code = LLVMWriteBitcodeToMemoryBuffer(module);
    strbuf_append(&key, (StrView){LLVMGetBufferStart(code), LLVMGetBufferSize(code)});
    LLVMDisposeMemoryBuffer(code);
    return strbuf_view(&key);
}

static bool optimize_and_write(
    Arena *arena, LLVMModuleRef module, LLVMTargetMachineRef machine, const Target *target,
    OutputForm form, StrView *output, const char **error);

bool optimize_module(
    Arena *arena, LLVMModuleRef module, LLVMTargetMachineRef machine, const Target *target,
    ObjectCache *cache, OutputForm form, StrView *output, const char **error) {
    LLVMSetTarget(module, target->triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    if (!cache || form != OUTPUT_OBJECT)
        return optimize_and_write(arena, module, machine, target, form, output, error);
    StrView key = object_key(arena, module, target);
    if (object_cache_find(cache, arena, key, output)) return true;
    if (!optimize_and_write(arena, module, machine, target, form, output, error)) return false;
    object_cache_store(cache, key, *output);
    return true;
}

static bool optimize_and_write(
    Arena *arena, LLVMModuleRef module, LLVMTargetMachineRef machine, const Target *target,
    OutputForm form, StrView *output, const char **error) {
    char *message = NULL;
#ifdef SHARDC_CHECK_PASSES
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        return failed(arena, message, error);
    LLVMDisposeMessage(message);
    message = NULL;
#endif
    if (!run_passes(arena, module, machine, target, error)) return false;
    if (form == OUTPUT_LLVM) {
        char *text = LLVMPrintModuleToString(module);
        *output = arena_strview(arena, strview(text));
        LLVMDisposeMessage(text);
        return true;
    }
    LLVMMemoryBufferRef buffer;
    LLVMCodeGenFileType type = form == OUTPUT_ASM ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, &message, &buffer))
        return failed(arena, message, error);
    *output = buffer_text(arena, buffer);
    return true;
}

// Remarks and warnings of LLVM (a loop that it did not vectorise) are not for our users.
static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
    (void)info;
    (void)user;
}

// ---- workers

typedef struct Queue {
    const CompileOptions *options;
    int count;
    CompileJob *jobs;
    atomic_int next, done; // from -1, which is the device program
    atomic_bool stop;
} Queue;

typedef struct Worker {
    Queue *queue;
    Arena *arena; // outputs and diagnostics
    ArenaGuard guard;
    Diags *diags;
    LLVMTargetMachineRef machine; // for kernels, when the first one comes
    bool is_main, out_of_memory;
    pthread_t thread;
} Worker;

static void dispose_context(void *context) { LLVMContextDispose(context); }

static void dispose_machine(void *machine) { LLVMDisposeTargetMachine(machine); }

static LLVMContextRef create_context(Arena *scratch) {
    LLVMContextRef context = LLVMContextCreate();
    arena_defer(scratch, dispose_context, context); // and what modules it still owns
    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    return context;
}

static bool compile_kernel(
    Worker *worker, Arena *scratch, const CompileJob *job, StrView *output, const char **error) {
    const CompileOptions *options = worker->queue->options;
    if (!worker->machine) worker->machine = target_machine(options->target);
    if (!worker->machine) return false;
    LLVMModuleRef module = emit_kernel(
        scratch, create_context(scratch), options->program, options->target, job->kernel, job->name,
        worker->diags);
    return module && optimize_module(
                         worker->arena, module, worker->machine, options->target, options->cache,
                         options->form, output, error);
}

// The device program is calls and branches that run once per kernel: code without optimisation
// is as good, and made in no time.
static bool compile_entry(Worker *worker, Arena *scratch, StrView *output, const char **error) {
    const CompileOptions *options = worker->queue->options;
    Target plain = *options->target;
    plain.optimize = 0;
    LLVMTargetMachineRef machine = target_machine(&plain);
    if (!machine) return false;
    arena_defer(scratch, dispose_machine, machine);
    LLVMModuleRef module =
        options->emit_entry(options->entry_user, scratch, create_context(scratch));
    return optimize_module(
        worker->arena, module, machine, &plain, options->cache, options->form, output, error);
}

// Job -1 is the device program.
static void compile_one(Worker *worker, Arena *scratch, int i) {
    const CompileOptions *options = worker->queue->options;
    const CompileJob *job = i < 0 ? NULL : &worker->queue->jobs[i];
    StrView *output = job ? &worker->queue->jobs[i].output : options->entry_output;
    const char *error = NULL;
    bool good = job ? compile_kernel(worker, scratch, job, output, &error)
                    : compile_entry(worker, scratch, output, &error);
    if (error)
        diag_error(
            worker->diags, job ? job->kernel->loc : options->program->main->loc,
            "internal error: the code of '%s' is wrong: %s",
            job ? job->kernel->name : "the program", error);
    if (!good) atomic_store(&worker->queue->stop, true);
    arena_reset(scratch);
}

static void work_through(Worker *worker) {
    Queue *queue = worker->queue;
    Arena *scratch = arena_child(worker->arena);
    for (;;) {
        int i = atomic_fetch_add(&queue->next, 1);
        if (i >= queue->count || atomic_load(&queue->stop)) break;
        compile_one(worker, scratch, i);
        int done = atomic_fetch_add(&queue->done, 1) + 1;
        if (worker->is_main && queue->options->progress && done > 0) {
            queue->options->progress(queue->options->progress_user, "compile", done, queue->count);
        }
    }
}

static void *run_worker(void *argument) {
    Worker *worker = argument;
    if (setjmp(worker->guard.jump)) {
        worker->out_of_memory = true;
        atomic_store(&worker->queue->stop, true);
    } else {
        work_through(worker);
    }
    if (worker->machine) LLVMDisposeTargetMachine(worker->machine);
    return NULL;
}

static int worker_count(const CompileOptions *options, int count) {
    long threads = options->threads > 0 ? options->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > count) threads = count;
    if (threads > WORKER_LIMIT) threads = WORKER_LIMIT;
    return threads > 1 ? (int)threads : 1;
}

static bool start_worker(Worker *worker) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) return false;
    bool started = !pthread_attr_setstacksize(&attributes, WORKER_STACK) &&
                   !pthread_create(&worker->thread, &attributes, run_worker, worker);
    pthread_attr_destroy(&attributes);
    return started;
}

bool compile_jobs(
    Arena *arena, const CompileOptions *options, int count, CompileJob *jobs, Diags *diags) {
    Queue queue = {.options = options, .count = count, .jobs = jobs, .next = -1, .done = -1};
    int workers = worker_count(options, count + 1);
    Worker *all = ARENA_ARRAY(arena, Worker, workers);
    bool *started = ARENA_ARRAY(arena, bool, workers);
    for (int i = 0; i < workers; i++) {
        all[i].queue = &queue;
        all[i].is_main = i == 0;
        all[i].arena = arena_child(arena);
        all[i].diags = diags_create(all[i].arena);
        arena_set_guard(
            all[i].arena, &all[i].guard); // from here on running out of memory is the worker's
    }
    for (int i = 1; i < workers; i++) {
        started[i] = start_worker(&all[i]);
    }
    run_worker(&all[0]);
    bool out_of_memory = all[0].out_of_memory;
    for (int i = 1; i < workers; i++) {
        if (!started[i]) continue;
        pthread_join(all[i].thread, NULL);
        out_of_memory = out_of_memory || all[i].out_of_memory;
    }
    for (int i = 0; i < workers; i++) {
        diags_append(diags, all[i].diags);
    }
    for (int i = 0; i < count; i++) {
        jobs[i].output = arena_strview(arena, jobs[i].output);
    }
    *options->entry_output = arena_strview(arena, *options->entry_output);
    for (int i = 0; i < workers; i++) {
        arena_reset(all[i].arena);
    }
    if (out_of_memory) arena_out_of_memory(arena);
    return !atomic_load(&queue.stop);
}
