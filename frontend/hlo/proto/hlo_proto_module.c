// hlo_proto_module: see hlo_proto.h. Fields that are not known here are refused unless they are
// empty or zero, which is what they are when they say nothing.
#include "frontend/hlo/proto/hlo_decoder.h"
#include "frontend/hlo/proto/hlo_proto.h"

static Loc *place_of(const HloDecoder *decoder, StrView bytes) {
    Loc *loc = ARENA_NEW(decoder->arena, Loc);
    loc->texts = decoder->source->texts;
    loc->offset = (uint32_t)(bytes.data - decoder->start);
    return loc;
}

// ---- instructions ----

static StrView key_of(const int64_t *id) { return (StrView){(const char *)id, sizeof *id}; }

// Ids of instructions hold their computation's in the upper half, or nothing there.
static const int *find_instr(const HloDecoder *decoder, int64_t id) {
    const int *found = str_map_get(&decoder->instrs, key_of(&id));
    int64_t local = id & 0xffffffff;
    return found ? found : str_map_get(&decoder->instrs, key_of(&local));
}

static bool decode_operands(HloDecoder *decoder, HloInstr *instr) {
    IntSpan ids;
    if (!hlo_field_ints(decoder, HLO_FIELD_INSTR_OPERANDS, &ids)) return false;
    instr->operands = ARENA_ARRAY(decoder->arena, int, (int64_t)ids.count + 1);
    instr->operand_count = ids.count;
    for (int i = 0; i < ids.count; i++) {
        const int *found = find_instr(decoder, ids.data[i]);
        if (!found)
            return hlo_decode_fail(
                decoder, "operand %d of '%.*s' is not defined before its use", i,
                SV_ARG(instr->name));
        instr->operands[i] = *found;
    }
    return true;
}

static bool decode_metadata(HloDecoder *decoder, StrView bytes, LocTexts *texts) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        switch (field.number) {
        case HLO_FIELD_METADATA_OP_NAME: texts->name = field.bytes; break;
        case HLO_FIELD_METADATA_FILE: texts->model_file = field.bytes; break;
        case HLO_FIELD_METADATA_LINE: texts->model_line = hlo_line((int64_t)field.value); break;
        case HLO_FIELD_METADATA_FRAME:
            hlo_set_frame(decoder->frames, (int64_t)field.value, texts);
            break;
        default: break;
        }
    }
    return hlo_decode_end(decoder, &message);
}

static bool decode_instr(HloDecoder *decoder, StrView bytes, HloInstr *instr) {
    Loc *loc = place_of(decoder, bytes);
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    *instr = (HloInstr){.parameter = -1, .loc = loc};
    decoder->loc = loc;
    decoder->fields.count = 0;
    while (proto_next(&message, &field))
        vec_push(decoder->arena, &decoder->fields, field);
    if (!hlo_decode_end(decoder, &message)) return false;
    instr->name = hlo_field_bytes(decoder, HLO_FIELD_INSTR_NAME);
    instr->opcode = hlo_field_bytes(decoder, HLO_FIELD_INSTR_OPCODE);
    if (instr->opcode.size == 0) return hlo_decode_fail(decoder, "the instruction has no opcode");
    LocTexts texts = *loc->texts;
    if (!decode_metadata(decoder, hlo_field_bytes(decoder, HLO_FIELD_INSTR_METADATA), &texts) ||
        !hlo_decode_shape(
            decoder, hlo_field_bytes(decoder, HLO_FIELD_INSTR_SHAPE), &instr->shape) ||
        !decode_operands(decoder, instr))
        return false;
    if (strview_is(instr->opcode, "parameter")) {
        instr->parameter = hlo_field_int(decoder, HLO_FIELD_INSTR_PARAMETER);
        if (instr->parameter < 0)
            return hlo_decode_fail(decoder, "the number of a parameter is negative");
        texts.value_name = hlo_without_number(instr->name);
    }
    loc->texts = loc_texts_intern(decoder->source->context->interner, &texts);
    if (strview_is(instr->opcode, "constant")) {
        const ProtoField *literal = hlo_field(decoder, HLO_FIELD_INSTR_LITERAL);
        if (!literal)
            return hlo_decode_fail(
                decoder, "the constant's elements were left out when the program was written: "
                         "write it with them");
        if (!hlo_decode_literals(decoder, literal->bytes, instr->shape.type, &instr->literals))
            return false;
    }
    return hlo_decode_attrs(decoder, instr);
}

// ---- computations ----

typedef struct Raw {
    HloComputation *computation;
    StrView bytes;
    int64_t id, root_id;
} Raw;

