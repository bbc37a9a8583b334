import { RegistryError } from '../registry-error.ts';
import { InvalidSchema } from '../schema-format.ts';
import { contextScope, parseSubject } from '../state/qualified-subject.ts';

/** Refusals with the words that clients of Confluent's registry know. */
export const refusals = {
  subjectNotFound: (subject: string) =>
    new RegistryError('subjectNotFound', `Subject '${subject}' not found.`),
  versionNotFound: (version: number) => new RegistryError('versionNotFound', `Version ${version} not found.`),
  schemaNotFound: (id?: number | string) =>
    new RegistryError('schemaNotFound', id === undefined ? 'Schema not found' : `Schema ${id} not found`),
  subjectSoftDeleted: (subject: string) =>
    new RegistryError(
      'subjectSoftDeleted',
      `Subject '${subject}' was soft deleted. Set permanent=true to delete permanently`,
    ),
  subjectNotSoftDeleted: (subject: string) =>
    new RegistryError(
      'subjectNotSoftDeleted',
      `Subject '${subject}' was not deleted first before being permanently deleted`,
    ),
  versionSoftDeleted: (subject: string, version: number) =>
    new RegistryError(
      'versionSoftDeleted',
      `Subject '${subject}' Version ${version} was soft deleted. Set permanent=true to delete permanently`,
    ),
  versionNotSoftDeleted: (subject: string, version: number) =>
    new RegistryError(
      'versionNotSoftDeleted',
      `Subject '${subject}' Version ${version} was not deleted first before being permanently deleted`,
    ),
  noConfig: (subject: string) =>
    new RegistryError(
      'subjectHasNoConfig',
      `Subject '${subject}' does not have subject-level compatibility configured`,
    ),
  noMode: (subject: string) =>
    new RegistryError('subjectHasNoMode', `Subject '${subject}' does not have subject-level mode configured`),
  invalidVersion: (version: string) =>
    new RegistryError(
      'invalidVersion',
      `The specified version '${version}' is not a valid version id. Allowed values are between [1, 2^31-1] and the string "latest"`,
    ),
  invalidSubject: (subject: string) =>
    new RegistryError('invalidSubject', `The specified subject '${subject}' is not valid.`),
  referenceExists: (subject: string, version: number) =>
    new RegistryError(
      'referenceExists',
      `One or more references exist to the schema {magic=1,keytype=SCHEMA,subject=${subject},version=${version}}.`,
    ),
  readOnly: (subject: string) => notPermitted(subject, 'in read-only mode'),
  notImport: (subject: string) => notPermitted(subject, 'not in import mode'),
  notReadWrite: (subject: string) => notPermitted(subject, 'not in read-write mode'),
  noActiveVersion: (subject: string) =>
    new RegistryError(
      'noActiveSubjectVersionExists',
      `No active (non-deleted) version exists for subject '${subject}'`,
    ),
  associationForSubjectExists: (subject: string) =>
    new RegistryError(
      'associationForSubjectExists',
      `An association already exists for subject '${subject}'`,
    ),
  emptySchema: () => new RegistryError('invalidSchema', 'Empty schema'),
} as const;

function notPermitted(subject: string, state: string): RegistryError {
  const { context } = parseSubject(subject);
  return new RegistryError(
    'operationNotPermitted',
    `Subject ${subject} in context ${contextScope(context)} is ${state}`,
  );
}

/** Whether an error says that something does not exist, which another agent may have made a moment ago. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RegistryError && error.status === 404;
}

/** Calls with a text of a user, whose problem becomes a refusal. */
export function withValidSchema<Result>(type: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof InvalidSchema)) throw error;
    throw new RegistryError('invalidSchema', `Invalid schema of type ${type}, details: ${error.message}`);
  }
}
