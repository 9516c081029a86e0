// RUN: --test-grid-process-multi-index-op-lowering
// The index along one axis is a part of the linear index.
shard.grid @g(shape = 2x4)
func.func @main() -> index {
  %0 = shard.process_multi_index on @g axes = [1] : index
  return %0 : index
}
// ---- expect
module {
  shard.grid @g(shape = 2x4)
  func.func @main() -> index {
    %0 = shard.process_linear_index on @g : index
    %1:2 = shard.grid_shape @g : index, index
    %2:2 = affine.delinearize_index %0 into (%1#0, %1#1) : index, index
    return %2#1 : index
  }
}
