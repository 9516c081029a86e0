# What `cmake --install` copies beside the programs: headers, pkg-config file, CMake package.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/shardc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
# The way from the .pc file to the prefix, so that an installation can be moved.
file(RELATIVE_PATH SHARDC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/shardc.pc.in ${PROJECT_BINARY_DIR}/shardc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/shardc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/shardc)
install(EXPORT shardc-targets NAMESPACE shardc:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/shardc-config.cmake.in
  ${PROJECT_BINARY_DIR}/shardc-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/shardc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/shardc-config.cmake ${PROJECT_BINARY_DIR}/shardc-config-version.cmake
  DESTINATION ${package})
