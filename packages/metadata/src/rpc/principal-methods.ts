import type { MutationOptions } from '../cluster/port.ts';
import {
  type ClientQuotaFilter,
  type ClientQuotasToAlter,
  type CredentialToPut,
  type PrincipalsPort,
  type QuotaChange,
  type QuotaEntityPart,
  type QuotaFilterPart,
  quotaEntityTypes,
  quotaMatches,
  type ScramCredential,
  type ScramCredentialChange,
} from '../cluster/principals-port.ts';
import type { Method } from './methods.ts';
import { column, flag, list, nullable, number, object, oneOf, text, tuple, whole } from './shape.ts';

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

/** The calls about those who use the cluster. */
export const principalMethods = {
  alterClientQuotas: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(quotasToAlter), object<MutationOptions>({ validateOnly: flag })),
  },
  describeClientQuotas: { again: 'repeated', deadlineMs: 30_000, args: tuple(quotaFilter) },
  alterScramCredentials: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(object<ScramCredentialChange>({ user: text, credential: nullable(scramCredential) }))),
  },
  describeScramCredentials: { again: 'repeated', deadlineMs: 30_000, args: tuple(list(text)) },
  putCredentials: {
    membersOnly: true,
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(credentialToPut)),
  },
  deleteCredentials: { membersOnly: true, again: 'once', deadlineMs: 30_000, args: tuple(list(text)) },
  listCredentials: { membersOnly: true, again: 'repeated', deadlineMs: 30_000, args: tuple() },
} as const satisfies { readonly [M in keyof PrincipalsPort]: Method<Parameters<PrincipalsPort[M]>> };
