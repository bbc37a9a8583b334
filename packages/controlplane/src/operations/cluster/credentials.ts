import { clusterTypeOf, idOf, namePrefixes, prefixed } from '@weir/api';
import {
  type ClusterPort,
  type CredentialDescription,
  newScramCredential,
  scramCredentialOf,
} from '@weir/cluster';
import { timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { byText } from './wire-values.ts';

const usernamePrefix = 'ccun_';
const passwordPrefix = 'ccp_';
/** 256 random bits cannot be guessed, so a generated password may be verified with a cheap hash. */
const passwordBytes = 32;
const nameCharsMax = 128;

export function credentialOperations({ clusterPort, freshUuid, randomBytes }: ClusterServices) {
  return {
    list_virtual_cluster_credentials: async ({ virtual_cluster_id }) => {
      const credentials = await clusterPort(virtual_cluster_id).listCredentials();
      return { credentials: credentials.map(toCredentialResponse).sort((a, b) => byText(a.name, b.name)) };
    },

    create_virtual_cluster_credentials: async (input) => {
      const { virtual_cluster_id, credentials_name, is_cluster_superuser, read_only } = input;
      if (read_only && clusterTypeOf(virtual_cluster_id) !== 'byoc_schema_registry')
        throw new OperationFailed(
          'unsupported_cluster_type',
          'Credentials of a Kafka cluster cannot be read_only; use ACLs to limit them.',
        );
      const name = checkedName(credentials_name);
      const id = idOf('credential', freshUuid());
      const username = usernamePrefix + freshUuid().replaceAll('-', '');
      const password = input.imported_password ?? freshPassword(randomBytes);
      const [result] = await clusterPort(virtual_cluster_id).putCredentials([
        {
          username,
          id,
          name,
          isSuperuser: is_cluster_superuser,
          isFromFile: false,
          ...(read_only ? { isReadOnly: true } : {}),
          password: await newScramCredential(password, randomBytes),
        },
      ]);
      // The only possible refusals of a generated credential are a taken name and the limit.
      refuse(result!, { INVALID_REQUEST: 'duplicate_name', POLICY_VIOLATION: 'limit_exceeded' });
      return { id, username, password };
    },

    rotate_virtual_cluster_credentials: async (input, context) => {
      const { virtual_cluster_id, id, overlap_seconds } = input;
      const port = clusterPort(virtual_cluster_id);
      const { username, name } = await credentialById(port, id);
      const derivation = await port.passwordDerivation(username);
      if (derivation === null)
        throw new OperationFailed('conflict', `${name} has no password: it logs in with a certificate.`);
      const password = input.imported_password ?? freshPassword(randomBytes);
      const result = await port.rotatePassword({
        username,
        password: await scramCredentialOf(password, derivation.salt, derivation.iterations),
        overlapMs: overlap_seconds * 1000,
      });
      refuse(result, rotationCodes);
      const { oldEndsMs } = result;
      const endsText = oldEndsMs === null ? null : timeText(oldEndsMs);
      context.changed([
        {
          name: `old password of ${name}`,
          before: 'valid',
          after: endsText === null ? 'ended' : `valid until ${endsText}`,
        },
      ]);
      return { id, username, password, old_password_ends_at: endsText };
    },

    end_virtual_cluster_credentials_rotation: async ({ virtual_cluster_id, id }, context) => {
      const port = clusterPort(virtual_cluster_id);
      const { username, name, oldPassword } = await credentialById(port, id);
      refuse(await port.endOldPassword(username), rotationCodes);
      const before = oldPassword === undefined ? 'valid' : `valid until ${timeText(oldPassword.endsMs)}`;
      context.changed([{ name: `old password of ${name}`, before, after: 'ended' }]);
      return {};
    },

    delete_virtual_cluster_credentials: async ({ virtual_cluster_id, id }) => {
      const port = clusterPort(virtual_cluster_id);
      const { username } = await credentialById(port, id);
      const [result] = await port.deleteCredentials([username]);
      refuse(result!, { RESOURCE_NOT_FOUND: 'not_found', POLICY_VIOLATION: 'limit_exceeded' });
      return {};
    },
  } satisfies SomeHandlers;
}

const rotationCodes = {
  INVALID_REQUEST: 'conflict',
  RESOURCE_NOT_FOUND: 'not_found',
  POLICY_VIOLATION: 'limit_exceeded',
} as const;

async function credentialById(
  port: Pick<ClusterPort, 'listCredentials'>,
  id: string,
): Promise<CredentialDescription> {
  const found = (await port.listCredentials()).find((credential) => credential.id === id);
  if (found === undefined) throw new OperationFailed('not_found', `Credential ${id} not found.`);
  return found;
}

function toCredentialResponse({
  id,
  name,
  username,
  createdMs,
  isSuperuser,
  isReadOnly = false,
  lastUsedMs,
  passwordCreatedMs,
  oldPassword,
}: CredentialDescription) {
  return {
    id,
    name,
    username,
    created_at: timeText(createdMs),
    is_cluster_superuser: isSuperuser,
    read_only: isReadOnly,
    last_used_at: timeOrNull(lastUsedMs),
    password_created_at: timeOrNull(passwordCreatedMs),
    old_password:
      oldPassword === undefined
        ? null
        : {
            created_at: timeOrNull(oldPassword.createdMs),
            ends_at: timeText(oldPassword.endsMs),
            last_used_at: timeOrNull(oldPassword.lastUsedMs),
          },
  };
}

function timeOrNull(timeMs: number | null | undefined): string | null {
  return timeMs === null || timeMs === undefined ? null : timeText(timeMs);
}

function checkedName(given: string): string {
  const name = prefixed(namePrefixes.credential, given);
  const { length } = name.slice(namePrefixes.credential.length);
  if (length >= 1 && length <= nameCharsMax) return name;
  throw new OperationFailed(
    'invalid_request',
    `credentials_name: a name has 1 to ${nameCharsMax} characters, not ${length}`,
  );
}

function freshPassword(randomBytes: (count: number) => Uint8Array): string {
  return passwordPrefix + Buffer.from(randomBytes(passwordBytes)).toString('hex');
}
