// scale_forms: vectors of x * 2^k, k the nearest integer of a float that was rounded by adding a
// large number, in the CPU's own form.
//
//   In      optimised IR. The emitters make k from the bits of the sum (emit_exp.c), since LLVM's
//           vectoriser knows llvm.ldexp, whose k is an integer.
//   Out     vscalef, which takes k as the float that it was: no conversions.
#ifndef SHARDC_CODEGEN_SCALE_FORMS_H
#define SHARDC_CODEGEN_SCALE_FORMS_H

#include <llvm-c/Core.h>

void scale_forms(LLVMModuleRef module);

#endif
