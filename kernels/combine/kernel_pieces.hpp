// What the texts of all kernels of combinations have in common; {names} are put in.
#pragma once

namespace spmv::kernel_pieces {

// S: a coefficient or a sum. Element: of a vector in memory.
inline constexpr auto real_numbers = R"(using S = double;
S scalar(double a) { return a; }
S imaginary(double) { return __longlong_as_double(0x7ff8000000000000); }
double real(S a) { return a; }
S conjugate(S a) { return a; }
bool is_zero(S a) { return a == 0; }
bool is_nan(S a) { return a != a; }
S shuffled_down(S a, int distance) { return __shfl_down_sync(0xffffffff, a, distance); }
)";
inline constexpr auto complex_numbers = R"(struct S { double re, im; };
S operator+(S a, S b) { return {a.re + b.re, a.im + b.im}; }
S operator-(S a, S b) { return {a.re - b.re, a.im - b.im}; }
S operator-(S a) { return {-a.re, -a.im}; }
S operator*(S a, S b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
S operator/(S a, S b) {
  if (b.im == 0) return {a.re / b.re, a.im / b.re};
  const double norm = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
}
S scalar(double a) { return {a, 0}; }
S imaginary(double a) { return {0, a}; }
double real(S a) { return a.re; }
S conjugate(S a) { return {a.re, -a.im}; }
bool is_zero(S a) { return a.re == 0 && a.im == 0; }
bool is_nan(S a) { return a.re != a.re || a.im != a.im; }
S shuffled_down(S a, int distance) {
  return {__shfl_down_sync(0xffffffff, a.re, distance), __shfl_down_sync(0xffffffff, a.im, distance)};
}
)";
inline constexpr auto real_element = R"(using Element = {0};
S scalar_of(Element a) {{ return a; }}
Element element_of(S a) {{ return static_cast<{0}>(a); }}
)";
inline constexpr auto complex_element = R"(struct alignas(2 * sizeof({0})) Element {{ {0} re, im; }};
S scalar_of(Element a) {{ return {{a.re, a.im}}; }}
Element element_of(S a) {{ return {{static_cast<{0}>(a.re), static_cast<{0}>(a.im)}}; }}
)";
inline constexpr auto declarations = R"(constexpr int pack = {pack}, columns = {columns};
struct alignas({pack} * sizeof(Element)) Pack {{ Element element[{pack}]; }};
constexpr int threads = {threads}, most_parts = {parts};
constexpr long long slots_apart = {slots_apart}, parts_apart = {parts_apart}, lines_apart = {lines_apart};

struct Line {{
  double number[{width}];
  unsigned long long line;
}};
struct Arguments {{
  void* vector[{vectors}];
  S* slot;
  S* partial;  // [slot][part]
  Line* record;
  int* stopped;
  unsigned long long line;
  double constant[{steps}];
  int count;
  short parts_before[{sums}];
}};

// The parts of a sum that are beyond those before, or beyond those of this kernel, are 0.
void clear_parts(S* part, int before, bool changes) {{
  const int own = gridDim.x;
  const int first = changes ? own : before, last = changes ? before : own;
  for (int i = first + int(blockIdx.x); i < last; i += own) part[i] = scalar(0);
}}
S warp_sum(S a) {{
  for (int distance = 16; distance > 0; distance /= 2) a = a + shuffled_down(a, distance);
  return a;
}}
)";
inline constexpr auto beginning = R"(
extern "C" __global__ void __launch_bounds__(threads) combination(const __grid_constant__ Arguments a) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  const long long stride = (long long)gridDim.x * threads, thread = (long long)blockIdx.x * threads + threadIdx.x;
  const long long packs = a.count / pack;
  long long at = thread < packs ? thread + (packs - 1 - thread) / stride * stride : -1;
  __shared__ Numbers numbers;
  __shared__ bool changes;
  Packs next;
  if (at >= 0) next = load(a, at);  // the last elements first: the product before has left them in the cache
  if (threadIdx.x == 0) {
    const bool stopped = a.stopped != nullptr && *(volatile int*)a.stopped != 0;
    const bool holds = evaluate(a, a.slot, numbers);
    changes = holds && !stopped;
    if (!holds && thread == 0 && a.stopped != nullptr) *(volatile int*)a.stopped = 1;
    clear_all_parts(a, a.partial, changes);
  }
  __syncthreads();
  if (changes) {
    const Coefficients c(numbers);
    Sums sum;
    for (; at >= 0; at -= stride) {
      Packs now = next;
      if (at >= stride) next = load(a, at - stride);
#pragma unroll
      for (int u = 0; u < pack; ++u) change(c, now, u, sum);
      store(a, at, now);
    }
    if (thread == 0) change_rest(a, packs * pack, c, sum);
    leave_parts(a, sum);
  }
  if (thread == 0) keep_results(a, a.slot, a.record, numbers, changes);
}
)";
// Each column has numbers of its own, which a thread finds, and each thread has the same columns in all of its packs.
inline constexpr auto beginning_of_columns = R"(
constexpr int per_row = columns / pack, workers = threads - threads % per_row;

