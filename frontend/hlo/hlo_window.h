// Windows of convolutions and window reductions: window={size=3x3 stride=2x2 pad=0_1x0_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}.
#ifndef SHARDC_FRONTEND_HLO_WINDOW_H
#define SHARDC_FRONTEND_HLO_WINDOW_H

#include "frontend/hlo/hlo_import.h"

typedef struct Window {
    int rank;
    int64_t size[MAX_RANK], stride[MAX_RANK],
        padding[2 * MAX_RANK]; // padding: low and high of each dimension
    int64_t base_dilation[MAX_RANK], window_dilation[MAX_RANK], reversal[MAX_RANK];
} Window;

// Of rank 0 when there is no such attribute.
bool hlo_window_attr(HloImporter *importer, HloInstr *instr, Window *window);

#endif
