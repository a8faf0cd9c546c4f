// The composer: a growing text field with mentions, emoji and files.
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { callCommand, loadCommands } from "../../actions/commands";
import { startTyping, stopTyping } from "../../actions/room";
import { send } from "../../actions/sending";
import type { Command, Message, Person } from "../../api/shapes";
import { EmojiButton } from "../../emoji/EmojiButton";
import { Avatar } from "../../view/Avatar";
import { IconButton } from "../../view/Icon";
import { calledCommand, completionAt, type Completion, type Suggestion } from "./completion";
import { draftOf, keepDraft } from "../../store/drafts";
import { useStore } from "../../store/store";
import { useRoom } from "./RoomContext";
import { UploadTray } from "./UploadTray";
import type { useUploads } from "./uploads";
import { secondaryName, shownName } from "../../view/names";

const LONGEST = 4000;
const NO_COMMANDS: readonly Command[] = [];

interface ComposerProps {
  placeholder: string;
  people: readonly Person[];
  files: ReturnType<typeof useUploads>;
  answered: Message | null;
  onAnswered: () => void;
  onEditLast: () => void;
  onSent: () => void;
  tools: React.ReactNode;
}

export function Composer(props: ComposerProps) {
  const { placeholder, people, files, answered, onAnswered, onEditLast, onSent } = props;
  const { room } = useRoom();
  const [text, setText] = useState(() => draftOf(room));
  const [cursor, setCursor] = useState(0);
  const [chosen, setChosen] = useState(0);
  const [isDismissed, setDismissed] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const listId = useId();
  const serverId = useStore((state) =>
    room.kind === "channel" ? state.channels[room.id]?.serverId : undefined,
  );
  const commands =
    useStore((state) => (serverId === undefined ? undefined : state.commands[serverId])) ?? NO_COMMANDS;
  const completion = isDismissed ? null : completionAt(text, cursor, people, commands);
  const isCommand = text.startsWith("/");

  useEffect(() => keepDraft(room, text), [room, text]);
  useEffect(() => {
    if (isCommand && serverId !== undefined) void loadCommands(serverId);
  }, [isCommand, serverId]);
  useEffect(() => {
    // On devices with a keyboard, focus the composer when a room opens.
    if (matchMedia("(pointer: fine)").matches) box.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (answered !== null) box.current?.focus();
  }, [answered]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);

  const change = (fresh: string, at: number) => {
    setText(fresh);
    setCursor(at);
    setChosen(0);
    setDismissed(false);
    if (fresh.trim() === "") stopTyping(room);
    else startTyping(room);
  };
  const insert = (piece: string, from: number, to: number) => {
    const fresh = text.slice(0, from) + piece + text.slice(to);
    change(fresh, from + piece.length);
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(from + piece.length, from + piece.length);
    });
  };
  const complete = (found: Completion, suggestion: Suggestion) =>
    insert(suggestion.insert, found.from, found.to);
  const isUploading = files.uploads.some((each) => each.done === null && each.error === null);
  const ready = files.uploads.flatMap((each) => (each.done === null ? [] : [each.done]));
  const canSend = !isUploading && (text.trim() !== "" || ready.length > 0);

  const submit = () => {
    if (!canSend) return;
    const called = ready.length === 0 ? calledCommand(text.trim(), commands) : null;
    if (called === null) send(room, text.trim(), answered?.messageId ?? null, ready);
    else {
      stopTyping(room, true);
      void callCommand(room.id, called.command.name, called.rest);
    }
    setText("");
    setCursor(0);
    files.clear();
    onAnswered();
    onSent();
  };

  const keyed = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (completion !== null && tookKey(event, completion)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === "ArrowUp" && !event.altKey && text === "") {
      event.preventDefault();
      onEditLast();
    } else if (event.key === "Escape" && answered !== null) {
      event.stopPropagation();
      onAnswered();
    }
  };
  /** Handle the keys of the open list of suggestions; true if the key was handled. */
  const tookKey = (event: React.KeyboardEvent, found: Completion): boolean => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const { suggestions } = found;
    const suggestion = suggestions[chosen];
    if (step !== 0) setChosen((chosen + step + suggestions.length) % suggestions.length);
    else if ((event.key === "Enter" || event.key === "Tab") && suggestion !== undefined)
      complete(found, suggestion);
    else if (event.key === "Escape") setDismissed(true);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  return (
    <div className="composer">
      {completion !== null && (
        <ul className="completion" role="listbox" id={listId} aria-label={completion.label}>
          {completion.suggestions.map((suggestion, index) => (
            <li
              key={suggestion.key}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === chosen}
              onPointerDown={(event) => {
                event.preventDefault();
                complete(completion, suggestion);
              }}
            >
              <SuggestionView suggestion={suggestion} />
            </li>
          ))}
        </ul>
      )}
      {answered !== null && (
        <div className="answering">
          <span>
            Replying to <strong>{shownName(answered)}</strong>
          </span>
          <IconButton icon="close" size={16} label="Cancel reply" onClick={onAnswered} />
        </div>
      )}
      <UploadTray uploads={files.uploads} onRemove={files.remove} />
      <div className="composer-line">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={(event) => {
            files.add(event.target.files ?? []);
            event.target.value = "";
          }}
        />
        <IconButton icon="plus" label="Add files" onClick={() => picker.current?.click()} />
        {props.tools}
        <textarea
          ref={box}
          rows={1}
          value={text}
          maxLength={LONGEST}
          placeholder={placeholder}
          aria-label={placeholder}
          aria-haspopup="listbox"
          aria-autocomplete="list"
          aria-controls={completion === null ? undefined : listId}
          aria-activedescendant={completion === null ? undefined : `${listId}-${chosen}`}
          onChange={(event) => change(event.target.value, event.target.selectionStart)}
          onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
          onKeyDown={keyed}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            files.add(event.clipboardData.files);
          }}
        />
        {text.length > LONGEST - 300 && <span className="note">{LONGEST - text.length}</span>}
        <EmojiButton
          className="icon-button"
          label="Emoji"
          onChoose={(emoji) => insert(emoji, cursor, cursor)}
        />
        <IconButton icon="send" label="Send" className="send" disabled={!canSend} onClick={submit} />
      </div>
    </div>
  );
}

function SuggestionView({ suggestion }: { suggestion: Suggestion }) {
  if (suggestion.kind === "command")
    return (
      <>
        <strong>/{suggestion.command.name}</strong>
        <span className="note">{suggestion.command.description}</span>
      </>
    );
  const { person } = suggestion;
  return (
    <>
      <Avatar id={person.userId} name={shownName(person)} url={person.avatarUrl} size={24} presence />
      {shownName(person)} <span className="note">{secondaryName(person)}</span>
    </>
  );
}
