// Made by `npm run schema` from the API of this tree; not to be edited.

export interface paths {
    "/v1/admin/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.listAllServers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["attachments.listAttachments"];
        put?: never;
        post: operations["attachments.createAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["attachments.getAttachment"];
        put?: never;
        post?: never;
        delete: operations["attachments.deleteAttachment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments/{fileId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["attachments.completeAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments/{fileId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["attachments.getContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments/{fileId}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["attachments.getPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accounts.login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accounts.logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accounts.refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accounts.register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/registrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accounts.askRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/registrations/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accounts.confirmRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accounts.askReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reset/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accounts.confirmReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{channelId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.getChannel"];
        put?: never;
        post?: never;
        delete: operations["communities.deleteChannel"];
        options?: never;
        head?: never;
        patch: operations["communities.changeChannel"];
        trace?: never;
    };
    "/v1/channels/{channelId}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.getAccess"];
        put: operations["communities.setAccess"];
        post?: never;
        delete: operations["communities.clearAccess"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{channelId}/commands/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["commands.invokeCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{channelId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.listChannelMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["hooks.listChannelHooks"];
        put?: never;
        post: operations["hooks.createChannelHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/hooks/{hookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["hooks.deleteChannelHook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["channels.listMessages"];
        put?: never;
        post: operations["channels.sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["channels.getMessage"];
        put?: never;
        post?: never;
        delete: operations["channels.deleteMessage"];
        options?: never;
        head?: never;
        patch: operations["channels.editMessage"];
        trace?: never;
    };
    "/v1/channels/{roomId}/messages/{messageId}/reactions/{emoji}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["channels.listReactors"];
        put: operations["channels.addReaction"];
        post?: never;
        delete: operations["channels.removeReaction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/messages/{messageId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["channels.reportMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/pins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["channels.listPins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/pins/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["channels.pinMessage"];
        post?: never;
        delete: operations["channels.unpinMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["channels.setPreferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["channels.markRead"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["channels.listReaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/typing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["channels.startTyping"];
        delete: operations["channels.stopTyping"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["channels.countUnread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{roomId}/viewers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["watching.listViewers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/commands/{commandId}/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["commands.respond"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.listConversations"];
        put?: never;
        post: operations["conversations.createConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{convoId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.getConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["conversations.changeConversation"];
        trace?: never;
    };
    "/v1/conversations/{convoId}/participants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.listParticipants"];
        put?: never;
        post: operations["conversations.addParticipant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{convoId}/participants/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["conversations.removeParticipant"];
        options?: never;
        head?: never;
        patch: operations["conversations.changeParticipant"];
        trace?: never;
    };
    "/v1/conversations/{roomId}/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["hooks.listConversationHooks"];
        put?: never;
        post: operations["hooks.createConversationHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/hooks/{hookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["hooks.deleteConversationHook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.listMessages"];
        put?: never;
        post: operations["conversations.sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.getMessage"];
        put?: never;
        post?: never;
        delete: operations["conversations.deleteMessage"];
        options?: never;
        head?: never;
        patch: operations["conversations.editMessage"];
        trace?: never;
    };
    "/v1/conversations/{roomId}/messages/{messageId}/reactions/{emoji}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.listReactors"];
        put: operations["conversations.addReaction"];
        post?: never;
        delete: operations["conversations.removeReaction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/messages/{messageId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["conversations.reportMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/pins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.listPins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/pins/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["conversations.pinMessage"];
        post?: never;
        delete: operations["conversations.unpinMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["conversations.setPreferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["conversations.markRead"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.listReaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/typing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["conversations.startTyping"];
        delete: operations["conversations.stopTyping"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{roomId}/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["conversations.countUnread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events.listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["hooks.post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{token}/alertmanager": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["hooks.postAlertmanager"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{token}/discord": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["hooks.postDiscord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{token}/github": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["hooks.postGithub"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{token}/grafana": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["hooks.postGrafana"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{token}/slack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["hooks.postSlack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/import/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["import.importMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invites/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["invites.getInvite"];
        put?: never;
        post?: never;
        delete: operations["invites.revokeInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invites/{code}/redeem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["invites.redeemInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["rooms.getMessageAnywhere"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["moderation.listCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/cases/{caseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["moderation.getCase"];
        put?: never;
        post: operations["moderation.decideCase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/presence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["presence.listPresences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.listServers"];
        put?: never;
        post: operations["communities.createServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.getServer"];
        put?: never;
        post?: never;
        delete: operations["communities.deleteServer"];
        options?: never;
        head?: never;
        patch: operations["communities.changeServer"];
        trace?: never;
    };
    "/v1/servers/{serverId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/bans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.listBans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/bans/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["communities.banMember"];
        post?: never;
        delete: operations["communities.liftBan"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["bots.listServerBots"];
        put?: never;
        post: operations["bots.createServerBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/bots/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["bots.deleteServerBot"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/bots/{userId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["bots.rotateServerBot"];
        delete: operations["bots.revokeServerBot"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.listChannels"];
        put?: never;
        post: operations["communities.createChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["commands.listCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/commands/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["commands.getCommand"];
        put: operations["commands.putCommand"];
        post?: never;
        delete: operations["commands.deleteCommand"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.listInvites"];
        put?: never;
        post: operations["communities.createInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{serverId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["communities.getMember"];
        put: operations["communities.addMember"];
        post?: never;
        delete: operations["communities.removeMember"];
        options?: never;
        head?: never;
        patch: operations["communities.changeMember"];
        trace?: never;
    };
    "/v1/servers/{serverId}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["communities.transferServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/table/cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["table.getCost"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/table/partitions/{pk}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["table.readPartition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/table/patterns/{patternId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["table.runPattern"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/table/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["table.getSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accounts.listTenantAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["bots.listTenantBots"];
        put?: never;
        post: operations["bots.createTenantBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/bots/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["bots.deleteTenantBot"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/bots/{userId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["bots.rotateTenantBot"];
        delete: operations["bots.revokeTenantBot"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/data-schemas/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["data.getSchema"];
        put: operations["data.setSchema"];
        post?: never;
        delete: operations["data.removeSchema"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["inboxes.getInbox"];
        put: operations["inboxes.setInbox"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["inboxes.countMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["inboxes.listMessages"];
        put?: never;
        post: operations["inboxes.publishMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["inboxes.recallMessage"];
        options?: never;
        head?: never;
        patch: operations["inboxes.updateMessage"];
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/messages/{messageId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["inboxes.archiveMessage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/messages/{messageId}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["inboxes.markRead"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/messages/{messageId}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["inboxes.snoozeMessage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/preferences/{category}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["inboxes.setPreference"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/publishes/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["inboxes.getPublish"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/inboxes/{inbox}/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["inboxes.markAllRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["inboxes.listSegments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/segments/{segment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["inboxes.getSegment"];
        put: operations["inboxes.setSegment"];
        post?: never;
        delete: operations["inboxes.deleteSegment"];
        options?: never;
        head?: never;
        patch: operations["inboxes.changeSegmentUsers"];
        trace?: never;
    };
    "/v1/tenants/{tenant}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["inboxes.getTenant"];
        put: operations["inboxes.setTenant"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/users:batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["users.upsertUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/users/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["users.getTenantUser"];
        put: operations["users.upsertUser"];
        post?: never;
        delete: operations["users.deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/users/{externalId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["users.disableUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/users/{externalId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["users.enableUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/users/{externalId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["users.revokeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/users/{externalId}/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["users.countUnreadOfUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.listWebhooks"];
        put?: never;
        post: operations["webhooks.createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/webhooks/{hookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.getWebhook"];
        put?: never;
        post?: never;
        delete: operations["webhooks.deleteWebhook"];
        options?: never;
        head?: never;
        patch: operations["webhooks.changeWebhook"];
        trace?: never;
    };
    "/v1/tenants/{tenant}/webhooks/{hookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/webhooks/{hookId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant}/webhooks/{hookId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.listThreads"];
        put?: never;
        post: operations["threads.createThread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["hooks.listThreadHooks"];
        put?: never;
        post: operations["hooks.createThreadHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/hooks/{hookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["hooks.deleteThreadHook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.listMessages"];
        put?: never;
        post: operations["threads.sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.getMessage"];
        put?: never;
        post?: never;
        delete: operations["threads.deleteMessage"];
        options?: never;
        head?: never;
        patch: operations["threads.editMessage"];
        trace?: never;
    };
    "/v1/threads/{roomId}/messages/{messageId}/reactions/{emoji}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.listReactors"];
        put: operations["threads.addReaction"];
        post?: never;
        delete: operations["threads.removeReaction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/messages/{messageId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["threads.reportMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/pins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.listPins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/pins/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["threads.pinMessage"];
        post?: never;
        delete: operations["threads.unpinMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["threads.setPreferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["threads.markRead"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.listReaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/typing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["threads.startTyping"];
        delete: operations["threads.stopTyping"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{roomId}/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.countUnread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.getThread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["threads.changeThread"];
        trace?: never;
    };
    "/v1/threads/{threadId}/amendments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["records.listAmendments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.listCards"];
        put?: never;
        post: operations["threads.createCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/cards/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.getCard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/cards/{messageId}/transitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["threads.moveCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["records.listDocuments"];
        put?: never;
        post: operations["records.createDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/documents/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["records.getDocument"];
        put?: never;
        post?: never;
        delete: operations["records.voidDocument"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/documents/{documentId}/signatures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["records.signDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/documents/{documentId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["records.addVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/expenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["records.listExpenses"];
        put?: never;
        post: operations["records.addExpense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/expenses/{expenseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["records.voidExpense"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/expenses/{expenseId}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["records.decideExpense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/panel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.openPanel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/participants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.listParticipants"];
        put?: never;
        post: operations["threads.addParticipant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{threadId}/participants/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["threads.removeParticipant"];
        options?: never;
        head?: never;
        patch: operations["threads.changeParticipant"];
        trace?: never;
    };
    "/v1/threads/{threadId}/tabs/{tab}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["threads.getTab"];
        put: operations["threads.putTab"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["notifications.askUnsubscribe"];
        put?: never;
        post: operations["notifications.unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accounts.findUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accounts.getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accounts.getMe"];
        put?: never;
        post?: never;
        delete: operations["accounts.deleteMe"];
        options?: never;
        head?: never;
        patch: operations["accounts.changeMe"];
        trace?: never;
    };
    "/v1/users/me/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accounts.listBlocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/blocks/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accounts.getBlock"];
        put: operations["accounts.block"];
        post?: never;
        delete: operations["accounts.unblock"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accounts.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["notifications.getNotifications"];
        put: operations["notifications.setNotifications"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["accounts.changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accounts.listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["accounts.endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["rooms.countUnreadEverywhere"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/watching": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["watching.watchChannels"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.listWorkspaces"];
        put?: never;
        post: operations["workspaces.createWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.getWorkspace"];
        put?: never;
        post?: never;
        delete: operations["workspaces.deleteWorkspace"];
        options?: never;
        head?: never;
        patch: operations["workspaces.changeWorkspace"];
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.listInvites"];
        put?: never;
        post: operations["workspaces.createInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.listItems"];
        put?: never;
        post: operations["workspaces.createItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/items/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.getItem"];
        put?: never;
        post?: never;
        delete: operations["workspaces.deleteItem"];
        options?: never;
        head?: never;
        patch: operations["workspaces.changeItem"];
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["workspaces.addMember"];
        post?: never;
        delete: operations["workspaces.removeMember"];
        options?: never;
        head?: never;
        patch: operations["workspaces.changeMember"];
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.listSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/settings/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["workspaces.getSetting"];
        put: operations["workspaces.putSetting"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "card.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.card.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.channel.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.channel.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.channel.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "command.invoked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.command.invoked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "command.responded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.command.responded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "conversation.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.conversation.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "conversation.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.conversation.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "conversation.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.conversation.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "inbox.counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.inbox.counts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "inbox.edited": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.inbox.edited"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "inbox.message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.inbox.message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "inbox.recalled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.inbox.recalled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "inbox.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.inbox.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.joined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.member.joined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.left": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.member.left"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.member.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.message.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.message.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.message.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "participant.joined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.participant.joined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "participant.left": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.participant.left"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "participant.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.participant.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "pin.added": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.pin.added"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "pin.removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.pin.removed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "preferences.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.preferences.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "reaction.added": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.reaction.added"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "reaction.removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.reaction.removed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "read.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.read.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "server.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.server.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "server.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.server.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "server.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.server.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tab.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.tab.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "thread.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.thread.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "thread.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.thread.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "user.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.user.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.item.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.item.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.item.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.item.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.item.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.item.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.member.joined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.member.joined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.member.left": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.member.left"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.member.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.member.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.setting.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.setting.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.setting.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.setting.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "workspace.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhook.workspace.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Accepted: {
            accepted: boolean;
        };
        AccessView: {
            channelId: string;
            private: boolean;
            roles: ("admin" | "member" | "moderator" | "owner")[];
            userIds: string[];
        };
        Account: {
            html_url?: string | null;
            login?: string;
        };
        AccountDeletionRequest: {
            password?: string | null;
        };
        Alert: {
            annotations?: {
                [key: string]: string;
            };
            dashboardURL?: string | null;
            generatorURL?: string | null;
            labels?: {
                [key: string]: string;
            };
            panelURL?: string | null;
            silenceURL?: string | null;
            status?: string;
            valueString?: string | null;
        };
        AlertsBody: {
            alerts?: components["schemas"]["Alert"][];
            commonAnnotations?: {
                [key: string]: string;
            };
            commonLabels?: {
                [key: string]: string;
            };
            externalURL?: string | null;
            message?: string | null;
            status?: string;
            title?: string | null;
            truncatedAlerts?: number | null;
        };
        Amendment: {
            acceptedAt: string;
            acceptedBy: string;
            amendmentId: string;
            cardMessageId: string;
            documentId: string | null;
            payload: {
                [key: string]: unknown;
            };
            summary: string;
            threadId: string;
        };
        Attachment: {
            author_name?: string | null;
            blocks?: components["schemas"]["Block"][];
            fallback?: string | null;
            fields?: components["schemas"]["sobremesa.domains.incoming_webhooks.formats.slack.Field"][];
            footer?: string | null;
            image_url?: string | null;
            pretext?: string | null;
            text?: string | null;
            title?: string | null;
            title_link?: string | null;
        };
        AttachmentView: {
            expiresAt: string;
            fileId: string;
            height: number | null;
            /** @enum {unknown} */
            kind: "manifest" | "preview";
            mime: string;
            name: string;
            previewUrl: string | null;
            size: number;
            url: string;
            width: number | null;
        };
        AttemptView: {
            at: string;
            attempt: number;
            error: string | null;
            milliseconds: number;
            status: number | null;
        };
        AuditView: {
            action: string;
            actor: string;
            at: string;
            details: {
                [key: string]: unknown;
            };
            entryId: string;
            target: string | null;
        };
        BanView: {
            avatarUrl: string | null;
            bannedBy: string;
            createdAt: string;
            displayName: string | null;
            reason: string | null;
            userId: string;
            username: string;
        };
        Block: {
            alt_text?: string | null;
            elements?: {
                [key: string]: unknown;
            }[];
            fields?: components["schemas"]["Text"][];
            image_url?: string | null;
            text?: string | components["schemas"]["Text"] | null;
            title?: string | components["schemas"]["Text"] | null;
            type: string;
        };
        BlockView: {
            avatarUrl: string | null;
            createdAt: string;
            displayName: string | null;
            userId: string;
            username: string;
        };
        BotTokenView: {
            token: string;
        };
        BotView: {
            avatarUrl: string | null;
            bot: boolean;
            createdAt: string;
            createdBy: string;
            displayName: string | null;
            userId: string;
            username: string;
        };
        Branch: {
            ref?: string;
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
        CaseView: {
            author: components["schemas"]["UserSummary"];
            authorId: string;
            caseId: string;
            createdAt: string;
            decidedAt: string | null;
            decidedBy: string | null;
            decision: string | null;
            message: components["schemas"]["ReviewedMessage"] | null;
            messageId: string | null;
            note: string | null;
            origin: string;
            reason: string;
            reportedBy: string | null;
            reporter: components["schemas"]["UserSummary"] | null;
            room: components["schemas"]["RoomSummary"] | null;
            roomId: string;
            roomKind: string;
            state: string;
            /** @enum {unknown} */
            subject: "card" | "message" | "tab";
            tab: components["schemas"]["ReviewedTab"] | null;
            verdict: string | null;
        };
        CategoryCountView: {
            muted: boolean;
            total: number;
            unread: number;
        };
        ChangedView: {
            changed: boolean;
        };
        ChannelAccessList: {
            roles?: ("admin" | "member" | "moderator" | "owner")[] | null;
            userIds?: string[] | null;
        };
        ChannelChanges: {
            data?: {
                [key: string]: unknown;
            } | null;
            name?: string;
            topic?: string | null;
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
        CommandView: {
            botId: string;
            createdAt: string;
            description: string;
            name: string;
            options: {
                [key: string]: unknown;
            }[];
            serverId: string;
            updatedAt: string;
        };
        Commit: {
            id?: string;
            message?: string;
            url?: string | null;
        };
        ConversationChanges: {
            data?: {
                [key: string]: unknown;
            } | null;
            name?: string | null;
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
        CostView: {
            dollars: number;
            dollarsPerMillionReadUnits: number;
            dollarsPerMillionWriteUnits: number;
            patterns: components["schemas"]["PatternCostView"][];
            readUnits: number;
            since: string;
            writeUnits: number;
        };
        CountsView: {
            categories: {
                [key: string]: components["schemas"]["CategoryCountView"];
            };
            total: number;
            unread: number;
        };
        DataSchemaView: {
            /** @enum {unknown} */
            kind: "channel" | "conversation" | "message" | "server" | "thread" | "user";
            schema: {
                [key: string]: unknown;
            };
            tenant: string;
            updatedAt: string;
        };
        DeliveryView: {
            attempts: components["schemas"]["AttemptView"][];
            error: string | null;
            eventId: string;
            nextAttemptAt: string | null;
            roomId: string | null;
            /** @enum {unknown} */
            state: "delivered" | "failed" | "retrying" | "skipped";
            timestamp: string;
            type: string;
        };
        DiscordBody: {
            content?: string | null;
            embeds?: components["schemas"]["Embed"][];
            username?: string | null;
        };
        Discussed: {
            base?: components["schemas"]["Branch"] | null;
            body?: string | null;
            draft?: boolean | null;
            head?: components["schemas"]["Branch"] | null;
            html_url?: string | null;
            merged?: boolean | null;
            number?: number;
            title?: string;
        };
        Document: {
            createdAt: string;
            createdBy: string;
            currentVersion: number;
            documentId: string;
            fileId: string | null;
            /** @enum {unknown} */
            kind: "contract" | "license" | "other" | "release";
            sha256: string | null;
            signatures: components["schemas"]["Signature"][];
            /** @enum {unknown} */
            state: "draft" | "signed" | "void";
            threadId: string;
            title: string;
            updatedAt: string;
        };
        DocumentInFull: {
            body: string | null;
            createdAt: string;
            createdBy: string;
            currentVersion: number;
            documentId: string;
            fileId: string | null;
            /** @enum {unknown} */
            kind: "contract" | "license" | "other" | "release";
            sha256: string | null;
            shownVersion: number;
            signatures: components["schemas"]["Signature"][];
            /** @enum {unknown} */
            state: "draft" | "signed" | "void";
            threadId: string;
            title: string;
            updatedAt: string;
            versions: components["schemas"]["Version"][];
        };
        EditedMessage: {
            content?: string;
            data?: {
                [key: string]: unknown;
            } | null;
        };
        Embed: {
            author?: components["schemas"]["Name"] | null;
            description?: string | null;
            fields?: components["schemas"]["sobremesa.domains.incoming_webhooks.formats.discord.Field"][];
            footer?: components["schemas"]["Name"] | null;
            image?: components["schemas"]["Picture"] | null;
            title?: string | null;
            url?: string | null;
        };
        EntitySchema: {
            description: string;
            entityType: string;
            expires: string | null;
            fields: components["schemas"]["FieldSchema"][];
            indexes: components["schemas"]["IndexSchema"][];
            name: string;
            pk: string;
            schemaVersion: number;
            sk: string;
        };
        EventsView: {
            items: components["schemas"]["EventView"][];
            next: string;
        };
        EventView: {
            d: unknown;
            id: string | null;
            s: string | null;
            t: string;
        };
        Everyone: {
            /** @enum {unknown} */
            kind: "everyone";
            label?: string | null;
        };
        EverythingView: {
            items: components["schemas"]["ItemView"][];
            members: components["schemas"]["WorkspaceMemberView"][];
            next: string | null;
            settings: components["schemas"]["SettingView"][];
            workspace: components["schemas"]["WorkspaceView"] | null;
        };
        Expense: {
            amount: number;
            category: string;
            createdAt: string;
            createdBy: string;
            currency: string;
            decidedAt: string | null;
            decidedBy: string | null;
            expenseId: string;
            /** Format: date */
            incurredOn: string;
            receiptFileId: string | null;
            /** @enum {unknown} */
            state: "approved" | "rejected" | "submitted" | "void";
            threadId: string;
            title: string;
            version: number;
        };
        ExpensePage: {
            items: components["schemas"]["Expense"][];
            next: string | null;
            totals: components["schemas"]["Total"][];
        };
        FieldSchema: {
            attribute: string;
            name: string;
            required: boolean;
            type: string;
        };
        FlagsView: {
            moderation: string;
            policyHints: string[];
        };
        GithubBody: {
            action?: string | null;
            assignee?: components["schemas"]["Account"] | null;
            commits?: components["schemas"]["Commit"][];
            compare?: string | null;
            created?: boolean;
            deleted?: boolean;
            forced?: boolean;
            issue?: components["schemas"]["Discussed"] | null;
            label?: components["schemas"]["Label"] | null;
            organization?: components["schemas"]["Account"] | null;
            pull_request?: components["schemas"]["Discussed"] | null;
            ref?: string | null;
            release?: components["schemas"]["Release"] | null;
            repository?: components["schemas"]["Repository"] | null;
            requested_reviewer?: components["schemas"]["Account"] | null;
            sender?: components["schemas"]["Account"] | null;
            zen?: string | null;
        };
        HookView: {
            avatarUrl: string | null;
            createdAt: string;
            createdBy: string;
            hookId: string;
            name: string;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
        };
        HowManyChanged: {
            changed: number;
        };
        InboxConfigView: {
            description: string | null;
            inbox: string;
            schema: {
                [key: string]: unknown;
            } | null;
            tenant: string;
            title: string | null;
            ttl: {
                [key: string]: string;
            };
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
        InboxMessageView: {
            archivedAt: string | null;
            /** @enum {unknown} */
            audience: "everyone" | "users";
            body: unknown;
            category: string | null;
            ctaUri: string | null;
            expiresAt: string | null;
            messageId: string;
            readAt: string | null;
            receivedAt: string;
            sender: string;
            snoozedUntil: string | null;
            title: string;
        };
        InboxRecalled: {
            inbox: string;
            messageId: string;
            tenant: string;
        };
        InboxUnreadView: {
            count: number;
            inbox: string;
        };
        IndexKeyView: {
            index: string;
            pk: string;
            sk: string;
        };
        IndexSchema: {
            index: string;
            pk: string;
            projects: string[] | null;
            sk: string;
        };
        InputError: {
            detail: string;
            /** @enum {unknown} */
            in?: "body" | "query" | "header" | "path";
            pointer: string;
        };
        InviteView: {
            code: string;
            createdAt: string;
            createdBy: string;
            expiresAt: string | null;
            maxUses: number | null;
            serverId: string;
            uses: number;
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
        ItemChanges: {
            data?: {
                [key: string]: unknown;
            };
            status?: string | null;
            title?: string;
            version: number;
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
        JoinedServer: {
            joinedAt: string;
            /** @enum {unknown} */
            kind: "server";
            /** @enum {unknown} */
            role: "admin" | "member" | "moderator" | "owner";
            server: components["schemas"]["ServerView"];
            serverId: string;
        };
        JoinedWorkspace: {
            joinedAt: string;
            /** @enum {unknown} */
            kind: "workspace";
            /** @enum {unknown} */
            role: "admin" | "member" | "owner";
            workspace: components["schemas"]["WorkspaceView"];
            workspaceId: string;
        };
        Label: {
            name?: string;
        };
        Listed_Amendment_: {
            items: components["schemas"]["Amendment"][];
            next: string | null;
        };
        Listed_AttachmentView_: {
            items: components["schemas"]["AttachmentView"][];
            next: string | null;
        };
        Listed_AuditView_: {
            items: components["schemas"]["AuditView"][];
            next: string | null;
        };
        Listed_BanView_: {
            items: components["schemas"]["BanView"][];
            next: string | null;
        };
        Listed_BlockView_: {
            items: components["schemas"]["BlockView"][];
            next: string | null;
        };
        Listed_BotView_: {
            items: components["schemas"]["BotView"][];
            next: string | null;
        };
        Listed_CardView_: {
            items: components["schemas"]["CardView"][];
            next: string | null;
        };
        Listed_CaseView_: {
            items: components["schemas"]["CaseView"][];
            next: string | null;
        };
        Listed_ChannelView_: {
            items: components["schemas"]["ChannelView"][];
            next: string | null;
        };
        Listed_CommandView_: {
            items: components["schemas"]["CommandView"][];
            next: string | null;
        };
        Listed_ConversationView_: {
            items: components["schemas"]["ConversationView"][];
            next: string | null;
        };
        Listed_DeliveryView_: {
            items: components["schemas"]["DeliveryView"][];
            next: string | null;
        };
        Listed_Document_: {
            items: components["schemas"]["Document"][];
            next: string | null;
        };
        Listed_HookView_: {
            items: components["schemas"]["HookView"][];
            next: string | null;
        };
        Listed_InboxMessageView_: {
            items: components["schemas"]["InboxMessageView"][];
            next: string | null;
        };
        Listed_InviteView_: {
            items: components["schemas"]["InviteView"][];
            next: string | null;
        };
        Listed_ItemView_: {
            items: components["schemas"]["ItemView"][];
            next: string | null;
        };
        Listed_MemberView_: {
            items: components["schemas"]["MemberView"][];
            next: string | null;
        };
        Listed_MessageView_: {
            items: components["schemas"]["MessageView"][];
            next: string | null;
        };
        Listed_OwnWorkspaceView_: {
            items: components["schemas"]["OwnWorkspaceView"][];
            next: string | null;
        };
        Listed_ParticipantView_: {
            items: components["schemas"]["ParticipantView"][];
            next: string | null;
        };
        Listed_PinView_: {
            items: components["schemas"]["PinView"][];
            next: string | null;
        };
        Listed_ReactorView_: {
            items: components["schemas"]["ReactorView"][];
            next: string | null;
        };
        Listed_ReaderView_: {
            items: components["schemas"]["ReaderView"][];
            next: string | null;
        };
        Listed_SegmentView_: {
            items: components["schemas"]["SegmentView"][];
            next: string | null;
        };
        Listed_ServerView_: {
            items: components["schemas"]["ServerView"][];
            next: string | null;
        };
        Listed_SessionView_: {
            items: components["schemas"]["SessionView"][];
            next: string | null;
        };
        Listed_SettingView_: {
            items: components["schemas"]["SettingView"][];
            next: string | null;
        };
        Listed_ThreadParticipantView_: {
            items: components["schemas"]["ThreadParticipantView"][];
            next: string | null;
        };
        Listed_ThreadView_: {
            items: components["schemas"]["ThreadView"][];
            next: string | null;
        };
        Listed_UserView_: {
            items: components["schemas"]["UserView"][];
            next: string | null;
        };
        Listed_ViewerView_: {
            items: components["schemas"]["ViewerView"][];
            next: string | null;
        };
        Listed_WebhookView_: {
            items: components["schemas"]["WebhookView"][];
            next: string | null;
        };
        Listed_WorkspaceInviteView_: {
            items: components["schemas"]["WorkspaceInviteView"][];
            next: string | null;
        };
        Listed_WorkspaceMemberView_: {
            items: components["schemas"]["WorkspaceMemberView"][];
            next: string | null;
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
        Login: {
            device?: string | null;
            email: string;
            password: string;
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
        MessageChanges: {
            body?: unknown;
            ctaUri?: string | null;
            sender?: string;
            title?: string;
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
        MessageView: {
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
            nsfwBand: number | null;
            reactions: components["schemas"]["ReactionView"][];
            replyTo: string | null;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            type: string;
            username: string;
        };
        Name: {
            name?: string | null;
            text?: string | null;
            url?: string | null;
        };
        NativeBody: {
            content: string;
            data?: {
                [key: string]: unknown;
            } | null;
            nonce?: string | null;
            username?: string | null;
        };
        NewBan: {
            reason?: string | null;
        };
        NewBot: {
            displayName?: string | null;
            username: string;
        };
        NewBotView: {
            avatarUrl: string | null;
            bot: boolean;
            createdAt: string;
            createdBy: string;
            displayName: string | null;
            token: string;
            userId: string;
            username: string;
        };
        NewCard: {
            payload: {
                [key: string]: unknown;
            };
            type: string;
        };
        NewChannel: {
            access?: components["schemas"]["ChannelAccessList"] | null;
            data?: {
                [key: string]: unknown;
            } | null;
            name: string;
            topic?: string | null;
        };
        NewCommand: {
            botId: string;
            description: string;
            options?: {
                [key: string]: unknown;
            }[];
        };
        NewConversation: {
            data?: {
                [key: string]: unknown;
            } | null;
            name?: string | null;
            ownerId?: string | null;
            /** @enum {unknown} */
            type: "direct" | "group";
            userIds: string[];
        };
        NewDataSchema: {
            schema: {
                [key: string]: unknown;
            };
        };
        NewDecision: {
            /** @enum {unknown} */
            decision: "approve" | "reject";
            version: number;
        };
        NewDocument: {
            body?: string | null;
            fileId?: string | null;
            /** @enum {unknown} */
            kind: "contract" | "license" | "other" | "release";
            note?: string | null;
            title: string;
        };
        NewExpense: {
            amount: number;
            category: string;
            currency: string;
            /** Format: date */
            incurredOn: string;
            receiptFileId?: string | null;
            title: string;
        };
        NewFile: {
            mime: string;
            name: string;
            size: number;
        };
        NewHook: {
            avatarUrl?: string | null;
            name?: string | null;
        };
        NewHookView: {
            avatarUrl: string | null;
            createdAt: string;
            createdBy: string;
            hookId: string;
            name: string;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            url: string;
            userId: string;
        };
        NewInboxConfig: {
            description?: string | null;
            schema?: {
                [key: string]: unknown;
            } | null;
            title?: string | null;
            ttl?: {
                [key: string]: string;
            } | null;
        };
        NewInboxMessage: {
            audience: components["schemas"]["Users"] | components["schemas"]["Everyone"] | components["schemas"]["StoredSegment"];
            body: unknown;
            category?: string | null;
            ctaUri?: string | null;
            hostSystemId?: string | null;
            sender: string;
            title: string;
            ttl?: string | null;
        };
        NewInvite: {
            expiresInSeconds?: number | null;
            maxUses?: number | null;
        };
        NewInvocation: {
            nonce?: string | null;
            text?: string;
        };
        NewItem: {
            data?: {
                [key: string]: unknown;
            } | null;
            status?: string | null;
            title: string;
        };
        NewMember: {
            /** @enum {unknown} */
            role?: "admin" | "member" | "moderator";
        };
        NewMessage: {
            attachments?: string[];
            content?: string;
            data?: {
                [key: string]: unknown;
            } | null;
            nonce?: string | null;
            replyTo?: string | null;
            system?: boolean;
        };
        NewNotifications: {
            /** @enum {unknown} */
            digest?: "daily" | "hourly" | "off";
            levels?: {
                [key: string]: "all" | "mentions" | "none";
            };
            quietHours?: components["schemas"]["NewQuietHours"] | null;
            timeZone?: string | null;
        };
        NewOwner: {
            userId: string;
        };
        NewParticipant: {
            /** @enum {unknown} */
            role?: "admin" | "member";
            userId: string;
        };
        NewPreference: {
            muted: boolean;
        };
        NewQuietHours: {
            end: string;
            start: string;
        };
        NewRegistration: {
            email: string;
            password: string;
            username: string;
        };
        NewResponse: {
            content: string;
            nonce?: string | null;
            /** @enum {unknown} */
            visibility?: "private" | "public";
        };
        NewRole: {
            /** @enum {unknown} */
            role: "admin" | "member" | "moderator" | "owner";
        };
        NewSeatRole: {
            /** @enum {unknown} */
            role: "admin" | "member";
        };
        NewSegment: {
            userIds: string[];
        };
        NewServer: {
            data?: {
                [key: string]: unknown;
            } | null;
            iconUrl?: string | null;
            name: string;
            ownerId?: string | null;
        };
        NewSignature: {
            version: number;
        };
        NewTab: {
            content: {
                [key: string]: unknown;
            } | unknown[];
            sourceVersion: number;
        };
        NewTenantSettings: {
            title?: string | null;
            ttl?: string | null;
        };
        NewThread: {
            buyerUserId?: string | null;
            city?: string | null;
            data?: {
                [key: string]: unknown;
            } | null;
            /** @enum {unknown} */
            kind: "inquiry" | "project";
            lbgId?: string | null;
            legId?: string | null;
            listingId?: string | null;
            safeModeRequired?: boolean;
            sellerUserId: string;
        };
        NewThreadParticipant: {
            /** @enum {unknown} */
            roleContext: "admin" | "buyer" | "seller";
            userId: string;
        };
        NewTransition: {
            payload?: {
                [key: string]: unknown;
            } | null;
            to: string;
            version: number;
        };
        NewValue: {
            value: unknown;
        };
        NewVersion: {
            body?: string | null;
            fileId?: string | null;
            note?: string | null;
            version: number;
        };
        NewWebhook: {
            events: string[];
            rooms?: string[] | null;
            url: string;
        };
        NewWorkspace: {
            name: string;
            ownerId?: string | null;
        };
        NewWorkspaceInvite: {
            expiresInSeconds?: number | null;
            maxUses?: number | null;
        };
        NewWorkspaceMember: {
            /** @enum {unknown} */
            role?: "admin" | "member" | "owner";
        };
        NotificationsView: {
            /** @enum {unknown} */
            digest: "daily" | "hourly" | "off";
            levels: {
                [key: string]: "all" | "mentions" | "none";
            };
            quietHours: components["schemas"]["QuietHoursView"] | null;
            timeZone: string | null;
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
        PanelView: {
            tabs: components["schemas"]["TabView"][];
            threadId: string;
        };
        ParticipantGone: {
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
        };
        ParticipantView: {
            avatarUrl: string | null;
            convoId: string;
            displayName: string | null;
            joinedAt: string;
            lastReadAt: string | null;
            lastReadMessageId: string | null;
            /** @enum {unknown} */
            role: "admin" | "member";
            userId: string;
            username: string;
        };
        PartitionView: {
            items: components["schemas"]["RowView"][];
            next: string | null;
            request: {
                [key: string]: unknown;
            } | null;
            units: components["schemas"]["UnitsView"];
        };
        PasswordChange: {
            current: string;
            next: string;
        };
        PatternCostView: {
            calls: number;
            dollars: number;
            pattern: string;
            question: string | null;
            readUnits: number;
            writeUnits: number;
        };
        PatternResultView: {
            items: components["schemas"]["RowView"][];
            next: string | null;
            operation: string;
            pattern: string;
            question: string;
            request: {
                [key: string]: unknown;
            } | null;
            rows: {
                [key: string]: unknown;
            }[];
            units: components["schemas"]["UnitsView"];
        };
        PatternSchema: {
            consistent: boolean;
            entities: string[];
            id: string;
            index: string | null;
            keyCondition: string | null;
            newestFirst: boolean;
            /** @enum {unknown} */
            operation: "get" | "query" | "write";
            pageSize: number | null;
            parts: string[];
            price: components["schemas"]["Price"];
            question: string;
            returns: string;
        };
        PersonView: {
            avatarUrl: string | null;
            displayName: string | null;
            userId: string;
            username: string;
        };
        Picture: {
            url?: string | null;
        };
        PinChanged: {
            messageId: string;
            pinnedAt: string;
            pinnedBy: string;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
        };
        PinView: {
            message: components["schemas"]["MessageView"];
            pinnedAt: string;
            pinnedBy: string;
        };
        PostedView: {
            messageId: string | null;
            ok: boolean;
        };
        Preferences: {
            muted: boolean;
        };
        PreferencesChanged: {
            muted: boolean;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
        };
        PreferencesView: {
            muted: boolean;
        };
        PreferenceView: {
            category: string;
            muted: boolean;
        };
        PresencesView: {
            items: components["schemas"]["PresenceView"][];
        };
        PresenceView: {
            /** @enum {unknown} */
            status: "offline" | "online";
            userId: string;
        };
        Presigned: {
            expiresAt: string;
            headers: {
                [key: string]: string;
            };
            method: string;
            url: string;
        };
        Price: {
            dollarsPerMillion: number;
            readUnits: number;
            writeUnits: number;
        };
        Problem: {
            code: string;
            detail: string;
            errors?: components["schemas"]["InputError"][];
            retryAfter?: number;
            status: number;
            title: string;
            /** Format: uri */
            type: string;
        };
        ProfileChange: {
            avatarUrl?: string | null;
            displayName?: string | null;
            username?: string;
        };
        ProgressView: {
            delivered: number | null;
            recipients: number | null;
            /** @enum {unknown} */
            state: "done" | "recalled" | "recalling" | "running";
        };
        PublishedView: {
            messageId: string;
            recipients: number | null;
            /** @enum {unknown} */
            state: "done" | "recalled" | "recalling" | "running";
        };
        QuietHoursView: {
            end: string;
            start: string;
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
        ReactionView: {
            count: number;
            emoji: string;
            me: boolean;
            userIds: string[];
        };
        ReactorView: {
            avatarUrl: string | null;
            createdAt: string;
            displayName: string | null;
            userId: string;
            username: string;
        };
        ReadAll: {
            category?: string | null;
        };
        ReaderView: {
            avatarUrl: string | null;
            displayName: string | null;
            lastReadMessageId: string | null;
            readAt: string | null;
            userId: string;
            username: string;
        };
        ReadMoved: {
            lastReadMessageId: string;
            readAt: string | null;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            userId: string;
        };
        ReadUpTo: {
            messageId: string;
        };
        ReadView: {
            lastReadMessageId: string | null;
            unread: components["schemas"]["UnreadView"];
        };
        ReceivedView: {
            expiresAt?: string;
            fileId: string;
            height?: number | null;
            /** @enum {unknown} */
            kind?: "manifest" | "preview";
            mime?: string;
            name?: string;
            presigned?: components["schemas"]["Presigned"];
            previewUrl?: string | null;
            size?: number;
            url?: string;
            width?: number | null;
        };
        Refresh: {
            refreshToken: string;
        };
        Registration: {
            device?: string | null;
            email: string;
            password: string;
            username: string;
        };
        RegistrationConfirmation: {
            device?: string | null;
            token: string;
        };
        Release: {
            body?: string | null;
            html_url?: string | null;
            name?: string | null;
            prerelease?: boolean;
            tag_name?: string;
        };
        ReplaySince: {
            /** Format: date-time */
            since: string;
        };
        ReplayView: {
            since: string;
            state: string;
        };
        Report: {
            reason: string;
        };
        Repository: {
            full_name?: string;
            html_url?: string | null;
        };
        ResetConfirmation: {
            password: string;
            token: string;
        };
        ResetRequest: {
            email: string;
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
        ReviewedMessage: {
            action: {
                [key: string]: unknown;
            } | null;
            attachments: components["schemas"]["MessageFile"][];
            content: string;
            createdAt: string;
            displayName: string | null;
            editedAt: string | null;
            flags: components["schemas"]["FlagsView"] | null;
            nsfwBand: number | null;
            username: string;
        };
        ReviewedTab: {
            content: unknown;
            flags: components["schemas"]["FlagsView"] | null;
            nsfwBand: number | null;
            sourceVersion: number;
            tab: string;
            updatedAt: string | null;
        };
        RoomSummary: {
            name: string | null;
            serverId: string | null;
            serverName: string | null;
        };
        RoomUnreadView: {
            capped: boolean;
            count: number;
            mentions: number;
            muted: boolean;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
        };
        RowView: {
            entity: string | null;
            expiresAt: string | null;
            indexKeys: components["schemas"]["IndexKeyView"][];
            item: {
                [key: string]: unknown;
            };
            pk: string;
            sizeBytes: number;
            sk: string;
        };
        Ruling: {
            /** @enum {unknown} */
            decision: "approve" | "block";
            note?: string | null;
        };
        Schema: {
            entities: components["schemas"]["EntitySchema"][];
            patterns: components["schemas"]["PatternSchema"][];
        };
        SegmentChanges: {
            add?: string[];
            remove?: string[];
        };
        SegmentView: {
            segment: string;
            updatedAt: string;
            users: number;
        };
        SentView: {
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
            nsfwBand: number | null;
            reactions: components["schemas"]["ReactionView"][];
            replayed: boolean;
            replyTo: string | null;
            roomId: string;
            /** @enum {unknown} */
            roomKind: "channel" | "conversation" | "thread";
            type: string;
            username: string;
        };
        ServerChanges: {
            data?: {
                [key: string]: unknown;
            } | null;
            iconUrl?: string | null;
            name?: string;
        };
        ServerGone: {
            serverId: string;
        };
        ServerTarget: {
            code: string;
            expiresAt: string | null;
            /** @enum {unknown} */
            kind: "server";
            server: components["schemas"]["ServerView"];
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
        SessionView: {
            createdAt: string;
            current: boolean;
            device: string | null;
            lastUsedAt: string;
            sessionId: string;
        };
        SettingGone: {
            name: string;
            workspaceId: string;
        };
        SettingView: {
            name: string;
            updatedAt: string | null;
            updatedBy: string | null;
            value: unknown;
        };
        Signature: {
            /** @enum {unknown} */
            role: "admin" | "buyer" | "seller";
            signedAt: string;
            userId: string;
        };
        SignedInView: {
            accessToken: string;
            expiresIn: number;
            refreshToken: string;
            user: components["schemas"]["Me"];
        };
        SlackBody: {
            attachments?: components["schemas"]["Attachment"][];
            blocks?: components["schemas"]["Block"][];
            text?: string | null;
            username?: string | null;
        };
        SnoozeUntil: {
            /** Format: date-time */
            until: string;
        };
        "sobremesa.domains.incoming_webhooks.formats.discord.Field": {
            name?: string;
            value?: string;
        };
        "sobremesa.domains.incoming_webhooks.formats.slack.Field": {
            title?: string | null;
            value?: string | null;
        };
        StoredSegment: {
            /** @enum {unknown} */
            kind: "segment";
            label?: string | null;
            segment: string;
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
        TenantSettingsView: {
            tenant: string;
            title: string | null;
            ttl: string | null;
        };
        TenantUser: {
            avatarUrl: string | null;
            createdAt: string;
            data: {
                [key: string]: unknown;
            } | null;
            disabled: boolean;
            displayName: string | null;
            email: string | null;
            externalId: string | null;
            isBot: boolean;
            locale: string | null;
            timeZone: string | null;
            updatedAt: string;
            userId: string;
            username: string;
        };
        Text: {
            text?: string;
            type?: string;
        };
        ThreadChanges: {
            data?: {
                [key: string]: unknown;
            } | null;
            /** @enum {unknown} */
            status?: "archived" | "locked" | "open";
        };
        ThreadParticipantChanges: {
            blockedUntil?: string | null;
            muted?: boolean;
        };
        ThreadParticipantView: {
            avatarUrl: string | null;
            blockedUntil: string | null;
            displayName: string | null;
            joinedAt: string;
            muted: boolean | null;
            /** @enum {unknown} */
            roleContext: "admin" | "buyer" | "seller";
            threadId: string;
            userId: string;
            username: string;
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
        Total: {
            amount: number;
            count: number;
            currency: string;
            /** @enum {unknown} */
            state: "approved" | "rejected" | "submitted" | "void";
        };
        UnitsView: {
            dollarsPerMillion: number;
            read: number;
            write: number;
        };
        UnreadEverywhere: {
            inboxes: components["schemas"]["InboxUnreadView"][];
            rooms: components["schemas"]["RoomUnreadView"][];
            total: components["schemas"]["UnreadView"];
        };
        UnreadView: {
            capped: boolean;
            count: number;
            mentions: number;
        };
        Users: {
            /** @enum {unknown} */
            kind: "users";
            label?: string | null;
            userIds: string[];
        };
        UserSummary: {
            avatarUrl: string | null;
            displayName: string | null;
            userId: string;
            username: string;
        };
        UserUpsert: {
            avatarUrl?: string | null;
            data?: {
                [key: string]: unknown;
            } | null;
            displayName?: string | null;
            email?: string | null;
            locale?: string | null;
            timeZone?: string | null;
            userId?: string | null;
            username?: string;
        };
        UserView: {
            avatarUrl: string | null;
            bot: boolean;
            createdAt: string;
            displayName: string | null;
            userId: string;
            username: string;
        };
        Version: {
            createdAt: string;
            createdBy: string;
            fileId: string | null;
            note: string | null;
            sha256: string | null;
            signatures: components["schemas"]["Signature"][];
            version: number;
        };
        ViewerView: {
            avatarUrl: string | null;
            displayName: string | null;
            since: string;
            userId: string;
            username: string;
        };
        WatchChannels: {
            channelIds: string[];
        };
        WatchedChannel: {
            channelId: string;
            lastMessageId: string | null;
            serverId: string;
        };
        WatchedChannels: {
            channels: components["schemas"]["WatchedChannel"][];
        };
        WebhookChange: {
            disabled?: boolean;
            events?: string[];
            rooms?: string[] | null;
            url?: string;
        };
        WebhookView: {
            createdAt: string;
            disabled: boolean;
            disabledAt: string | null;
            disabledReason: ("failing" | "gone" | "requested") | null;
            events: string[];
            failingSince: string | null;
            hookId: string;
            previousSecretUntil: string | null;
            rooms: string[] | null;
            updatedAt: string;
            url: string;
        };
        WebhookWithSecret: {
            createdAt: string;
            disabled: boolean;
            disabledAt: string | null;
            disabledReason: ("failing" | "gone" | "requested") | null;
            events: string[];
            failingSince: string | null;
            hookId: string;
            previousSecretUntil: string | null;
            rooms: string[] | null;
            secret: string;
            updatedAt: string;
            url: string;
        };
        WorkspaceChanges: {
            name: string;
        };
        WorkspaceGone: {
            workspaceId: string;
        };
        WorkspaceInviteView: {
            code: string;
            createdAt: string;
            createdBy: string | null;
            expiresAt: string | null;
            maxUses: number | null;
            uses: number;
            workspaceId: string;
        };
        WorkspaceMemberChanges: {
            /** @enum {unknown} */
            role: "admin" | "member" | "owner";
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
        WorkspaceTarget: {
            code: string;
            expiresAt: string | null;
            /** @enum {unknown} */
            kind: "workspace";
            workspace: components["schemas"]["WorkspaceView"];
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
    headers: {
        ETag: string;
        RateLimit: string;
        "RateLimit-Policy": string;
        "Retry-After": number;
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "communities.listAllServers": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ServerView_"];
                };
            };
        };
    };
    "attachments.listAttachments": {
        parameters: {
            query: {
                ids: string;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_AttachmentView_"];
                };
            };
        };
    };
    "attachments.createAttachment": {
        parameters: {
            query?: {
                name?: string;
                purpose?: "avatar" | "message";
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFile"];
                "application/octet-stream": unknown;
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedView"];
                };
            };
        };
    };
    "attachments.getAttachment": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentView"];
                };
            };
        };
    };
    "attachments.deleteAttachment": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "attachments.completeAttachment": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentView"];
                };
            };
        };
    };
    "attachments.getContent": {
        parameters: {
            query: {
                token: string;
            };
            header?: {
                Range?: string;
            };
            path: {
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            206: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
        };
    };
    "attachments.getPreview": {
        parameters: {
            query: {
                token: string;
            };
            header?: {
                Range?: string;
            };
            path: {
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            206: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
        };
    };
    "accounts.login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInView"];
                };
            };
        };
    };
    "accounts.logout": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "accounts.refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Refresh"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInView"];
                };
            };
        };
    };
    "accounts.register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Registration"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInView"];
                };
            };
        };
    };
    "accounts.askRegistration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRegistration"];
            };
        };
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    "accounts.confirmRegistration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegistrationConfirmation"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInView"];
                };
            };
        };
    };
    "accounts.askReset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    "accounts.confirmReset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetConfirmation"];
            };
        };
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "communities.getChannel": {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelView"];
                };
            };
        };
    };
    "communities.deleteChannel": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "communities.changeChannel": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChannelChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelView"];
                };
            };
        };
    };
    "communities.getAccess": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessView"];
                };
            };
        };
    };
    "communities.setAccess": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChannelAccessList"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessView"];
                };
            };
        };
    };
    "communities.clearAccess": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "commands.invokeCommand": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                channelId: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewInvocation"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvocationView"];
                };
            };
        };
    };
    "communities.listChannelMembers": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_MemberView_"];
                };
            };
        };
    };
    "hooks.listChannelHooks": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_HookView_"];
                };
            };
        };
    };
    "hooks.createChannelHook": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewHook"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewHookView"];
                };
            };
        };
    };
    "hooks.deleteChannelHook": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                hookId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.listMessages": {
        parameters: {
            query?: {
                after?: string;
                around?: string;
                before?: string;
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_MessageView_"];
                };
            };
        };
    };
    "channels.sendMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewMessage"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentView"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentView"];
                };
            };
        };
    };
    "channels.getMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    "channels.deleteMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.editMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditedMessage"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    "channels.listReactors": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ReactorView_"];
                };
            };
        };
    };
    "channels.addReaction": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.removeReaction": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.reportMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Report"];
            };
        };
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.listPins": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_PinView_"];
                };
            };
        };
    };
    "channels.pinMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.unpinMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.setPreferences": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Preferences"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferencesView"];
                };
            };
        };
    };
    "channels.markRead": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadUpTo"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadView"];
                };
            };
        };
    };
    "channels.listReaders": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ReaderView_"];
                };
            };
        };
    };
    "channels.startTyping": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.stopTyping": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channels.countUnread": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadView"];
                };
            };
        };
    };
    "watching.listViewers": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ViewerView_"];
                };
            };
        };
    };
    "commands.respond": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                commandId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewResponse"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseView"];
                };
            };
        };
    };
    "conversations.listConversations": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ConversationView_"];
                };
            };
        };
    };
    "conversations.createConversation": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewConversation"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationView"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationView"];
                };
            };
        };
    };
    "conversations.getConversation": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                convoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationView"];
                };
            };
        };
    };
    "conversations.changeConversation": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                convoId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ConversationChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationView"];
                };
            };
        };
    };
    "conversations.listParticipants": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                convoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ParticipantView_"];
                };
            };
        };
    };
    "conversations.addParticipant": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                convoId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewParticipant"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParticipantView"];
                };
            };
        };
    };
    "conversations.removeParticipant": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                convoId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.changeParticipant": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                convoId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSeatRole"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParticipantView"];
                };
            };
        };
    };
    "hooks.listConversationHooks": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_HookView_"];
                };
            };
        };
    };
    "hooks.createConversationHook": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewHook"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewHookView"];
                };
            };
        };
    };
    "hooks.deleteConversationHook": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                hookId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.listMessages": {
        parameters: {
            query?: {
                after?: string;
                around?: string;
                before?: string;
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_MessageView_"];
                };
            };
        };
    };
    "conversations.sendMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewMessage"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentView"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentView"];
                };
            };
        };
    };
    "conversations.getMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    "conversations.deleteMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.editMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditedMessage"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    "conversations.listReactors": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ReactorView_"];
                };
            };
        };
    };
    "conversations.addReaction": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.removeReaction": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.reportMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Report"];
            };
        };
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.listPins": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_PinView_"];
                };
            };
        };
    };
    "conversations.pinMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.unpinMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.setPreferences": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Preferences"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferencesView"];
                };
            };
        };
    };
    "conversations.markRead": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadUpTo"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadView"];
                };
            };
        };
    };
    "conversations.listReaders": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ReaderView_"];
                };
            };
        };
    };
    "conversations.startTyping": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.stopTyping": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.countUnread": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadView"];
                };
            };
        };
    };
    "events.listEvents": {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                wait?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsView"];
                };
            };
        };
    };
    "hooks.post": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NativeBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentView"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentView"];
                };
            };
        };
    };
    "hooks.postAlertmanager": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AlertsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostedView"];
                };
            };
        };
    };
    "hooks.postDiscord": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DiscordBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "hooks.postGithub": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["GithubBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostedView"];
                };
            };
        };
    };
    "hooks.postGrafana": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AlertsBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostedView"];
                };
            };
        };
    };
    "hooks.postSlack": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SlackBody"];
                "application/x-www-form-urlencoded": {
                    payload: components["schemas"]["SlackBody"];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostedView"];
                };
            };
        };
    };
    "import.importMessages": {
        parameters: {
            query?: {
                judge?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    "invites.getInvite": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerTarget"] | components["schemas"]["WorkspaceTarget"];
                };
            };
        };
    };
    "invites.revokeInvite": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "invites.redeemInvite": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JoinedServer"] | components["schemas"]["JoinedWorkspace"];
                };
            };
        };
    };
    "rooms.getMessageAnywhere": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    "moderation.listCases": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                state?: "closed" | "open";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_CaseView_"];
                };
            };
        };
    };
    "moderation.getCase": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseView"];
                };
            };
        };
    };
    "moderation.decideCase": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                caseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Ruling"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseView"];
                };
            };
        };
    };
    "presence.listPresences": {
        parameters: {
            query: {
                userIds: string;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresencesView"];
                };
            };
        };
    };
    "communities.listServers": {
        parameters: {
            query?: {
                counts?: boolean;
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ServerView_"];
                };
            };
        };
    };
    "communities.createServer": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewServer"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"];
                };
            };
        };
    };
    "communities.getServer": {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"];
                };
            };
        };
    };
    "communities.deleteServer": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "communities.changeServer": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ServerChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"];
                };
            };
        };
    };
    "communities.listAudit": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_AuditView_"];
                };
            };
        };
    };
    "communities.listBans": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_BanView_"];
                };
            };
        };
    };
    "communities.banMember": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewBan"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BanView"];
                };
            };
        };
    };
    "communities.liftBan": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "bots.listServerBots": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_BotView_"];
                };
            };
        };
    };
    "bots.createServerBot": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBot"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewBotView"];
                };
            };
        };
    };
    "bots.deleteServerBot": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "bots.rotateServerBot": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotTokenView"];
                };
            };
        };
    };
    "bots.revokeServerBot": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "communities.listChannels": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ChannelView_"];
                };
            };
        };
    };
    "communities.createChannel": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewChannel"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelView"];
                };
            };
        };
    };
    "commands.listCommands": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_CommandView_"];
                };
            };
        };
    };
    "commands.getCommand": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                name: string;
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandView"];
                };
            };
        };
    };
    "commands.putCommand": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                name: string;
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCommand"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandView"];
                };
            };
        };
    };
    "commands.deleteCommand": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                name: string;
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "communities.listInvites": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_InviteView_"];
                };
            };
        };
    };
    "communities.createInvite": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewInvite"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteView"];
                };
            };
        };
    };
    "communities.listMembers": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_MemberView_"];
                };
            };
        };
    };
    "communities.getMember": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberView"];
                };
            };
        };
    };
    "communities.addMember": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewMember"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberView"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberView"];
                };
            };
        };
    };
    "communities.removeMember": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "communities.changeMember": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRole"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberView"];
                };
            };
        };
    };
    "communities.transferServer": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOwner"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"];
                };
            };
        };
    };
    "table.getCost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CostView"];
                };
            };
        };
    };
    "table.readPartition": {
        parameters: {
            query?: {
                cursor?: string;
                index?: string;
                limit?: number;
            };
            header?: never;
            path: {
                pk: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartitionView"];
                };
            };
        };
    };
    "table.runPattern": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                patternId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatternResultView"];
                };
            };
        };
    };
    "table.getSchema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schema"];
                };
            };
        };
    };
    "accounts.listTenantAudit": {
        parameters: {
            query?: {
                cursor?: string;
                keyId?: string;
                limit?: number;
            };
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_AuditView_"];
                };
            };
        };
    };
    "bots.listTenantBots": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_BotView_"];
                };
            };
        };
    };
    "bots.createTenantBot": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBot"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewBotView"];
                };
            };
        };
    };
    "bots.deleteTenantBot": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "bots.rotateTenantBot": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotTokenView"];
                };
            };
        };
    };
    "bots.revokeTenantBot": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "data.getSchema": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: "channel" | "conversation" | "message" | "server" | "thread" | "user";
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSchemaView"];
                };
            };
        };
    };
    "data.setSchema": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: "channel" | "conversation" | "message" | "server" | "thread" | "user";
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDataSchema"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSchemaView"];
                };
            };
        };
    };
    "data.removeSchema": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: "channel" | "conversation" | "message" | "server" | "thread" | "user";
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "inboxes.getInbox": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                inbox: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxConfigView"];
                };
            };
        };
    };
    "inboxes.setInbox": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                inbox: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewInboxConfig"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxConfigView"];
                };
            };
        };
    };
    "inboxes.countMessages": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                inbox: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountsView"];
                };
            };
        };
    };
    "inboxes.listMessages": {
        parameters: {
            query?: {
                category?: string;
                cursor?: string;
                limit?: number;
                unread?: boolean;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                inbox: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_InboxMessageView_"];
                };
            };
        };
    };
    "inboxes.publishMessage": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                inbox: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInboxMessage"];
            };
        };
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedView"];
                };
            };
        };
    };
    "inboxes.recallMessage": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                inbox: string;
                messageId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedView"];
                };
            };
        };
    };
    "inboxes.updateMessage": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                inbox: string;
                messageId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MessageChanges"];
            };
        };
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedView"];
                };
            };
        };
    };
    "inboxes.archiveMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                inbox: string;
                messageId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedView"];
                };
            };
        };
    };
    "inboxes.markRead": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                inbox: string;
                messageId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedView"];
                };
            };
        };
    };
    "inboxes.snoozeMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                inbox: string;
                messageId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnoozeUntil"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedView"];
                };
            };
        };
    };
    "inboxes.setPreference": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                category: string;
                inbox: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPreference"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceView"];
                };
            };
        };
    };
    "inboxes.getPublish": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                inbox: string;
                messageId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgressView"];
                };
            };
        };
    };
    "inboxes.markAllRead": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                inbox: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReadAll"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HowManyChanged"];
                };
            };
        };
    };
    "inboxes.listSegments": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_SegmentView_"];
                };
            };
        };
    };
    "inboxes.getSegment": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                segment: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentView"];
                };
            };
        };
    };
    "inboxes.setSegment": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                segment: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSegment"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentView"];
                };
            };
        };
    };
    "inboxes.deleteSegment": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                segment: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "inboxes.changeSegmentUsers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                segment: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SegmentChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentView"];
                };
            };
        };
    };
    "inboxes.getTenant": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettingsView"];
                };
            };
        };
    };
    "inboxes.setTenant": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewTenantSettings"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettingsView"];
                };
            };
        };
    };
    "users.upsertUsers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    "users.getTenantUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                externalId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantUser"];
                };
            };
        };
    };
    "users.upsertUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                externalId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UserUpsert"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantUser"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantUser"];
                };
            };
        };
    };
    "users.deleteUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                externalId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "users.disableUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                externalId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantUser"];
                };
            };
        };
    };
    "users.enableUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                externalId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantUser"];
                };
            };
        };
    };
    "users.revokeTokens": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                externalId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantUser"];
                };
            };
        };
    };
    "users.countUnreadOfUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                externalId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadEverywhere"];
                };
            };
        };
    };
    "webhooks.listWebhooks": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_WebhookView_"];
                };
            };
        };
    };
    "webhooks.createWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    "webhooks.getWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hookId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookView"];
                };
            };
        };
    };
    "webhooks.deleteWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hookId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.changeWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hookId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookView"];
                };
            };
        };
    };
    "webhooks.listDeliveries": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                hookId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_DeliveryView_"];
                };
            };
        };
    };
    "webhooks.replayWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hookId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaySince"];
            };
        };
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayView"];
                };
            };
        };
    };
    "webhooks.rotateSecret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hookId: string;
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    "threads.listThreads": {
        parameters: {
            query?: {
                cursor?: string;
                lbgId?: string;
                legId?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ThreadView_"];
                };
            };
        };
    };
    "threads.createThread": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewThread"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadView"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadView"];
                };
            };
        };
    };
    "hooks.listThreadHooks": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_HookView_"];
                };
            };
        };
    };
    "hooks.createThreadHook": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewHook"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewHookView"];
                };
            };
        };
    };
    "hooks.deleteThreadHook": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                hookId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.listMessages": {
        parameters: {
            query?: {
                after?: string;
                around?: string;
                before?: string;
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_MessageView_"];
                };
            };
        };
    };
    "threads.sendMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewMessage"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentView"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentView"];
                };
            };
        };
    };
    "threads.getMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    "threads.deleteMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.editMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditedMessage"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    "threads.listReactors": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ReactorView_"];
                };
            };
        };
    };
    "threads.addReaction": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.removeReaction": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                emoji: string;
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.reportMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Report"];
            };
        };
        responses: {
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.listPins": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_PinView_"];
                };
            };
        };
    };
    "threads.pinMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.unpinMessage": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.setPreferences": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Preferences"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferencesView"];
                };
            };
        };
    };
    "threads.markRead": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadUpTo"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadView"];
                };
            };
        };
    };
    "threads.listReaders": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ReaderView_"];
                };
            };
        };
    };
    "threads.startTyping": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.stopTyping": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.countUnread": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                roomId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadView"];
                };
            };
        };
    };
    "threads.getThread": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadView"];
                };
            };
        };
    };
    "threads.changeThread": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ThreadChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadView"];
                };
            };
        };
    };
    "records.listAmendments": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_Amendment_"];
                };
            };
        };
    };
    "threads.listAudit": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_AuditView_"];
                };
            };
        };
    };
    "threads.listCards": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_CardView_"];
                };
            };
        };
    };
    "threads.createCard": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCard"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardView"];
                };
            };
        };
    };
    "threads.getCard": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardView"];
                };
            };
        };
    };
    "threads.moveCard": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                messageId: string;
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTransition"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardView"];
                };
            };
        };
    };
    "records.listDocuments": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_Document_"];
                };
            };
        };
    };
    "records.createDocument": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDocument"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInFull"];
                };
            };
        };
    };
    "records.getDocument": {
        parameters: {
            query?: {
                version?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                documentId: string;
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInFull"];
                };
            };
        };
    };
    "records.voidDocument": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                documentId: string;
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "records.signDocument": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                documentId: string;
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSignature"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInFull"];
                };
            };
        };
    };
    "records.addVersion": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                documentId: string;
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewVersion"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInFull"];
                };
            };
        };
    };
    "records.listExpenses": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpensePage"];
                };
            };
        };
    };
    "records.addExpense": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewExpense"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Expense"];
                };
            };
        };
    };
    "records.voidExpense": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                expenseId: string;
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "records.decideExpense": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                expenseId: string;
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDecision"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Expense"];
                };
            };
        };
    };
    "threads.openPanel": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PanelView"];
                };
            };
        };
    };
    "threads.listParticipants": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ThreadParticipantView_"];
                };
            };
        };
    };
    "threads.addParticipant": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewThreadParticipant"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadParticipantView"];
                };
            };
        };
    };
    "threads.removeParticipant": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "threads.changeParticipant": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                threadId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ThreadParticipantChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadParticipantView"];
                };
            };
        };
    };
    "threads.getTab": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                tab: "actions" | "brief" | "docs" | "expenses" | "files" | "moodboard" | "shotlist";
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TabView"];
                };
            };
        };
    };
    "threads.putTab": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                tab: "actions" | "brief" | "docs" | "expenses" | "files" | "moodboard" | "shotlist";
                threadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTab"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TabView"];
                };
            };
        };
    };
    "notifications.askUnsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    "notifications.unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    "accounts.findUsers": {
        parameters: {
            query: {
                username: string;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_UserView_"];
                };
            };
        };
    };
    "accounts.getUser": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserView"];
                };
            };
        };
    };
    "accounts.getMe": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    "accounts.deleteMe": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AccountDeletionRequest"];
            };
        };
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "accounts.changeMe": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProfileChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    "accounts.listBlocks": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_BlockView_"];
                };
            };
        };
    };
    "accounts.getBlock": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockView"];
                };
            };
        };
    };
    "accounts.block": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockView"];
                };
            };
        };
    };
    "accounts.unblock": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "accounts.export": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    "notifications.getNotifications": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsView"];
                };
            };
        };
    };
    "notifications.setNotifications": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewNotifications"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsView"];
                };
            };
        };
    };
    "accounts.changePassword": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "accounts.listSessions": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_SessionView_"];
                };
            };
        };
    };
    "accounts.endSession": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "rooms.countUnreadEverywhere": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadEverywhere"];
                };
            };
        };
    };
    "watching.watchChannels": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchChannels"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchedChannels"];
                };
            };
        };
    };
    "workspaces.listWorkspaces": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_OwnWorkspaceView_"];
                };
            };
        };
    };
    "workspaces.createWorkspace": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWorkspace"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnWorkspaceView"];
                };
            };
        };
    };
    "workspaces.getWorkspace": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EverythingView"];
                };
            };
        };
    };
    "workspaces.deleteWorkspace": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "workspaces.changeWorkspace": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnWorkspaceView"];
                };
            };
        };
    };
    "workspaces.listAudit": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_AuditView_"];
                };
            };
        };
    };
    "workspaces.listInvites": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_WorkspaceInviteView_"];
                };
            };
        };
    };
    "workspaces.createInvite": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewWorkspaceInvite"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceInviteView"];
                };
            };
        };
    };
    "workspaces.listItems": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                status?: string;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_ItemView_"];
                };
            };
        };
    };
    "workspaces.createItem": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewItem"];
            };
        };
        responses: {
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemView"];
                };
            };
        };
    };
    "workspaces.getItem": {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                itemId: string;
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemView"];
                };
            };
        };
    };
    "workspaces.deleteItem": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                itemId: string;
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "workspaces.changeItem": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                itemId: string;
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemView"];
                };
            };
        };
    };
    "workspaces.listMembers": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_WorkspaceMemberView_"];
                };
            };
        };
    };
    "workspaces.addMember": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewWorkspaceMember"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceMemberView"];
                };
            };
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceMemberView"];
                };
            };
        };
    };
    "workspaces.removeMember": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                userId: string;
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "workspaces.changeMember": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                userId: string;
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceMemberChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceMemberView"];
                };
            };
        };
    };
    "workspaces.listSettings": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listed_SettingView_"];
                };
            };
        };
    };
    "workspaces.getSetting": {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
                "Sobremesa-Act-As"?: string;
            };
            path: {
                name: string;
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingView"];
                };
            };
        };
    };
    "workspaces.putSetting": {
        parameters: {
            query?: never;
            header?: {
                "Sobremesa-Act-As"?: string;
            };
            path: {
                name: string;
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewValue"];
            };
        };
        responses: {
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingView"];
                };
            };
        };
    };
    "webhook.card.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["CardView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "card.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.channel.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ChannelView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "channel.created";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.channel.deleted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ChannelGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "channel.deleted";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.channel.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ChannelView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "channel.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.command.invoked": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["InvocationView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "command.invoked";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.command.responded": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ResponseView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "command.responded";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.conversation.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveConversation"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "conversation.created";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.conversation.deleted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ConversationGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "conversation.deleted";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.conversation.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveConversation"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "conversation.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.inbox.counts": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveCounts"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "inbox.counts";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.inbox.edited": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["InboxEdited"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "inbox.edited";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.inbox.message": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveInboxMessage"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "inbox.message";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.inbox.recalled": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["InboxRecalled"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "inbox.recalled";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.inbox.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["InboxMarked"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "inbox.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.member.joined": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["MemberView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "member.joined";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.member.left": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["MemberGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "member.left";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.member.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["MemberView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "member.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.message.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveMessage"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "message.created";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.message.deleted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["MessageGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "message.deleted";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.message.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveMessage"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "message.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.participant.joined": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveParticipant"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "participant.joined";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.participant.left": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ParticipantGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "participant.left";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.participant.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveParticipant"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "participant.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.pin.added": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["PinChanged"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "pin.added";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.pin.removed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["PinChanged"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "pin.removed";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.preferences.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["PreferencesChanged"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "preferences.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.reaction.added": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ReactionChanged"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "reaction.added";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.reaction.removed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ReactionChanged"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "reaction.removed";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.read.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ReadMoved"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "read.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.server.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ServerView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "server.created";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.server.deleted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ServerGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "server.deleted";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.server.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ServerView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "server.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.tab.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["TabView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "tab.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.thread.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveThread"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "thread.created";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.thread.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveThread"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "thread.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.user.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveUser"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "user.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["WorkspaceView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.created";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.deleted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["WorkspaceGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.deleted";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.item.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ItemView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.item.created";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.item.deleted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ItemGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.item.deleted";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.item.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["ItemView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.item.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.member.joined": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["WorkspaceMemberView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.member.joined";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.member.left": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["WorkspaceMemberGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.member.left";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.member.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["WorkspaceMemberView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.member.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.setting.deleted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["SettingGone"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.setting.deleted";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.setting.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["LiveSetting"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.setting.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.workspace.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["WorkspaceView"];
                    /** Format: date-time */
                    timestamp: string;
                    truncated?: boolean;
                    /** @constant */
                    type: "workspace.updated";
                    userId?: string;
                };
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
