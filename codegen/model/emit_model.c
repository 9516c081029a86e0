// emit_model: the tables of include/shardc/model.h as constants, and shardc_model_entry.
#include "shardc/model.h"

#include "base/json.h"
#include "codegen/model/entry.h"
#include "ir/print/print.h"
#include "ir/print/sharding_print.h"

#include <assert.h>
#include <stddef.h>

static LLVMValueRef i64_of(Entry *entry, int64_t number) {
    return LLVMConstInt(entry->i64, (unsigned long long)number, true);
}

static LLVMValueRef i32_of(Entry *entry, int64_t number) {
    return LLVMConstInt(entry->i32, (unsigned long long)number, true);
}

// A field of a C struct as generated code holds it.
typedef struct StructField {
    size_t offset, size;
    LLVMValueRef value;
} StructField;

#define FIELD(type, name, value) \
    { offsetof(type, name), sizeof(((type *)0)->name), value }

static size_t constant_size(const Entry *entry, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind: return sizeof(void *);
    case LLVMDoubleTypeKind: return sizeof(double);
    default: return type == entry->i64 ? sizeof(int64_t) : sizeof(int32_t);
    }
}

// The C struct of `size` bytes with these fields, in the order of their offsets; everything
// else in it is zero. Offsets and sizes come from the C compiler (FIELD), so the struct is
// laid out as the runtime reads it.
static LLVMValueRef struct_of(Entry *entry, size_t size, int count, const StructField *fields) {
    LLVMValueRef *parts = ARENA_ARRAY(entry->arena, LLVMValueRef, 2 * (int64_t)count + 1);
    unsigned part_count = 0;
    size_t end = 0;
    for (int i = 0; i <= count; i++) {
        size_t next = i < count ? fields[i].offset : size;
        assert(next >= end);
        if (next > end) {
            LLVMTypeRef gap = LLVMArrayType2(entry->i8, next - end);
            parts[part_count++] = LLVMConstNull(gap);
        }
        if (i == count) break;
        parts[part_count++] = fields[i].value;
        end = next + constant_size(entry, fields[i].value);
        assert(end == next + fields[i].size);
    }
    return LLVMConstStructInContext(entry->context, parts, part_count, true);
}

#define STRUCT_OF(entry, type, fields) \
    struct_of(entry, sizeof(type), (int)(sizeof(fields) / sizeof *(fields)), fields)

static LLVMValueRef table_of(Entry *entry, LLVMValueRef *rows, int64_t count, const char *name) {
    if (count == 0) return LLVMConstNull(entry->pointer);
    LLVMValueRef array = LLVMConstArray2(LLVMTypeOf(rows[0]), rows, (uint64_t)count);
    LLVMValueRef table = entry_global(entry, array, name);
    LLVMSetAlignment(table, 8); // packed structs have no alignment of their own
    return table;
}

// ---- arrays

static StrView sharding_text(Entry *entry, const GlobalLayout *layout) {
    if (!layout->sharding) return (StrView){"", 0};
    StrBuf text = strbuf(entry->arena);
    sharding_print_body(&text, layout->sharding);
    return strbuf_view(&text);
}

// Which results the plan allows to lie in their arguments' memory.
static bool *results_in_place(const Entry *entry, int count) {
    const Plan *plan = entry->plan;
    bool *in_place = ARENA_ARRAY(entry->arena, bool, count + 1);
    for (int64_t i = plan->all_buffers.count - 1; i >= 0; i--) { // of several the first counts
        const Buffer *buffer = plan->all_buffers.data[i];
        if (buffer->kind == BUFFER_RESULT && !buffer->base && buffer->index < count)
            in_place[buffer->index] = buffer->may_alias != 0;
    }
    return in_place;
}

