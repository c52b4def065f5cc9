"""Tables of a run in pandas."""
import os
import re


def read_csv(path):
    """diagnostics.csv, gauges.csv or another table of a run as a pandas.DataFrame; a folder means its diagnostics.csv.

    Units, where the header has them in brackets ("p1 [Pa]"), are in `attrs["units"]` by column, and the names without.
    """
    import pandas
    path = os.fspath(path)
    table = pandas.read_csv(os.path.join(path, "diagnostics.csv") if os.path.isdir(path) else path, comment="#")
    units = {}
    for name in list(table.columns):
        found = re.fullmatch(r"(.*?)\s*\[([^\]]*)\]", name)
        if found:
            units[found.group(1)] = found.group(2)
    table.columns = [re.sub(r"\s*\[[^\]]*\]$", "", name) for name in table.columns]
    table.attrs["units"] = units
    return table