// The sums of this thread block in each column, always added in the same order.
void leave_parts_of_columns(const Arguments& a, const bool (&changes)[columns], const Sums (&sum)[pack]) {
  __shared__ S of_thread[threads];
  constexpr int rows = workers / per_row;
  int half = 1;
  while (2 * half < rows) half *= 2;
  const int column = int(threadIdx.x) % per_row * pack;
  for (int i = 0; i < sums; ++i)
    for (int u = 0; u < pack; ++u) {
      of_thread[threadIdx.x] = sum_number(sum[u], i);
      for (int distance = half; distance > 0; distance /= 2) {
        __syncthreads();
        const int other = int(threadIdx.x) + distance * per_row;
        if (int(threadIdx.x) < distance * per_row && other < workers)
          of_thread[threadIdx.x] = of_thread[threadIdx.x] + of_thread[other];
      }
      if (int(threadIdx.x) < per_row && changes[column + u])
        a.partial[(column + u) * parts_apart + slot_of_sum(i) * most_parts + blockIdx.x] = of_thread[threadIdx.x];
      __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(threads) combination(const __grid_constant__ Arguments a) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  const int worker = threadIdx.x;
  const long long stride = (long long)gridDim.x * workers, thread = (long long)blockIdx.x * workers + worker;
  const long long packs = a.count / pack;
  long long at = worker < workers && thread < packs ? thread + (packs - 1 - thread) / stride * stride : -1;
  __shared__ Numbers numbers[columns];
  __shared__ bool changes[columns];
  Packs next;
  if (at >= 0) next = load(a, at);
  if (worker < columns) {
    int* const flag = a.stopped == nullptr ? nullptr : a.stopped + worker;
    const bool stopped = flag != nullptr && *(volatile int*)flag != 0;
    const bool holds = evaluate(a, a.slot + worker * slots_apart, numbers[worker]);
    changes[worker] = holds && !stopped;
    if (!holds && blockIdx.x == 0 && flag != nullptr) *(volatile int*)flag = 1;
    clear_all_parts(a, a.partial + worker * parts_apart, changes[worker]);
  }
  __syncthreads();
  const int column = worker % per_row * pack;
  bool all_change = true;
  for (int u = 0; u < pack; ++u) all_change = all_change && changes[column + u];
  Sums sum[pack];
  const Coefficients c[pack] = {coefficients_of_pack};
  for (; at >= 0; at -= stride) {
    Packs now = next;
    if (at >= stride) next = load(a, at - stride);
#pragma unroll
    for (int u = 0; u < pack; ++u)
      if (changes[column + u]) change(c[u], now, u, sum[u]);
    if (all_change)
      store(a, at, now);
    else
      for (int u = 0; u < pack; ++u)
        if (changes[column + u]) store_one(a, at * pack + u, now, u);
  }
  leave_parts_of_columns(a, changes, sum);
  if (blockIdx.x == 0 && worker < columns)
    keep_results(a, a.slot + worker * slots_apart, a.record + worker * lines_apart, numbers[worker], changes[worker]);
}
)";

}  // namespace spmv::kernel_pieces
