// optimize: LLVM's passes and objects, each kernel in a context of its own, kernels in parallel.
#include "codegen/target/optimize.h"

#include "codegen/emit/shared.h"
#include "codegen/target/prefetch_rows.h"
#include "codegen/target/scale_forms.h"
#include "codegen/target/stream_stores.h"
#include "codegen/target/whole_stores.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
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
// any program, takes about twice as long. SROA comes again at the end: where one vector holds a
// block of columns, the loops over the block are gone then, and its local arrays become registers.
#define CLEAN_UP(before_last)                                          \
    "function(sroa,early-cse<memssa>,simplifycfg,"                     \
    "instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"     \
    "instcombine<no-verify-fixpoint>,loop(loop-deletion)," before_last \
    "instcombine<no-verify-fixpoint>,simplifycfg,sroa)"

static bool run_passes(
    Arena *arena, LLVMModuleRef module, LLVMTargetMachineRef machine, const Target *target,
    const char **error) {
    const int optimize = target->optimize;
    static const char *const pipelines[] = {
        "default<O0>", "always-inline," CLEAN_UP(""), "always-inline," CLEAN_UP("loop-vectorize,"),
        "default<O3>"};
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
        whole_stores(module);
        if (target->isa == ISA_AVX512) scale_forms(module);
        return true;
    }
    char *message = LLVMGetErrorMessage(problem);
    *error = arena_cstring(arena, strview(message));
    LLVMDisposeErrorMessage(message);
    return false;
}

// PIPELINE grows with every change of what is done to modules.
void append_llvm_version(StrBuf *key) {
    enum { PIPELINE = 9 };
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    strbuf_printf(key, "%d LLVM %u.%u.%u ", PIPELINE, major, minor, patch);
}

