import { quotaEntityTypes } from '@weir/core';
import * as s from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import { type MutationOptions, mutationOptions } from './topic-calls.ts';

/** In the order in which they appear in entry keys. */
/** One part of an entity. A `null` name is the default entity: all that have no quota of their own. */
const quotaEntityPart = s.struct({
  /** One of `quotaEntityTypes`, or any other text that a client sent. */
  type: s.text,
  name: s.nullable(s.text),
});
type QuotaEntityPart = s.TypeOf<typeof quotaEntityPart>;

export type QuotaEntity = readonly QuotaEntityPart[];

const quotaChange = s.struct({
  key: s.text,
  /** `null` removes. */
  value: s.nullable(s.number),
});
export type QuotaChange = s.TypeOf<typeof quotaChange>;

const quotasToAlter = s.struct({
  entity: s.list(quotaEntityPart),
  changes: s.list(quotaChange),
});
export type ClientQuotasToAlter = s.TypeOf<typeof quotasToAlter>;

export interface AlterClientQuotasResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

const quotaMatches = ['name', 'default', 'any'] as const;

const quotaFilterPart = s.struct({
  type: s.oneOf(...quotaEntityTypes),
  /** `name`: this name. `default`: the default entity. `any`: both. */
  match: s.oneOf(...quotaMatches),
  /** `null` unless `match` is `name`. */
  name: s.nullable(s.text),
});
export type QuotaFilterPart = s.TypeOf<typeof quotaFilterPart>;

const quotaFilter = s.struct({
  /** An entity must match all parts. */
  parts: s.list(quotaFilterPart),
  /** Excludes entities with additional parts. */
  isStrict: s.flag,
});
export type ClientQuotaFilter = s.TypeOf<typeof quotaFilter>;

export interface ClientQuotas {
  readonly entity: QuotaEntity;
  readonly quotas: Readonly<Record<string, number>>;
}

/** The stored form of a SCRAM-SHA-512 password: sufficient to verify it, not to log in elsewhere (RFC 5802). */
export const scramCredential = s.struct({
  iterations: s.whole,
  salt: s.column(Uint8Array),
  storedKey: s.column(Uint8Array),
  serverKey: s.column(Uint8Array),
});
export type ScramCredential = s.TypeOf<typeof scramCredential>;

const scramCredentialChange = s.struct({
  user: s.text,
  /** `null` removes. */
  credential: s.nullable(scramCredential),
});
export type ScramCredentialChange = s.TypeOf<typeof scramCredentialChange>;

export interface ScramCredentialResult {
  readonly error: 'NONE' | 'RESOURCE_NOT_FOUND' | 'POLICY_VIOLATION';
  readonly message: string | null;
}

export interface ScramCredentialDescription {
  readonly user: string;
  readonly iterations: number;
}

/** A credential of a cluster: a named user, who may be a superuser, to whom ACLs do not apply. */
const credentialToPut = s.struct({
  /** The login name: `ccun_…`, a name that the owner chose, or the `spiffe://…` of a certificate. Immutable. */
  username: s.text,
  /** `cci_…`, used for a new credential. An existing credential retains its id. */
  id: s.text,
  /** `ccn_…`: the display name, unique within the cluster. */
  name: s.text,
  isSuperuser: s.flag,
  /** Whether a credentials file manages it; it is then removed when the file no longer names it. */
  isFromFile: s.flag,
  /** Whether it may only read, which the schema registry enforces. Absent means false. */
  isReadOnly: s.optional(s.flag),
  /** The stored form of the password. `null` leaves it unchanged: a new credential then has none. */
  password: s.nullable(scramCredential),
});
export type CredentialToPut = s.TypeOf<typeof credentialToPut>;

const passwordRotation = s.struct({
  username: s.text,
  /** The stored form of the new password, with the salt and the iterations of the current one. */
  password: scramCredential,
  /** How long the current password is accepted beside the new one; 0 ends it at once. */
  overlapMs: s.whole,
});
export type PasswordRotation = s.TypeOf<typeof passwordRotation>;

/** How the password of a user is derived. Neither value is secret: a login with SCRAM begins with them. */
export type PasswordDerivation = Pick<ScramCredential, 'salt' | 'iterations'>;

/** A password that a rotation replaced, while it is accepted. */
interface OldPasswordDescription {
  /** `null` if an earlier release stored it. */
  readonly createdMs: number | null;
  readonly endsMs: number;
  /** Last known use since the rotation, accurate to about an hour; `null` for none. */
  readonly lastUsedMs: number | null;
}

export interface CredentialResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'RESOURCE_NOT_FOUND' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

export interface PasswordRotationResult extends CredentialResult {
  /** When the old password ends; `null` if it has ended, and if the rotation was refused. */
  readonly oldEndsMs: number | null;
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
  /** When the password was set. Absent if that is not known, or there is none. */
  readonly passwordCreatedMs?: number | undefined;
  /** Absent unless the password is being rotated. */
  readonly oldPassword?: OldPasswordDescription | undefined;
}

/** Calls about quotas and credentials. */
export const principalCalls = {
  /** Sets and removes quotas. Each entity has its own result, and its changes are atomic. */
  alterClientQuotas: command<
    [entities: readonly ClientQuotasToAlter[], options: MutationOptions],
    AlterClientQuotasResult[]
  >(s.tuple(s.list(quotasToAlter), mutationOptions), { splits: true }),
  describeClientQuotas: query<[filter: ClientQuotaFilter], ClientQuotas[]>(s.tuple(quotaFilter)),
  /** Sets and removes SCRAM credentials, except those of superusers. No user may be named twice. */
  alterScramCredentials: command<[changes: readonly ScramCredentialChange[]], ScramCredentialResult[]>(
    s.tuple(s.list(scramCredentialChange)),
    { splits: true },
  ),
  /**
   * In the order of the users, `null` for those without credentials; an empty list returns all. Never contains secrets.
   */
  describeScramCredentials: query<[users: readonly string[]], (ScramCredentialDescription | null)[]>(
    s.tuple(s.list(s.text)),
    { splits: true },
  ),
  /** Creates credentials, or updates those with the same usernames. No username may be named twice. */
  putCredentials: command<[credentials: readonly CredentialToPut[]], CredentialResult[]>(
    s.tuple(s.list(credentialToPut)),
    { membersOnly: true },
  ),
  /** Removes credentials and their passwords. No username may be named twice. */
  deleteCredentials: command<[usernames: readonly string[]], CredentialResult[]>(s.tuple(s.list(s.text)), {
    membersOnly: true,
  }),
  /** Returns how the password of a user is derived; `null` for a user without one. */
  passwordDerivation: query<[username: string], PasswordDerivation | null>(s.tuple(s.text), {
    membersOnly: true,
  }),
  /** Sets a new password of a credential, and accepts the current one for some more time. */
  rotatePassword: command<[rotation: PasswordRotation], PasswordRotationResult>(s.tuple(passwordRotation), {
    membersOnly: true,
  }),
  /** Ends the password that a rotation replaced. */
  endOldPassword: command<[username: string], CredentialResult>(s.tuple(s.text), { membersOnly: true }),
  /** Returns all credentials by creation time. Never contains secrets. */
  listCredentials: leaderCall<[], CredentialDescription[]>(s.tuple(), {
    membersOnly: true,
    onRetry: 'reexecute',
  }),
};
