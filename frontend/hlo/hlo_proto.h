// HLO as a protobuf: HloModuleProto, and HloProto, HloModuleProtoWithConfig and HloSnapshot, whose first field is one or the other.
#ifndef SHARDC_FRONTEND_HLO_PROTO_H
#define SHARDC_FRONTEND_HLO_PROTO_H

#include "frontend/hlo/hlo_module.h"

// A whole program; NULL with diagnostics after an error.
HloModule *hlo_decode(const HloSource *source, StrView bytes);

#endif
