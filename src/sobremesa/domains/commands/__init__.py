"""Slash commands: `/name text` in a channel is delivered to a bot, which answers privately or publicly."""
