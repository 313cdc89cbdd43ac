/* Marks what the library offers: everything else in it is hidden. */
#ifndef SPMV_DIST_EXPORT_H
#define SPMV_DIST_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define SPMV_DIST_EXPORT __attribute__((visibility("default")))
#else
#define SPMV_DIST_EXPORT
#endif

#endif
