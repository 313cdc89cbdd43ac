// The C interface, over the C++ one: handles know their value type, exceptions become codes.
#include <algorithm>
#include <complex>
#include <string>
#include <variant>

#include "lib/c_handles.hpp"

namespace {

using namespace spmv_dist::c;
using spmv_dist::Code;
using spmv_dist::Error;

spmv_dist::Options options_of(const char* text) {
  return text == nullptr ? spmv_dist::Options() : spmv_dist::Options::parse(text);
}

template <class T>
spmv_dist::Matrix<T> make_matrix(const spmv_dist::Context& context, const spmv_dist_rows& given,
                                 const char* options) {
  spmv_dist::Rows<T> rows;
  rows.global_rows = given.global_rows;
  rows.global_cols = given.global_cols;
  rows.rows = given.rows;
  rows.first_row = given.first_row;
  rows.row_ids = given.row_ids;
  rows.row_ptr = given.row_ptr;
  rows.columns = given.columns;
  rows.values = static_cast<const T*>(given.values);
  rows.elements = given.elements;
  rows.x_size = given.x_size;
  rows.first_x = given.first_x;
  rows.x_ids = given.x_ids;
  rows.where = static_cast<spmv_dist::Where>(given.where);
  return spmv_dist::Matrix<T>(context, rows, options_of(options));
}

/// Calls make(T()) for the value type T that `type` names, and returns the Matrix<T> that it returns.
template <class Make>
OfAnyType<spmv_dist::Matrix> matrix_of_type(int type, const Make& make) {
  if (type == SPMV_DIST_FLOAT) return make(float());
  if (type == SPMV_DIST_DOUBLE) return make(double());
  if (type == SPMV_DIST_COMPLEX_FLOAT) return make(std::complex<float>());
  if (type == SPMV_DIST_COMPLEX_DOUBLE) return make(std::complex<double>());
  throw Error(Code::usage, "value_type is none of SPMV_DIST_FLOAT, _DOUBLE, _COMPLEX_FLOAT, _COMPLEX_DOUBLE");
}

/// Makes a handle of the Matrix<T> that make(T(), context) returns, for the value type T that `type` names.
template <class Make>
int new_matrix(const spmv_dist_context* context, int type, spmv_dist_matrix** matrix,
               spmv_dist_status* status, const Make& make) {
  return guarded(status, [&] {
    deref(matrix, "matrix") = nullptr;
    const auto& of = deref(context, "context").context;
    *matrix = new spmv_dist_matrix{matrix_of_type(type, [&](auto zero) { return make(zero, of); }), {}};
  });
}

/// Calls work(m) with the matrix behind a handle, whatever its value type.
template <class Handle, class Work>
int with_matrix(Handle* matrix, spmv_dist_status* status, const Work& work) {
  return guarded(status, [&] { std::visit(work, deref(matrix, "matrix").matrix); });
}

/// Calls work(v) with the vector behind a handle, whatever its value type.
template <class Handle, class Work>
int with_vector(Handle* vector, spmv_dist_status* status, const Work& work) {
  return guarded(status, [&] { std::visit(work, deref(vector, "vector").vector); });
}

/// Makes a handle of the vector that make(m) returns.
template <class Make>
int new_vector(const spmv_dist_matrix* matrix, spmv_dist_vector** vector, spmv_dist_status* status,
               const Make& make) {
  return guarded(status, [&] {
    deref(vector, "vector") = nullptr;
    *vector = std::visit([&](const auto& m) { return new spmv_dist_vector{make(m)}; },
                         deref(matrix, "matrix").matrix);
  });
}

/// Throws if an array that must have elements is null.
void require_array(const void* at, std::size_t count, const char* name) {
  if (at == nullptr && count > 0) throw Error(Code::usage, std::string(name) + " is a null pointer");
}

/// A caller's array. `name`: of the argument, for messages.
template <class Void>
struct Array {
  Void* at;
  int64_t count;
  const char* name;
};

/// Calls way(m, elements), which converts the vector `from`, and stores its result in `to`. A null array is an empty one, which
/// way() refuses on all ranks together. Collective.
template <class Way>
int convert(const spmv_dist_matrix* matrix, const Array<const void>& from, const Array<void>& to,
            spmv_dist_status* status, const Way& way) {
  return with_matrix(matrix, status, [&](const auto& m) {
    using T = typename std::decay_t<decltype(m)>::Value;
    const auto* begin = static_cast<const T*>(from.at);
    const int64_t given = begin == nullptr ? 0 : std::max<int64_t>(from.count, 0);
    const std::vector<T> converted = way(m, std::vector<T>(begin, begin + given));
    if (static_cast<int64_t>(converted.size()) != to.count)
      throw Error(Code::usage, "the array for the result has room for " + std::to_string(to.count) +
                                   " elements, but the result has " + std::to_string(converted.size()));
    require_array(to.at, converted.size(), to.name);
    std::copy(converted.begin(), converted.end(), static_cast<T*>(to.at));
  });
}

}  // namespace

