/* The plainest reader of a Matrix Market file with real entries, for comparison: fscanf, entry by entry, into arrays. Prints seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  char header[1024];
  long rows = 0, cols = 0, entries = 0;
  const double begin = now();
  FILE* file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (file == NULL || fgets(header, sizeof header, file) == NULL || fscanf(file, "%ld %ld %ld", &rows, &cols, &entries) != 3)
    return 1;
  int* row = malloc(sizeof *row * (size_t)entries);
  int* col = malloc(sizeof *col * (size_t)entries);
  double* value = malloc(sizeof *value * (size_t)entries);
  if (row == NULL || col == NULL || value == NULL) return 1;
  for (long k = 0; k < entries; ++k)
    if (fscanf(file, "%d %d %lf", &row[k], &col[k], &value[k]) != 3) return 1;
  printf("%.3f\n", now() - begin);
  free(row);
  free(col);
  free(value);
  return fclose(file) == 0 ? 0 : 1;
}
