import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Sha256 } from "../core/sha256.ts";

/**
 * What was found when everything that will run was opened: paths are canonical, hashes are of the opened descriptors, never of the paths.
 * The object's identity matters: exec/hold.ts remembers the open descriptors by it, and launch() starts those and nothing else.
 */
export interface Evidence {
  readonly cwd: { readonly path: AbsolutePath; readonly device: string; readonly inode: string };
  readonly executable: HashedFile;
  readonly nested: readonly HashedFile[];
  readonly files: readonly HashedOperand[];
}

export interface HashedFile {
  readonly path: AbsolutePath;
  readonly sha256: Sha256;
}

export interface HashedOperand extends HashedFile {
  readonly argvIndex: number;
}
