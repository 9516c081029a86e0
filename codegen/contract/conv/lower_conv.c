// lower_conv: convolutions as contractions: M = image x output positions, K = window x input
// features of a group, N = output features of a group. The packing of A reads the image through the
// window (implicit GEMM): no im2col array is stored.
#include "codegen/contract/contraction.h"
#include "codegen/emit/lower.h"

typedef enum ConvForm {
    CONV_PLAIN,
    CONV_PLANES,
    CONV_GROUP_FILTER,
    CONV_GROUPED,
    CONV_FILTER,
    CONV_FILTER_TILES,
    CONV_DIRECT,
    CONV_BLOCKED
} ConvForm;

// Few features that do not fill a group (the three colours of an image): with zeros behind them the
// slab and the filter do, where that is less work than wide elements.
static bool takes_zeros(Contraction *c, const Target *target) {
    Contraction rounded = *c;
    contraction_round_features(&rounded);
    int64_t features = c->k.dims[c->spatial];
    if (c->batch.size > 1 || features + rounded.zero_features >= features * c->how->group ||
        !direct_conv_applies(&rounded, target))
        return false;
    *c = rounded;
    return true;
}

// Tile registers multiply many times as fast, even where their rows and columns are not full.
static bool takes_tiles(Contraction *c, const Target *target) {
    enum { GAIN = 8, COLUMNS = 16 };
    Contraction tiles = *c;
    if (!contraction_take_tiles(&tiles, target)) return false;
    contraction_round_features(&tiles);
    int64_t steps = tiles.k.size / contraction_step(&tiles);
    int64_t work = steps * contraction_full_step(&tiles) * round_up(c->n.size, COLUMNS);
    if (work > GAIN * c->k.size * c->n.size || !direct_conv_applies(&tiles, target)) return false;
    *c = tiles;
    return true;
}

// A filter's gradient, from images that are transposed into a slab.
static bool takes_filter_tiles(Contraction *c, const Target *target) {
    Contraction tiles = *c;
    if (!contraction_take_tiles(&tiles, target) || !filter_tiles_applies(&tiles, target))
        return false;
    *c = tiles;
    return true;
}

// The same: packing transposes rows of images for tile registers.
static bool takes_packed_tiles(Contraction *c, const Target *target) {
    Contraction tiles = *c;
    if (!contraction_take_tiles(&tiles, target) ||
        !contraction_has_rows_of_images(&tiles, contract_lanes(c, target)))
        return false;
    *c = tiles;
    return true;
}

// How a convolution is computed, and its contraction. Groups of features that the CPU multiplies at
// once lie within one position of the window, with zeros in a slab, or else are not used.
static ConvForm conv_form(const Op *op, const Target *target, Contraction *c) {
    enum { FEW_FEATURES = 4 };
    if (target->reference_kernels || !contraction_of(op, target, c) || !matmul_applies(c))
        return CONV_PLAIN;
    if (planes_conv_applies(c, target)) return CONV_PLANES;
    if (group_filter_conv_applies(c, target)) return CONV_GROUP_FILTER;
    if (takes_tiles(c, target)) return CONV_DIRECT;
    if (takes_filter_tiles(c, target)) return CONV_FILTER_TILES;
    if (takes_packed_tiles(c, target)) return CONV_BLOCKED;
    if (c->k.dims[c->spatial] % c->how->group != 0) {
        if (takes_zeros(c, target)) return CONV_DIRECT;
        contraction_widen(c, target);
    }
    if (grouped_conv_applies(c, target)) return CONV_GROUPED;
    // plain loops over the features are faster than columns that groups of a few do not fill
    if (c->batch.size > 1 && c->n.size < FEW_FEATURES) return CONV_PLAIN;
    if (filter_conv_applies(c, target)) return CONV_FILTER;
    return direct_conv_applies(c, target) ? CONV_DIRECT : CONV_BLOCKED;
}

void conv_grid(Kernel *kernel, const Target *target) {
    Contraction c;
    switch (conv_form(kernel->root, target, &c)) {
    case CONV_PLAIN: contract_reference_grid(kernel, target); break;
    case CONV_PLANES: planes_conv_set_grid(kernel, &c, target); break;
    case CONV_GROUP_FILTER: group_filter_conv_set_grid(kernel, &c, target); break;
    case CONV_FILTER_TILES: filter_tiles_set_grid(kernel, &c, target); break;
    case CONV_GROUPED: grouped_conv_set_grid(kernel, &c, target); break;
    case CONV_FILTER: filter_conv_set_grid(kernel, &c, target); break;
    case CONV_DIRECT: direct_conv_set_grid(kernel, &c, target); break;
    case CONV_BLOCKED: matmul_set_grid(kernel, &c, target); break;
    }
}

bool conv_emit(Emit *e) {
    Contraction c;
    switch (conv_form(e->kernel->root, e->target, &c)) {
    case CONV_PLANES: return planes_conv_emit(e, &c);
    case CONV_GROUP_FILTER: return group_filter_conv_emit(e, &c);
    case CONV_FILTER_TILES: return filter_tiles_emit(e, &c);
    case CONV_GROUPED: return grouped_conv_emit(e, &c);
    case CONV_FILTER: return filter_conv_emit(e, &c);
    case CONV_DIRECT: return direct_conv_emit(e, &c);
    case CONV_BLOCKED: return matmul_emit_blocked(e, &c);
    default: return contract_reference_emit(e);
    }
}
