"""What joins the domains: the event catalog, subscriptions, the ready snapshot, disconnects and the node registry."""
