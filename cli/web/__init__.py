"""The page and the endpoints of `ragloop serve`."""
