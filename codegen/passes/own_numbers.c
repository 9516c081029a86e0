// own_numbers: a table with a line for each device, read at the device's number.
#include "codegen/passes/own_numbers.h"

Value *own_numbers(
    Builder *builder, ElementType element, int64_t devices, int64_t count, const int64_t *numbers) {
    Context *context = builder->module->context;
    int64_t sizes[2] = {1, count};
    const Attr *table = attr_int_matrix(context, (int)devices, (int)count, numbers);
    const Type *u32 = type_scalar(context, ELEMENT_UI32);
    Value *starts[2];
    starts[0] = op_result(build_op(builder, OP_PARTITION_ID, 0, NULL, 1, &u32, 0), 0);
    starts[1] = build_splat_int(builder, u32, 0);
    Value *line = build_dynamic_slice(builder, build_constant(builder, table), starts, sizes);
    return build_convert(builder, build_reshape(builder, line, 1, &count), element);
}
