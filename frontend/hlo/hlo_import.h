// HLO to StableHLO, as its files share it. Private to frontend/.
//
// Every instruction becomes ops by the function that hlo_opcodes.def names for its opcode. Tuples
// do not exist behind this: an instruction's result is the list of the arrays and tokens in it, in
// order. Attributes are asked for by name; one that nobody asked for is refused at the end.
#ifndef SHARDC_FRONTEND_HLO_IMPORT_H
#define SHARDC_FRONTEND_HLO_IMPORT_H

#include "frontend/hlo/hlo.h"
#include "frontend/hlo/module/hlo_module.h"
#include "ir/builder.h"

// The arrays and tokens of one value.
typedef struct HloValues {
    Value **data;
    int count;
} HloValues;

typedef struct HloImporter HloImporter;

struct HloImporter {
    // By the function that ops.def or hlo_opcodes.def name for its opcode.
    bool (*import_instr)(HloImporter *importer, HloInstr *instr, HloValues *results);
    const HloSource *source;
    Context *context;
    Arena *arena;
    Module *module;
    HloModule *hlo;
    StrMap func_names; // those that are taken
    Builder builder;   // where ops go now
    HloComputation *computation;
    HloValues *values; // by instruction of the computation
    int depth;         // of computations in computations
    int scalar_depth;  // of bodies of reductions, sorts and the like: calls in them are copied
    int64_t budget; // values that may still be made: computations are copied to where they are used
};

// results: to be set. code: of the opcode's row.
typedef bool HloImportFn(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results);

// The functions of ops.def's column HLO, and those of hlo_opcodes.def.
#define HLO(text, function) HloImportFn hlo_##function;
#define NO_HLO
#define OP(                                                                                   \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, \
    codegen, vhlo, hlo)                                                                       \
    hlo
#include "ir/dialects/ops.def"
#undef HLO
#undef NO_HLO
#define HLO_OTHER(text, code, function) HloImportFn hlo_##function;
#include "frontend/hlo/hlo_opcodes.def"

// ---- diagnostics: "'opcode' op ..." at the instruction; always false ----
bool hlo_fail(HloImporter *importer, const HloInstr *instr, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool hlo_refuse(HloImporter *importer, const HloInstr *instr, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// ---- values ----
void hlo_leaf_types(const Type *type, const Type **types);
const Type **hlo_result_types(HloImporter *importer, const HloInstr *instr, int *count);
HloValues hlo_values(HloImporter *importer, int count);
const HloInstr *hlo_operand(const HloImporter *importer, const HloInstr *instr, int i);
HloValues hlo_operand_values(const HloImporter *importer, const HloInstr *instr, int i);
// All operands' values in one list.
HloValues hlo_all_operands(HloImporter *importer, const HloInstr *instr);
bool hlo_check_operands(HloImporter *importer, const HloInstr *instr, int count);
// Operand i, a single array; NULL with a diagnostic.
Value *hlo_array(HloImporter *importer, const HloInstr *instr, int i);
// The instruction's result when it is one array; NULL with a diagnostic.
const Type *hlo_array_type(HloImporter *importer, const HloInstr *instr);

// ---- ops ----
// An op with the instruction's result types; its results are the instruction's. NULL with a
// diagnostic where the op cannot have so many operands or results.
Op *hlo_emit(
    HloImporter *importer, const HloInstr *instr, OpCode code, HloValues operands, int regions,
    HloValues *results);
void hlo_set(HloImporter *importer, Op *op, AttrName name, const Attr *value);

// ---- computations ----
// The computation that attribute `name` names; NULL with a diagnostic.
HloComputation *hlo_computation_attr(
    HloImporter *importer, const HloInstr *instr, HloAttrName name);
// The computation's ops at the builder's place, its parameters being args, one after the other.
bool hlo_inline(
    HloImporter *importer, const HloInstr *instr, HloComputation *computation, HloValues args,
    HloValues *results);
// The same in an empty region: with the parameters as the region's arguments, or without
// arguments when args are given.
bool hlo_region(
    HloImporter *importer, const HloInstr *instr, HloComputation *computation, Region *region,
    const HloValues *args);
// Attribute `name`'s computation in region i of the op; op NULL (after an error): false.
bool hlo_region_attr(HloImporter *importer, const HloInstr *instr, Op *op, int i, HloAttrName name);
// The function for calls of the computation; NULL with a diagnostic.
Op *hlo_func(HloImporter *importer, HloComputation *computation, bool is_entry);

// ---- attributes (hlo_attrs.c): those that are asked for are known ----
const HloAttr *hlo_attr(const HloInstr *instr, HloAttrName name); // NULL when there is none
// with a diagnostic
const HloAttr *hlo_need_attr(HloImporter *importer, const HloInstr *instr, HloAttrName name);
bool hlo_has_attr(const HloInstr *instr, HloAttrName name); // without asking for it
int64_t hlo_int_attr(const HloInstr *instr, HloAttrName name, int64_t otherwise);
bool hlo_bool_attr(const HloInstr *instr, HloAttrName name, bool otherwise);
StrView hlo_text_attr(const HloInstr *instr, HloAttrName name); // empty when there is none
IntSpan hlo_ints_attr(const HloInstr *instr, HloAttrName name); // empty when there is none
// Attribute `name` as the op's attribute `to`: a number (i64), which must be there; a bool, nothing
// when it is absent; array<i64>.
bool hlo_copy_int(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, Op *op, AttrName to);
void hlo_copy_bool(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, Op *op, AttrName to);
void hlo_copy_ints(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, Op *op, AttrName to);
// A number, given as {d}; it must be there.
bool hlo_copy_single(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, Op *op, AttrName to);
// A keyword, which must be there. prefix: of HLO's spelling, left out
// ("rng_"); letters become capitals.
bool hlo_copy_keyword(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, const char *prefix, Op *op,
    AttrName to, EnumKind kind);
// Of rank 0 when there is no such attribute (hlo_window.c).
const HloWindow *hlo_window_attr(HloInstr *instr);
StrView hlo_capitals(HloImporter *importer, StrView word);

// ---- shardings and other annotations (hlo_annotate.c) ----
// mhlo.sharding and mhlo.frontend_attributes of what the instruction became: of its op, when it has
// one (those from number `made` on are its own), else of its values.
bool hlo_annotate(HloImporter *importer, HloInstr *instr, int64_t made, HloValues *results);
// The same for a function's arguments and results.
bool hlo_annotate_func(HloImporter *importer, HloComputation *computation, Op *func);
// The module's own attributes, and what they say of the entry's arguments.
bool hlo_module_attrs(HloImporter *importer, Op *entry);
// Refuses attributes of the instruction that nobody has read.
bool hlo_check_attrs(HloImporter *importer, const HloInstr *instr);

#endif
