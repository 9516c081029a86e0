// refine_shapes: sizes that follow from the arguments' take the place of dynamic dimensions.
//
//   In      any verified module; the entry's arguments may be given types and values.
//   Out     static types in the entry; no get_dimension_size, no dynamic_* op, no shape assertion,
//           no calls. Values of a static program are not changed.
//   Keeps   shardings. Fails where a shape depends on data, or does not fit what the program says.
//
//   before  (%a: tensor<?xf32>)  %0 = get_dimension_size %a, dim = 0
//                                %1 = reshape %0
//                                %2 = dynamic_iota %1, dim = 0 : tensor<?xi32>
//   after   (%a: tensor<8xf32>)  %2 = iota dim = 0 : tensor<8xi32>
#include "ir/legalize/refine_ops.h"
#include "ir/refine/refine.h"
#include "ir/simplify/simplify.h"
#include "ir/verify/verify.h"

#include <string.h>

static bool is_dynamic(const Type *type) {
    return type->kind == TYPE_TENSOR && !type_is_static(type);
}

static bool op_is_dynamic(const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (is_dynamic(op_result_type(op, i))) return true;
    }
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++) {
            if (is_dynamic(op->regions[r]->args[i]->type)) return true;
        }
    }
    return false;
}

static bool find_dynamic(Op *op, void *user) {
    const Op **found = user;
    if (op_is_dynamic(op)) *found = op;
    return !*found;
}

bool module_is_dynamic(const Module *module) {
    const Op *found = NULL;
    region_walk(module->body, find_dynamic, &found);
    return found != NULL;
}

static bool fail_unknown(Legalizer *refiner, const Op *op, const Type *type) {
    StrBuf text = strbuf(refiner->pass->diags->arena);
    type_print(&text, type);
    diag_unsupported(
        refiner->pass->diags, op->loc,
        "'%.*s' op has a result of type '%s' whose shape is not known when the program is compiled",
        SV_ARG(op->name), strbuf_cstring(&text));
    refiner->failed = true;
    return false;
}

// The value gets the sizes of `better` too.
static bool refine_value(Legalizer *refiner, const Op *op, Value *value, const Type *better) {
    const Type *merged = refine_merge(refiner->module->context, value->type, better);
    if (merged) {
        refiner->changed = refiner->changed || merged != value->type;
        value->type = merged;
        return true;
    }
    StrBuf text = strbuf(refiner->pass->diags->arena);
    type_print(&text, value->type);
    strbuf_puts(&text, "' here, but its shape is that of '");
    type_print(&text, better);
    diag_error(
        refiner->pass->diags, op->loc, "'%.*s' op has a value of type '%s'", SV_ARG(op->name),
        strbuf_cstring(&text));
    refiner->failed = true;
    return false;
}

static bool refine_region(Legalizer *refiner, Region *region);

static bool refine_regions(Legalizer *refiner, Op *op) {
    for (int r = 0; r < op->region_count; r++) {
        if (!refine_region(refiner, op->regions[r])) return false;
    }
    return true;
}

// What a loop carries has one shape in all rounds: that of its start.
static bool refine_while(Legalizer *refiner, Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        for (int r = 0; r < op->region_count; r++) {
            if (!refine_value(refiner, op, op->regions[r]->args[i], op_operand_type(op, i)))
                return false;
        }
        if (!refine_value(refiner, op, op_result(op, i), op_operand_type(op, i))) return false;
    }
    if (!refine_regions(refiner, op)) return false;
    const Op *end = op->regions[1]->last;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *carried = op_result_type(op, i), *next = op_operand_type(end, i);
        if (next == carried) continue;
        if (is_dynamic(next)) return fail_unknown(refiner, op, carried);
        diag_unsupported(
            refiner->pass->diags, op->loc,
            "'%.*s' op changes the shape of what it carries: value %d", SV_ARG(op->name), i);
        refiner->failed = true;
        return false;
    }
    return true;
}

// Both branches give one shape.
static bool refine_branches(Legalizer *refiner, Op *op) {
    if (!refine_regions(refiner, op)) return false;
    for (int r = 0; r < op->region_count; r++) {
        const Op *end = op->regions[r]->last;
        for (int i = 0; i < op->result_count; i++) {
            if (!refine_value(refiner, op, op_result(op, i), op_operand_type(end, i))) return false;
        }
    }
    return true;
}

