// tile_orders: arguments and results whose tiles lie in memory in another order of dimensions than
// row-major, as mhlo.layout_mode says.
//
//   before  func @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"})
//           (minor to major: dimension 0 is the fastest)
//   after   func @main(%a: tensor<3x2xf32>)  %0 = transpose %a, [1, 0]
//           args[0].order = [1, 0], slowest first
//
// "auto" of a result that is a transposed value is the order in which the value needs not be
// transposed; of all else, and "default", row-major.
#include "ir/builder.h"
#include "partition/partition.h"

typedef struct Orders {
    DeviceProgram *program;
    Diags *diags;
} Orders;

static const char mode_name[] = "mhlo.layout_mode";

static bool is_row_major(const int64_t *order, int rank) {
    for (int d = 0; d < rank; d++) {
        if (order[d] != d) return false;
    }
    return true;
}

// "{0,1,2}": every dimension once, the fastest first.
static bool parse_minor_to_major(StrView text, int rank, int64_t *order) {
    bool seen[MAX_RANK] = {false};
    size_t at = 1;
    if (text.size < 2 || text.data[0] != '{' || text.data[text.size - 1] != '}') return false;
    for (int i = rank - 1; i >= 0; i--) {
        size_t end = at;
        while (end < text.size - 1 && text.data[end] != ',')
            end++;
        int64_t d = 0;
        if (!strview_to_int64((StrView){text.data + at, end - at}, &d) || d < 0 || d >= rank ||
            seen[d])
            return false;
        seen[d] = true;
        order[i] = d;
        at = end + 1;
    }
    return at == text.size - (rank == 0);
}

// In which order a transposed value is the value before.
static void order_of_transposed(const Value *value, int64_t *order) {
    const Op *op = value->def;
    if (!op || op->code != OP_TRANSPOSE) return;
    const Attr *permutation = op_attr(op, NAME_PERMUTATION);
    for (int64_t d = 0; d < permutation->count; d++)
        order[permutation->ints[d]] = d;
}

// The order of the array that has the attribute, row-major without. False: with a diagnostic.
static bool read_order(
    const Orders *orders, const Value *value, const Attr *dict, bool is_result, const char *what,
    int i, int64_t *order) {
    const Attr *mode = attr_dict_get(dict, strview(mode_name));
    int rank = value->type->rank;
    for (int d = 0; d < rank; d++)
        order[d] = d;
    if (!mode) return true;
    if (mode->kind != ATTR_STRING) {
        diag_error(orders->diags, value->loc, "%s %d: %s must be a text", what, i, mode_name);
        return false;
    }
    if (strview_is(mode->text, "default") || value->type->kind != TYPE_TENSOR) return true;
    if (strview_is(mode->text, "auto")) {
        if (is_result) order_of_transposed(value, order);
        return true;
    }
    for (size_t at = 0; at < mode->text.size; at++) {
        if (mode->text.data[at] != ':') continue;
        diag_unsupported(
            orders->diags, value->loc,
            "%s %d: layouts of tiles are not supported; layouts that order dimensions are, as "
            "\"{0,1}\"",
            what, i);
        return false;
    }
    if (parse_minor_to_major(mode->text, rank, order)) return true;
    diag_error(
        orders->diags, value->loc,
        "%s %d: %s is \"%.*s\", but must be \"default\", \"auto\", or name each of the %d "
        "dimensions once, the fastest first",
        what, i, mode_name, SV_ARG(mode->text), rank);
    return false;
}

static const Type *ordered_type(Context *context, const Type *type, const int64_t *order) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[d] = type->dims[order[d]];
    return type_tensor(context, type->element, type->rank, dims);
}

static const int64_t *keep(const Orders *orders, const int64_t *order, int rank) {
    return arena_copy(orders->program->module->arena, order, (size_t)rank * sizeof *order);
}

