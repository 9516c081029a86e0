// Inside fuse/: who reads a value, where, and which kernels may run row by row.
#ifndef SHARDC_CODEGEN_FUSE_READERS_H
#define SHARDC_CODEGEN_FUSE_READERS_H

#include "codegen/fuse/fuse.h"

enum {
    READER_LIMIT = 8, // distinct readers that are told apart; more are added up
    FUSED_OPS_LIMIT =
        400 // ops in one kernel: bounds the depth of the expression and the time to compile it
};

typedef struct Reader {
    FusionRoot *root;
    uint64_t path; // 0: at the element that the root writes; else a hash of the views between
    double evals;  // how many elements it evaluates
    DimMap map;
} Reader;

typedef struct Readers {
    int count;
    bool is_nested; // some reader is in a region inside
    // in the program: of those who need it in memory, and of those beyond the limit
    int64_t first_position;
    Reader list[READER_LIMIT];
} Readers;

// --- maps.c: where dimensions are read
DimMap map_none(void);
DimMap map_identity(int rank);
DimMap map_of_member(const FusionRoot *root, const Value *value); // as its kernel writes it
// Where operand i is read by those who read the result so.
DimMap map_operand(const Op *op, int i, DimMap map);
// A transposition of more than the cache holds, by which neighbours in the result come from far
// apart.
bool is_lane_move(const Op *op);
// Is it worth a pass over memory of its own?
bool lane_move_is_stored(const Fusion *fusion, const Value *value, const Readers *readers);

// --- row_roots.c
// May the result of a reduction be made by the kernel that alone reads it, on the way, from the
// same row? Then that kernel has rows.
bool rows_take(const Fusion *fusion, const Value *value, const Readers *readers);
// The kernel that stores the value with the rows that it reads of it, where all others read it
// later, or that reduces the same rows, and the value's map; NULL = none.
FusionRoot *rows_to_join(
    const Fusion *fusion, const Value *value, const Readers *readers, DimMap *map);
// Does a kernel alone read the value, by rows? It keeps it for the length of a row, or makes it
// again, rather than that somebody stores it.
bool rows_keep(const Value *value, const Readers *readers);

// --- remote_forms.c
// Is the value a form of an array in memory that other devices read of it there? readers: of what
// they make of the value.
bool is_remote_form(const Fusion *fusion, const Value *value, const Readers *readers);

// --- unread.c: no kernel stores what it alone reads. readers: by Value.number
void drop_unread(Fusion *fusion, Readers *const *readers);

// --- join_reductions.c
// Makes kernels that reduce the same elements one. readers: by Value.number.
void join_reductions(Fusion *fusion, Readers *const *readers);

#endif
