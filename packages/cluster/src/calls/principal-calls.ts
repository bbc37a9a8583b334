import {
  column,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  tuple,
  whole,
} from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import { type MutationOptions, mutationOptions } from './topic-calls.ts';

/** In the order in which they appear in entry keys. */
export const quotaEntityTypes = ['user', 'client-id', 'ip'] as const;

export type QuotaEntityType = (typeof quotaEntityTypes)[number];

/** One part of an entity. A `null` name is the default entity: all that have no quota of their own. */
interface QuotaEntityPart {
  /** One of `quotaEntityTypes`, or any other text that a client sent. */
  readonly type: string;
  readonly name: string | null;
}

export type QuotaEntity = readonly QuotaEntityPart[];

export interface QuotaChange {
  readonly key: string;
  /** `null` removes. */
  readonly value: number | null;
}

export interface ClientQuotasToAlter {
  readonly entity: QuotaEntity;
  readonly changes: readonly QuotaChange[];
}

const quotasToAlter = object<ClientQuotasToAlter>({
  entity: list(object<QuotaEntityPart>({ type: text, name: nullable(text) })),
  changes: list(object<QuotaChange>({ key: text, value: nullable(number) })),
});

export interface AlterClientQuotasResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

const quotaMatches = ['name', 'default', 'any'] as const;

export interface QuotaFilterPart {
  readonly type: QuotaEntityType;
  /** `name`: this name. `default`: the default entity. `any`: both. */
  readonly match: (typeof quotaMatches)[number];
  /** `null` unless `match` is `name`. */
  readonly name: string | null;
}

export interface ClientQuotaFilter {
  /** An entity must match all parts. */
  readonly parts: readonly QuotaFilterPart[];
  /** Excludes entities with additional parts. */
  readonly isStrict: boolean;
}

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

export interface ClientQuotas {
  readonly entity: QuotaEntity;
  readonly quotas: Readonly<Record<string, number>>;
}

/** The stored form of a SCRAM-SHA-512 password: sufficient to verify it, not to log in elsewhere (RFC 5802). */
export interface ScramCredential {
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

const scramCredential = object<ScramCredential>({
  iterations: whole,
  salt: column(Uint8Array),
  storedKey: column(Uint8Array),
  serverKey: column(Uint8Array),
});

export interface ScramCredentialChange {
  readonly user: string;
  /** `null` removes. */
  readonly credential: ScramCredential | null;
}

export interface ScramCredentialResult {
  readonly error: 'NONE' | 'RESOURCE_NOT_FOUND' | 'POLICY_VIOLATION';
  readonly message: string | null;
}

export interface ScramCredentialDescription {
  readonly user: string;
  readonly iterations: number;
}

/** A credential of a cluster: a named user, who may be a superuser, to whom ACLs do not apply. */
export interface CredentialToPut {
  /** The login name: `ccun_…`, a name that the owner chose, or the `spiffe://…` of a certificate. Immutable. */
  readonly username: string;
  /** `cci_…`, used for a new credential. An existing credential retains its id. */
  readonly id: string;
  /** `ccn_…`: the display name, unique within the cluster. */
  readonly name: string;
  readonly isSuperuser: boolean;
  /** Whether a credentials file manages it; it is then removed when the file no longer names it. */
  readonly isFromFile: boolean;
  /** Whether it may only read, which the schema registry enforces. Absent means false. */
  readonly isReadOnly?: boolean | undefined;
  /** The stored form of the password. `null` leaves it unchanged: a new credential then has none. */
  readonly password: ScramCredential | null;
}

const credentialToPut = object<CredentialToPut>({
  username: text,
  id: text,
  name: text,
  isSuperuser: flag,
  isFromFile: flag,
  isReadOnly: optional(flag),
  password: nullable(scramCredential),
});

export interface CredentialResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'RESOURCE_NOT_FOUND' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

export interface CredentialDescription {
  readonly username: string;
  readonly id: string;
  readonly name: string;
  readonly isSuperuser: boolean;
  readonly isFromFile: boolean;
  /** Absent means false. */
  readonly isReadOnly?: boolean | undefined;
  readonly createdMs: number;
  /** Without a password it cannot log in by SASL, only by a certificate. */
  readonly hasPassword: boolean;
  /** Last known use, accurate to about a day; `null` for never. Absent in answers of leaders of earlier releases. */
  readonly lastUsedMs?: number | null | undefined;
}

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
