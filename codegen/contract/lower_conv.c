// lower_conv: convolutions as contractions: M = image x output positions, K = window x input
// features of a group, N = output features of a group. The packing of A reads the image through the
// window (implicit GEMM): no im2col array is stored.
#include "codegen/contract/contraction.h"
#include "codegen/emit/lower.h"

typedef enum ConvForm { CONV_PLAIN, CONV_GROUPED, CONV_DIRECT, CONV_BLOCKED } ConvForm;

// How a convolution is computed, and its contraction. Groups of features that the CPU multiplies at
// once lie within one position of the window, or else are not used.
static ConvForm conv_form(const Op *op, const Target *target, Contraction *c) {
    enum { FEW_FEATURES = 4 };
    if (target->reference_kernels || !contraction_of(op, target, c) || !matmul_applies(c))
        return CONV_PLAIN;
    if (c->k.dims[c->spatial] % c->how->group != 0) contraction_widen(c, target);
    if (grouped_conv_applies(c, target)) return CONV_GROUPED;
    // plain loops over the features are faster than columns that groups of a few do not fill
    if (c->batch.size > 1 && c->n.size < FEW_FEATURES) return CONV_PLAIN;
    return direct_conv_applies(c, target) ? CONV_DIRECT : CONV_BLOCKED;
}

void conv_grid(Kernel *kernel, const Target *target) {
    Contraction c;
    switch (conv_form(kernel->root, target, &c)) {
    case CONV_PLAIN: contract_reference_grid(kernel, target); break;
    case CONV_GROUPED: grouped_conv_set_grid(kernel, &c, target); break;
    case CONV_DIRECT: direct_conv_set_grid(kernel, &c, target); break;
    case CONV_BLOCKED: matmul_set_grid(kernel, &c, target); break;
    }
}

bool conv_emit(Emit *e) {
    Contraction c;
    switch (conv_form(e->kernel->root, e->target, &c)) {
    case CONV_GROUPED: return grouped_conv_emit(e, &c);
    case CONV_DIRECT: return direct_conv_emit(e, &c);
    case CONV_BLOCKED: return matmul_emit_blocked(e, &c);
    default: return contract_reference_emit(e);
    }
}