// The computation's name, ids and number of instructions, which are read when all computations are
// known.
static bool decode_header(HloDecoder *decoder, StrView bytes, Raw *raw) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    int64_t count = 0;
    HloComputation *computation = ARENA_NEW(decoder->arena, HloComputation);
    *raw = (Raw){.computation = computation, .bytes = bytes};
    decoder->loc = computation->loc = place_of(decoder, bytes);
    while (proto_next(&message, &field)) {
        switch (field.number) {
        case HLO_FIELD_COMPUTATION_NAME: computation->name = field.bytes; break;
        case HLO_FIELD_COMPUTATION_INSTRS: count++; break;
        case HLO_FIELD_COMPUTATION_ID: raw->id = (int64_t)field.value; break;
        case HLO_FIELD_COMPUTATION_ROOT_ID: raw->root_id = (int64_t)field.value; break;
        default: break;
        }
    }
    if (!hlo_decode_end(decoder, &message)) return false;
    if (count == 0) return hlo_decode_fail(decoder, "the computation has no instructions");
    if (count > INT32_MAX / 2)
        return hlo_decode_fail(decoder, "the computation has too many instructions");
    computation->instr_count = (int)count;
    decoder->module->instr_count += count;
    return true;
}

typedef struct InstrKey {
    int64_t id;
    int number;
} InstrKey;

static bool decode_body(HloDecoder *decoder, const Raw *raw) {
    HloComputation *computation = raw->computation;
    VEC(HloInstr) instrs = {0}; // grows with what was read, not with what is announced
    ProtoMessage message = proto_message(raw->bytes);
    ProtoField field;
    decoder->instrs = str_map(decoder->arena);
    while (proto_next(&message, &field)) {
        if (field.number != HLO_FIELD_COMPUTATION_INSTRS) continue;
        HloInstr instr;
        if (!decode_instr(decoder, field.bytes, &instr)) return false;
        InstrKey *key = ARENA_NEW(decoder->arena, InstrKey);
        *key = (InstrKey){hlo_field_int(decoder, HLO_FIELD_INSTR_ID), (int)instrs.count};
        if (str_map_get(&decoder->instrs, key_of(&key->id)))
            return hlo_decode_fail(
                decoder, "there are two instructions of the number %lld", (long long)key->id);
        str_map_set(&decoder->instrs, key_of(&key->id), &key->number);
        vec_push(decoder->arena, &instrs, instr);
    }
    computation->instrs = instrs.data;
    decoder->loc = computation->loc;
    const int *root = find_instr(decoder, raw->root_id);
    if (!root)
        return hlo_decode_fail(decoder, "the computation's root is none of its instructions");
    computation->root = *root;
    return hlo_number_parameters(decoder->source, computation);
}

// ---- the module ----

static bool decode_location(HloDecoder *decoder, StrView bytes, int64_t *numbers, int count) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        if (field.number <= count) numbers[field.number - 1] = (int64_t)field.value;
    }
    return hlo_decode_end(decoder, &message);
}

static bool decode_frames(HloDecoder *decoder, StrView bytes, HloFrames *frames) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        int64_t numbers[4] = {0}; // file, function, line, column; of a frame its location
        if (field.number == HLO_FIELD_FRAMES_FILES)
            vec_push(decoder->arena, &frames->files, field.bytes);
        if (field.number != HLO_FIELD_FRAMES_LOCATIONS && field.number != HLO_FIELD_FRAMES_FRAMES)
            continue;
        if (!decode_location(decoder, field.bytes, numbers, 4)) return false;
        HloFileLocation location = {numbers[0], numbers[2], numbers[3]};
        if (field.number == HLO_FIELD_FRAMES_LOCATIONS)
            vec_push(decoder->arena, &frames->locations, location);
        else
            vec_push(decoder->arena, &frames->frames, numbers[0]);
    }
    return hlo_decode_end(decoder, &message);
}

// HloInputOutputAliasProto, HloBufferDonorProto
static bool decode_aliases(
    HloDecoder *decoder, StrView bytes, bool is_donors, HloAliases *aliases) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    VEC(HloAlias) list = {0};
    while (proto_next(&message, &field)) {
        HloAlias alias;
        if (field.number != 1) continue;
        bool ok = is_donors ? hlo_decode_alias(decoder, field.bytes, 0, 1, 2, &alias)
                            : hlo_decode_alias(decoder, field.bytes, 1, 2, 3, &alias);
        if (!ok) return false;
        vec_push(decoder->arena, &list, alias);
    }
    *aliases = (HloAliases){list.data, list.count};
    return hlo_decode_end(decoder, &message);
}

static bool decode_config(HloDecoder *decoder, StrView bytes) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    HloModule *module = decoder->module;
    while (proto_next(&message, &field)) {
        if (field.number == HLO_FIELD_CONFIG_REPLICA_COUNT)
            module->replica_count = (int64_t)field.value;
        if (field.number == HLO_FIELD_CONFIG_PARTITION_COUNT)
            module->partition_count = (int64_t)field.value;
    }
    return hlo_decode_end(decoder, &message);
}

typedef struct RawModule {
    StrView entry_name;
    int64_t entry_id;
    VEC(Raw) computations;
    HloFrames frames;
} RawModule;

