// What the files of api/ share: handles, statuses, the guard around every call.
#ifndef SHARDC_API_INTERNAL_H
#define SHARDC_API_INTERNAL_H

#include "shardc/shardc.h"

#include "base/arena.h"
#include "base/diag.h"
#include "codegen/codegen.h"
#include "ir/module.h"

#include <ffi.h>

#include <pthread.h>
#include <stdatomic.h>

// A registered function. In an arena with its signature and names.
typedef struct CustomFunction {
    StrView name;
    shardc_custom_function *function;
    int parameter_count;
    const shardc_custom_parameter *parameters;
    shardc_custom_return returns;
    void *user;
    ffi_cif call; // the signature as libffi has it
    struct CustomFunction *next;
} CustomFunction;

// An op of the caller's: api_build_registered.c.
typedef struct RegisteredOp {
    StrView name;
    shardc_op_definition definition;
    struct RegisteredOp *next;
} RegisteredOp;

typedef struct CustomCalls CustomCalls; // the custom calls of an executable: custom_call.c

struct CallPartitioner;

struct shardc_context {
    Allocator allocator;
    Arena *arena;
    Context *context;
    CustomFunction *custom;          // last registered first
    shardc_custom_resolver resolver; // of other names; its functions are NULL where there is none
    shardc_partitioner partitioner;  // of custom calls; its functions are NULL where there is none
    RegisteredOp *ops;               // last registered first
    uint32_t func_count;             // functions that were begun: their numbers
};

// Diagnostics in one allocation of malloc.
typedef struct Diagnostics {
    size_t count;
    shardc_diagnostic *items;
} Diagnostics;

struct shardc_module {
    shardc_context *owner; // borrowed
    Arena *arena;          // the module, and the program's text
    Module *module;
    StrView file;
    StrView contents;        // what was read, in the arena; empty: the module was built or built on
    StrView source;          // the same, where it is text
    StrView read_as;         // the options that it was read with
    char *text;              // of shardc_module_text, malloc
    Diagnostics diagnostics; // of the last call that succeeded
};

typedef struct ProfileTotals ProfileTotals;

// The memory of one execution: taken for it, and given back.
typedef struct ExecutionContext {
    shardc_model_instance *instance;
    CustomCalls *custom; // the executable's
    void *user;          // of the execution, for the resolver
    bool is_recording;   // its events
    int64_t rebinds;     // of the executable, when it was taken last
    struct ExecutionContext *next;
} ExecutionContext;

struct shardc_executable {
    Arena *arena;     // native code; of a loaded model.so its custom calls: NULL when it has none
    void **libraries; // [library_count] of dlopen, malloc; NULL for code in memory
    int library_count;
    const shardc_model *model;
    shardc_model *joined; // the model when it lies in several files, else NULL
    char *printed;        // malloc, or NULL
    // [object_count] with options.keep_code: what the code was linked from, in the arena
    const StrView *objects;
    int object_count;
    CustomCalls *custom; // in the arena; NULL = the program has none
    shardc_model_options context_options;
    pthread_mutex_t lock; // guards what follows; held for a moment only
    // contexts that no execution uses: that record nothing, that record events
    ExecutionContext *idle[2];
    int idle_count[2];
    int64_t rebinds;              // calls of shardc_executable_rebind
    ProfileTotals *profile;       // NULL unless options.profile
    shardc_model_counters totals; // of the executions that have ended
    atomic_int references;        // of the caller, and of every execution that has begun
    atomic_uint forks;            // rt_fork_count when `lock` was made
};

// api_profile.c. profile_add: after an execution, under the lock; false when memory runs out.
ProfileTotals *profile_create(const shardc_model *model);
void profile_free(ProfileTotals *owned); // NULL is fine
bool profile_add(shardc_executable *executable, const shardc_model_instance *instance);

