// Linked into the tests on ranks under sanitizers: MPI's plugins stay loaded to the end, so that what they
// leak has a name to be suppressed by.
extern "C" int dlclose(void*) {
  return 0;
}
