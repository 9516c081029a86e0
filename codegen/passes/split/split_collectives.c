// split_collectives: every collective has one operand.
//
//   In      a device program.
//   Out     a collective with several operands is as many adjacent ones with one each. To read
//           another device's memory costs nothing to begin with: what devices wait for is a
//           barrier, and kernels in a row that need the same one share it. So each part is fused
//           with its own producer and its own reader.
//   Keeps   what the program computes. all_gather and the like stand before their first reader, so
//           that a result that must be stored is stored no longer than needed; sums stand where the
//           collective was, so that kernels that sum follow each other.
//
//   before  %2:2 = all_reduce(%0, %1)    %3 = tanh(%2#0)
//   after   %2 = all_reduce(%0)    %3 = all_reduce(%1)    %4 = tanh(%2)
#include "codegen/fuse/fuse.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

typedef struct Splitter {
    Module *module;
    int64_t *positions; // by Op.number, of ops as they were
    int64_t next;
} Splitter;

static bool number_op(Op *op, void *user) {
    Splitter *splitter = user;
    splitter->positions[op->number] = splitter->next++;
    return true;
}

// The op in the region that first reads the value, itself or inside; `otherwise` when none does.
static Op *first_reader(
    const Splitter *splitter, const Region *region, const Value *value, Op *otherwise) {
    Op *first = NULL;
    for (const Use *use = value->uses; use; use = use->next) {
        Op *reader = region_ancestor_of(region, use->owner);
        bool is_first =
            !first || splitter->positions[reader->number] < splitter->positions[first->number];
        if (is_first) first = reader;
    }
    return first ? first : otherwise;
}

static void split(Splitter *splitter, Op *op) {
    Module *module = splitter->module;
    bool sums = op->region_count > 0;
    for (int i = 0; i < op->operand_count; i++) {
        Value *operand = op_operand(op, i), *result = op_result(op, i);
        Builder builder =
            builder_before(module, sums ? op : first_reader(splitter, op->parent, result, op));
        builder.loc = result->loc ? result->loc : op->loc;
        Op *part = build_op(&builder, op->code, 1, &operand, 1, &result->type, op->region_count);
        for (int a = 0; a < op->attr_count; a++) {
            op_set_attr(module, part, op->attrs[a].name, op->attrs[a].value);
        }
        part->extra = op->extra;
        for (int r = 0; r < op->region_count; r++) {
            PtrMap values = ptr_map(module->arena);
            region_clone_into(module, part->regions[r], op->regions[r], &values);
        }
        value_replace_uses(result, op_result(part, 0));
    }
    op_erase(op);
}

static void split_region(Splitter *splitter, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++) {
                split_region(splitter, op->regions[r]);
            }
        } else if (
            op_has(op, TRAIT_COLLECTIVE) && op->operand_count > 1 &&
            op->operand_count == op->result_count) {
            split(splitter, op);
        }
    }
}

PassResult pass_split_collectives(Module *module, PassContext *pass) {
    const Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    Splitter splitter = {
        .module = module, .positions = ARENA_ARRAY(pass->scratch, int64_t, module->next_op_number)};
    region_walk(func_body(main), number_op, &splitter);
    split_region(&splitter, func_body(main));
    return PASS_CHANGED;
}
