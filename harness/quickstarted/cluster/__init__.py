"""
Attempts on the nodes of a Ray cluster (`--executor ray`).

The plan, the schedule and what counts are those of any call; `ClusterMaker` stands where
`suite.LocalMaker` does. What is sent to a node (`orders`, `parcels`), how it and the caller's
machine talk while an attempt is made (`channel`, `conversation`), and how results come back
(`archives`, `receiving`) know nothing of Ray, which has one door: `ray_cluster`.
"""
