// A type of another dialect.
func.func @main(%m: memref<5xf64>) -> memref<5xf64> {
  return %m : memref<5xf64>
}
