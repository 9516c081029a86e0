// The attributes of an op as dictionaries: what MLIR's generic form and bytecode write. Sorted by
// name, the shardings of values among them. Made in the arena; not interned.
#ifndef SHARDC_IR_OP_DICT_H
#define SHARDC_IR_OP_DICT_H

#include "ir/op.h"
#include "ir/print/asm_format.h"

typedef struct OpDict {
    Arena *arena; // borrowed
    int count, capacity;
    StrView *names;
    const Attr **items;
} OpDict;

OpDict op_dict(Arena *arena); // empty
void op_dict_add(OpDict *dict, StrView name, const Attr *value);
Attr op_dict_attr(const OpDict *dict); // of kind ATTR_DICT; borrows from dict

// The attributes that belong to the op, under their names in the generic form. Of a function its
// arguments' and results' dictionaries are among them.
OpDict op_inherent_dict(Arena *arena, const Op *op);
// All others, with sdy.sharding and sdy.sharding_rule.
OpDict op_discardable_dict(Arena *arena, const Op *op);
// Those of argument or result i of a function, with its sharding.
OpDict func_arg_dict(Arena *arena, const Op *func, int i);
OpDict func_result_dict(Arena *arena, const Op *func, int i);
// An attribute as dictionaries have it: what the op's own syntax knows from its place
// says here which dialect's it is.
const Attr *op_shown_attr(Arena *arena, const Op *op, AttrName name);

#endif
