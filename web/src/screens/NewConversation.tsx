// A new conversation: with one person, or with several as a group.
import { useState } from "react";
import { useLocation } from "wouter";
import { beginConversation, findUser } from "../actions/conversations";
import { wordsFor } from "../api/problems";
import type { Person } from "../api/shapes";
import { sameList, useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Dialog } from "../view/Dialog";
import { Field, Form } from "../view/Form";
import { IconButton } from "../view/Icon";

export function NewConversation({ onClose }: { onClose: () => void }) {
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [query, setQuery] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [, navigate] = useLocation();
  const known = useStore(
    (state) =>
      Object.values(state.people)
        .filter(
          (each) =>
            each.userId !== state.me?.userId && each.username.toLowerCase().includes(query.toLowerCase()),
        )
        .sort((a, b) => a.username.localeCompare(b.username))
        .slice(0, 5),
    sameList,
  );
  const add = (person: Person) => {
    setPeople((all) => [...all.filter((each) => each.userId !== person.userId), person]);
    setQuery("");
    setError(null);
  };
  const find = () => {
    findUser(query).then(
      (user) => (user === null ? setError(`Nobody is called “${query}”.`) : add(user)),
      (failure: unknown) => setError(wordsFor(failure)),
    );
  };
  return (
    <Dialog title="A new conversation" onClose={onClose}>
      <form
        className="add-person"
        onSubmit={(event) => {
          event.preventDefault();
          if (query.trim() !== "") find();
        }}
      >
        <Field
          label="User name"
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
      {query !== "" && known.length > 0 && (
        <ul className="people" aria-label="People you know">
          {known.map((person) => (
            <li key={person.userId}>
              <button type="button" className="person" onClick={() => add(person)}>
                <Avatar id={person.userId} name={person.username} url={person.avatarUrl} size={28} presence />
                {person.username}
              </button>
            </li>
          ))}
        </ul>
      )}
      {people.length > 0 && (
        <Form
          submit={people.length === 1 ? "Begin" : "Begin a group"}
          onSubmit={async ({ name = "" }) => {
            const ids = people.map((each) => each.userId);
            const convoId = await beginConversation(ids, name.trim() === "" ? null : name.trim());
            onClose();
            navigate(`/d/${convoId}`);
          }}
        >
          <ul className="chips" aria-label="With">
            {people.map((person) => (
              <li key={person.userId} className="chip">
                <Avatar id={person.userId} name={person.username} url={person.avatarUrl} size={22} />
                {person.username}
                <IconButton
                  icon="close"
                  size={13}
                  label={`Without ${person.username}`}
                  onClick={() => setPeople((all) => all.filter((each) => each !== person))}
                />
              </li>
            ))}
          </ul>
          {people.length > 1 && (
            <Field label="A name for the group (optional)" name="name" maxLength={100} autoComplete="off" />
          )}
        </Form>
      )}
    </Dialog>
  );
}
