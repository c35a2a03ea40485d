/** The secrets in force: the document's gateways and the operator's token, and how they are replaced. */
import type { Credentials } from "../auth/caller.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { sha256Of } from "../core/sha256.ts";
import { withGatewayToken, withSocket } from "../policy/document-edit.ts";
import type { DocumentFile } from "../store/document-file.ts";
import { newGatewayToken, newToken, readOperatorToken, writeToken } from "../store/secrets.ts";

export interface CredentialStore {
  current(): Credentials;
  /** Resolves with the new token once it is durable; the old one is worth nothing from then on. */
  rotate(which: { readonly role: "gateway" | "operator"; readonly gateway?: string }): Promise<Result<string, Denial>>;
  /** After somebody replaced `operator.token` by hand. */
  reload(): Result<void, Denial>;
}

export function createCredentialStore(parts: {
  readonly documentFile: DocumentFile;
  readonly operatorTokenPath: string;
  readonly operatorToken: string;
  readonly uid: number;
}): CredentialStore {
  const { documentFile, operatorTokenPath } = parts;
  let { operatorToken } = parts;

  async function rotateOperator(): Promise<Result<string, Denial>> {
    const token = newToken();
    const written = await writeToken(operatorTokenPath, token);
    if (!written.ok) return written;
    operatorToken = token;
    return ok(token);
  }

  async function rotateGateway(name: string | undefined): Promise<Result<string, Denial>> {
    const token = name === undefined ? newToken() : newGatewayToken(name);
    const changed = await documentFile.change(null, (document) => {
      if (name === undefined) return ok(withSocket(document, { token }));
      if (document.socket.gateways.has(name)) return ok(withGatewayToken(document, name, sha256Of(token)));
      return fail(
        denial("wire.invalid-params", `there is no gateway \`${name}\` in socket.gateways; add it there first`, { field: "gateway" }),
      );
    });
    return changed.ok ? ok(token) : changed;
  }

  return {
    current() {
      // A document that went bad meanwhile must not lock everyone out: whoever could connect can, and every run says what is wrong.
      const read = documentFile.read();
      const { socket } = (read.ok ? read.value : documentFile.lastGood()).document;
      const { gateways, gatewayMayResolve } = socket;
      return { gatewayToken: socket.token ?? "", operatorToken, gateways, gatewayMayResolve };
    },
    rotate: ({ role, gateway }) => (role === "operator" ? rotateOperator() : rotateGateway(gateway)),
    reload() {
      const read = readOperatorToken(operatorTokenPath, parts.uid);
      if (!read.ok) return read;
      operatorToken = read.value;
      return ok(undefined);
    },
  };
}
