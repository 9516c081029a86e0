// Index expressions: which element of which operand, on which device, an
// element of a result is made of.
//
// An IndexExpr is a quasi-affine function of loop variables: a sum of constant * atom plus a
// constant, where an atom is a loop variable, a run-time number (a clamped start index, this
// device's id), floor(expr / constant), expr mod constant (0 <= result < constant), or a table
// look-up. Interned per kernel in a normal form: equal expressions are one pointer, so
// (i*16 + j)/16 with 0 <= j < 16 *is* i. Every expression knows its range, from which divisions,
// remainders and border checks are simplified away.
#ifndef SHARDC_CODEGEN_PLAN_INDEX_MAP_H
#define SHARDC_CODEGEN_PLAN_INDEX_MAP_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "ir/type.h"

typedef struct IndexExpr IndexExpr;
typedef struct IndexBuilder IndexBuilder;

typedef enum IndexAtomKind {
    INDEX_VARIABLE, // loop variable `id`, 0 <= v < extent
    INDEX_RUNTIME,  // a number that the kernel computes: `id` is the emitter's
    INDEX_DIV,      // floor(of / by)
    INDEX_MOD,      // of mod by
    INDEX_TABLE     // table[of], a constant table `id` of the emitter
} IndexAtomKind;

typedef struct IndexAtom {
    IndexAtomKind kind;
    int id;
    const IndexExpr *of;
    int64_t by;
    int64_t low, high; // inclusive range
} IndexAtom;

struct IndexExpr {
    int64_t constant;
    int term_count;
    const IndexAtom *const *atoms; // interned, in a fixed order
    const int64_t *factors;        // != 0
    int64_t low, high;             // inclusive range of the whole
    int number;                    // unique in the builder, in order of creation
};

IndexBuilder *index_builder_create(Arena *arena);
const IndexExpr *index_constant(IndexBuilder *b, int64_t number);
const IndexExpr *index_variable(IndexBuilder *b, int id, int64_t extent); // 0 <= v < extent
const IndexExpr *index_runtime(IndexBuilder *b, int id, int64_t low, int64_t high);
const IndexExpr *index_table(
    IndexBuilder *b, int id, const IndexExpr *of, int64_t low, int64_t high);
const IndexExpr *index_of_atom(IndexBuilder *b, const IndexAtom *atom); // of this builder
const IndexExpr *index_add(IndexBuilder *b, const IndexExpr *x, const IndexExpr *y);
const IndexExpr *index_sub(IndexBuilder *b, const IndexExpr *x, const IndexExpr *y);
const IndexExpr *index_add_constant(IndexBuilder *b, const IndexExpr *x, int64_t number);
const IndexExpr *index_scale(IndexBuilder *b, const IndexExpr *x, int64_t factor);
const IndexExpr *index_div(IndexBuilder *b, const IndexExpr *x, int64_t by); // floor, by > 0
const IndexExpr *index_mod(IndexBuilder *b, const IndexExpr *x, int64_t by); // 0 <= result < by

static inline bool index_is_constant(const IndexExpr *x) { return x->term_count == 0; }
// low <= x < high for all values of the variables: certainly, never, or it depends.
typedef enum IndexTruth { INDEX_NEVER, INDEX_SOMETIMES, INDEX_ALWAYS } IndexTruth;
IndexTruth index_in_range(const IndexExpr *x, int64_t low, int64_t high);
// Is x = factor * variable(id) + (something without that variable)? Then *factor is set (0
// when the variable does not occur).
bool index_is_affine_in(const IndexExpr *x, int id, int64_t *factor);
bool index_depends_on(const IndexExpr *x, int id); // on the loop variable, anywhere inside
// Does nothing but run-time number 0, the device's, decide it?
bool index_is_of_device(const IndexExpr *x);
// x with loop variables replaced: variables[id] (NULL = stays).
const IndexExpr *index_substitute(
    IndexBuilder *b, const IndexExpr *x, const IndexExpr *const *variables, int count);

// Row-major: number of the element at index[] in dims[], and back.
const IndexExpr *index_linear(
    IndexBuilder *b, int rank, const int64_t *dims, const IndexExpr *const *index);
void index_delinear(
    IndexBuilder *b, const IndexExpr *number, int rank, const int64_t *dims,
    const IndexExpr **index);

void index_print(StrBuf *out, const IndexExpr *x); // i0*16 + i1, (i0 + 3)/4, ...

#endif
