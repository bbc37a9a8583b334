import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshKeySecret } from '@weir/controlplane/process';
import { Failure } from '@weir/core';
import { makeDirectory } from '@weir/journal';
import { explaining } from './data-directory.ts';

/** The identity of the first cluster of a control plane, and the keys that its database starts with. */
interface ClusterIdentity {
  readonly clusterId: string;
  readonly agentId: string;
  readonly agentKey: string;
  /** The key that creates keys and MCP configurations: `weir cli create-key`, `weir cli mcp-config`. */
  readonly accountKey: string;
  /** Whether the account key was just added to the identity of an earlier release. */
  readonly isAccountKeyNew?: boolean;
}

/** The identity of a self-contained process: the cluster it serves, the agent it runs, and the key between the two. */
export interface Identity extends ClusterIdentity {
  /** The key with which the user's tools call the API. */
  readonly applicationKey: string;
}

export function newIdentity(): Identity {
  return { ...newClusterIdentity(), applicationKey: freshKeySecret(randomBytes) };
}

function newClusterIdentity(): ClusterIdentity {
  return {
    clusterId: `vci_${randomUUID().replaceAll('-', '_')}`,
    agentId: randomUUID(),
    agentKey: freshKeySecret(randomBytes),
    accountKey: freshKeySecret(randomBytes),
  };
}

/** The identity of a self-contained process in its data directory. */
export function identityIn(dataDir: string): Identity {
  const identity = clusterIdentityIn(dataDir, newIdentity);
  const { applicationKey } = identity;
  if (applicationKey !== undefined) return { ...identity, applicationKey };
  // Files of earlier releases and of control planes lack the key, and so do their databases.
  const completed = { ...identity, applicationKey: freshKeySecret(randomBytes) };
  replace(join(dataDir, 'identity.json'), completed);
  return completed;
}

/**
 * The identity in a data directory, created if the directory is new. Only its owner may read it, because it contains
 * keys. That of a self-contained process has an application key too.
 */
export function clusterIdentityIn(
  dataDir: string,
  newOne: () => ClusterIdentity = newClusterIdentity,
): ClusterIdentity & Partial<Identity> {
  return explaining(dataDir, () => {
    makeDirectory(dataDir);
    const path = join(dataDir, 'identity.json');
    if (existsSync(path)) return readIdentity(path);
    const identity = newOne();
    // A second process that starts at the same time must not replace an identity that the first already uses.
    try {
      writeFileSync(path, printed(identity), { flag: 'wx', mode: 0o600 });
      return identity;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return readIdentity(path);
    }
  });
}

/** Creates the identity of a cluster that was restored: its own id, and new keys. */
export function restoredIdentityIn(dataDir: string, clusterId: string): void {
  explaining(dataDir, () => {
    const identity = { ...newClusterIdentity(), clusterId };
    writeFileSync(join(dataDir, 'identity.json'), printed(identity), { flag: 'wx', mode: 0o600 });
  });
}

function readIdentity(path: string): ClusterIdentity & Partial<Identity> {
  const { clusterId, agentId, agentKey, accountKey, applicationKey } = parse(readFileSync(path, 'utf8'));
  if (clusterId === undefined || agentId === undefined || agentKey === undefined)
    throw new Failure(
      `${path}: not a valid identity file; restore it from a backup, or remove it to create a new one`,
    );
  const found = { clusterId, agentId, agentKey, ...(applicationKey === undefined ? {} : { applicationKey }) };
  if (accountKey !== undefined) return { ...found, accountKey };
  // Files of earlier releases lack the key, and their databases do not have it yet.
  const completed = { ...found, accountKey: freshKeySecret(randomBytes) };
  replace(path, completed);
  return { ...completed, isAccountKeyNew: true };
}

function replace(path: string, { isAccountKeyNew: _, ...identity }: ClusterIdentity): void {
  writeFileSync(`${path}.new`, printed(identity), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The members that are strings. An unreadable file has none. */
function parse(text: string): Partial<Record<keyof Identity, string>> {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof found !== 'object' || found === null) return {};
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === 'string'));
}

function printed(identity: ClusterIdentity): string {
  return `${JSON.stringify(identity, null, 2)}\n`;
}
