// Linked into the tests on ranks under sanitizers: MPI's plugins stay loaded to the end, so that reports of
// their leaks name the library, and suppressions match.
extern "C" int dlclose(void*) {
  return 0;
}
