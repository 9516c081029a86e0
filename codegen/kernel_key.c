// kernel_key: kernels that compute the same from different buffers share one function.
//
// The key spells the kernel out: kind, operands with their types and strides, and the expression from the outputs down to the operands, ops
// in order of their first visit with their attributes, regions and operands. Offsets of buffers are no part of it: they are given at the call.
#include "codegen/kernel_key.h"

#include <assert.h>

typedef struct Key {
    StrBuf *out;
    PtrMap numbers; // Value* -> 1 + number
    int64_t next_number;
} Key;

static void key_int(Key *key, int64_t number) {
    strbuf_append(key->out, (StrView){(const char *)&number, sizeof number});
}

static void key_pointer(Key *key, const void *pointer) { key_int(key, (int64_t)(intptr_t)pointer); }

static void key_attr(Key *key, const Attr *attr) {
    if (!attr || attr->kind != ATTR_ELEMENTS) {
        key_pointer(key, attr);
        return;
    }
    key_pointer(key, attr->type);
    key_int(key, attr->is_splat);
    key_int(key, (int64_t)attr->data_size);
    strbuf_append(key->out, (StrView){attr->data, attr->data_size});
}

static int64_t number_value(Key *key, const Value *value) {
    int64_t number = ++key->next_number;
    ptr_map_set(&key->numbers, value, (void *)(intptr_t)number);
    return number;
}

static void key_op(Key *key, const Op *op);

static void key_region(Key *key, const Region *region) {
    for (int i = 0; i < region->arg_count; i++) {
        key_int(key, number_value(key, region->args[i]));
        key_pointer(key, region->args[i]->type);
    }
    for (const Op *op = region->first; op; op = op->next) {
        key_op(key, op);
    }
    key_int(key, -3);
}

static void key_value(Key *key, const Value *value) {
    void *number = ptr_map_get(&key->numbers, value);
    if (number || !value->def) {
        key_int(key, (int64_t)(intptr_t)number);
        return;
    }
    key_int(key, -1);
    key_op(key, value->def);
    key_int(key, (int64_t)(intptr_t)ptr_map_get(&key->numbers, value));
}

static void key_op(Key *key, const Op *op) {
    key_int(key, -2);
    key_int(key, op->code);
    key_int(key, op->operand_count);
    for (int i = 0; i < op->operand_count; i++) {
        key_value(key, op_operand(op, i));
    }
    for (int i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].name == NAME_CHANNEL_HANDLE || op->attrs[i].name == NAME_CHANNEL_ID)
            continue;
        key_int(key, op->attrs[i].name);
        key_attr(key, op->attrs[i].value);
    }
    for (int r = 0; r < op->region_count; r++) {
        key_region(key, op->regions[r]);
    }
    for (int i = 0; i < op->result_count; i++) {
        key_pointer(key, op_result_type(op, i));
        if (!ptr_map_has(&key->numbers, op_result(op, i))) number_value(key, op_result(op, i));
    }
}

static void key_operand(Key *key, const KernelOperand *operand) {
    const Buffer *buffer = operand->buffer;
    key_pointer(key, operand->value->type);
    key_int(key, buffer->kind == BUFFER_CONSTANT);
    key_int(key, buffer->kind == BUFFER_ARENA || buffer->kind == BUFFER_CONSTANT); // aligned
    for (int d = 0; d < buffer->rank; d++) {
        key_int(key, buffer->strides[d]);
    }
    key_pointer(key, buffer->extents);
    key_int(key, operand->is_remote);
    key_int(key, operand->shares);
    key_int(key, operand->same_index);
    if (buffer->kind == BUFFER_CONSTANT) {
        strbuf_append(key->out, (StrView){buffer->constant, buffer->bytes});
    }
}

StrView kernel_key(Arena *arena, const Kernel *kernel) {
    assert(kernel->root);
    StrBuf out = strbuf(arena);
    Key key = {.out = &out, .numbers = ptr_map(arena)};
    key_int(&key, kernel->kind);
    key_int(&key, kernel->grid);
    key_int(&key, kernel->has_epilogue);
    key_int(&key, kernel->output_count);
    key_int(&key, kernel->input_count);
    for (int i = 0; i < kernel->input_count; i++) {
        key_operand(&key, &kernel->inputs[i]);
        for (int o = 0; o < kernel->output_count; o++) {
            key_int(
                &key, kernel->outputs[o].buffer->may_alias == kernel->inputs[i].buffer->number + 1);
        }
        number_value(&key, kernel->inputs[i].value);
    }
    for (int i = 0; i < kernel->output_count; i++) {
        key_operand(&key, &kernel->outputs[i]);
        key_value(&key, kernel->outputs[i].value);
        key_int(&key, kernel->outputs[i].value->def == kernel->root);
    }
    key_int(&key, kernel->root->code);
    if (kernel->kind == KERNEL_CUSTOM)
        key_int(&key, kernel->custom_call); // each has its own number
    return strbuf_view(&out);
}
