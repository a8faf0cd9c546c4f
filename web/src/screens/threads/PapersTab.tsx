// Documents with their versions and signatures, and the amendments that were agreed.
import { useCallback, useEffect, useState } from "react";
import { addVersion, createPaper, getPaper, sign, voidPaper } from "../../actions/records";
import { Problem, wordsFor } from "../../api/problems";
import type { Amendment, Paper, PaperInFull, Thread } from "../../api/shapes";
import { stateTitle } from "../../cards/types";
import { Markdown, type Names } from "../../markdown/Markdown";
import { useStore } from "../../store/store";
import { Dialog } from "../../view/Dialog";
import { Field, Form } from "../../view/Form";
import { Icon } from "../../view/Icon";
import { PersonName } from "../../view/Person";
import { Select, TextField } from "../../view/TextField";
import { messageTime, shortTime } from "../../view/times";
import { tellFailure, toast } from "../../view/toasts";
import { recordsOf } from "./tabs";
import { useTab } from "./useTab";

const TONES: Readonly<Record<Paper["state"], string>> = { draft: "waiting", signed: "good", void: "over" };
const KINDS: readonly { kind: Paper["kind"]; label: string }[] = [
  { kind: "contract", label: "Contract" },
  { kind: "release", label: "Release" },
  { kind: "license", label: "Licence" },
  { kind: "other", label: "Something else" },
];

type Summary = Omit<Amendment, "payload">;

export function PapersTab({ thread, names }: { thread: Thread; names: Names }) {
  const content = useTab(thread.threadId, "docs")?.content;
  const [isMaking, setMaking] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const papers = recordsOf<Paper>(content, "documents").filter((each) => typeof each.documentId === "string");
  const amendments = recordsOf<Summary>(content, "amendments").filter(
    (each) => typeof each.amendmentId === "string",
  );
  const paper = papers.find((each) => each.documentId === opened);
  return (
    <>
      {papers.length === 0 && <p className="note">No documents yet: contracts, releases, licences.</p>}
      <ul className="tab-rows">
        {papers.map((each) => (
          <li key={each.documentId}>
            <button type="button" className="tab-row" onClick={() => setOpened(each.documentId)}>
              <span className="tab-row-words">
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
            <span className="tab-row-words">
              <strong>{each.summary}</strong>
              <span className="note">
                <PersonName userId={each.acceptedBy} /> accepted it {shortTime(each.acceptedAt)}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {thread.roleContext !== null && (
        <button type="button" className="button button-small" onClick={() => setMaking(true)}>
          <Icon name="plus" size={16} /> Write a document
        </button>
      )}
      {isMaking && <NewPaper threadId={thread.threadId} onClose={() => setMaking(false)} />}
      {paper !== undefined && (
        <OpenPaper paper={paper} thread={thread} names={names} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

function NewPaper({ threadId, onClose }: { threadId: string; onClose: () => void }) {
  return (
    <Dialog title="A document" onClose={onClose} wide>
      <Form
        submit="Make a draft"
        onSubmit={async ({ title = "", kind = "contract", body = "" }) => {
          await createPaper(threadId, { title: title.trim(), kind: kind as Paper["kind"], body });
          onClose();
        }}
      >
        <Field label="Title" name="title" required maxLength={200} autoFocus autoComplete="off" />
        <Select label="Kind" name="kind">
          {KINDS.map((each) => (
            <option key={each.kind} value={each.kind}>
              {each.label}
            </option>
          ))}
        </Select>
        <TextField label="Text" name="body" required rows={12} />
      </Form>
    </Dialog>
  );
}

interface OpenPaperProps {
  paper: Paper;
  thread: Thread;
  names: Names;
  onClose: () => void;
}

function OpenPaper({ paper, thread, names, onClose }: OpenPaperProps) {
  const { documentId, threadId, updatedAt, state: now } = paper;
  const [full, setFull] = useState<PaperInFull | null>(null);
  const [version, setVersion] = useState<number | undefined>(undefined);
  const [error, setError] = useState<unknown>(null);
  const [isWriting, setWriting] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    getPaper(threadId, documentId, version).then(
      (found) => isCurrent && setFull(found),
      (failure: unknown) => isCurrent && setError(failure),
    );
    return () => {
      isCurrent = false;
    };
    // Whatever changes the document changes its snapshot in the tab.
  }, [threadId, documentId, version, updatedAt, now]);
  const lost = useCallback((failure: unknown) => {
    if (failure instanceof Problem && failure.status === 409)
      toast(`${failure.message} This is how it stands now.`);
    else tellFailure(failure);
  }, []);
  return (
    <Dialog title={paper.title} onClose={onClose} wide>
      {error !== null && <p className="form-error">{wordsFor(error)}</p>}
      {full === null && error === null && <div className="skeleton skeleton-pin" />}
      {full !== null && !isWriting && (
        <>
          <p>
            <span className={`pill pill-${TONES[full.state]}`}>{stateTitle(full.state)}</span>{" "}
            <span className="note">
              {kindName(full.kind)}, by <PersonName userId={full.createdBy} inside />
            </span>
          </p>
          <div className="paper">
            {full.body === null ? (
              <p className="note">This version is a file.</p>
            ) : (
              <Markdown text={full.body} names={names} />
            )}
          </div>
          <Versions full={full} onChoose={setVersion} />
          <PaperButtons
            full={full}
            thread={thread}
            onWrite={() => setWriting(true)}
            onLost={lost}
            onFresh={setFull}
          />
        </>
      )}
      {full !== null && isWriting && (
        <Form
          submit={`Save as version ${full.currentVersion + 1}`}
          aside={
            <button type="button" className="button" onClick={() => setWriting(false)}>
              Cancel
            </button>
          }
          onSubmit={async ({ body = "", note = "" }) => {
            setFull(await addVersion(full, body, note.trim() === "" ? null : note.trim()));
            setVersion(undefined);
            setWriting(false);
          }}
        >
          <TextField label="Text" name="body" required rows={14} defaultValue={full.body ?? ""} autoFocus />
          <Field label="What is new in it (optional)" name="note" maxLength={1000} autoComplete="off" />
        </Form>
      )}
    </Dialog>
  );
}

function Versions({ full, onChoose }: { full: PaperInFull; onChoose: (version: number) => void }) {
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

interface PaperButtonsProps {
  full: PaperInFull;
  thread: Thread;
  onWrite: () => void;
  onLost: (error: unknown) => void;
  onFresh: (full: PaperInFull) => void;
}

function PaperButtons({ full, thread, onWrite, onLost, onFresh }: PaperButtonsProps) {
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
          onClick={() => void voidPaper(full.threadId, full.documentId).catch(onLost)}
        >
          Make it void
        </button>
      )}
      {thread.roleContext !== null && (
        <button type="button" className="button" onClick={onWrite}>
          <Icon name="edit" size={16} /> New version
        </button>
      )}
      {isParty && !hasSigned && (
        <button
          type="button"
          className="button button-primary"
          disabled={full.shownVersion !== full.currentVersion}
          onClick={() => void sign(full).then(onFresh, onLost)}
        >
          Sign version {full.currentVersion}
        </button>
      )}
    </div>
  );
}

function kindName(kind: Paper["kind"]): string {
  return KINDS.find((each) => each.kind === kind)?.label ?? kind;
}