static LLVMValueRef array_row(
    Entry *entry, const GlobalLayout *layout, const char *name, bool is_result, bool in_place) {
    int64_t device_count = entry->plan->program->device_count;
    bool all_write = !is_result || entry->plan->program->is_tiled;
    const Type *type = layout->global;
    bool is_tensor = type->kind == TYPE_TENSOR;
    int rank = is_tensor ? type->rank : 0;
    int64_t *offsets = ARENA_ARRAY(entry->arena, int64_t, device_count * rank + 1);
    LLVMValueRef *owners = ARENA_ARRAY(entry->arena, LLVMValueRef, device_count);
    for (int64_t device = 0; device < device_count; device++) {
        for (int d = 0; d < rank; d++) {
            offsets[device * rank + d] = layout_offset(layout, device, d);
        }
        bool owner = all_write || !is_tensor || layout_is_owner(layout, device);
        owners[device] = LLVMConstInt(entry->i8, owner, false);
    }
    LLVMValueRef owner = LLVMConstArray2(entry->i8, owners, (uint64_t)device_count);
    const StructField fields[] = {
        FIELD(shardc_model_array, name, entry_text(entry, strview(name))),
        FIELD(
            shardc_model_array, type,
            entry_text(entry, is_tensor ? element_text(type->element) : SV("token"))),
        FIELD(shardc_model_array, sharding, entry_text(entry, sharding_text(entry, layout))),
        FIELD(
            shardc_model_array, element_bytes,
            i64_of(entry, is_tensor ? (int64_t)element_bytes(type->element) : 0)),
        FIELD(shardc_model_array, bytes, i64_of(entry, is_tensor ? (int64_t)type_bytes(type) : 0)),
        FIELD(shardc_model_array, rank, i32_of(entry, rank)),
        FIELD(shardc_model_array, alias, i32_of(entry, layout->alias)),
        FIELD(shardc_model_array, dims, entry_i64s(entry, rank, type->dims)),
        FIELD(shardc_model_array, tile_dims, entry_i64s(entry, rank, layout->local->dims)),
        FIELD(shardc_model_array, offsets, entry_i64s(entry, device_count * rank, offsets)),
        FIELD(shardc_model_array, owner, entry_global(entry, owner, "owner")),
        FIELD(shardc_model_array, in_place, i32_of(entry, in_place)),
        FIELD(shardc_model_array, is_donated, i32_of(entry, !is_result && layout->donated)),
    };
    return STRUCT_OF(entry, shardc_model_array, fields);
}

static LLVMValueRef array_table(Entry *entry, bool is_result) {
    const DeviceProgram *program = entry->plan->program;
    const GlobalLayout *layouts = is_result ? program->results : program->args;
    int count = is_result ? program->result_count : program->arg_count;
    LLVMValueRef *rows = ARENA_ARRAY(entry->arena, LLVMValueRef, count);
    const bool *in_place = is_result ? results_in_place(entry, count) : NULL;
    for (int i = 0; i < count; i++) {
        const char *name = is_result ? entry_result_name(entry, i) : entry_argument_name(entry, i);
        rows[i] = array_row(entry, &layouts[i], name, is_result, in_place && in_place[i]);
    }
    return table_of(entry, rows, count, is_result ? "results" : "args");
}

static LLVMValueRef constant_table(Entry *entry) {
    const DeviceProgram *program = entry->plan->program;
    const bool *constant = constant_arguments_of(entry->arena, program->main);
    if (!constant) return LLVMConstNull(entry->pointer);
    LLVMValueRef *rows = ARENA_ARRAY(entry->arena, LLVMValueRef, program->arg_count + 1);
    for (int i = 0; i < program->arg_count; i++)
        rows[i] = LLVMConstInt(entry->i8, constant[i], false);
    LLVMValueRef all = LLVMConstArray2(entry->i8, rows, (uint64_t)program->arg_count);
    return entry_global(entry, all, "constant_args");
}

// NULL: all are row-major.
static LLVMValueRef order_table(Entry *entry) {
    const DeviceProgram *program = entry->plan->program;
    int count = program->arg_count + program->result_count;
    LLVMValueRef *rows = ARENA_ARRAY(entry->arena, LLVMValueRef, count + 1);
    bool has_any = false;
    for (int i = 0; i < count; i++) {
        const GlobalLayout *layout =
            i < program->arg_count ? &program->args[i] : &program->results[i - program->arg_count];
        rows[i] = layout->order ? entry_i64s(entry, layout->local->rank, layout->order)
                                : LLVMConstNull(entry->pointer);
        has_any = has_any || layout->order;
    }
    return has_any ? table_of(entry, rows, count, "orders") : LLVMConstNull(entry->pointer);
}

