// hlo_control: tuples, calls, control flow, tokens and what they order.
#include "frontend/hlo/hlo_import.h"

// ---- values that are passed on ----

bool hlo_parameter(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)importer;
    (void)instr;
    (void)code;
    (void)results; // set when the computation was entered
    return true;
}

// The only operand: copies between layouts and places.
bool hlo_forward(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)code;
    if (!hlo_check_operands(importer, instr, 1)) return false;
    *results = hlo_operand_values(importer, instr, 0);
    return true;
}

bool hlo_forward_all(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)code;
    *results = hlo_all_operands(importer, instr);
    return true;
}

// The first operand, behind the second, a token: the values' own order is enough.
bool hlo_add_dependency(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)code;
    if (!hlo_check_operands(importer, instr, 2)) return false;
    *results = hlo_operand_values(importer, instr, 0);
    return true;
}

bool hlo_get_tuple_element(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)code;
    if (!hlo_check_operands(importer, instr, 1)) return false;
    const HloAttr *attr = hlo_need_attr(importer, instr, HLO_INDEX);
    if (!attr) return false;
    int64_t index = attr->number;
    const Type *tuple = hlo_operand(importer, instr, 0)->shape.type;
    HloValues values = hlo_operand_values(importer, instr, 0);
    if (tuple->kind != TYPE_TUPLE || index < 0 || index >= tuple->part_count)
        return hlo_fail(importer, instr, "the operand has no element %lld", (long long)index);
    if (values.count != hlo_leaf_count(tuple))
        return hlo_refuse(importer, instr, "of an asynchronous op is not supported");
    int first = 0;
    for (int i = 0; i < index; i++)
        first += hlo_leaf_count(tuple->parts[i]);
    *results = (HloValues){values.data + first, hlo_leaf_count(tuple->parts[index])};
    return true;
}

// ---- calls ----

bool hlo_fusion(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)code;
    HloComputation *computation = hlo_computation_attr(importer, instr, HLO_CALLS);
    return computation &&
           hlo_inline(importer, instr, computation, hlo_all_operands(importer, instr), results);
}

// A function and a call of it; bodies of reductions and the like hold no calls, but copies.
bool hlo_call(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    HloComputation *computation = hlo_computation_attr(importer, instr, HLO_TO_APPLY);
    if (!computation) return false;
    HloValues operands = hlo_all_operands(importer, instr);
    if (importer->scalar_depth > 0)
        return hlo_inline(importer, instr, computation, operands, results);
    Op *func = hlo_func(importer, computation, false);
    Op *op = func ? hlo_emit(importer, instr, code, operands, 0, results) : NULL;
    if (!op) return false;
    hlo_set(importer, op, NAME_CALLEE, attr_symbol(importer->context, func_name(func)));
    return true;
}

// ---- control flow ----

bool hlo_while(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 2, results);
    HloComputation *condition = op ? hlo_computation_attr(importer, instr, HLO_CONDITION) : NULL;
    HloComputation *body = condition ? hlo_computation_attr(importer, instr, HLO_BODY) : NULL;
    return body && hlo_region(importer, instr, condition, op->regions[0], NULL) &&
           hlo_region(importer, instr, body, op->regions[1], NULL);
}

enum { MAX_BRANCHES = 1024 };

// branch_computations={a, b}, or true_computation=a, false_computation=b
static bool read_branches(HloImporter *importer, HloInstr *instr, HloCalls *branches) {
    const HloAttr *attr = hlo_attr(instr, HLO_BRANCHES);
    if (attr) {
        *branches = attr->calls;
        return branches->count <= MAX_BRANCHES ||
               hlo_refuse(
                   importer, instr, "of more than %d branches is not supported", MAX_BRANCHES);
    }
    branches->data = ARENA_ARRAY(importer->arena, HloComputation *, 2);
    branches->count = 2;
    branches->data[0] = hlo_computation_attr(importer, instr, HLO_TRUE_COMPUTATION);
    if (!branches->data[0]) return false;
    branches->data[1] = hlo_computation_attr(importer, instr, HLO_FALSE_COMPUTATION);
    return branches->data[1] != NULL;
}

