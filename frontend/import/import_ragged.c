// import_ragged: every device takes from the rows of all devices of its group what is meant for it.
//
//   In      a verified module. @ragged_all_to_all(operand, output, input_offsets, send_sizes,
//           output_offsets, recv_sizes) with backend_config = {channel_id, replica_groups},
//           as JAX writes lax.ragged_all_to_all: for n devices the last four have k * n
//           elements, and element d * k + u of device s says which rows of its operand go
//           where in the output of device d
//   Out     all_gathers of the operand, the offsets and the sizes; a loop over the
//           k * n pieces that a device gets
//   Keeps   calls that do not fit this; elements of the output that nobody writes
#include "frontend/import/custom_calls.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"
#include "ir/print/print.h"

#include <inttypes.h>

typedef struct Call {
    Op *op;
    const Attr *groups;          // [G, n]
    int64_t n, updates, channel; // updates: pieces for each device
    StrBuf text;
    Module *module;
    Arena *scratch;
} Call;

static const Type *with_dims(Call *call, ElementType element, int rank, const int64_t *dims) {
    return type_tensor(call->module->context, element, rank, dims);
}

// The type with one dimension more, in front.
static const Type *stacked(Call *call, const Type *type, int64_t size) {
    int64_t dims[MAX_RANK] = {size};
    for (int d = 0; d < type->rank; d++)
        dims[d + 1] = type->dims[d];
    return with_dims(call, type->element, type->rank + 1, dims);
}

static const Type *with_rows(Call *call, const Type *type, int64_t rows) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[d] = d ? type->dims[d] : rows;
    return with_dims(call, type->element, type->rank, dims);
}

// ---- reading ----

static bool is_rows(const Type *type) { return type_is_static(type) && type->rank >= 1; }

static bool fits_types(const Op *op) {
    if (op->operand_count != 6 || op->result_count != 1) return false;
    const Type *in = op_operand_type(op, 0), *out = op_operand_type(op, 1);
    const Type *numbers = op_operand_type(op, 2);
    if (!is_rows(in) || !is_rows(out) || !is_rows(numbers) || op_result_type(op, 0) != out)
        return false;
    if (in->rank != out->rank || in->rank >= MAX_RANK || in->element != out->element) return false;
    for (int d = 1; d < in->rank; d++) {
        if (in->dims[d] != out->dims[d]) return false;
    }
    for (int i = 3; i < 6; i++) {
        if (op_operand_type(op, i) != numbers) return false;
    }
    return numbers->rank == 1 && element_is_integer(numbers->element);
}

static bool read_call(Call *call) {
    const Op *op = call->op;
    const Attr *config = op_attr(op, NAME_BACKEND_CONFIG);
    if (!fits_types(op) || !config || config->kind != ATTR_DICT) return false;
    const Attr *channel = attr_dict_get(config, SV("channel_id"));
    call->groups = attr_dict_get(config, SV("replica_groups"));
    if (!call->groups || call->groups->kind != ATTR_ELEMENTS || call->groups->type->rank != 2)
        return false;
    call->n = call->groups->type->dims[1];
    call->channel = channel && channel->kind == ATTR_INT ? channel->integer : 1;
    int64_t count = op_operand_type(op, 2)->dims[0];
    if (call->n < 1 || count < call->n || count % call->n != 0) return false;
    call->updates = count / call->n;
    return true;
}

// ---- writing ----

static const char *text_of(const Call *call, const Type *type) {
    StrBuf text = strbuf(call->scratch);
    type_print(&text, type);
    return strbuf_cstring(&text);
}

// Of all devices of the group, one row for each.
static void put_gather(Call *call, int operand, const char *name) {
    const Type *type = op_operand_type(call->op, operand);
    const char *one = text_of(call, stacked(call, type, 1));
    StrBuf *text = &call->text;
    strbuf_printf(
        text, "%%own_%s = stablehlo.reshape %%operand%d : (%s) -> %s\n", name, operand,
        text_of(call, type), one);
    strbuf_printf(
        text,
        "%%all_%s = \"stablehlo.all_gather\"(%%own_%s) <{all_gather_dim = 0 : i64, channel_handle "
        "= "
        "#stablehlo.channel_handle<handle = %" PRId64 ", type = 1>, replica_groups = ",
        name, name, call->channel);
    attr_print(text, call->groups);
    strbuf_printf(
        text, ", use_global_device_ids}> : (%s) -> %s\n", one,
        text_of(call, stacked(call, type, call->n)));
}

