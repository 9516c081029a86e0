// What hosts do to models and to libshardc: threads, forks, limits, environments. Each scenario is
// a process of its own (tests/host/host.c).
#define _GNU_SOURCE
#include "api_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { MODELS = 3 };

// Four devices; element i of the result: (x[i] + 1) * the sum of all x + 1.
static const char program[] =
    "module @host {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func @main(%a: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>})\n"
    "      -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) {\n"
    "    %one = stablehlo.constant dense<1.0> : tensor<64xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %0 = stablehlo.add %a, %one : tensor<64xf32>\n"
    "    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]\n"
    "        : (tensor<64xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<64xf32>\n"
    "    %3 = stablehlo.multiply %0, %2 : tensor<64xf32>\n"
    "    return %3 : tensor<64xf32>\n"
    "  }\n"
    "}\n";

static char models[MODELS][512];

static int make_models(void **state) {
    (void)state;
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", program, strlen(program), &module));
    for (int i = 0; i < MODELS; i++) {
        char name[32];
        snprintf(name, sizeof name, "model%d.so", i);
        snprintf(models[i], sizeof models[i], "%s", scratch(name));
        succeeds(shardc_compile_to_file(module, NULL, SHARDC_EMIT_SO, models[i]));
    }
    shardc_module_free(module);
    shardc_context_free(context);
    return 0;
}

// The folder of this program, and the build's.
static void folder_of(char *path, size_t size, int up) {
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    assert_true(length > 0);
    path[length] = 0;
    for (int i = 0; i <= up; i++) {
        char *slash = strrchr(path, '/');
        assert_non_null(slash);
        *slash = 0;
    }
}

typedef struct Host {
    const char *scenario;
    int threads;
    const char *setting; // "NAME=VALUE" for its environment, or NULL
    rlim_t stack;        // bytes; 0 = as it is
    bool has_openmp;     // the host itself is compiled with OpenMP
    const char *paths[MODELS];
} Host;

static void become(const Host *host, const char *path, int output) {
    char threads[16];
    snprintf(threads, sizeof threads, "%d", host->threads);
    // Leaks are found by other tests; here threads or memory may be missing.
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    if (host->setting) putenv((char *)(uintptr_t)host->setting);
    const struct rlimit stack = {host->stack, host->stack};
    if (host->stack) setrlimit(RLIMIT_STACK, &stack);
    dup2(output, 1);
    execl(
        path, path, host->scenario, threads, host->paths[0], host->paths[1], host->paths[2],
        (char *)NULL);
    _exit(99);
}

// Runs the scenario, which must succeed; returns the number that it wrote, if any.
static int run_host(const Host *host) {
    char path[PATH_MAX], output[64] = "";
    folder_of(path, sizeof path - 32, 0);
    strcat(path, host->has_openmp ? "/test_host_openmp" : "/test_host_plain");
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) become(host, path, pipes[1]);
    close(pipes[1]);
    ssize_t size = read(pipes[0], output, sizeof output - 1);
    close(pipes[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    if (status) {
        print_error(
            "%s with %d threads, %s: status %d\n", host->scenario, host->threads,
            host->setting ? host->setting : "", status);
    }
    assert_int_equal(status, 0);
    return size > 0 ? atoi(output) : 0;
}

static int run_scenario(const char *scenario, int threads) {
    Host host = {
        .scenario = scenario, .threads = threads, .paths = {models[0], models[1], models[2]}};
    return run_host(&host);
}

static void models_may_be_closed_after_use(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        run_scenario("close", threads);
        run_scenario("close-in-thread", threads);
    }
}

static void the_library_may_be_closed_after_use(void **state) {
    (void)state;
    char library[PATH_MAX], text[512];
    folder_of(library, sizeof library - 32, 1);
    strcat(library, "/libshardc.so");
    snprintf(text, sizeof text, "%s", scratch("host.mlir"));
    FILE *file = fopen(text, "w");
    assert_non_null(file);
    assert_true(fputs(program, file) >= 0 && fclose(file) == 0);
    Host host = {.scenario = "library", .threads = 2, .paths = {library, text}};
    run_host(&host);
}