// ---- steps and barriers

static void location_text(StrBuf *out, const Loc *loc) {
    if (!loc) return;
    const LocTexts *texts = loc_texts(loc);
    if (loc->line > 0) {
        strbuf_append(out, texts->file.size ? texts->file : SV("program"));
        strbuf_printf(out, ":%d:%d", loc->line, loc->column);
    }
    if (texts->model_line > 0) {
        strbuf_printf(
            out, "%s%.*s:%d:%d", out->size ? " " : "", SV_ARG(texts->model_file), texts->model_line,
            texts->model_column);
    }
}

typedef struct StepTable {
    VEC(LLVMValueRef) rows;
} StepTable;

static StrView op_short_name(const Op *op) {
    StrView name = op ? op->name : SV("step");
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '.') return (StrView){name.data + i + 1, name.size - i - 1};
    }
    return name;
}

static void add_step_row(Entry *entry, StepTable *table, const Step *step) {
    const Kernel *kernel = step->kernel;
    StrView name = kernel ? strview(kernel->name) : op_short_name(step->op);
    StrView kind = SV("control");
    if (step->kind == STEP_BARRIER) kind = SV("barrier");
    if (kernel) kind = strview(kernel_kind_text(kernel->kind));
    StrBuf location = strbuf(entry->arena);
    const Loc *loc = kernel ? kernel->loc : step->op ? step->op->loc : NULL;
    location_text(&location, loc);
    bool collective =
        kernel ? kernel->remote_of != NULL : step->kind == STEP_BARRIER && step->barrier != 0;
    if (kernel && collective) kind = op_short_name(kernel->remote_of->def);
    const StructField fields[] = {
        FIELD(shardc_model_step, name, entry_text(entry, name)),
        FIELD(shardc_model_step, kind, entry_text(entry, kind)),
        FIELD(shardc_model_step, location, entry_text(entry, strbuf_view(&location))),
        FIELD(shardc_model_step, bytes, i64_of(entry, kernel ? kernel->bytes : 0)),
        FIELD(shardc_model_step, flops, i64_of(entry, kernel ? kernel->flops : 0)),
        FIELD(
            shardc_model_step, collective_bytes,
            i64_of(entry, kernel ? kernel->collective_bytes : 0)),
        FIELD(shardc_model_step, is_collective, i32_of(entry, collective)),
    };
    vec_push(entry->arena, &table->rows, STRUCT_OF(entry, shardc_model_step, fields));
}

static void add_steps(Entry *entry, StepTable *table, const StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        Step *step = list->steps.data[i];
        add_step_row(entry, table, step);
        int bodies = step->kind == STEP_WHILE    ? 2
                     : step->kind == STEP_BRANCH ? step->branch_count
                                                 : 0;
        for (int b = 0; b < bodies; b++) {
            add_steps(entry, table, step->bodies[b]);
        }
    }
}

static StepTable step_table(Entry *entry) {
    StepTable steps = {{0}};
    add_steps(entry, &steps, entry->plan->steps);
    return steps;
}

static LLVMValueRef barrier_table(Entry *entry) {
    const Plan *plan = entry->plan;
    LLVMValueRef *rows = ARENA_ARRAY(entry->arena, LLVMValueRef, plan->barriers.count);
    for (int64_t i = 0; i < plan->barriers.count; i++) {
        const BarrierGroups *groups = &plan->barriers.data[i];
        const StructField fields[] = {
            FIELD(
                shardc_model_barrier, group,
                groups->group ? entry_i32s(entry, plan->program->device_count, groups->group)
                              : LLVMConstNull(entry->pointer)),
            FIELD(
                shardc_model_barrier, group_count,
                i32_of(entry, groups->group ? groups->group_count : 0)),
        };
        rows[i] = STRUCT_OF(entry, shardc_model_barrier, fields);
    }
    return table_of(entry, rows, plan->barriers.count, "barriers");
}