static bool refine_results(Legalizer *refiner, Op *op) {
    const Type **types = ARENA_ARRAY(refiner->pass->scratch, const Type *, op->result_count + 1);
    if (!refine_result_types(refiner, op, types)) {
        refiner->failed = true;
        return false;
    }
    for (int i = 0; i < op->result_count; i++) {
        if (!refine_value(refiner, op, op_result(op, i), types[i])) return false;
    }
    return true;
}

static const char *failed_assertion(Legalizer *refiner, const Op *op) {
    const int64_t **numbers =
        ARENA_ARRAY(refiner->pass->scratch, const int64_t *, op->operand_count);
    for (int i = 1; i < op->operand_count; i++)
        numbers[i - 1] = constant_numbers(refiner->pass->scratch, op_operand(op, i), 1);
    return assertion_text(refiner->pass->diags->arena, op, numbers);
}

// Assertions on shapes are decided here.
static bool refine_assertion(Legalizer *refiner, Op *op) {
    const int64_t *holds = constant_numbers(refiner->pass->scratch, op_operand(op, 0), 1);
    if (holds && *holds) {
        op_erase(op);
        refiner->changed = true;
        return true;
    }
    if (holds) {
        diag_error(
            refiner->pass->diags, op->loc, "shape assertion failed: %s",
            failed_assertion(refiner, op));
    } else {
        diag_unsupported(
            refiner->pass->diags, op->loc, "'%.*s' op asserts what depends on data",
            SV_ARG(op->name));
    }
    refiner->failed = true;
    return false;
}

static bool refine_op(Legalizer *refiner, Op *op) {
    if (is_shape_assertion(op)) return refine_assertion(refiner, op);
    if (fold_constant_op(refiner->module, refiner->pass->scratch, op)) {
        refiner->changed = true;
        return true;
    }
    if (op->code == OP_WHILE) return refine_while(refiner, op);
    if (op->code == OP_IF || op->code == OP_CASE) return refine_branches(refiner, op);
    if (!op_has(op, TRAIT_ISOLATED) && !refine_regions(refiner, op)) return false;
    if (op_is_dynamic(op) && !refine_results(refiner, op)) return false;
    if (op_has(op, TRAIT_DYNAMIC)) legalize_op(refiner, op);
    return !refiner->failed;
}

static bool refine_region(Legalizer *refiner, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        const Op *after = op->next;
        Op *before = op->prev;
        if (!refine_op(refiner, op)) return false;
        // What took the op's place is looked at too, unless it is the op itself.
        next = before ? before->next : region->first;
        if (next == op) next = op->next;
        while (next && next != after && next->code == OP_CONSTANT)
            next = next->next;
    }
    return true;
}

bool known_arguments(
    Arena *arena, const Op *entry, const Attr *list, const KnownArgument **arguments_known,
    Diags *diags) {
    int count = func_body(entry)->arg_count;
    if (list->kind != ATTR_ARRAY || list->count != count) {
        diag_error(
            diags, NULL, "%d types of arguments were given, @%.*s has %d arguments", list->count,
            SV_ARG(func_name(entry)), count);
        return false;
    }
    KnownArgument *all = ARENA_ARRAY(arena, KnownArgument, count + 1);
    for (int i = 0; i < count; i++) {
        const Attr *item = list->items[i];
        bool is_tensor = (item->kind == ATTR_TYPE && item->type->kind == TYPE_TENSOR) ||
                         item->kind == ATTR_ELEMENTS;
        if (item->kind == ATTR_TYPE && item->type->kind == TYPE_NONE) continue;
        if (!is_tensor) {
            diag_error(diags, NULL, "argument %d must be given as a tensor type or a constant", i);
            return false;
        }
        all[i].type = item->type;
        if (item->kind == ATTR_ELEMENTS) all[i].value = item;
    }
    *arguments_known = all;
    return true;
}

