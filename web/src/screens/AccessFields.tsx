// The fields of a channel's access list: whether it is private, and which roles and people see it.
import { useEffect, useState } from "react";
import { loadMembers } from "../actions/communities";
import type { AccessList } from "../api/shapes";
import { useStore } from "../store/store";
import { secondaryName, shownName } from "../view/names";
import { LISTED_ROLES, PRIVATE, roleField, userField } from "./access";

interface AccessFieldsProps {
  serverId: string;
  /** The list that the channel has; null for a public one. */
  access: AccessList | null;
}

export function AccessFields({ serverId, access }: AccessFieldsProps) {
  const [isPrivate, setPrivate] = useState(access !== null);
  const members = useStore((state) => state.members[serverId]);
  const isMissing = members === undefined;
  useEffect(() => {
    if (isPrivate && isMissing) void loadMembers(serverId).catch(() => undefined);
  }, [serverId, isPrivate, isMissing]);
  // Owner and admins see every channel.
  const people = Object.values(members ?? {})
    .filter((each) => each.role === "member" || each.role === "moderator")
    .sort((one, other) => shownName(one).localeCompare(shownName(other)));
  // A large community does not load every member: those of the list who are not shown stay on it.
  const others = access?.userIds.filter((userId) => !people.some((each) => each.userId === userId)) ?? [];
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          name={PRIVATE}
          checked={isPrivate}
          onChange={(event) => setPrivate(event.target.checked)}
        />
        <span>Private channel</span>
      </label>
      {isPrivate && (
        <fieldset className="choice access-list">
          <legend>Who can see it, besides admins</legend>
          {LISTED_ROLES.map(({ role, label }) => (
            <label key={role}>
              <input
                type="checkbox"
                name={roleField(role)}
                defaultChecked={access?.roles.includes(role) ?? false}
              />
              <span>{label}</span>
            </label>
          ))}
          {people.map((each) => (
            <label key={each.userId}>
              <input
                type="checkbox"
                name={userField(each.userId)}
                defaultChecked={access?.userIds.includes(each.userId) ?? false}
              />
              <span>
                {shownName(each)} <span className="note">{secondaryName(each)}</span>
              </span>
            </label>
          ))}
          {others.map((userId) => (
            <input key={userId} type="hidden" name={userField(userId)} value="on" />
          ))}
        </fieldset>
      )}
    </>
  );
}
