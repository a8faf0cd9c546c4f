// Documents with their versions and signatures, and the accepted amendments.
import { useCallback, useEffect, useState } from "react";
import { addVersion, createDocument, getDocument, sign, voidDocument } from "../../actions/records";
import { Problem, errorText } from "../../api/problems";
import type { Amendment, ThreadDocument, FullDocument, Thread } from "../../api/shapes";
import { stateTitle } from "../../cards/types";
import { Markdown, type Names } from "../../markdown/Markdown";
import { useStore } from "../../store/store";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { Icon } from "../../view/Icon";
import { PersonName } from "../../view/Person";
import { messageTime, shortTime } from "../../view/times";
import { toastError, toast } from "../../view/toasts";
import { recordsOf } from "./tabs";
import { useTab } from "./useTab";

const TONES: Readonly<Record<ThreadDocument["state"], string>> = {
  draft: "waiting",
  signed: "good",
  void: "over",
};
const KINDS: readonly { kind: ThreadDocument["kind"]; label: string }[] = [
  { kind: "contract", label: "Contract" },
  { kind: "release", label: "Release" },
  { kind: "license", label: "License" },
  { kind: "other", label: "Other" },
];

type Summary = Omit<Amendment, "payload">;

export function DocumentsTab({ thread, names }: { thread: Thread; names: Names }) {
  const content = useTab(thread.threadId, "docs")?.content;
  const [isCreating, setCreating] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const documents = recordsOf<ThreadDocument>(content, "documents").filter(
    (each) => typeof each.documentId === "string",
  );
  const amendments = recordsOf<Summary>(content, "amendments").filter(
    (each) => typeof each.amendmentId === "string",
  );
  const openedDocument = documents.find((each) => each.documentId === opened);
  return (
    <>
      {documents.length === 0 && <p className="note">No documents yet.</p>}
      <ul className="tab-rows">
        {documents.map((each) => (
          <li key={each.documentId}>
            <button type="button" className="tab-row" onClick={() => setOpened(each.documentId)}>
              <span className="tab-row-text">
                <strong>{each.title}</strong>
                <span className="note">
                  {kindName(each.kind)}, version {each.currentVersion}, {each.signatures.length} of 2 signed
                </span>
              </span>
              <span className={`pill pill-${TONES[each.state]}`}>{stateTitle(each.state)}</span>
            </button>
          </li>
        ))}
      </ul>
      {amendments.length > 0 && <h3 className="sidebar-label">Agreed amendments</h3>}
      <ul className="tab-rows">
        {amendments.map((each) => (
          <li key={each.amendmentId} className="tab-row tab-row-open">
            <span className="tab-row-text">
              <strong>{each.summary}</strong>
              <span className="note">
                <PersonName userId={each.acceptedBy} /> accepted this {shortTime(each.acceptedAt)}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {thread.roleContext !== null && (
        <button type="button" className="button button-small" onClick={() => setCreating(true)}>
          <Icon name="plus" size={16} /> New document
        </button>
      )}
      {isCreating && <NewDocument threadId={thread.threadId} onClose={() => setCreating(false)} />}
      {openedDocument !== undefined && (
        <OpenDocument
          document={openedDocument}
          thread={thread}
          names={names}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

function NewDocument({ threadId, onClose }: { threadId: string; onClose: () => void }) {
  return (
    <Dialog title="New document" onClose={onClose} wide>
      <Form
        submit="Create draft"
        onSubmit={async ({ title = "", kind = "contract", body = "" }) => {
          await createDocument(threadId, { title: title.trim(), kind: kind as ThreadDocument["kind"], body });
          onClose();
        }}
      >
        <Field label="Title" name="title" required maxLength={200} autoFocus autoComplete="off" />
        <Field as="select" label="Type" name="kind">
          {KINDS.map((each) => (
            <option key={each.kind} value={each.kind}>
              {each.label}
            </option>
          ))}
        </Field>
        <Field as="textarea" label="Text" name="body" required rows={12} />
      </Form>
    </Dialog>
  );
}

interface OpenDocumentProps {
  document: ThreadDocument;
  thread: Thread;
  names: Names;
  onClose: () => void;
}

function OpenDocument({ document, thread, names, onClose }: OpenDocumentProps) {
  const { documentId, threadId, updatedAt, state: now } = document;
  const [full, setFull] = useState<FullDocument | null>(null);
  const [version, setVersion] = useState<number | undefined>(undefined);
  const [error, setError] = useState<unknown>(null);
  const [isEditing, setEditing] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    getDocument(threadId, documentId, version).then(
      (found) => isCurrent && setFull(found),
      (failure: unknown) => isCurrent && setError(failure),
    );
    return () => {
      isCurrent = false;
    };
    // Every change of the document also changes its snapshot in the tab.
  }, [threadId, documentId, version, updatedAt, now]);
  const showConflict = useCallback((failure: unknown) => {
    if (failure instanceof Problem && failure.status === 409)
      toast(`This was just updated. ${failure.message}`);
    else toastError(failure);
  }, []);
  return (
    <Dialog title={document.title} onClose={onClose} wide>
      {error !== null && <p className="form-error">{errorText(error)}</p>}
      {full === null && error === null && <div className="skeleton skeleton-pin" />}
      {full !== null && !isEditing && (
        <>
          <p>
            <span className={`pill pill-${TONES[full.state]}`}>{stateTitle(full.state)}</span>{" "}
            <span className="note">
              {kindName(full.kind)}, by <PersonName userId={full.createdBy} inside />
            </span>
          </p>
          <div className="document">
            {full.body === null ? (
              <p className="note">This version is a file.</p>
            ) : (
              <Markdown text={full.body} names={names} />
            )}
          </div>
          <Versions full={full} onChoose={setVersion} />
          <DocumentButtons
            full={full}
            thread={thread}
            onEdit={() => setEditing(true)}
            onConflict={showConflict}
            onChange={setFull}
          />
        </>
      )}
      {full !== null && isEditing && (
        <Form
          submit={`Save as version ${full.currentVersion + 1}`}
          aside={
            <button type="button" className="button" onClick={() => setEditing(false)}>
              Cancel
            </button>
          }
          onSubmit={async ({ body = "", note = "" }) => {
            setFull(await addVersion(full, body, note.trim() === "" ? null : note.trim()));
            setVersion(undefined);
            setEditing(false);
          }}
        >
          <Field
            as="textarea"
            label="Text"
            name="body"
            required
            rows={14}
            defaultValue={full.body ?? ""}
            autoFocus
          />
          <Field label="What changed (optional)" name="note" maxLength={1000} autoComplete="off" />
        </Form>
      )}
    </Dialog>
  );
}

function Versions({ full, onChoose }: { full: FullDocument; onChoose: (version: number) => void }) {
  return (
    <ol className="versions" aria-label="Versions">
      {full.versions.map((each) => (
        <li key={each.version} aria-current={each.version === full.shownVersion ? "true" : undefined}>
          <button type="button" className="link" onClick={() => onChoose(each.version)}>
            Version {each.version}
          </button>{" "}
          <span className="note">
            <PersonName userId={each.createdBy} />, {messageTime(each.createdAt)}
            {each.note !== null && `: ${each.note}`}
          </span>
          {each.signatures.map((signature) => (
            <span key={signature.userId} className="signature">
              <Icon name="check" size={14} /> <PersonName userId={signature.userId} /> ({signature.role}),{" "}
              {messageTime(signature.signedAt)}
            </span>
          ))}
        </li>
      ))}
    </ol>
  );
}

interface DocumentButtonsProps {
  full: FullDocument;
  thread: Thread;
  onEdit: () => void;
  onConflict: (error: unknown) => void;
  onChange: (full: FullDocument) => void;
}

function DocumentButtons({ full, thread, onEdit, onConflict, onChange }: DocumentButtonsProps) {
  const me = useStore((state) => state.me?.userId ?? "");
  const isParty = me === thread.buyerUserId || me === thread.sellerUserId;
  const hasSigned = full.signatures.some((each) => each.userId === me);
  const canVoid =
    full.state === "draft"
      ? full.createdBy === me
      : full.state === "signed" && thread.roleContext === "admin";
  if (full.state === "void") return null;
  return (
    <div className="form-buttons">
      {canVoid && (
        <button
          type="button"
          className="button button-danger"
          onClick={() => void voidDocument(full.threadId, full.documentId).catch(onConflict)}
        >
          Void document
        </button>
      )}
      {thread.roleContext !== null && (
        <button type="button" className="button" onClick={onEdit}>
          <Icon name="edit" size={16} /> New version
        </button>
      )}
      {isParty && !hasSigned && (
        <button
          type="button"
          className="button button-primary"
          disabled={full.shownVersion !== full.currentVersion}
          onClick={() => void sign(full).then(onChange, onConflict)}
        >
          Sign version {full.currentVersion}
        </button>
      )}
    </div>
  );
}

function kindName(kind: ThreadDocument["kind"]): string {
  return KINDS.find((each) => each.kind === kind)?.label ?? kind;
}
