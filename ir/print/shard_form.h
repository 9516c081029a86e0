// How the dialect shard writes its attributes: `word = value` in the order of the op's row, used by
// the reader and by the printer.
#ifndef SHARDC_IR_SHARD_FORM_H
#define SHARDC_IR_SHARD_FORM_H

#include "ir/op.h"

typedef enum ShardFieldKind {
    SHARD_FIELD_NONE,      // not written by this form
    SHARD_FIELD_SYMBOL,    // @grid, behind `on` where the op has operands or is of one process
    SHARD_FIELD_AXES,      // word = [0, 1]: array<i16>, absent when empty
    SHARD_FIELD_AXIS_SETS, // word = [[0], [], [1, 2]]
    SHARD_FIELD_REDUCTION, // word = max; absent for sum
    SHARD_FIELD_INT,       // word = 0
    SHARD_FIELD_UNIT,      // word
    SHARD_FIELD_INDICES    // word = [0, %i]: numbers and operands
} ShardFieldKind;

typedef struct ShardField {
    ShardFieldKind kind;
    const char *word, *old_word; // old_word: of the dialect mesh; NULL: the same
} ShardField;

ShardField shard_field(OpCode code, const OpAttr *item); // item: of the op's row

// What stands behind the last `:`.
typedef enum ShardTypes {
    SHARD_TYPES_RESULTS,   // T, T: of the results
    SHARD_TYPES_ONE,       // T: of operand 0 and of the result
    SHARD_TYPES_ARROW,     // T -> U: of operand 0 and of the result
    SHARD_TYPES_FUNCTIONAL // (T, index) -> U
} ShardTypes;

ShardTypes shard_types(OpCode code);
bool shard_has_main_operand(OpCode code); // one stands before everything else
bool shard_says_on(OpCode code);          // `on` stands before the grid

#endif
