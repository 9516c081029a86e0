// The door of hlo/: HLO, which XLA dumps and PyTorch/XLA writes, becomes StableHLO.
// hlo/text and hlo/proto read it, each to the same data (hlo/module). docs/hlo.md says what
// is read and how it maps to StableHLO.
#ifndef SHARDC_FRONTEND_HLO_H
#define SHARDC_FRONTEND_HLO_H

#include "frontend/frontend.h"

bool is_hlo_text(StrView contents); // begins with HloModule, blanks and comments aside
// The program as StableHLO, with XLA's annotations (mhlo.*) as XLA's own conversion leaves them;
// unverified. NULL with diagnostics.
Module *read_hlo_text(
    Context *context, Arena *arena, StrView text, const ReadOptions *options, Diags *diags);
Module *read_hlo_proto(
    Context *context, Arena *arena, StrView bytes, const ReadOptions *options, Diags *diags);

#endif
