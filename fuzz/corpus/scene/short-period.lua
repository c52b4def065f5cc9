scene { spacing = 0.05, method = "dfsph", period = {0.12, 0, 0} }
