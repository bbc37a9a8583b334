import { registryLimits } from '../limits.ts';
import type { AssociationLifecycle } from '../registry-answers.ts';
import { RegistryError } from '../registry-error.ts';
import { normalSubject } from '../state/qualified-subject.ts';
import { BodyReader, type JsonObject } from './body-reader.ts';
import { readSchemaBody, type SchemaBody } from './schema-bodies.ts';
import { isSubject } from './scopes.ts';

/** What associations are of. */
export interface Resource {
  readonly resourceName: string;
  readonly resourceNamespace: string;
  /** Absent only where nothing is stored. */
  readonly resourceId: string | undefined;
  readonly resourceType: string;
}

/** The body of `POST /associations` and `PUT /associations/resources/{resourceId}`. */
export interface AssociationsBody extends Resource {
  readonly associations: readonly WantedAssociation[];
}

/** An association as a request wants it. One that is created has its defaults. */
export interface WantedAssociation {
  readonly subject: string | undefined;
  readonly associationType: string;
  readonly lifecycle: AssociationLifecycle | undefined;
  readonly frozen: boolean | undefined;
  readonly schema: SchemaBody | undefined;
  readonly normalize: boolean;
}

/** One change of a resource's associations: `UPSERT` also takes those that exist. */
export type AssociationOp =
  | { readonly type: 'CREATE' | 'UPSERT'; readonly wanted: WantedAssociation }
  | { readonly type: 'DELETE'; readonly associationType: string; readonly cascadeLifecycle: boolean };

/** One request of the body of `POST /associations:batchMutate`. */
export interface AssociationOps extends Resource {
  readonly ops: readonly AssociationOp[];
}

/** One request of the body of `POST /associations:batchGet`: by the id of a resource, or else by its name. */
export interface AssociationsSought {
  readonly resourceId: string | undefined;
  readonly resourceName: string | undefined;
  readonly resourceNamespace: string | undefined;
  readonly resourceType: string;
  readonly associationTypes: readonly string[];
  readonly lifecycle: AssociationLifecycle | undefined;
}

const reader: BodyReader = new BodyReader('invalidAssociation');
const resourceTypes = ['topic'];
const associationTypes = ['key', 'value'];
const lifecycles = ['STRONG', 'WEAK'] as const;
const opTypes = ['CREATE', 'UPSERT', 'DELETE'] as const;

export function readAssociationsBody(
  body: unknown,
  type: 'CREATE' | 'UPSERT',
  { resourceId, isDryRun }: { readonly resourceId?: string | undefined; readonly isDryRun: boolean },
): AssociationsBody {
  const object = reader.object(body);
  const resource = readResource(object, isDryRun, resourceId);
  const associations = listOf(object).map((value) =>
    readWanted(reader.object(value, 'An association'), type),
  );
  checkDistinct(associations);
  return { ...resource, associations };
}

/** The requests of a batch. A mistake in one of them is no mistake in the others; one of a type is, as in JSON. */
export function readAssociationBatch(body: unknown, isDryRun: boolean): (AssociationOps | RegistryError)[] {
  return readRequests(body, (object) => {
    const ops = listOf(object).map((value) => readOp(reader.object(value, 'An association')));
    checkDistinct(ops.map((op) => (op.type === 'DELETE' ? op : op.wanted)));
    return { ...readResource(object, isDryRun), ops };
  });
}

export function readAssociationQueries(body: unknown): (AssociationsSought | RegistryError)[] {
  return readRequests(body, (object) => {
    const textOf = (field: string) =>
      reader.text(object, field, registryLimits.registryNameCharsMax) || undefined;
    const sought = {
      resourceId: textOf('resourceId'),
      resourceName: textOf('resourceName'),
      resourceNamespace: textOf('resourceNamespace'),
      resourceType: textOf('resourceType') ?? 'topic',
      associationTypes: reader.texts(object, 'associationTypes', associationTypes.length) ?? [],
      lifecycle: readLifecycle(object),
    };
    if (sought.resourceId === undefined && sought.resourceName === undefined)
      throw invalidAssociation('resourceId', 'either resourceId or resourceName must be specified');
    if (sought.resourceName !== undefined && sought.resourceNamespace === undefined)
      throw invalidAssociation('resourceNamespace', 'is required when resourceName is specified');
    return sought;
  });
}

function readRequests<Request>(
  body: unknown,
  read: (object: JsonObject) => Request,
): (Request | RegistryError)[] {
  const requests = reader.list(reader.object(body), 'requests', registryLimits.associationBatchMax) ?? [];
  if (requests.length === 0) throw invalidAssociation('requests', 'cannot be null or empty');
  return requests.map((request) => {
    try {
      return read(reader.object(request, 'A request'));
    } catch (error) {
      if (error instanceof RegistryError && error.error === 'invalidAssociation') return error;
      throw error;
    }
  });
}

