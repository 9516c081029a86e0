// The printer, as its files share it. Private to ir/.
#ifndef SHARDC_IR_PRINT_INTERNAL_H
#define SHARDC_IR_PRINT_INTERNAL_H

#include "base/map.h"
#include "ir/print/asm_format.h"
#include "ir/print/op_dict.h"
#include "ir/print/print.h"

typedef struct Printer Printer;
struct Printer {
    StrBuf *out;
    PrintOptions options;
    PtrMap names; // Value to its name (char *), of several results the first one's
    Arena *dicts; // dictionaries of the op that is printed; given back between ops
    int indent;
    // of a region; NULL where only names are printed
    void (*print_op)(Printer *printer, const Op *op);
};

// Names every value under the op: %0, %arg0, %c, %cst_1 ... (print_names.c)
void name_values(Printer *printer, const Op *op);

// Does every result have its own name, instead of %0#0, %0#1?
bool has_named_results(const Printer *printer, const Op *op);

// with the %, and #2 where it is one of several
void print_value_name(Printer *printer, const Value *value);
void print_operand_range(Printer *printer, const Op *op, int first, int count);
void print_arith_flags(Printer *printer, const Attr *flags); // <nnan,contract>
void print_functional_type(Printer *printer, const Op *op);
void print_operand_types(Printer *printer, const Op *op);
void print_type_step(Printer *printer, const Op *op, const AsmStep *step);
void print_newline(Printer *printer); // and the indentation
// { ... }: the block's arguments in front of the ops where block_label is set
void print_region(Printer *printer, const Region *region, bool block_label);
void print_block_arg(Printer *printer, const Value *arg); // %a: T
void print_loc(Printer *printer, const Loc *loc);         // loc("name"("file":3:4))
void print_op_dict(Printer *printer, const OpDict *dict);
bool has_no_attrs(const Op *op);
// " {a = 1, b}" of the attributes but for those in `elided`; nothing when none is left.
void print_attr_dict(
    Printer *printer, const Op *op, const AttrName *elided, int elided_count, const char *keyword);

// The column form of ops.def: of each OWN_FORM(X), does the op fit it, and the form. Those of
// source dialects are in shard_print.c and source_print.c, the others in print_format.c.
typedef bool FitsForm(const Op *op);
typedef void PrintForm(Printer *printer, const Op *op);
#define FORM(...)
#define NO_FORM
#define MODULE_FORM
#define OWN_FORM(name)        \
    FitsForm fits_own_##name; \
    PrintForm print_own_##name;
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ...) form
#include "ir/dialects/ops.def"
#undef FORM
#undef NO_FORM
#undef MODULE_FORM
#undef OWN_FORM
bool shard_attrs_fit(const Op *op); // those of the op's row are there and of their kinds
// [4, %n]: numbers, and from *operand on the operands for those that are not known
void print_indices(Printer *printer, const Op *op, const Attr *numbers, int *operand);

// The op behind its results and name. False: it has no pretty form. (print_format.c)
bool has_pretty_form(const Op *op);
void print_pretty(Printer *printer, const Op *op);

#endif
