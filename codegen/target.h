// The machine that code is made for: ISA level, vector registers, cache sizes, blocking.
#ifndef SHARDC_CODEGEN_TARGET_H
#define SHARDC_CODEGEN_TARGET_H

#include "base/diag.h"
#include "ir/type.h"

typedef enum IsaLevel { ISA_BASELINE, ISA_AVX2, ISA_AVX512, ISA_NEON } IsaLevel;

typedef struct Target {
    const char *triple, *cpu, *features; // LLVM's words; features: "+avx2,+fma,..."
    const char
        *required; // what the model checks at load: "avx2,fma,avx512f" (include/shardc/model.h)
    IsaLevel isa;
    bool has_fma, has_avx512_bf16, has_avx512_fp16, has_avx512_vnni, has_amx_bf16, has_amx_int8;
    int vector_bits, vector_registers;
    int64_t l1_bytes, l2_bytes, l3_bytes; // per core; l3 shared
    bool is_host;
    int64_t
        only_device; // >= 0: code for this device alone, its coordinates are constants; -1 = for all
    bool reference_kernels; // plain loops instead of the blocked contract kernels (CodegenOptions)
    int optimize;
} Target;

// False with a diagnostic for an unknown triple or CPU. cpu NULL or "native" and triple NULL: this machine.
bool target_select(
    Arena *arena, const char *triple, const char *cpu, int optimize, Target *target, Diags *diags);

// Can this process run code for the target? False with a diagnostic.
bool target_runs_here(const Target *target, Diags *diags);

// Register tile of the contract micro-kernel for an accumulator type: rows x columns (columns a multiple of the vector length).
typedef struct Tile {
    int rows, columns; // MR, NR
} Tile;
Tile target_tile(const Target *target, ElementType accumulator);
// Blocking of C[M,N] += A[M,K] B[K,N]: MC, KC, NC from cache sizes.
typedef struct Blocking {
    int64_t mc, kc, nc;
} Blocking;
Blocking target_blocking(
    const Target *target, Tile tile, size_t element_bytes, int64_t M, int64_t N, int64_t K);

#endif
