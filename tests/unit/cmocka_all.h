// cmocka with what it wants included before.
#ifndef SHARDC_TESTS_CMOCKA_ALL_H
#define SHARDC_TESTS_CMOCKA_ALL_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#endif
