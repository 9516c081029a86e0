// RUN: not --symbol-dce
// Calls of MPI have operands and results of certain kinds.
func.func @no_buffer(%x: tensor<4xf32>, %i: i32, %c: !mpi.comm) {
  "mpi.send"(%x, %i, %i, %c) : (tensor<4xf32>, i32, i32, !mpi.comm) -> ()
  return
}
func.func @no_rank(%x: memref<4xf32>, %i: i32, %c: !mpi.comm) {
  "mpi.recv"(%x, %i, %c) : (memref<4xf32>, i32, !mpi.comm) -> ()
  return
}
func.func @no_request(%x: memref<4xf32>, %i: i32) {
  mpi.isend(%x, %i, %i) : memref<4xf32>, i32, i32
  return
}
func.func @two_communicators(%c: !mpi.comm) {
  "mpi.barrier"(%c, %c) : (!mpi.comm, !mpi.comm) -> ()
  return
}
func.func @no_number() {
  %0 = mpi.comm_size : index
  return
}
func.func @no_operation(%x: memref<4xf32>, %c: !mpi.comm) {
  "mpi.allreduce"(%x, %x, %c) : (memref<4xf32>, memref<4xf32>, !mpi.comm) -> ()
  return
}
// ---- expect
mpi.mlir:4:3: error: 'mpi.send' op operand #0 must be a memref
    "mpi.send"(%x, %i, %i, %c) : (tensor<4xf32>, i32, i32, !mpi.comm) -> ()
    ^
mpi.mlir:8:3: error: 'mpi.recv' op operand #2 must be an i32
    "mpi.recv"(%x, %i, %c) : (memref<4xf32>, i32, !mpi.comm) -> ()
    ^
mpi.mlir:12:3: error: 'mpi.isend' op result #0 must be a !mpi.request
    mpi.isend(%x, %i, %i) : memref<4xf32>, i32, i32
    ^
mpi.mlir:16:3: error: 'mpi.barrier' op operand #1 is one too many
    "mpi.barrier"(%c, %c) : (!mpi.comm, !mpi.comm) -> ()
    ^
mpi.mlir:20:8: error: 'mpi.comm_size' op result #0 must be an i32
    %0 = mpi.comm_size : index
         ^
mpi.mlir:24:3: error: 'mpi.allreduce' op requires attribute 'op'
    "mpi.allreduce"(%x, %x, %c) : (memref<4xf32>, memref<4xf32>, !mpi.comm) -> ()
    ^
