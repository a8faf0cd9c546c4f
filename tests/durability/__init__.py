"""What survives: kills, power cuts, full disks, damaged files, other processes, and closing at a bad moment.

chat             the load: a send is one transaction over a message, its conversation and a participant
inspection       what must be true of a store's file, whatever happened to it
sending_process  the load in a process of its own, to be killed or to be a neighbour
recording_disk   a VFS that writes down what was done to the files, and what a power cut could leave of it
failing_disk     a VFS that can be told to fail
"""