static bool decode_fields(HloDecoder *decoder, StrView bytes, RawModule *raw) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    HloModule *module = decoder->module;
    Raw computation;
    bool ok = true;
    while (ok && proto_next(&message, &field)) {
        decoder->loc = module->loc;
        switch (field.number) {
        case HLO_FIELD_MODULE_NAME: module->name = field.bytes; break;
        case HLO_FIELD_MODULE_ENTRY_NAME: raw->entry_name = field.bytes; break;
        case HLO_FIELD_MODULE_ENTRY_ID: raw->entry_id = (int64_t)field.value; break;
        case HLO_FIELD_MODULE_COMPUTATIONS:
            ok = decode_header(decoder, field.bytes, &computation);
            if (ok) vec_push(decoder->arena, &raw->computations, computation);
            break;
        case HLO_FIELD_MODULE_ALIASES:
            module->aliases_loc = decoder->loc = place_of(decoder, field.bytes);
            ok = decode_aliases(decoder, field.bytes, false, &module->aliases);
            break;
        case HLO_FIELD_MODULE_DONORS:
            module->donors_loc = decoder->loc = place_of(decoder, field.bytes);
            ok = decode_aliases(decoder, field.bytes, true, &module->donors);
            break;
        case HLO_FIELD_MODULE_FRAMES: ok = decode_frames(decoder, field.bytes, &raw->frames); break;
        case HLO_FIELD_MODULE_FRONTEND:
            ok = hlo_decode_pairs(decoder, field.bytes, &module->frontend);
            break;
        default: break; // schedules, profiles, what the partitioner did
        }
    }
    return ok && hlo_decode_end(decoder, &message);
}

static bool decode_module(HloDecoder *decoder, StrView bytes) {
    HloModule *module = decoder->module;
    RawModule raw = {0};
    if (!decode_fields(decoder, bytes, &raw)) return false;
    decoder->frames = &raw.frames;
    for (int64_t i = 0; i < raw.computations.count; i++) {
        Raw *computation = &raw.computations.data[i];
        decoder->loc = computation->computation->loc;
        if (str_map_get(&decoder->computations, key_of(&computation->id)))
            return hlo_decode_fail(
                decoder, "there are two computations of the number %lld",
                (long long)computation->id);
        str_map_set(&decoder->computations, key_of(&computation->id), computation->computation);
        bool is_entry = raw.entry_name.size > 0
                            ? strview_equal(computation->computation->name, raw.entry_name)
                            : computation->id == raw.entry_id;
        if (is_entry) module->entry = computation->computation;
    }
    for (int64_t i = 0; i < raw.computations.count; i++) {
        if (!decode_body(decoder, &raw.computations.data[i])) return false;
    }
    decoder->loc = module->loc;
    return module->entry || hlo_decode_fail(decoder, "the module has no entry computation");
}

// ---- the outermost message ----

static bool is_name(StrView bytes) {
    for (size_t i = 0; i < bytes.size; i++) {
        if ((unsigned char)bytes.data[i] < 32 || (unsigned char)bytes.data[i] == 127) return false;
    }
    return bytes.size > 0;
}

// HloModuleProto begins with its name, the entry computation's name, and computations.
static bool is_module(StrView bytes) {
    ProtoMessage message = proto_message(bytes);
    ProtoField fields[3];
    for (int i = 0; i < 3; i++) {
        if (!proto_next(&message, &fields[i]) || fields[i].number != i + 1 ||
            fields[i].wire != PROTO_BYTES)
            return false;
    }
    return is_name(fields[0].bytes) && is_name(fields[1].bytes);
}

// The module in the message, and the configuration beside it, empty where there is none;
// false when it is something else.
static bool find_module(StrView bytes, StrView *module, StrView *config) {
    *config = SV("");
    for (int depth = 0; depth < 3; depth++) {
        ProtoMessage message = proto_message(bytes);
        ProtoField first, second;
        *module = bytes;
        if (is_module(bytes)) return true;
        if (!proto_next(&message, &first) || first.number != HLO_FIELD_OUTER_MODULE ||
            first.wire != PROTO_BYTES)
            return false;
        bool has_config = is_module(first.bytes) && proto_next(&message, &second) &&
                          second.number == HLO_FIELD_OUTER_CONFIG && second.wire == PROTO_BYTES;
        if (has_config) *config = second.bytes;
        bytes = first.bytes;
    }
    return false;
}

bool is_hlo_proto(StrView contents) {
    StrView module, config;
    return find_module(contents, &module, &config);
}

HloModule *hlo_decode(const HloSource *source, StrView bytes) {
    HloDecoder decoder = {
        .source = source,
        .context = source->context,
        .arena = source->arena,
        .start = bytes.data,
        .module = ARENA_NEW(source->arena, HloModule),
        .computations = str_map(source->arena)};
    StrView module, config;
    decoder.loc = decoder.module->loc = decoder.module->counts_loc = place_of(&decoder, bytes);
    bool ok = find_module(bytes, &module, &config) ||
              hlo_decode_fail(&decoder, "expected an HloModuleProto");
    ok = ok && decode_config(&decoder, config) && decode_module(&decoder, module);
    return ok ? decoder.module : NULL;
}
