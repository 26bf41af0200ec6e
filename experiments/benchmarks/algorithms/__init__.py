"""Algorithms × environments × seeds: trained, measured alike, and compared with intervals."""