// The first device of each device's class, of each partition that kernels are made once for.
static LLVMValueRef leader_table(Entry *entry) {
    const Plan *plan = entry->plan;
    int64_t devices = plan->program->device_count;
    int32_t *leaders = ARENA_ARRAY(entry->arena, int32_t, plan->once.count * devices + 1);
    for (int64_t k = 0; k < plan->once.count; k++) {
        const BarrierGroups *classes = &plan->barriers.data[plan->once.data[k]];
        for (int64_t d = 0; d < devices; d++)
            leaders[k * devices + d] = classes->first[classes->group[d]];
    }
    return entry_i32s(entry, plan->once.count * devices, leaders);
}

static LLVMValueRef result_share_table(Entry *entry) {
    const Plan *plan = entry->plan;
    int count = plan->program->result_count;
    int32_t *shares = ARENA_ARRAY(entry->arena, int32_t, count + 1);
    for (int r = 0; r < count; r++)
        shares[r] = -1;
    for (int64_t i = 0; i < plan->all_buffers.count; i++) {
        const Buffer *buffer = plan->all_buffers.data[i];
        if (buffer->kind != BUFFER_RESULT || buffer->base || buffer->index >= count) continue;
        if (buffer->once_for) shares[buffer->index] = plan_share(plan, buffer->once_for);
    }
    return entry_i32s(entry, count, shares);
}

// ---- custom calls

static LLVMValueRef custom_arrays(Entry *entry, const Op *op) {
    int count = op->operand_count + op->result_count;
    LLVMValueRef *rows = ARENA_ARRAY(entry->arena, LLVMValueRef, count);
    for (int i = 0; i < count; i++) {
        int result = i - op->operand_count;
        const Type *type = result < 0 ? op_operand_type(op, i) : op_result_type(op, result);
        bool is_tensor = type->kind == TYPE_TENSOR;
        int rank = is_tensor ? type->rank : 0;
        const StructField fields[] = {
            FIELD(
                shardc_model_custom_array, type,
                entry_text(entry, is_tensor ? element_text(type->element) : SV("token"))),
            FIELD(
                shardc_model_custom_array, bytes,
                i64_of(entry, is_tensor ? (int64_t)type_bytes(type) : 0)),
            FIELD(shardc_model_custom_array, rank, i32_of(entry, rank)),
            FIELD(shardc_model_custom_array, dims, entry_i64s(entry, rank, type->dims)),
        };
        rows[i] = STRUCT_OF(entry, shardc_model_custom_array, fields);
    }
    return table_of(entry, rows, count, "custom_arrays");
}

// The numbers of the dictionary backend_config.
static LLVMValueRef custom_attributes(Entry *entry, const Attr *config, int *count) {
    int entry_count = config && config->kind == ATTR_DICT ? config->count : 0;
    LLVMValueRef *rows = ARENA_ARRAY(entry->arena, LLVMValueRef, entry_count);
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(entry->context);
    *count = 0;
    for (int i = 0; i < entry_count; i++) {
        const Attr *attr = config->items[i];
        bool is_integer = attr->kind == ATTR_INT || attr->kind == ATTR_BOOL;
        if (!is_integer && attr->kind != ATTR_FLOAT) continue;
        const StructField fields[] = {
            FIELD(shardc_model_custom_attribute, name, entry_text(entry, config->names[i])),
            FIELD(
                shardc_model_custom_attribute, number,
                LLVMConstReal(f64, is_integer ? (double)attr->integer : attr->number)),
            FIELD(
                shardc_model_custom_attribute, integer,
                i64_of(entry, is_integer ? attr->integer : 0)),
            FIELD(shardc_model_custom_attribute, is_integer, i32_of(entry, is_integer)),
        };
        rows[(*count)++] = STRUCT_OF(entry, shardc_model_custom_attribute, fields);
    }
    return table_of(entry, rows, *count, "custom_attributes");
}

