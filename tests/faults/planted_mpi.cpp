// MPI functions with planted faults: see planted.cpp.
#include <mpi.h>

#include "planted.hpp"

extern "C" {

#define SPMV_MPI_CALL(name, parameters, arguments)                                              \
  int MPI_##name parameters {                                                                   \
    static planted::Call call{"MPI_" #name};                                                    \
    if (planted::at(call, SPMV_RETURNS).kind != planted::Action::nothing) return MPI_ERR_OTHER; \
    return PMPI_##name arguments;                                                               \
  }
SPMV_MPI_CALL(Init_thread, (int* argc, char*** argv, int required, int* provided),
              (argc, argv, required, provided))
SPMV_MPI_CALL(Finalize, (), ())
SPMV_MPI_CALL(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
SPMV_MPI_CALL(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* made), (comm, colour, key, made))
SPMV_MPI_CALL(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
              (comm, type, key, info, made))
SPMV_MPI_CALL(Comm_free, (MPI_Comm * comm), (comm))
SPMV_MPI_CALL(Comm_create_keyval,
              (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* remove, int* key,
               void* extra),
              (copy, remove, key, extra))
SPMV_MPI_CALL(Comm_set_attr, (MPI_Comm comm, int key, void* value), (comm, key, value))
SPMV_MPI_CALL(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
SPMV_MPI_CALL(Comm_rank, (MPI_Comm comm, int* rank), (comm, rank))
SPMV_MPI_CALL(Comm_size, (MPI_Comm comm, int* size), (comm, size))
SPMV_MPI_CALL(Query_thread, (int* provided), (provided))
SPMV_MPI_CALL(Get_library_version, (char* text, int* length), (text, length))
SPMV_MPI_CALL(Iallgather,
              (const void* send, int count, MPI_Datatype type, void* receive, int each, MPI_Datatype received,
               MPI_Comm comm, MPI_Request* request),
              (send, count, type, receive, each, received, comm, request))
SPMV_MPI_CALL(Iallreduce,
              (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               MPI_Request* request),
              (send, receive, count, type, op, comm, request))
SPMV_MPI_CALL(File_open, (MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file),
              (comm, name, mode, info, file))
SPMV_MPI_CALL(File_set_errhandler, (MPI_File file, MPI_Errhandler handler), (file, handler))
SPMV_MPI_CALL(File_get_size, (MPI_File file, MPI_Offset* bytes), (file, bytes))
SPMV_MPI_CALL(File_read_at,
              (MPI_File file, MPI_Offset at, void* to, int count, MPI_Datatype type, MPI_Status* status),
              (file, at, to, count, type, status))
SPMV_MPI_CALL(File_write_at,
              (MPI_File file, MPI_Offset at, const void* from, int count, MPI_Datatype type,
               MPI_Status* status),
              (file, at, from, count, type, status))
SPMV_MPI_CALL(File_sync, (MPI_File file), (file))
SPMV_MPI_CALL(File_close, (MPI_File * file), (file))
SPMV_MPI_CALL(Get_count, (const MPI_Status* status, MPI_Datatype type, int* count), (status, type, count))
SPMV_MPI_CALL(Ialltoall,
              (const void* send, int count, MPI_Datatype type, void* receive, int each, MPI_Datatype received,
               MPI_Comm comm, MPI_Request* request),
              (send, count, type, receive, each, received, comm, request))
SPMV_MPI_CALL(Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
SPMV_MPI_CALL(Ibcast,
              (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
              (data, count, type, root, comm, request))
SPMV_MPI_CALL(Iexscan,
              (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               MPI_Request* request),
              (send, receive, count, type, op, comm, request))
SPMV_MPI_CALL(Iprobe, (int source, int tag, MPI_Comm comm, int* there, MPI_Status* status),
              (source, tag, comm, there, status))
SPMV_MPI_CALL(Irecv,
              (void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request),
              (to, count, type, source, tag, comm, request))
SPMV_MPI_CALL(Isend,
              (const void* from, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request* request),
              (from, count, type, target, tag, comm, request))
SPMV_MPI_CALL(Recv_init,
              (void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request),
              (to, count, type, source, tag, comm, request))
SPMV_MPI_CALL(Send_init,
              (const void* from, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request* request),
              (from, count, type, target, tag, comm, request))
SPMV_MPI_CALL(Startall, (int count, MPI_Request* requests), (count, requests))
SPMV_MPI_CALL(Request_free, (MPI_Request * request), (request))
SPMV_MPI_CALL(Test, (MPI_Request * request, int* done, MPI_Status* status), (request, done, status))
SPMV_MPI_CALL(Testall, (int count, MPI_Request* requests, int* done, MPI_Status* statuses),
              (count, requests, done, statuses))
SPMV_MPI_CALL(Testsome, (int count, MPI_Request* requests, int* finished, int* which, MPI_Status* statuses),
              (count, requests, finished, which, statuses))
SPMV_MPI_CALL(Type_contiguous, (int count, MPI_Datatype of, MPI_Datatype* made), (count, of, made))
SPMV_MPI_CALL(Type_commit, (MPI_Datatype * type), (type))
SPMV_MPI_CALL(Type_free, (MPI_Datatype * type), (type))

}  // extern "C"
