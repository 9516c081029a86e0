// The machine that code is made for: ISA level, vector registers, cache sizes, blocking.
#ifndef SHARDC_CODEGEN_TARGET_H
#define SHARDC_CODEGEN_TARGET_H

#include "base/diag.h"
#include "ir/type.h"

typedef enum IsaLevel { ISA_BASELINE, ISA_AVX2, ISA_AVX512, ISA_NEON } IsaLevel;

typedef struct Target {
    const char *triple, *cpu, *features; // LLVM's words; features: "+avx2,+fma,..."
    // what the model checks at load: "avx2,fma,avx512f" (include/shardc/model.h)
    const char *required;
    IsaLevel isa;
    bool has_fma;
    int vector_bits, vector_registers;
    int64_t l1_bytes, l2_bytes, l3_bytes; // per core; l3 shared
    int64_t cpus;                         // of this machine; 1 = another one's are not known
    bool is_host;
    // >= 0: code for this device alone, its coordinates are constants; -1 = for all
    int64_t only_device;
    bool reference_kernels; // plain loops instead of the blocked contract kernels (CodegenOptions)
    int optimize;
} Target;

// False with a diagnostic for an unknown triple or CPU. cpu NULL or "native"
// and triple NULL: this machine.
bool target_select(
    Arena *arena, const char *triple, const char *cpu, int optimize, Target *target, Diags *diags);

// Can this process run code for the target? False with a diagnostic.
bool target_runs_here(const Target *target, Diags *diags);

bool target_has(const Target *target, const char *feature); // as LLVM names it

// Register tile of the contract micro-kernel: rows x columns (columns a
// multiple of the vector length).
typedef struct Tile {
    int rows, columns; // MR, NR
} Tile;

typedef enum ContractProduct {
    PRODUCT_MULTIPLY_ADD,
    PRODUCT_DOT,
    PRODUCT_DOT_AND_ADD,
    PRODUCT_TILES
} ContractProduct;

// How contractions of two element types are multiplied: a row of targets.def. ELEMENT_COUNT stands
// for ANY.
typedef struct ContractRow {
    IsaLevel isa;
    const char *features;
    ElementType lhs, rhs, accumulator, packed_lhs, packed_rhs;
    int rows, vectors, group;
    ContractProduct product;
    const char *instruction;
} ContractRow;
// CONTRACT_ONE_ROW: products that wait for memory, one for each element of the large operand
typedef enum ContractUse { CONTRACT_ONE_ROW, CONTRACT_VECTORS, CONTRACT_TILES } ContractUse;
// The row for these elements; never NULL.
const ContractRow *target_contract(
    const Target *target, ElementType lhs, ElementType rhs, ElementType accumulator,
    ContractUse use);
int contract_row_number(const ContractRow *row); // in targets.def

// The name of the alias scope that marks stores around the caches (stream_stores.c). They stand in
// loops that step from one element to the next, and whose first address begins a line: so every
// vector of them is aligned to its size.
#define STREAM_SCOPE "shardc.stream"
// The beginning of the names of alias scopes that mark loads of rows; what follows are the bytes to
// the row that is read next (prefetch_rows.c).
#define AHEAD_SCOPE  "shardc.ahead:"
#define AHEAD_NEAR   " near" // behind the bytes: into the first-level cache

#endif
