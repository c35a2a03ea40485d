/** What must lie in a state directory before a daemon can work in it: made when it is missing, refused when it is wrong, never repaired. */

import { lstatSync } from "node:fs";
import type { AbsolutePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { defaultDocument } from "../policy/document.ts";
import { withSocket } from "../policy/document-edit.ts";
import { renderDocument } from "../policy/render-document.ts";
import { type DocumentFile, openDocumentFile } from "../store/document-file.ts";
import { replaceFile } from "../store/replace.ts";
import { newToken, openSecrets, type Secrets } from "../store/secrets.ts";
import { openStateDirectory } from "../store/state-directory.ts";
import { chooseStateDirectory, type StatePaths, type Surroundings, statePaths } from "../store/state-paths.ts";

export interface FilledState {
  readonly documentFile: DocumentFile;
  readonly secrets: Secrets;
}

/** The directory itself, so that it can be locked before anything in it is made. */
export function openState(surroundings: Surroundings): Result<StatePaths, Denial> {
  const directory = chooseStateDirectory(surroundings);
  if (!directory.ok) return directory;
  const uid = process.geteuid?.();
  if (uid === undefined) return fail(denial("config.invalid", "this system has no user ids; run it on Linux or macOS"));
  return openStateDirectory({ directory: directory.value, uid });
}

export async function fillState(paths: StatePaths, uid: number): Promise<Result<FilledState, Denial>> {
  const documentFile = await openDocument(paths, uid);
  if (!documentFile.ok) return documentFile;
  const secrets = await openSecrets(paths, uid);
  return secrets.ok ? ok({ documentFile: documentFile.value, secrets: secrets.value }) : secrets;
}

/** For `countersign init`: the same without a daemon, and which of the files were not there before. */
export async function initState(
  surroundings: Surroundings,
): Promise<Result<{ readonly paths: StatePaths; readonly made: readonly AbsolutePath[] }, Denial>> {
  const chosen = chooseStateDirectory(surroundings);
  if (!chosen.ok) return chosen;
  const { directory, document, operatorToken } = statePaths(chosen.value);
  const missing = [directory, document, operatorToken].filter((path) => !exists(path));
  const paths = openState(surroundings);
  if (!paths.ok) return paths;
  const filled = await fillState(paths.value, process.geteuid?.() ?? 0);
  return filled.ok ? ok({ paths: paths.value, made: missing }) : filled;
}

function exists(path: AbsolutePath): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function openDocument(paths: StatePaths, uid: number): Promise<Result<DocumentFile, Denial>> {
  if (!exists(paths.document)) {
    const written = await replaceFile(paths.document, renderDocument(defaultDocument(paths.socket, newToken())));
    if (!written.ok) return written;
  }
  const file = openDocumentFile(paths.document, uid);
  if (!file.ok) return file;
  const { path, token } = file.value.lastGood().document.socket;
  if (path !== null && token !== null) return file;
  // A document that an editor or an import wrote has neither; without a token nobody could ever connect.
  const completed = await file.value.change(null, (document) =>
    ok(withSocket(document, { path: path ?? paths.socket, token: token ?? newToken() })),
  );
  return completed.ok ? file : completed;
}
