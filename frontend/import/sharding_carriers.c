// sharding_carriers: see sharding_carriers.h.
#include "frontend/import/sharding_carriers.h"

#include "frontend/frontend.h"

static const char frontend_key[] = "mhlo.frontend_attributes";

Carrier carrier_of_op(Op *op) { return (Carrier){op, ATTR_NAME_COUNT, 0, NULL}; }

static const Attr *carried_dict(const Carrier *carrier) {
    return carrier->dicts ? carrier->dicts->dicts[carrier->index] : carrier->op->extra;
}

const Attr *carried_attr(const Carrier *carrier, const char *name) {
    return attr_dict_get(carried_dict(carrier), strview(name));
}

const Attr *carried_frontend_attr(const Carrier *carrier, const char *name) {
    const Attr *dict = carried_attr(carrier, frontend_key);
    return dict && dict->kind == ATTR_DICT ? attr_dict_get(dict, strview(name)) : NULL;
}

static void set_carried(
    Importer *importer, const Carrier *carrier, StrView name, const Attr *value) {
    if (!carrier->dicts) {
        op_set_extra(importer->module, carrier->op, name, value);
        return;
    }
    func_dicts_set(carrier->dicts, carrier->index, name, value);
}

void carrier_clear(Importer *importer, const Carrier *carrier) {
    if (carried_attr(carrier, gspmd_key)) set_carried(importer, carrier, SV("mhlo.sharding"), NULL);
    const Attr *dict = carried_attr(carrier, frontend_key);
    if (!dict || dict->kind != ATTR_DICT) return;
    const Attr *kept = dict;
    for (int i = 0; i < dict->count; i++) {
        if (strview_starts_with(dict->names[i], SV("xla.sdy.")))
            kept = attr_dict_set(importer->module->context, kept, dict->names[i], NULL);
    }
    if (kept != dict) set_carried(importer, carrier, strview(frontend_key), kept);
}

const Loc *carrier_loc(const Carrier *carrier) {
    if (carrier->list != NAME_ARG_ATTRS) return carrier->op->loc;
    return func_body(carrier->op)->args[carrier->index]->loc;
}

StrView carrier_attribute(Importer *importer, const Carrier *carrier, const char *name) {
    StrBuf text = strbuf(importer->scratch);
    strbuf_printf(&text, "attribute %s", name);
    if (carrier->list == NAME_ARG_ATTRS) strbuf_printf(&text, " of argument %d", carrier->index);
    if (carrier->list == NAME_RES_ATTRS) strbuf_printf(&text, " of result %d", carrier->index);
    return strbuf_view(&text);
}

bool carrier_fail(
    Importer *importer, const Carrier *carrier, const char *name, const char *problem) {
    StrView attribute = carrier_attribute(importer, carrier, name);
    diag_error(
        importer->diags, carrier_loc(carrier), "'%.*s' op %.*s: %s", SV_ARG(carrier->op->name),
        SV_ARG(attribute), problem);
    importer->ok = false;
    return false;
}

// ---- GSPMD's text ----

const GspmdSharding *carried_gspmd(Importer *importer, const Carrier *carrier, const Attr *text) {
    GspmdSharding *sharding = ptr_map_get(&importer->parsed, text);
    if (sharding) return sharding;
    const char *problem = "must be a string";
    sharding = ARENA_NEW(importer->scratch, GspmdSharding);
    if (text->kind != ATTR_STRING ||
        !gspmd_parse(importer->scratch, text->text, sharding, &problem)) {
        carrier_fail(importer, carrier, gspmd_key, problem);
        return NULL;
    }
    ptr_map_set(&importer->parsed, text, sharding);
    return sharding;
}

static const Sharding *maximal_sharding(Importer *importer, int64_t device) {
    Context *context = importer->module->context;
    Mesh mesh = {.id_count = 1, .device_ids = &device};
    Sharding made = {.mesh = mesh_intern(context, &mesh)}; // sdy-lift-inlined-meshes names it
    return sharding_intern(context, &made);
}

