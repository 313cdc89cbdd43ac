# Writes HEADER from TEMPLATE with the commit that SOURCE is at; a HEADER that says so already is left alone.
#   cmake -DSOURCE=DIR -DTEMPLATE=FILE -DHEADER=FILE -P SpmvWriteCommit.cmake
set(SPMV_COMMIT unknown)
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  # A source that was unpacked inside somebody else's repository is at no commit of its own.
  file(REAL_PATH ${SOURCE} here)
  if(top STREQUAL here)
    execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --short=10 HEAD OUTPUT_VARIABLE SPMV_COMMIT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${git} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed OUTPUT_QUIET ERROR_QUIET)
    if(SPMV_COMMIT STREQUAL "")
      set(SPMV_COMMIT unknown)
    elseif(NOT changed EQUAL 0)
      string(APPEND SPMV_COMMIT -changed)
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${HEADER} @ONLY)
