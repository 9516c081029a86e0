// hlo_proto_devices: the groups and pairs of devices of collectives.
#include "frontend/hlo/proto/hlo_attr_decoder.h"

static bool add_group_rows(AttrDecoder *to, const Messages *list) {
    IntSpan *rows = ARENA_ARRAY(to->decoder->arena, IntSpan, list->count + 1);
    for (int64_t i = 0; i < list->count; i++) {
        ProtoMessage message = proto_message(list->data[i]);
        ProtoField field;
        ProtoInts ids = {0};
        while (proto_next(&message, &field)) {
            if (field.number == 1 && !hlo_decode_ints(to->decoder, &field, &ids)) return false;
        }
        if (!hlo_decode_end(to->decoder, &message)) return false;
        rows[i] = proto_span(&ids);
    }
    HloGroups groups = {0};
    if (!hlo_row_groups(to->decoder->arena, list->count, rows, &groups))
        return hlo_decode_fail(to->decoder, "so many devices are not supported");
    hlo_attr_add(to, HLO_REPLICA_GROUPS)->groups = groups;
    return true;
}

// IotaReplicaGroupListProto
static bool add_iota_groups(AttrDecoder *to, StrView bytes) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts dims = {0}, order = {0};
    int64_t count = 0, size = 0;
    while (proto_next(&message, &field)) {
        bool ok = true;
        if (field.number == 1) count = (int64_t)field.value;
        if (field.number == 2) size = (int64_t)field.value;
        if (field.number == 3) ok = hlo_decode_ints(to->decoder, &field, &dims);
        if (field.number == 4) ok = hlo_decode_ints(to->decoder, &field, &order);
        if (!ok) return false;
    }
    HloGroups groups = {0};
    bool ok = dims.count == order.count && dims.count <= MAX_RANK &&
              hlo_iota_groups(
                  to->decoder->arena, count, size, (int)dims.count, dims.data, order.data, &groups);
    if (!ok) return hlo_decode_fail(to->decoder, "the groups are no arrangement of the devices");
    hlo_attr_add(to, HLO_REPLICA_GROUPS)->groups = groups;
    return hlo_decode_end(to->decoder, &message);
}

// A list in the form of an iota, a CollectiveDeviceListProto, or a list of groups in older programs
static bool add_groups(AttrDecoder *to) {
    Messages rows = {0}, iota = {0};
    const ProtoField *devices = hlo_field(to->decoder, HLO_FIELD_INSTR_DEVICE_LIST);
    hlo_attr_own_messages(to, HLO_FIELD_INSTR_REPLICA_GROUPS, &rows);
    hlo_attr_own_messages(to, HLO_FIELD_INSTR_IOTA_GROUPS, &iota);
    if (devices) {
        rows.count = 0;
        if (!hlo_attr_list_messages(to, devices->bytes, 1, &rows) ||
            !hlo_attr_list_messages(to, devices->bytes, 2, &iota))
            return false;
    }
    if (iota.count > 0) return add_iota_groups(to, vec_last(&iota));
    return add_group_rows(to, &rows);
}

static bool add_pairs_of_devices(AttrDecoder *to) {
    Messages list = {0};
    hlo_attr_own_messages(to, HLO_FIELD_INSTR_SOURCE_TARGET_PAIRS, &list);
    IntSpan *rows = ARENA_ARRAY(to->decoder->arena, IntSpan, list.count + 1);
    int64_t *numbers = ARENA_ARRAY(to->decoder->arena, int64_t, 2 * list.count + 1);
    for (int64_t i = 0; i < list.count; i++) {
        if (!hlo_attr_read_numbers(to, list.data[i], &numbers[2 * i], 2)) return false;
        rows[i] = (IntSpan){&numbers[2 * i], 2};
    }
    HloGroups pairs = {0};
    if (!hlo_row_groups(to->decoder->arena, list.count, rows, &pairs))
        return hlo_decode_fail(to->decoder, "so many devices are not supported");
    hlo_attr_add(to, HLO_SOURCE_TARGET_PAIRS)->groups = pairs;
    return true;
}

bool hlo_is_collective(const AttrDecoder *to) {
    return hlo_opcode_begins(to, "all-") || hlo_opcode_begins(to, "reduce-scatter") ||
           hlo_opcode_begins(to, "collective-broadcast");
}

bool hlo_add_collective(AttrDecoder *to) {
    HloDecoder *decoder = to->decoder;
    int64_t channel = hlo_field_int(decoder, HLO_FIELD_INSTR_CHANNEL_ID);
    if (channel <= 0) channel = hlo_field_int(decoder, HLO_FIELD_INSTR_ALL_REDUCE_ID);
    if (channel > 0) hlo_attr_add(to, HLO_CHANNEL_ID)->number = channel;
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_USE_GLOBAL_IDS))
        hlo_attr_add(to, HLO_USE_GLOBAL_IDS)->flag = true;
    if (hlo_opcode_begins(to, "collective-permute")) return add_pairs_of_devices(to);
    return !hlo_is_collective(to) || add_groups(to);
}
