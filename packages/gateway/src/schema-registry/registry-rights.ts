import type { NeededOperation } from '@weir/core';
import { registryResourceName } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { formatSubject, parseSubject, type RegistryService, referencedSubject } from '@weir/registry';
import type { Access } from '@weir/security';
import { principalInAcls } from '@weir/security';
import type { RouteRow } from './routes/route.ts';

/** The part of a request on which its rights depend. */
interface GuardedInput {
  readonly row: RouteRow;
  readonly path: Readonly<Record<string, string | number>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** The error code of Confluent's security plugin. */
const deniedCode = 40301;

/**
 * Checks the right that a route needs. Returns on which subjects the caller has it; `undefined` for all.
 * Schemas have no resource of their own: the right on any subject that has the schema is enough.
 */
export async function checkRights(
  { row, path, query }: GuardedInput,
  access: Access,
  service: RegistryService,
): Promise<((subject: string) => boolean) | undefined> {
  if (!row.isReadOnly) refuseReadOnly(access);
  const { needs } = row;
  if (access.isUnlimited === true || needs.on === 'authenticated') return undefined;
  const isAllowed = (subject: string) => access.mayQuietly(needs.operation, 'SUBJECT', resourceOf(subject));
  switch (needs.on) {
    case 'registry':
      requireOnRegistry(access, needs.operation);
      return undefined;
    case 'exporter':
      requireOnRegistry(access, needs.operation);
      return (subject) => access.mayQuietly('READ', 'SUBJECT', resourceOf(subject));
    case 'subject':
      requireOnSubject(access, needs.operation, path.subject as string);
      return isAllowed;
    case 'schema': {
      const subjects = await subjectsOfSchema(service, path, query);
      // The answer does not list subjects that the caller may not see.
      if (!subjects.some(isAllowed) && !access.may(needs.operation, 'SUBJECT', subjects[0] ?? ''))
        throw denied(access, needs.operation, 'every subject that has the schema');
      return isAllowed;
    }
    case 'listed':
      return isAllowed;
  }
}

/** Which subjects the caller may delete; `undefined` for all. */
export function deletableSubjects(access: Access): ((subject: string) => boolean) | undefined {
  if (access.isUnlimited === true) return undefined;
  return (subject) => access.mayQuietly('DELETE', 'SUBJECT', resourceOf(subject));
}

/**
 * Checks the rights on subjects that a body names. Answers can contain schemas that another one refers to, or that an
 * alias stands for, so both take the right to read those.
 */
export function checkRightsOfBody(
  row: RouteRow,
  path: GuardedInput['path'],
  body: unknown,
  access: Access,
): void {
  if (access.isUnlimited === true || typeof body !== 'object' || body === null) return;
  const { context } = parseSubject(String(path.subject ?? ''));
  const readable = (name: unknown) => {
    if (typeof name !== 'string' || name === '') return;
    requireOnSubject(access, 'READ', referencedSubject(context, name));
  };
  if (row.body?.references !== undefined && 'references' in body && Array.isArray(body.references))
    for (const reference of body.references as readonly unknown[])
      if (typeof reference === 'object' && reference !== null && 'subject' in reference)
        readable(reference.subject);
  if (row.body?.alias !== undefined && 'alias' in body) readable(body.alias);
  const isBatch = row.body?.requests !== undefined;
  const changes = isBatch && 'requests' in body && Array.isArray(body.requests) ? body.requests : [body];
  if ((isBatch || row.body?.associations !== undefined) && changes.some(hasReferences))
    throw new HttpProblem(
      403,
      'Register schemas that refer to others first, then associate their subjects.',
      {
        errorCode: deniedCode,
      },
    );
}

/** Whether a schema of a list of associations refers to others, on which the caller may have no right. */
function hasReferences(change: unknown): boolean {
  const associations = (change as { readonly associations?: unknown } | null)?.associations;
  if (!Array.isArray(associations)) return false;
  return associations.some((one: { readonly schema?: { readonly references?: unknown } } | null) => {
    const references = one?.schema?.references;
    return references !== undefined && references !== null && (references as readonly unknown[]).length !== 0;
  });
}

/** Checks the right to register a schema that refers to no other, for records that arrive with their schema. */
export function requireRegistration(access: Access, subject: string): void {
  refuseReadOnly(access);
  requireOnSubject(access, 'WRITE', subject);
}

/** Checks the right to look for a schema under a subject. */
export function requireLookup(access: Access, subject: string): void {
  requireOnSubject(access, 'READ', subject);
}

export function mayReadSubject(access: Access, subject: string): boolean {
  return access.mayQuietly('READ', 'SUBJECT', resourceOf(subject));
}

function refuseReadOnly({ principal }: Access): void {
  if (principal.isReadOnly !== true) return;
  throw new HttpProblem(403, `${principalInAcls(principal)} has a read-only credential and may only read.`, {
    errorCode: deniedCode,
  });
}

/** The name of a subject in ACLs: the default context has no prefix. */
function resourceOf(subject: string): string {
  return formatSubject(parseSubject(subject));
}

function requireOnSubject(access: Access, operation: NeededOperation, subject: string): void {
  if (parseSubject(subject).subject === '' && subject !== '') {
    requireOnRegistry(access, operation);
    return;
  }
  const name = resourceOf(subject);
  if (!access.may(operation, 'SUBJECT', name)) throw denied(access, operation, `subject ${name}`);
}

function requireOnRegistry(access: Access, operation: NeededOperation): void {
  if (!access.may(operation, 'REGISTRY', registryResourceName))
    throw denied(access, operation, 'the registry');
}

function denied({ principal }: Access, operation: NeededOperation, resource: string): HttpProblem {
  return new HttpProblem(
    403,
    `${principalInAcls(principal)} is denied operation ${operation} on ${resource}.`,
    {
      errorCode: deniedCode,
    },
  );
}

async function subjectsOfSchema(
  service: RegistryService,
  path: GuardedInput['path'],
  query: GuardedInput['query'],
): Promise<readonly string[]> {
  if (typeof path.id === 'number') {
    const subject = query.subject as string | undefined;
    return await service.subjectsOfId(path.id, { subject, deleted: true });
  }
  const ids = await service.idsOfGuid(path.guid as string);
  const subjects = await Promise.all(
    ids.map(({ context, id }) => service.subjectsOfId(id, { subject: `:${context}:`, deleted: true })),
  );
  return subjects.flat();
}
