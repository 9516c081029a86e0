// A program that is linked with nothing of shardc: it opens a model.so, or libshardc.so, and does
// what hosts do. Run by tests/api/test_host.c.
//
//     host SCENARIO THREADS MODEL...
//
// Exit status 0: all was well; else a line on standard error says what was not.
//
// The models add 1 to 64 numbers and multiply by their sum, on several devices.
#define _GNU_SOURCE
#include "shardc/shardc.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 64 };

#define CHECK(condition, ...)                                                     \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "host: %s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                         \
            fputc('\n', stderr);                                                  \
            _exit(1);                                                             \
        }                                                                         \
    } while (0)

typedef struct Loaded {
    void *library;
    const shardc_model *model;
    shardc_model_instance *instance;
} Loaded;

static void nap(int milliseconds) {
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    (void)nanosleep(&time, NULL);
}

static void create(Loaded *loaded, int threads) {
    shardc_model_options options = {
        .struct_size = sizeof options, .threads = threads, .watchdog_seconds = 20};
    char error[512] = "";
    int status =
        loaded->model->create(loaded->model, &options, &loaded->instance, error, sizeof error);
    CHECK(status == SHARDC_MODEL_OK, "%s", error);
}

static Loaded load(const char *path, int threads) {
    Loaded loaded = {.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    CHECK(loaded.library, "%s", dlerror());
    const shardc_model *(*entry)(void) = NULL;
    void *symbol = dlsym(loaded.library, "shardc_model_entry");
    CHECK(symbol, "no entry in %s", path);
    memcpy(&entry, &symbol, sizeof entry);
    loaded.model = entry();
    create(&loaded, threads);
    return loaded;
}

// The status; a result that is wrong ends the program.
static int execute(const Loaded *loaded) {
    float in[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i % 7);
    float sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += in[i] + 1;
    const void *inputs[] = {in};
    void *outputs[] = {out};
    int status = loaded->model->execute(loaded->instance, inputs, outputs);
    for (int i = 0; i < COUNT && status == SHARDC_MODEL_OK; i++)
        CHECK(out[i] == (in[i] + 1) * sum, "element %d is %g", i, (double)out[i]);
    return status;
}

static void execute_often(const Loaded *loaded, int times) {
    for (int i = 0; i < times; i++) {
        int status = execute(loaded);
        CHECK(status == SHARDC_MODEL_OK, "%s", loaded->model->message(loaded->instance));
    }
}

static void unload(Loaded *loaded) {
    loaded->model->destroy(loaded->instance);
    CHECK(dlclose(loaded->library) == 0, "%s", dlerror());
    *loaded = (Loaded){0};
}

static int thread_count(const Loaded *loaded) {
    shardc_model_counters counters = {.struct_size = sizeof counters};
    loaded->model->counters(loaded->instance, &counters);
    return counters.threads;
}

typedef struct Request {
    int threads, count;
    char **paths;
    Loaded *loaded;
    atomic_bool began, ends;
} Request;

// ---- scenarios

static void run(Request *request) {
    Loaded loaded = load(request->paths[0], request->threads);
    execute_often(&loaded, 50);
    printf("%d\n", thread_count(&loaded));
    unload(&loaded);
}

// Threads that a model left behind would wake up in code that is not there any more.
static void *close_models(void *argument) {
    const Request *request = argument;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < request->count; i++) {
            Loaded loaded = load(request->paths[i], request->threads);
            execute_often(&loaded, 5);
            unload(&loaded);
            nap(round % 2 ? 30 : 0);
        }
    }
    enum { MOST = 8 };
    Loaded all[MOST];
    for (int i = 0; i < request->count && i < MOST; i++) {
        all[i] = load(request->paths[i], request->threads);
        execute_often(&all[i], 5);
    }
    for (int i = 0; i < request->count && i < MOST; i++)
        unload(&all[i]);
    nap(30);
    return NULL;
}

static void close_here(Request *request) { (void)close_models(request); }

static void close_in_thread(Request *request) {
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&thread, NULL, close_models, request) == 0, "no thread");
        pthread_join(thread, NULL);
    }
}

