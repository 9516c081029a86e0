// lower_conv: convolutions as contractions: M = image x output positions, K = window x input features of a group, N = output features of a group.
// The packing of A reads the image through the window (implicit GEMM): no im2col array is stored.
#include "codegen/contract/contraction.h"
#include "codegen/emit/lower.h"

// Groups of one or two features (depthwise) do not fill the micro-kernel's columns: plain loops over the features are faster.
static bool conv_applies(const Contraction *c) {
    enum { FEW_FEATURES = 4 };
    return matmul_applies(c) && !(c->batch.size > 1 && c->n.size < FEW_FEATURES);
}

// The contraction of a convolution's kernel; false: it has plain loops. Groups of features that the CPU multiplies at once lie within one position of
// the window, or else are not used.
static bool conv_contraction(const Op *op, const Target *target, Contraction *c) {
    if (target->reference_kernels || !contraction_of(op, target, c) || !conv_applies(c))
        return false;
    if (c->k.dims[c->spatial] % c->how->group != 0) contraction_widen(c, target);
    return true;
}

void conv_grid(Kernel *kernel, const Target *target) {
    Contraction c;
    if (!conv_contraction(kernel->root, target, &c)) {
        contract_reference_grid(kernel, target);
    } else if (direct_conv_applies(&c, target)) {
        direct_conv_set_grid(kernel, &c, target);
    } else {
        matmul_set_grid(kernel, &c, target);
    }
}

bool conv_emit(Emit *e) {
    Contraction c;
    if (!conv_contraction(e->kernel->root, e->target, &c)) return contract_reference_emit(e);
    return direct_conv_applies(&c, e->target) ? direct_conv_emit(e, &c)
                                              : matmul_emit_blocked(e, &c);
}