// The device's place in its group, from a table of all devices. False: their numbers are out of
// bounds.
static bool put_rank(Call *call) {
    enum { MOST_DEVICES = 1 << 20 };
    int64_t count = type_element_count(call->groups->type), devices = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t id = attr_element_int(call->groups, i);
        if (id < 0 || id >= MOST_DEVICES) return false;
        if (id >= devices) devices = id + 1;
    }
    int64_t *ranks = ARENA_ARRAY(call->scratch, int64_t, devices);
    for (int64_t i = 0; i < count; i++)
        ranks[attr_element_int(call->groups, i)] = i % call->n;
    StrBuf *text = &call->text;
    strbuf_append(text, SV("%ranks = stablehlo.constant dense<["));
    for (int64_t i = 0; i < devices; i++)
        strbuf_printf(text, "%s%" PRId64, i ? ", " : "", ranks[i]);
    strbuf_printf(
        text,
        "]> : tensor<%" PRId64 "xi32>\n"
        "%%id = stablehlo.partition_id : tensor<ui32>\n"
        "%%rank_1 = stablehlo.dynamic_slice %%ranks, %%id, sizes = [1] : (tensor<%" PRId64
        "xi32>, tensor<ui32>) -> tensor<1xi32>\n"
        "%%rank = stablehlo.reshape %%rank_1 : (tensor<1xi32>) -> tensor<i32>\n",
        devices, devices);
    return true;
}

// A number that device %source has for this one.
static void put_number(Call *call, const char *name) {
    const Type *numbers = op_operand_type(call->op, 2);
    const char *element = element_text(numbers->element).data;
    strbuf_printf(
        &call->text,
        "  %%%s_1 = stablehlo.dynamic_slice %%all_%s, %%source, %%place, sizes = [1, 1] : (%s, "
        "tensor<i32>, "
        "tensor<i32>) -> tensor<1x1x%s>\n"
        "  %%%s_0 = stablehlo.reshape %%%s_1 : (tensor<1x1x%s>) -> tensor<%s>\n"
        "  %%%s = stablehlo.convert %%%s_0 : (tensor<%s>) -> tensor<i32>\n",
        name, name, text_of(call, stacked(call, numbers, call->n)), element, name, name, element,
        element, name, name, element);
}

// "lead, 0, .., 0" with rank numbers.
static void put_list(StrBuf *text, int rank, int64_t lead) {
    for (int d = 0; d < rank; d++)
        strbuf_printf(text, "%s%" PRId64, d ? ", " : "", d ? (int64_t)0 : lead);
}

static void put_slice(
    Call *call, const char *result, const char *from, const char *start, const Type *in,
    const Type *out) {
    StrBuf *text = &call->text;
    strbuf_printf(text, "  %%%s = stablehlo.dynamic_slice %%%s, %%%s", result, from, start);
    for (int d = 1; d < in->rank; d++)
        strbuf_append(text, SV(", %zero"));
    strbuf_append(text, SV(", sizes = ["));
    for (int d = 0; d < out->rank; d++)
        strbuf_printf(text, "%s%" PRId64, d ? ", " : "", out->dims[d]);
    strbuf_printf(text, "] : (%s", text_of(call, in));
    for (int d = 0; d < in->rank; d++)
        strbuf_append(text, SV(", tensor<i32>"));
    strbuf_printf(text, ") -> %s\n", text_of(call, out));
}

