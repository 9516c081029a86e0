// infer_mpi: calls of MPI: how many operands and results of which types they have.
#include "ir/infer/infer.h"

// One letter for each value, in order; `?` behind it: may be absent.
//   b a buffer, i an i32, p an i1, c a communicator, r a request, v an error code
typedef struct Signature {
    OpCode code;
    const char *operands, *results;
} Signature;

static const Signature signatures[] = {
    {OP_MPI_INIT, "", "v?"},
    {OP_MPI_FINALIZE, "", "v?"},
    {OP_MPI_COMM_WORLD, "", "c"},
    {OP_MPI_COMM_RANK, "c?", "v?i"},
    {OP_MPI_COMM_SIZE, "c?", "v?i"},
    {OP_MPI_COMM_SPLIT, "cii", "v?c"},
    {OP_MPI_SEND, "biic?", "v?"},
    {OP_MPI_ISEND, "biic?", "v?r"},
    {OP_MPI_RECV, "biic?", "v?"},
    {OP_MPI_IRECV, "biic?", "v?r"},
    {OP_MPI_ALLREDUCE, "bbc?", "v?"},
    {OP_MPI_ALLGATHER, "bbc?", "v?"},
    {OP_MPI_REDUCE_SCATTER_BLOCK, "bbc?", "v?"},
    {OP_MPI_BARRIER, "c?", "v?"},
    {OP_MPI_WAIT, "r", "v?"},
    {OP_MPI_RETVAL_CHECK, "v", "p"},
    {OP_MPI_ERROR_CLASS, "v", "v"}};

static bool is_of(const Type *type, const char *text) {
    return type->kind == TYPE_OPAQUE && strview_is(type->encoding, text);
}

static bool has_kind(const Type *type, char letter) {
    switch (letter) {
    case 'b': return type_is_memref(type);
    case 'i': return type->kind == TYPE_ELEMENT && type->element == ELEMENT_I32;
    case 'p': return type->kind == TYPE_ELEMENT && type->element == ELEMENT_I1;
    case 'c': return is_of(type, "!mpi.comm");
    case 'r': return is_of(type, "!mpi.request");
    default: return is_of(type, "!mpi.retval");
    }
}

static const char *kind_text(char letter) {
    switch (letter) {
    case 'b': return "a memref";
    case 'i': return "an i32";
    case 'p': return "an i1";
    case 'c': return "a !mpi.comm";
    case 'r': return "a !mpi.request";
    default: return "a !mpi.retval";
    }
}

static bool check_values(
    Infer *infer, const Op *op, const char *what, const char *letters, int count,
    const Type *const *types) {
    int at = 0;
    for (const char *p = letters; *p; p++) {
        bool is_optional = p[1] == '?';
        bool fits = at < count && has_kind(types[at], *p);
        at += fits;
        if (!fits && !is_optional)
            return infer_fail(infer, op, "%s #%d must be %s", what, at, kind_text(*p));
        p += is_optional;
    }
    return at == count || infer_fail(infer, op, "%s #%d is one too many", what, at);
}

bool infer_mpi(Infer *infer, const Op *op) {
    enum { MOST = 8 };
    if (op->operand_count > MOST || op->result_count > MOST)
        return infer_fail(infer, op, "has too many operands or results");
    const Type *operands[MOST], *results[MOST];
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = op_operand_type(op, i);
    for (int i = 0; i < op->result_count; i++)
        results[i] = op_result_type(op, i);
    for (size_t s = 0; s < sizeof signatures / sizeof *signatures; s++) {
        const Signature *signature = &signatures[s];
        if (signature->code != op->code) continue;
        return check_values(
                   infer, op, "operand", signature->operands, op->operand_count, operands) &&
               check_values(infer, op, "result", signature->results, op->result_count, results);
    }
    return true;
}