// Runs in a child that must end soon.
static void in_child(void (*act)(Loaded *loaded, int threads), Loaded *loaded, int threads) {
    pid_t child = fork();
    CHECK(child >= 0, "fork: %d", errno);
    if (child == 0) {
        alarm(60);
        act(loaded, threads);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid: %d", errno);
    CHECK(status == 0, "the child ended with %d", status);
}

static void execute_both(Loaded *loaded, int threads) {
    execute_often(loaded, 5); // the parent's
    Loaded own = *loaded;
    create(&own, threads);
    execute_often(&own, 5);
    own.model->destroy(own.instance);
    execute_often(loaded, 5);
}

static void execute_and_fork(Loaded *loaded, int threads) {
    execute_both(loaded, threads);
    in_child(execute_both, loaded, threads); // a grandchild
    execute_both(loaded, threads);
}

static void fork_children(Request *request) {
    Loaded loaded = load(request->paths[0], request->threads);
    for (int i = 0; i < 3; i++) {
        execute_often(&loaded, 5);
        in_child(execute_and_fork, &loaded, request->threads);
    }
    execute_often(&loaded, 5);
    unload(&loaded);
}

static void *execute_on(void *argument) {
    Request *request = argument;
    while (!atomic_load(&request->ends)) {
        execute_often(request->loaded, 1);
        atomic_store(&request->began, true);
    }
    return NULL;
}

static void execute_or_say_why(Loaded *loaded, int threads) {
    int status = execute(loaded);
    if (status != SHARDC_MODEL_OK) {
        const char *message = loaded->model->message(loaded->instance);
        CHECK(status == SHARDC_MODEL_FAILED && strstr(message, "forked"), "%s", message);
    }
    Loaded own = *loaded;
    create(&own, threads);
    execute_often(&own, 5);
}

// While another thread executes.
static void fork_in_the_middle(Request *request) {
    Loaded loaded = load(request->paths[0], request->threads);
    request->loaded = &loaded;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, execute_on, request) == 0, "no thread");
#if defined(__SANITIZE_ADDRESS__)
    // Its allocator's locks are not forked with care: no thread may be in it, as when it is made.
    while (!atomic_load(&request->began))
        nap(1);
#endif
    for (int i = 0; i < 20; i++)
        in_child(execute_or_say_why, &loaded, request->threads);
    atomic_store(&request->ends, true);
    pthread_join(thread, NULL);
    unload(&loaded);
}

// The user may have no more threads than there are. (Root may have all it wants.)
static void limit_threads(rlim_t count) {
    const uid_t nobody = 65534;
    if (geteuid() == 0) CHECK(setgid(nobody) == 0 && setuid(nobody) == 0, "%d", errno);
    const struct rlimit limit = {count, count};
    CHECK(setrlimit(RLIMIT_NPROC, &limit) == 0, "%d", errno);
}

static void run_without_threads(Request *request) {
    Loaded loaded = load(request->paths[0], 1);
    loaded.model->destroy(loaded.instance);
    limit_threads(1);
    create(&loaded, request->threads);
    execute_often(&loaded, 50);
    CHECK(thread_count(&loaded) == 1, "%d threads", thread_count(&loaded));
    unload(&loaded);
}

// Some of the threads that are asked for.
static void run_with_few_threads(Request *request) {
    Loaded loaded = load(request->paths[0], 1);
    loaded.model->destroy(loaded.instance);
    limit_threads(5);
    create(&loaded, request->threads);
    execute_often(&loaded, 50);
    CHECK(thread_count(&loaded) < 5, "%d threads", thread_count(&loaded));
    unload(&loaded);
}

// Address space for one or two stacks.
static void run_without_memory(Request *request) {
    Loaded loaded = load(request->paths[0], 1);
    loaded.model->destroy(loaded.instance);
    const struct rlimit limit = {(rlim_t)96 << 20, (rlim_t)96 << 20};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "%d", errno);
    create(&loaded, request->threads);
    execute_often(&loaded, 50);
    printf("%d\n", thread_count(&loaded));
    unload(&loaded);
}

