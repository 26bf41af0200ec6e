"""Closed-loop experts that label what a learner visits. They read frames only and remember nothing."""
