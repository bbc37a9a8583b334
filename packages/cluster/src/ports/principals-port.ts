/** In the order in which they stand in keys of records. */
export const quotaEntityTypes = ['user', 'client-id', 'ip'] as const;
export type QuotaEntityType = (typeof quotaEntityTypes)[number];

/** One part of an entity; a name of `null` is everybody who has no quota of his own. */
export interface QuotaEntityPart {
  /** One of `quotaEntityTypes`, or whatever a client made up. */
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

export interface AlterClientQuotasResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

export const quotaMatches = ['name', 'default', 'any'] as const;

export interface QuotaFilterPart {
  readonly type: QuotaEntityType;
  /** `name`: this name. `default`: the entity of everybody else. `any`: both. */
  readonly match: (typeof quotaMatches)[number];
  /** `null` unless the match is a name. */
  readonly name: string | null;
}

export interface ClientQuotaFilter {
  /** An entity has to fit all of them. */
  readonly parts: readonly QuotaFilterPart[];
  /** Leaves out entities with further parts. */
  readonly isStrict: boolean;
}

export interface ClientQuotas {
  readonly entity: QuotaEntity;
  readonly quotas: Readonly<Record<string, number>>;
}

/** What is kept of a SCRAM-SHA-512 password: enough to verify it, and not enough to log in elsewhere (RFC 5802). */
export interface ScramCredential {
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

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

/** A credential of a cluster: somebody who has a name, and may be more than the rules make of him. */
export interface CredentialToPut {
  /** What he logs in as: `ccun_…`, a name of the owner's choice, or the `spiffe://…` of a certificate. Never changes. */
  readonly username: string;
  /** `cci_…` of a credential that is new. One that is known keeps its own. */
  readonly id: string;
  /** `ccn_…`: what people call it. No two credentials of a cluster have the same. */
  readonly name: string;
  readonly isSuperuser: boolean;
  /** Whether it is kept as a file says, and goes when the file no longer names it. */
  readonly isFromFile: boolean;
  /** What is kept of the password. `null` leaves it as it is: none when the credential is new. */
  readonly password: ScramCredential | null;
}

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
  readonly createdMs: number;
  /** Without one it cannot log in by SASL: a certificate says who it is. */
  readonly hasPassword: boolean;
  /** When somebody is known to have used it last, to about a day; `null` for never. A leader of an earlier release does not say. */
  readonly lastUsedMs?: number | null | undefined;
}
