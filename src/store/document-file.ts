/** `exec-approvals.json` on disk: read again whenever it changed, written atomically, and never believed when anything about it is wrong. */
import type { AbsolutePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { DOCUMENT_BYTES_MAX, DOCUMENT_HASHES_REMEMBERED_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type Sha256, sha256Of } from "../core/sha256.ts";
import { type ExecDocument, parseDocument } from "../policy/document.ts";
import { haveSameSubstance } from "../policy/substance.ts";
import { withDocumentLock } from "./document-lock.ts";
import { type RenderedDocument, rendered } from "./rendered-document.ts";
import { replaceFile } from "./replace.ts";
import { type FileVersion, isStill, readSafely, utf8Of } from "./safe-file.ts";

export interface StoredDocument {
  readonly document: ExecDocument;
  /** Of the file's exact bytes. */
  readonly hash: Sha256;
  readonly path: AbsolutePath;
}

export type Edit = (document: ExecDocument) => Result<ExecDocument, Denial>;

export interface DocumentFile {
  /** Asked on every decision; looks at the file's stat and reads only when that changed. */
  read(): Result<StoredDocument, Denial>;
  /** What was last read whole: who may connect must not depend on a slip in an editor. */
  lastGood(): StoredDocument;
  /** Calls back when anything that decides has changed, and says whether it was changed through here. */
  onChange(listener: (stored: StoredDocument, byUs: boolean) => void): void;
  /** `baseHash` is what the edit was made on; `null` for an edit that is right whatever the document says by now. */
  change(baseHash: string | null, edit: Edit): Promise<Result<StoredDocument, Denial>>;
}

export function openDocumentFile(path: AbsolutePath, uid: number): Result<DocumentFile, Denial> {
  let known = look(path, uid, []);
  if (!known.outcome.ok) return known.outcome;
  let good = known.outcome.value;
  // Every version since which only `lastUsed*` changed: an edit made on any of them loses nothing.
  let accepted: Sha256[] = [good.hash];
  let listener: (stored: StoredDocument, byUs: boolean) => void = () => undefined;

  // What is being written: whoever looks as soon as it has its name need not read it either.
  let ours: StoredDocument | null = null;

  function read(): Result<StoredDocument, Denial> {
    if (known.version !== null && isStill(known.version, path)) return known.outcome;
    known = look(path, uid, ours === null ? [good] : [good, ours]);
    if (known.outcome.ok && known.outcome.value !== good) adopt(known.outcome.value, known.outcome.value === ours);
    return known.outcome;
  }

  async function write({ slices, hash }: RenderedDocument, document: ExecDocument): Promise<Result<StoredDocument, Denial>> {
    ours = { document, hash, path };
    try {
      const written = await replaceFile(path, slices);
      return written.ok ? read() : written;
    } finally {
      ours = null;
    }
  }

  function adopt(found: StoredDocument, byUs: boolean): void {
    const same = haveSameSubstance(good.document, found.document);
    accepted = same ? [...accepted, found.hash].slice(-DOCUMENT_HASHES_REMEMBERED_MAX) : [found.hash];
    good = found;
    if (!same) listener(found, byUs);
  }

  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };

  return ok({
    read,
    lastGood: () => good,
    onChange: (given) => {
      listener = given;
    },
    change: (baseHash, edit) =>
      inTurn(() =>
        withDocumentLock(path, async (isHeld) => {
          const found = read();
          if (!found.ok) return found;
          if (baseHash !== null && !accepted.some((hash) => hash === baseHash)) return fail(conflict(path, found.value.hash));
          const edited = edit(found.value.document);
          if (!edited.ok) return edited;
          if (edited.value === found.value.document) return found;
          const next = await rendered(edited.value);
          const tooLong = objectionToSize(path, next.bytes);
          if (tooLong !== null) return fail(tooLong);
          const document = asItWillRead(next, edited.value, found.value.document);
          if (!document.ok) return document;
          // Rendering let others have their turn: an editor that takes no lock may have written meanwhile.
          const still = read();
          if (!still.ok) return still;
          if (!isHeld() || still.value !== found.value) return fail(conflict(path, still.value.hash));
          return write(next, document.value);
        }),
      ),
  });
}

interface Known {
  /** `null` when there was nothing to read, or nothing that may be believed. */
  readonly version: FileVersion | null;
  readonly outcome: Result<StoredDocument, Denial>;
}

/** The same bytes keep the same document, and with it the rules that were compiled from it; they are not read a second time. */
function look(path: AbsolutePath, uid: number, versions: readonly StoredDocument[]): Known {
  const found = readSafely(path, { uid, secret: true, bytesMax: DOCUMENT_BYTES_MAX });
  if (found.kind !== "read") return { version: null, outcome: fail(corrupt(path, found.kind === "missing" ? "is gone" : found.what)) };
  const { bytes, version } = found;
  const hash = sha256Of(bytes);
  const seen = versions.find((each) => each.hash === hash);
  if (seen !== undefined) return { version, outcome: ok(seen) };
  const text = utf8Of(bytes);
  const document = text === null ? fail(corrupt(path, "is not UTF-8")) : parseDocument(text);
  return { version, outcome: document.ok ? ok({ document: document.value, hash, path }) : document };
}

/** Nothing is written that could not be read back. Uses are checked entry by entry as they are noted; anything else is read as a whole. */
function asItWillRead(next: RenderedDocument, edited: ExecDocument, before: ExecDocument): Result<ExecDocument, Denial> {
  return edited.substance === before.substance ? ok(edited) : parseDocument(Buffer.concat(next.slices).toString("utf8"));
}

function objectionToSize(path: string, bytes: number): Denial | null {
  return bytes <= DOCUMENT_BYTES_MAX ? null : corrupt(path, `has ${bytes} bytes, and ${DOCUMENT_BYTES_MAX} are the most`);
}

function corrupt(path: string, what: string): Denial {
  return denial("state.corrupt", `\`${path}\` ${what}; \`countersign doctor\` says how to mend it`, {
    path,
    problems: [{ path, message: what }],
  });
}

function conflict(path: string, hash: Sha256): Denial {
  return denial("state.conflict", "the document was changed meanwhile; read it again and repeat the edit", { path, hash });
}
