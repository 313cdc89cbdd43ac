"""Tools around the program spmv_dist: what reads its results and starts its runs."""