static bool set_arguments(
    Legalizer *refiner, Op *entry, int count, const KnownArgument *arguments_known) {
    Region *body = func_body(entry);
    for (int i = 0; i < count; i++) {
        Value *arg = body->args[i];
        const Type *type = arguments_known[i].type;
        if (!type) continue;
        const Type *merged = refine_merge(refiner->module->context, arg->type, type);
        if (!merged || type->kind != TYPE_TENSOR || type->element != arg->type->element) {
            StrBuf text = strbuf(refiner->pass->diags->arena);
            type_print(&text, arg->type);
            strbuf_puts(&text, "', which does not fit '");
            type_print(&text, type);
            diag_error(
                refiner->pass->diags, arg->loc, "argument %d has type '%s'", i,
                strbuf_cstring(&text));
            return false;
        }
        arg->type = merged;
        if (!arguments_known[i].value) continue;
        Builder builder = builder_before(refiner->module, body->first);
        value_replace_uses(arg, build_constant(&builder, arguments_known[i].value));
    }
    return true;
}

// The function's type is that of its arguments and of what it returns.
static void update_function_type(Module *module, Arena *scratch, Op *entry) {
    const Region *body = func_body(entry);
    const Op *end = body->last;
    int args = body->arg_count, results = end->operand_count;
    const Type **types = ARENA_ARRAY(scratch, const Type *, args + results + 1);
    for (int i = 0; i < args; i++)
        types[i] = body->args[i]->type;
    for (int i = 0; i < results; i++)
        types[args + i] = op_operand_type(end, i);
    const Type *type = type_function(module->context, args, types, results, types + args);
    op_set_attr(module, entry, NAME_FUNCTION_TYPE, attr_type(module->context, type));
}

// The arguments' shapes are where refinement starts.
static bool check_arguments(Legalizer *refiner, const Op *entry) {
    const Region *body = func_body(entry);
    for (int i = 0; i < body->arg_count; i++) {
        if (!is_dynamic(body->args[i]->type)) continue;
        StrBuf text = strbuf(refiner->pass->diags->arena);
        type_print(&text, body->args[i]->type);
        diag_error(
            refiner->pass->diags, body->args[i]->loc,
            "argument %d has type '%s': its shape must be given to compile the program, by "
            "--input-types or the files of the inputs",
            i, strbuf_cstring(&text));
        return false;
    }
    return true;
}

// Every shape of the entry must be known now.
static bool check_known(Legalizer *refiner, Op *entry) {
    Region *body = func_body(entry);
    const Op *found = NULL;
    region_walk(body, find_dynamic, &found);
    if (!found) return true;
    for (int i = 0; i < found->result_count; i++) {
        if (is_dynamic(op_result_type(found, i)))
            return fail_unknown(refiner, found, op_result_type(found, i));
    }
    return fail_unknown(refiner, found, found->regions[0]->args[0]->type);
}

PassResult refine_shapes(
    Module *module, Op *entry, int count, const KnownArgument *arguments_known, PassContext *pass) {
    if (count == 0 && !module_is_dynamic(module)) return PASS_UNCHANGED;
    if (pass_inline(module, pass) == PASS_FAILED) return PASS_FAILED;
    Legalizer refiner = {.module = module, .pass = pass};
    if (!set_arguments(&refiner, entry, count, arguments_known) ||
        !check_arguments(&refiner, entry) || !func_body(entry)->last ||
        !refine_region(&refiner, func_body(entry)) || !check_known(&refiner, entry))
        return PASS_FAILED;
    update_function_type(module, pass->scratch, entry);
    // Shapes that were left open may contradict each other once they are known.
    return verify_module(module, pass->diags) ? PASS_CHANGED : PASS_FAILED;
}

PassResult pass_refine_shapes(Module *module, PassContext *pass) {
    Op *entry = module_entry(module, (StrView){NULL, 0});
    if (!entry || (!pass->input_types && !module_is_dynamic(module))) return PASS_UNCHANGED;
    // dead ops and functions may be as they like; afterwards the shape computations are dead
    bool erases = pass_flag(pass, "erase-dead");
    if (erases) (void)pass_dce(module, pass);
    const KnownArgument *arguments_known = NULL;
    int count = 0;
    if (pass->input_types) {
        count = func_body(entry)->arg_count;
        if (!known_arguments(
                pass->scratch, entry, pass->input_types, &arguments_known, pass->diags))
            return PASS_FAILED;
    }
    if (refine_shapes(module, entry, count, arguments_known, pass) == PASS_FAILED)
        return PASS_FAILED;
    if (erases) (void)pass_dce(module, pass);
    return PASS_CHANGED;
}
