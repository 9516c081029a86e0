// shardc: the driver. Exit status: 0 done, 1 a problem in what was given or a check that failed, 2 wrong usage, 77 a valid program that
// needs something that is not implemented.
#define _POSIX_C_SOURCE 200809L

#include "tools/tool.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: shardc COMMAND ...\n"
    "\n"
    "  compile PROGRAM -o OUT   native code: a model.so that needs nothing else (and its header)\n"
    "      --emit=so|obj|asm|llvm|header|partitioned|propagated   --per-shard\n"
    "      --input-types='tensor<2x3xf32>, none'   where arguments have dynamic dimensions\n"
    "      --mesh=x=4,y=2  --entry=NAME  --name=NAME  --custom=NAME,NAME  --target-cpu=CPU  --target=TRIPLE  -O0 .. "
    "-O3\n"
    "  run PROGRAM|model.so     compile in memory (or load) and execute\n"
    "      --in=F.npy ...  --seed=N  --out-dir=D  --expect=F.npy ...  --rtol=R  --atol=A\n"
    "      --input-types=...  --entry=NAME  --mesh=...  --interpret  --threads=N  --repeat=N  "
    "--min-time=S\n"
    "      --profile=OUT  --json  --reference-kernels  --print-after=PHASE\n"
    "  test FILE ...            run a file's checking functions: compiled, else evaluated\n"
    "      --native | --interpret   compiled or evaluated alone\n"
    "  check FILE ...           parse and verify only\n"
    "  inspect PROGRAM|model.so signature, mesh, shardings, memory, collectives\n"
    "  explain PROGRAM          where shardings came from, why collectives are there, how to avoid "
    "them\n"
    "      --value=%NAME  --collective=N  --apply=OUT.mlir  --json  --html=FILE  --values  --top=N "
    " --advise=N\n"
    "  --version, --help\n"
    "\n"
    "PROGRAM is StableHLO with Shardy annotations, as JAX prints it (MLIR text) or exports it\n"
    "(MLIR bytecode).\n";

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
    {"compile", cmd_compile}, {"run", cmd_run},         {"test", cmd_test},
    {"check", cmd_check},     {"inspect", cmd_inspect}, {"explain", cmd_explain},
};

// What standard output could not take is a problem, too.
static int finish(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fputs("shardc: error: cannot write to standard output\n", stderr);
    return status == EXIT_DONE ? EXIT_PROBLEM : status;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error, not a death
    if (argc < 2) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, stdout);
        return finish(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("shardc %s\n", shardc_version());
        return finish(EXIT_DONE);
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return finish(commands[i].run(argc - 2, argv + 2));
    }
    fprintf(stderr, "shardc: unknown command '%s'\n%s", argv[1], usage);
    return EXIT_USAGE;
}
