// What the files of api/ share: handles, statuses, the guard around every call.
#ifndef SHARDC_API_INTERNAL_H
#define SHARDC_API_INTERNAL_H

#include "shardc/shardc.h"

#include "base/arena.h"
#include "base/diag.h"
#include "codegen/codegen.h"
#include "ir/module.h"

#include <pthread.h>

struct shardc_context {
    Allocator allocator;
    Arena *arena;
    Context *context;
};

struct shardc_module {
    shardc_context *owner; // borrowed
    Arena *arena;          // the module, and the program's text
    Module *module;
    StrView file;
    char *text;            // of shardc_module_text, malloc
};

struct shardc_executable {
    Arena *arena;          // native code; NULL for a loaded model.so
    void *library;         // of dlopen, else NULL
    const shardc_model *model;
    shardc_model_instance *instance;
    char *printed;         // malloc, or NULL
    pthread_mutex_t turn;  // executions take turns
};

// Statuses. All copy their text.
shardc_status *status_create(shardc_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
shardc_status *status_out_of_memory(void);             // static: never fails
shardc_status *status_from_diags(const Diags *diags);  // at least one error is in it

// codegen's options from the public ones.
CodegenOptions codegen_options_of(const shardc_options *options, const char *default_name);
// A copy of what the caller gave, zero where the caller's struct is older and shorter.
shardc_options options_of(const shardc_options *options);

// The model's instance for an executable whose `model` is set. Frees nothing on failure.
shardc_status *executable_start(shardc_executable *executable, const shardc_options *options);

#endif
