// Workspace settings: name, shared settings, deletion.
import { useState } from "react";
import { useLocation } from "wouter";
import { deleteWorkspace, putSetting, renameWorkspace } from "../../actions/workspaces";
import type { Workspace, WorkspaceSetting } from "../../api/shapes";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { PlainData } from "../../view/PlainData";
import { Icon, IconButton } from "../../view/Icon";
import { PersonName } from "../../view/Person";
import { shortTime } from "../../view/times";
import { toast } from "../../view/toasts";
import { DeletionForm } from "../DeletionForm";
import { mayConfigure } from "./roles";
import { readJson } from "./values";

interface SettingsPartProps {
  workspace: Workspace;
  settings: Readonly<Record<string, WorkspaceSetting>>;
}

export function SettingsPart({ workspace, settings }: SettingsPartProps) {
  const { workspaceId } = workspace;
  const canChange = mayConfigure(workspace.role);
  const [edited, setEdited] = useState<WorkspaceSetting | "new" | null>(null);
  const sorted = Object.values(settings).sort((a, b) => a.name.localeCompare(b.name));
  return (
    <div className="settings">
      {canChange && (
        <Form
          key={workspace.name}
          submit="Rename"
          onSubmit={async ({ name = "" }) => {
            await renameWorkspace(workspaceId, name.trim());
            toast("Renamed");
          }}
        >
          <Field
            label="Name"
            name="name"
            defaultValue={workspace.name}
            maxLength={100}
            required
            autoComplete="off"
          />
        </Form>
      )}
      <section aria-label="Settings">
        <h3>Settings</h3>
        {sorted.length === 0 && <p className="note">No settings yet.</p>}
        <ul className="tab-rows">
          {sorted.map((setting) => (
            <li key={setting.name} className="tab-row tab-row-open">
              <span className="tab-row-text">
                <strong>{setting.name}</strong>
                <span className="note">
                  <PersonName userId={setting.updatedBy} />
                  {setting.updatedAt !== null && `, ${shortTime(setting.updatedAt)}`}
                </span>
              </span>
              <span className="setting-value">
                <PlainData value={setting.value} />
              </span>
              {canChange && (
                <IconButton
                  icon="edit"
                  size={16}
                  label={`Edit ${setting.name}`}
                  onClick={() => setEdited(setting)}
                />
              )}
            </li>
          ))}
        </ul>
        {canChange && (
          <button type="button" className="button button-small" onClick={() => setEdited("new")}>
            <Icon name="plus" size={16} /> Add setting
          </button>
        )}
      </section>
      {workspace.role === "owner" && <Deletion workspace={workspace} />}
      {edited !== null && (
        <SettingDialog
          workspaceId={workspaceId}
          setting={edited === "new" ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  );
}

interface SettingDialogProps {
  workspaceId: string;
  setting: WorkspaceSetting | null;
  onClose: () => void;
}

function SettingDialog({ workspaceId, setting, onClose }: SettingDialogProps) {
  return (
    <Dialog title={setting === null ? "New setting" : setting.name} onClose={onClose}>
      <Form
        submit="Save"
        onSubmit={async ({ name = setting?.name ?? "", value = "" }) => {
          await putSetting(workspaceId, name.trim(), readJson(value));
          onClose();
        }}
      >
        {setting === null && (
          <Field label="Name" name="name" required maxLength={100} autoFocus autoComplete="off" />
        )}
        <Field
          as="textarea"
          label="Value (JSON)"
          name="value"
          rows={6}
          required
          className="input text-field code-field"
          spellCheck={false}
          defaultValue={setting === null ? "" : JSON.stringify(setting.value, null, 2)}
        />
      </Form>
    </Dialog>
  );
}

function Deletion({ workspace }: { workspace: Workspace }) {
  const [, navigate] = useLocation();
  return (
    <DeletionForm
      what="workspace"
      name={workspace.name}
      note="Deletes every item and setting."
      onDelete={async () => {
        await deleteWorkspace(workspace.workspaceId);
        navigate("/w");
      }}
    />
  );
}
