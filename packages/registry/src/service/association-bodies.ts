import { registryLimits } from '../limits.ts';
import type { AssociationLifecycle } from '../registry-answers.ts';
import { RegistryError } from '../registry-error.ts';
import { normalSubject } from '../state/qualified-subject.ts';
import { BodyReader } from './body-reader.ts';
import { readSchemaBody, type SchemaBody } from './schema-bodies.ts';
import { isSubject } from './scopes.ts';

/** The body of `POST /associations`, with its defaults. */
export interface AssociationsBody {
  readonly resourceName: string;
  readonly resourceNamespace: string;
  /** Absent only where nothing is stored. */
  readonly resourceId: string | undefined;
  readonly resourceType: string;
  readonly associations: readonly WantedAssociation[];
}

export interface WantedAssociation {
  readonly subject: string;
  /** Whether the body names the subject; the default one is in the context of the resource's namespace. */
  readonly isDefaultSubject: boolean;
  readonly associationType: string;
  readonly lifecycle: AssociationLifecycle;
  readonly frozen: boolean;
  readonly schema: SchemaBody | undefined;
  readonly normalize: boolean;
}

const reader: BodyReader = new BodyReader('invalidAssociation');
const resourceTypes = ['topic'];
const associationTypes = ['key', 'value'];
const lifecycles = ['STRONG', 'WEAK'] as const;

export function readAssociationsBody(body: unknown, isDryRun: boolean): AssociationsBody {
  const object = reader.object(body);
  const name = readName(object, 'resourceName');
  const namespace = readName(object, 'resourceNamespace');
  const id = reader.text(object, 'resourceId', registryLimits.registryNameCharsMax) || undefined;
  if (id === undefined && !isDryRun) throw invalidAssociation('resourceId', 'cannot be null or empty');
  const resourceType = reader.text(object, 'resourceType') || 'topic';
  if (!resourceTypes.includes(resourceType)) throw invalidAssociation('resourceType', "must be 'topic'");
  const list = reader.list(object, 'associations', associationTypes.length) ?? [];
  if (list.length === 0) throw invalidAssociation('associations', 'cannot be null or empty');
  const associations = list.map((value) => readAssociation(value, namespace, name));
  if (new Set(associations.map(({ associationType }) => associationType)).size < associations.length)
    throw invalidAssociation('associationType', 'is there twice');
  return { resourceName: name, resourceNamespace: namespace, resourceId: id, resourceType, associations };
}

function readAssociation(value: unknown, namespace: string, name: string): WantedAssociation {
  const object = reader.object(value, 'An association');
  const associationType = reader.text(object, 'associationType') || 'value';
  if (!associationTypes.includes(associationType))
    throw invalidAssociation('associationType', "must be either 'key' or 'value'");
  const given = reader.text(object, 'subject', registryLimits.subjectCharsMax);
  if (given !== undefined && !isSubject(given)) throw invalidAssociation('subject', 'is not valid');
  const schemaValue = reader.field(object, 'schema');
  const schema = schemaValue === undefined ? undefined : readSchemaBody(schemaValue);
  const frozen = reader.boolean(object, 'frozen') ?? schema !== undefined;
  const lifecycle = readLifecycle(object) ?? (schema === undefined ? 'WEAK' : 'STRONG');
  const defaultSubject = normalSubject(`:.${namespace}:${name}-${associationType}`);
  const isDefaultSubject = given === undefined || normalSubject(given) === defaultSubject;
  if (schema !== undefined && lifecycle === 'WEAK')
    throw invalidAssociation('lifecycle', 'cannot be WEAK when schema is provided');
  if (schema !== undefined && !frozen)
    throw invalidAssociation('frozen', 'cannot be false when schema is provided for create');
  if (frozen && lifecycle === 'WEAK')
    throw invalidAssociation('frozen', 'association with lifecycle of WEAK cannot be frozen');
  if (lifecycle === 'WEAK' && given === undefined)
    throw invalidAssociation('subject', 'must be provided for WEAK associations');
  if (lifecycle === 'WEAK' && isDefaultSubject)
    throw invalidAssociation('subject', `WEAK associations cannot use subject '${defaultSubject}'`);
  if (frozen && !isDefaultSubject)
    throw invalidAssociation('subject', `frozen associations must use subject '${defaultSubject}'`);
  const subject = isDefaultSubject ? defaultSubject : given!;
  if (!isSubject(subject)) throw invalidAssociation('subject', 'is not valid');
  const normalize = reader.boolean(object, 'normalize') ?? false;
  return { subject, isDefaultSubject, associationType, lifecycle, frozen, schema, normalize };
}

function readName(object: Readonly<Record<string, unknown>>, field: string): string {
  const name = reader.text(object, field, registryLimits.registryNameCharsMax);
  if (name === undefined || name === '') throw invalidAssociation(field, 'cannot be null or empty');
  return name;
}

function readLifecycle(object: Readonly<Record<string, unknown>>): AssociationLifecycle | undefined {
  const text = reader.text(object, 'lifecycle');
  if (text === undefined) return undefined;
  const lifecycle = lifecycles.find((known) => known === text.toUpperCase());
  if (lifecycle === undefined) throw invalidAssociation('lifecycle', 'must be STRONG or WEAK');
  return lifecycle;
}

export function invalidAssociation(property: string, problem: string): RegistryError {
  return new RegistryError(
    'invalidAssociation',
    `The association specified an invalid value for property: '${property}', detail: ${problem}`,
  );
}
