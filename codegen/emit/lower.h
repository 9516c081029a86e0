// The lowering functions that lower_table.c names: one pair per kernel kind.
#ifndef SHARDC_CODEGEN_LOWER_H
#define SHARDC_CODEGEN_LOWER_H

#include "codegen/emit/emit.h"
#include "codegen/plan/grid.h"

bool planned_emit(Emit *e);
bool contract_reference_emit(Emit *e);
void contract_grid(Kernel *kernel, const Target *target);
bool contract_emit(Emit *e);
void attention_grid(Kernel *kernel, const Target *target);
bool attention_emit(Emit *e);
void conv_grid(Kernel *kernel, const Target *target);
bool conv_emit(Emit *e);
void scatter_grid(Kernel *kernel, const Target *target);
bool scatter_emit(Emit *e);
void sort_grid(Kernel *kernel, const Target *target);
bool sort_emit(Emit *e);
void fft_grid(Kernel *kernel, const Target *target);
bool fft_emit(Emit *e);
void cholesky_grid(Kernel *kernel, const Target *target);
bool cholesky_emit(Emit *e);
void solve_grid(Kernel *kernel, const Target *target);
bool solve_emit(Emit *e);
void random_grid(Kernel *kernel, const Target *target);
bool random_emit(Emit *e);
void custom_grid(Kernel *kernel, const Target *target);
bool custom_emit(Emit *e);

void tile_grid(Kernel *kernel, const Target *target);
bool tile_in_emit(Emit *e);
bool tile_out_emit(Emit *e);
bool blocks_emit(Emit *e);

#endif
