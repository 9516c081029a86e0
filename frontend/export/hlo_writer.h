// HLO text of a program, for people who read it and tools that take it.
// docs/hlo.md says what it covers.
#ifndef SHARDC_FRONTEND_HLO_WRITER_H
#define SHARDC_FRONTEND_HLO_WRITER_H

#include "base/map.h"
#include "ir/module.h"

// Appends the module's text. Shardings are written as mhlo.sharding has them (export_gspmd.h makes
// Shardy's so). False with diagnostics where an op has no opcode in HLO.
bool write_hlo(const Module *module, Arena *scratch, StrBuf *out, Diags *diags);

// The rest is private to hlo_writer*.c.
typedef struct HloWriter {
    const Module *module;
    Arena *arena;
    Diags *diags;
    StrBuf *out;  // computations that are finished
    PtrMap funcs; // Op -> StrView: the computation of a function
    StrMap taken; // names of computations
    int64_t next; // number of the next name
    int depth;
} HloWriter;

bool hlo_write_refuse(HloWriter *writer, const Op *op, const char *why);
void hlo_write_shape(StrBuf *out, const Type *type, const Attr *layout); // layout NULL: row-major
void hlo_write_ints(StrBuf *out, const char *name, IntSpan ints);        // , name={1,2}
void hlo_write_string(StrBuf *out, StrView text);                        // in quotes, escaped
// Types and literals (hlo_writer_values.c).
bool hlo_check_type(HloWriter *writer, const Op *op, const Type *type); // false with a diagnostic
// one type, or a tuple of them
void hlo_write_types(StrBuf *out, int count, const Type *const *types);
void hlo_write_number(StrBuf *out, ElementType element, const void *data);
void hlo_write_elements(StrBuf *out, const Attr *elements, int dim, int64_t *next);
void hlo_write_metadata(StrBuf *out, const Loc *loc);
// mhlo.sharding and mhlo.frontend_attributes
void hlo_write_annotations(StrBuf *out, const Attr *dict);
// The attributes of an op but computations and annotations; false with a
// diagnostic (hlo_writer_attrs.c).
bool hlo_write_attrs(HloWriter *writer, StrBuf *out, const Op *op);

#endif
