// What the subcommands of shardc share.
#ifndef SHARDC_TOOLS_TOOL_H
#define SHARDC_TOOLS_TOOL_H

#include "shardc/shardc.h"

#include "base/diag.h"
#include "ir/eval.h"
#include "tools/args.h"

// Subcommands: argc and argv are what follows the command's name; they return the exit status.
int cmd_compile(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_explain(int argc, char **argv);

// What a command takes (NULL: all commands in short); NULL for an unknown one. Is --help among the arguments?
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

// Is the file a shared library (ELF)?
bool tool_is_library(const char *path);
// Reads a program; NULL after printing the diagnostics; *status is then the exit status.
Module *tool_read(Tool *tool, const char *path, Diags **diags, int *status);

// Shows phases on stderr while it is a terminal; user is NULL.
void tool_progress(void *user, const char *phase, int done, int total);
bool tool_wants_progress(void);
void tool_end_progress(void);

// Whole arrays of a run: inputs and outputs.
typedef struct RunArray {
    const Type *type;
    void *data; // 64-byte aligned
} RunArray;

// The arrays of a value, in order: of a tuple those of its parts. Tokens are among them, without data and without files.
int run_leaf_count(const Type *type);
RunArray *run_append_leaves(RunArray *to, const Type *type); // past the last one

// Room for an array of the type; zeroed and touched. NULL for a token.
void *run_alloc(Tool *tool, const Type *type);
// The types of an entry's arguments where the program leaves dimensions open: from input_types (shardc_options) when it is given,
// else from the files. With files, small integer arguments of such a program are constants, because shapes may depend on them.
// *text: input_types for the compiler; NULL when the program is static. False after printing what is wrong.
bool run_argument_types(
    Tool *tool, Module *module, const Op *entry, const char *input_types, const TextList *files,
    RunArray *inputs, const char **text);
// Inputs from files, or drawn from the seed: floats normal with deviation 0.1, integers 0..7.
bool run_inputs(Tool *tool, RunArray *inputs, int count, const TextList *files, int64_t seed);
// Compares outputs with files; prints every output that differs. False when one does or cannot be read.
bool run_expect(
    Tool *tool, const RunArray *outputs, int count, const TextList *files, double rtol,
    double atol);
// D/out0.npy ..., tokens not counted; makes the folder if it is missing.
bool run_write(Tool *tool, const RunArray *outputs, int count, const char *folder);

#endif