// The dimensions of `unspecified_dims=[0,2]` in a @Sharding's configuration, a bit each.
static uint64_t unspecified_dims(const Op *op) {
    static const char key[] = "unspecified_dims=[";
    const Attr *config = op_attr(op, NAME_BACKEND_CONFIG);
    uint64_t dims = 0;
    if (op->code != OP_CUSTOM_CALL || !config || config->kind != ATTR_STRING) return 0;
    if (!strview_starts_with(config->text, strview(key))) return 0;
    const char *next = config->text.data + sizeof key - 1;
    const char *end = config->text.data + config->text.size;
    unsigned dim = 0;
    for (; next < end && *next != ']'; next++) {
        if (*next == ',') {
            dims |= (uint64_t)1 << (dim & 63);
            dim = 0;
        } else if (*next >= '0' && *next <= '9' && dim < MAX_RANK) {
            dim = dim * 10 + (unsigned)(*next - '0');
        }
    }
    return dims | (uint64_t)1 << (dim & 63);
}

bool gspmd_value_sharding(
    Importer *importer, const Carrier *carrier, const GspmdSharding *gspmd, const Type *type,
    const Sharding **sharding) {
    *sharding = NULL;
    if (type->kind != TYPE_TENSOR || type->unranked || gspmd->kind == GSPMD_UNKNOWN) return true;
    if (gspmd->kind == GSPMD_TUPLE)
        return carrier_fail(importer, carrier, gspmd_key, "a tuple for one value");
    if (gspmd->kind == GSPMD_MAXIMAL) {
        *sharding = maximal_sharding(importer, gspmd->device);
        return true;
    }
    if (importer->mesh_name.size == 0 || gspmd->kind == GSPMD_MANUAL) return true;
    *sharding = gspmd_to_sharding(
        &importer->gspmd, importer->module->context, importer->mesh_name, gspmd, type->rank,
        unspecified_dims(carrier->op));
    return *sharding ||
           carrier_fail(importer, carrier, gspmd_key, "has another rank than the tensor");
}

// ---- Shardy's text ----

// Quotes may have been escaped once more on their way through HLO.
static StrView without_escapes(Arena *arena, StrView text) {
    StrBuf plain = strbuf(arena);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\\' && i + 1 < text.size && text.data[i + 1] == '"') continue;
        strbuf_putc(&plain, text.data[i]);
    }
    return strbuf_view(&plain);
}

const Attr *read_spelled_attr(
    Importer *importer, const Carrier *carrier, const char *name, const Attr *text) {
    if (text->kind != ATTR_STRING) {
        carrier_fail(importer, carrier, name, "must be a string");
        return NULL;
    }
    Diags *own = diags_create(importer->scratch);
    StrView plain = without_escapes(importer->scratch, text->text);
    const Attr *attr = frontend_read_attr(importer->module, importer->scratch, plain, own);
    if (attr) return attr;
    const char *problem = "is no attribute";
    if (own->first) problem = arena_cstring(importer->scratch, own->first->message);
    carrier_fail(importer, carrier, name, problem);
    return NULL;
}

bool carried_shardings(
    Importer *importer, const Carrier *carrier, const char *name, int count,
    const Sharding *const **shardings) {
    const Attr *text = carried_frontend_attr(carrier, name);
    *shardings = NULL;
    if (!text) return true;
    const Attr *attr = read_spelled_attr(importer, carrier, name, text);
    if (!attr) return false;
    if (attr->kind == ATTR_SHARDING) {
        attr = attr_shardings(importer->module->context, 1, &attr->sharding);
    } else if (attr->kind != ATTR_SHARDINGS) {
        return carrier_fail(importer, carrier, name, "is no sharding");
    }
    if (attr->count != count)
        return carrier_fail(
            importer, carrier, name, "has another number of shardings than there are values");
    *shardings = attr->shardings;
    return true;
}
