import {
  type CredentialDescription,
  type CredentialToPut,
  isPasswordOf,
  newScramCredential,
  readScramCredential,
  type ScramCredential,
} from '@weir/cluster';
import type { ClusterNode } from '@weir/metadata';
import type { FileCredential } from './credentials-file.ts';

/** The methods of a node that are needed. */
export type CredentialsNode = Pick<
  ClusterNode,
  'record' | 'listCredentials' | 'putCredentials' | 'deleteCredentials' | 'execute'
>;

interface AppliedCredentials {
  /** Names of credentials. */
  readonly put: readonly string[];
  readonly deleted: readonly string[];
  readonly refused: readonly { readonly name: string; readonly problem: string }[];
}

export interface Sources {
  readonly randomBytes: (count: number) => Uint8Array;
  readonly freshId: () => string;
}

/**
 * Makes the credentials of a cluster match a file, and leaves matching ones unchanged: a password is verified against
 * the stored hash, not written again with another salt. Credentials that came from a file and are no longer in it are
 * deleted; others are not touched.
 */
export async function applyCredentials(
  node: CredentialsNode,
  wanted: readonly FileCredential[],
  sources: Sources,
): Promise<AppliedCredentials> {
  const known = new Map(
    (await node.listCredentials()).map((credential) => [credential.username, credential]),
  );
  const usernames = new Set(wanted.map(({ username }) => username));
  // First, so that a name that moves to another credential is free by then.
  const gone = [...known.values()].filter(
    ({ isFromFile, username }) => isFromFile && !usernames.has(username),
  );
  if (gone.length > 0) await node.deleteCredentials(gone.map(({ username }) => username));

  const toPut: CredentialToPut[] = [];
  for (const one of wanted) {
    const password = await newPassword(node, one, sources);
    const before = known.get(one.username);
    if (password !== null || !isAsWanted(before, one)) toPut.push(credentialOf(one, password, sources));
  }
  const results = toPut.length === 0 ? [] : await node.putCredentials(toPut);
  const refused = results.flatMap(({ error, message }, index) =>
    error === 'NONE' ? [] : [{ name: toPut[index]!.name, problem: message ?? error }],
  );
  const refusedNames = new Set(refused.map(({ name }) => name));
  await withoutPasswords(
    node,
    wanted.filter(({ name, password }) => password === undefined && !refusedNames.has(name)),
  );
  return {
    put: toPut.map(({ name }) => name).filter((name) => !refusedNames.has(name)),
    deleted: gone.map(({ name }) => name),
    refused,
  };
}

/** Returns the hash to store for the password, or `null` if it is stored already, or there is none. */
async function newPassword(
  node: CredentialsNode,
  { username, password }: FileCredential,
  { randomBytes }: Sources,
): Promise<ScramCredential | null> {
  if (password === undefined) return null;
  const stored = node.record('scramCredential', username);
  if (stored !== undefined && (await isPasswordOf(password, readScramCredential(stored)))) return null;
  return newScramCredential(password, randomBytes);
}

function isAsWanted(
  before: CredentialDescription | undefined,
  { name, isSuperuser }: FileCredential,
): boolean {
  return before?.isFromFile === true && before.name === name && before.isSuperuser === isSuperuser;
}

function credentialOf(
  { username, name, isSuperuser }: FileCredential,
  password: ScramCredential | null,
  { freshId }: Sources,
): CredentialToPut {
  return { username, id: `cci_${freshId()}`, name, isSuperuser, isFromFile: true, password };
}

/** A password that was removed from the file, or that was set by other means, must not work. */
async function withoutPasswords(
  node: CredentialsNode,
  credentials: readonly FileCredential[],
): Promise<void> {
  const changes = credentials
    .filter(({ username }) => node.record('scramCredential', username) !== undefined)
    .map(({ username }) => ({ user: username, credential: null }));
  if (changes.length > 0) await node.execute({ kind: 'alterScramCredentials', changes, by: 'owner' });
}