const char* spmv_dist_version(void) {
  return spmv_dist::version();
}

void spmv_dist_rows_init(spmv_dist_rows* rows) {
  if (rows == nullptr) return;
  *rows = spmv_dist_rows{};
  rows->x_size = -1;
}

int spmv_dist_context_create(MPI_Comm communicator, const char* options, spmv_dist_context** context,
                             spmv_dist_status* status) {
  return guarded(status, [&] {
    deref(context, "context") = nullptr;
    *context = new spmv_dist_context{spmv_dist::Context(communicator, options_of(options))};
  });
}

int spmv_dist_context_create_fortran(MPI_Fint communicator, const char* options, spmv_dist_context** context,
                                     spmv_dist_status* status) {
  return spmv_dist_context_create(MPI_Comm_f2c(communicator), options, context, status);
}

void spmv_dist_context_free(spmv_dist_context* context) {
  delete context;
}

int spmv_dist_matrix_create(const spmv_dist_context* context, int value_type, const spmv_dist_rows* rows,
                            const char* options, spmv_dist_matrix** matrix, spmv_dist_status* status) {
  return new_matrix(context, value_type, matrix, status, [&](auto zero, const auto& of) {
    return make_matrix<decltype(zero)>(of, deref(rows, "rows"), options);
  });
}

int spmv_dist_matrix_read(const spmv_dist_context* context, int value_type, const char* path,
                          const char* options, spmv_dist_matrix** matrix, spmv_dist_status* status) {
  return new_matrix(context, value_type, matrix, status, [&](auto zero, const auto& of) {
    using T = decltype(zero);
    const auto rows = spmv_dist::LoadedRows<T>::read(of, &deref(path, "path"));
    return spmv_dist::Matrix<T>(of, rows.view(), options_of(options));
  });
}

int spmv_dist_matrix_generate(const spmv_dist_context* context, int value_type, const char* specification,
                              const char* options, spmv_dist_matrix** matrix, spmv_dist_status* status) {
  return new_matrix(context, value_type, matrix, status, [&](auto zero, const auto& of) {
    using T = decltype(zero);
    const auto rows = spmv_dist::LoadedRows<T>::generate(of, &deref(specification, "specification"));
    return spmv_dist::Matrix<T>(of, rows.view(), options_of(options));
  });
}

void spmv_dist_matrix_free(spmv_dist_matrix* matrix) {
  delete matrix;
}

int64_t spmv_dist_matrix_size(const spmv_dist_matrix* matrix, int side) {
  int64_t size = -1;
  with_matrix(matrix, nullptr, [&](const auto& m) { size = m.size(side_of(side)); });
  return size;
}

int64_t spmv_dist_matrix_capacity(const spmv_dist_matrix* matrix, int side) {
  int64_t capacity = -1;
  with_matrix(matrix, nullptr, [&](const auto& m) { capacity = m.capacity(side_of(side)); });
  return capacity;
}

int spmv_dist_matrix_ids(const spmv_dist_matrix* matrix, int side, int64_t* ids, int64_t count,
                         spmv_dist_status* status) {
  return with_matrix(matrix, status, [&](const auto& m) {
    const auto all = m.ids(side_of(side));
    if (count != static_cast<int64_t>(all.size()))
      throw Error(Code::usage, "ids has room for " + std::to_string(count) + " ids, but there are " +
                                   std::to_string(all.size()));
    require_array(ids, all.size(), "ids");
    std::copy(all.begin(), all.end(), ids);
  });
}

int spmv_dist_matrix_to_matrix(const spmv_dist_matrix* matrix, int side, const void* callers,
                               int64_t callers_count, void* matrixs, int64_t matrixs_count,
                               spmv_dist_status* status) {
  return convert(matrix, {callers, callers_count, "callers"}, {matrixs, matrixs_count, "matrixs"}, status,
                 [&](const auto& m, const auto& values) { return m.to_matrix(side_of(side), values); });
}

int spmv_dist_matrix_to_caller(const spmv_dist_matrix* matrix, int side, const void* matrixs,
                               int64_t matrixs_count, void* callers, int64_t callers_count,
                               spmv_dist_status* status) {
  return convert(matrix, {matrixs, matrixs_count, "matrixs"}, {callers, callers_count, "callers"}, status,
                 [&](const auto& m, const auto& values) { return m.to_caller(side_of(side), values); });
}

int spmv_dist_matrix_update_values(spmv_dist_matrix* matrix, const void* values, int64_t count, int where,
                                   spmv_dist_status* status) {
  return with_matrix(matrix, status, [&](auto& m) {
    using T = typename std::decay_t<decltype(m)>::Value;
    m.update_values(static_cast<const T*>(values), count, static_cast<spmv_dist::Where>(where));
  });
}

