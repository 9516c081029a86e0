// What carries XLA's annotations of shardings, and what they say: mhlo.sharding in GSPMD's text,
// and entries of mhlo.frontend_attributes in Shardy's. Private to import/.
#ifndef SHARDC_FRONTEND_IMPORT_SHARDING_CARRIERS_H
#define SHARDC_FRONTEND_IMPORT_SHARDING_CARRIERS_H

#include "base/map.h"
#include "frontend/gspmd/gspmd.h"
#include "ir/module.h"

typedef struct Importer {
    Module *module;
    Arena *scratch;
    Diags *diags;
    bool is_round_trip; // Shardy's own text; else GSPMD's
    GspmdMesh gspmd;
    PtrMap parsed;               // text attribute -> GspmdSharding
    StrView mesh_name;           // of GSPMD's mesh; empty: all are replicated or on one device
    PtrMap borders;              // Op -> ManualBorder
    const GspmdSharding *misfit; // fits no mesh with those before it
    bool ok;
} Importer;

// What may carry an annotation: an op, or an argument or result of a function.
typedef struct Carrier {
    Op *op;
    AttrName list; // NAME_ARG_ATTRS or NAME_RES_ATTRS of a function; else ATTR_NAME_COUNT
    int index;
    FuncDicts *dicts; // of that list
} Carrier;

static const char gspmd_key[] = "mhlo.sharding";

Carrier carrier_of_op(Op *op);
const Loc *carrier_loc(const Carrier *carrier); // the argument's own place; results have none
// "attribute mhlo.sharding of argument 1"
StrView carrier_attribute(Importer *importer, const Carrier *carrier, const char *name);
// "'func.func' op attribute mhlo.sharding of argument 1: PROBLEM"; false.
bool carrier_fail(
    Importer *importer, const Carrier *carrier, const char *name, const char *problem);
// Takes mhlo.sharding and the xla.sdy entries away: they are said otherwise now.
void carrier_clear(Importer *importer, const Carrier *carrier);

// NULL where there is none.
const Attr *carried_attr(const Carrier *carrier, const char *name);
// of mhlo.frontend_attributes
const Attr *carried_frontend_attr(const Carrier *carrier, const char *name);

// ---- GSPMD's text ----
// NULL with a diagnostic
const GspmdSharding *carried_gspmd(Importer *importer, const Carrier *carrier, const Attr *text);
// What GSPMD's text says of a value of the type; *sharding is NULL when that is nothing.
bool gspmd_value_sharding(
    Importer *importer, const Carrier *carrier, const GspmdSharding *gspmd, const Type *type,
    const Sharding **sharding);

// ---- Shardy's text ----
// A string attribute's text as the attribute that it spells; NULL with a diagnostic at the op.
const Attr *read_spelled_attr(
    Importer *importer, const Carrier *carrier, const char *name, const Attr *text);
// xla.sdy.sharding and the like: one sharding per value. *shardings is NULL when there is none.
bool carried_shardings(
    Importer *importer, const Carrier *carrier, const char *name, int count,
    const Sharding *const **shardings);

#endif
