"""Work in the background and its tools: jobs, change-stream consumers, migrations, quotas and recounts."""
