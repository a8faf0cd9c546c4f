"""Attachments: files that people upload, looked at by their content, kept outside of the table, served by signed
addresses."""
