// Reading ahead: while a row is worked on, the next one comes from memory into the second-level
// cache.
//
// A kernel of several passes reads its row from memory in the first and computes in the others, so
// that memory would rest meanwhile. The last pass that reads an operand has its loads marked with
// the distance of the next row; target/prefetch_rows.c puts prefetches beside their vectors. Loops
// that stream through memory ask for what is near, for the first-level cache.
#ifndef SHARDC_CODEGEN_AHEAD_H
#define SHARDC_CODEGEN_AHEAD_H

#include "codegen/emit/emit_state.h"

// Loads of the passes that follow, of the row at these axes.
void ahead_begin(Emit *e, int axis_count, const IndexExpr *const *row);
void ahead_next_pass(Emit *e);
void ahead_note(Emit *e, const Expr *x, Scalar loaded); // EXPR_LOAD
// Or of the next steps along this variable, which counts `count` of them at once: the lines of a
// step lie far from the next one's.
void ahead_begin_steps(Emit *e, int variable, int count);
// Or of the next tile, in loops over the rows of one (this variable) and their elements: so many
// rows and elements behind what is read.
void ahead_begin_tile(Emit *e, int variable, int64_t rows, int64_t elements);
// Or of a loop along memory: so many elements behind what is read.
void ahead_begin_line(Emit *e, int64_t elements);
void ahead_end(Emit *e);

#endif
