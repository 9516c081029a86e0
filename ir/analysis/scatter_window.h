// A scatter of one window: it changes a slice of its array.
#ifndef SHARDC_IR_SCATTER_WINDOW_H
#define SHARDC_IR_SCATTER_WINDOW_H

#include "ir/op.h"

typedef struct ScatterWindow {
    int rank;
    int64_t sizes[MAX_RANK]; // of the slice
    int component_count;
    int components[MAX_RANK]; // the dimension in which number k of the index says where it begins
    // What becomes of an element and of its update: the op of the two, or OP_RETURN, the update.
    OpCode combine;
    bool is_update_first; // operand of the op
} ScatterWindow;

// Is the op, a stablehlo.scatter, such a one? Its body is the update or one op of two.
bool scatter_window(const Op *op, ScatterWindow *window);

#endif