// Statuses. All copy their text.
shardc_status *status_create(shardc_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));
__attribute__((returns_nonnull)) shardc_status *status_out_of_memory(void); // static: never fails
shardc_status *status_from_diags(const Diags *diags); // at least one error is in it
// SHARDC_INVALID_INPUT: "CALL: PARAMETER is NULL".
__attribute__((returns_nonnull)) shardc_status *status_null(
    const char *call, const char *parameter);

// *copy: what is in diags; false when there is no memory for it.
bool diagnostics_copy(const Diags *diags, Diagnostics *copy);
void diagnostics_free(Diagnostics *diagnostics);
// As the public queries return it. diagnostics and count may be NULL.
const shardc_diagnostic *diagnostics_list(const Diagnostics *diagnostics, size_t *count);
// The module's list becomes what is in diags. NULL, or out of memory.
shardc_status *module_keep_diagnostics(shardc_module *module, const Diags *diags);

// custom_call.c: the names that are registered and those in the list ("f,g" or NULL), for
// codegen; the calls of a model, checked against their functions' signatures (NULL with
// diagnostics), in the arena, code being what the model was made from, if that is there; what
// generated code calls them through, `user` being the ExecutionContext; whether a function has
// failed since the last question.
const char *custom_list_problem(const char *list); // NULL when it is right
const StrView *custom_names(
    const shardc_context *context, const char *list, Arena *arena, int *count);
CustomCalls *custom_calls_create(
    Arena *arena, const shardc_context *context, const shardc_model *model,
    const CodegenResult *code, Diags *diags);
shardc_model_custom custom_dispatch;
bool custom_take_failure(CustomCalls *calls);
bool custom_knows(void *context, StrView name); // does its resolver?

shardc_dtype dtype_of_element(ElementType element);

// call_partitioner.c: the context's partitioner as partition/ asks it. False: it has none.
bool call_partitioner_of(const shardc_context *context, struct CallPartitioner *partitioner);

// codegen's options from the public ones.
CodegenOptions codegen_options_of(
    Arena *arena, const shardc_options *options, const char *default_name);
// *all: a copy of what the caller of `call` gave, zero where the caller's struct is older and
// shorter; what is wrong in it is refused.
shardc_status *read_options(const char *call, const shardc_options *options, shardc_options *all);
// Copies an option struct that begins with its size over one that has the defaults, of `size`
// bytes.
shardc_status *read_struct(
    const char *call, const char *parameter, const void *given, size_t size, void *all);
// The list of types and constants in options->input_types; *types is NULL where there is
// none. False with a diagnostic.
bool read_input_types(
    Module *module, Arena *arena, const shardc_options *options, const Attr **types, Diags *diags);

// An empty executable with one reference; NULL = out of memory.
shardc_executable *executable_create(void);
// What an execution writes when it ends is read in between.
void executable_lock(const shardc_executable *executable);
void executable_unlock(const shardc_executable *executable);
// The first context of an executable whose `model` is set. Frees nothing on failure.
// One that waits, or a new one.
shardc_status *execution_context_take(
    shardc_executable *executable, bool is_recording, ExecutionContext **context);
void execution_context_give_back(shardc_executable *executable, ExecutionContext *context);
shardc_status *executable_start(shardc_executable *executable, const shardc_options *options);
void executable_end(shardc_executable *executable); // frees all contexts

// serialize.c: copies the objects into the executable's arena, which has a guard.
void executable_keep_code(shardc_executable *executable, const CodegenResult *code);

// executor.c: runs tasks on threads that are kept for the next ones, in the order in which they are
// submitted. At most a few at the same time, but those that may wait for other tasks (they call
// functions that we do not know) begin at once. False: there is no thread for it.
typedef struct Task {
    void (*run)(struct Task *task);
    bool may_wait;
    struct Task *next; // the executor's
} Task;
bool executor_submit(Task *task);

// A second owner of a status; NULL gives NULL.
shardc_status *status_share(const shardc_status *status);

#endif
