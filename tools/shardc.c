// shardc: the driver. Exit status: 0 done, 1 a problem in what was given or a check that failed, 2
// wrong usage, 77 a valid program that needs something that is not implemented.
#define _POSIX_C_SOURCE 200809L

#include "tools/tool.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

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

static int help(const char *command) {
    const char *usage = tool_usage(command);
    if (usage) fputs(usage, stdout);
    if (!usage) fprintf(stderr, "shardc: unknown command '%s'\n%s", command, tool_usage(NULL));
    return usage ? EXIT_DONE : EXIT_USAGE;
}

int main(int argc, char **argv) {
    args_reserve_standard_streams();
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error, not a death
    const char *command = argc > 1 ? argv[1] : NULL;
    if (!command) {
        fputs(tool_usage(NULL), stderr);
        return EXIT_USAGE;
    }
    if (strcmp(command, "help") == 0) return finish(help(argc > 2 ? argv[2] : NULL));
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) return finish(help(NULL));
    if (strcmp(command, "--version") == 0) {
        printf("shardc %s\n", shardc_version());
        return finish(EXIT_DONE);
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(command, commands[i].name) != 0) continue;
        if (tool_asks_for_help(argc - 2, argv + 2)) return finish(help(command));
        return finish(commands[i].run(argc - 2, argv + 2));
    }
    return help(command);
}
