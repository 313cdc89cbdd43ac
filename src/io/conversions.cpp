#include "io/conversions.hpp"

#include <fmt/format.h>

namespace spmv {
namespace {

/// Scripts have no quotation mark of the shell's, and no line ends.
std::string python(const std::string& script) {
  return "python3 -c 'import sys; f,m=sys.argv[1:]; " + script + "' {in} ";
}

std::string write_by_python(const std::string& script) {
  return "write it as Matrix Market with: " + python(script) + "{out}";
}

std::string by_scipy(const std::string& before, const std::string& matrix) {
  return "import numpy as n,scipy.io as i,scipy.sparse as s; " + before + "i.mmwrite(m,s.coo_matrix(" +
         matrix + "))";
}

}  // namespace

std::string unpack_by(const std::string& command) {
  return "unpack it with: " + command + " {in} > {unpacked}";
}

std::string write_by_scipy(const std::string& before, const std::string& matrix) {
  return write_by_python(by_scipy(before, matrix));
}

std::string write_entries(const std::string& before, const std::string& table) {
  const std::string script = by_scipy(before + "a=" + table +
                                          "; a=a[~n.isnan(a).any(1)]; r,c=a[:,:2].astype(int).T; "
                                          "b=int(min(r.min(),c.min())>0); k=max(r.max(),c.max())+1-b; ",
                                      "(a[:,2] if a.shape[1]>2 else n.ones(len(a)),(r-b,c-b)),shape=(k,k)");
  return "write it as a square matrix, with ids from 0 if there is a 0 and else from 1: " + python(script) +
         "{out}";
}

std::string write_hdf5_group(const std::string& matrix) {
  return write_by_scipy(
      "import h5py; h=h5py.File(f); g=[h]; h.visititems(lambda k,o: g.append(o)); "
      "g=[o for o in g if \"data\" in getattr(o,\"keys\",list)()][0]; "
      "d=g[\"data\"][()]; d=d.view(\"c16\") if d.dtype.names else d; ",
      matrix);
}

std::string write_petsc_vector(const std::string& kind, int header_bytes) {
  return write_by_python(
      fmt::format("import numpy as n,scipy.io as i; k=int(n.fromfile(f,\">i{}\",2)[1]); "
                  "i.mmwrite(m,n.fromfile(f,\">{}\",k,offset={}).astype(\"{}\").reshape(-1,1))",
                  header_bytes / 2, kind, header_bytes, kind[0] == 'c' ? "c16" : "f8"));
}

std::string swap_petsc_matrix(const std::string& kind, int integer_bytes) {
  return "write it with the highest byte first: " +
         python(fmt::format("import array; b=open(f,\"rb\").read(); h=array.array(\"{0}\",b[:{2}]); "
                            "k={1}*(4+h[1]+h[3]); p=array.array(\"{0}\",b[:k]); v=array.array(\"d\",b[k:]); "
                            "p.byteswap(); v.byteswap(); open(m,\"wb\").write(p.tobytes()+v.tobytes())",
                            kind, integer_bytes, 4 * integer_bytes)) +
         "{stem}_swapped.petsc";
}

/// Numbers stand in fields of fixed width, maybe without blanks between, which the formats of the fourth line tell.
std::string write_harwell_boeing() {
  return write_by_python(
      "import re; L=open(f).read().upper().splitlines(); x=[int(k) for k in L[1].split()]+[0]; "
      "t=L[2].split(); w=re.findall(\"[IDEFG]([0-9]+)\",L[3])+[\"1\"]; h=4+(x[4]>0); "
      "g=lambda b,n,w: [l[j:j+int(w)] for l in L[b:b+n] for j in range(0,len(l.rstrip()),int(w))]; "
      "p=[int(k) for k in g(h,x[1],w[0])]; r=g(h+x[1],x[2],w[1]); v=g(h+x[1]+x[2],x[3],w[2]); c=t[0][0]; "
      "v=[\"\"]*len(r) if c==\"P\" else [a+\" \"+b for a,b in zip(v[::2],v[1::2])] if c==\"C\" else v; "
      "open(m,\"w\").write(\"%%MatrixMarket matrix coordinate \"+"
      "{\"P\":\"pattern \",\"C\":\"complex \"}.get(c,\"real \")+"
      "{\"S\":\"symmetric\",\"H\":\"hermitian\",\"Z\":\"skew-symmetric\"}.get(t[0][1],\"general\")+"
      "\"\\n%s %s %d\\n\"%(t[1],t[2],len(r))+\"\".join(\"%s %d %s\\n\"%(r[k],j+1,v[k]) "
      "for j in range(int(t[2])) for k in range(p[j]-1,p[j+1]-1)))");
}

std::string write_metis_graph() {
  return write_by_python(
      "L=[l.split() for l in open(f) if l[0]!=\"%\"]; h=L[0]+[\"0\",\"1\"][len(L[0])-2:]; d=h[2].zfill(3); "
      "k=int(d[0])+int(d[1])*int(h[3]); w=1+int(d[2]); e=[(q,a,b) for q,l in enumerate(L[1:],1) "
      "for a,b in zip(l[k::w],l[k+1::2] if w>1 else [\"1\"]*len(l))]; "
      "open(m,\"w\").write(\"%%%%MatrixMarket matrix coordinate real general\\n%s %s %d\\n\"%(h[0],h[0],len(e))+"
      "\"\".join(\"%d %s %s\\n\"%t for t in e))");
}

}  // namespace spmv