// config: its backend_config, wherever the program has it; NULL = none.
static StrView custom_dictionary(Entry *entry, const Op *op, const Attr *config) {
    StrBuf text = strbuf(entry->arena);
    strbuf_putc(&text, '{');
    for (int i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].name == NAME_BACKEND_CONFIG) continue;
        strbuf_append(&text, attr_name_text(op->attrs[i].name));
        strbuf_puts(&text, " = ");
        attr_print(&text, op->attrs[i].value);
        strbuf_puts(&text, ", ");
    }
    strbuf_puts(&text, "backend_config = ");
    if (config)
        attr_print(&text, config);
    else
        strbuf_puts(&text, "{}");
    strbuf_putc(&text, '}');
    return strbuf_view(&text);
}

static LLVMValueRef custom_row(Entry *entry, const Op *op) {
    const Attr *config = op_attr(op, NAME_BACKEND_CONFIG);
    const Attr *older = op_extra(op, "mhlo.backend_config"); // as older JAX writes dictionaries
    bool is_text = config && config->kind == ATTR_STRING;
    StrBuf location = strbuf(entry->arena);
    location_text(&location, op->loc);
    int attribute_count = 0;
    LLVMValueRef attributes = custom_attributes(entry, older ? older : config, &attribute_count);
    const StructField fields[] = {
        FIELD(
            shardc_model_custom_call, name, entry_text(entry, op_text(op, NAME_CALL_TARGET_NAME))),
        FIELD(shardc_model_custom_call, location, entry_text(entry, strbuf_view(&location))),
        FIELD(shardc_model_custom_call, config, entry_text(entry, is_text ? config->text : SV(""))),
        FIELD(shardc_model_custom_call, operand_count, i32_of(entry, op->operand_count)),
        FIELD(shardc_model_custom_call, result_count, i32_of(entry, op->result_count)),
        FIELD(shardc_model_custom_call, attribute_count, i32_of(entry, attribute_count)),
        FIELD(shardc_model_custom_call, arrays, custom_arrays(entry, op)),
        FIELD(shardc_model_custom_call, attributes, attributes),
        FIELD(
            shardc_model_custom_call, dictionary,
            entry_text(entry, custom_dictionary(entry, op, older ? older : config))),
    };
    return STRUCT_OF(entry, shardc_model_custom_call, fields);
}

static LLVMValueRef custom_table(Entry *entry) {
    LLVMValueRef *rows = ARENA_ARRAY(entry->arena, LLVMValueRef, entry->custom_call_count);
    for (int i = 0; i < entry->custom_call_count; i++)
        rows[i] = custom_row(entry, entry->custom_calls[i]);
    return table_of(entry, rows, entry->custom_call_count, "custom_calls");
}

// ---- the signature, for tools

static void json_layouts(
    Entry *entry, Json *json, int count, const GlobalLayout *layouts, bool is_result) {
    json_begin_array(json);
    for (int i = 0; i < count; i++) {
        json_begin_object(json);
        json_key(json, "name");
        json_string(
            json, strview(is_result ? entry_result_name(entry, i) : entry_argument_name(entry, i)));
        StrBuf type = strbuf(entry->arena);
        type_print(&type, layouts[i].global);
        json_key(json, "type");
        json_string(json, strbuf_view(&type));
        type = strbuf(entry->arena);
        type_print(&type, layouts[i].local);
        json_key(json, "local_type");
        json_string(json, strbuf_view(&type));
        json_key(json, "sharding");
        json_string(json, sharding_text(entry, &layouts[i]));
        json_key(json, "alias");
        json_int(json, layouts[i].alias);
        json_end_object(json);
    }
    json_end_array(json);
}

static StrView signature_text(Entry *entry) {
    const DeviceProgram *program = entry->plan->program;
    StrBuf text = strbuf(entry->arena);
    Json json = json_writer(&text);
    json_begin_object(&json);
    json_key(&json, "inputs");
    json_layouts(entry, &json, program->arg_count, program->args, false);
    json_key(&json, "outputs");
    json_layouts(entry, &json, program->result_count, program->results, true);
    json_end_object(&json);
    return strbuf_view(&text);
}

