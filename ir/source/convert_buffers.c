// convert_buffers: programs that work on buffers and call MPI are not compiled: where their data
// lie and who sends what is written in them already.
#include "ir/source/source.h"

bool convert_buffers(Legalizer *legalizer, Op *op) {
    diag_unsupported(
        legalizer->pass->diags, op->loc,
        "'%.*s' op is of a program of buffers or MPI, which is read and printed, not run: run the "
        "program on tensors, as it is before convert-shard-to-mpi",
        SV_ARG(op->name));
    legalizer->failed = true;
    return false;
}