// All that the object depends on.
static StrView object_key(Arena *arena, LLVMModuleRef module, const Target *target) {
    StrBuf key = strbuf(arena);
    strbuf_puts(&key, SHARDC_VERSION " ");
    append_llvm_version(&key);
    strbuf_printf(
        &key, "%s %s %s %d\n", target->triple, target->cpu,
        target->features ? target->features : "", target->optimize);
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

// A function that a kernel asked for.
typedef struct SharedJob {
    SharedFunction function;
    StrView output;
    struct SharedJob *next;
} SharedJob;

typedef struct Queue {
    const CompileOptions *options;
    int count;
    CompileJob *jobs;
    const int *order; // their numbers: products first
    int products;
    atomic_int done; // from -1, as `next`
    atomic_bool stop;
    pthread_mutex_t lock; // of what follows; nothing is allocated under it
    pthread_cond_t changed;
    int next;                  // from -1, which is the device program
    bool shares;               // several kernels may ask for the same function
    int emitting;              // kernels that may still ask for functions
    SharedJob *shared, **last; // in the order in which they were asked for
    SharedJob *waiting;        // the first one that nobody has taken
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

typedef struct Work {
    int job;           // -1: the device program
    SharedJob *shared; // NULL: the job
} Work;

static void dispose_context(void *context) { LLVMContextDispose(context); }

static void dispose_machine(void *machine) { LLVMDisposeTargetMachine(machine); }

static LLVMContextRef create_context(Arena *scratch) {
    LLVMContextRef context = LLVMContextCreate();
    arena_defer(scratch, dispose_context, context); // and what modules it still owns
    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    return context;
}

// Notes what a kernel asked for, and that it has: the functions that are new.
static void ask_for(Worker *worker, const SharedFunctions *asked) {
    Queue *queue = worker->queue;
    SharedJob *jobs = ARENA_ARRAY(worker->arena, SharedJob, asked->list.count);
    pthread_mutex_lock(&queue->lock);
    for (int64_t i = 0; i < asked->list.count; i++) {
        const SharedJob *known = queue->shared;
        while (known && strcmp(known->function.name, asked->list.data[i].name) != 0)
            known = known->next;
        if (known) continue;
        jobs[i].function = asked->list.data[i];
        *queue->last = &jobs[i];
        queue->last = &jobs[i].next;
        if (!queue->waiting) queue->waiting = &jobs[i];
    }
    queue->emitting--;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static bool compile_module(
    Worker *worker, LLVMModuleRef module, const Target *target, StrView *output,
    const char **error) {
    const CompileOptions *options = worker->queue->options;
    return module && optimize_module(
                         worker->arena, module, worker->machine, target, options->cache,
                         options->form, output, error);
}

static bool compile_kernel(
    Worker *worker, Arena *scratch, const CompileJob *job, StrView *output, const char **error) {
    const CompileOptions *options = worker->queue->options;
    SharedFunctions asked = {.arena = worker->arena};
    LLVMContextRef context = create_context(scratch);
    LLVMModuleRef module =
        job->loop ? options->emit_loop(options->entry_user, scratch, context, job, worker->diags)
                  : emit_kernel(
                        scratch, context, options->program, options->target, job->kernel, job->name,
                        worker->queue->shares ? &asked : NULL, worker->diags);
    ask_for(worker, &asked);
    return compile_module(worker, module, options->target, output, error);
}

// They are emitted as they are to be: LLVM's passes find nothing to do.
static bool compile_shared(Worker *worker, Arena *scratch, SharedJob *job, const char **error) {
    Target plain = *worker->queue->options->target;
    plain.optimize = 0; // of the passes; code is generated by the worker's machine
    LLVMModuleRef module =
        emit_shared_module(scratch, create_context(scratch), &plain, &job->function, worker->diags);
    return compile_module(worker, module, &plain, &job->output, error);
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

static bool compile_work(Worker *worker, Arena *scratch, Work work, const char **error) {
    const CompileOptions *options = worker->queue->options;
    if (!work.shared && work.job < 0)
        return compile_entry(worker, scratch, options->entry_output, error);
    if (!worker->machine) worker->machine = target_machine(options->target);
    if (!worker->machine) return false;
    if (work.shared) return compile_shared(worker, scratch, work.shared, error);
    CompileJob *job = &worker->queue->jobs[work.job];
    return compile_kernel(worker, scratch, job, &job->output, error);
}

static void stop(Queue *queue) {
    pthread_mutex_lock(&queue->lock);
    atomic_store(&queue->stop, true);
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static void compile_one(Worker *worker, Arena *scratch, Work work) {
    const CompileJob *job = work.shared || work.job < 0 ? NULL : &worker->queue->jobs[work.job];
    const Kernel *kernel = job ? job->kernel : NULL;
    const char *error = NULL;
    bool good = compile_work(worker, scratch, work, &error);
    if (error)
        diag_error(
            worker->diags, kernel ? kernel->loc : worker->queue->options->program->main->loc,
            "internal error: the code of '%s' is wrong: %s",
            kernel        ? kernel->name
            : job         ? job->name
            : work.shared ? work.shared->function.name
                          : "the program",
            error);
    if (!good) stop(worker->queue);
    arena_reset(scratch);
}

// Products, what they share, and the other kernels, which are small: so all workers end at about
// the same time. Waits while other workers' kernels may ask for more.
static bool take(Queue *queue, Work *work) {
    bool found = false;
    pthread_mutex_lock(&queue->lock);
    while (!found && !atomic_load(&queue->stop)) {
        if (queue->waiting && queue->next >= queue->products) {
            *work = (Work){.shared = queue->waiting};
            queue->waiting = queue->waiting->next;
            found = true;
        } else if (queue->next < queue->count) {
            int next = queue->next++;
            *work = (Work){.job = next < 0 ? next : queue->order[next]};
            queue->emitting += next >= 0;
            found = true;
        } else if (queue->emitting > 0) {
            pthread_cond_wait(&queue->changed, &queue->lock);
        } else {
            break;
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return found;
}

static void work_through(Worker *worker) {
    Queue *queue = worker->queue;
    Arena *scratch = arena_child(worker->arena);
    for (Work work; take(queue, &work);) {
        compile_one(worker, scratch, work);
        if (work.shared) continue;
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
        stop(worker->queue);
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

static int by_name(const void *a, const void *b) {
    const SharedJob *const *x = a, *const *y = b;
    return strcmp((*x)->function.name, (*y)->function.name);
}

// In an order that does not depend on the threads.
static void take_shared(Arena *arena, const Queue *queue, SharedOutputs *outputs) {
    VEC(SharedJob *) all = {0};
    for (SharedJob *job = queue->shared; job; job = job->next)
        vec_push(arena, &all, job);
    if (all.count > 0) qsort(all.data, (size_t)all.count, sizeof *all.data, by_name);
    for (int64_t i = 0; i < all.count; i++)
        vec_push(arena, outputs, arena_strview(arena, all.data[i]->output));
}

static void take_outputs(Arena *arena, const Queue *queue, SharedOutputs *shared) {
    for (int i = 0; i < queue->count; i++) {
        queue->jobs[i].output = arena_strview(arena, queue->jobs[i].output);
    }
    *queue->options->entry_output = arena_strview(arena, *queue->options->entry_output);
    take_shared(arena, queue, shared);
}

static bool is_product(const CompileJob *job) {
    if (!job->kernel) return false;
    KernelKind kind = job->kernel->kind;
    return kind == KERNEL_CONTRACT || kind == KERNEL_CONV || kind == KERNEL_ATTENTION;
}

// LLVM takes longest for products.
static void find_order(Arena *arena, Queue *queue) {
    int *order = ARENA_ARRAY(arena, int, queue->count), placed = 0;
    for (int i = 0; i < queue->count; i++) {
        if (is_product(&queue->jobs[i])) order[placed++] = i;
    }
    queue->products = placed;
    for (int i = 0; i < queue->count; i++) {
        if (!is_product(&queue->jobs[i])) order[placed++] = i;
    }
    queue->order = order;
}

static void prepare(Arena *arena, Queue *queue, Worker *workers, int count) {
    queue->last = &queue->shared;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    for (int i = 0; i < count; i++) {
        Worker *worker = &workers[i];
        worker->queue = queue;
        worker->is_main = i == 0;
        worker->arena = arena_child(arena);
        worker->diags = diags_create(worker->arena);
        arena_set_guard(
            worker->arena, &worker->guard); // from here on running out of memory is the worker's
    }
}

bool compile_jobs(
    Arena *arena, const CompileOptions *options, int count, CompileJob *jobs, SharedOutputs *shared,
    Diags *diags) {
    Queue queue = {.options = options, .count = count, .jobs = jobs, .next = -1, .done = -1};
    find_order(arena, &queue);
    // Also of one product: another worker compiles its micro-kernel meanwhile.
    queue.shares = queue.products > 0;
    int workers = worker_count(options, count + 1);
    Worker *all = ARENA_ARRAY(arena, Worker, workers);
    bool *started = ARENA_ARRAY(arena, bool, workers);
    prepare(arena, &queue, all, workers);
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
    pthread_mutex_destroy(&queue.lock);
    pthread_cond_destroy(&queue.changed);
    for (int i = 0; i < workers; i++) {
        diags_append(diags, all[i].diags);
    }
    take_outputs(arena, &queue, shared);
    for (int i = 0; i < workers; i++) {
        arena_reset(all[i].arena);
    }
    if (out_of_memory) arena_out_of_memory(arena);
    return !atomic_load(&queue.stop);
}