static StrView mesh_text(Entry *entry) {
    const DeviceProgram *program = entry->plan->program;
    const Mesh *mesh = NULL;
    for (int i = 0; i < program->arg_count && !mesh; i++) {
        mesh = program->args[i].mesh;
    }
    for (int i = 0; i < program->result_count && !mesh; i++) {
        mesh = program->results[i].mesh;
    }
    StrBuf text = strbuf(entry->arena);
    if (mesh) mesh_print(&text, mesh);
    return strbuf_view(&text);
}

// ---- the model

static LLVMValueRef runtime_function(Entry *entry, const char *name) {
    LLVMValueRef function =
        LLVMAddFunction(entry->module, name, LLVMFunctionType(entry->void_type, NULL, 0, false));
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    return function;
}

static LLVMValueRef constants_block(Entry *entry) {
    const Plan *plan = entry->plan;
    if (plan->constants_bytes == 0) return LLVMConstNull(entry->pointer);
    LLVMValueRef bytes =
        LLVMConstStringInContext2(entry->context, plan->constants, plan->constants_bytes, true);
    LLVMValueRef block = entry_global(entry, bytes, "constants");
    LLVMSetAlignment(block, 64);
    return block;
}

static LLVMValueRef program_table(Entry *entry, LLVMValueRef program) {
    int64_t device_count = entry->plan->program->device_count;
    LLVMValueRef *rows = ARENA_ARRAY(entry->arena, LLVMValueRef, device_count);
    int64_t shard = entry->options->shard;
    for (int64_t device = 0; device < device_count; device++) {
        bool is_here = shard < 0 || device == shard;
        rows[device] = is_here ? program : LLVMConstNull(entry->pointer);
    }
    return table_of(entry, rows, device_count, "programs");
}

// What devices must agree on that read each other's memory: steps, barriers, and where buffers lie.
static uint64_t plan_id(Entry *entry) {
    const Plan *plan = entry->plan;
    uint64_t id = hash_bytes(plan->constants, plan->constants_bytes, plan->arena_bytes);
    const bool *constant = constant_arguments_of(entry->arena, plan->program->main);
    if (constant) id = hash_bytes(constant, (size_t)plan->program->arg_count, id);
    for (int64_t i = 0; i < plan->all_buffers.count; i++) {
        const Buffer *buffer = plan->all_buffers.data[i];
        const int64_t place[] = {
            buffer->kind, buffer->slot, buffer->offset, (int64_t)buffer->bytes};
        id = hash_bytes(place, sizeof place, id);
    }
    for (int64_t i = 0; i < plan->barriers.count; i++) {
        const BarrierGroups *groups = &plan->barriers.data[i];
        size_t size =
            groups->group ? (size_t)plan->program->device_count * sizeof *groups->group : 0;
        id = hash_bytes(groups->group, size, id + (uint64_t)i);
    }
    StrView signature = signature_text(entry), mesh = mesh_text(entry);
    id = hash_bytes(signature.data, signature.size, id);
    return hash_bytes(mesh.data, mesh.size, id);
}

static void define_entry(Entry *entry, LLVMValueRef model) {
    LLVMTypeRef type = LLVMFunctionType(entry->pointer, NULL, 0, false);
    LLVMValueRef function = LLVMAddFunction(entry->module, "shardc_model_entry", type);
    LLVMPositionBuilderAtEnd(
        entry->builder, LLVMAppendBasicBlockInContext(entry->context, function, "entry"));
    LLVMBuildRet(entry->builder, model);
}

static int64_t slot_count(const Plan *plan) {
    return 2 + plan->program->arg_count + plan->program->result_count + plan->once.count;
}

