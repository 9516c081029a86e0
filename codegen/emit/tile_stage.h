// Tiles of transposed operands, staged in a local array: see tile_stage.c.
#ifndef SHARDC_CODEGEN_TILE_STAGE_H
#define SHARDC_CODEGEN_TILE_STAGE_H

#include "codegen/emit/emit_state.h"

enum { MAX_STAGES = 6, MAX_SQUARE = 16 };

// The side of the kernel's tiles: rows of a few lines of the cache, whatever the elements are.
int64_t tile_side(const Emit *e);
// Does the next tile lie along the inner variable? Else those of the outer one come soon.
bool tile_goes_on(const Emit *e, int64_t inner_extent);
// Of tiles of whole lines (Space.by_lines): how many elements a line of the kernel's result has,
// and how many lines a tile.
int64_t tile_line(const Emit *e);
int64_t tile_lines(const Emit *e);

// Elements per register and side of the squares that are transposed; 0: no good form.
int tile_square_side(const Emit *e, int64_t bytes);
// side x side elements that are transposed in registers; side is a power of two, at most
// MAX_SQUARE. Rows are so many elements apart; the memories are distinct.
typedef struct Square {
    int side;
    unsigned bits, alignment; // of an element; the alignment in bytes
    LLVMValueRef from, to;
    int64_t from_stride, to_stride;
    // not NULL: how many rows of `from` exist; the last one, though it lie before `from`, stands
    // for the others. The memory `ahead` bytes behind each row is prefetched then
    LLVMValueRef rows;
    int64_t ahead;
} Square;
void emit_transpose_square(Emit *e, const Square *square);

// rows x columns elements, at most row_side x column_side, to columns x rows elements.
typedef struct TurnedCopy {
    LLVMValueRef from, to;
    int64_t from_stride, to_stride, row_side, column_side;
    LLVMValueRef rows, columns; // of `from`
    LLVMTypeRef type;           // this and the alignment are set by tile_turn
    unsigned alignment;
} TurnedCopy;
bool tile_can_turn(const Emit *e, ElementType element); // is there a good form for such elements?
void tile_turn(Emit *e, ElementType element, TurnedCopy *copy);

typedef struct TileStage {
    int operand;
    int64_t stride;          // of the inner variable in memory
    const IndexExpr *rest;   // the address without the two variables
    const IndexExpr *device; // NULL = own
    LLVMValueRef from;       // where the tile begins in memory
    LLVMValueRef array;      // [outer_side][inner_side]
} TileStage;

// The two innermost loops of a nest over tiles, both bounded by a tile.
typedef struct TileScope {
    EmitLoop *outer, *inner;        // the tile's loops; inner: NULL until it is open
    int64_t outer_side, inner_side; // of a tile
    LLVMValueRef outer_first, outer_end, inner_first, inner_end;
    bool goes_on;  // the next tile lies along the inner variable; else along the outer one
    int64_t bytes; // of all stages
    int count;
    TileStage stages[MAX_STAGES];
} TileScope;

// The element of a stored value from a staged tile. False when the access is not one that a tile
// helps.
bool tile_load(
    Emit *e, const Value *stored, const IndexExpr *at, const IndexExpr *device, Scalar *x);

#endif