int spmv_dist_matrix_order_with(spmv_dist_matrix* matrix, void* cuda_stream, spmv_dist_status* status) {
  return with_matrix(matrix, status, [&](auto& m) { m.order_with(cuda_stream); });
}

int spmv_dist_matrix_order_with_none(spmv_dist_matrix* matrix, spmv_dist_status* status) {
  return with_matrix(matrix, status, [](auto& m) { m.order_with_none(); });
}

int spmv_dist_matrix_synchronize(spmv_dist_matrix* matrix, spmv_dist_status* status) {
  return with_matrix(matrix, status, [](auto& m) { m.synchronize(); });
}

const char* spmv_dist_matrix_describe(spmv_dist_matrix* matrix) {
  with_matrix(matrix, nullptr, [&](const auto& m) { matrix->description = m.describe(); });
  return matrix == nullptr ? "" : matrix->description.c_str();
}

int spmv_dist_vector_create(const spmv_dist_matrix* matrix, int side, spmv_dist_vector** vector,
                            spmv_dist_status* status) {
  return new_vector(matrix, vector, status, [&](const auto& m) { return m.make(side_of(side)); });
}

int spmv_dist_vector_view(const spmv_dist_matrix* matrix, int side, void* at, int64_t count,
                          spmv_dist_vector** vector, spmv_dist_status* status) {
  return new_vector(matrix, vector, status, [&](const auto& m) {
    using T = typename std::decay_t<decltype(m)>::Value;
    return m.view(side_of(side), static_cast<T*>(at), count);
  });
}

void spmv_dist_vector_free(spmv_dist_vector* vector) {
  delete vector;
}

int spmv_dist_vector_set(spmv_dist_vector* vector, const void* natural, int64_t count,
                         spmv_dist_status* status) {
  return with_vector(vector, status, [&](auto& v) {
    using Element = std::remove_pointer_t<decltype(v.data())>;
    v.set(static_cast<const Element*>(natural), count);
  });
}

int spmv_dist_vector_get(const spmv_dist_vector* vector, void* natural, int64_t count,
                         spmv_dist_status* status) {
  return with_vector(vector, status, [&](const auto& v) {
    using Element = std::remove_const_t<std::remove_pointer_t<decltype(v.data())>>;
    v.get(static_cast<Element*>(natural), count);
  });
}

void* spmv_dist_vector_data(spmv_dist_vector* vector) {
  void* data = nullptr;
  with_vector(vector, nullptr, [&](auto& v) { data = v.data(); });
  return data;
}

int spmv_dist_multiply(spmv_dist_matrix* A, spmv_dist_vector* x, spmv_dist_vector* y,
                       spmv_dist_status* status) {
  return with_all(A, x, y, status, [](auto& m, auto& vx, auto& vy) { multiply(m, vx, vy); });
}

int spmv_dist_multiply_queued(spmv_dist_matrix* A, spmv_dist_vector* x, spmv_dist_vector* y,
                              spmv_dist_status* status) {
  return with_all(A, x, y, status, [](auto& m, auto& vx, auto& vy) { multiply_queued(m, vx, vy); });
}

int spmv_dist_multiply_add(const void* alpha, spmv_dist_matrix* A, spmv_dist_vector* x, const void* beta,
                           spmv_dist_vector* y, spmv_dist_status* status) {
  return with_all(A, x, y, status, [&](auto& m, auto& vx, auto& vy) {
    using T = typename std::decay_t<decltype(m)>::Value;
    multiply_add(deref(static_cast<const T*>(alpha), "alpha"), m, vx,
                 deref(static_cast<const T*>(beta), "beta"), vy);
  });
}

int spmv_dist_multiply_add_queued(const void* alpha, spmv_dist_matrix* A, spmv_dist_vector* x,
                                  const void* beta, spmv_dist_vector* y, spmv_dist_status* status) {
  return with_all(A, x, y, status, [&](auto& m, auto& vx, auto& vy) {
    using T = typename std::decay_t<decltype(m)>::Value;
    multiply_add_queued(deref(static_cast<const T*>(alpha), "alpha"), m, vx,
                        deref(static_cast<const T*>(beta), "beta"), vy);
  });
}

int spmv_dist_multiply_transposed(spmv_dist_matrix* A, spmv_dist_vector* x, spmv_dist_vector* y,
                                  spmv_dist_status* status) {
  return with_all(A, x, y, status, [](auto& m, auto& vx, auto& vy) { multiply_transposed(m, vx, vy); });
}

int spmv_dist_multiply_adjoint(spmv_dist_matrix* A, spmv_dist_vector* x, spmv_dist_vector* y,
                               spmv_dist_status* status) {
  return with_all(A, x, y, status, [](auto& m, auto& vx, auto& vy) { multiply_adjoint(m, vx, vy); });
}
