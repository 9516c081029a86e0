// Module: the whole program, its arena, its symbols.
#ifndef SHARDC_IR_MODULE_H
#define SHARDC_IR_MODULE_H

#include "ir/context.h"
#include "ir/op.h"

struct Module {
    Context *context; // borrowed
    Arena *arena;     // borrowed: ops, values and regions live here
    Op *op;           // builtin.module; attributes: sym_name, extra (mhlo.num_partitions ...)
    Region *body;     // its region: OP_FUNC, OP_SDY_MESH
    int64_t next_value_number, next_op_number;
};

Module *module_create(Context *context, Arena *arena);

// Symbols. Linear in the number of top-level ops: keep the result where it is asked often.
Op *module_find_func(const Module *module, StrView name); // NULL when there is none
const Mesh *module_find_mesh(const Module *module, StrView name);
StrView func_name(const Op *func);
bool func_is_private(const Op *func);
static inline Region *func_body(const Op *func) { return func->regions[0]; }
// The function to run: `name`, or when it is empty @main, or the only public
// function; NULL when there is none.
Op *module_entry(const Module *module, StrView name);
// The function that a func.call or stablehlo.composite calls.
StrView call_callee(const Op *call);
// Is the body of the callee there? False with a diagnostic where it is only
// declared, or not at all (NULL).
bool check_callee(const Op *call, const Op *callee, Diags *diags);
// Is every argument and result of the function that is run an array, a token, or a tuple of them?
// False with a diagnostic where it is something else, such as a scalar that is no tensor.
bool check_entry_types(const Op *entry, Diags *diags);
// Attribute dictionary of argument i / result i (never with sdy.sharding); NULL when empty.
const Attr *func_arg_attrs(const Op *func, int i);
const Attr *func_result_attrs(const Op *func, int i);
// Sets (NULL: removes) one entry of such a dictionary.
void func_set_dict_entry(
    Module *module, Op *func, bool is_arg, int i, StrView name, const Attr *value);

// The dictionaries of all arguments or results of a function, for changing many of
// them: written back once, by close.
typedef struct FuncDicts {
    Module *module;
    Op *func;
    AttrName name; // NAME_ARG_ATTRS, NAME_RES_ATTRS
    int count;
    const Attr **dicts; // [count] in the scratch arena
    bool changed;
} FuncDicts;
FuncDicts func_dicts_open(Module *module, Op *func, bool is_arg, Arena *scratch);
void func_dicts_set(FuncDicts *dicts, int i, StrView name, const Attr *value); // NULL erases
void func_dicts_close(FuncDicts *dicts);
// Number of devices: mhlo.num_partitions * mhlo.num_replicas, else the largest mesh, at least 1.
int64_t module_device_count(const Module *module);

// A deep copy in another arena (same context).
Module *module_clone(const Module *module, Arena *arena);

// Every op under the region, parents before children (pre-order), in order. Returns false as soon
// as the callback does. The callback may erase the op it is given.
bool region_walk(Region *region, bool (*visit)(Op *op, void *user), void *user);

// op_attrs.c
void op_set_attr(Module *module, Op *op, AttrName name, const Attr *value); // NULL removes
void op_set_extra(Module *module, Op *op, StrView name, const Attr *value); // NULL removes

// NULL when the symbol is not declared
const Mesh *sharding_mesh(const Module *module, const Sharding *sharding);
// The same but for dims/axes equal (open, priorities and replicated lists
// aside): are the tensors placed alike?
bool sharding_same_placement(const Module *module, const Sharding *a, const Sharding *b);

#endif
