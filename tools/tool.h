// What the subcommands of shardc share.
#ifndef SHARDC_TOOLS_TOOL_H
#define SHARDC_TOOLS_TOOL_H

#include "shardc/shardc.h"

#include "base/diag.h"
#include "base/file_set.h"
#include "ir/eval/eval.h"
#include "tools/args.h"

// Subcommands: argc and argv are what follows the command's name; they return the exit status.
int cmd_compile(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_explain(int argc, char **argv);

// What a command takes (NULL: all commands in short); NULL for an unknown one.
// Is --help among the arguments?
const char *tool_usage(const char *command);
bool tool_asks_for_help(int argc, char **argv);

// Memory of one invocation; ends the process with status 1 and a message when memory runs out.
typedef struct Tool {
    ArenaGuard guard;
    Arena *arena;
    Context *context;
} Tool;

// if (!TOOL_BEGIN(&tool)) return EXIT_PROBLEM; (a macro because setjmp must live in the caller)
bool tool_start(Tool *tool);
void tool_end(Tool *tool);
#define TOOL_BEGIN(tool) \
    (tool_start(tool) && (setjmp((tool)->guard.jump) == 0 || tool_ran_out(tool)))
bool tool_ran_out(Tool *tool); // prints, frees, false

// Prints the status's report on stderr, frees it, and gives the exit status: 0 for NULL.
int tool_finish_status(shardc_status *owned);
// Prints the warnings of the last call on the module on stderr.
void tool_print_warnings(const shardc_module *module);
// Prints all diagnostics on stderr; the exit status (0 when there is no error).
int tool_print_diags(const Diags *diags);

// EvalOptions.print of a tool, which is its user: the value on stderr, as MLIR writes constants.
void tool_print_value(void *user, const Tensor *value);
// "16.0 KiB"
void tool_bytes(StrBuf *out, int64_t bytes);

// A program or a library that a command was given, read once: a pipe gives its text only once.
typedef struct Source {
    const char *path;
    StrView text;
    bool is_library; // ELF
} Source;

// False after printing why it cannot be read.
bool tool_open(Tool *tool, const char *path, Source *source);
// Reads a program; NULL after printing the diagnostics; *status is then the exit status.
Module *tool_read(Tool *tool, const Source *source, Diags **diags, int *status);
// Makes the program one that the evaluator knows all ops of. False with a diagnostic.
bool tool_make_evaluable(Tool *tool, Module *module, Diags *diags);
// As tool_read, through the public API.
shardc_status *tool_parse(shardc_context *context, const Source *source, shardc_module **module);
// Compiles a program in memory, or loads a library.
shardc_status *tool_executable(
    const Source *source, const shardc_options *options, shardc_executable **executable);

// options.report of the tools: programs on standard output, times on standard error.
void tool_report(void *user, shardc_report_kind kind, const char *text);
// Shows phases on stderr while it is a terminal; user is NULL.
void tool_progress(void *user, const char *phase, int done, int total);
bool tool_wants_progress(void);
void tool_end_progress(void);

// Zeroed and touched memory for an array of the type, 64-byte aligned. NULL for a token.
void *tool_alloc_array(Tool *tool, const Type *type);

#endif
