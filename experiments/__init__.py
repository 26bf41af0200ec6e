"""The command line, evaluation, benchmarks, the dashboard and the model zoo."""
