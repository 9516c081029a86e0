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

typedef struct CustomCalls CustomCalls; // the custom calls of an executable: custom_call.c

struct shardc_context {
    Allocator allocator;
    Arena *arena;
    Context *context;
    CustomFunction *custom; // last registered first
    uint32_t func_count;    // functions that were begun: their numbers
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
    StrView source;          // the program as text, in the arena; empty where it was none
    char *text;              // of shardc_module_text, malloc
    Diagnostics diagnostics; // of the last call that succeeded
};

typedef struct ProfileTotals ProfileTotals;

struct shardc_executable {
    Arena *arena;     // native code; of a loaded model.so its custom calls: NULL when it has none
    void **libraries; // [library_count] of dlopen, malloc; NULL for code in memory
    int library_count;
    const shardc_model *model;
    shardc_model *joined; // the model when it lies in several files, else NULL
    shardc_model_instance *instance;
    char *printed;          // malloc, or NULL
    CustomCalls *custom;    // in the arena; NULL = the program has none
    ProfileTotals *profile; // NULL unless options.profile
    pthread_mutex_t turn;   // executions take turns
    atomic_int references;  // of the caller, and of every execution that has begun
    atomic_uint forks;      // rt_fork_count when `turn` was made
};

// api_profile.c. profile_add: after an execution, under its turn; false when memory runs out.
ProfileTotals *profile_create(const shardc_model *model);
void profile_free(ProfileTotals *owned); // NULL is fine
bool profile_add(shardc_executable *executable);

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

// custom_call.c: the names that are registered and those in the list ("f,g" or NULL), for codegen; the calls of a model, checked against
// their functions' signatures (NULL with diagnostics), in the arena, code being what the model was made from, if that is there; what generated
// code calls them through, `user` being the CustomCalls; whether a function has failed since the last question.
const char *custom_list_problem(const char *list); // NULL when it is right
const StrView *custom_names(
    const shardc_context *context, const char *list, Arena *arena, int *count);
CustomCalls *custom_calls_create(
    Arena *arena, const shardc_context *context, const shardc_model *model,
    const CodegenResult *code, Diags *diags);
shardc_model_custom custom_dispatch;
bool custom_take_failure(CustomCalls *calls);

// codegen's options from the public ones.
CodegenOptions codegen_options_of(const shardc_options *options, const char *default_name);
// *all: a copy of what the caller of `call` gave, zero where the caller's struct is older and shorter; what is wrong in it is refused.
shardc_status *read_options(const char *call, const shardc_options *options, shardc_options *all);
// Copies an option struct that begins with its size over one that has the defaults, of `size` bytes.
shardc_status *read_struct(
    const char *call, const char *parameter, const void *given, size_t size, void *all);
// The list of types and constants in options->input_types; *types is NULL where there is none. False with a diagnostic.
bool read_input_types(
    Module *module, Arena *arena, const shardc_options *options, const Attr **types, Diags *diags);

// An empty executable with one reference; NULL = out of memory.
shardc_executable *executable_create(void);
// Waits for the executable's turn, and gives it to the next: what an execution writes is read in between.
void executable_lock(const shardc_executable *executable);
void executable_unlock(const shardc_executable *executable);
// The model's instance for an executable whose `model` is set. Frees nothing on failure.
shardc_status *executable_start(shardc_executable *executable, const shardc_options *options);

#endif
