"""The verbs of inboxes, each from the part that implements it."""

from __future__ import annotations

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.domains.inboxes.broadcast_floor import BroadcastFloor
from sobremesa.domains.inboxes.broadcasts import Broadcasts
from sobremesa.domains.inboxes.cleanup import Cleanup
from sobremesa.domains.inboxes.configuring import Configuring
from sobremesa.domains.inboxes.counting import Counting
from sobremesa.domains.inboxes.current_counts import CurrentCounts
from sobremesa.domains.inboxes.delivery import Delivery
from sobremesa.domains.inboxes.editing import Editing
from sobremesa.domains.inboxes.expiring import Expiring
from sobremesa.domains.inboxes.listing import Listing
from sobremesa.domains.inboxes.marking import Marking
from sobremesa.domains.inboxes.message_ids import MessageIds
from sobremesa.domains.inboxes.preferences import Preferences
from sobremesa.domains.inboxes.publishing import Publishing
from sobremesa.domains.inboxes.recalling import Recalling
from sobremesa.domains.inboxes.reconciling import Reconciling
from sobremesa.domains.inboxes.segments import Segments
from sobremesa.table import Table
from sobremesa.work.jobs import Jobs


class Inboxes:
    """Messages that programs publish to users: notices, orders, alerts."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, jobs: Jobs) -> None:
        current_counts = CurrentCounts(table, clock)
        self.broadcasts = Broadcasts(table, clock, current_counts)
        floor = BroadcastFloor(table, clock, self.broadcasts)
        configuring = Configuring(table)
        self.delivery = Delivery(table, clock)
        segments = Segments(table, clock, ids)
        publishing = Publishing(table, clock, MessageIds(ids), configuring, segments, self.delivery, jobs)
        self.recalling = Recalling(table, clock, self.delivery, jobs)
        self.editing = Editing(table, clock, configuring, self.delivery, jobs)
        listing = Listing(table, clock, floor, self.broadcasts)
        marking = Marking(table, clock, floor, listing, self.broadcasts)
        self.counting = Counting(current_counts, self.broadcasts, floor)
        self.expiring = Expiring(table, clock)
        self.reconciling = Reconciling(table, current_counts)
        self.cleanup = Cleanup(table, clock)

        self.set_tenant, self.get_tenant = configuring.set_tenant, configuring.get_tenant
        self.set_inbox, self.get_inbox = configuring.set_inbox, configuring.get_inbox
        self.publish_to_users, self.publish_to_everyone = publishing.publish_to_users, publishing.publish_to_everyone
        self.publish_to_segment, self.get_publish = publishing.publish_to_segment, publishing.get_publish
        self.recall, self.update = self.recalling.recall, self.editing.update
        self.set_segment, self.get_segment = segments.set_segment, segments.get_segment
        self.delete_segment, self.list_segments = segments.delete_segment, segments.list_segments
        self.change_segment_users = segments.change_users
        self.list_messages, self.page = listing.list_messages, listing.page
        self.mark_read, self.mark_all_read = marking.mark_read, marking.mark_all_read
        self.archive, self.snooze = marking.archive, marking.snooze
        self.count, self.count_everywhere = self.counting.count, self.counting.count_everywhere
        self.set_preference = Preferences(table).set_preference
