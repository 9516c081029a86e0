// The door of hlo/proto: HLO as a protobuf: HloModuleProto, and HloProto, HloModuleProtoWithConfig
// and HloSnapshot, whose first field is one or the other.
#ifndef SHARDC_FRONTEND_HLO_PROTO_H
#define SHARDC_FRONTEND_HLO_PROTO_H

#include "frontend/hlo/module/hlo_module.h"

bool is_hlo_proto(StrView contents); // HloModuleProto, or a message that has one
// A whole program; NULL with diagnostics after an error.
HloModule *hlo_decode(const HloSource *source, StrView bytes);

#endif
