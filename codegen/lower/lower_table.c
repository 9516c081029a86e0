// Which functions lower a kernel of each kind.
#include "codegen/emit/lower.h"

static const Lowering lowerings[] = {
    [KERNEL_LOOP] = {loop_grid, planned_emit},
    [KERNEL_REDUCE] = {reduce_grid, planned_emit},
    [KERNEL_CONTRACT] = {contract_grid, contract_emit},
    [KERNEL_ATTENTION] = {attention_grid, attention_emit},
    [KERNEL_CONV] = {conv_grid, conv_emit},
    [KERNEL_WINDOW] = {window_grid, planned_emit},
    [KERNEL_SELECT_SCATTER] = {select_scatter_grid, planned_emit},
    [KERNEL_SCATTER] = {scatter_grid, scatter_emit},
    [KERNEL_UPDATE] = {update_grid, planned_emit},
    [KERNEL_SORT] = {sort_grid, sort_emit},
    [KERNEL_FFT] = {fft_grid, fft_emit},
    [KERNEL_CHOLESKY] = {cholesky_grid, cholesky_emit},
    [KERNEL_SOLVE] = {solve_grid, solve_emit},
    [KERNEL_RANDOM] = {random_grid, random_emit},
    [KERNEL_CUSTOM] = {custom_grid, custom_emit},
    [KERNEL_TILE_IN] = {tile_grid, tile_in_emit},
    [KERNEL_TILE_OUT] = {tile_grid, tile_out_emit},
    [KERNEL_BLOCKS] = {NULL, blocks_emit},
};

const Lowering *lowering_of(KernelKind kind) { return &lowerings[kind]; }
