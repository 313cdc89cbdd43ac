"""Strong and weak scaling studies that can be resumed: python3 -m spmv_dist.scale. Needs the standard library only."""
