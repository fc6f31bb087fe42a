"""Names of the commands' functions; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

COMMANDS = (
        "show", "cost", "symbolic", "explain", "predict", "fit", "sweep", "inspect", "learn", "validate", "models",
        "pull", "formula", "op", "db_list", "db_show", "db_check", "db_export", "db_add", "generate_python",
        "generate_c", "machines", "machine", "machine_compare", "machine_check", "machine_add", "detect", "calibrate",
        "live", "bench", "compare", "profile", "experiment", "history", "history_show", "history_delete",
        "history_export", "history_import", "baseline_set", "baseline_list", "baseline_check", "baseline_delete",
        "formats", "serve",
)
