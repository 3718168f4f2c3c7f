"""What runs while the agent sleeps: sessions dropped in a spool, a worker with a lease, a pipeline
of steps.
"""
