"""What survives: kills, power cuts, full disks, damaged files, other processes, and closing at a bad moment.

chat               the load: a send is one transaction over a message, its conversation and a participant
inspection         what must be true of a store's file, whatever happened to it
child              a process that the tests start, and its output
sending_process    the load in a process of its own, to be killed
other_process  another process at the same file, which follows the log or holds the lock
recording_disk     a VFS that writes down what was done to the files, and what a power cut could leave of it
failing_disk       a VFS with injected failures

`lengths.py` has the size of a run, TESTS_SEED repeats one.
"""
