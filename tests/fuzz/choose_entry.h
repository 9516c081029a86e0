// Which function of a program the fuzz targets compile.
#ifndef SHARDC_TESTS_CHOOSE_ENTRY_H
#define SHARDC_TESTS_CHOOSE_ENTRY_H

#include "ir/module.h"

// @main, or else any function: the size of the input chooses it.
static inline StrView choose_entry(const Module *module, size_t size) {
    if (module_entry(module, SV(""))) return SV("");
    size_t count = 0;
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC) count++;
    }
    if (count == 0) return SV("");
    size_t chosen = size % count;
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && chosen-- == 0) return func_name(op);
    }
    return SV("");
}

#endif