LLVMValueRef entry_model(Entry *entry, LLVMValueRef program) {
    const DeviceProgram *device_program = entry->plan->program;
    StepTable steps = step_table(entry);
    int64_t shard = entry->options->shard, device_count = device_program->device_count;
    const StructField fields[] = {
        FIELD(shardc_model, abi_version, i32_of(entry, SHARDC_MODEL_ABI)),
        FIELD(shardc_model, struct_size, i32_of(entry, sizeof(shardc_model))),
        FIELD(shardc_model, name, entry_text(entry, strview(entry->name))),
        FIELD(shardc_model, producer, entry_text(entry, SV("shardc " SHARDC_VERSION))),
        FIELD(shardc_model, mesh, entry_text(entry, mesh_text(entry))),
        FIELD(shardc_model, cpu_features, entry_text(entry, strview(entry->target->required))),
        FIELD(shardc_model, device_count, i32_of(entry, device_count)),
        FIELD(shardc_model, arg_count, i32_of(entry, device_program->arg_count)),
        FIELD(shardc_model, result_count, i32_of(entry, device_program->result_count)),
        FIELD(shardc_model, step_count, i32_of(entry, steps.rows.count)),
        FIELD(shardc_model, barrier_count, i32_of(entry, entry->plan->barriers.count)),
        FIELD(shardc_model, first_device, i32_of(entry, shard >= 0 ? shard : 0)),
        FIELD(shardc_model, shard_count, i32_of(entry, shard >= 0 ? 1 : device_count)),
        FIELD(shardc_model, slot_count, i32_of(entry, slot_count(entry->plan))),
        FIELD(shardc_model, args, array_table(entry, false)),
        FIELD(shardc_model, results, array_table(entry, true)),
        FIELD(shardc_model, steps, table_of(entry, steps.rows.data, steps.rows.count, "steps")),
        FIELD(shardc_model, barriers, barrier_table(entry)),
        FIELD(shardc_model, constants, constants_block(entry)),
        FIELD(shardc_model, constants_bytes, i64_of(entry, (int64_t)entry->plan->constants_bytes)),
        FIELD(shardc_model, arena_bytes, i64_of(entry, (int64_t)entry->plan->arena_bytes)),
        FIELD(shardc_model, scratch_bytes, i64_of(entry, (int64_t)entry->plan->scratch_bytes)),
        FIELD(shardc_model, programs, program_table(entry, program)),
        FIELD(shardc_model, create, runtime_function(entry, "shardc_rt_create")),
        FIELD(shardc_model, execute, runtime_function(entry, "shardc_rt_execute")),
        FIELD(shardc_model, destroy, runtime_function(entry, "shardc_rt_destroy")),
        FIELD(shardc_model, message, runtime_function(entry, "shardc_rt_message")),
        FIELD(shardc_model, counters, runtime_function(entry, "shardc_rt_counters")),
        FIELD(shardc_model, events, runtime_function(entry, "shardc_rt_events")),
        FIELD(shardc_model, workspace_bytes, runtime_function(entry, "shardc_rt_workspace_bytes")),
        FIELD(shardc_model, signature, entry_text(entry, signature_text(entry))),
        FIELD(shardc_model, plan_id, i64_of(entry, (int64_t)plan_id(entry))),
        FIELD(shardc_model, shard_constants, LLVMConstNull(entry->pointer)),
        FIELD(shardc_model, join, runtime_function(entry, "shardc_rt_join")),
        FIELD(shardc_model, release, runtime_function(entry, "shardc_rt_release")),
        FIELD(shardc_model, custom_count, i32_of(entry, entry->custom_call_count)),
        FIELD(shardc_model, is_tiled, i32_of(entry, device_program->is_tiled)),
        FIELD(shardc_model, custom_calls, custom_table(entry)),
        FIELD(shardc_model, execute_tiles, runtime_function(entry, "shardc_rt_execute_tiles")),
        FIELD(shardc_model, orders, order_table(entry)),
        FIELD(shardc_model, constant_args, constant_table(entry)),
        FIELD(shardc_model, kept_bytes, i64_of(entry, (int64_t)entry->plan->kept_bytes)),
        FIELD(shardc_model, rebind, runtime_function(entry, "shardc_rt_rebind")),
        FIELD(shardc_model, share_count, i32_of(entry, entry->plan->once.count)),
        FIELD(shardc_model, leaders, leader_table(entry)),
        FIELD(shardc_model, result_shares, result_share_table(entry)),
    };
    LLVMValueRef model = STRUCT_OF(entry, shardc_model, fields);
    model = table_of(entry, &model, 1, "model");
    define_entry(entry, model);
    return model;
}
