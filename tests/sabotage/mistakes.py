"""Mistakes that a programmer could make, each with the test that must notice it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bench import Test, lib, mpi, program, python, unit


@dataclass(frozen=True)
class Mistake:
    name: str
    files: str  # glob from the root; the pattern matches exactly once in all these files
    pattern: str  # regular expression of the statement
    replacement: str  # as for re.sub
    test: Test  # the narrowest test that must fail

    def place(self, source: Path) -> Path:
        """The file with the statement. ValueError with the reason unless it is there exactly once."""
        files = sorted(path for path in source.glob(self.files) if path.is_file())
        counts = {
            path: len(re.findall(self.pattern, path.read_text(encoding="utf-8"))) for path in files
        }
        if sum(counts.values()) != 1:
            raise ValueError(
                f"{self.name}: {self.pattern!r} matches {sum(counts.values())} times in {self.files}, not once"
            )
        return next(path for path, count in counts.items() if count)

    def made_in(self, text: str) -> str:
        return re.sub(self.pattern, self.replacement, text)


OVERLAP = mpi(3, "Overlap.ChainedProductsAreExact")
EXCHANGE = mpi(3, "Exchange.EveryTransportBringsEveryElementToItsPlace")
PEERS = unit("comm", "EveryMemory/PeerExchangeIn.*")
FORMATS = unit("kernels", "Formats/1.BatteryOnHost")
PATTERNS = unit("kernels", "FormatPatterns*")
SOLVERS = mpi(3, "Solvers/1.FindTheSolution*")
SWAPPED = r"\3\2\1"  # two statements

# fmt: off
MISTAKES = [
    # The halo is used before it arrives, or sent before x is ready.
    Mistake("naive-boundary-before-halo", "dist/modes/naive.cpp",
            r"(\w+\.finish_exchange\([^;]*;)(\s*)(\w+\.multiply_boundary\([^;]*;)", SWAPPED, OVERLAP),
    Mistake("vector-product-before-halo", "dist/modes/vector.cpp",
            r"(\w+\.finish_exchange\([^;]*;)(\s*)(\w+\.multiply_merged\([^;]*;)", SWAPPED, OVERLAP),
    Mistake("task-boundary-before-join", "dist/modes/task.cpp",
            r"(thread\.join\(\);)(\s*)(\w+\.multiply_boundary\([^;]*;)", SWAPPED, OVERLAP),
    Mistake("gather-before-x", "dist/*.cpp", r"gather_queue_->wait\(\*x_ready_\);", "", OVERLAP),
    Mistake("replay-for-another-x", "dist/*.cpp", r"r\.x == x && ", "", mpi(3, "Products/1.*")),
    Mistake("staged-sends-before-ready", "comm/transports/staged.cpp", r"queue_->wait\(ready\);", "static_cast<void>(ready);", EXCHANGE),
    Mistake("shm-copy-sends-before-ready", "comm/transports/shm_copy.cpp", r"queue_->wait\(ready\);", "static_cast<void>(ready);",
            EXCHANGE),
    Mistake("staged-receives-while-uploading", "comm/transports/staged.cpp", r"(own_step_[^;]*;\s*)uploaded_->synchronize\(\);", r"\1",
            mpi(3, "Exchange.ManyWithoutWaitingBetweenThem")),
    Mistake("gpu-aware-leaves-while-sending", "comm/transports/gpu_aware/*.cpp", r"wait_for\(\*sending_, to_\);", "", EXCHANGE),
    Mistake("peer-accepts-the-flag-before", "src/core/peer_memory.cpp", r"while \(load_flag\(flag\) < number\)",
            "while (load_flag(flag) + 1 < number)", PEERS),
    Mistake("peer-fetches-before-the-flag", "src/core/peer_memory.cpp",
            r"(wait_for\(\*piece\.flag, number\);)(\s*)(if \(view\.on_host\) fetch\(piece\.run\);)", SWAPPED, PEERS),
    Mistake("peer-poisons-the-half-in-use", "comm/transports/peer/peer_exchange.cpp", r"half\[number % 2\]", "half[(number + 1) % 2]",
            PEERS),
    Mistake("thread-join-does-not-wait", "comm/comm_thread.cpp", r"(void CommThread::join\(\) \{\s*)await_change\(submitted\);", r"\1",
            unit("comm", "CommThread*")),
    Mistake("debug-queue-synchronizes-too-early", "src/core/backend_debug.cpp", r"waiting_\.empty\(\) && !busy_;", "waiting_.empty();",
            unit("core", "Backend/Backends.*")),
    # A check that is missing.
    Mistake("token-not-compared", "src/core/lent_token.cpp", r"if \(found != handle\.token\)", "if (found.empty())", mpi(2, "LentMemory.*")),
    Mistake("wrong-halo-accepted", "comm/choose/transport_trial.cpp", r"first_text\(wrong\)", "first_text(std::string())",
            program(3, "ChooseTransport.FailuresOnOneRankAreEveryonesReason")),
    Mistake("rows-owned-twice", "dist/prepare/numbering.cpp", r"if \(entry >= 0\)", "if (entry > 1 << 30)",
            lib(3, "BadUse.RowsOwnedTwiceOrByNobody")),
    Mistake("columns-beyond-32-bits", "dist/prepare/number_columns.cpp", r"if \(value > most\)", "if (value - 1 > most)",
            unit("dist", "Split.*")),
    Mistake("choices-of-other-devices", "dist/machine/tuning_cache.cpp", r"if \(entry\.device == device_\)", "if (!entry.device.empty())",
            mpi(2, "TuningCache.*")),
    Mistake("not-a-number-is-right", "src/core/reference.cpp", r"if \((error <= reference\.bound\[i\])\) continue;",
            "if (!(error > reference.bound[i])) continue;", unit("core", "Compare.*")),
    Mistake("thread-failure-lost", "src/core/region_failure.hpp", r"if \(first_\) std::rethrow_exception\(first_\);", "",
            unit("core", "RegionFailure.ThrowsWhatAThreadThrew")),
    Mistake("ids-beyond-the-size", "src/io/entry_parser.cpp", r"if \(id < 1 \|\| id > size\)", "if (id < 1)",
            unit("io", "MatrixMarketErrors.EveryInvalidFileIsRefusedAtItsLine")),
    Mistake("surplus-entries", "src/io/matrix_market_header.cpp", r"if \(total_stored == header\.stored\)",
            "if (total_stored >= header.stored)", unit("io", "MatrixMarketErrors.EveryInvalidFileIsRefusedAtItsLine")),
    Mistake("truncated-gzip", "src/io/text.cpp", r"avail_in == 0 && member_ended_\)", "avail_in == 0)",
            unit("io", "MatrixMarketErrors.DamagedGzip")),
    Mistake("products-after-a-failed-update", "src/lib/matrix.cpp", r"state\.is_complete = false;", "", lib(1, "UpdateFails*")),
    # Off by one, or by a whole offset.
    Mistake("send-index-of-the-whole-matrix", "dist/prepare/halo_plan_builder.cpp", r"<lidx>\(id - first\)", "<lidx>(id - 0 * first)",
            mpi(3, "HaloPlan.*")),
    Mistake("ghosts-numbered-from-0", "dist/prepare/number_columns.cpp", r"owned \+ ghost\(\)", "ghost()", unit("dist", "Split.*")),
    Mistake("last-rows-lost", "dist/row_partition.hpp", r" \+ std::min<gidx>\(r, total % ranks\)", "", unit("dist", "RowPartition.*")),
    Mistake("padding-multiplied", "kernels/columns/columns_host.cpp", r"j < length; \+\+j\)", "j <= length; ++j)", FORMATS),
    Mistake("packed-element-too-many", "kernels/packed/packed_elements_host.hpp", r"if \(j < length\[lane\]\) sums\.add_product_to\(",
            "if (j <= length[lane]) sums.add_product_to(", FORMATS),
    # The wrong operator.
    Mistake("duplicates-replace", "dist/prepare/assemble.cpp", r"\+= (block\.value\[k\];)", r"= \1", mpi(2, "Assemble*")),
    Mistake("split-boundary-assigns", "dist/layouts/split.cpp", r"boundary_update = Update::add;", "boundary_update = Update::assign;",
            unit("dist", "LayoutsByHand.*")),
    Mistake("chebyshev-without-factor-2", "dist/spectrum/chebyshev_vectors.hpp", r"number_ == 0 \? 1 : 2", "1", mpi(1, "Spectra/1.Moments*")),
    Mistake("moments-from-the-wrong-one", "dist/spectrum/kpm.cpp", r"mu\[static_cast<std::size_t>\(n % 2\)\]", "mu[0]",
            mpi(1, "Spectra/1.Moments*")),
    Mistake("copies-before-they-come-up", "dist/spectrum/eigen.cpp", r"return all_converged\(sought\(options_\), .*;", "return true;",
            mpi(1, "EigenCopies/1*")),
    Mistake("blocks-without-more-copies", "dist/spectrum/block_eigen.cpp", r"return any_repeated\(.*;", "return false;",
            mpi(1, "BlockEigen/1.FindsMore*")),
    Mistake("residuals-of-blocks-unchecked", "dist/spectrum/block_eigen.cpp", r"if \(pairs_are_good\(\) && ", "if (", mpi(1, "BlockEigen/0*:BackendsTest.BlockEigen*")),
    Mistake("inner-products-without-conjugate", "kernels/dense/blocks_host.cpp", r"tile\.add<true>\(rows,", "tile.add<false>(rows,", unit("kernels", "BlockWorkOnHost/3*")),
    Mistake("evolution-backwards", "dist/spectrum/expansion.hpp", r"imaginary\(number\.imag\(\)\)", "imaginary(-number.imag())", mpi(1, "Spectra/3.Evolution*")),
    Mistake("evolution-never-asks", "dist/spectrum/expansion.hpp", r"if \(stop\(done\)\)", "if (stop(done) && false)",
            lib(2, "LibraryMomentsUse.AreWatched")),
    Mistake("moments-not-watched", "src/lib/guarded_watch.hpp", r"if \(all\.all_of\(watch_ == nullptr\)\) return \{\};",
            "static_cast<void>(all); return {};", lib(1, "LibraryMomentsUse.AreWatched")),
    Mistake("cancellation-not-seen", "dist/spectrum/evolve.cpp", r"if \(!\(rounding\.of_sum <= allowed \* ratio\)\) return", "if (false) return",
            mpi(1, "Evolutions/1.*")),
    Mistake("short-evolution-not-watched", "dist/spectrum/expansion.hpp", r"if \(!\(on_\.norm\(vectors_\.newest\(\)\) <= most\)\) return too_large;", "",
            mpi(1, "BackendsTest.ShortEvolutions*")),
    Mistake("far-from-0-is-one-eigenvalue", "dist/solve/ends_of_spectrum.cpp", r"!\(beta > rounding\)", "!(beta > 1e-6 * std::abs(alpha))",
            mpi(1, "SpectralRanges/1.*")),
    Mistake("eigenvectors-of-each-rank", "dist/spectrum/eigen_symmetric.cpp", r"result\.vectors\.elements\(\) = communicator\.broadcast\(.*;",
            "if (communicator.rank() > 0) result = eigen_symmetric(matrix);", mpi(2, "SmallProblems*")),
    Mistake("ends-of-each-rank", "dist/solve/ends_of_spectrum.cpp", r"communicator\.rank\(\) > 0 \|\| (.*\n(?:.*\n)*?).*communicator\.broadcast\(.*", r"\1",
            mpi(2, "SmallProblems*")),
    Mistake("nearly-singular-blocks-inverted", "dist/solve/dense_inverse.cpp", r"!\(std::abs\(matrix\[i \* n \+ i\]\) > least\)", "std::abs(matrix[i * n + i]) == 0",
            mpi(1, "Preconditioners*")),
    Mistake("start-vectors-in-natural-order", "dist/spectrum/kpm.cpp", r"reorder\(ids, A\.matrix\(\)\.operators\(\)\.x_order\)", "ids",
            mpi(1, "Spectra/1.RandomVectors*")),
    # Scales.
    Mistake("normalised-without-its-factor", "dist/solve/operator.hpp", r"return std::ldexp\(1\.0, -exponent\(\)\);", "return 1;", mpi(1, "Scaled/1.*")),
    Mistake("solution-in-other-units", "dist/solve/solve.cpp", r"system_\.of_x = numbers_\[0\]\.of_x", "system_.of_x = 1", mpi(1, "Scaled/1.Solvers*")),
    Mistake("halo-of-one-column", "comm/halo_plan.cpp", r"send_index\.push_back\(i \* columns \+ j\)", "send_index.push_back(i * columns)", mpi(2, "Products/1.Every*")),
    Mistake("boundary-of-column-0", "dist/dist_matrix.cpp", r"x \+ place\(from\), owned", "x + from, owned", mpi(2, "Products/1.Every*")),
    Mistake("coefficients-of-column-0", "kernels/combine/combine_columns_host.cpp", r"registers\(j\)\[term", "registers(0)[term", unit("kernels", "*ombin*")),
    Mistake("frozen-columns-change", "kernels/combine/combine_columns_host.cpp", r"if \(c_\.changes\(static_cast<int>\(e % c_\.columns\(\)\)\)\) ", "", unit("kernels", "*ombin*")),
    Mistake("sums-of-column-0", "dist/solve/rank_sums.cpp", r"column \* slots_apart\) \+ i", "0) + i", mpi(2, "RankSums*")),
    Mistake("one-goal-for-all-columns", "dist/solve/solve.cpp", r"all\.push_back\(numbers\.\*which\)", "all.push_back(numbers_[0].*which)", mpi(1, "Columns/1.*")),
    Mistake("stopped-column-goes-on", "dist/solve/iterate.hpp", r"if \(columns\[j\]\.ended\) on\.stop\(static_cast<int>\(j\)\);", ";", mpi(1, "Columns/1.*")),
    Mistake("tiny-vectors-are-0", "dist/solve/sized_norm.cpp", r"largest\[j\] == 0 \? 0 : beyond\(largest\[j\]\)", "0", mpi(1, "Scaled/1.Solvers*")),
    Mistake("large-rows-hide-differences", "dist/solve/check_hermitian.cpp", r"\(k - e\) / 2\)", "0)", mpi(1, "Scaled/1.Matrices*")),
    Mistake("gives-up-while-the-residual-rises", "dist/solve/judge.cpp", r"const gidx by_rows = 5 \* rows_;", "const gidx by_rows = 0;",
            mpi(1, "BackendsTest.ConjugateGradients*")),
    Mistake("gives-up-where-the-condition-is-bad", "dist/solve/judge.cpp", r"by_rows \+ by_condition", "by_rows", mpi(1, "BackendsTest.ConjugateGradients*")),
    Mistake("waits-where-rounding-decides", "dist/solve/judge.cpp", r"const bool within = [^;]*;", "const bool within = true;",
            mpi(1, "BackendsTest.ConjugateGradients*")),
    Mistake("products-beyond-the-type-pass", "dist/solve/check_hermitian.cpp", r"if \(has_finite_products\(on, A, u, au\)\)", "if (false)", mpi(1, "Scaled/1.Differences*")),
    Mistake("singular-not-seen", "dist/solve/judge.cpp", r"singular_ = finds_definite_ && directions_\.quotient\(\) <= of_patience \* eps_;", "singular_ = false;",
            mpi(1, "BackendsTest.SingularSystems*")),
    # A solver's sums.
    Mistake("cg-does-not-recompute", "dist/solve/cg.cpp", r"add_sums\(step_\.set\(p_, z \+ beta \* p_\), z\);", "step_.set(p_, z + beta * p_);", SOLVERS),
    Mistake("cg-sums-swapped", "dist/solve/cg.cpp", r"\{ps, su, a_\.M\.diagonal\(\)\}", "{su, ps, a_.M.diagonal()}", SOLVERS),
    # Hierarchies.
    Mistake("inner-forgets-directions", "dist/solve/cg.cpp", r"factor \* p_ \+ u - factor \* z", "LinearForm<T>(u)", mpi(1, "InnerSolvers/0.Need*")),
    Mistake("inner-in-another-order", "dist/solve/inner.cpp", r": inverse\(from\), to\)", ": from, to)", mpi(1, "InnerSolvers/0.Need*")),
    Mistake("inner-in-other-units", "dist/solve/inner.cpp", r"scale_ - exponent_\)", "scale_)", mpi(1, "InnerSolvers/0.DoTheSame*")),
    Mistake("kept-directions-have-one-chance", "dist/solve/inner.cpp", r"goes_on && result\.stop == Stop::broke_down", "false", mpi(1, "InnerStops.Kept*")),
    Mistake("restriction-forgotten", "dist/solve/hierarchy.cpp", r"on_\.multiply\(level\.R->by\(\), level\.t, next\.r\);", "", mpi(1, "Hierarchies/1.*")),
    Mistake("level-in-another-order", "dist/solve/hierarchy.cpp", r"to\.order\(\), from\.order\(\)\);", "to.order(), std::vector<lidx>());", mpi(1, "Hierarchies/1.*")),
    Mistake("residual-of-before", "dist/solve/hierarchy.cpp", r"on_\.multiply\(\*level\.A, z, level\.t, -1, 1, r\);\n  level\.smoother", "level.smoother", mpi(1, "Hierarchies/1.*")),
    Mistake("bicgstab-takes-what-is-not-finite", "dist/solve/bicgstab.cpp", r"step->require\(slot\(tt\)[^;]*;", ";", mpi(1, "ComplexSpectra/1.Last*")),
    Mistake("adjoint-that-is-a-transpose", "dist/solve/adjoint.cpp", r"value = std::conj\(value\);", "", lib(1, "LibraryHierarchies/3.Levels*")),
    Mistake("product-leaves-the-other-vector", "dist/solve/workspace.cpp", r" \+ beta \* w\)", ")", mpi(1, "BackendsTest.ProductsTake*")),
    Mistake("minres-without-its-rotation", "dist/solve/minres.cpp", r"s_next \* s_next \* r_", "s_next * r_", mpi(1, "Solvers/1.*")),
    Mistake("bicgstab-2-in-another-basis", "dist/solve/bicgstab_2.cpp", r"slot\(gamma\) - slot\(tau\) \* omega_1;", "slot(gamma);",
            mpi(1, "ComplexSpectra/1.*")),
    Mistake("bicgstab-2-enlarges-rounding", "dist/solve/bicgstab_2.cpp", r"where\(goes_on, (where\(slot\(r0y\), slot\(rho_1\) / slot\(r0y\)\))\);", r"\1;",
            mpi(1, "Solvers/*.FindTheSolutionWithEvery*")),
    Mistake("bicgstab-2-takes-what-is-not-finite", "dist/solve/bicgstab_2.cpp", r"solution_\.require\(.*\);", "",
            mpi(1, "ComplexSpectra/1.Last*")),
    # One workspace and several matrices.
    Mistake("product-before-its-vector", "dist/solve/workspace.cpp", r"hold\(of_matrix\);", "", mpi(1, "BackendsTest.WorkspacesTake*")),
    Mistake("product-is-not-waited-for", "dist/solve/workspace.cpp", r"wait_for\(of_matrix\);", "", mpi(1, "BackendsTest.WorkspacesTake*")),
    Mistake("sums-of-products-swapped", "dist/solve/workspace.cpp", r"c\.sum\(sums\.xy, x, y\)\.sum\(sums\.yy, ", "c.sum(sums.yy, x, y).sum(sums.xy, ",
            mpi(1, "BackendsTest.WorkspacesTake*")),
    Mistake("matrices-that-are-not-forgotten", "dist/solve/workspace.cpp", r"newest_ = nullptr;", "", mpi(3, "BackendsTest.WorkspacesLook*")),
    Mistake("loop-without-an-end", "dist/solve/iterate.hpp", r"const typename Workspace<T>::Loop loop\(on\);", "on.begin_loop();", mpi(1, "Solvers/1.Find*Minres")),
    Mistake("loop-that-is-stopped-before-it-begins", "dist/solve/workspace.cpp", r"scalars_\.forget_stop\(queue_\);", "", mpi(1, "Solvers/1.Find*Minres")),
    Mistake("level-with-a-stale-halo", "dist/modes/vector.cpp",
            r"(\w+\.finish_exchange\([^;]*;)(\s*)(\w+\.multiply_merged\([^;]*;)", SWAPPED, mpi(3, "Hierarchies/1.*")),
    Mistake("levels-in-units-of-the-matrix-as-given", "dist/solve/hierarchy.cpp", r"rows, A\.exponent\(\), options, true", "rows, 0, options, true",
            mpi(1, "BackendsTest.Hierarchies*")),
    Mistake("eigenvalues-of-levels-by-rank", "dist/solve/hierarchy_level.cpp", r"random_vector\(on, A, 4, first\)", "random_vector(on, A, 4)",
            mpi(3, "FewerRanks/1.LevelsOn*")),
    Mistake("rows-of-gathered-levels-by-number", "dist/solve/hierarchy.cpp", r"of_A\.original_row = coarser\.move\.carry\(given\.ids\);", "",
            mpi(3, "HierarchyMistakes.*Gathered*")),
    Mistake("constants-in-the-coarsest-level", "dist/solve/coarsest_inverse.cpp", r"element \+= s;", "element += 0 * s;", mpi(1, "FewerRanks/1.Constant*")),
    Mistake("hypre-fails-on-one-rank-alone", "dist/solve/hypre/on/levels.cpp", r"communicator\.together\(\[&\] \{ (choose\(\*amg, rows, options\);) \}\);", r"\1",
            mpi(3, "HypreLevels.OneRank*")),
    Mistake("rows-of-levels-by-number", "dist/solve/hierarchy_level.cpp", r"return rows\.original_row\.empty\(\) \?", "return true ?", mpi(1, "HierarchyMistakes*")),
    Mistake("sums-forget-a-rank", "kernels/combine/combine_host.cpp", r"sum_in_pairs<S>\(\n +ranks, ", "sum_in_pairs<S>(ranks - (ranks > 1), ", mpi(2, "RankSums*")),
    Mistake("ranks-added-in-a-row", "kernels/combine/combine_host.cpp", r"sum_in_pairs<S>\(",
            "[](int n, const auto& term) { S sum = term(0); for (int i = 1; i < n; ++i) sum = sum + term(i); return sum; }(",
            mpi(4, "RankSums*")),
    Mistake("stopped-loop-goes-on", "kernels/combine/combine_host.cpp", r"holds && \(scalars\.stopped == nullptr \|\| \*scalars\.stopped == 0\)",
            "holds", unit("kernels", "CombineOnHost/1.Host")),
    Mistake("second-form-of-a-strip-alone", "kernels/combine/strips_host.cpp", r"second\.add_to\(link \* value, k\)", "second.add_to(0, k)",
            unit("kernels", "CombineOnHost/1.Host")),
    Mistake("damaged-kernel-taken", "kernels/combine/kept_code.cpp", r"whole\.substr\(rest\.size\(\)\) != hash\(rest\) \|\| ", "",
            unit("kernels", "KeptCodeFile.*")),
    Mistake("round-before-own-sums", "dist/solve/rank_sums.cpp", r"if \(between_\) queue.wait\(\*round.ready\);",
            "", mpi(3, "RankSumsTest/0*")),
    Mistake("pipelined-uses-sums-too-early", "dist/solve/cg_pipelined.cpp",
            r"(a_\.on\.finish_adding_up\(\);)(\s*)(const std::uint64_t line = [^;]*;)", SWAPPED, SOLVERS),
    Mistake("solver-with-a-stale-halo", "dist/modes/vector.cpp",
            r"(\w+\.finish_exchange\([^;]*;)(\s*)(\w+\.multiply_merged\([^;]*;)", SWAPPED, SOLVERS),
    Mistake("solver-with-a-stale-flag", "src/core/peer_memory.cpp", r"while \(load_flag\(flag\) < number\)",
            "while (load_flag(flag) + 1 < number)", SOLVERS),
    Mistake("hyb-rest-assigns", "kernels/hyb/hyb.cpp", r"apply\(queue, x, y, Update::add\)", "apply(queue, x, y, update)", FORMATS),
    Mistake("csr-adds-where-it-assigns", "kernels/rows/rows_host.cpp", r"= update == Update::add \?", "= update == Update::assign ?",
            FORMATS),
    # Several columns at once.
    Mistake("columns-of-another-stride", "kernels/parts/multivector_host.hpp", r"row\.col\(j\) \* k \+ first", "row.col(j) * width + first", FORMATS),
    Mistake("last-columns-forgotten", "kernels/parts/multivector_host.hpp", r"(if \(left == 0)\)", r"\1 || left == 1)", FORMATS),
    Mistake("columns-added-twice", "kernels/parts/multivector_host.hpp", r"int c = done; c < width", "int c = 0; c < width", FORMATS),
    Mistake("columns-assigned-where-added", "kernels/parts/multivector_host.hpp", r"y\[c\] = update == Update::add \?", "y[c] = update != Update::add ?",
            FORMATS),
    Mistake("transport-of-other-columns", "dist/dist_matrix.cpp", r"exchange_movers\(other\.mover_\);", ";", lib(2, "LibraryMultiVectors/1.Over*")),
    Mistake("solver-of-columns-not-renewed", "src/lib/solver_state.cpp", r"if \(made\.made_of == A\.updates\)", "if (made.made_of >= 0)",
            lib(1, "LibrarySolveColumns/1.Follow*")),
    Mistake("preconditioner-beside-columns", "src/lib/preconditioner_by_columns.hpp", r"(columns = A_\.matrix->columns\(\);\s*)const InColumns<T> vectors\(A_, 1\);", r"\1",
            lib(1, "LibrarySolveColumns/1.Given*")),
    Mistake("column-put-into-the-first", "kernels/by_columns.cpp", r"multi\[offset\{i\} \* k \+ j\] = column", "multi[offset{i} * k] = column",
            FORMATS),
    Mistake("last-odd-element-forgotten", "kernels/parts/multivector_host.hpp", r"if \(j < row\.length\) add\(0, j\);", ";", FORMATS),
    Mistake("choice-for-other-columns", "kernels/tune/tuner.cpp", r"choice\.columns == request\.columns && ", "",
            unit("kernels", "TunerOfColumns.*")),
    Mistake("columns-apart-forgotten", "kernels/tune/tuner.cpp", r"if \(known\.columns_apart\) take_columns_apart\(\);", "",
            unit("kernels", "TunerOfColumns.*")),
    Mistake("columns-timed-one-by-one", "kernels/tune/product_timer.hpp", r"if \(op\.takes_columns\(\)\) return op\.apply_columns",
            "if (false) return op.apply_columns", unit("kernels", "TunerOfColumns.*")),
    Mistake("chain-of-other-lanes", "kernels/packed/patterns.cpp",
            r"at->base == wanted && at->lanes == heads\[from\]\.lanes", "at->base == wanted", PATTERNS),
    Mistake("chain-of-other-patterns", "kernels/packed/patterns.cpp",
            r" \|\| kind_of\[next\] != kind_of\[s\]", "", PATTERNS),
    Mistake("diagonal-taken-for-whole", "kernels/packed/diagonals_multi_host.hpp", r"\(head\.lanes & rows\) == rows", "(head.lanes & rows) != 0",
            unit("kernels", "PackedHost/1.SeveralColumns")),
    Mistake("complex-product-sign", "kernels/parts/row_lanes.hpp", r"(\+= v\[0\] \* w\[0\]) - ", r"\1 + ",
            unit("kernels", "Formats/3.BatteryOnHost")),
    Mistake("hermitian-not-conjugated", "src/io/entry_parser.hpp", r"return std::conj\(value\);", "return value;",
            unit("io", "MatrixMarket.HermitianIsConjugated")),
    Mistake("reference-in-low-precision", "src/core/reference.cpp", r"re \+= (static_cast<W>\(a\) \* static_cast<W>\(x\));",
            r"re = static_cast<T>(re + \1);", unit("core", "Reference.AccumulatesInHigherPrecision")),
    Mistake("entries-of-one-rank", "src/load/market_file.cpp", r"communicator\.sum\((part\.stored)\)", r"\1", mpi(3, "LoadRows.*")),
    # In Python: arrays of others, and the end of matrices.
    Mistake("work-of-jaxs-thread-forgotten", "src/python/spmv_dist/library/arrays.py", r"if hasattr\(array, \"block_until_ready\"\):", "if False:",
            python(1, "thread_still_computes")),
    Mistake("producers-stream-forgotten", "src/python/spmv_dist/library/arrays.py", r"( +)wait_for_producer\(array, interface\)\n", r"\1pass\n",
            python(1, "is_waited_for")),
    Mistake("waits-for-another-gpu", "src/python/spmv_dist/library/arrays.py", r"context_of\(device_of\(address\)\)", "context_of(0)",
            python(1, "is_waited_for")),
    Mistake("dtype-not-checked", "src/python/spmv_dist/library/arrays.py", r"if found != dtype:", "if False:",
            python(1, "that_do_not_fit")),
    Mistake("stride-not-checked", "src/python/spmv_dist/library/arrays.py", r"if not contiguous:", "if False:",
            python(1, "that_do_not_fit")),
    Mistake("gpu-memory-on-the-host", "src/python/spmv_dist/library/arrays.py", r"if not on_gpu:", "if False:",
            python(1, "where_products_run_on_the_host")),
    Mistake("host-memory-called-a-gpus", "src/python/spmv_dist/library/vectors.py", r"= self\._products_on_gpu and of_gpu", "= self._products_on_gpu",
            python(1, "view_of_host_memory")),
    Mistake("handles-in-the-wrong-order", "src/python/spmv_dist/library/context.py", r", reverse=True\)", ")",
            python(2, "agreed_order")),
    Mistake("handle-of-another-rank-destroyed", "src/python/spmv_dist/library/context.py", r"set\.intersection\(", "set.union(",
            python(2, "agreed_order")),
    Mistake("collected-handle-destroyed-at-once", "src/python/spmv_dist/library/context.py",
            r"self\.context\.parked\.append\(\(self\.number, native\)\)", "native.destroy()", python(2, "agreed_order")),
    Mistake("interrupt-of-one-rank", "src/python/spmv_dist/library/spectrum.py",
            r"A\.context\.together\(lambda: (compute\([^)]*\)), \[watch\]\)", r"\1", python(2, "interrupt_at_the_end")),
    Mistake("right-hand-sides-of-one-rank", "src/python/spmv_dist/library/solve.py", r"if len\(set\(of_ranks\)\) > 1:", "if False:",
            python(2, "as_many_columns")),
    Mistake("atol-of-the-smallest-column", "src/python/spmv_dist/library/solve.py", r"norms\.max\(\)", "norms.min()",
            python(1, "hold_for_every_column")),
    Mistake("smallest-instead-of-largest", "src/python/spmv_dist/library/spectrum.py", r"argsort\(-np\.abs", "argsort(np.abs",
            python(1, "both_ends")),
    Mistake("wrong-called-correct", "src/app/report/*.cpp", r'rows_wrong == 0 \? "correct"', 'rows_wrong >= 0 ? "correct"',
            unit("app", "Report.LayoutsThatWereMeasured")),
]