// The piece of step %step: the source's rows, moved to where they go, take the place of the
// output's.
static void put_step(Call *call) {
    const Type *in = op_operand_type(call->op, 0), *out = op_operand_type(call->op, 1);
    const Type *slab = stacked(call, in, 1), *all = stacked(call, in, call->n);
    const Type *wide = with_rows(call, in, in->dims[0] + 2 * out->dims[0]);
    const char *t = text_of(call, out);
    const char *i =
        text_of(call, type_tensor(call->module->context, ELEMENT_I32, out->rank, out->dims));
    const char *b =
        text_of(call, type_tensor(call->module->context, ELEMENT_I1, out->rank, out->dims));
    StrBuf *text = &call->text;
    strbuf_append(
        text, SV("  %source = stablehlo.divide %step, %updates : tensor<i32>\n"
                 "  %before = stablehlo.multiply %source, %updates : tensor<i32>\n"
                 "  %update = stablehlo.subtract %step, %before : tensor<i32>\n"
                 "  %place = stablehlo.add %base, %update : tensor<i32>\n"));
    put_number(call, "from");
    put_number(call, "size");
    put_number(call, "to");
    put_slice(call, "slab", "all_rows", "source", all, slab);
    strbuf_printf(
        text, "  %%theirs = stablehlo.reshape %%slab : (%s) -> %s\n", text_of(call, slab),
        text_of(call, in));
    strbuf_append(text, SV("  %wide = stablehlo.pad %theirs, %nothing, low = ["));
    put_list(text, in->rank, out->dims[0]);
    strbuf_append(text, SV("], high = ["));
    put_list(text, in->rank, out->dims[0]);
    strbuf_append(text, SV("], interior = ["));
    put_list(text, in->rank, 0);
    strbuf_printf(
        text, "] : (%s, tensor<%.*s>) -> %s\n", text_of(call, in),
        SV_ARG(element_text(in->element)), text_of(call, wide));
    strbuf_append(
        text, SV("  %shift = stablehlo.subtract %from, %to : tensor<i32>\n"
                 "  %start = stablehlo.add %shift, %height : tensor<i32>\n"));
    put_slice(call, "moved", "wide", "start", wide, out);
    strbuf_printf(
        text,
        "  %%row = stablehlo.iota dim = 0 : %s\n"
        "  %%end = stablehlo.add %%to, %%size : tensor<i32>\n"
        "  %%firsts = stablehlo.broadcast_in_dim %%to, dims = [] : (tensor<i32>) -> %s\n"
        "  %%ends = stablehlo.broadcast_in_dim %%end, dims = [] : (tensor<i32>) -> %s\n"
        "  %%is_begun = stablehlo.compare GE, %%row, %%firsts : (%s, %s) -> %s\n"
        "  %%is_open = stablehlo.compare LT, %%row, %%ends : (%s, %s) -> %s\n"
        "  %%is_theirs = stablehlo.and %%is_begun, %%is_open : %s\n"
        "  %%next = stablehlo.select %%is_theirs, %%moved, %%result : %s, %s\n"
        "  %%next_step = stablehlo.add %%step, %%one : tensor<i32>\n"
        "  stablehlo.return %%next_step, %%next : tensor<i32>, %s\n",
        i, i, i, i, i, b, i, i, b, b, b, t, t);
}

static bool put_text(Call *call) {
    const Type *in = op_operand_type(call->op, 0), *out = op_operand_type(call->op, 1);
    const char *t = text_of(call, out);
    StrBuf *text = &call->text;
    put_gather(call, 0, "rows");
    put_gather(call, 2, "from");
    put_gather(call, 3, "size");
    put_gather(call, 4, "to");
    if (!put_rank(call)) return false;
    strbuf_printf(
        text,
        "%%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "%%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "%%updates = stablehlo.constant dense<%" PRId64 "> : tensor<i32>\n"
        "%%steps = stablehlo.constant dense<%" PRId64 "> : tensor<i32>\n"
        "%%height = stablehlo.constant dense<%" PRId64 "> : tensor<i32>\n"
        "%%base = stablehlo.multiply %%rank, %%updates : tensor<i32>\n"
        "%%nothing = stablehlo.convert %%zero : (tensor<i32>) -> tensor<%.*s>\n"
        "%%out:2 = stablehlo.while(%%step = %%zero, %%result = %%operand1) : tensor<i32>, %s\n"
        "cond {\n"
        "  %%more = stablehlo.compare LT, %%step, %%steps : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "  stablehlo.return %%more : tensor<i1>\n"
        "} do {\n",
        call->updates, call->updates * call->n, out->dims[0], SV_ARG(element_text(in->element)), t);
    put_step(call);
    strbuf_printf(text, "}\nreturn %%out#1 : %s\n", t);
    return true;
}

// ---- the pass ----

static bool import_call(Module *module, Arena *scratch, Op *op) {
    if (!strview_is(op_text(op, NAME_CALL_TARGET_NAME), "ragged_all_to_all")) return false;
    Call call = {.op = op, .module = module, .scratch = scratch, .text = strbuf(scratch)};
    return read_call(&call) && put_text(&call) &&
           replace_custom_call(
               module, scratch, op, SV("<ragged_all_to_all>"), strbuf_view(&call.text));
}

PassResult pass_import_ragged(Module *module, PassContext *pass) {
    return import_custom_calls(module, pass, import_call);
}
