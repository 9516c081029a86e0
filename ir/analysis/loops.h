// What can be told of a stablehlo.while before it runs.
#ifndef SHARDC_IR_LOOPS_H
#define SHARDC_IR_LOOPS_H

#include "ir/op.h"

// The value before the loop that an operand of an op in the loop's regions has in every step: of
// an argument that each step passes on what enters, of a value from outside itself; NULL for
// what is computed in the regions.
Value *loop_value_before(const Op *loop, Value *value);
// A carried integer that the loop counts up by a constant to a constant.
typedef struct LoopCounter {
    int carry;           // its place among the carries
    int64_t first, step; // in the first step; what a step adds
    int64_t count;       // how many steps the loop makes
} LoopCounter;
// False: it is not known how many steps the loop makes.
bool loop_counter(const Op *loop, LoopCounter *counter);
int64_t loop_step_count(const Op *loop); // -1: not known
// Is the value, of the loop's body, an integer that follows from the number of the step alone?
bool loop_numbers_steps(const Op *loop, Value *value);
// Does the loop write every element of the carry before it reads it: a stack of which each step
// writes another slice, until it is full? Then nobody reads what enters.
bool loop_fills_carry(const Op *loop, int carry);
// Through the ops of the region that only add or drop dimensions of one element.
Value *value_without_ones(Value *value, const Region *region);

#endif