function readResource(object: JsonObject, isDryRun: boolean, pathId?: string): Resource {
  const resourceName = readName(object, 'resourceName');
  const resourceNamespace = readName(object, 'resourceNamespace');
  const givenId = reader.text(object, 'resourceId', registryLimits.registryNameCharsMax) || undefined;
  if (pathId !== undefined && givenId !== undefined && givenId !== pathId)
    throw invalidAssociation('resourceId', 'is not the one of the path');
  if (pathId !== undefined && pathId.length > registryLimits.registryNameCharsMax)
    throw invalidAssociation('resourceId', 'is too long');
  const resourceId = pathId ?? givenId;
  if (resourceId === undefined && !isDryRun)
    throw invalidAssociation('resourceId', 'cannot be null or empty');
  const resourceType = reader.text(object, 'resourceType') || 'topic';
  if (!resourceTypes.includes(resourceType)) throw invalidAssociation('resourceType', "must be 'topic'");
  return { resourceName, resourceNamespace, resourceId, resourceType };
}

function listOf(object: JsonObject): readonly unknown[] {
  const list = reader.list(object, 'associations', associationTypes.length) ?? [];
  if (list.length === 0) throw invalidAssociation('associations', 'cannot be null or empty');
  return list;
}

function checkDistinct(list: readonly { readonly associationType: string }[]): void {
  if (new Set(list.map(({ associationType }) => associationType)).size < list.length)
    throw invalidAssociation('associationType', 'may only appear once per request');
}

function readOp(object: JsonObject): AssociationOp {
  const opType = reader.text(object, 'opType')?.toUpperCase();
  const type = opTypes.find((known) => known === opType);
  if (type === undefined)
    throw new RegistryError('malformedBody', `The field opType must be one of ${opTypes.join(', ')}.`);
  if (type !== 'DELETE') return { type, wanted: readWanted(object, type) };
  const cascadeLifecycle = reader.boolean(object, 'cascadeLifecycle') ?? false;
  return { type, associationType: readType(object), cascadeLifecycle };
}

function readWanted(object: JsonObject, type: 'CREATE' | 'UPSERT'): WantedAssociation {
  const associationType = readType(object);
  const subject = reader.text(object, 'subject', registryLimits.subjectCharsMax);
  if (subject !== undefined && !isSubject(subject)) throw invalidAssociation('subject', 'is not valid');
  const schemaValue = reader.field(object, 'schema');
  const wanted: WantedAssociation = {
    subject,
    associationType,
    lifecycle: readLifecycle(object),
    frozen: reader.boolean(object, 'frozen'),
    schema: schemaValue === undefined ? undefined : readSchemaBody(schemaValue),
    normalize: reader.boolean(object, 'normalize') ?? false,
  };
  if (wanted.lifecycle === 'WEAK' && wanted.schema !== undefined)
    throw invalidAssociation('lifecycle', 'cannot be WEAK when schema is provided');
  return type === 'CREATE' ? withDefaults(wanted) : wanted;
}

/** An association that does not exist yet: one with a schema is strong, and strong ones are frozen. */
export function withDefaults(
  wanted: WantedAssociation,
): WantedAssociation & { readonly lifecycle: AssociationLifecycle; readonly frozen: boolean } {
  const { schema, lifecycle = schema === undefined ? 'WEAK' : 'STRONG' } = wanted;
  const frozen = lifecycle === 'STRONG';
  if (wanted.frozen !== undefined && wanted.frozen !== frozen) throw notFrozenSo(lifecycle, wanted.frozen);
  if (lifecycle === 'WEAK' && wanted.subject === undefined)
    throw invalidAssociation('subject', 'must be provided for WEAK associations');
  return { ...wanted, lifecycle, frozen };
}

/** The subject of strong associations. It is in the context of the resource's namespace. */
export function defaultSubjectOf(resource: Resource, associationType: string): string {
  return normalSubject(`:.${resource.resourceNamespace}:${resource.resourceName}-${associationType}`);
}

function readType(object: JsonObject): string {
  const associationType = reader.text(object, 'associationType') || 'value';
  if (!associationTypes.includes(associationType))
    throw invalidAssociation('associationType', "must be either 'key' or 'value'");
  return associationType;
}

function readName(object: JsonObject, field: string): string {
  const name = reader.text(object, field, registryLimits.registryNameCharsMax);
  if (name === undefined || name === '') throw invalidAssociation(field, 'cannot be null or empty');
  return name;
}

function readLifecycle(object: JsonObject): AssociationLifecycle | undefined {
  const text = reader.text(object, 'lifecycle');
  if (text === undefined) return undefined;
  const lifecycle = lifecycles.find((known) => known === text.toUpperCase());
  if (lifecycle === undefined) throw invalidAssociation('lifecycle', 'must be STRONG or WEAK');
  return lifecycle;
}

export function notFrozenSo(lifecycle: AssociationLifecycle, frozen: boolean): RegistryError {
  return invalidAssociation(
    'frozen',
    `association with lifecycle of ${lifecycle} cannot be frozen=${frozen}`,
  );
}

export function invalidAssociation(property: string, problem: string): RegistryError {
  return new RegistryError(
    'invalidAssociation',
    `The association specified an invalid value for property: '${property}', detail: ${problem}`,
  );
}
