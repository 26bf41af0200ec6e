"""What is done with environments, demonstrations and agents: the command line, evaluation, benchmarks, reports.

Nothing else in the project imports this package.
"""