// Branches see their operands from inside.
bool hlo_conditional(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    HloCalls branches;
    if (!read_branches(importer, instr, &branches) ||
        !hlo_check_operands(importer, instr, 1 + branches.count))
        return false;
    int count = branches.count;
    HloValues selector = hlo_operand_values(importer, instr, 0);
    Value *index = hlo_array(importer, instr, 0);
    if (!index) return false;
    bool is_if = index->type->element == ELEMENT_I1;
    if (is_if && count != 2)
        return hlo_fail(importer, instr, "of a predicate requires two branches, but has %d", count);
    Op *op = hlo_emit(importer, instr, is_if ? OP_IF : code, selector, count, results);
    bool ok = op != NULL;
    for (int b = 0; b < count && ok; b++) {
        HloValues args = hlo_operand_values(importer, instr, 1 + b);
        ok = hlo_region(importer, instr, branches.data[b], op->regions[b], &args);
    }
    return ok;
}

// ---- tokens ----

bool hlo_after_all(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    if (instr->operand_count == 0) code = OP_CREATE_TOKEN;
    return hlo_plain(importer, instr, code, results);
}

bool hlo_infeed(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    StrView config = hlo_text_attr(instr, HLO_INFEED_CONFIG);
    if (op) hlo_set(importer, op, NAME_INFEED_CONFIG, attr_string(importer->context, config));
    return op != NULL;
}

bool hlo_outfeed(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    StrView config = hlo_text_attr(instr, HLO_OUTFEED_CONFIG);
    if (op) hlo_set(importer, op, NAME_OUTFEED_CONFIG, attr_string(importer->context, config));
    return op != NULL;
}

// HLO's results have a context in the middle: (data, u32[], token[]). StableHLO's send gives
// the token, recv data and token.
bool hlo_send_recv(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    const Type *shape = instr->shape.type;
    if (shape->kind != TYPE_TUPLE || shape->part_count != 3)
        return hlo_fail(importer, instr, "expected a result of data, context and token");
    const Type *parts[2] = {shape->parts[0], shape->parts[2]};
    HloInstr made = *instr;
    made.shape.type = code == OP_SEND ? shape->parts[2] : type_tuple(importer->context, 2, parts);
    bool is_host = hlo_bool_attr(instr, HLO_IS_HOST_TRANSFER, false);
    int64_t channel[2] = {hlo_int_attr(instr, HLO_CHANNEL_ID, 0), 1};
    Op *op = hlo_emit(importer, &made, code, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    if (is_host) channel[1] = code == OP_SEND ? 2 : 3;
    const Attr handle = {.kind = ATTR_CHANNEL, .count = 2, .ints = channel};
    hlo_set(importer, op, NAME_CHANNEL_HANDLE, attr_intern(importer->context, &handle));
    hlo_set(importer, op, NAME_IS_HOST_TRANSFER, attr_bool(importer->context, is_host));
    return true;
}

// ---- asynchronous ops ----

static bool ends_with(StrView text, const char *end) {
    return strview_ends_with(text, strview(end));
}

// Started here and done here: X-start gives what X gives, and X-done passes it on. The result's
// shape is (operands, results, ...), but of all-reduce-start, which has the results alone.
bool hlo_async_start(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    if (strview_is(instr->opcode, "async-start")) return hlo_fusion(importer, instr, code, results);
    HloInstr inner = *instr;
    inner.opcode.size -= strlen("-start");
    if (ends_with(inner.opcode, "-start") || ends_with(inner.opcode, "-done") ||
        ends_with(inner.opcode, "-update") || strview_is(inner.opcode, "async"))
        return hlo_refuse(importer, instr, "is not known");
    if (!strview_is(inner.opcode, "all-reduce")) {
        if (instr->shape.type->kind != TYPE_TUPLE || instr->shape.type->part_count < 2)
            return hlo_fail(importer, instr, "expected a result of operands and results");
        inner.shape = instr->shape.parts[1];
    }
    return importer->import_instr(importer, &inner, results);
}

// What stands on the end of an asynchronous op, its start has said.
bool hlo_async_done(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    for (int i = 0; i < instr->attr_count; i++)
        instr->attrs[i].is_used = true;
    return hlo_forward_all(importer, instr, code, results);
}