#define FIND(library, name)                            \
    do {                                               \
        void *found = dlsym(library, "shardc_" #name); \
        CHECK(found, "no shardc_" #name);              \
        memcpy(&(name), &found, sizeof found);         \
    } while (0)

static void open_library(const char *path, const char *program, int threads) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(library, "%s", dlerror());
    __typeof__(shardc_context_create) *context_create = NULL;
    __typeof__(shardc_context_free) *context_free = NULL;
    __typeof__(shardc_module_parse_file) *module_parse_file = NULL;
    __typeof__(shardc_module_free) *module_free = NULL;
    __typeof__(shardc_compile) *compile = NULL;
    __typeof__(shardc_executable_free) *executable_free = NULL;
    FIND(library, context_create);
    FIND(library, context_free);
    FIND(library, module_parse_file);
    FIND(library, module_free);
    FIND(library, compile);
    FIND(library, executable_free);
    __typeof__(shardc_execute) *run_once = NULL;
    void *found = dlsym(library, "shardc_execute");
    CHECK(found, "no shardc_execute");
    memcpy(&run_once, &found, sizeof found);
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    CHECK(!context_create(NULL, &context), "context");
    CHECK(!module_parse_file(context, program, &module), "%s", program);
    shardc_options options = {.struct_size = sizeof options, .threads = threads};
    CHECK(!compile(module, &options, &executable), "compile");
    module_free(module);
    context_free(context);
    float in[COUNT] = {0}, out[COUNT];
    const void *inputs[] = {in};
    void *outputs[] = {out};
    for (int i = 0; i < 5; i++)
        CHECK(!run_once(executable, inputs, outputs) && out[0] == COUNT, "execute");
    executable_free(executable);
    CHECK(dlclose(library) == 0, "%s", dlerror());
    nap(30);
}

// libshardc itself, opened, used and closed: paths[0] is the library, paths[1] a program.
static void close_library(Request *request) {
    CHECK(request->count == 2, "a library and a program");
    for (int i = 0; i < 4; i++)
        open_library(request->paths[0], request->paths[1], request->threads);
}

#ifdef _OPENMP
#    include <omp.h>

// Inside of the host's own regions, each of its threads with an instance of its own.
static void run_in_parallel(Request *request) {
    for (int levels = 1; levels <= 3; levels++) {
        omp_set_max_active_levels(levels);
#    pragma omp parallel num_threads(4) default(none) shared(request)
        {
            Loaded loaded = load(request->paths[0], request->threads);
            execute_often(&loaded, 20);
#    pragma omp parallel num_threads(2) default(none) shared(request)
            {
                Loaded inner = load(request->paths[0], request->threads);
                execute_often(&inner, 5);
                unload(&inner);
            }
            execute_often(&loaded, 20);
            unload(&loaded);
        }
    }
    Loaded loaded = load(request->paths[0], request->threads);
#    pragma omp parallel num_threads(4) default(none) shared(loaded)
    execute_often(&loaded, 20); // takes turns
    unload(&loaded);
}
#endif

int main(int count, char **arguments) {
    CHECK(count >= 4, "usage: host SCENARIO THREADS MODEL...");
    alarm(100);
    const char *scenario = arguments[1];
    Request request = {.threads = atoi(arguments[2]), .count = count - 3, .paths = arguments + 3};
    static const struct {
        const char *name;
        void (*act)(Request *request);
    } scenarios[] = {
        {"run", run},
        {"close", close_here},
        {"close-in-thread", close_in_thread},
        {"library", close_library},
        {"fork", fork_children},
        {"fork-in-the-middle", fork_in_the_middle},
        {"no-threads", run_without_threads},
        {"few-threads", run_with_few_threads},
        {"no-memory", run_without_memory},
#ifdef _OPENMP
        {"parallel", run_in_parallel},
#endif
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (strcmp(scenario, scenarios[i].name) != 0) continue;
        scenarios[i].act(&request);
        return 0;
    }
    CHECK(0, "no scenario %s", scenario);
    return 0;
}
