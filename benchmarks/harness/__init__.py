"""What the benchmarks share: the contract, texts to store, writes with known outcomes, clocks, the
report.
"""
