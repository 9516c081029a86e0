// hlo_proto_annotations: frontend attributes and shardings.
#include "frontend/gspmd/gspmd.h"
#include "frontend/hlo/proto/hlo_attr_decoder.h"

static int compare_pairs(const HloPairs *pairs, int a, int b) {
    return strview_compare(pairs->names[a], pairs->names[b]);
}

// In order of names, as text has them: a map's own order is any.
static HloPairs sorted_pairs(Arena *arena, const HloPairs *pairs) {
    StrView *names = ARENA_ARRAY(arena, StrView, pairs->count + 1);
    StrView *texts = ARENA_ARRAY(arena, StrView, pairs->count + 1);
    int *order = ARENA_ARRAY(arena, int, 2 * (int64_t)pairs->count + 2);
    int *from = order, *into = order + pairs->count;
    for (int i = 0; i < pairs->count; i++)
        from[i] = i;
    for (int width = 1; width < pairs->count; width *= 2) { // merge sort
        for (int start = 0; start < pairs->count; start += 2 * width) {
            int middle = start + width < pairs->count ? start + width : pairs->count;
            int end = middle + width < pairs->count ? middle + width : pairs->count;
            int a = start, b = middle;
            for (int i = start; i < end; i++) {
                bool left = a < middle && (b == end || compare_pairs(pairs, from[a], from[b]) <= 0);
                into[i] = left ? from[a++] : from[b++];
            }
        }
        int *swapped = from;
        from = into;
        into = swapped;
    }
    for (int i = 0; i < pairs->count; i++) {
        names[i] = pairs->names[from[i]];
        texts[i] = pairs->texts[from[i]];
    }
    return (HloPairs){names, texts, pairs->count};
}

bool hlo_decode_pairs(HloDecoder *decoder, StrView bytes, HloPairs *pairs) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    VEC(StrView) names = {0}, texts = {0};
    while (proto_next(&message, &field)) {
        if (field.number != 1) continue;
        ProtoMessage entry = proto_message(field.bytes);
        ProtoField part;
        StrView words[2] = {SV(""), SV("")};
        while (proto_next(&entry, &part)) {
            if (part.number <= 2) words[part.number - 1] = part.bytes;
        }
        if (!hlo_decode_end(decoder, &entry)) return false;
        if (names.count == INT32_MAX / 2)
            return hlo_decode_fail(decoder, "too many frontend attributes");
        vec_push(decoder->arena, &names, words[0]);
        vec_push(decoder->arena, &texts, words[1]);
    }
    HloPairs given = {names.data, texts.data, (int)names.count};
    *pairs = sorted_pairs(decoder->arena, &given);
    return hlo_decode_end(decoder, &message);
}

bool hlo_add_sharding(AttrDecoder *to, StrView bytes) {
    HloDecoder *decoder = to->decoder;
    GspmdSharding value;
    const char *problem;
    if (!gspmd_decode(decoder->arena, bytes, &value, &problem))
        return hlo_decode_fail(decoder, "the sharding is damaged: %s", problem);
    HloSharding *sharding = ARENA_NEW(decoder->arena, HloSharding);
    sharding->is_tuple = value.kind == GSPMD_TUPLE;
    sharding->whole = gspmd_text(decoder->arena, &value);
    StrView *parts = ARENA_ARRAY(decoder->arena, StrView, (int64_t)value.part_count + 1);
    for (int i = 0; i < value.part_count; i++)
        parts[i] = gspmd_text(decoder->arena, &value.parts[i]);
    sharding->parts = parts;
    sharding->part_count = value.part_count;
    hlo_attr_add(to, HLO_SHARDING)->sharding = sharding;
    return true;
}
