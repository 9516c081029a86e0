// What the readers of Shardy's attributes offer to those of its ops.
#ifndef SHARDC_FRONTEND_SDY_ATTRS_H
#define SHARDC_FRONTEND_SDY_ATTRS_H

#include "frontend/mlir/forms/forms.h"

const Sharding *read_sharding(Reader *reader);  // <@mesh, [{"x"}, {?}], replicated={"y"}>
const Attr *read_sharding_list(Reader *reader); // [<..>, <..>]
const Mesh *read_mesh(Reader *reader);          // <["x"=2], device_ids=[1, 0]>
const Attr *read_axes(Reader *reader);          // {"x", "y":(1)2}
const Attr *read_axes_per_dim(Reader *reader);  // [{"x"}, {}]
const Attr *read_all_to_all(Reader *reader);    // [{"x"}: 0->1, ...]
bool read_axis(Reader *reader, AxisRef *axis);  // "x" or "x":(1)2
// <[{step-1 = [{"x" = operand-0 -> [result-0]}]}]>
const Attr *read_propagation_edges(Reader *reader);
// <([i, k], [k, j])->([i, j]) {i=8, ...} reduction={k}, custom>
const Attr *read_sharding_rule(Reader *reader);

#endif
