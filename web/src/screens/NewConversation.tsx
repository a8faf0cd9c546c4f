// Start a direct conversation, or create a group.
import { useState } from "react";
import { useLocation } from "wouter";
import { startConversation, findUser } from "../actions/conversations";
import { errorText } from "../api/problems";
import type { Person } from "../api/shapes";
import { peopleNamed } from "../store/selectors";
import { sameList, useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { Icon, IconButton } from "../view/Icon";
import { secondaryName, shownName } from "../view/names";

const SHOWN = 5;

export function NewConversation({ onClose }: { onClose: () => void }) {
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [, navigate] = useLocation();
  const add = (person: Person) =>
    setPeople((all) => [...all.filter((each) => each.userId !== person.userId), person]);
  return (
    <Dialog title="New message" onClose={onClose}>
      <PersonSearch onFound={add} />
      {people.length > 0 && (
        <Form
          submit={people.length === 1 ? "Start chat" : "Create group"}
          onSubmit={async ({ name = "" }) => {
            const ids = people.map((each) => each.userId);
            const convoId = await startConversation(ids, name.trim() === "" ? null : name.trim());
            onClose();
            navigate(`/d/${convoId}`);
          }}
        >
          <ul className="chips" aria-label="With">
            {people.map((person) => (
              <li key={person.userId} className="chip">
                <Avatar id={person.userId} name={shownName(person)} url={person.avatarUrl} size={22} />
                {shownName(person)}
                <IconButton
                  icon="close"
                  size={13}
                  label={`Remove ${shownName(person)}`}
                  onClick={() => setPeople((all) => all.filter((each) => each !== person))}
                />
              </li>
            ))}
          </ul>
          {people.length > 1 && (
            <Field label="Group name (optional)" name="name" maxLength={100} autoComplete="off" />
          )}
        </Form>
      )}
    </Dialog>
  );
}

/** A username field. Enter takes the first match of the list, or looks up the exact name. */
function PersonSearch({ onFound }: { onFound: (person: Person) => void }) {
  const [query, setQuery] = useState("");
  const [error, setError] = useState<string | null>(null);
  const name = query.replace(/^@/, "").trim();
  const known = useStore((state) => (name === "" ? [] : peopleNamed(state, name).slice(0, SHOWN)), sameList);
  const [first] = known;
  const isListed = known.some((each) => each.username.toLowerCase() === name.toLowerCase());
  const take = (person: Person) => {
    onFound(person);
    setQuery("");
    setError(null);
  };
  const lookUp = () => {
    findUser(name).then(
      (user) => (user === null ? setError(`No user named “${name}”.`) : take(user)),
      (failure: unknown) => setError(errorText(failure)),
    );
  };
  return (
    <>
      <form
        className="add-person"
        onSubmit={(event) => {
          event.preventDefault();
          if (first !== undefined) take(first);
          else if (name !== "") lookUp();
        }}
      >
        <Field
          label="Username"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          autoFocus
          autoComplete="off"
        />
        <button className="button">Add</button>
      </form>
      {error !== null && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      {name !== "" && (
        <ul className="people" aria-label="Matches">
          {known.map((person, index) => (
            <li key={person.userId}>
              <button
                type="button"
                className={index === 0 ? "person person-first" : "person"}
                onClick={() => take(person)}
              >
                <Avatar
                  id={person.userId}
                  name={shownName(person)}
                  url={person.avatarUrl}
                  size={28}
                  presence
                />
                <span className="room-name">
                  {shownName(person)} <span className="note">{secondaryName(person)}</span>
                </span>
                {index === 0 && <kbd className="note">Enter</kbd>}
              </button>
            </li>
          ))}
          {!isListed && (
            <li>
              <button type="button" className="person" onClick={lookUp}>
                <Icon name="search" size={17} /> Look up “{name}”
              </button>
            </li>
          )}
        </ul>
      )}
    </>
  );
}
