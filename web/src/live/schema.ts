// Made by `npm run schema` from the API of this tree; not to be edited.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActiveChannel: {
            after: string | null;
            changed: boolean;
            channelId: string;
            until: string | null;
        };
        Call: {
            method: string;
            params?: unknown;
        };
        CallFrame: {
            d: components["schemas"]["Call"];
            id: string | number;
            /** @constant */
            op: 12;
        };
        CardView: {
            createdAt: string;
            createdBy: string | null;
            flags: components["schemas"]["FlagsView"] | null;
            messageId: string;
            nsfwBand: number | null;
            payload: {
                [key: string]: unknown;
            };
            state: string;
            threadId: string;
            type: string;
            updatedAt: string;
            version: number;
        };
        CategoryCountView: {
            muted: boolean;
            total: number;
            unread: number;
        };
        ChannelActivity: {
            channels: components["schemas"]["ActiveChannel"][];
            serverId: string;
        };
        ChannelGone: {
            channelId: string;
            serverId: string;
        };
        ChannelView: {
            channelId: string;
            createdAt: string;
            data: {
                [key: string]: unknown;
            } | null;
            lastMessageId: string | null;
            name: string;
            private: boolean;
            serverId: string;
            topic: string | null;
            updatedAt: string | null;
        };
        ConversationGone: {
            convoId: string;
        };
        ConversationView: {
            convoId: string;
            createdAt: string;
            createdBy: string | null;
            data: {
                [key: string]: unknown;
            } | null;
            lastMessageAt: string | null;
            lastMessageBody: string | null;
            lastMessageId: string | null;
            lastMessageSender: string | null;
            muted: boolean;
            name: string | null;
            other: components["schemas"]["PersonView"] | null;
            participantCount: number | null;
            /** @enum {unknown} */
            role: "admin" | "member";
            /** @enum {unknown} */
            type: "direct" | "group";
            unread: components["schemas"]["UnreadView"];
            updatedAt: string | null;
        };
        DispatchFrame: {
            d: {
                [key: string]: unknown;
            };
            id?: string;
            /** @constant */
            op: 0;
            s?: string;
            t: string;
        };
        Events: {
            "card.updated": components["schemas"]["CardView"];
            "channel.activity": components["schemas"]["ChannelActivity"];
            "channel.created": components["schemas"]["ChannelView"];
            "channel.deleted": components["schemas"]["ChannelGone"];
            "channel.updated": components["schemas"]["ChannelView"];
            "command.invoked": components["schemas"]["InvocationView"];
            "command.responded": components["schemas"]["ResponseView"];
            "conversation.created": components["schemas"]["LiveConversation"];
            "conversation.deleted": components["schemas"]["ConversationGone"];
            "conversation.updated": components["schemas"]["LiveConversation"];
            gap: components["schemas"]["Gap"];
            "inbox.counts": components["schemas"]["LiveCounts"];
            "inbox.edited": components["schemas"]["InboxEdited"];
            "inbox.message": components["schemas"]["LiveInboxMessage"];
            "inbox.recalled": components["schemas"]["InboxRecalled"];
            "inbox.updated": components["schemas"]["InboxMarked"];
            "member.joined": components["schemas"]["MemberView"];
            "member.left": components["schemas"]["MemberGone"];
            "member.updated": components["schemas"]["MemberView"];
            "message.created": components["schemas"]["LiveMessage"];
            "message.deleted": components["schemas"]["MessageGone"];
            "message.updated": components["schemas"]["LiveMessage"];
            "participant.joined": components["schemas"]["LiveParticipant"];
            "participant.left": components["schemas"]["ParticipantGone"];
            "participant.updated": components["schemas"]["LiveParticipant"];
            "pin.added": components["schemas"]["PinChanged"];
            "pin.removed": components["schemas"]["PinChanged"];
            "preferences.updated": components["schemas"]["PreferencesChanged"];
            "presence.updated": components["schemas"]["PresenceView"];
            "reaction.added": components["schemas"]["ReactionChanged"];
            "reaction.removed": components["schemas"]["ReactionChanged"];
            "read.updated": components["schemas"]["ReadMoved"];
            ready: components["schemas"]["Ready"];
            renewed: components["schemas"]["Renewed"];
            resumed: components["schemas"]["Resumed"];
            "server.created": components["schemas"]["ServerView"];
            "server.deleted": components["schemas"]["ServerGone"];
            "server.updated": components["schemas"]["ServerView"];
            "tab.updated": components["schemas"]["TabView"];
            "thread.created": components["schemas"]["LiveThread"];
            "thread.updated": components["schemas"]["LiveThread"];
            "typing.started": components["schemas"]["TypingStarted"];
            "typing.stopped": components["schemas"]["TypingStopped"];
            "user.updated": components["schemas"]["LiveUser"];
            "workspace.created": components["schemas"]["WorkspaceView"];
            "workspace.deleted": components["schemas"]["WorkspaceGone"];
            "workspace.item.created": components["schemas"]["ItemView"];
            "workspace.item.deleted": components["schemas"]["ItemGone"];
            "workspace.item.updated": components["schemas"]["ItemView"];
            "workspace.member.joined": components["schemas"]["WorkspaceMemberView"];
            "workspace.member.left": components["schemas"]["WorkspaceMemberGone"];
            "workspace.member.updated": components["schemas"]["WorkspaceMemberView"];
            "workspace.setting.deleted": components["schemas"]["SettingGone"];
            "workspace.setting.updated": components["schemas"]["LiveSetting"];
            "workspace.updated": components["schemas"]["WorkspaceView"];
        };
        FlagsView: {
            moderation: string;
            policyHints: string[];
        };
        Gap: {
            rooms: components["schemas"]["MissedRoom"][];
            since: string;
        };
        Heartbeat: {
            s: string | null;
        };
        HeartbeatAckFrame: {
            /** @constant */
            op: 11;
        };
        HeartbeatFrame: {
            d: components["schemas"]["Heartbeat"];
            /** @constant */
            op: 1;
        };
        Hello: {
            heartbeatInterval: number;
        };
        HelloFrame: {
            d: components["schemas"]["Hello"];
            /** @constant */
            op: 10;
        };
        Identify: {
            /** @default null */
            actAs?: string | null;
            /** @default [] */
            channelIds?: string[];
            token: string;
        };
        IdentifyFrame: {
            d: components["schemas"]["Identify"];
            /** @constant */
            op: 2;
        };
        InboxEdited: {
            body: unknown;
            ctaUri: string | null;
            inbox: string;
            messageId: string;
            sender: string;
            tenant: string;
            title: string;
        };
        InboxMarked: {
            archivedAt: string | null;
            inbox: string;
            messageId: string;
            readAt: string | null;
            snoozedUntil: string | null;
            tenant: string;
        };
        InboxRecalled: {
            inbox: string;
            messageId: string;
            tenant: string;
        };
        InvalidSessionFrame: {
            d: boolean;
            /** @constant */
            op: 9;
        };
        InvocationView: {
            botId: string;
            channelId: string;
            commandId: string;
            createdAt: string;
            expiresAt: string;
            name: string;
            serverId: string;
            text: string;
            userId: string;
            username: string;
        };
        ItemGone: {
            itemId: string;
            workspaceId: string;
        };
        ItemView: {
            createdAt: string;
            createdBy: string | null;
            data: {
                [key: string]: unknown;
            };
            itemId: string;
            status: string | null;
            title: string;
            updatedAt: string | null;
            updatedBy: string | null;
            version: number;
            workspaceId: string;
        };
        LiveConversation: {
            convoId: string;
            createdAt: string;
            createdBy: string | null;
            data: {
                [key: string]: unknown;
            } | null;
            lastMessageAt: string | null;
            lastMessageBody: string | null;
            lastMessageId: string | null;
            lastMessageSender: string | null;
            name: string | null;
            participantCount: number | null;
            /** @enum {unknown} */
            type: "direct" | "group";
            updatedAt: string | null;
        };
        LiveCounts: {
            categories: {
                [key: string]: components["schemas"]["CategoryCountView"];
            };
            inbox: string;
            tenant: string;
            total: number;
            unread: number;
        };
        LiveInboxMessage: {
            archivedAt: string | null;
            /** @enum {unknown} */
            audience: "everyone" | "users";
            body: unknown;
            category: string | null;
            ctaUri: string | null;
            expiresAt: string | null;
            inbox: string;
            messageId: string;
            readAt: string | null;
            receivedAt: string;
            sender: string;
            snoozedUntil: string | null;
            tenant: string;
            title: string;
        };
        LiveMessage: {
            action: {
                [key: string]: unknown;
            } | null;
            attachments: components["schemas"]["MessageFile"][];
            authorId: string;
            bot?: boolean;
            command?: {
                [key: string]: unknown;
            };
            content: string;
            createdAt: string;
            data: {
                [key: string]: unknown;
            } | null;
            deleted: boolean;
            displayName: string | null;
            edited: boolean;
            editedAt: string | null;
            flags: components["schemas"]["FlagsView"] | null;
            mentions: string[];
            messageId: string;
            nonce?: string;
            nsfwBand: number | null;
            reactions: components["schemas"]["LiveReaction"][];
            replyTo: string | null;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            type: string;
            username: string;
        };
        LiveParticipant: {
            avatarUrl: string | null;
            blockedUntil?: string | null;
            displayName: string | null;
            joinedAt: string;
            role: string;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
            username: string;
        };
        LiveReaction: {
            count: number;
            emoji: string;
            userIds: string[];
        };
        LiveSetting: {
            name: string;
            updatedAt: string | null;
            updatedBy: string | null;
            value: unknown;
            workspaceId: string;
        };
        LiveThread: {
            buyerUserId: string;
            city: string | null;
            createdAt: string;
            data: {
                [key: string]: unknown;
            } | null;
            /** @enum {unknown} */
            kind: "inquiry" | "project";
            lastMessageAt: string | null;
            lastMessageId: string | null;
            lbgId: string | null;
            legId: string | null;
            listingId: string | null;
            lockedBy: string | null;
            participants: string[];
            safeModeRequired: boolean;
            sellerUserId: string;
            /** @enum {unknown} */
            status: "archived" | "locked" | "open";
            threadId: string;
            updatedAt: string | null;
        };
        LiveUser: {
            avatarUrl: string | null;
            displayName: string | null;
            updatedAt: string;
            userId: string;
            username: string;
        };
        Me: {
            avatarUrl: string | null;
            bot: boolean;
            createdAt: string;
            displayName: string | null;
            email: string | null;
            externalId: string | null;
            isAdmin: boolean;
            tenant: string;
            updatedAt: string;
            userId: string;
            username: string;
        };
        MemberGone: {
            serverId: string;
            userId: string;
        };
        MemberView: {
            avatarUrl: string | null;
            bot: boolean;
            displayName: string | null;
            joinedAt: string;
            /** @enum {unknown} */
            role: "admin" | "member" | "moderator" | "owner";
            serverId: string;
            userId: string;
            username: string;
        };
        MessageFile: {
            fileId: string;
            h?: number;
            kind: string;
            mime: string;
            name: string;
            size: number;
            w?: number;
        };
        MessageGone: {
            messageId: string;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
        };
        MissedRoom: {
            after: string;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            until: string;
        };
        OwnWorkspaceView: {
            createdAt: string;
            createdBy: string | null;
            name: string;
            /** @enum {unknown} */
            role: "admin" | "member" | "owner";
            updatedAt: string | null;
            workspaceId: string;
        };
        ParticipantGone: {
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
        };
        PersonView: {
            avatarUrl: string | null;
            displayName: string | null;
            userId: string;
            username: string;
        };
        PinChanged: {
            messageId: string;
            pinnedAt: string;
            pinnedBy: string;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
        };
        PreferencesChanged: {
            muted: boolean;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
        };
        PresenceView: {
            /** @enum {unknown} */
            status: "offline" | "online";
            userId: string;
        };
        ReactionChanged: {
            count: number;
            emoji: string;
            messageId: string;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
            userIds: string[];
        };
        ReadMoved: {
            lastReadMessageId: string;
            readAt: string | null;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
        };
        Ready: {
            conversations: components["schemas"]["ConversationView"][];
            expiresAt: string;
            inboxes: components["schemas"]["ReadyInbox"][];
            presences: components["schemas"]["PresenceView"][];
            servers: components["schemas"]["ReadyServer"][];
            sessionId: string;
            threads: components["schemas"]["ThreadView"][];
            user: components["schemas"]["Me"];
            workspaces: components["schemas"]["OwnWorkspaceView"][];
        };
        ReadyChannel: {
            channelId: string;
            createdAt: string;
            data: {
                [key: string]: unknown;
            } | null;
            lastMessageId: string | null;
            lastReadMessageId: string | null;
            muted: boolean;
            name: string;
            private: boolean;
            serverId: string;
            topic: string | null;
            unread: components["schemas"]["UnreadView"];
            updatedAt: string | null;
        };
        ReadyInbox: {
            categories: {
                [key: string]: components["schemas"]["CategoryCountView"];
            };
            description: string | null;
            inbox: string;
            tenant: string;
            title: string | null;
            total: number;
            unread: number;
        };
        ReadyServer: {
            channelCount?: number;
            channels: components["schemas"]["ReadyChannel"][];
            createdAt: string;
            data: {
                [key: string]: unknown;
            } | null;
            iconUrl: string | null;
            name: string;
            ownerId: string;
            /** @enum {unknown} */
            role: "admin" | "member" | "moderator" | "owner";
            serverId: string;
            updatedAt: string | null;
        };
        Reconnect: {
            retryAfter: number;
            spread: number;
        };
        ReconnectFrame: {
            d: components["schemas"]["Reconnect"];
            /** @constant */
            op: 7;
        };
        Renewed: {
            expiresAt: string;
        };
        ResponseView: {
            botId: string;
            channelId: string;
            commandId: string;
            content: string | null;
            createdAt: string;
            messageId: string | null;
            name: string;
            responseId: string;
            serverId: string;
            userId: string;
            username: string;
            /** @enum {unknown} */
            visibility: "private" | "public";
        };
        Result: {
            body: unknown;
            status: number;
        };
        ResultFrame: {
            d: components["schemas"]["Result"];
            id: string | number;
            /** @constant */
            op: 13;
        };
        Resume: {
            /** @default null */
            actAs?: string | null;
            /** @default [] */
            channelIds?: string[];
            s: string;
            sessionId: string;
            token: string;
        };
        Resumed: Record<string, never>;
        ResumeFrame: {
            d: components["schemas"]["Resume"];
            /** @constant */
            op: 6;
        };
        ServerGone: {
            serverId: string;
        };
        ServerView: {
            channelCount?: number;
            createdAt: string;
            data: {
                [key: string]: unknown;
            } | null;
            iconUrl: string | null;
            name: string;
            ownerId: string;
            serverId: string;
            updatedAt: string | null;
        };
        SettingGone: {
            name: string;
            workspaceId: string;
        };
        TabView: {
            content: {
                [key: string]: unknown;
            } | unknown[] | null;
            flags: components["schemas"]["FlagsView"] | null;
            nsfwBand: number | null;
            sourceVersion: number;
            /** @enum {unknown} */
            tab: "actions" | "brief" | "docs" | "expenses" | "files" | "moodboard" | "shotlist";
            threadId: string;
            updatedAt: string | null;
        };
        ThreadView: {
            buyerUserId: string;
            city: string | null;
            createdAt: string;
            data: {
                [key: string]: unknown;
            } | null;
            /** @enum {unknown} */
            kind: "inquiry" | "project";
            lastMessageAt: string | null;
            lastMessageId: string | null;
            lbgId: string | null;
            legId: string | null;
            listingId: string | null;
            lockedBy: string | null;
            muted: boolean;
            participants: string[];
            roleContext: ("admin" | "buyer" | "seller") | null;
            safeModeRequired: boolean;
            sellerUserId: string;
            /** @enum {unknown} */
            status: "archived" | "locked" | "open";
            threadId: string;
            unread: components["schemas"]["UnreadView"];
            updatedAt: string | null;
        };
        TypingStarted: {
            displayName: string | null;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
            username: string;
        };
        TypingStopped: {
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
        };
        UnreadView: {
            capped: boolean;
            count: number;
            mentions: number;
        };
        Watch: {
            channelIds: string[];
        };
        WatchFrame: {
            d: components["schemas"]["Watch"];
            id: string | number;
            /** @constant */
            op: 14;
        };
        WorkspaceGone: {
            workspaceId: string;
        };
        WorkspaceMemberGone: {
            userId: string;
            workspaceId: string;
        };
        WorkspaceMemberView: {
            avatarUrl: string | null;
            displayName: string | null;
            joinedAt: string;
            /** @enum {unknown} */
            role: "admin" | "member" | "owner";
            userId: string;
            username: string;
            workspaceId: string;
        };
        WorkspaceView: {
            createdAt: string;
            createdBy: string | null;
            name: string;
            updatedAt: string | null;
            workspaceId: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
