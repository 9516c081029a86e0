# shardc_embedded: a library of constants. The runtime as one relocatable object, which the ahead-of-time compiler links
# into every model.so, and the text of include/shardc/model.h, as hidden symbols:
#
#     extern const unsigned char shardc_runtime_object_begin[], shardc_runtime_object_end[];
#     extern const char shardc_model_h_begin[], shardc_model_h_end[];
#
# The embedded runtime is always optimised and never sanitized: models run without the compiler.
function(shardc_embed_runtime)
  set(object ${PROJECT_BINARY_DIR}/embedded/runtime.o)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/*.c)
  if(sources)
    add_library(shardc_embedded_runtime OBJECT ${sources})
    target_include_directories(shardc_embedded_runtime PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(shardc_embedded_runtime PRIVATE OpenMP::OpenMP_C)
    target_compile_options(shardc_embedded_runtime PRIVATE -O2 -g0 -fvisibility=hidden -fno-common
      -fno-math-errno -ffp-contract=off)
    target_compile_definitions(shardc_embedded_runtime PRIVATE NDEBUG)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/embedded
      COMMAND ${CMAKE_LINKER} -r -o ${object} $<TARGET_OBJECTS:shardc_embedded_runtime>
      DEPENDS shardc_embedded_runtime $<TARGET_OBJECTS:shardc_embedded_runtime>
      COMMAND_EXPAND_LISTS VERBATIM COMMENT "Linking the runtime into one object")
  else()
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/embedded)
    file(WRITE ${object} "")
  endif()
  set(SHARDC_RUNTIME_OBJECT ${object})
  set(SHARDC_MODEL_H ${PROJECT_SOURCE_DIR}/include/shardc/model.h)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.S.in ${PROJECT_BINARY_DIR}/embedded/embed.S @ONLY)
  set_source_files_properties(${PROJECT_BINARY_DIR}/embedded/embed.S PROPERTIES
    LANGUAGE ASM OBJECT_DEPENDS "${object};${SHARDC_MODEL_H}")
  add_library(shardc_embedded STATIC ${PROJECT_BINARY_DIR}/embedded/embed.S)
endfunction()
