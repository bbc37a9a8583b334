import type { MutationOptions } from '../ports/port.ts';
import type {
  AlterClientQuotasResult,
  ClientQuotas,
  CredentialDescription,
  CredentialResult,
  ScramCredentialDescription,
  ScramCredentialResult,
} from '../ports/principals-port.ts';
import {
  type ClientQuotaFilter,
  type ClientQuotasToAlter,
  type CredentialToPut,
  type QuotaChange,
  type QuotaEntityPart,
  type QuotaFilterPart,
  quotaEntityTypes,
  quotaMatches,
  type ScramCredential,
  type ScramCredentialChange,
} from '../ports/principals-port.ts';
import { column, flag, list, nullable, number, object, oneOf, text, tuple, whole } from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import { mutationOptions } from './topic-shapes.ts';

const quotasToAlter = object<ClientQuotasToAlter>({
  entity: list(object<QuotaEntityPart>({ type: text, name: nullable(text) })),
  changes: list(object<QuotaChange>({ key: text, value: nullable(number) })),
});

const quotaFilter = object<ClientQuotaFilter>({
  parts: list(
    object<QuotaFilterPart>({
      type: oneOf(...quotaEntityTypes),
      match: oneOf(...quotaMatches),
      name: nullable(text),
    }),
  ),
  isStrict: flag,
});

const scramCredential = object<ScramCredential>({
  iterations: whole,
  salt: column(Uint8Array),
  storedKey: column(Uint8Array),
  serverKey: column(Uint8Array),
});

const credentialToPut = object<CredentialToPut>({
  username: text,
  id: text,
  name: text,
  isSuperuser: flag,
  isFromFile: flag,
  password: nullable(scramCredential),
});

/** Calls about quotas and credentials. */
export const principalCalls = {
  /** Sets and removes quotas. Each entity has its own result, and its changes are atomic. */
  alterClientQuotas: command<
    [entities: readonly ClientQuotasToAlter[], options: MutationOptions],
    AlterClientQuotasResult[]
  >(tuple(list(quotasToAlter), mutationOptions), { splits: true }),
  describeClientQuotas: query<[filter: ClientQuotaFilter], ClientQuotas[]>(tuple(quotaFilter)),
  /** Sets and removes SCRAM credentials, except those of superusers. No user may be named twice. */
  alterScramCredentials: command<[changes: readonly ScramCredentialChange[]], ScramCredentialResult[]>(
    tuple(list(object<ScramCredentialChange>({ user: text, credential: nullable(scramCredential) }))),
    { splits: true },
  ),
  /**
   * In the order of the users, `null` for those without credentials; an empty list returns all. Never contains secrets.
   */
  describeScramCredentials: query<[users: readonly string[]], (ScramCredentialDescription | null)[]>(
    tuple(list(text)),
    { splits: true },
  ),
  /** Creates credentials, or updates those with the same usernames. No username may be named twice. */
  putCredentials: command<[credentials: readonly CredentialToPut[]], CredentialResult[]>(
    tuple(list(credentialToPut)),
    { membersOnly: true },
  ),
  /** Removes credentials and their passwords. No username may be named twice. */
  deleteCredentials: command<[usernames: readonly string[]], CredentialResult[]>(tuple(list(text)), {
    membersOnly: true,
  }),
  /** Returns all credentials by creation time. Never contains secrets. */
  listCredentials: leaderCall<[], CredentialDescription[]>(tuple(), {
    membersOnly: true,
    onRetry: 'reexecute',
  }),
};
