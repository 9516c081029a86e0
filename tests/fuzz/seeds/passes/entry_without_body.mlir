// : not -[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[-sdy-flatten-call-graph
func.func private @f(%arg0: tensor<8xf32>) 