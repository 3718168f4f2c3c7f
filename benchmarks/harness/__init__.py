"""What the benchmarks share.

The contract, texts to store, writes with known outcomes, clocks, the report.
"""
