import xml.etree.ElementTree as ET

import numpy as np

from experiments.report.charts import bar_chart, heat_map, line_chart


def test_line_chart_is_well_formed_and_leaves_gaps() -> None:
    tree = ET.fromstring(
        line_chart({"training": [None, 2.0, 1.0], "held out": [3.0, 2.5, 2.4]}, "epoch", "loss")
    )
    lines = [node for node in tree.iter() if node.tag == "polyline"]
    assert [len(line.attrib["points"].split()) for line in lines] == [2, 3]


def test_chart_without_figures_says_so() -> None:
    assert "No figures" in line_chart({"training": []}, "epoch", "loss")
    assert "No figures" in bar_chart({})


def test_bar_chart_escapes_names_and_shows_marks() -> None:
    text = bar_chart({"<b>": {"players": 0.5, "agent": 0.0}}, {"<b>": "COLLAPSE"})
    ET.fromstring(text)
    assert "COLLAPSE" in text
    assert "<b>" not in text


def test_heat_map_has_one_cell_per_visited_position() -> None:
    counts = np.zeros((17, 17), np.int64)
    counts[8, 8], counts[16, 8] = 10, 1
    tree = ET.fromstring(heat_map(counts, "players"))
    cells = [node for node in tree.iter("rect")]
    assert len(cells) == 2
    # The strongest cell is opaque; the right edge of the stick is the right edge of the picture.
    assert float(cells[0].attrib["opacity"]) == 1.0
    assert float(cells[1].attrib["x"]) > 200