static void children_of_forks_execute(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        run_scenario("fork", threads);
        run_scenario("fork-in-the-middle", threads);
    }
}

static void hosts_without_threads_or_memory_survive(void **state) {
    (void)state;
    for (int threads = 2; threads <= 8; threads *= 2) {
        run_scenario("no-threads", threads);
        run_scenario("few-threads", threads + 4);
#if !defined(__SANITIZE_ADDRESS__) // needs more addresses than there are
        run_scenario("no-memory", threads);
#endif
    }
}

static void any_environment_will_do(void **state) {
    (void)state;
    static const struct {
        const char *setting;
        int most; // threads that take part of the 4 that are asked for
    } cases[] = {
        {"OMP_STACKSIZE=16k", 1},       {"OMP_STACKSIZE=100G", 1},
        {"OMP_STACKSIZE=garbage", 4},   {"OMP_THREAD_LIMIT=1", 1},
        {"OMP_THREAD_LIMIT=2", 2},      {"OMP_DYNAMIC=true", 4},
        {"OMP_NUM_THREADS=garbage", 4}, {"OMP_NUM_THREADS=-3", 4},
        {"OMP_NUM_THREADS=3,2", 4},     {"OMP_PROC_BIND=true", 4},
        {"OMP_PLACES=cores", 4},        {"OMP_WAIT_POLICY=active", 4},
        {"OMP_WAIT_POLICY=passive", 4}, {"GOMP_SPINCOUNT=infinity", 4},
        {"OMP_MAX_ACTIVE_LEVELS=0", 4}, {"OMP_MAX_ACTIVE_LEVELS=5", 4},
        {"KMP_BLOCKTIME=infinite", 4},  {"OMP_CANCELLATION=true", 4},
    };
    // LLVM's OpenMP 14 gives up by itself when OMP_NUM_THREADS is no number of threads.
    bool is_llvm = dlsym(RTLD_DEFAULT, "kmp_get_blocktime") != NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *number =
            strncmp(cases[i].setting, "OMP_NUM_THREADS=", 16) == 0 ? cases[i].setting + 16 : NULL;
        if (is_llvm && number && atoi(number) <= 0) continue;
        Host host = {
            .scenario = "run", .threads = 4, .setting = cases[i].setting, .paths = {models[0]}};
        int threads = run_host(&host);
        if (threads < 1 || threads > cases[i].most)
            print_error("%s: %d threads\n", cases[i].setting, threads);
        assert_in_range(threads, 1, cases[i].most);
        host.threads = 0; // one per core
        assert_true(run_host(&host) >= 1);
    }
}

static void small_stacks_will_do(void **state) {
    (void)state;
    for (rlim_t kilobytes = 64; kilobytes <= 1024; kilobytes *= 2) {
        Host host = {
            .scenario = "run", .threads = 4, .stack = kilobytes << 10, .paths = {models[0]}};
        assert_int_equal(run_host(&host), kilobytes < 128 ? 1 : 4);
    }
}

static void hosts_may_be_parallel_themselves(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        Host host = {
            .scenario = "parallel", .threads = threads, .has_openmp = true, .paths = {models[0]}};
        run_host(&host);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_may_be_closed_after_use),
        cmocka_unit_test(the_library_may_be_closed_after_use),
        cmocka_unit_test(children_of_forks_execute),
        cmocka_unit_test(hosts_without_threads_or_memory_survive),
        cmocka_unit_test(any_environment_will_do),
        cmocka_unit_test(small_stacks_will_do),
        cmocka_unit_test(hosts_may_be_parallel_themselves),
    };
    return cmocka_run_group_tests_name("host", tests, make_models, remove_folder);
}
