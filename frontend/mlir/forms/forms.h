// The door of mlir/forms: what dialects write in a form of their own: the ops that do
// not use the generic form, and attributes. Each function reads from reader->token
// on; those of ops fill the draft.
#ifndef SHARDC_FRONTEND_MLIR_FORMS_H
#define SHARDC_FRONTEND_MLIR_FORMS_H

#include "frontend/mlir/syntax/mlir_reader.h"

// The column form of ops.def: read_own_X of each OWN_FORM(X).
typedef bool ReadForm(Reader *reader, Draft *draft);
#define FORM(...)
#define NO_FORM
#define MODULE_FORM
#define OWN_FORM(name)                                                                     ReadForm read_own_##name;
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ...) form
#include "ir/dialects/ops.def"
#undef FORM
#undef NO_FORM
#undef MODULE_FORM
#undef OWN_FORM

// ---- ops ----
// a row's form (asm_reader.c)
bool read_format(Reader *reader, Draft *draft, const AsmStep *format);
bool read_stablehlo_step(Reader *reader, Draft *draft, const AsmStep *step);
bool read_sdy_step(Reader *reader, Draft *draft, const AsmStep *step);
bool read_func_op(Reader *reader, Region *region, const Token *token);
void draft_settle_constant(Reader *reader, Draft *draft); // arith.constant of a tensor
StrView shard_op_name(Reader *reader, StrView name); // of an op of the older dialect mesh in shard
// [4, %n] as array<i64: 4, unknown> and operands: pushed
bool read_indices(Reader *reader, AttrName name);
// <a,b> behind the word: the attribute #arith.WORD<a,b>.
bool read_arith_flags(Reader *reader, AttrName name, const char *word);

// ---- attributes ----
// Behind #stablehlo. or #stablehlo<
const Attr *read_stablehlo_attr(Reader *reader, StrView name, bool is_chlo);
// Checks the tolerances of a result accuracy and interns it.
const Attr *accuracy_attr(Reader *reader, const Token *at, const ResultAccuracy *accuracy);
const Attr *read_sdy_attr(Reader *reader, StrView name); // behind #sdy.
// Behind #shard<, #arith< and #mpi.NAME<.
const Attr *read_source_attr(Reader *reader, StrView dialect, StrView name);

#endif
