// User settings, one tab at a time.
import { useEffect, useState } from "react";
import { changePassword, changeProfile, endSession, listSessions, uploadAvatar } from "../actions/account";
import type { SessionRow } from "../api/shapes";
import { useStore } from "../store/store";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { PictureField } from "../view/PictureField";
import { setLook, useLook, type Density, type Theme } from "../view/preferences";
import { messageTime } from "../view/times";
import { toastError, toast } from "../view/toasts";
import type { Params } from "./routes";
import { DrawerButton } from "./RoomHeader";
import { TABS } from "./SettingsNav";
import { shownName } from "../view/names";

export default function Settings({ params }: { params: Params }) {
  const tab = params["tab"] ?? "profile";
  const title = TABS.find((each) => each.tab === tab)?.title ?? "Settings";
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
        <h2>{title}</h2>
      </header>
      <div className="settings">
        {tab === "appearance" ? <Appearance /> : tab === "security" ? <Security /> : <Profile />}
      </div>
    </div>
  );
}

function Profile() {
  const me = useStore((state) => state.me);
  if (me === null) return null;
  return (
    <>
      <PictureField
        id={me.userId}
        name={shownName(me)}
        url={me.avatarUrl}
        onChoose={async (file) => changeProfile({ avatarUrl: await uploadAvatar(file) })}
        onRemove={() => changeProfile({ avatarUrl: null })}
      />
      <Form
        submit="Save"
        onSubmit={async ({ username = "", displayName = "" }) => {
          await changeProfile({ username: username.trim(), displayName: displayName.trim() || null });
          toast("Saved");
        }}
      >
        <Field
          label="Display name"
          name="displayName"
          defaultValue={me.displayName ?? ""}
          maxLength={80}
          placeholder={me.username}
        />
        <Field
          label="Username"
          name="username"
          defaultValue={me.username}
          minLength={2}
          maxLength={32}
          required
        />
        <Field label="Email" value={me.email ?? ""} readOnly />
      </Form>
    </>
  );
}

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
const DENSITIES: readonly { value: Density; label: string }[] = [
  { value: "cosy", label: "Cozy" },
  { value: "compact", label: "Compact" },
];

function Appearance() {
  const look = useLook();
  return (
    <>
      <Choice
        label="Theme"
        name="theme"
        options={THEMES}
        value={look.theme}
        onChoose={(theme) => setLook({ theme })}
      />
      <Choice
        label="Message density"
        name="density"
        options={DENSITIES}
        value={look.density}
        onChoose={(density) => setLook({ density })}
      />
    </>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  name: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onChoose: (value: T) => void;
}

function Choice<T extends string>({ label, name, options, value, onChoose }: ChoiceProps<T>) {
  return (
    <fieldset className="choice">
      <legend className="field-label">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

function Security() {
  const [sessions, setSessions] = useState<readonly SessionRow[] | null>(null);
  useEffect(() => {
    listSessions().then(setSessions, toastError);
  }, []);
  const end = (sessionId: string) =>
    void endSession(sessionId).then(
      () => setSessions((all) => all?.filter((each) => each.sessionId !== sessionId) ?? null),
      toastError,
    );
  return (
    <>
      <section aria-label="Active sessions">
        <h3>Active sessions</h3>
        {sessions === null && <div className="skeleton skeleton-pin" />}
        <ul className="people">
          {sessions?.map((each) => (
            <li key={each.sessionId} className="person">
              <span className="room-name">
                {each.device ?? "Unknown device"}
                <span className="note">
                  {" "}
                  {each.current ? "this device" : `last used ${messageTime(each.lastUsedAt)}`}
                </span>
              </span>
              {!each.current && (
                <button type="button" className="button button-small" onClick={() => end(each.sessionId)}>
                  Sign out
                </button>
              )}
            </li>
          ))}
        </ul>
      </section>
      <Form
        submit="Change password"
        onSubmit={async ({ current = "", next = "" }) => {
          await changePassword(current, next);
          toast("Password changed");
        }}
      >
        <h3>Change password</h3>
        <Field
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
        />
        <Field
          label="New password"
          name="next"
          type="password"
          autoComplete="new-password"
          minLength={8}
          required
        />
      </Form>
    </>
  );
}