static bool order_argument(const Orders *orders, int i, GlobalLayout *layout) {
    DeviceProgram *program = orders->program;
    Region *body = func_body(program->main);
    Value *arg = body->args[i];
    int64_t order[MAX_RANK], back[MAX_RANK];
    const Attr *dict = func_arg_attrs(program->main, i);
    if (!read_order(orders, arg, dict, false, "argument", i, order)) return false;
    int rank = arg->type->rank;
    if (arg->type->kind != TYPE_TENSOR || is_row_major(order, rank)) return true;
    for (int d = 0; d < rank; d++)
        back[order[d]] = d;
    layout->order = keep(orders, order, rank);
    arg->type = ordered_type(program->module->context, arg->type, order);
    Builder builder = builder_at_end(program->module, body);
    builder.before = body->first;
    builder.loc = arg->loc;
    Value *value = build_transpose(&builder, arg, back);
    value_replace_uses_except(arg, value, value->def);
    return true;
}

static bool order_result(const Orders *orders, int i, GlobalLayout *layout) {
    DeviceProgram *program = orders->program;
    Op *end = region_terminator(func_body(program->main));
    Value *value = op_operand(end, i);
    int64_t order[MAX_RANK];
    const Attr *dict = func_result_attrs(program->main, i);
    if (!read_order(orders, value, dict, true, "result", i, order)) return false;
    int rank = value->type->rank;
    if (value->type->kind != TYPE_TENSOR || is_row_major(order, rank)) return true;
    layout->order = keep(orders, order, rank);
    Builder builder = builder_before(program->module, end);
    op_set_operand(end, i, build_transpose(&builder, value, order));
    return true;
}

static bool have_same_order(const GlobalLayout *a, const GlobalLayout *b) {
    if (!a->order || !b->order) return a->order == b->order;
    for (int d = 0; d < a->local->rank; d++) {
        if (a->order[d] != b->order[d]) return false;
    }
    return true;
}

// The types of the body, and no attributes that say what is done.
static void update_main(DeviceProgram *program, Arena *scratch) {
    Op *main = program->main;
    const Region *body = func_body(main);
    const Type **types =
        ARENA_ARRAY(scratch, const Type *, body->arg_count + program->result_count);
    FuncDicts args = func_dicts_open(program->module, main, true, scratch);
    FuncDicts results = func_dicts_open(program->module, main, false, scratch);
    for (int i = 0; i < body->arg_count; i++) {
        types[i] = body->args[i]->type;
        func_dicts_set(&args, i, strview(mode_name), NULL);
    }
    for (int i = 0; i < program->result_count; i++) {
        types[body->arg_count + i] = op_operand_type(region_terminator(body), i);
        func_dicts_set(&results, i, strview(mode_name), NULL);
    }
    func_dicts_close(&args);
    func_dicts_close(&results);
    const Type *type = type_function(
        program->module->context, body->arg_count, types, program->result_count,
        types + body->arg_count);
    op_set_attr(
        program->module, main, NAME_FUNCTION_TYPE, attr_type(program->module->context, type));
}

bool partition_order_tiles(DeviceProgram *program, Arena *scratch, Diags *diags) {
    const Orders orders = {program, diags};
    GlobalLayout *args = arena_copy(
        program->module->arena, program->args, (size_t)program->arg_count * sizeof *args);
    GlobalLayout *results = arena_copy(
        program->module->arena, program->results, (size_t)program->result_count * sizeof *results);
    for (int i = 0; i < program->result_count; i++) { // before arguments are transposed
        if (!order_result(&orders, i, &results[i])) return false;
    }
    for (int i = 0; i < program->arg_count; i++) {
        if (!order_argument(&orders, i, &args[i])) return false;
    }
    for (int i = 0; i < program->arg_count; i++) {
        int alias = args[i].alias;
        if (alias < 0 || have_same_order(&args[i], &results[alias])) continue;
        args[i].alias = results[alias].alias = -1; // the argument is donated nevertheless
    }
    program->args = args;
    program->results = results;
    update_main(program, scratch);
    return true;
}
